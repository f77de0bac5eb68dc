// Filters remove rows from a batch. Each keeps the rows that it accepts at the front, in their order, and
// returns how many there are.

import type { ParsedCriterion } from "../../criteria/parse.ts";
import type { WireValue } from "../../schema/field.ts";
import { fieldOf, type RecordReader, type Schema, type AnyRecord } from "../../schema/schema.ts";
import { bitAt, type Bitset } from "../algorithms/bitset.ts";
import { bitsOf, onlyRange, setOfCodes, type CodeSet } from "../index/code-set.ts";
import type { FieldIndex } from "../index/field-index.ts";
import { digestOf } from "../records/digests.ts";
import type { Rows } from "../records/rows.ts";

export interface Filter {
  keep(batch: Uint32Array, length: number): number;
}

/** Keeps the rows whose value has one of some codes. */
export function codeFilter(index: FieldIndex, set: CodeSet): Filter {
  const { codes } = index;
  const range = onlyRange(set);
  if (range !== undefined) {
    const [low, high] = range;
    return {
      keep(batch, length) {
        let kept = 0;
        for (let i = 0; i < length; i++) {
          const row = batch[i]!;
          const code = codes[row]!;
          batch[kept] = row;
          kept += code >= low && code < high ? 1 : 0;
        }
        return kept;
      },
    };
  }
  const wanted = bitsOf(set, index.values.length);
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        batch[kept] = row;
        kept += bitAt(wanted, codes[row]!);
      }
      return kept;
    },
  };
}

/** Keeps the rows that are in a set. */
export function bitsetFilter(bits: Bitset): Filter {
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        batch[kept] = row;
        kept += bitAt(bits, row);
      }
      return kept;
    },
  };
}

/** The value that a criterion asks for, if it is a single one. */
export function onlyValueOf({ bounds }: ParsedCriterion): WireValue | undefined {
  const isOnly = bounds.kind === "values" && bounds.inside && bounds.values.length === 1;
  return isOnly ? (bounds.values[0] ?? null) : undefined;
}

/** Whether the digests of rows tell for most that a criterion does not hold. */
export function isToldByDigests(rows: Rows, criterion: ParsedCriterion): boolean {
  return onlyValueOf(criterion) !== undefined && rows.digestsOf(criterion.field) !== undefined;
}

/** Keeps the rows whose value satisfies a criterion. */
export function testFilter(schema: Schema, rows: Rows, criterion: ParsedCriterion): Filter {
  const { field, test } = criterion;
  const { records } = rows;
  const { type, stored } = fieldOf(schema, field)!;
  const only = onlyValueOf(criterion);
  const digests = only === undefined ? undefined : rows.digestsOf(field);
  if (only !== undefined && digests !== undefined) {
    const valueOf = rows.readerOf(field);
    return digestFilter(digests, digestOf(type, only), (row) => valueOf(row) === only);
  }
  if (records === undefined || !stored) {
    const valueOf = rows.readerOf(field);
    return predicateFilter((row) => test(valueOf(row)));
  }
  const read = schema.readerOf(field);
  // A scan spends its time here: equality deserves a loop with one call less.
  if (only !== undefined) return equalityFilter(records, read, only);
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        if (test(read(records[row]!))) batch[kept++] = row;
      }
      return kept;
    },
  };
}

/** Keeps the rows whose value satisfies a criterion: all values of a batch are searched at once. */
export function searchFilter(index: FieldIndex, criterion: ParsedCriterion): Filter {
  return {
    keep(batch, length) {
      const codes: number[] = [];
      for (let i = 0; i < length; i++) codes.push(index.codeAt(batch[i]!));
      const found = index.test([criterion], setOfCodes(codes, index.values.length));
      return codeFilter(index, found).keep(batch, length);
    },
  };
}

function equalityFilter(
  records: readonly AnyRecord[],
  read: RecordReader,
  wanted: WireValue,
): Filter {
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        if (read(records[row]!) === wanted) batch[kept++] = row;
      }
      return kept;
    },
  };
}

/** Keeps the rows that a predicate accepts. */
export function predicateFilter(predicate: (row: number) => boolean): Filter {
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        if (predicate(row)) batch[kept++] = row;
      }
      return kept;
    },
  };
}

/** Keeps the rows with this digest that the predicate accepts. */
function digestFilter(
  digests: Float64Array,
  wanted: number,
  predicate: (row: number) => boolean,
): Filter {
  return {
    keep(batch, length) {
      let kept = 0;
      for (let i = 0; i < length; i++) {
        const row = batch[i]!;
        if (digests[row] === wanted && predicate(row)) batch[kept++] = row;
      }
      return kept;
    },
  };
}
