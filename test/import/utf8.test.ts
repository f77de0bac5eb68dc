// UTF-8: the first invalid byte, where characters begin, and converting other encodings.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/index.ts";
import {
  concat,
  decodeAnyway,
  decodeUtf8,
  firstBad,
  lastBoundary,
  transcoderOf,
} from "../../src/import/utf8.ts";
import { settings } from "../property.ts";
import { thrownBy } from "../rules/fixtures.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** The first and last characters of each length, and around the surrogates. */
const CHARACTERS = [
  ...["\0", "a", "\x7f", "\x80", "\u07ff", "\u0800", "\u0fff", "\u1000", "\ud7ff", "\ue000"],
  ...["\ufeff", "\uffff", "\u{10000}", "\u{3ffff}", "\u{40000}", "\u{100000}", "\u{10ffff}"],
];

/** Bytes at each bound of RFC 3629's table. */
const BOUNDS = [
  ...[0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf],
  ...[0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
];

const texts = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 12 });

/** The longest start that is UTF-8 ends where the first bad sequence begins. */
function referenceOf(bytes: Uint8Array): number {
  const strict = new TextDecoder("utf-8", { fatal: true });
  for (let end = bytes.length; end > 0; end--) {
    try {
      strict.decode(bytes.subarray(0, end));
      return end === bytes.length ? -1 : end;
    } catch {
      // Shorter, then.
    }
  }
  return bytes.length === 0 ? -1 : 0;
}

describe("the first bad sequence", () => {
  test("is found for every two bytes at the bounds of the table, and what may follow them", () => {
    for (const first of BOUNDS) {
      for (const second of BOUNDS) {
        for (const rest of [[], [0x80], [0x80, 0xbf], [0x80, 0x7f], [0xc0, 0x80], [0x41, 0x41]]) {
          const bytes = Uint8Array.of(first, second, ...rest);
          expect([...bytes, firstBad(bytes)]).toEqual([...bytes, referenceOf(bytes)]);
        }
      }
    }
  });

  test("is found behind any text, at any distance", () => {
    const tails = fc.array(fc.constantFrom(...BOUNDS), { maxLength: 5 });
    fc.assert(
      fc.property(texts, tails, texts, (before, bad, after) => {
        const bytes = concat([
          encode(before.join("")),
          Uint8Array.from(bad),
          encode(after.join("")),
        ]);
        expect(firstBad(bytes)).toBe(referenceOf(bytes));
        expect(decodeUtf8(bytes) === undefined).toBe(referenceOf(bytes) >= 0);
      }),
      settings(300),
    );
  });
});

test("a text that is cut anywhere ends with its last whole character", () => {
  fc.assert(
    fc.property(texts, (characters) => {
      const bytes = encode(characters.join(""));
      let start = 0;
      for (const character of characters) {
        const end = start + encode(character).length;
        for (let cut = start; cut < end; cut++) {
          expect(lastBoundary(bytes.subarray(0, cut))).toBe(start);
        }
        start = end;
      }
      expect(lastBoundary(bytes)).toBe(bytes.length);
    }),
    settings(100),
  );
  // No character has so many: this is for whoever looks for bad sequences.
  expect(lastBoundary(new Uint8Array(5).fill(0x80))).toBe(5);
});

test("a byte order mark is a character like any other, and bad bytes are replaced if one asks", () => {
  expect(decodeUtf8(encode("\ufeffa"))).toBe("\ufeffa");
  expect(decodeAnyway(encode("\ufeffa"))).toBe("\ufeffa");
  expect(decodeAnyway(Uint8Array.of(0x61, 0xff, 0x62))).toBe("a\ufffdb");
});

test("parts are copied one after the other", () => {
  const parts = [[1, 2], [], [3]].map((each) => Uint8Array.from(each));
  const whole = concat(parts);
  parts[0]?.fill(9);
  expect([...whole]).toEqual([1, 2, 3]);
  expect(concat([])).toHaveLength(0);
});

describe("another encoding", () => {
  test("becomes UTF-8, also where a character is cut", () => {
    const transcode = transcoderOf("utf-16le");
    const pieces = [[0x3d], [0xd8, 0x00], [0xde, 0x61, 0x00]].map((each) => Uint8Array.from(each));
    const out = [...pieces, undefined].map((piece) => transcode?.(piece) ?? encode("?"));
    expect(decodeUtf8(concat(out))).toBe("\u{1f600}a");
  });

  test("is none if it is UTF-8 by any of its names", () => {
    for (const name of ["utf-8", "UTF8", "unicode-1-1-utf-8"]) {
      expect(transcoderOf(name)).toBeUndefined();
    }
  });

  test("must be known, and its text whole", () => {
    for (const encoding of ["utf-9", "", 8, null]) {
      expect(thrownBy(InputError, () => transcoderOf(encoding)).path).toBe("options.encoding");
    }
    const cut = transcoderOf("utf-16le");
    cut?.(Uint8Array.of(0x3d, 0xd8));
    const error = thrownBy(InputError, () => cut?.());
    expect([error.path, error.reason]).toEqual(["source", "is not utf-16le"]);
  });
});
