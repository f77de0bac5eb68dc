// Fields of a record that often have equal values, such as two copies of an email address. Sharing one string between
// both halves the memory and makes comparing them fast.

import type { FieldValue } from "../../schema/field.ts";

/** Not worth it up to this many records. */
const FEW_RECORDS = 16;

/** V8 shares one string among equal values of parsed JSON up to this length. */
const SHORT = 10;

type Pair = readonly [position: number, earlier: number];

export class EqualStrings {
  #records = 0;
  #nextLook = FEW_RECORDS;
  /** Positions of fields that had equal values in an examined record. */
  #pairs: readonly Pair[] | undefined;

  /** Shares strings between fields of the next record, if they are known pairs and equal. */
  share(values: (FieldValue | undefined)[]): void {
    if (++this.#records === this.#nextLook) {
      this.#nextLook *= 2;
      this.#pairs = pairsOf(values);
    }
    // An empty array has another elements kind in V8, which would recompile the loader for each new list of records.
    if (this.#pairs === undefined) return;
    for (const [position, earlier] of this.#pairs) {
      const value = values[earlier];
      if (values[position] === value) values[position] = value;
    }
  }
}

/** For each position with a long string, the first position with an equal one. */
function pairsOf(values: readonly (FieldValue | undefined)[]): Pair[] {
  return values.flatMap((value, position) => {
    const earlier = values.indexOf(value);
    const isLong = typeof value === "string" && value.length > SHORT;
    return isLong && earlier < position ? [[position, earlier] as const] : [];
  });
}
