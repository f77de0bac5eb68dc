// The checksum of a page of a file: xxHash32, which JavaScript computes at two to three bytes a
// nanosecond. It detects every error within one word of four bytes, and all but one in 2^32 of the
// others. It is not a signature: an attacker can compute matching checksums.
//
// Source: Y. Collet, "XXH32 Algorithm description", in the xxHash specification.

const PRIME_1 = 0x9e3779b1;
const PRIME_2 = 0x85ebca77;
const PRIME_3 = 0xc2b2ae3d;
const PRIME_4 = 0x27d4eb2f;
const PRIME_5 = 0x165667b1;

/** The xxHash32 of some bytes, with seed 0, as an unsigned number. */
export function checksumOf(bytes: Uint8Array): number {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >>> 2);
  let word = 0;
  let hash = PRIME_5;
  if (words.length >= 4) {
    let a = (PRIME_1 + PRIME_2) | 0;
    let b = PRIME_2 | 0;
    let c = 0;
    let d = -PRIME_1 | 0;
    for (const end = words.length - 3; word < end; word += 4) {
      a = round(a, words[word] ?? 0);
      b = round(b, words[word + 1] ?? 0);
      c = round(c, words[word + 2] ?? 0);
      d = round(d, words[word + 3] ?? 0);
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  }
  hash = (hash + bytes.length) | 0;
  for (; word < words.length; word++) {
    hash = Math.imul(rotate((hash + Math.imul(words[word] ?? 0, PRIME_3)) | 0, 17), PRIME_4);
  }
  for (let i = words.length * 4; i < bytes.length; i++) {
    hash = Math.imul(rotate((hash + Math.imul(bytes[i] ?? 0, PRIME_5)) | 0, 11), PRIME_1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function round(lane: number, word: number): number {
  return Math.imul(rotate((lane + Math.imul(word, PRIME_2)) | 0, 13), PRIME_1);
}

function rotate(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by));
}
