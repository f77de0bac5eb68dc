// The distinct numbers of a column in sort order.

import type { WireValue } from "../../../schema/field.ts";
import type { EncodedValues, Values } from "../../index/index-parts.ts";

export class NumberValues implements Values {
  readonly #type: "int" | "float";
  readonly #numbers: Float64Array;

  /** @param numbers ascending; the first stands for null */
  constructor(type: "int" | "float", numbers: Float64Array) {
    this.#type = type;
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
    // The placeholder of null is the least number, so that the whole is in order.
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
