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
}

export function Profiles({ engine, loaded, list, onGroup }: Props): JSX.Element {
  const [search, setSearch] = useState("");
  const [most, setMost] = useState(PROFILED);
  const wanted = search.toLowerCase();
  const matching = loaded.fields.filter(({ name }) => name.toLowerCase().includes(wanted));
  const fields = matching.slice(0, most);
  const profiles = useProfiles(engine, loaded, list, fields);
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
      </header>
      <div class="scroll" tabIndex={0} role="region" aria-label="Columns">
        <table class="profile">
          <thead>
            <tr>
              {["column", "type", "null", "distinct", "smallest", "median", "largest"].map(
                (each) => (
                  <th key={each} scope="col" class={/null|distinct/.test(each) ? "number" : ""}>
                    {each}
                  </th>
                ),
              )}
              <th scope="col">most frequent</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <Line key={field.name} {...{ field, onGroup }} profile={profiles.get(field.name)} />
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

interface LineProps extends Pick<Props, "onGroup"> {
  readonly field: FieldInfo;
  readonly profile: Profile | undefined;
}

function Line({ field, profile, onGroup }: LineProps): JSX.Element {
  const known = profile?.isKnown === true ? profile : undefined;
  return (
    <tr>
      <th scope="row">
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
        <td colSpan={6} class="quiet">
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
        </>
      )}
    </tr>
  );
}

function Value({ value, field }: { readonly value: Scalar; readonly field: FieldInfo }) {
  const text = textIn(value, field);
  return (
    <span class={isNone(value) ? "held none" : "held"} title={text}>
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
