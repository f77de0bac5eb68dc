// Where the strings are that a program asks for again and again: found once more by a few of their characters, and one
// comparison.

/** How many are remembered. */
const PLACES = 1024;

/** Searching for so few characters is as fast as remembering. */
export const SHORT = 8;

/** The positions of strings that were found, by their marks. */
export class LastFound {
  /** For each place a mark, and the position + 1 of the string with it that was found last. */
  readonly #entries = new Int32Array(2 * PLACES);

  /** The position of the string with this mark that was found last, or −1. The string may be another one. */
  get(mark: number): number {
    const at = placeOf(mark);
    // A string with another mark is another: comparing it would read it from memory.
    return this.#entries[at] === mark ? this.#entries[at + 1]! - 1 : -1;
  }

  set(mark: number, position: number): void {
    const at = placeOf(mark);
    this.#entries[at] = mark;
    this.#entries[at + 1] = position + 1;
  }
}

const placeOf = (mark: number) => 2 * ((mark ^ (mark >>> 10)) & (PLACES - 1));

/** A number made of a few characters of a string that is not short, in a fraction of the time of hashing all. */
export function markOf(text: string): number {
  const { length } = text;
  const third = (length / 3) | 0;
  let mark = length;
  mark = Math.imul(mark, 31) + text.charCodeAt(length - 1);
  mark = Math.imul(mark, 31) + text.charCodeAt(length - 2);
  mark = Math.imul(mark, 31) + text.charCodeAt(third << 1);
  mark = Math.imul(mark, 31) + text.charCodeAt(third);
  mark = Math.imul(mark, 31) + text.charCodeAt(1);
  mark = Math.imul(mark, 31) + text.charCodeAt(0);
  return mark | 0;
}
