// The distinct integers of a column in sort order, in memory as numbers.

import type { WireValue } from "../../../schema/field.ts";
import type { EncodedValues, Values } from "../../index/index-parts.ts";

export class IntegerValues implements Values {
  readonly #numbers: Float64Array;

  /** @param numbers ascending; the first stands for null */
  constructor(numbers: Float64Array) {
    this.#numbers = numbers;
  }

  get length(): number {
    return this.#numbers.length;
  }

  get bytes(): number {
    return this.#numbers.byteLength;
  }

  at(code: number): WireValue {
    return code === 0 ? null : String(this.#numbers[code]!);
  }

  encoded(): EncodedValues {
    const numbers = this.#numbers;
    // The placeholder of null is the least integer, so that the whole is in order.
    const least = numbers.length > 1 ? numbers[1]! : 0;
    const words = new Int32Array(2 * numbers.length);
    for (let code = 0; code < numbers.length; code++) {
      const number = code === 0 ? least : numbers[code]!;
      words[2 * code] = number;
      words[2 * code + 1] = Math.floor(number / 2 ** 32);
    }
    return { ascii: false, offsets: undefined, bytes: new Uint8Array(words.buffer) };
  }
}
