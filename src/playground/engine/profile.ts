// What a column holds: its values in one pass over their codes.

import type { CriteriaList, FieldInfo, Profile } from "../messages.ts";
import { scalarAt, type ColumnsOf } from "./columns.ts";

/** How many of the most frequent values are told. */
const MOST = 3;

/** @throws CriteriaError */
export function profileOf(
  columnsOf: ColumnsOf,
  criteria: CriteriaList,
  { name, type }: FieldInfo,
): Profile {
  if (type === "json" || type === "strings") return { field: name, isKnown: false };
  const [column] = columnsOf([name], criteria);
  if (column === undefined) return { field: name, isKnown: false };
  const { codes, distinct } = column;
  const counts = new Uint32Array(distinct);
  for (let i = 0; i < codes.length; i++) counts[codes[i]!]!++;
  const hasNull = distinct > 0 && column.valueAt(0) === null;
  const nulls = hasNull ? counts[0]! : 0;
  const count = codes.length - nulls;
  const first = hasNull ? 1 : 0;
  const at = (code: number) => (count === 0 ? null : scalarAt(column, code));
  const top: number[] = [];
  for (let code = first; code < distinct; code++) {
    const last = top[top.length - 1];
    if (top.length === MOST && last !== undefined && counts[code]! <= counts[last]!) continue;
    top.push(code);
    top.sort((a, b) => counts[b]! - counts[a]! || a - b);
    if (top.length > MOST) top.pop();
  }
  const quantile = (share: number) =>
    Number(at(codeAt(counts, nulls + Math.max(1, Math.ceil(share * count)))));
  const [low, high] = [quantile(0.25), quantile(0.75)];
  const isNumeric = (type === "int" || type === "float") && count > 0;
  return {
    field: name,
    isKnown: true,
    count,
    nulls,
    distinct: distinct - first,
    smallest: at(first),
    median: at(codeAt(counts, nulls + Math.ceil(count / 2))),
    largest: at(distinct - 1),
    usual: isNumeric ? [low - 1.5 * (high - low), high + 1.5 * (high - low)] : undefined,
    frequent: top.map((code) => ({ value: scalarAt(column, code), count: counts[code]! })),
  };
}

/** The code of the value at a place of all records in the order of codes, counted from 1. */
function codeAt(counts: Uint32Array, place: number): number {
  let code = 0;
  for (let left = place; code < counts.length && left > counts[code]!; code++) {
    left -= counts[code]!;
  }
  return code;
}
