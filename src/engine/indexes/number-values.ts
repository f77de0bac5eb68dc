// The distinct numbers of a field in sort order, in memory as numbers. Strings are made when read.

import type { TextValue } from "../../schema/field.ts";
import { parseNumber } from "../../schema/numbers.ts";
import type { EncodedValues, Values } from "./values.ts";

export class NumberValues implements Values {
  readonly #type: "int" | "float";
  /** By code; that of null is −Infinity. */
  readonly numbers: Float64Array;

  /** @param numbers ascending, after a placeholder for null. Owned by this object afterwards. */
  constructor(type: "int" | "float", numbers: Float64Array) {
    numbers[0] = -Infinity;
    this.#type = type;
    this.numbers = numbers;
  }

  get length(): number {
    return this.numbers.length;
  }

  get bytes(): number {
    return this.numbers.byteLength;
  }

  at(code: number): TextValue | undefined {
    if (code === 0) return null;
    const number = this.numbers[code];
    return number === undefined ? undefined : String(number);
  }

  numberAt(code: number): number {
    return this.numbers[code]!;
  }

  /**
   * Alternates between bisection and interpolation between the lowest and highest number: for evenly spread numbers,
   * such as most keys and times, it takes a few steps.
   */
  readonly search = (text: string, from: number): number => {
    const numbers = this.numbers;
    const searched = parseNumber(text);
    let low = from;
    let high = numbers.length;
    // Invariant: numbers left of `low` are lower than the one searched for, those from `high` on are not.
    for (let isGuess = true; low < high; isGuess = !isGuess) {
      let middle = (low + high) >>> 1;
      if (isGuess) {
        const lowest = numbers[low]!;
        const share = (searched - lowest) / (numbers[high - 1]! - lowest);
        if (share >= 0 && share <= 1) middle = low + Math.floor(share * (high - 1 - low));
      }
      if (numbers[middle]! < searched) low = middle + 1;
      else high = middle;
    }
    // Another spelling of the same number is not one of the values.
    return low < numbers.length && numbers[low] === searched && String(searched) === text
      ? low
      : ~low;
  };

  encoded(): EncodedValues {
    const numbers = this.numbers;
    // The placeholder of null is the lowest number, so that the array is in order.
    const least = numbers.length > 1 ? numbers[1]! : 0;
    if (this.#type === "float") {
      const copy = numbers.slice();
      copy[0] = least;
      return { ascii: false, offsets: undefined, bytes: new Uint8Array(copy.buffer) };
    }
    const words = new Int32Array(2 * numbers.length);
    for (let code = 0; code < numbers.length; code++) {
      const number = code === 0 ? least : numbers[code]!;
      words[2 * code] = number;
      words[2 * code + 1] = Math.floor(number / 2 ** 32);
    }
    return { ascii: false, offsets: undefined, bytes: new Uint8Array(words.buffer) };
  }
}
