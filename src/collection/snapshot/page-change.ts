// What a change means for the pages that the snapshot before it keeps: which of their records go, and which of those
// added may come onto them. Of many rows it is worked out with the change, so that the first page after it need not
// read them all.

import { isNumeric } from "../../schema/field.ts";
import { fieldOf, type Schema } from "../../schema/schema.ts";
import { bisect } from "../algorithms/bisect.ts";
import { selectByIntegers } from "../algorithms/select-integers.ts";
import type { LastPages } from "../cache/pages.ts";
import { tuning } from "../tuning.ts";
import { countOf, keysOf, type Edit } from "./edit.ts";

/** The keys of added rows that may come onto the page of a field; `undefined` if others may. */
type Added = (field: string) => readonly number[] | undefined;

/** What led from a snapshot whose pages are kept to the next. */
export interface PageChange {
  readonly pages: LastPages;
  /** The keys of the rows removed or replaced, at least of those on the pages. */
  readonly removed: readonly number[];
  readonly added: Added;
}

/**
 * Finds the added rows that may come onto pages: of many, the first ones in the order of a field of numbers, by digests
 * that the rows keep.
 */
export function addedToPages(pages: LastPages, schema: Schema, { added, keys }: Edit): Added {
  if (keys.length <= tuning.fewRows) return () => keys;
  const first = new Map<string, readonly number[]>();
  pages.forEachKept(({ field, order }, limit) => {
    if (!isNumeric(fieldOf(schema, field)!.type)) return;
    added.keepDigests(field);
    const digests = added.digestsOf(field);
    if (digests === undefined) return;
    // One more than is kept: the page does not seem to end with them.
    const most = Math.min(keys.length, limit + tuning.spareOnPage + 1);
    const rows = selectByIntegers(digests, order === "DESC", 0, most, undefined);
    first.set(
      field,
      Array.from(rows, (row) => keys[row]!),
    );
  });
  return (field) => first.get(field);
}

/** @param isGone whether the row with a key is no longer there */
export function pageChange(
  pages: LastPages,
  { removed, keys }: Edit,
  added: Added,
  isGone: (key: number) => boolean,
): PageChange {
  const areFew = countOf(removed) <= tuning.fewRows;
  if (areFew && keys.length <= tuning.fewRows) return { pages, removed: keysOf(removed), added };
  // What holds for the pages of now does not hold for those that the old snapshot keeps later.
  const kept = pages.copy();
  // Of many keys those on the pages are enough.
  const isReplaced = (key: number) => keys[bisect(keys, key)] === key || isGone(key);
  return { pages: kept, removed: areFew ? keysOf(removed) : kept.keys.filter(isReplaced), added };
}
