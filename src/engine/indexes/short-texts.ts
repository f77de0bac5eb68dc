// How many values contain each string of one or two characters, that is, of UTF-16 units: no trigram narrows these, and
// most are in so many values that their number is all one wants to know. Counted exactly.

import { tuning } from "../tuning.ts";

/** Up to here, characters are counted in an array; those above, in a map. */
const DIRECT = 128;
/** The position of a string of one or two characters below `DIRECT` in the array. */
const placeOf = (first: number, second = -1): number => (second + 1) * DIRECT + first;

interface Counted {
  count: number;
  /** The last row + 1 that contains it. */
  seen: number;
}

export class ShortTexts {
  readonly #counts = new Uint32Array(DIRECT * (DIRECT + 1));
  /** The last row + 1 that contains each; while rows are added. */
  #seen: Uint32Array | undefined = new Uint32Array(DIRECT * (DIRECT + 1));
  #others: Map<string, Counted> | undefined = new Map();
  readonly #short: number[] = [];

  /** Counts the strings in the value of a row. Rows ascend. */
  add(row: number, value: string): void {
    const counts = this.#counts;
    const seen = this.#seen!;
    if (value.length === 1 || value.length === 2) this.#short.push(row);
    let before = DIRECT;
    for (let i = 0; i < value.length; i++) {
      const unit = value.charCodeAt(i);
      if (unit >= DIRECT) {
        this.#addOther(row, value.charAt(i));
        if (i > 0) this.#addOther(row, value.slice(i - 1, i + 1));
        before = DIRECT;
        continue;
      }
      const single = placeOf(unit);
      if (seen[single] !== row + 1) {
        seen[single] = row + 1;
        counts[single]!++;
      }
      if (before < DIRECT) {
        const pair = placeOf(before, unit);
        if (seen[pair] !== row + 1) {
          seen[pair] = row + 1;
          counts[pair]!++;
        }
      } else if (i > 0) this.#addOther(row, value.slice(i - 1, i + 1));
      before = unit;
    }
  }

  #addOther(row: number, text: string): void {
    const others = this.#others;
    const known = others?.get(text);
    if (others === undefined || known?.seen === row + 1) return;
    if (known !== undefined) {
      known.count++;
      known.seen = row + 1;
    } else if (others.size < tuning.mostShortTexts) others.set(text, { count: 1, seen: row + 1 });
    else this.#others = undefined;
  }

  /** Called when all rows were added. */
  finish(): void {
    this.#seen = undefined;
  }

  /** The rows whose values have one or two characters, and so no trigram. */
  get rows(): readonly number[] {
    return this.#short;
  }

  /** How many values contain a string; `undefined` if it is neither of one nor of two characters, or not counted. */
  countOf(text: string): number | undefined {
    if (text.length < 1 || text.length > 2) return undefined;
    const [first, second] = [text.charCodeAt(0), text.length === 1 ? -1 : text.charCodeAt(1)];
    if (first < DIRECT && second < DIRECT) return this.#counts[placeOf(first, second)]!;
    return this.#others && (this.#others.get(text)?.count ?? 0);
  }

  get bytes(): number {
    return (
      this.#counts.byteLength +
      (this.#seen?.byteLength ?? 0) +
      8 * this.#short.length +
      BYTES_PER_OTHER * (this.#others?.size ?? 0)
    );
  }
}

/** What an entry of the map takes, approximately. */
const BYTES_PER_OTHER = 100;
