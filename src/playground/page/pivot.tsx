// Groups of two keys: the second in columns, each cell as dark as its value is high; or the first ones of each group.

import type { JSX } from "preact";
import { facetChoice, withFacet } from "../criteria-list.ts";
import { byName, keysName, labelOf, measureName, measureText } from "../group-labels.ts";
import { facetOfGroups, isAdditive, isWithin, toggled } from "../groups.ts";
import type { Group, GroupBy, Groups, Pivot } from "../groups.ts";
import type { CriteriaList, Loaded } from "../messages.ts";
import { PLAIN, type Format } from "../texts.ts";
import { useLatest } from "./asking.ts";
import type { Engine } from "./engine.ts";
import { GroupSave } from "./group-save.tsx";
import { count, counted, shown, tenths } from "./words.ts";

/** What a list of groups is made of. */
export interface FoundProps {
  readonly engine: Engine;
  readonly loaded: Loaded;
  readonly list: CriteriaList;
  readonly group: GroupBy;
  /** The name of the table. */
  readonly name: string;
  /** With what makes other criteria of those that there are. */
  readonly onChange: (make: (list: CriteriaList) => CriteriaList) => void;
  readonly most: number;
  readonly more: () => void;
}

const MOST_COLUMNS = 24;

export function PivotTable(props: FoundProps): JSX.Element | null {
  const { engine, loaded, list, group, name, most, more, onChange } = props;
  const found = useLatest(engine, loaded, "pivot", [list, group, limitsOf(most)]);
  if (found?.of.then === undefined) return null;
  const { of, rows, columns, tops } = found;
  const format = loaded.fields.find((each) => each.name === of.of) ?? PLAIN;
  const keyOf = (groups: Groups): KeyProps => {
    const facet = facetOfGroups(groups.of, loaded.fields);
    const choice = facetChoice(list, facet);
    const field = loaded.fields.find((each) => each.name === groups.of.by) ?? PLAIN;
    return {
      labelOf: (each) => labelOf(each, groups.of.part, field),
      isChosen: (each) => each.choice !== undefined && isWithin(each.choice, choice),
      toggle: ({ choice: next }) => {
        if (next !== undefined) {
          onChange((before) => withFacet(before, facet, toggled(choice, next)));
        }
      },
    };
  };
  const [row, column] = [keyOf(rows), keyOf(columns)];
  const title = `${measureName(of)} by ${keysName(of)}`;
  return (
    <section aria-label={title} class="two-keys">
      <header>
        <h2>{shown(title)}</h2>
        <p class="quiet" role="status">
          {[
            listedOf(rows, "group"),
            ...(tops === undefined ? [listedOf(columns, "column")] : []),
            counted(rows.total.records, "record"),
          ].join(" · ")}
        </p>
        <span class="space" />
        <GroupSave {...{ engine, list, format, name }} found={{ ...rows, of }} />
      </header>
      <div class="pivot">
        {tops === undefined ? (
          <Cells {...{ found, format, row, column }} />
        ) : (
          <Tops {...{ found, tops, format, row, column }} />
        )}
      </div>
      {rows.groups.length < rows.found && (
        <button type="button" class="plain" onClick={more}>
          Show more
        </button>
      )}
    </section>
  );
}

const limits = new Map<number, readonly [number, number]>();

/** The same array for the same number, as long as nothing else is asked for. */
function limitsOf(most: number): readonly [number, number] {
  const known = limits.get(most) ?? [most, MOST_COLUMNS];
  limits.set(most, known);
  return known;
}

/** How many groups there are, and how many of them are listed. */
function listedOf({ groups, found }: Groups, what: string): string {
  const all = counted(found, what);
  return groups.length < found ? `${count(groups.length)} of ${all}` : all;
}

interface KeyProps {
  readonly labelOf: (group: Group) => string;
  readonly isChosen: (group: Group) => boolean;
  readonly toggle: (group: Group) => void;
}

interface Props {
  readonly found: Pivot;
  readonly format: Format;
  readonly row: KeyProps;
  readonly column: KeyProps;
}

function Name({ group, of }: { readonly group: Group; readonly of: KeyProps }): JSX.Element {
  const label = of.labelOf(group);
  return group.choice === undefined ? (
    <span class="name" dir="auto" title="These records can’t be selected by one criterion">
      {label}
    </span>
  ) : (
    <button
      type="button"
      class={group.key === null ? "name none" : "name"}
      dir="auto"
      title={label}
      aria-pressed={of.isChosen(group)}
      onClick={() => of.toggle(group)}
    >
      {label}
    </button>
  );
}

/** Of nothing, everything is no part. */
const partOf = (value: number | null, whole: number | null): number =>
  whole === null || whole === 0 ? 0 : (value ?? 0) / whole;

const keyFor = ({ key, end }: Group) => `${typeof key} ${key} ${end}`;

function Cells({ found, format, row, column }: Props): JSX.Element {
  const { of, rows, columns, cells } = found;
  const across = columns.groups.length;
  const show = isAdditive(of.measure) ? (of.then?.show ?? "value") : "value";
  const wholeOf = (row: Pick<Group, "value">, column: Pick<Group, "value">) =>
    show === "row" ? row.value : show === "column" ? column.value : rows.total.value;
  const shareIn = (value: number | null, row: Pick<Group, "value">, column: Pick<Group, "value">) =>
    partOf(value, wholeOf(row, column));
  const valueAt = (i: number, j: number) => {
    const value = cells[i * across + j] ?? NaN;
    return Number.isNaN(value) ? null : value;
  };
  const text = (value: number | null, row: Pick<Group, "value">, column: Pick<Group, "value">) => {
    if (show === "value" || value === null) return measureText(value, of, format);
    return tenths(shareIn(value, row, column));
  };
  const heatOf = (value: number | null, i: number, j: number) => {
    const [row, column] = [rows.groups[i], columns.groups[j]];
    if (value === null || !row || !column) return 0;
    return show === "value" ? value : shareIn(value, row, column);
  };
  const heats = rows.groups.flatMap((_, i) =>
    columns.groups.map((_, j) => heatOf(valueAt(i, j), i, j)),
  );
  const [low, high] = [Math.min(0, ...heats), Math.max(...heats)];
  return (
    <table class="ranked">
      <thead>
        <tr>
          <th scope="col">{shown(byName(of))}</th>
          {columns.groups.map((each) => (
            <th key={keyFor(each)} scope="col" class="number">
              <Name group={each} of={column} />
            </th>
          ))}
          <th scope="col" class="number">
            all
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.groups.map((each, i) => (
          <tr key={keyFor(each)}>
            <th scope="row">
              <Name group={each} of={row} />
            </th>
            {columns.groups.map((other, j) => {
              const value = valueAt(i, j);
              const heat = (heatOf(value, i, j) - low) / (high - low || 1);
              return (
                <td key={keyFor(other)} class="number">
                  <span class="heat" style={{ opacity: heat }} />
                  {text(value, each, other)}
                </td>
              );
            })}
            <td class="number whole">{text(each.value, each, rows.total)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">All</th>
          {columns.groups.map((each) => (
            <td key={keyFor(each)} class="number">
              {text(each.value, rows.total, each)}
            </td>
          ))}
          <td class="number whole">{text(rows.total.value, rows.total, rows.total)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function Tops(props: Props & { readonly tops: NonNullable<Pivot["tops"]> }): JSX.Element {
  const { found, tops, format, row, column } = props;
  const { of, rows, columns } = found;
  const isShared = isAdditive(of.measure);
  const text = (value: number | null) => measureText(value, of, format);
  return (
    <table class="ranked">
      <thead>
        <tr>
          <th scope="col">{shown(byName(of))}</th>
          <th scope="col">{shown(byName(columns.of))}</th>
          <th scope="col" class="number">
            {shown(measureName(of))}
          </th>
          {isShared && (
            <th scope="col" class="number">
              of the group
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.groups.flatMap((each, i) =>
          (tops[i] ?? []).map((one, place, all) => (
            <tr key={`${keyFor(each)} ${keyFor(one)}`} class={place === 0 ? "first" : ""}>
              {place === 0 && (
                <th scope="rowgroup" rowSpan={all.length}>
                  <Name group={each} of={row} />
                </th>
              )}
              <th scope="row">
                <Name group={one} of={column} />
              </th>
              <td class="number">{text(one.value)}</td>
              {isShared && <td class="number quiet">{tenths(partOf(one.value, each.value))}</td>}
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}
