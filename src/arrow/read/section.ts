// A section of a file. A small one is read completely on first use. A large one is read in pieces on demand until these
// have cost as much as reading all of it; then all of it is read and stays in memory.

import { currentDeadline } from "../../engine/algorithms/deadline.ts";
import { Resumable } from "../../engine/algorithms/resumable.ts";
import type { Steps } from "../../engine/algorithms/steps.ts";
import { PAGE_BYTES } from "../directory.ts";
import { tuning } from "../../engine/tuning.ts";
import type { ByteRange } from "../format.ts";
import type { Pages } from "./pages.ts";
import { SectionPages } from "./section-pages.ts";

type TypedArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** How many bytes of a section may be in memory as a whole: more are always read in pieces. Tests lower it. */
export const memoryLimits = { bytes: 2 ** 31 - 1 };

/** The cost of a piece that is already in memory, in bytes read. */
const PIECE_COST = 128;

/** A call of the system and the check of a page take about as long as reading and checking so many pages. */
const NEAR_PAGES = 2;
/** How many pages are read at once. */
const MOST_PAGES = 256;

/** Once one in so many bytes has been read in pieces, pieces of more than a page stay in memory. */
const MUCH = 8;

/** Converts bytes to elements. */
export interface ElementType<Elements> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): Elements;
}

/** Positions, of more than 32 bits in large sections. */
type Numbers = Uint32Array | Float64Array;

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
  /** Its pages, if many have been read at once, or some of all. */
  #sparse: SectionPages | undefined;
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
    const isInPieces = pages.small < 0 || range.length > memoryLimits.bytes;
    this.#left = isInPieces ? Infinity : range.length <= pages.small ? 0 : range.length;
  }

  /** How many bytes are in memory, without single pages. */
  get bytes(): number {
    return this.#all === undefined ? (this.#sparse?.bytesRead ?? 0) : this.#range.length;
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
    this.#all = this.#loading.finish(() => this.#reading(), currentDeadline());
    this.#sparse = undefined;
    return this.#all;
  }

  *#reading(): Steps<Elements> {
    const { offset, length } = this.#range;
    const kept = this.#keep();
    if (kept !== undefined) yield* kept.reading(0, length);
    const bytes = kept?.range(0, length) ?? this.#pages.range(offset, offset + length, this.name);
    const all = this.#elementsOf(bytes);
    if (this.#checks !== undefined) yield* this.#checks.check(all);
    return all;
  }

  /** Keeps pages in memory from now on, unless the file is in memory, or the section is small or too large. */
  #keep(): SectionPages | undefined {
    const { length } = this.#range;
    const isUseful = length > tuning.wholeSection && length <= memoryLimits.bytes;
    if (!this.#pages.canFill || !isUseful) return undefined;
    return (this.#sparse ??= new SectionPages(this.#pages, this.#range, this.name));
  }

  /** Elements as stored, by default all, for copying: neither checked nor kept in memory. */
  copy(from = 0, to = this.length): Elements {
    if (this.#all !== undefined) return this.#sliceOfAll(from, to);
    const size = this.#type.BYTES_PER_ELEMENT;
    const { offset } = this.#range;
    return this.#elementsOf(this.#pages.range(offset + from * size, offset + to * size, this.name));
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
    const { length } = this.#range;
    if ((to - from) * size > PAGE_BYTES && (length - this.#left) * MUCH > length) this.#keep();
    const isKept = this.#sparse !== undefined && (to - from) * size > PAGE_BYTES;
    const bytes = this.#read(from * size, to * size);
    // What stays in memory is not read again.
    this.#charge(isKept ? 0 : this.#pages.bytesRead - before);
    return this.#elementsOf(bytes);
  }

  /**
   * Copies the elements at some positions. If these ascend, each page is read once, together with those near it; if they
   * are in many of the pages, these stay in memory. Checks {@link currentDeadline}.
   */
  pick(positions: Uint32Array, target: Numbers): void {
    if (!this.isInPieces) {
      const all = this.all();
      for (let i = 0; i < positions.length; i++) target[i] = all[positions[i]!]!;
      return;
    }
    const perPage = PAGE_BYTES / this.#type.BYTES_PER_ELEMENT;
    if (pagesOf(positions, perPage) * perPage * tuning.keptPart > this.length) this.#keep();
    for (let i = 0; i < positions.length;) {
      const first = positions[i]!;
      let last = first;
      let end = i + 1;
      for (; end < positions.length; end++) {
        const position = positions[end]!;
        const isNear = position >= last && position <= last + perPage * NEAR_PAGES;
        if (!isNear || position - first >= perPage * MOST_PAGES) break;
        last = position;
      }
      const some = this.#once(first, last + 1);
      for (; i < end; i++) target[i] = some[positions[i]! - first]!;
      currentDeadline()?.check();
    }
  }

  /**
   * Copies the elements of some ranges one after the other; otherwise like {@link Section.pick}.
   *
   * @param ends as many as `starts`; a range may be empty
   */
  gather(starts: Numbers, ends: Numbers, target: Elements): void {
    const perPage = PAGE_BYTES / this.#type.BYTES_PER_ELEMENT;
    let at = 0;
    for (let i = 0; i < starts.length;) {
      const first = starts[i]!;
      let last = ends[i]!;
      let end = i + 1;
      for (; end < starts.length; end++) {
        const isNear = starts[end]! >= last && starts[end]! <= last + perPage * NEAR_PAGES;
        if (!isNear || ends[end]! - first > perPage * MOST_PAGES) break;
        last = ends[end]!;
      }
      const some = this.isInPieces ? this.#once(first, last) : this.#sliceOfAll(first, last);
      for (; i < end; i++) at = copy(some, starts[i]! - first, ends[i]! - first, target, at);
      currentDeadline()?.check();
    }
  }

  /** Like `slice`; valid until the next call. */
  #once(from: number, to: number): Elements {
    const size = this.#type.BYTES_PER_ELEMENT;
    if (this.#sparse !== undefined) {
      this.#charge(0);
      return this.#elementsOf(this.#sparse.range(from * size, to * size));
    }
    const { offset } = this.#range;
    const before = this.#pages.bytesRead;
    const bytes = this.#pages.once(offset + from * size, offset + to * size, this.name);
    this.#charge(this.#pages.bytesRead - before);
    return this.#elementsOf(bytes);
  }

  #charge(bytesRead: number): void {
    this.#left -= Math.max(PIECE_COST, bytesRead);
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
    const sparse = this.#sparse;
    const isMore = to - from > PAGE_BYTES;
    if (sparse !== undefined && (isMore || sparse.hasRead(from, to))) return sparse.range(from, to);
    const end = start + to - from;
    if (isMore) return this.#pages.range(first, this.#range.offset + to, this.name);
    if (end > PAGE_BYTES) {
      const both = new Uint8Array(to - from);
      both.set(this.#pages.page(number, this.name).subarray(start));
      const rest = this.#pages.page(number + 1, this.name);
      both.set(rest.subarray(0, end - PAGE_BYTES), PAGE_BYTES - start);
      return both;
    }
    return this.#pages.page(number, this.name).subarray(start, start + to - from);
  }

  #elementsOf({ buffer, byteOffset, length }: Uint8Array): Elements {
    const type = this.#type;
    return new type(buffer, byteOffset, length / type.BYTES_PER_ELEMENT);
  }
}

/** Copies a range, which is rarely long. @returns the position after it in the target */
function copy(
  source: TypedArray,
  from: number,
  to: number,
  target: TypedArray,
  at: number,
): number {
  if (to - from > tuning.fewToCopy) {
    target.set(source.subarray(from, to), at);
    return at + to - from;
  }
  while (from < to) target[at++] = source[from++]!;
  return at;
}

/** How many pages some positions are in, if they ascend; otherwise, more. */
function pagesOf(positions: Uint32Array, perPage: number): number {
  let pages = 0;
  let last = -1;
  for (const position of positions) {
    const page = Math.floor(position / perPage);
    if (page !== last) pages++;
    last = page;
  }
  return pages;
}
