// Fields of a record that often have the same text, as an email address that stands in two of them:
// one string serves both, which takes half the memory, and whoever compares them sees it at once.

import type { WireValue } from "../../schema/field.ts";

/** So many records have little to gain. */
const FEW_RECORDS = 16;

/** Parsed JSON has one string for all equal values of up to so many characters (V8). */
const SHORT = 10;

export class EqualStrings {
  #records = 0;
  #nextLook = FEW_RECORDS;
  /** Positions of fields that had equal values in a record that was looked at. */
  #pairs: readonly (readonly [position: number, earlier: number])[] = [];

  /** Puts one string where the values of the next record are equal strings in fields known for that. */
  share(values: (WireValue | undefined)[]): void {
    if (++this.#records === this.#nextLook) {
      this.#nextLook *= 2;
      this.#pairs = pairsOf(values);
    }
    for (const [position, earlier] of this.#pairs) {
      const value = values[earlier];
      if (values[position] === value) values[position] = value;
    }
  }
}

/** For each position with a long string the first one that has an equal string. */
function pairsOf(values: readonly (WireValue | undefined)[]): (readonly [number, number])[] {
  return values.flatMap((value, position) => {
    const earlier = values.indexOf(value);
    const isLong = typeof value === "string" && value.length > SHORT;
    return isLong && earlier < position ? [[position, earlier] as const] : [];
  });
}
