// LZ4: blocks and frames whose content is known because they are made of the same sequences.

import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBlock, decodeFrame, decodeHadoop } from "../../src/import/lz4.ts";
import { settings } from "../property.ts";

/** Bytes, and then bytes that are repeated from so far back. */
interface Sequence {
  readonly literals: Uint8Array;
  readonly back: number;
  readonly count: number;
}

const sequence = fc.record({
  literals: fc.uint8Array({ minLength: 1, maxLength: 600 }),
  back: fc.nat(500),
  count: fc.oneof(fc.integer({ min: 4, max: 30 }), fc.integer({ min: 4, max: 900 })),
});
const sequences = fc.array(sequence, { maxLength: 6 });
const last = fc.uint8Array({ maxLength: 40 });

/** The bytes after the four bits of a length. */
function lengthBytes(length: number): number[] {
  const bytes: number[] = [];
  for (let left = length - 15; left >= 0; left -= 255) bytes.push(Math.min(left, 255));
  return bytes;
}

/** A block, whose content is added to what comes before it. */
function encode(all: readonly Sequence[], end: Uint8Array, content: number[]): number[] {
  const block: number[] = [];
  for (const { literals, back: given, count } of all) {
    content.push(...literals);
    const back = 1 + (given % content.length);
    for (let i = 0; i < count; i++) content.push(content.at(-back) ?? 0);
    const length = count - 4;
    block.push((Math.min(literals.length, 15) << 4) | Math.min(length, 15));
    block.push(...lengthBytes(literals.length), ...literals, back & 255, back >> 8);
    block.push(...lengthBytes(length));
  }
  content.push(...end);
  block.push(Math.min(end.length, 15) << 4, ...lengthBytes(end.length), ...end);
  return block;
}

const uint32 = (value: number) => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);

/** A frame of blocks that may refer to earlier ones; the last is not compressed. */
function frameOf(blocks: readonly number[][], plain: Uint8Array, hasSize: boolean): Uint8Array {
  const head = [4, 0x22, 0x4d, 0x18, 0x40 | (hasSize ? 8 : 0), 0x40];
  const size = hasSize ? [0, 0, 0, 0, 0, 0, 0, 0] : [];
  const parts = blocks.flatMap((block) => [...uint32(block.length), ...block]);
  const stored = plain.length === 0 ? [] : [...uint32(plain.length | 0x8000_0000), ...plain];
  return Uint8Array.from([...head, ...size, 0, ...parts, ...stored, 0, 0, 0, 0]);
}

test("a block is the content that it was made of", () => {
  fc.assert(
    fc.property(sequences, last, (all, end) => {
      const content: number[] = [];
      const block = Uint8Array.from(encode(all, end, content));
      const { length } = content;
      expect(decodeBlock(block, length)).toEqual(Uint8Array.from(content));
      const big = (value: number) => uint32(value).reverse();
      const hadoop = Uint8Array.from([...big(length), ...big(block.length), ...block]);
      for (const bytes of [block, hadoop]) {
        expect(decodeHadoop(bytes, length)).toEqual(Uint8Array.from(content));
      }
    }),
    settings(200),
  );
});

test("a frame is that of its blocks, also if they refer to earlier ones", () => {
  const blocks = fc.array(fc.tuple(sequences, last), { maxLength: 4 });
  fc.assert(
    fc.property(blocks, last, fc.boolean(), (all, plain, hasSize) => {
      const content: number[] = [];
      const encoded = all.map(([sequences, end]) => encode(sequences, end, content));
      const frame = frameOf(encoded, plain, hasSize);
      const whole = Uint8Array.from([...content, ...plain]);
      expect(decodeFrame(frame, whole.length)).toEqual(whole);
      expect(decodeHadoop(frame, whole.length)).toEqual(whole);
      expect(() => decodeFrame(frame, whole.length + 1)).toThrow("its LZ4 data is damaged");
    }),
    settings(100),
  );
});

test("damaged bytes are an error or other content, of the expected length", () => {
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
  fc.assert(
    fc.property(sequences, last, damage, fc.nat(), (all, end, changes, cut) => {
      const content: number[] = [];
      const bytes = frameOf([encode(all, end, content)], end, false);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      for (const decode of [decodeFrame, decodeBlock, decodeHadoop]) {
        try {
          const part = bytes.subarray(0, bytes.length - (cut % bytes.length));
          expect(decode(part, content.length)).toHaveLength(content.length);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }
    }),
    settings(300),
  );
});
