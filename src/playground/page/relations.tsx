// Which columns lead to other tables: the panel that says so, and what asks the worker to follow them.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isSortable, type FieldInfo, type Loaded, type Relation } from "../messages.ts";
import type { useLoaded } from "./asking.ts";
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

const NONE: readonly number[] = [];

/** The fields that are of the table itself. */
export const ownFields = ({ fields }: Pick<Loaded, "fields">): readonly FieldInfo[] =>
  fields.filter(({ from }) => from === undefined);

/**
 * Follows relations, and again when the other table has changed. While the table is not shown, nothing is asked.
 *
 * @returns how many records lead to none, by relation
 */
export function useRelations(
  engine: Engine,
  { loads, extend, setProblem }: ReturnType<typeof useLoaded>,
  relations: readonly Relation[],
  others: readonly Other[],
  isShown: boolean,
): readonly number[] {
  const [missing, setMissing] = useState(NONE);
  const used = relations.map(({ table }) => others.find(({ name }) => name === table));
  /** The load that has fields of others, and what they follow. */
  const followed = useRef<readonly unknown[]>([]);
  const wanted = [loads, JSON.stringify(relations), ...used.map((other) => other?.version)];
  useEffect(() => {
    const before = followed.current;
    const isSame =
      relations.length === 0
        ? before[0] !== loads || before.length === 2
        : before.length === wanted.length && wanted.every((each, i) => each === before[i]);
    if (!isShown || loads === 0 || isSame) return;
    let isWanted = true;
    const fail = (reason: string) => {
      if (isWanted) setProblem(reason);
    };
    const follow = async () => {
      const related = [];
      for (const [i, each] of relations.entries()) {
        const other = used[i];
        if (other === undefined) {
          fail(`${shown(each.by)} leads to ${shown(each.table)}, which is not open.`);
          return;
        }
        const saved = await other.engine.call("saveAll");
        related.push({ ...each, saved, fields: other.fields });
      }
      const { missing: found, ...part } = await engine.call("relate", related);
      if (!isWanted) return;
      followed.current = wanted;
      setMissing(found);
      setProblem("");
      extend(part);
    };
    follow().catch((thrown: unknown) =>
      fail(thrown instanceof Error ? thrown.message : String(thrown)),
    );
    return () => {
      isWanted = false;
    };
  }, [isShown, ...wanted]);
  return missing;
}

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
