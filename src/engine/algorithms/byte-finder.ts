// Finds a byte, or a pair of consecutive bytes, four bytes at a time: JavaScript has no `memchr` that is compiled into
// the loop around it.
//
// Source of the test for a byte of 0: H. S. Warren, Hacker's Delight, 6-1.

export class ByteFinder {
  readonly #bytes: Uint8Array;
  /** The same memory as 32-bit words. */
  readonly #words: Int32Array;
  /** How many bytes the first word starts before the first byte. */
  readonly #skew: number;

  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset, length } = bytes;
    this.#bytes = bytes;
    this.#skew = byteOffset & 3;
    this.#words = new Int32Array(buffer, byteOffset - this.#skew, (this.#skew + length) >>> 2);
  }

  /** The position of the first such byte in `[from, end)`; `end` if there is none. */
  find(byte: number, from: number, end: number): number {
    const [bytes, words, skew] = [this.#bytes, this.#words, this.#skew];
    const pattern = Math.imul(byte, 0x01010101);
    for (let at = from; at < end; at++) {
      if (((at + skew) & 3) === 0) {
        const last = (end + skew) >>> 2;
        let word = (at + skew) >>> 2;
        // Invariant: the words left of `word` do not contain the byte.
        while (word < last && zerosIn(words[word]! ^ pattern) === 0) word++;
        at = word * 4 - skew;
        if (at >= end) return end;
      }
      if (bytes[at] === byte) return at;
    }
    return end;
  }

  /** The position of the first such pair in `[from, end)`; `end` if there is none. */
  findPair(first: number, second: number, from: number, end: number): number {
    const [bytes, words, skew] = [this.#bytes, this.#words, this.#skew];
    const pattern = Math.imul(first, 0x01010101);
    const following = Math.imul(second, 0x01010101);
    for (let at = from; at + 1 < end; at++) {
      if (((at + skew) & 3) === 0) {
        // The next word is read as well.
        const last = ((end + skew) >>> 2) - 1;
        let word = (at + skew) >>> 2;
        // Invariant: no pair begins in the words left of `word`.
        for (; word < last; word++) {
          const here = words[word]!;
          const after = IS_LITTLE_ENDIAN
            ? (here >>> 8) | (words[word + 1]! << 24)
            : (here << 8) | (words[word + 1]! >>> 24);
          if ((zerosIn(here ^ pattern) & zerosIn(after ^ following)) !== 0) break;
        }
        at = word * 4 - skew;
      }
      if (bytes[at] === first && bytes[at + 1] === second) return at;
    }
    return end;
  }
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/**
 * Non-zero if one of the four bytes is 0: the highest bit of each zero byte is set, and perhaps that of a 1 next to it.
 */
function zerosIn(word: number): number {
  return (word - 0x01010101) & ~word & 0x80808080;
}
