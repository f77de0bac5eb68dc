// How the question was answered: its plan, and the indexes that there are.

import type { JSX } from "preact";
import type { IndexReport } from "../../index.ts";
import type { Asked, Loaded } from "../messages.ts";
import { Switch } from "./controls.tsx";
import type { Engine } from "./engine.ts";
import { useIds } from "./pane.ts";
import { Plan } from "./plan.tsx";
import { bytes, count, shown } from "./words.ts";

interface Props {
  readonly engine: Engine;
  /** `undefined` while it is being loaded: indexes appear as they are built. */
  readonly loaded: Loaded | undefined;
  readonly asked: Asked;
  readonly indexes: readonly IndexReport[];
  readonly mode: "auto" | "none";
  readonly onMode: (mode: "auto" | "none") => void;
}

export function How({ engine, loaded, asked, indexes, mode, onMode }: Props): JSX.Element {
  const id = useIds();
  return (
    <div class="how">
      <section aria-label="Plan">
        <h2>The plan</h2>
        {loaded !== undefined && <Plan {...{ engine, loaded, asked }} />}
      </section>
      <section aria-label="Indexes">
        <h2>Indexes</h2>
        <Switch
          name={id("indexes")}
          legend={<legend class="hidden">When indexes are built</legend>}
          options={{ auto: "automatic", none: "none" }}
          value={mode}
          onChange={onMode}
        />
        {indexes.length === 0 ? (
          <p class="quiet">No indexes: each query scans every record.</p>
        ) : (
          <IndexTable indexes={indexes} />
        )}
      </section>
    </div>
  );
}

/** The indexes that there are, by kind. */
function IndexTable({ indexes }: { readonly indexes: readonly IndexReport[] }): JSX.Element {
  const sum = indexes.reduce((all, each) => all + each.bytes, 0);
  return (
    <table class="indexes">
      <thead>
        <tr>
          <th scope="col">field</th>
          <th scope="col">kind</th>
          <th scope="col" class="number">
            takes
          </th>
        </tr>
      </thead>
      <tbody>
        {indexes.map(({ field, kind, bytes: size }) => (
          <tr key={`${kind} ${field}`}>
            <td>{shown(field)}</td>
            <td>{kind}</td>
            <td class="number">{bytes(size)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td colSpan={2}>{count(indexes.length)} indexes</td>
          <td class="number">{bytes(sum)}</td>
        </tr>
      </tfoot>
    </table>
  );
}
