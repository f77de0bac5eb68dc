// The values of several sorted dictionaries in order: a tree of losers, in which the least of the heads of all is found
// again after one of them has advanced. Texts are compared from the byte on that is not known to be equal: each head
// has the length of the prefix that it shares with the one that has beaten it.
//
// Sources: D. E. Knuth, The Art of Computer Programming, volume 3, 5.4.1; T. Bingmann, A. Eberle, P. Sanders,
// "Engineering Parallel String Sorting", Algorithmica, 2017, section 6.

import { bitAt } from "../../engine/algorithms/bitset.ts";
import type { DictionaryStretch, FileDictionary } from "../read/dictionary.ts";

/** How many values are read at once. */
const VALUES_AT_ONCE = 1 << 12;

/** How many bytes of text are read at once, unless one value has more. */
const TEXT_AT_ONCE = 1 << 18;

/** The values of a dictionary that count, of which some are read at once. */
class Cursor {
  code = 0;
  /** The codes that were read: from `from` up to `to`. */
  from = 0;
  to = 0;
  readonly #dictionary: FileDictionary;
  readonly #used: Uint32Array | undefined;

  constructor(dictionary: FileDictionary, used: Uint32Array | undefined) {
    this.#dictionary = dictionary;
    this.#used = used;
  }

  /** To the next value. @returns what was read to get there, if anything; `undefined` at the end, too */
  advance(): DictionaryStretch | undefined {
    const used = this.#used;
    this.code++;
    if (used !== undefined) {
      const { length } = this.#dictionary;
      while (this.code < length && bitAt(used, this.code) === 0) this.code++;
    }
    return this.code < this.to ? undefined : this.#read();
  }

  #read(): DictionaryStretch | undefined {
    const { length } = this.#dictionary;
    if (this.isDone) return undefined;
    const most = Math.min(length, this.code + VALUES_AT_ONCE);
    const read = this.#dictionary.stretch(this.code, most, TEXT_AT_ONCE);
    this.from = this.code;
    this.to = read.offsets === undefined ? most : this.code + read.offsets.length - 1;
    return read;
  }

  get isDone(): boolean {
    return this.code >= this.#dictionary.length;
  }
}

/** Values in order, of which one is the next. */
export interface SortedValues {
  /** The number of the dictionary that has it, the first of several. */
  readonly first: number;
  readonly isDone: boolean;
  /** Its code there. */
  readonly code: number;
  /** To the next value. @returns whether it is another one than before */
  advance(): boolean;
}

/** Numbers, none of which is infinite. */
export class SortedNumbers implements SortedValues {
  first = 0;
  readonly #cursors: readonly Cursor[];
  readonly #read: Float64Array[];
  /** By dictionary the number at which it is; `Infinity` at its end. */
  readonly #numbers: Float64Array;
  /** By node the dictionary that lost there. The root is node 1, and dictionary `i` is the leaf `i + length`. */
  readonly #losers: Int32Array;

  constructor(parts: readonly FileDictionary[], used: readonly (Uint32Array | undefined)[]) {
    this.#cursors = parts.map((part, i) => new Cursor(part, used[i]));
    this.#read = parts.map(() => new Float64Array());
    this.#numbers = new Float64Array(parts.length);
    this.#losers = new Int32Array(parts.length).fill(-1);
    for (let part = 0; part < parts.length; part++) {
      this.#toNext(part);
      this.#play(part);
    }
  }

  get isDone(): boolean {
    return this.#numbers[this.first] === Infinity;
  }

  get code(): number {
    return this.#cursors[this.first]!.code;
  }

  get number(): number {
    return this.#numbers[this.first]!;
  }

  advance(): boolean {
    const before = this.#numbers[this.first]!;
    this.#toNext(this.first);
    this.#play(this.first);
    return this.#numbers[this.first] !== before;
  }

  #toNext(part: number): void {
    const cursor = this.#cursors[part]!;
    const read = cursor.advance();
    if (read?.numbers !== undefined) this.#read[part] = read.numbers;
    this.#numbers[part] = cursor.isDone ? Infinity : this.#read[part]![cursor.code - cursor.from]!;
  }

  /** The head of a dictionary is new. At first, one that meets nobody waits. */
  #play(part: number): void {
    const losers = this.#losers;
    const numbers = this.#numbers;
    let winner = part;
    for (let node = (part + losers.length) >> 1; node > 0; node >>= 1) {
      const other = losers[node]!;
      if (other < 0) {
        losers[node] = winner;
        return;
      }
      const difference = numbers[other]! - numbers[winner]!;
      if (difference < 0 || (difference === 0 && other < winner)) {
        losers[node] = winner;
        winner = other;
      }
    }
    this.first = winner;
  }
}

/** Texts by their bytes. */
export class SortedTexts implements SortedValues {
  first = 0;
  readonly #cursors: readonly Cursor[];
  readonly #read: DictionaryStretch[];
  /** By dictionary the text at which it is. */
  readonly bytes: Uint8Array[];
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /**
   * By dictionary how many bytes its text shares with that which won against it, or with the last one that was first if
   * it plays; −1 at its end.
   */
  readonly #shared: Int32Array;
  readonly #losers: Int32Array;
  /** The length of the first text. */
  #length = 0;

  constructor(parts: readonly FileDictionary[], used: readonly (Uint32Array | undefined)[]) {
    this.#cursors = parts.map((part, i) => new Cursor(part, used[i]));
    this.#read = parts.map(() => ({ bytes: new Uint8Array() }));
    this.bytes = parts.map(() => new Uint8Array());
    this.starts = new Int32Array(parts.length);
    this.ends = new Int32Array(parts.length);
    this.#shared = new Int32Array(parts.length);
    this.#losers = new Int32Array(parts.length).fill(-1);
    for (let part = 0; part < parts.length; part++) {
      this.#toNext(part);
      this.#play(part);
    }
  }

  get isDone(): boolean {
    return this.#shared[this.first]! < 0;
  }

  get code(): number {
    return this.#cursors[this.first]!.code;
  }

  advance(): boolean {
    this.#length = this.ends[this.first]! - this.starts[this.first]!;
    this.#toNext(this.first);
    this.#play(this.first);
    const { first } = this;
    const length = this.ends[first]! - this.starts[first]!;
    return this.#shared[first] !== this.#length || length !== this.#length;
  }

  #toNext(part: number): void {
    const cursor = this.#cursors[part]!;
    const bytesBefore = this.bytes[part]!;
    const startBefore = this.starts[part]!;
    const lengthBefore = this.ends[part]! - startBefore;
    const read = cursor.advance();
    if (cursor.isDone) {
      this.#shared[part] = -1;
      return;
    }
    if (read !== undefined) {
      this.#read[part] = read;
      this.bytes[part] = read.bytes;
    }
    const offsets = this.#read[part]!.offsets!;
    const at = cursor.code - cursor.from;
    const start = offsets[at]! - offsets[0]!;
    const end = offsets[at + 1]! - offsets[0]!;
    this.starts[part] = start;
    this.ends[part] = end;
    const bytes = this.bytes[part]!;
    const most = Math.min(lengthBefore, end - start);
    let shared = 0;
    while (shared < most && bytes[start + shared] === bytesBefore[startBefore + shared]) shared++;
    this.#shared[part] = shared;
  }

  #play(part: number): void {
    const losers = this.#losers;
    const shared = this.#shared;
    let winner = part;
    for (let node = (part + losers.length) >> 1; node > 0; node >>= 1) {
      const other = losers[node]!;
      if (other < 0) {
        losers[node] = winner;
        return;
      }
      // Who shares more with what was first is lower: nothing is lower than that.
      const difference = shared[other]! - shared[winner]!;
      if (difference > 0 || (difference === 0 && this.#isLower(other, winner))) {
        losers[node] = winner;
        winner = other;
      }
    }
    this.first = winner;
  }

  /** Whether a text is lower than another one that shares as much. Of the higher one it is then known how much. */
  #isLower(part: number, other: number): boolean {
    const known = this.#shared[part]!;
    if (known < 0) return part < other;
    const [bytes, others] = [this.bytes[part]!, this.bytes[other]!];
    const [start, startOfOther] = [this.starts[part]!, this.starts[other]!];
    const [length, lengthOfOther] = [this.ends[part]! - start, this.ends[other]! - startOfOther];
    const most = Math.min(length, lengthOfOther);
    let at = known;
    while (at < most && bytes[start + at] === others[startOfOther + at]) at++;
    const difference =
      at < most ? bytes[start + at]! - others[startOfOther + at]! : length - lengthOfOther;
    const isLower = difference < 0 || (difference === 0 && part < other);
    this.#shared[isLower ? other : part] = at;
    return isLower;
  }
}
