// Groups of two keys: a table of the second by the first, or the first ones of the second in each of the first.

import type { Collection } from "../../index.ts";
import { isOrdered, mostShown, type Group, type GroupBy, type Pivot } from "../groups.ts";
import type { CriteriaList, FieldInfo, Scalar } from "../messages.ts";
import type { ColumnsOf } from "./columns.ts";
import { groupBy, measureOf } from "./group-by.ts";
import { keysOf, partsOf, type Key, type Keys } from "./group-keys.ts";

/** @param limits how many rows and columns are wanted @throws CriteriaError */
export function pivotOf(
  collection: Collection,
  columnsOf: ColumnsOf,
  criteria: CriteriaList,
  of: GroupBy,
  fields: readonly FieldInfo[],
  [mostRows, mostColumns]: readonly [rows: number, columns: number],
): Pivot {
  const { then, measure, order } = of;
  if (then === undefined) throw new RangeError("there is no second key");
  const single = { ...of, then: undefined, also: undefined, where: undefined };
  const second: GroupBy = {
    ...single,
    ...{ by: then.by, part: then.part, zone: then.zone, edges: undefined },
    ...{ order: isOrdered(then.part) ? "key" : "most", least: 1, having: undefined },
  };
  const rows = groupBy(collection, columnsOf, criteria, single, fields, mostRows);
  const columns = groupBy(collection, columnsOf, criteria, second, fields, mostColumns);
  const keysFor = (key: GroupBy) => {
    const field = fields.find(({ name }) => name === key.by);
    if (field === undefined) throw new RangeError(`there is no field ${key.by}`);
    const keys = keysOf(collection, columnsOf, criteria, key, field);
    return (list: CriteriaList): readonly Keys[] => {
      const listed = { ...keys, criteria: list };
      return partsOf(collection, listed, key.part, field) ?? [listed];
    };
  };
  const [rowKeys, columnKeys] = [keysFor(single), keysFor(second)];
  const measures = { records: "count", value: measureOf(measure, of.of) } as const;
  const placesOf = (groups: readonly Group[]) =>
    new Map(groups.map((group, i) => [nameOf(group), i]));
  const [rowOf, columnOf] = [placesOf(rows.groups), placesOf(columns.groups)];
  const across = columns.groups.length;
  const cells = new Float64Array(rows.groups.length * across).fill(NaN);
  const most = mostShown(then.show);
  const lists: Group[][] = rows.groups.map(() => []);
  for (const byRow of rowKeys(criteria)) {
    for (const byColumn of columnKeys(byRow.criteria)) {
      const list = byColumn.criteria;
      const pairs = collection.groupColumns({
        by: [
          { ...byRow.by, as: "row" },
          { ...byColumn.by, as: "column" },
        ],
        measures,
        criteria: list.length === 0 ? null : list,
      });
      const [records, values] = [pairs.numbers("records"), pairs.numbers("value")];
      for (let i = 0; i < pairs.size; i++) {
        const { row, column } = pairs.at(i) as { readonly row: Scalar; readonly column: Scalar };
        const at = rowOf.get(nameOf(byRow.keyOf(row)));
        if (at === undefined) continue;
        const [value = NaN, key] = [values[i], byColumn.keyOf(column)];
        if (most !== undefined) {
          const known = Number.isNaN(value) ? null : value;
          lists[at]?.push({ ...key, records: records[i] ?? 0, value: known, within: undefined });
          continue;
        }
        const place = columnOf.get(nameOf(key));
        if (place !== undefined) cells[at * across + place] = value;
      }
    }
  }
  const sign = order === "least" ? -1 : 1;
  const scoreOf = ({ value }: Group) => (value === null ? -Infinity : sign * value);
  const tops =
    most === undefined
      ? undefined
      : lists.map((list) => list.sort((a, b) => scoreOf(b) - scoreOf(a)).slice(0, most));
  return { of, rows, columns, cells, tops };
}

/** A step and what has not happened may begin at the same number. */
const nameOf = ({ key, end }: Key): string => `${typeof key} ${key} ${end}`;
