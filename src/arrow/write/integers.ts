// The values of a dictionary as other programs have them: integers, made from the strings as these are written.

import type { TextOffsets } from "../../engine/indexes/values.ts";
import type { WrittenType } from "../column-types.ts";
import type { LazyBytes } from "./output.ts";
import type { Area, ScratchSpace } from "./scratch.ts";

/** How many integers are stored at once. */
const AT_ONCE = 1 << 12;

/** How many bytes the strings of a field of times have, if nothing else says it: `2024-02-29T13:05:00.123Z` has 24. */
const TIME_BYTES = 21;

export class WrittenIntegers {
  readonly #type: WrittenType;
  readonly #space: ScratchSpace;
  readonly #offsets: TextOffsets | undefined;
  readonly #areas: Area[] = [];
  readonly #view: DataView<ArrayBuffer>;
  #filled = 0;
  /** How many strings have been read, null's placeholder included, and the bytes of the next one. */
  #values = 1;
  #text: Uint8Array = new Uint8Array(64);
  #read = 0;

  /**
   * @param offsets where each string begins; `undefined` if these are times of a field, which have the same length
   * @param space where integers are kept until all strings are written
   */
  constructor(type: WrittenType, offsets: TextOffsets | undefined, space: ScratchSpace) {
    this.#type = type;
    this.#offsets = offsets;
    this.#space = space;
    this.#view = new DataView(new ArrayBuffer(AT_ONCE * type.bytes));
  }

  /** The same strings, which are read as they are written. */
  reading(texts: Uint8Array | LazyBytes): LazyBytes {
    const pieces = "pieces" in texts ? () => texts.pieces() : () => [texts];
    const take = this.#take.bind(this);
    return {
      length: texts.length,
      *pieces() {
        for (const piece of pieces()) {
          take(piece);
          yield piece;
        }
      },
    };
  }

  /**
   * The integers, after all strings. Null is represented by the first one, so that they stay in order.
   *
   * @param values how many there are, including the placeholder of null; `undefined` until the strings are written
   */
  bytes(values: number | undefined): LazyBytes {
    const { bytes } = this.#type;
    const pieces = () => this.#pieces();
    return { length: values === undefined ? undefined : bytes * values, isLater: true, pieces };
  }

  *#pieces(): Generator<Uint8Array> {
    this.#store();
    const { bytes } = this.#type;
    const [first] = this.#areas;
    yield first?.length ? first.read(0, bytes) : new Uint8Array(bytes);
    for (const area of this.#areas) yield area.read(0, area.length);
  }

  #take(piece: Uint8Array): void {
    for (let at = 0; at < piece.length;) {
      const length = this.#length();
      const some = piece.subarray(at, at + length - this.#read);
      if (length > this.#text.length)
        this.#text = Uint8Array.of(...this.#text, ...new Uint8Array(length));
      this.#text.set(some, this.#read);
      this.#read += some.length;
      at += some.length;
      if (this.#read < length) return;
      this.#add(String.fromCharCode(...this.#text.subarray(0, length)));
      this.#read = 0;
      this.#values++;
    }
  }

  /** Of the next string. */
  #length(): number {
    const offsets = this.#offsets;
    if (offsets === undefined) return TIME_BYTES + this.#type.digits;
    return (offsets[this.#values + 1] ?? 0) - (offsets[this.#values] ?? 0);
  }

  #add(text: string): void {
    if (this.#filled === AT_ONCE) this.#store();
    const integer = this.#type.toInteger(text) ?? 0n;
    const { bytes } = this.#type;
    const at = bytes * this.#filled++;
    if (bytes === 4) this.#view.setInt32(at, Number(integer), true);
    else this.#view.setBigInt64(at, integer, true);
    if (bytes === 16) this.#view.setBigInt64(at + 8, integer >> 64n, true);
  }

  #store(): void {
    const { buffer } = this.#view;
    const bytes = new Uint8Array(buffer, 0, this.#type.bytes * this.#filled);
    this.#areas.push(this.#space.store(bytes));
    this.#filled = 0;
  }
}
