// Every column with what it holds: its type, how many values, nulls and distinct values, the smallest, the median, the
// largest and the most frequent.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { groupedBy, partsOf, type GroupBy } from "../groups.ts";
import type { CriteriaList, FieldInfo, Loaded, Profile, Scalar } from "../messages.ts";
import type { Engine } from "./engine.ts";
import { count, counted, isNone, percent, percents, shown, textIn } from "./words.ts";

/** How many columns are profiled at first, and are added by a click. */
const PROFILED = 100;

interface Props {
  readonly engine: Engine;
  readonly loaded: Loaded;
  readonly list: CriteriaList;
  readonly onGroup: (group: GroupBy) => void;
  /** Shows these columns in the table. */
  readonly onColumns: (names: readonly string[]) => void;
  /** With what makes other criteria of those that there are. */
  readonly onChange: (make: (list: CriteriaList) => CriteriaList) => void;
}

/** What columns are sorted by, and whether the highest comes first. */
const SORTS = { column: false, null: true, distinct: true } as const;
type Sort = keyof typeof SORTS;

const isSort = (name: string): name is Sort => Object.hasOwn(SORTS, name);

/** As the table has them, or sorted: what is not known comes last. */
function sorted(
  fields: readonly FieldInfo[],
  sort: Sort | undefined,
  profiles: ReadonlyMap<string, Profile>,
): readonly FieldInfo[] {
  if (sort === undefined) return fields;
  if (sort === "column") return fields.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const scoreOf = ({ name }: FieldInfo) => {
    const profile = profiles.get(name);
    if (profile?.isKnown !== true) return -1;
    return sort === "null" ? profile.nulls : profile.distinct;
  };
  return fields.toSorted((a, b) => scoreOf(b) - scoreOf(a));
}

export function Profiles(props: Props): JSX.Element {
  const { engine, loaded, list, onGroup, onColumns, onChange } = props;
  const [sort, setSort] = useState<Sort>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState("");
  const [most, setMost] = useState(PROFILED);
  const wanted = search.toLowerCase();
  const matching = loaded.fields.filter(({ name }) => name.toLowerCase().includes(wanted));
  const profiles = useProfiles(
    engine,
    loaded,
    list,
    sort === undefined ? matching.slice(0, most) : matching,
  );
  const fields = sorted(matching, sort, profiles).slice(0, most);
  const choose = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    setChosen(next);
  };
  return (
    <section class="profiles" aria-label="Profile">
      <header>
        <input
          type="search"
          aria-label="Search the columns"
          placeholder="Search columns"
          autocomplete="off"
          spellcheck={false}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <p class="quiet" role="status">
          {fields.length < matching.length && `${count(fields.length)} of `}
          {counted(matching.length, "column")}
          {profiles.size < fields.length
            ? ", counting…"
            : list.length > 0 && ", of the records that match"}
        </p>
        {chosen.size > 0 && (
          <button type="button" onClick={() => onColumns([...chosen])}>
            Show {counted(chosen.size, "column")} in the table
          </button>
        )}
      </header>
      <div class="scroll" tabIndex={0} role="region" aria-label="Columns">
        <table class="profile">
          <thead>
            <tr>
              {["column", "type", "null", "distinct", "smallest", "median", "largest"].map(
                (each) => (
                  <th
                    key={each}
                    scope="col"
                    class={/null|distinct/.test(each) ? "number" : ""}
                    aria-sort={sort === each ? (SORTS[sort] ? "descending" : "ascending") : "none"}
                  >
                    {isSort(each) ? (
                      <button
                        type="button"
                        class="plain small"
                        aria-pressed={sort === each}
                        onClick={() => setSort(sort === each ? undefined : each)}
                      >
                        {each}
                        {sort === each && (SORTS[each] ? " ↓" : " ↑")}
                      </button>
                    ) : (
                      each
                    )}
                  </th>
                ),
              )}
              <th scope="col">most frequent</th>
              <th scope="col">
                <span class="hidden">select</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <Line
                key={field.name}
                {...{ field, onGroup, onChange }}
                isChosen={chosen.has(field.name)}
                choose={() => choose(field.name)}
                profile={profiles.get(field.name)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {fields.length < matching.length && (
        <button type="button" class="plain" onClick={() => setMost(most + PROFILED)}>
          Show {count(PROFILED)} more
        </button>
      )}
    </section>
  );
}

/** Column by column: another question waits for one of them at most. */
function useProfiles(
  engine: Engine,
  loaded: Loaded,
  list: CriteriaList,
  fields: readonly FieldInfo[],
): ReadonlyMap<string, Profile> {
  const [found, setFound] = useState<{ of: unknown; profiles: ReadonlyMap<string, Profile> }>();
  const names = JSON.stringify(fields.map(({ name }) => name));
  useEffect(() => {
    let isWanted = true;
    const of = [loaded, list];
    const profiles = new Map<string, Profile>();
    const read = async () => {
      for (const { name } of fields) {
        const profile = await engine.call("profile", list, name);
        if (!isWanted) return;
        profiles.set(name, profile);
        setFound({ of, profiles: new Map(profiles) });
      }
    };
    void read().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [loaded, list, names]);
  return found?.profiles ?? NO_PROFILES;
}

const NO_PROFILES: ReadonlyMap<string, Profile> = new Map();

/** The kind of a field as its head shows it. */
export const kindOf = ({ type, unit, ignoreCase }: FieldInfo): string =>
  unit !== undefined ? "time" : ignoreCase ? "string, any case" : type;

interface LineProps extends Pick<Props, "onGroup" | "onChange"> {
  readonly isChosen: boolean;
  readonly choose: () => void;
  readonly field: FieldInfo;
  readonly profile: Profile | undefined;
}

/** With numbers that are far from the others, besides what is asked. */
function withOutliers(list: CriteriaList, name: string, [low, high]: readonly [number, number]) {
  const far = [[name, "less_than", low], "OR", [name, "greater_than", high]];
  return list.includes("OR") ? [list, far] : [...list, far];
}

function Line(props: LineProps): JSX.Element {
  const { field, profile, isChosen, choose, onGroup, onChange } = props;
  const known = profile?.isKnown === true ? profile : undefined;
  return (
    <tr>
      <th scope="row">
        {field.stored && (
          <input
            type="checkbox"
            aria-label={`Choose ${shown(field.name)}`}
            checked={isChosen}
            onChange={choose}
          />
        )}
        {partsOf(field).length === 0 ? (
          shown(field.name)
        ) : (
          <button
            type="button"
            class="plain"
            title={`Group by ${shown(field.name)}`}
            onClick={() => onGroup(groupedBy(field))}
          >
            {shown(field.name)}
          </button>
        )}
      </th>
      <td class="quiet">{kindOf(field)}</td>
      {known === undefined ? (
        <td colSpan={7} class="quiet">
          {profile === undefined ? "…" : "arrays and JSON have no profile"}
        </td>
      ) : (
        <>
          <td class="number">
            {count(known.nulls)}{" "}
            {known.nulls > 0 && (
              <span
                class="quiet"
                title={`${count(known.nulls)} of ${counted(known.nulls + known.count, "record")}`}
              >
                {percent(known.nulls / (known.nulls + known.count))}
              </span>
            )}
          </td>
          <td class="number">{count(known.distinct)}</td>
          {[known.smallest, known.median, known.largest].map((value, i) => (
            <td key={i}>
              <Value {...{ value, field }} />
            </td>
          ))}
          <td>
            <Frequent {...{ field }} profile={known} />
          </td>
          <td>
            {known.distinct < known.count && (
              <button
                type="button"
                class="plain small"
                aria-label={`Duplicates of ${shown(field.name)}`}
                onClick={() => onGroup({ ...groupedBy(field, "value"), least: 2 })}
              >
                Duplicates
              </button>
            )}
            {hasOutliers(field, known) && (
              <button
                type="button"
                class="plain small"
                aria-label={`Outliers of ${shown(field.name)}`}
                title="Further from the middle half than 1.5 times its width"
                onClick={() =>
                  onChange((before) => withOutliers(before, field.name, known.usual ?? [0, 0]))
                }
              >
                Outliers
              </button>
            )}
          </td>
        </>
      )}
    </tr>
  );
}

/** The contract has no groups of criteria. */
function hasOutliers(
  { isMeasure, unit, operators }: FieldInfo,
  { usual, smallest, largest }: Extract<Profile, { readonly isKnown: true }>,
): boolean {
  if (usual === undefined || !isMeasure || unit !== undefined) return false;
  if (!operators.some(({ name }) => name === "at_least")) return false;
  return Number(smallest) < usual[0] || Number(largest) > usual[1];
}

function Value({ value, field }: { readonly value: Scalar; readonly field: FieldInfo }) {
  const text = textIn(value, field);
  return (
    <span class={isNone(value) ? "held none" : "held"} dir="auto" title={text}>
      {text}
    </span>
  );
}

interface FrequentProps {
  readonly field: FieldInfo;
  readonly profile: Extract<Profile, { readonly isKnown: true }>;
}

/** The most frequent values, each with its share of the records; nothing if every value is another one. */
export function Frequent({ field, profile }: FrequentProps): JSX.Element {
  const { frequent, nulls, distinct } = profile;
  if (distinct === profile.count) {
    return <span class="quiet">{profile.count === 0 ? "no values" : "each value once"}</span>;
  }
  const all = nulls + profile.count;
  const shareText = percents(frequent.map(({ count: times }) => times / all));
  return (
    <ul class="frequent">
      {frequent.map(({ value, count: times }) => (
        <li key={`${typeof value} ${value}`}>
          <Value {...{ value, field }} />{" "}
          <span class="quiet" title={`${count(times)} of ${counted(all, "record")}`}>
            {shareText(times / all)}
          </span>
        </li>
      ))}
    </ul>
  );
}
