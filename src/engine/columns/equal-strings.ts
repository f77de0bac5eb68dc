// Fields of a record that often have the same text, such as two copies of an email address: one string
// serves both, which takes half the memory and makes comparing them fast.

import type { FieldValue } from "../../schema/field.ts";

/** This many records gain little. */
const FEW_RECORDS = 16;

/** Parsed JSON shares one string among equal values of up to this many characters (V8). */
const SHORT = 10;

type Pair = readonly [position: number, earlier: number];

export class EqualStrings {
  #records = 0;
  #nextLook = FEW_RECORDS;
  /** Positions of fields that had equal values in an examined record. */
  #pairs: readonly Pair[] | undefined;

  /** Shares a string between fields of the next record, if they are known pairs with equal strings. */
  share(values: (FieldValue | undefined)[]): void {
    if (++this.#records === this.#nextLook) {
      this.#nextLook *= 2;
      this.#pairs = pairsOf(values);
    }
    // An empty array is of another kind in V8, which would recompile the loader for each new list of records.
    if (this.#pairs === undefined) return;
    for (const [position, earlier] of this.#pairs) {
      const value = values[earlier];
      if (values[position] === value) values[position] = value;
    }
  }
}

/** For each position with a long string the first one that has an equal string. */
function pairsOf(values: readonly (FieldValue | undefined)[]): Pair[] {
  return values.flatMap((value, position) => {
    const earlier = values.indexOf(value);
    const isLong = typeof value === "string" && value.length > SHORT;
    return isLong && earlier < position ? [[position, earlier] as const] : [];
  });
}
