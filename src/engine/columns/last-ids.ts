// The numbers that a collection has given to records, for fields whose default is `next`. They belong to a version, as
// its records do, so that the branches of a version count independently.

import type { Codec } from "./codec.ts";
import type { Rows } from "./rows.ts";

/** For each field whose default is `next`, the greatest number that a record has ever had; at least 0. */
export type LastIds = ReadonlyMap<string, number>;

/** For collections without such fields. */
export const NO_IDS: LastIds = new Map();

/** For each field of the first, the greater of both. Returns the first if it has them all. */
export function greaterIds(ids: LastIds, others: LastIds): LastIds {
  let greater = ids;
  for (const [name, last] of ids) {
    const other = others.get(name) ?? 0;
    if (other > last) greater = new Map([...greater, [name, other]]);
  }
  return greater;
}

/** Including the numbers of rows. Cost: linear in the rows, for each field. */
export function withIdsOf(ids: LastIds, rows: Rows): LastIds {
  let all = ids;
  for (const [name, last] of ids) {
    const read = rows.readerOf(name);
    let greatest = last;
    for (let row = 0; row < rows.size; row++) greatest = Math.max(greatest, Number(read(row)));
    if (greatest > last) all = new Map([...all, [name, greatest]]);
  }
  return all;
}

/** Those of a new collection. @param known of the fields whose rows are not to be read */
export function lastIdsIn(
  { counted }: Pick<Codec, "counted">,
  rows: Rows,
  known = NO_IDS,
): LastIds {
  if (counted.length === 0) return NO_IDS;
  const unknown = counted.filter(({ name }) => !known.has(name));
  const read = withIdsOf(new Map(unknown.map(({ name }) => [name, 0])), rows);
  return new Map(counted.map(({ name }) => [name, known.get(name) ?? read.get(name) ?? 0]));
}
