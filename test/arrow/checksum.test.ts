// The checksum of pages is xxHash32 with seed 0: its published values, and the algorithm as its specification
// writes it, in numbers of any size.

import fc from "fast-check";
import { expect, test } from "vitest";
import { checksumOf } from "../../src/arrow/checksum.ts";
import { settings } from "../property.ts";

const PRIMES = [2654435761n, 2246822519n, 3266489917n, 668265263n, 374761393n] as const;
const [P1, P2, P3, P4, P5] = PRIMES;
const low = (n: bigint) => BigInt.asUintN(32, n);
const rotate = (n: bigint, by: bigint) => low(n << by) | (low(n) >> (32n - by));

function reference(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const wordAt = (at: number) => BigInt(view.getUint32(at, true));
  const lanes = [P1 + P2, P2, 0n, -P1];
  let at = 0;
  for (; at + 16 <= bytes.length; at += 16) {
    for (const [i, lane] of lanes.entries()) {
      lanes[i] = low(rotate(low(lane + wordAt(at + 4 * i) * P2), 13n) * P1);
    }
  }
  const turns = [1n, 7n, 12n, 18n];
  let hash =
    bytes.length < 16 ? P5 : lanes.reduce((sum, lane, i) => sum + rotate(lane, turns[i] ?? 0n), 0n);
  hash += BigInt(bytes.length);
  for (; at + 4 <= bytes.length; at += 4) hash = rotate(low(hash + wordAt(at) * P3), 17n) * P4;
  for (; at < bytes.length; at++) hash = rotate(low(hash + BigInt(bytes[at] ?? 0) * P5), 11n) * P1;
  hash = low(hash);
  hash = low((hash ^ (hash >> 15n)) * P2);
  hash = low((hash ^ (hash >> 13n)) * P3);
  return Number(hash ^ (hash >> 16n));
}

test.each([
  ["", 0x02cc5d05],
  ["a", 0x550d7456],
  ["abc", 0x32d153ff],
  ["Nobody inspects the spammish repetition", 0xe2293b2f],
])("of %j", (text, checksum) => {
  expect(checksumOf(new TextEncoder().encode(text))).toBe(checksum);
});

test("of bytes of any length, wherever they are in memory", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat({ max: 3 }), (bytes, shift) => {
      const memory = new Uint8Array(bytes.length + shift);
      memory.set(bytes, shift);
      expect(checksumOf(memory.subarray(shift))).toBe(reference(bytes));
    }),
    settings(200),
  );
});
