// The checksum of a page of a file: xxHash32, which JavaScript computes at two to three bytes a
// nanosecond. It detects every error within one word of four bytes, and all but one in 2^32 of the
// others. It is not a signature: an attacker can compute matching checksums.
//
// Source: Y. Collet, "XXH32 Algorithm description", in the xxHash specification.

// Signed, like the words: V8 handles unsigned ones above 2^31 more slowly.
const PRIME_1 = 0x9e3779b1 | 0;
const PRIME_2 = 0x85ebca77 | 0;
const PRIME_3 = 0xc2b2ae3d | 0;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;

/** The xxHash32 of some bytes, with seed 0, as an unsigned number. */
export function checksumOf(bytes: Uint8Array): number {
  return checksumIn(bytes, wordsOf(bytes), 0, bytes.length);
}

/**
 * The checksum of each page of so many bytes, a multiple of 4; the last page may have fewer. Pages are read in place: a
 * view of each would take as long as a third of its checksum.
 */
export function checksumsOf(bytes: Uint8Array, pageBytes: number): Uint32Array {
  const words = wordsOf(bytes);
  const checksums = new Uint32Array(Math.ceil(bytes.length / pageBytes));
  for (let page = 0; page < checksums.length; page++) {
    const from = page * pageBytes;
    const to = Math.min(bytes.length, from + pageBytes);
    checksums[page] = checksumIn(bytes, words, from, to);
  }
  return checksums;
}

/** The complete words of some bytes; a copy if the bytes do not start at a multiple of 4 in their buffer. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Int32Array(buffer, byteOffset, length >>> 2);
}

/** The checksum of a range of bytes. @param words those of all bytes; @param from a multiple of 4 */
function checksumIn(bytes: Uint8Array, words: Int32Array, from: number, to: number): number {
  const end = to >>> 2;
  let hash = hashOfWords(words, from >>> 2, end, to - from);
  for (let i = 4 * end; i < to; i++) {
    hash = Math.imul(rotate((hash + Math.imul(bytes[i]!, PRIME_5)) | 0, 11), PRIME_1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The hash before the bytes that are left. @param length how many bytes there are in all */
function hashOfWords(words: Int32Array, from: number, to: number, length: number): number {
  let word = from;
  let hash = PRIME_5;
  if (to - from >= 4) {
    let a = (PRIME_1 + PRIME_2) | 0;
    let b = PRIME_2;
    let c = 0;
    let d = -PRIME_1 | 0;
    for (; word <= to - 4; word += 4) {
      a = round(a, words[word]!);
      b = round(b, words[word + 1]!);
      c = round(c, words[word + 2]!);
      d = round(d, words[word + 3]!);
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  }
  hash = (hash + length) | 0;
  for (; word < to; word++) {
    hash = Math.imul(rotate((hash + Math.imul(words[word]!, PRIME_3)) | 0, 17), PRIME_4);
  }
  return hash;
}

/** With primes in the code: a bundler makes variables of constants, which V8 reads and checks at each use. */
function round(lane: number, word: number): number {
  return Math.imul(rotate((lane + Math.imul(word, 0x85ebca77 | 0)) | 0, 13), 0x9e3779b1 | 0);
}

function rotate(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by));
}
