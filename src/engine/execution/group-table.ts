// Numbers the groups of several keys: each combination of their numbers that occurs is a group.

import type { Tally } from "../operators/groups/tally.ts";

/** Up to this many combinations, a table has a place for each. */
const MOST_PLACES = 1 << 20;

/** More groups than this have no number. */
const WIDTH = 2 ** 26;

/** Numbers pairs, in the order in which they first occur. */
class PairTable {
  readonly #add: () => number;
  readonly #width: number;
  /** The number of each pair, plus 1, while both parts are below their initial sizes. */
  readonly #places: Int32Array;
  readonly #others = new Map<number, number>();
  readonly #first: number[] = [];
  readonly #second: number[] = [];

  /**
   * @param sizes how many numbers there are of each part now
   * @param add makes a new number: the next one
   */
  constructor([a, b]: readonly [number, number], add: () => number) {
    this.#add = add;
    const isSmall = a * b <= MOST_PLACES;
    this.#width = isSmall ? b : 0;
    this.#places = new Int32Array(isSmall ? a * b : 0);
  }

  /** The numbers of several pairs. @param into may be one of the parts */
  each(a: Int32Array, b: Int32Array, into: Int32Array, length: number): void {
    const places = this.#places;
    const width = this.#width;
    for (let i = 0; i < length; i++) {
      const first = a[i]!;
      const second = b[i]!;
      const place = first * width + second;
      const known = second < width && place < places.length ? places[place]! : 0;
      into[i] = known > 0 ? known - 1 : this.of(first, second);
    }
  }

  of(a: number, b: number): number {
    if (b >= this.#width) return this.#other(a, b);
    const place = a * this.#width + b;
    if (place >= this.#places.length) return this.#other(a, b);
    const known = this.#places[place]!;
    return known > 0 ? known - 1 : (this.#places[place] = this.#new(a, b) + 1) - 1;
  }

  #other(a: number, b: number): number {
    if (a >= WIDTH || b >= WIDTH) throw new RangeError("there are too many groups to number");
    const pair = a * WIDTH + b;
    let known = this.#others.get(pair);
    if (known === undefined) this.#others.set(pair, (known = this.#new(a, b)));
    return known;
  }

  #new(a: number, b: number): number {
    const added = this.#add();
    this.#first[added] = a;
    this.#second[added] = b;
    return added;
  }

  /** The parts of a pair. */
  partsOf(pair: number): readonly [number, number] {
    return [this.#first[pair]!, this.#second[pair]!];
  }
}

/** Something numbered, such as the values of a key. */
interface Sized {
  /** How many numbers there are now. */
  readonly size: number;
}

/** The groups of some keys: each combination of their numbers that occurs is one. */
export class GroupTable {
  readonly #tally: Tally;
  readonly #keys: readonly Sized[];
  /** The numbers of the first two keys are a pair, that pair and the number of the third are one, and so on. */
  #pairs: readonly PairTable[] | undefined;

  constructor(tally: Tally, keys: readonly Sized[]) {
    this.#tally = tally;
    this.#keys = keys;
  }

  /**
   * Finds the groups of rows. The groups of an only key are its numbers.
   *
   * @param numbers those of each key
   * @param into may be used for the result
   */
  groupsOf(numbers: readonly Int32Array[], into: Int32Array, length: number): Int32Array {
    const pairs = (this.#pairs ??= this.#tables(this.#keys.map(({ size }) => size)));
    let before = numbers[0]!;
    for (let key = 1; key < numbers.length; key++) {
      pairs[key - 1]!.each(before, numbers[key]!, into, length);
      before = into;
    }
    return before;
  }

  #tables(sizes: readonly number[]): PairTable[] {
    let size = sizes[0]!;
    return sizes.slice(1).map((own, i) => {
      const isLast = i === sizes.length - 2;
      let numbered = 0;
      const add = isLast ? () => this.#tally.addGroups(1) : () => numbered++;
      const table = new PairTable([size, own], add);
      size *= own;
      return table;
    });
  }

  readonly numberOf = (group: number, key: number): number => {
    const pairs = this.#pairs ?? [];
    if (pairs.length === 0) return group;
    let pair = group;
    for (let at = pairs.length; at > key && at > 1; at--) pair = pairs[at - 1]!.partsOf(pair)[0];
    const [first, second] = pairs[Math.max(key, 1) - 1]!.partsOf(pair);
    return key === 0 ? first : second;
  };
}
