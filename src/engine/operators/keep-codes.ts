// Keeps rows by the code of their value.

import { bitAt } from "../algorithms/bitset.ts";
import { bitsOf, hasCode, onlyRange, type CodeSet } from "../indexes/code-set.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { bitsetOfCodes } from "./bitmap-scan.ts";
import { bitsetFilter, type Filter } from "./filter.ts";
import type { FilterOperator } from "./operator.ts";

export const codesFilter: FilterOperator<"codes"> = {
  words: "keep by code",
  // A bitset fits in the L1 cache when the codes of all rows do not. For few rows, clearing it takes longer.
  open({ index, set, rows }, _, scatteredRows) {
    if (index.areCodesInPieces) return pieceFilter(index, set, scatteredRows);
    return index.hasOrder && scatteredRows > Math.max(rows, index.rows / 8)
      ? bitsetFilter(bitsetOfCodes(index, set))
      : codeFilter(index, set);
  },
};

/** Reading the code of a row from a file takes as long as reading so many consecutive ones: those of a page. */
const CODES_PER_ROW = 4096;

/** Up to one in so many consecutive rows, only their codes are read. */
const FEW_PART = 16;

/** The same without the codes of all rows: reads only those of the batch, of a file until reading all costs no more. */
function pieceFilter(index: FieldIndex, set: CodeSet, scatteredRows: number): Filter {
  const part = scatteredRows > 0 ? CODES_PER_ROW : FEW_PART;
  const most = index.isInFile ? index.rows / part : Infinity;
  let filter: Filter | undefined;
  let checked = 0;
  return {
    keep(batch, length) {
      if (checked + length > most || !index.areCodesInPieces) filter ??= codeFilter(index, set);
      if (filter !== undefined) return filter.keep(batch, length);
      checked += length;
      return keepCodes(batch, index.codesAt(batch, length), set);
    },
  };
}

/** Keeps the rows of a batch whose codes are in a set. @param codes one for each row */
export function keepCodes(batch: Uint32Array, codes: Uint32Array, set: CodeSet): number {
  let kept = 0;
  for (let i = 0; i < codes.length; i++) {
    batch[kept] = batch[i]!;
    kept += hasCode(set, codes[i]!) ? 1 : 0;
  }
  return kept;
}

/** Keeps the rows whose value has one of the given codes. */
function codeFilter(index: FieldIndex, set: CodeSet): Filter {
  const { codes } = index;
  const range = onlyRange(set);
  if (range !== undefined) {
    const [low, high] = range;
    const last = high - 1;
    return {
      keep(batch, length) {
        let kept = 0;
        for (let i = 0; i < length; i++) {
          const row = batch[i]!;
          const code = codes[row]!;
          batch[kept] = row;
          // Without a branch, which would be predicted wrongly for many rows: the sign is that of a code outside.
          kept += 1 + (((code - low) | (last - code)) >> 31);
        }
        return kept;
      },
    };
  }
  const selectedCodes = bitsOf(set, index.values.length);
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        batch[kept] = row;
        kept += bitAt(selectedCodes, codes[row]!);
      }
      return kept;
    },
  };
}
