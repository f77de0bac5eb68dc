// The values of several sorted dictionaries, merged by a tree of losers: after one dictionary has moved on, it finds the
// least of all current values again. Strings are compared from the first byte that is not known to be equal: each has
// the length of the prefix that it shares with the string that it lost to.
//
// Sources: D. E. Knuth, The Art of Computer Programming, volume 3, 5.4.1; T. Bingmann, A. Eberle, P. Sanders,
// "Engineering Parallel String Sorting", Algorithmica, 2017, section 6.

import { bitAt } from "../../engine/algorithms/bitset.ts";
import type { DictionaryRange, FileDictionary } from "../read/dictionary.ts";

/** How many values are read at once. */
const VALUES_AT_ONCE = 1 << 12;

/** How many bytes of strings are read at once, unless a single one has more. */
const STRING_BYTES_AT_ONCE = 1 << 18;

/** Reads the used values of a dictionary, many at a time. */
class Cursor {
  code = 0;
  /** The codes of the values in memory: from `from` up to `to`. */
  from = 0;
  to = 0;
  readonly #dictionary: FileDictionary;
  readonly #used: Uint32Array | undefined;

  constructor(dictionary: FileDictionary, used: Uint32Array | undefined) {
    this.#dictionary = dictionary;
    this.#used = used;
  }

  /** Moves to the next value. @returns what was read for that; `undefined` if nothing was, or at the end */
  advance(): DictionaryRange | undefined {
    const used = this.#used;
    this.code++;
    if (used !== undefined) {
      const { length } = this.#dictionary;
      while (this.code < length && bitAt(used, this.code) === 0) this.code++;
    }
    return this.code < this.to ? undefined : this.#read();
  }

  #read(): DictionaryRange | undefined {
    const { length } = this.#dictionary;
    if (this.isDone) return undefined;
    const most = Math.min(length, this.code + VALUES_AT_ONCE);
    const read = this.#dictionary.range(this.code, most, STRING_BYTES_AT_ONCE);
    this.from = this.code;
    this.to = read.offsets === undefined ? most : this.code + read.offsets.length - 1;
    return read;
  }

  get isDone(): boolean {
    return this.code >= this.#dictionary.length;
  }
}

/** The merged values in order; one of them is the current one. */
export abstract class SortedValues {
  /** The number of the dictionary that has the current value, the lowest if several have it. */
  first = 0;
  protected readonly cursors: readonly Cursor[];
  /** For each node the dictionary that lost there. The root is node 1, and dictionary `i` is the leaf `i + length`. */
  readonly #losers: Int32Array;

  constructor(parts: readonly FileDictionary[], used: readonly (Uint32Array | undefined)[]) {
    this.cursors = parts.map((part, i) => new Cursor(part, used[i]));
    this.#losers = new Int32Array(parts.length).fill(-1);
  }

  /** The code of the current value in its dictionary. */
  get code(): number {
    return this.cursors[this.first]!.code;
  }

  abstract readonly isDone: boolean;

  /** Moves to the next value. @returns whether it differs from the previous one */
  abstract advance(): boolean;

  /** Moves a dictionary to its next value. */
  protected abstract toNext(part: number): void;

  /** Whether the value of one dictionary comes before that of another; of equal ones, the lower number does. */
  protected abstract isBefore(part: number, other: number): boolean;

  /** Enters the first value of each dictionary. */
  protected begin(): void {
    for (let part = 0; part < this.cursors.length; part++) this.#enter(part);
  }

  /** Replaces the current value by the next one of its dictionary. */
  protected replaceFirst(): void {
    this.#enter(this.first);
  }

  #enter(part: number): void {
    this.toNext(part);
    const losers = this.#losers;
    let winner = part;
    for (let node = (part + losers.length) >> 1; node > 0; node >>= 1) {
      const other = losers[node]!;
      // While the tree is being filled, the first to reach a node waits there.
      if (other < 0) {
        losers[node] = winner;
        return;
      }
      if (this.isBefore(other, winner)) {
        losers[node] = winner;
        winner = other;
      }
    }
    this.first = winner;
  }
}

/** Finite numbers. */
export class SortedNumbers extends SortedValues {
  readonly #read: Float64Array[];
  /** The current number of each dictionary; `Infinity` at its end. */
  readonly #numbers: Float64Array;

  constructor(parts: readonly FileDictionary[], used: readonly (Uint32Array | undefined)[]) {
    super(parts, used);
    this.#read = parts.map(() => new Float64Array());
    this.#numbers = new Float64Array(parts.length);
    this.begin();
  }

  get isDone(): boolean {
    return this.#numbers[this.first] === Infinity;
  }

  get number(): number {
    return this.#numbers[this.first]!;
  }

  advance(): boolean {
    const before = this.#numbers[this.first]!;
    this.replaceFirst();
    return this.#numbers[this.first] !== before;
  }

  protected toNext(part: number): void {
    const cursor = this.cursors[part]!;
    const read = cursor.advance();
    if (read?.numbers !== undefined) this.#read[part] = read.numbers;
    this.#numbers[part] = cursor.isDone ? Infinity : this.#read[part]![cursor.code - cursor.from]!;
  }

  protected isBefore(part: number, other: number): boolean {
    const difference = this.#numbers[part]! - this.#numbers[other]!;
    return difference < 0 || (difference === 0 && part < other);
  }
}

/** Strings, in the order of their bytes. */
export class SortedStrings extends SortedValues {
  readonly #read: DictionaryRange[];
  /** The current string of each dictionary: its bytes, and where in them it starts and ends. */
  readonly bytes: Uint8Array[];
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /**
   * For each dictionary, how many bytes its current string shares with the one that it lost to, or with the previous
   * first string until it has been compared; −1 at its end.
   */
  readonly #shared: Int32Array;
  /** The length of the previous first string. */
  #length = 0;

  constructor(parts: readonly FileDictionary[], used: readonly (Uint32Array | undefined)[]) {
    super(parts, used);
    this.#read = parts.map(() => ({ bytes: new Uint8Array() }));
    this.bytes = parts.map(() => new Uint8Array());
    this.starts = new Int32Array(parts.length);
    this.ends = new Int32Array(parts.length);
    this.#shared = new Int32Array(parts.length);
    this.begin();
  }

  get isDone(): boolean {
    return this.#shared[this.first]! < 0;
  }

  advance(): boolean {
    this.#length = this.ends[this.first]! - this.starts[this.first]!;
    this.replaceFirst();
    const { first } = this;
    const length = this.ends[first]! - this.starts[first]!;
    return this.#shared[first] !== this.#length || length !== this.#length;
  }

  protected toNext(part: number): void {
    const cursor = this.cursors[part]!;
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

  protected isBefore(part: number, other: number): boolean {
    // The one that shares more with the previous first string is lower, since no string is lower than that.
    const difference = this.#shared[part]! - this.#shared[other]!;
    return difference > 0 || (difference === 0 && this.#isLower(part, other));
  }

  /** Whether a string is lower than another that shares as many bytes. Records how many the higher one shares with it. */
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
