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
  const words = wordsOf(bytes);
  let hash = hashOfWords(words, 0, words.length, bytes.length);
  for (let i = words.length * 4; i < bytes.length; i++) {
    hash = Math.imul(rotate((hash + Math.imul(bytes[i]!, PRIME_5)) | 0, 11), PRIME_1);
  }
  return mixed(hash);
}

/** The checksum of the words from one position up to another: that of their bytes. */
export function checksumOfWords(words: Int32Array, from: number, to: number): number {
  return mixed(hashOfWords(words, from, to, 4 * (to - from)));
}

/** The complete words of some bytes; a copy if the bytes do not start at a multiple of 4 in their buffer. */
export function wordsOf(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Int32Array(buffer, byteOffset, length >>> 2);
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

/** The final mix. */
function mixed(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** With primes in the code: a bundler makes variables of constants, which V8 reads and checks at each use. */
function round(lane: number, word: number): number {
  return Math.imul(rotate((lane + Math.imul(word, 0x85ebca77 | 0)) | 0, 13), 0x9e3779b1 | 0);
}

function rotate(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by));
}
