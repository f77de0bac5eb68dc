// The groups as a table with bars: what each measures, its share of all, and the part of it that has a value.

import type { JSX } from "preact";
import { byName, labelOf, measureName, measureText, shareOf, whereName } from "../group-labels.ts";
import { isAdditive, isInSeveral, MEASURES, type Group, type Groups } from "../groups.ts";
import type { FieldInfo } from "../messages.ts";
import type { Format } from "../texts.ts";
import { count, counted, percents, shown } from "./words.ts";

interface Props {
  readonly found: Groups;
  readonly listed: readonly Group[];
  readonly field: FieldInfo;
  /** How measures are written. */
  readonly format: Format;
  readonly isChosen: (group: Group) => boolean;
  /** Whether these are groups of all records, rather than of those that match. */
  readonly isAll: boolean;
  readonly toggle: (group: Group) => void;
}

export function GroupList(props: Props): JSX.Element {
  const { found, listed, field, format, isChosen, isAll, toggle } = props;
  const { of, total, within } = found;
  const { measure, where, also = [] } = of;
  const hasNulls = found.nulls > 0;
  const sizeOf = ({ value }: Pick<Group, "value">) => Math.abs(value ?? 0);
  const most = Math.max(...found.groups.map(sizeOf), 0) || 1;
  const isShared = isAdditive(measure) && (total.value ?? 0) > 0;
  const isCounted = measure !== "count";
  // What others have may be what these have, too.
  const rest = isInSeveral(field) ? undefined : restOf(found, listed);
  const text = (value: number | null) => measureText(value, of, format);
  const whole = { ...total, within };
  const rows = [...listed, ...(rest === undefined ? [] : [rest]), whole];
  const ofTotal = ({ value }: Pick<Group, "value">) => (value ?? 0) / (total.value ?? 1);
  const totalText = percents(isShared ? rows.map(ofTotal) : []);
  const partText = percents(rows.flatMap((group) => shareOf(group) ?? []));
  const partOf = (group: Pick<Group, "within" | "value">) => {
    const share = shareOf(group);
    return share === undefined ? "" : partText(share);
  };
  const cells = (group: Omit<Group, "key" | "end" | "choice">) => (
    <>
      <td class="number">{text(group.value)}</td>
      {isShared && <td class="number quiet">{totalText(ofTotal(group))}</td>}
      {also.map((each, i) => (
        <td key={each} class="number">
          {measureText(group.others?.[i], { measure: each }, format)}
        </td>
      ))}
      {hasNulls && <td class="number quiet wide">{count(group.values ?? 0)}</td>}
      {isCounted && <td class="number quiet wide">{count(group.records)}</td>}
      {where !== undefined && (
        <>
          <td class="number">{text(group.within?.value ?? null)}</td>
          {isAdditive(measure) && <td class="number share">{partOf(group)}</td>}
        </>
      )}
    </>
  );
  return (
    <table class="ranked">
      <thead>
        <tr>
          <th scope="col">{shown(byName(of))}</th>
          <th scope="col" class="number">
            {shown(measureName(of))}
          </th>
          {isShared && (
            <th scope="col" class="number">
              {isAll ? "of all" : "of all that match"}
            </th>
          )}
          {also.map((each) => (
            <th key={each} scope="col" class="number">
              {MEASURES[each]}
            </th>
          ))}
          {hasNulls && (
            <th scope="col" class="number wide">
              values
            </th>
          )}
          {isCounted && (
            <th scope="col" class="number wide">
              records
            </th>
          )}
          {where !== undefined && (
            <>
              <th scope="col" class="number">
                {shown(whereName(where))}
              </th>
              {isAdditive(measure) && (
                <th scope="col" class="number">
                  of the group
                </th>
              )}
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {listed.map((group) => {
          const label = labelOf(group, of.part, field);
          const isOn = isChosen(group);
          return (
            <tr key={`${typeof group.key} ${group.key} ${group.end}`}>
              <th scope="row">
                <span class="bar" style={{ width: `${(sizeOf(group) / most) * 100}%` }}>
                  {where !== undefined && isAdditive(measure) && (
                    <span class="part" style={{ width: `${(shareOf(group) ?? 0) * 100}%` }} />
                  )}
                </span>
                {group.choice === undefined ? (
                  <span
                    class="name"
                    dir="auto"
                    title="These records can’t be selected by one criterion"
                  >
                    {label}
                  </span>
                ) : (
                  <button
                    type="button"
                    class={group.key === null ? "name none" : "name"}
                    dir="auto"
                    title={label}
                    aria-pressed={isOn}
                    onClick={() => toggle(group)}
                  >
                    {label}
                  </button>
                )}
              </th>
              {cells(group)}
            </tr>
          );
        })}
      </tbody>
      <tfoot>
        {rest !== undefined && (
          <tr class="rest">
            <th scope="row">{rest.name}</th>
            {cells(rest)}
          </tr>
        )}
        <tr>
          <th scope="row">{isAll ? "All records" : "All records that match"}</th>
          {cells(whole)}
        </tr>
      </tfoot>
    </table>
  );
}

/** What the records have that are in no listed group, if that can be told from the others. */
function restOf({ of, found, smaller, total, within }: Groups, listed: readonly Group[]) {
  const named = listed.filter(({ records }) => records > 0);
  const records = total.records - sum(named.map((each) => each.records));
  if (records <= 0) return undefined;
  const others = found - named.length + smaller;
  const isKnown = isAdditive(of.measure);
  const left = (all: number | null | undefined, parts: readonly (number | null | undefined)[]) =>
    isKnown ? (all ?? 0) - sum(parts.map((each) => each ?? 0)) : null;
  const known = total.values;
  return {
    name: counted(others, "other group"),
    records,
    ...(known !== undefined && { values: known - sum(named.map(({ values = 0 }) => values)) }),
    value: left(
      total.value,
      named.map(({ value }) => value),
    ),
    within: within && {
      records: within.records,
      value: left(
        within.value,
        named.map((each) => each.within?.value),
      ),
    },
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
