// The replacements for missing globals behave like the globals.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clone, Utf8Decoder, Utf8Encoder } from "../src/platform.ts";
import { settings } from "./property.ts";

const text = fc.string({ unit: "binary", maxLength: 20 });
const surrogates = fc.string({ unit: fc.constantFrom("a", "\ud800", "\udc00", "😀", "\ufeff") });
/** Bytes near UTF-8: such texts with some of their bytes replaced or lacking. */
const bytes = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(40), fc.integer({ min: -1, max: 255 })), { maxLength: 3 }))
  .map(([of, changes]) => {
    const all = [...new TextEncoder().encode(of)];
    for (const [at, byte] of changes)
      all.splice(at % (all.length + 1), 1, ...(byte < 0 ? [] : [byte]));
    return Uint8Array.from(all);
  });

const outcome = (run: () => string) => {
  try {
    return run();
  } catch (error) {
    return error instanceof TypeError ? "TypeError" : String(error);
  }
};

describe("UTF-8", () => {
  test("is encoded as the platform encodes it, also into too little room", () => {
    fc.assert(
      fc.property(fc.oneof(text, surrogates), fc.nat(40), (given, room) => {
        expect(new Utf8Encoder().encode(given)).toEqual(new TextEncoder().encode(given));
        const [mine, theirs] = [new Uint8Array(room), new Uint8Array(room)];
        const written = new Utf8Encoder().encodeInto(given, mine);
        expect(written).toEqual(new TextEncoder().encodeInto(given, theirs));
        expect(mine).toEqual(theirs);
      }),
      settings(500),
    );
  });

  test("is decoded as the platform decodes it, whatever the bytes are", () => {
    fc.assert(
      fc.property(
        fc.oneof(bytes, fc.uint8Array()),
        fc.boolean(),
        fc.boolean(),
        (given, fatal, ignoreBOM) => {
          const [mine, theirs] = [Utf8Decoder, TextDecoder].map((decoder) =>
            outcome(() => new decoder("utf-8", { fatal, ignoreBOM }).decode(given)),
          );
          expect(mine).toBe(theirs);
        },
      ),
      settings(500),
    );
  });

  test("long texts", () => {
    const long = "aä😀".repeat(5000);
    expect(new Utf8Decoder().decode(new Utf8Encoder().encode(long))).toBe(long);
  });

  test("other encodings are refused", () => {
    expect(() => new Utf8Decoder("windows-1252")).toThrow(RangeError);
    expect(new Utf8Decoder("UTF8").encoding).toBe("utf-8");
  });
});

describe("copies", () => {
  test("are those of the platform", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
        }),
        (given) => {
          expect(clone(given)).toEqual(structuredClone(given));
        },
      ),
      settings(500),
    );
  });

  test("share nothing, and keep circles", () => {
    const circle: Record<string, unknown> = { list: [1n, undefined], ["__proto__"]: 5 };
    circle.self = circle;
    const copy = clone(circle);
    expect(copy).not.toBe(circle);
    expect(copy.self).toBe(copy);
    expect(copy.list).not.toBe(circle.list);
    expect(copy).toEqual(structuredClone(circle));
  });

  test("of functions there are none", () => {
    expect(() => clone({ run: () => 5 })).toThrow(TypeError);
    expect(() => clone([Symbol("a")])).toThrow(TypeError);
  });
});
