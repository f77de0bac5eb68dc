// gzip as zlib writes it, in pieces of any size; and damaged gzip, of which no other bytes may come.

import { constants, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gunzip } from "../../src/import/gunzip.ts";
import { InputError } from "../../src/index.ts";
import { settings } from "../property.ts";

/** Decompresses pieces that lie in the same memory, one after the other. */
function unpacked(packed: Uint8Array, size: number): Buffer {
  const unpacking = gunzip();
  const memory = new Uint8Array(size);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < packed.length; at += size) {
    const piece = packed.subarray(at, at + size);
    memory.set(piece);
    for (const part of unpacking.push(memory.subarray(0, piece.length))) parts.push(part.slice());
  }
  unpacking.end();
  return Buffer.concat(parts);
}

const { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE } = constants;

/** From none to all of it repeated, near and far. */
const data = fc
  .tuple(
    fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 5 }),
    fc.array(fc.nat(4), { maxLength: 300 }),
    fc.constantFrom(1, 1, 40, 2000),
  )
  .map(([words, order, times]) => {
    const once = Buffer.concat(
      order.map((each) => words[each % words.length] ?? new Uint8Array(0)),
    );
    return Buffer.concat(Array<Buffer>(times).fill(once)).subarray(0, 600_000);
  });

const member = fc
  .record({
    data,
    level: fc.constantFrom(0, 1, 6, 9),
    strategy: fc.constantFrom(Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE),
    windowBits: fc.constantFrom(9, 12, 15),
    memLevel: fc.constantFrom(1, 8),
  })
  .map(({ data, ...options }) => ({ data, packed: gzipSync(data, options) }));

/** At least a hundred pieces of large data would only take time. */
const sizeFor = (length: number) =>
  fc.constantFrom(1, 2, 7, 100, 5000).map((size) => Math.max(size, Math.floor(length / 5000), 1));

describe("gzip", () => {
  test("is decompressed as zlib packed it, whatever the block, the window and the pieces", () => {
    const holds = fc.property(
      fc.array(member, { minLength: 1, maxLength: 3 }),
      fc.nat(20),
      fc.nat(),
      (members, zeros, seed) => {
        const all = Buffer.concat(members.map(({ packed }) => packed));
        const [size = 1] = fc.sample(sizeFor(all.length), { seed, numRuns: 1 });
        const expected = Buffer.concat(members.map(({ data }) => data));
        const padded = Buffer.concat([all, Buffer.alloc(zeros)]);
        expect(unpacked(padded, size).equals(expected)).toBe(true);
      },
    );
    fc.assert(holds, settings(100));
  });

  test("that is damaged or truncated is refused, or has the same bytes", () => {
    const holds = fc.property(
      member,
      fc.nat(),
      fc.nat(7),
      fc.boolean(),
      ({ data, packed }, at, bit, isCut) => {
        const place = at % packed.length;
        const damaged = Buffer.from(isCut ? packed.subarray(0, place) : packed);
        if (!isCut) damaged.writeUInt8(damaged.readUInt8(place) ^ (1 << bit), place);
        let found: Buffer | undefined;
        try {
          found = unpacked(damaged, 1000);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
        if (found !== undefined) expect(found.equals(data)).toBe(true);
      },
    );
    fc.assert(holds, settings(500));
  });

  /** A header with these flags, and what they announce. */
  const withHeader = (flags: number, ...more: (string | number[])[]) =>
    Buffer.concat([
      Buffer.from([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255]),
      ...more.map((each) => Buffer.from(each)),
      gzipSync("text").subarray(10),
    ]);

  test.each([
    ["an extra field", withHeader(4, [3, 0, 1, 2, 3])],
    ["a name", withHeader(8, "name\0")],
    ["a comment", withHeader(16, "comment\0")],
    ["a check of the header", withHeader(2, [1, 2])],
    ["all of them", withHeader(31, [1, 0, 9], "name\0", "comment\0", [1, 2])],
  ])("may have %s", (_, packed) => {
    for (const size of [1, 3, packed.length])
      expect(unpacked(packed, size).toString()).toBe("text");
  });

  test.each([
    [
      "another method",
      Buffer.from([0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 0]),
      "unknown compression method",
    ],
    ["unknown flags", withHeader(0x80), "unknown header flags set"],
    [
      "a block of no kind",
      Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 7]),
      "invalid block type",
    ],
  ])("with %s is refused", (_, packed, reason) => {
    expect(() => unpacked(packed, 100)).toThrow(`is damaged gzip: ${reason}`);
  });
});
