// The times of a dictionary as other programs have them: numbers since 1970, made from the texts as these are written.
// tercet itself reads the texts, whose order is that of the times.

import type { Field } from "../../schema/field.ts";
import type { Precision } from "../../schema/kinds/kind.ts";
import type { LazyBytes } from "./output.ts";
import type { Area, ScratchSpace } from "./scratch.ts";

/** The precision of a field of times; `undefined` for others. */
export const precisionOf = (field: Field | undefined): Precision | undefined =>
  field?.type === "time" ? (field.precision ?? "milliseconds") : undefined;

/** How many numbers are stored at once. */
const AT_ONCE = 1 << 13;

/** How many bytes a text has: that of 2024-02-29T13:05:00.123Z, or 2024-02-29T13:05:00.123456Z. */
const LENGTHS = { milliseconds: 24, microseconds: 27 };

export class WrittenTimes {
  readonly #isFine: boolean;
  readonly #space: ScratchSpace;
  readonly #areas: Area[] = [];
  readonly #numbers = new BigInt64Array(AT_ONCE);
  #filled = 0;
  /** The text whose bytes have not all come. */
  readonly #text: Uint8Array;
  #read = 0;
  #day = 0;
  #startOfDay = 0;

  /** @param space where the numbers are kept until all texts are written */
  constructor(precision: Precision, space: ScratchSpace) {
    this.#isFine = precision === "microseconds";
    this.#space = space;
    this.#text = new Uint8Array(LENGTHS[precision]);
  }

  /** The same texts, which are read as they are written. */
  reading(texts: Uint8Array | LazyBytes): LazyBytes {
    const pieces = "pieces" in texts ? () => texts.pieces() : () => [texts];
    const { length } = texts;
    const take = this.#take.bind(this);
    return {
      length,
      *pieces() {
        for (const piece of pieces()) {
          take(piece);
          yield piece;
        }
      },
    };
  }

  /**
   * The numbers, after all texts. Null is represented by the lowest time, so that they are in order.
   *
   * @param values how many there are, including the placeholder of null; `undefined` until the texts are written
   */
  bytes(values: number | undefined): LazyBytes {
    const pieces = () => this.#pieces();
    return { length: values === undefined ? undefined : 8 * values, isLater: true, pieces };
  }

  *#pieces(): Generator<Uint8Array> {
    this.#store();
    const [first] = this.#areas;
    yield first?.length ? first.read(0, 8) : new Uint8Array(8);
    for (const area of this.#areas) yield area.read(0, area.length);
  }

  #take(piece: Uint8Array): void {
    const text = this.#text;
    for (let at = 0; at < piece.length;) {
      const some = piece.subarray(at, at + text.length - this.#read);
      text.set(some, this.#read);
      this.#read += some.length;
      at += some.length;
      if (this.#read < text.length) return;
      this.#read = 0;
      if (this.#filled === AT_ONCE) this.#store();
      this.#numbers[this.#filled++] = this.#numberOf(text);
    }
  }

  #store(): void {
    const { buffer } = this.#numbers;
    this.#areas.push(this.#space.store(new Uint8Array(buffer, 0, 8 * this.#filled)));
    this.#filled = 0;
  }

  #numberOf(text: Uint8Array): bigint {
    const digits = (from: number, to: number) => {
      let number = 0;
      for (let i = from; i < to; i++) number = 10 * number + text[i]! - ZERO;
      return number;
    };
    // Neighbouring times are mostly of the same day.
    const [year, month, day] = [digits(0, 4), digits(5, 7), digits(8, 10)];
    const named = (year * 100 + month) * 100 + day;
    if (named !== this.#day) {
      this.#day = named;
      this.#startOfDay = new Date(0).setUTCFullYear(year, month - 1, day);
    }
    const seconds = (digits(11, 13) * 60 + digits(14, 16)) * 60 + digits(17, 19);
    const milliseconds = BigInt(this.#startOfDay + seconds * 1000 + digits(20, 23));
    return this.#isFine ? milliseconds * 1000n + BigInt(digits(23, 26)) : milliseconds;
  }
}

const ZERO = "0".charCodeAt(0);
