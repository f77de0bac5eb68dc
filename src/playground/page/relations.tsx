// Which columns lead to other tables: the panel that says so.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isOwn, isSortable, type FieldInfo, type Loaded, type Relation } from "../messages.ts";
import { Select } from "./controls.tsx";
import type { Engine } from "./engine.ts";
import { Panel } from "./panel.tsx";
import { count, shown } from "./words.ts";

/** A table that is loaded, as others see it. */
export interface Other {
  readonly name: string;
  readonly engine: Engine;
  readonly fields: readonly FieldInfo[];
  /** Another one once its records have changed. */
  readonly version: object;
}

/** The fields that are of the table itself. */
export const ownFields = ({ fields }: Pick<Loaded, "fields">): readonly FieldInfo[] =>
  fields.filter(isOwn);

interface Props {
  readonly loaded: Loaded;
  readonly others: readonly Other[];
  readonly relations: readonly Relation[];
  readonly missing: readonly number[];
  readonly onChange: (relations: readonly Relation[]) => void;
}

/** Where columns lead. Nothing is drawn for who has one table. */
export function Relations(props: Props): JSX.Element | null {
  const { loaded, others, relations, missing, onChange } = props;
  if (others.length === 0 && relations.length === 0) return null;
  const label = relations.length === 0 ? "Relations" : `Relations ${count(relations.length)}`;
  return (
    <Panel label={label} name="Relations">
      {() => (
        <div class="relations">
          <p class="quiet">
            Each record also gets the columns of the record that it names in another table.
          </p>
          <ul class="made">
            {relations.map((each, i) => (
              <li key={each.by}>
                {shown(each.by)} → {shown(each.table)} by {shown(each.key)}
                <button
                  type="button"
                  class="plain"
                  aria-label={`Remove the relation of ${shown(each.by)}`}
                  onClick={() => onChange(relations.filter((other) => other !== each))}
                >
                  ×
                </button>
                {missing[i] !== undefined && (
                  <small class="quiet">
                    {missing[i] === 0
                      ? "Every name is there."
                      : `${count(missing[i])} of ${count(loaded.size)} name a record that is not there.`}
                  </small>
                )}
              </li>
            ))}
          </ul>
          {others.length > 0 && (
            <Add {...props} key={relations.length} onAdd={(one) => onChange([...relations, one])} />
          )}
        </div>
      )}
    </Panel>
  );
}

function Add(props: Props & { readonly onAdd: (relation: Relation) => void }): JSX.Element {
  const { loaded, others, relations, onAdd } = props;
  const free = ownFields(loaded).filter(
    (field) => isSortable(field) && relations.every(({ by }) => by !== field.name),
  );
  const [{ by, table, key }, setRelation] = useState(() => guess(free, others));
  const other = others.find(({ name }) => name === table);
  const options = (fields: readonly FieldInfo[]) =>
    fields.filter(isSortable).map(({ name }) => [name, shown(name)] as const);
  return (
    <>
      <label>
        Column
        <Select
          value={by}
          options={options(free)}
          onChange={(to) => setRelation({ by: to, table, key })}
        />
      </label>
      <label>
        leads to
        <Select
          value={table}
          options={others.map(({ name }) => [name, shown(name)] as const)}
          onChange={(to) => {
            const next = others.filter(({ name }) => name === to);
            const mine = free.filter(({ name }) => name === by);
            setRelation(guess(mine, next));
          }}
        />
      </label>
      <label>
        by its
        <Select
          value={key}
          options={options(other?.fields ?? [])}
          onChange={(to) => setRelation({ by, table, key: to })}
        />
      </label>
      <p class="choices">
        <button
          type="button"
          disabled={by === "" || key === ""}
          onClick={() => onAdd({ by, table, key })}
        >
          Add
        </button>
      </p>
    </>
  );
}

/** The words of a name, without the plural. */
const wordsOf = (name: string): string =>
  name
    .replace(/\.[a-z]+(?:\.[a-z]+)?$/i, "")
    .toLowerCase()
    .replace(/s?[^\p{L}\p{N}]+|s$/gu, "");

/** What most likely leads where: `customer_id` or `customer` to the `id` of `customers.csv`, or a column of one name. */
function guess(fields: readonly FieldInfo[], others: readonly Other[]): Relation {
  let [best, score] = [{ by: fields[0]?.name ?? "", table: others[0]?.name ?? "", key: "" }, -1];
  for (const { name: table, fields: theirs } of others) {
    for (const field of fields) {
      for (const key of theirs.filter((each) => isSortable(each) && each.type === field.type)) {
        const [own, its] = [wordsOf(field.name), wordsOf(key.name)];
        const isNamed = own === wordsOf(table) + its || own === wordsOf(table);
        const found =
          (isNamed ? 4 : 0) + (own === its ? 2 : 0) + (/^(?:id|key|code)$/.test(its) ? 1 : 0);
        if (found > score) [best, score] = [{ by: field.name, table, key: key.name }, found];
      }
    }
  }
  return best;
}
