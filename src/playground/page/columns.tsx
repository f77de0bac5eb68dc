// Which columns are shown, and in which order.

import type { JSX } from "preact";
import { chosenOf, shownColumns, withMoved, type Column } from "../columns.ts";
import type { FieldInfo } from "../messages.ts";
import { Panel } from "./panel.tsx";
import { count, shown } from "./words.ts";

interface Props {
  readonly fields: readonly FieldInfo[];
  readonly chosen: readonly Column[];
  readonly isFrozen: boolean;
  readonly onColumns: (columns: readonly Column[]) => void;
  readonly onFreeze: (isFrozen: boolean) => void;
}

export function Columns(props: Props): JSX.Element {
  const { fields, chosen, isFrozen, onColumns, onFreeze } = props;
  const columns = chosenOf(shownColumns(fields, chosen), chosen);
  const stored = fields.filter((field) => field.stored).map(({ name }) => name);
  const isShown = (name: string) => columns.some((each) => each.name === name);
  const names = [...columns.map(({ name }) => name), ...stored.filter((name) => !isShown(name))];
  const toggle = (name: string) =>
    onColumns(
      isShown(name) ? columns.filter((each) => each.name !== name) : [...columns, { name }],
    );
  return (
    <Panel label={`Columns ${count(columns.length)} of ${count(stored.length)}`} name="Columns">
      {() => (
        <div class="columns">
          <p>
            <label>
              <input
                type="checkbox"
                checked={isFrozen}
                onChange={({ currentTarget }) => onFreeze(currentTarget.checked)}
              />
              Freeze the first
            </label>
            <button type="button" class="plain" onClick={() => onColumns([])}>
              Reset
            </button>
          </p>
          <ul>
            {names.map((name) => (
              <li key={name}>
                <label>
                  <input
                    type="checkbox"
                    checked={isShown(name)}
                    disabled={columns.length === 1 && isShown(name)}
                    onChange={() => toggle(name)}
                  />
                  {shown(name)}
                </label>
                {isShown(name) &&
                  ([-1, 1] as const).map((by) => (
                    <button
                      key={by}
                      type="button"
                      class="plain"
                      aria-label={`Move ${shown(name)} ${by === -1 ? "up" : "down"}`}
                      onClick={() => onColumns(withMoved(columns, name, by))}
                    >
                      {by === -1 ? "↑" : "↓"}
                    </button>
                  ))}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}
