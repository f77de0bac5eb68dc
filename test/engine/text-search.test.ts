// Text searches, one after the other as somebody types, compared with the predicate: in columns, whose
// distinct values are bytes, in merged ones, and in objects.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteFinder } from "../../src/engine/algorithms/byte-finder.ts";
import { loadCollection, readNdjson } from "../../src/import/index.ts";
import { compileCriteria, createCollection, defineSchema, int, string } from "../../src/index.ts";
import { settings } from "../property.ts";

const Row = defineSchema({
  id: int(),
  text: string({ nullable: true }),
  folded: string({ nullable: true, ignoreCase: true }),
});

/**
 * Characters of each length in UTF-8, some with the same first or last bytes; NUL; and those of which lower case
 * has another length, or is that of another character.
 */
const CHARACTERS = [
  ...Array.from("ab01 "),
  "\0",
  ...Array.from("éèñиѱ中丂"),
  "\uffff",
  "\u{10000}",
  "\u{1f600}",
  "\u{1f601}",
  ...Array.from("AÉİIıßẞſKΣσς"),
  "\u0307",
];
const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 12 }),
  fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 }),
);

interface Typed {
  readonly field: "text" | "folded";
  readonly operator: "contains" | "ends_with";
  readonly text: string;
}

/** The prefixes of what is typed; or its ends, as of a text that is typed backwards. */
const typed = (wanted: fc.Arbitrary<string>): fc.Arbitrary<Typed[]> =>
  fc
    .record({
      field: fc.constantFrom("text" as const, "folded" as const),
      operator: fc.constantFrom("contains" as const, "ends_with" as const),
      text: wanted,
      isBackwards: fc.boolean(),
    })
    .map(({ text, isBackwards, ...rest }) => {
      const characters = Array.from(text);
      return characters.map((_, i) => {
        const part = isBackwards ? characters.slice(-i - 1) : characters.slice(0, i + 1);
        return { ...rest, text: part.join("") };
      });
    });

const cases = fc
  .array(fc.option(texts, { nil: null, freq: 8 }), { maxLength: 60 })
  .chain((values) => {
    // Parts of values, and of what the bytes of neighbours are together.
    const sorted = values.flatMap((value) => value ?? []).toSorted();
    const within = fc.tuple(
      fc.constant(Array.from(sorted.join(""))),
      fc.nat(),
      fc.integer({ min: 0, max: 8 }),
    );
    const parts = within.map(([all, from, length]) => {
      const start = from % Math.max(1, all.length);
      return all.slice(start, start + length).join("");
    });
    const searches = fc.array(typed(fc.oneof(parts, texts)), { minLength: 1, maxLength: 6 });
    return fc.record({
      values: fc.constant(values),
      // What is typed in one place is sometimes typed in another meanwhile.
      searches: searches.chain((all) =>
        fc.oneof(fc.constant(all.flat()), fc.shuffledSubarray(all.flat())),
      ),
    });
  });

describe("a text that is searched for letter by letter", () => {
  test("is found in the values in which the predicate finds it", () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ values, searches }, nth) => {
        const records = values.map((text, id) => ({ id, text, folded: text }));
        const load = (from: typeof records) => {
          const ndjson = from.map((record) => JSON.stringify(record)).join("\n");
          return loadCollection(Row, readNdjson(ndjson, { schema: Row }));
        };
        const half = records.length >>> 1;
        const forms = [
          load(records),
          load(records.slice(0, half)).insert(records.slice(half)).compact(),
          createCollection(Row, records).prepare({ match: ["text", "folded"] }),
        ];
        const expectFound = (...criteria: Typed[]) => {
          const list = criteria.map(
            ({ field, operator, text }) => [field, operator, text] as const,
          );
          const matches = compileCriteria(Row, list);
          const wanted = records.filter(matches);
          const gone = wanted[nth % Math.max(1, wanted.length)]?.id ?? -1;
          for (const collection of forms) {
            // They share what a search found, but one match is dead in the newer one.
            const newer = collection.remove([["id", "exactly", gone]]);
            for (const [version, rest] of [
              [newer, wanted.filter(({ id }) => id !== gone)],
              [collection, wanted],
            ] as const) {
              expect(version.count(list)).toBe(rest.length);
              expect(version.query({ criteria: list })).toEqual(rest);
            }
          }
        };
        for (const [i, search] of searches.entries()) {
          expectFound(search);
          const other = searches[(3 * i + 1) % searches.length];
          if (other !== undefined) expectFound(search, other);
        }
      }),
      settings(60),
    );
  });
});

test("a byte, or a pair, is found at its first position, wherever the bytes begin in memory and the search ends", () => {
  const bytes = fc.array(fc.constantFrom(0, 1, 0x61, 0x7f, 0x80, 0x81, 0xe1, 0xff), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(
      bytes,
      fc.nat({ max: 7 }),
      fc.nat({ max: 40 }),
      fc.nat({ max: 40 }),
      (all, skew, from, to) => {
        const memory = new Uint8Array(skew + all.length + 5).fill(0x61);
        memory.set(all, skew);
        const finder = new ByteFinder(memory.subarray(skew, skew + all.length));
        const end = Math.min(to, all.length);
        for (const byte of [0, 1, 0x61, 0x80, 0xff]) {
          const first = all.slice(0, end).findIndex((each, i) => i >= from && each === byte);
          expect(finder.find(byte, from, end)).toBe(first < 0 ? end : first);
          for (const next of [0, 1, 0x61, 0x7f, 0xff]) {
            const pair = all
              .slice(0, end)
              .findIndex(
                (each, i) => i >= from && each === byte && i + 1 < end && all[i + 1] === next,
              );
            expect(finder.findPair(byte, next, from, end)).toBe(pair < 0 ? end : pair);
          }
        }
      },
    ),
    settings(150),
  );
});
