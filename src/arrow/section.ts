// A section of a file: bytes or numbers that are read piece by piece until somebody needs them all.

import type { Stretch } from "./metadata.ts";
import { PAGE_BYTES } from "./directory.ts";
import type { Pages } from "./pages.ts";

/** The bytes of a section. */
export class ByteSection {
  readonly name: string;
  readonly length: number;
  readonly #pages: Pages;
  readonly #offset: number;
  #all: Uint8Array | undefined;

  /** @param name what the section is called in errors */
  constructor(name: string, pages: Pages, { offset, length }: Stretch) {
    this.name = name;
    this.length = length;
    this.#pages = pages;
    this.#offset = offset;
  }

  get isLoaded(): boolean {
    return this.#all !== undefined;
  }

  /** All bytes, which stay in memory. @throws FileError, as all that read do */
  all(): Uint8Array {
    this.#all ??= this.#pages.stretch(this.#offset, this.#offset + this.length, this.name);
    return this.#all;
  }

  /** The bytes from one position up to another, both within the section. */
  slice(from: number, to: number): Uint8Array {
    if (this.#all !== undefined) return this.#all.subarray(from, to);
    const first = this.#offset + from;
    const number = Math.floor(first / PAGE_BYTES);
    const start = first - number * PAGE_BYTES;
    if (start + to - from <= PAGE_BYTES) {
      return this.#pages.page(number, this.name).subarray(start, start + to - from);
    }
    return this.#pages.stretch(first, this.#offset + to, this.name);
  }
}

/** What makes the numbers of some bytes. */
interface NumberArrayType<Numbers> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): Numbers;
}

/** The numbers of a section. */
export class NumberSection<Numbers extends ArrayLike<number>> {
  readonly length: number;
  readonly #bytes: ByteSection;
  readonly #type: NumberArrayType<Numbers>;
  readonly #check: ((all: Numbers) => void) | undefined;
  #all: Numbers | undefined;

  /** @param check is called once with all numbers, before anybody gets them */
  constructor(bytes: ByteSection, type: NumberArrayType<Numbers>, check?: (all: Numbers) => void) {
    this.#bytes = bytes;
    this.#type = type;
    this.#check = check;
    this.length = bytes.length / type.BYTES_PER_ELEMENT;
  }

  get name(): string {
    return this.#bytes.name;
  }

  get isLoaded(): boolean {
    return this.#all !== undefined;
  }

  /** All numbers, which stay in memory. @throws FileError, as all that read do */
  all(): Numbers {
    if (this.#all === undefined) {
      const all = this.#numbersOf(this.#bytes.all());
      this.#check?.(all);
      this.#all = all;
    }
    return this.#all;
  }

  /** The number at a position within the section. */
  at(position: number): number {
    return this.#all === undefined
      ? (this.slice(position, position + 1)[0] ?? 0)
      : (this.#all[position] ?? 0);
  }

  /** The numbers from one position up to another, both within the section. */
  slice(from: number, to: number): Numbers {
    const size = this.#type.BYTES_PER_ELEMENT;
    return this.#numbersOf(this.#bytes.slice(from * size, to * size));
  }

  #numbersOf({ buffer, byteOffset, length }: Uint8Array): Numbers {
    const type = this.#type;
    return new type(buffer, byteOffset, length / type.BYTES_PER_ELEMENT);
  }
}
