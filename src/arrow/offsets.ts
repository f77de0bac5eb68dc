// Where strings start in the bytes of a dictionary, and postings in those of all trigrams: numbers of 32 bits, or of 64
// if these do not suffice. In memory, those of 64 bits are floating-point numbers: a file has less than 2^53 bytes.

/** Offsets in memory. */
export type Offsets = Int32Array | Uint32Array | Float64Array;

/** How many bytes of a kind there may be in a file for offsets of 32 bits; Arrow's are signed. Tests lower them. */
export const narrowLimits = { text: 2 ** 31 - 1, postings: 2 ** 32 - 1 };

/** How many bytes an offset has in a file. */
export const NARROW = 4;
export const WIDE = 8;

/** The offsets as int64, two words each, the lower one first. */
export function wideBytes(offsets: Offsets): Uint8Array {
  const words = new Int32Array(2 * offsets.length);
  for (let i = 0; i < offsets.length; i++) {
    words[2 * i] = offsets[i]! % 2 ** 32;
    words[2 * i + 1] = Math.floor(offsets[i]! / 2 ** 32);
  }
  return new Uint8Array(words.buffer);
}

/** The offsets of int64. Those beyond 2^53 are not exact, but lead out of any file all the same. */
export function numbersOf(words: Int32Array): Float64Array {
  const offsets = new Float64Array(words.length / 2);
  for (let i = 0; i < offsets.length; i++) {
    offsets[i] = words[2 * i + 1]! * 2 ** 32 + (words[2 * i]! >>> 0);
  }
  return offsets;
}
