// The heads of a table: a click sorts, with Shift by one more field, and an edge is dragged to make its column wider. By keys, Shift and an
// arrow make it wider or narrower, and Alt and an arrow move it.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { withMoved, withWidth, type Column, type ShownColumn } from "../columns.ts";
import { COLUMN_TYPES, isOwn, isSortable, type Asked, type FieldInfo } from "../messages.ts";
import type { ReadAs, SortField } from "../messages.ts";
import { ColumnMenu, type MenuProps } from "./column-menu.tsx";
import { Select } from "./controls.tsx";
import { scale } from "./scale.ts";
import { shown } from "./words.ts";

/** How much wider a key makes a column, in pixels. */
const STEP = 16;

interface Props {
  readonly column: ShownColumn;
  readonly chosen: readonly Column[];
  readonly asked: Asked;
  readonly onSort: (sort: readonly SortField[]) => void;
  readonly onColumns: (columns: readonly Column[]) => void;
  readonly menu: MenuProps;
  readonly types: ReadAs["types"];
  readonly onTypes: ((types: ReadAs["types"]) => void) | undefined;
}

export const alignment = ({ type, unit }: FieldInfo): string =>
  unit === undefined && (type === "int" || type === "float") ? "number" : "";

export function Head(props: Props): JSX.Element {
  const { column, chosen, asked, onSort, onColumns, types, onTypes, menu } = props;
  const { field, width } = column;
  const { name, type, nullable } = field;
  const drag = useRef<{ x: number; width: number } | undefined>(undefined);
  const { sort } = asked;
  const place = sort.findIndex(([by]) => by === name);
  const order = sort[place]?.[1];
  const resize = (to: number) => onColumns(withWidth(chosen, name, to));
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0 || !(event.shiftKey || event.altKey)) return;
    event.preventDefault();
    if (event.shiftKey) resize(width + by * STEP);
    else onColumns(withMoved(chosen, name, by));
  };
  return (
    <div
      role="columnheader"
      class={alignment(field)}
      aria-sort={order === undefined ? "none" : order === "ASC" ? "ascending" : "descending"}
    >
      <button
        type="button"
        title={`${nullable ? `${type} or null` : type}. ${isSortable(field) ? "" : "It can't be sorted; choose another type. "}Shift and a click sort by one more. Shift and an arrow key resize the column, Alt and an arrow key move it.`}
        aria-disabled={!isSortable(field)}
        onClick={({ shiftKey }) => {
          // The empty name stands for no sorting.
          if (isSortable(field) && name !== "") onSort(sortedBy(sort, name, shiftKey));
        }}
        onKeyDown={onKeyDown}
      >
        {shown(name)}
        <span class="arrow" aria-hidden="true">
          {order !== undefined && sort.length > 1 && place + 1}
          {order !== undefined && (order === "ASC" ? "↑" : "↓")}
        </span>
      </button>
      {onTypes === undefined || !isOwn(field) ? (
        <span class="type" aria-hidden="true">
          {type}
        </span>
      ) : (
        <Select
          aria-label={`Type of ${shown(name)}`}
          value={typeOf(field, types)}
          options={optionsWith(typeOf(field, types))}
          onChange={(to) => onTypes(withType(types, name, to))}
        />
      )}
      <ColumnMenu field={field} {...menu} />
      <span
        class="edge"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, width };
        }}
        onPointerMove={({ clientX }) => {
          const { current } = drag;
          if (current !== undefined) resize(current.width + (clientX - current.x) / scale());
        }}
        onPointerUp={() => (drag.current = undefined)}
      />
    </div>
  );
}

/** The type that was chosen for a column, or found. */
function typeOf({ name, type, unit, ignoreCase }: FieldInfo, types: ReadAs["types"]): string {
  const chosen = types.find(([column]) => column === name)?.[1];
  return chosen ?? (ignoreCase ? "string, any case" : unit === undefined ? type : "time");
}

const optionsWith = (type: string): (readonly [string])[] =>
  [...new Set([type, ...COLUMN_TYPES])].map((each) => [each]);

const withType = (types: ReadAs["types"], name: string, wanted: string): ReadAs["types"] => [
  ...types.filter(([column]) => column !== name),
  ...COLUMN_TYPES.flatMap((type) => (type === wanted ? [[name, type] as const] : [])),
];

/** A field is sorted by downwards first, then upwards, then not any more. */
function sortedBy(
  sort: readonly SortField[],
  field: string,
  isAdded: boolean,
): readonly SortField[] {
  const place = sort.findIndex(([by]) => by === field);
  const order = sort[place]?.[1];
  const next: readonly SortField[] =
    order === "ASC" ? [] : [[field, order === undefined ? "DESC" : "ASC"]];
  if (!isAdded) return next;
  return place === -1 ? [...sort, ...next] : sort.toSpliced(place, 1, ...next);
}
