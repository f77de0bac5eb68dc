// Reads the rows of several values of an index, in insertion order.

import type { CriteriaGroup } from "../../criteria/tree.ts";
import { addRows, addRowsByCode, createBitset, type Bitset } from "../algorithms/bitset.ts";
import { bitsOf, forEachRange, onlyCode, type CodeSet } from "../indexes/code-set.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { tuning } from "../tuning.ts";
import type { Segment } from "../versions/segment.ts";
import { costs } from "./costs.ts";
import { rowsOfCode } from "./index-lookup.ts";
import { firstField, type SelectedCodes, type SourceOperator } from "./operator.ts";
import { type SourcePlan, withCost } from "./plan.ts";
import { BitsetSource, ListSource, type Source } from "./source.ts";

/** The rows of some values; `rows` is their number. */
export function rowsOfCodes(
  segment: Segment,
  groups: readonly CriteriaGroup[],
  { index, set, rows }: SelectedCodes & { readonly rows: number },
): SourcePlan {
  const code = onlyCode(set);
  if (code !== undefined) return rowsOfCode(segment, groups, index, code);
  const { size } = segment;
  const sorting = Math.min(rows * costs.bitmapRow * 7, size * costs.bitsetRow);
  const step = { path: "bitmap-scan", index, groups, set, rows } as const;
  return withCost(step, rows, costs.scanRow, rows * costs.bitmapRow + sorting);
}

export const bitmapScanOperator: SourceOperator<"bitmap-scan"> = {
  words: "bitmap scan of several values",
  field: firstField,
  mayEmitDeadRows: true,
  codes: (step) => step,
  open: ({ index, set, rows }) => openBitmapScan(index, set, rows),
};

/** The rows of several codes of an index, dead ones included, in insertion order. */
function openBitmapScan(index: FieldIndex, set: CodeSet, rows: number): Source {
  const isDense = rows * tuning.densePart > index.rows;
  if (isDense || !index.hasOrder) return new BitsetSource([bitsetOfCodes(index, set)]);
  const { order, starts } = index;
  const list = new Uint32Array(rows);
  let length = 0;
  forEachRange(set, (low, high) => {
    for (let i = starts[low]!; i < starts[high]!; i++) list[length++] = order[i]!;
  });
  return new ListSource(list.sort());
}

/** The rows of some codes of an index, as a set. */
export function bitsetOfCodes(index: FieldIndex, set: CodeSet): Bitset {
  const bits = createBitset(index.rows);
  // Making an order would take longer.
  if (!index.hasOrder) {
    addRowsByCode(bits, index.codes, bitsOf(set, index.values.length));
    return bits;
  }
  const { order, starts } = index;
  forEachRange(set, (low, high) => addRows(bits, order, starts[low], starts[high]));
  return bits;
}
