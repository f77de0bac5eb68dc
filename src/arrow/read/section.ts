// A section of a file. A small one is read completely on first use. A large one is read in pieces on demand until these
// have cost as much as reading all of it; then all of it is read and stays in memory.

import { currentDeadline } from "../../engine/algorithms/deadline.ts";
import { Resumable } from "../../engine/algorithms/resumable.ts";
import type { Steps } from "../../engine/algorithms/steps.ts";
import { PAGE_BYTES } from "../directory.ts";
import type { ByteRange } from "../format.ts";
import type { Pages } from "./pages.ts";

type TypedArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** The cost of a piece that is already in memory, in bytes read. */
const PIECE_COST = 128;

/** Converts bytes to elements. */
interface ElementType<Elements> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): Elements;
}

/** How all elements of a section are checked, before any is returned. */
export interface Checks<Elements> {
  /** Loads the sections that the check needs. */
  readonly first?: () => void;
  /** Called once, with all elements. */
  readonly check: (all: Elements) => Steps<void>;
}

/** The elements of a section: bytes, or numbers. */
export class Section<Elements extends TypedArray> {
  /** The name of the section in errors. */
  readonly name: string;
  readonly length: number;
  readonly #pages: Pages;
  readonly #range: ByteRange;
  readonly #type: ElementType<Elements>;
  readonly #checks: Checks<Elements> | undefined;
  readonly #loading = new Resumable<Elements>();
  #all: Elements | undefined;
  /** How many more bytes may be read in pieces before all are read. */
  #left: number;

  constructor(
    name: string,
    pages: Pages,
    range: ByteRange,
    type: ElementType<Elements>,
    checks?: Checks<Elements>,
  ) {
    this.name = name;
    this.#pages = pages;
    this.#range = range;
    this.#type = type;
    this.#checks = checks;
    this.length = range.length / type.BYTES_PER_ELEMENT;
    this.#left = pages.small < 0 ? Infinity : range.length <= pages.small ? 0 : range.length;
  }

  /** How many bytes are in memory. */
  get bytes(): number {
    return this.#all === undefined ? 0 : this.#range.length;
  }

  /** Whether a piece can be read without the rest. */
  get isInPieces(): boolean {
    return this.#all === undefined && this.#left > 0;
  }

  /**
   * All elements, which stay in memory.
   *
   * @throws FileError, like all members that read; DeadlineError if {@link currentDeadline} passes meanwhile: the next
   *   call continues
   */
  all(): Elements {
    return this.#all ?? this.#load();
  }

  #load(): Elements {
    this.#checks?.first?.();
    return (this.#all = this.#loading.finish(() => this.#reading(), currentDeadline()));
  }

  *#reading(): Steps<Elements> {
    const { offset, length } = this.#range;
    const bytes = yield* this.#pages.reading(offset, offset + length, this.name);
    const all = this.#elementsOf(bytes);
    if (this.#checks !== undefined) yield* this.#checks.check(all);
    return all;
  }

  /** All elements as stored, for copying: neither checked nor kept in memory. */
  copy(): Elements {
    if (this.#all !== undefined) return this.#all;
    const { offset, length } = this.#range;
    return this.#elementsOf(this.#pages.range(offset, offset + length, this.name));
  }

  /** The element at a position. */
  at(position: number): number {
    if (this.#all !== undefined) return this.#all[position]!;
    return this.slice(position, position + 1)[0]!;
  }

  /** The elements from one position up to another, both within the section. */
  slice(from: number, to: number): Elements {
    if (!this.isInPieces) return this.#sliceOfAll(from, to);
    const size = this.#type.BYTES_PER_ELEMENT;
    const before = this.#pages.bytesRead;
    const bytes = this.#read(from * size, to * size);
    this.#left -= Math.max(PIECE_COST, this.#pages.bytesRead - before);
    return this.#elementsOf(bytes);
  }

  #sliceOfAll(from: number, to: number): Elements {
    const size = this.#type.BYTES_PER_ELEMENT;
    const { buffer, byteOffset } = this.all();
    return new this.#type(buffer, byteOffset + from * size, to - from);
  }

  #read(from: number, to: number): Uint8Array {
    const first = this.#range.offset + from;
    const number = Math.floor(first / PAGE_BYTES);
    const start = first - number * PAGE_BYTES;
    if (start + to - from > PAGE_BYTES) {
      return this.#pages.range(first, this.#range.offset + to, this.name);
    }
    return this.#pages.page(number, this.name).subarray(start, start + to - from);
  }

  #elementsOf({ buffer, byteOffset, length }: Uint8Array): Elements {
    const type = this.#type;
    return new type(buffer, byteOffset, length / type.BYTES_PER_ELEMENT);
  }
}
