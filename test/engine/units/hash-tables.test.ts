// Every hash table gives what a Map would, whatever its seed and its thresholds are: also values that it added before it
// grew, or before too many collided, and those of which a search takes too many steps.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../../src/engine/algorithms/steps.ts";
import { StringColumn } from "../../../src/engine/columns/columns/string-column.ts";
import { UniqueValues } from "../../../src/engine/columns/unique-values.ts";
import { NumberCoder } from "../../../src/engine/indexes/number-coder.ts";
import { StringTable } from "../../../src/engine/indexes/string-table.ts";
import type { TextValue } from "../../../src/schema/field.ts";
import { createCollection, defineSchema, int, string } from "../../../src/index.ts";
import { openCollection, saveCollection } from "../../../src/arrow/index.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";
import { ADVERSARY_SEED, textsOfOneColumnHash } from "../adversaries.ts";

/** With few steps, some of any strings collide too often. */
const thresholds = fc
  .record({
    hashSeed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    firstSlots: fc.constantFrom(2, 4, 16),
    mostSteps: fc.constantFrom(1, 2, 3, 4, 6, 256),
    fewNumbers: fc.constantFrom(2, 16, 4096),
    mostNumberSteps: fc.constantFrom(1, 2, 32),
  })
  .map(({ hashSeed, ...others }) => ({ ...others, hashSeed: () => hashSeed }));

const words = fc.oneof(
  fc.constantFrom("", "0", "2024", "__proto__", "\u0000", "é", "\u{1f600}", "\uffff", "\u0080"),
  fc.string({ unit: fc.constantFrom("a", "b", "é", "\u{1f600}"), maxLength: 9 }),
  fc.nat({ max: 200 }).map((i) => `value ${i}`),
);
/** Many occur again, with any number of others in between. */
const texts: fc.Arbitrary<TextValue[]> = fc
  .tuple(fc.array(fc.option(words, { freq: 9 }), { maxLength: 60 }), fc.nat({ max: 300 }))
  .chain(([some, count]) =>
    fc.shuffledSubarray([
      ...some,
      ...some,
      ...Array.from({ length: count }, (_, i) => `other ${i}`),
      ...some,
    ]),
  );

const utf8 = new TextEncoder();

test("a column of strings has the string of each row, once each; also a copy, and one of the same size", () => {
  const ways = fc.array(fc.constantFrom("text", "bytes", "copy", "refused"), { minLength: 1 });
  fc.assert(
    fc.property(thresholds, texts, ways, (values, given, how) => {
      using _ = tuned(values);
      let like: StringColumn | undefined;
      for (let round = 0; round < 2; round++) {
        let column = new StringColumn("text", undefined, like);
        column.grow(given.length);
        for (const [row, text] of given.entries()) {
          const way = how[row % how.length];
          if (text === null) column.setNull(row);
          else if (way === "text") column.setText(row, text);
          else {
            if (way === "copy") column = column.copy("text");
            // What is not UTF-8 is refused, and changes nothing.
            if (way === "refused") {
              const broken = Uint8Array.of(...utf8.encode(text), 0x80);
              expect(column.setBytes(row, broken, 0, broken.length)).toBe(false);
            }
            const bytes = Uint8Array.of(0x22, ...utf8.encode(text), 0x22);
            expect(column.setBytes(row, bytes, 1, bytes.length - 1)).toBe(true);
          }
        }
        like = column;
        const { values: found, codes } = column.finish(given.length);
        expect(Array.from(codes, (code) => found.at(code))).toEqual(given);
        expect(found.length).toBe(new Set([...given, null]).size);
      }
    }),
    settings(200),
  );
});

test("the first row of a value that must be unique is found, also after others were refused", () => {
  fc.assert(
    fc.property(thresholds, texts, (values, given) => {
      using _ = tuned(values);
      const unique = new UniqueValues();
      for (const [row, text] of given.entries()) {
        const earlier = text === null ? -1 : given.indexOf(text);
        expect(unique.add(text)).toBe(earlier === row ? -1 : earlier);
      }
    }),
    settings(200),
  );
});

test("a table of strings has all of them and no others, or there is none", () => {
  fc.assert(
    fc.property(thresholds, texts, fc.array(words), (values, given, others) => {
      using _ = tuned(values);
      const distinct = [...new Set(given)];
      const table = finish(StringTable.building(distinct));
      // What a table finds does not depend on the thresholds of another one.
      using _2 = tuned({ mostSteps: 1 });
      for (const text of [...given, ...others]) {
        if (table !== null && text !== null) expect(table.find(text)).toBe(distinct.indexOf(text));
      }
    }),
    settings(200),
  );
});

test("numbers get the codes of their order", () => {
  const integers = fc.oneof(
    fc.integer({ min: -20, max: 20 }),
    fc.maxSafeInteger(),
    fc.constantFrom(2 ** 32, -(2 ** 32), 2 ** 31, 2 ** 53 - 1),
  );
  const floats = fc.oneof(
    integers,
    fc.integer({ min: -99, max: 99 }).map((i) => i / 8),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => number + 0),
  );
  const columns = fc.boolean().chain((areIntegers) =>
    fc.record({
      areIntegers: fc.constant(areIntegers),
      isCounted: fc.boolean(),
      given: fc
        .array(fc.option(areIntegers ? integers : floats), { maxLength: 80 })
        .chain((some) => fc.shuffledSubarray([...some, ...some])),
    }),
  );
  fc.assert(
    fc.property(thresholds, columns, (values, { areIntegers, isCounted, given }) => {
      using _ = tuned(values);
      const rows = given.length;
      const coder = new NumberCoder(areIntegers, isCounted ? rows : undefined);
      coder.grow(rows);
      for (const [row, number] of given.entries()) {
        if (number === null) coder.setNull(row);
        else coder.set(row, number);
      }
      const { numbers, codes } = finish(coder.finishing(rows));
      const distinct = new Set(given.filter((number) => number !== null));
      expect([...numbers.subarray(1)]).toEqual([...distinct].sort((a, b) => a - b));
      expect(Array.from(codes, (code) => (code === 0 ? null : numbers[code]))).toEqual(given);
    }),
    settings(200),
  );
});

describe("strings that were made to collide in a column", () => {
  const Row = defineSchema({ no: int({ unique: true }), name: string() });

  test("are stored once each, although the table grows between, in memory and in a file", () => {
    using _ = tuned({ hashSeed: () => ADVERSARY_SEED });
    const crafted = textsOfOneColumnHash(ADVERSARY_SEED, 300);
    const filler = Array.from({ length: 600 }, (_, i) => `other ${i}`);
    const names = [...crafted, ...filler, ...crafted];
    const collection = createCollection(
      Row,
      names.map((name, no) => ({ no, name })),
      { storage: "columns" },
    );
    expect(collection.summary("name").distinct).toBe(900);
    const opened = openCollection(saveCollection(collection), { schema: Row, verify: true });
    for (const each of [collection, opened]) {
      const counts = crafted.map((name) => each.count([["name", "exactly", name]]));
      expect(new Set(counts)).toEqual(new Set([2]));
    }
  });

  test("do not collide in a table with another seed", () => {
    const crafted = textsOfOneColumnHash(ADVERSARY_SEED, 300);
    const bytesWith = (seed: number) => {
      using _ = tuned({ hashSeed: () => seed });
      const column = new StringColumn("text");
      column.grow(crafted.length);
      for (const [row, text] of crafted.entries()) column.setText(row, text);
      return column.bytes;
    };
    // A Map replaces the table.
    expect(bytesWith(1)).toBeLessThan(bytesWith(ADVERSARY_SEED));
  });
});
