// The kept results of searches, compared with a list of everything kept.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSearch, Results, type Search } from "../../../src/collection/cache/results.ts";
import { parseCriteria } from "../../../src/criteria/parse.ts";
import { defineSchema, string } from "../../../src/index.ts";
import { settings } from "../../property.ts";
import { tuning } from "../../../src/collection/tuning.ts";

function textsFor(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `text ${i}`);
}

const Row = defineSchema(
  Object.fromEntries(["text", "", "0", "__proto__", ...textsFor(1000)].map((n) => [n, string()])),
  { form: "wire" },
);

function searchFor(text: string, field = "text", operator = "contains"): Search {
  const criterion = parseCriteria(Row, [[field, operator, text]]).groups[0]?.[0];
  if (criterion === undefined || !isSearch(criterion)) throw new Error("is no search");
  return criterion;
}

const keep = (results: Results, text: string, rows = 0, field?: string) =>
  results.keep(searchFor(text, field), new Uint32Array(rows), false);

/** Which texts it has, in their order; to look changes what is forgotten next. */
function held(results: Results, texts: readonly string[]): string[] {
  return texts.filter((text) => results.get(searchFor(text)) !== undefined);
}

describe("the results that were kept last", () => {
  const text = fc.oneof(
    fc.constantFrom("", "0", "2024", "__proto__", "constructor", "a", "ab", "𝒜"),
    fc.nat(150).map(String),
  );
  const step = fc.record({
    text,
    field: fc.constantFrom("text", "", "0", "__proto__"),
    operator: fc.constantFrom("contains" as const, "ends_with" as const),
    rows: fc.constantFrom(0, 1, 100, 1000, tuning.mostResultRows / 2),
    isKept: fc.boolean(),
  });

  test("are what was kept last of the same text, field and operator, or nothing", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const results = new Results();
        const kept = new Map<string, Uint32Array>();
        for (const { text, field, operator, rows, isKept } of steps) {
          const name = JSON.stringify([text, field, operator]);
          const search = searchFor(text, field, operator);
          if (isKept) {
            kept.set(name, new Uint32Array(rows));
            results.keep(search, kept.get(name) ?? [], rows === 0);
          }
          const found = results.get(search);
          if (isKept) expect(found?.areAll).toBe(rows === 0);
          if (isKept || found !== undefined) expect(found?.rows).toBe(kept.get(name));
        }
      }),
      settings(100),
    );
  });

  test("are 256 at most, and at least the last 128", () => {
    for (const count of [128, 129, 200, 256, 257, 1000]) {
      const texts = textsFor(count);
      const results = new Results();
      // What becomes known of one that is there counts as that one.
      for (const text of texts) {
        keep(results, text);
        keep(results, text, 3);
      }
      const there = held(results, [...texts].reverse());
      expect(there.length).toBeLessThanOrEqual(tuning.mostResults);
      expect(there.slice(0, 128)).toEqual(texts.slice(-128).reverse());
    }
    const results = new Results();
    for (const text of textsFor(256)) keep(results, text);
    expect(held(results, textsFor(256).slice(-128))).toHaveLength(128);
    expect(held(results, ["text 0"])).toHaveLength(1);
  });

  test("of one text are 256 at most, too", () => {
    const results = new Results();
    for (const field of textsFor(1000)) keep(results, "same", 0, field);
    const there = [...textsFor(1000)]
      .reverse()
      .filter((field) => results.get(searchFor("same", field)) !== undefined);
    expect(there.length).toBeLessThanOrEqual(tuning.mostResults);
    expect(there.slice(0, 128)).toEqual(textsFor(1000).slice(-128).reverse());
  });

  test("have 32,768 rows at most, and at least the last 16,384", () => {
    const texts = textsFor(100);
    for (const rows of [1024, 1500, 4096, tuning.mostResultRows / 2]) {
      const results = new Results();
      for (const text of texts) keep(results, text, rows);
      const most = Math.floor(tuning.mostResultRows / 2 / rows);
      const there = held(results, texts.slice(-most).concat(texts.slice(0, -most)));
      expect(there.slice(0, most)).toEqual(texts.slice(-most));
      expect(there.length * rows).toBeLessThanOrEqual(tuning.mostResultRows);
    }
  });

  test("count the rows that they hold, not those that they held before", () => {
    const results = new Results();
    const texts = textsFor(100);
    for (const text of texts) keep(results, text, 10);
    // One page after the other of one search.
    for (let rows = 100; rows <= 4000; rows += 100) keep(results, "paged", rows);
    expect(held(results, texts)).toEqual(texts);
  });

  test("stay there as long as they are asked for", () => {
    const results = new Results();
    keep(results, "asked", 10);
    for (let i = 0; i < 10_000; i++) {
      keep(results, `text ${i}`, i % 100);
      if (i % 100 === 0) expect(held(results, ["asked"])).toHaveLength(1);
    }
    expect(held(results, ["text 0"])).toEqual([]);
  });
});
