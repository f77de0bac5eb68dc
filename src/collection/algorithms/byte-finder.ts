// Finds a byte among many, four at a time: JavaScript has no `memchr` that is compiled into the loop around it.
//
// Source of the test for a byte of 0: H. S. Warren, Hacker's Delight, 6-1.

export class ByteFinder {
  readonly #bytes: Uint8Array;
  /** The same memory as whole words. */
  readonly #words: Int32Array;
  /** How many bytes before the first one the first word begins. */
  readonly #skew: number;

  constructor(bytes: Uint8Array) {
    const { buffer, byteOffset, length } = bytes;
    this.#bytes = bytes;
    this.#skew = byteOffset & 3;
    this.#words = new Int32Array(buffer, byteOffset - this.#skew, (this.#skew + length) >>> 2);
  }

  /** The first position of a byte from one position on, if it is before another; otherwise that one. */
  find(byte: number, from: number, end: number): number {
    const [bytes, words, skew] = [this.#bytes, this.#words, this.#skew];
    const pattern = Math.imul(byte, 0x01010101);
    for (let at = from; at < end; at++) {
      if (((at + skew) & 3) === 0) {
        const last = (end + skew) >>> 2;
        let word = (at + skew) >>> 2;
        // Invariant: the words left of `word` do not have the byte.
        while (word < last && !hasZero(words[word]! ^ pattern)) word++;
        at = word * 4 - skew;
        if (at >= end) return end;
      }
      if (bytes[at] === byte) return at;
    }
    return end;
  }
}

/** Whether one of the four bytes is 0. */
function hasZero(word: number): boolean {
  return ((word - 0x01010101) & ~word & 0x80808080) !== 0;
}
