// The searches that were asked for last, beside a list of all that were.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  MOST_ROWS,
  MOST_SEARCHES,
  RecentSearches,
  Search,
} from "../../../src/collection/execute/recent-searches.ts";
import { settings } from "../../property.ts";

const searchFor = (text: string, rows?: number, field = "text", operator = "contains" as const) =>
  new Search(text, field, operator, rows === undefined ? undefined : new Uint32Array(rows));

/** Which texts it has, in their order; to look changes what is forgotten next. */
function held(searches: RecentSearches, texts: readonly string[]): string[] {
  return texts.filter((text) => searches.get(searchFor(text)) !== undefined);
}

const textsFor = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`);

describe("the searches that were asked for last", () => {
  const text = fc.oneof(
    fc.constantFrom("", "0", "2024", "__proto__", "constructor", "a", "ab", "𝒜"),
    fc.nat(150).map(String),
  );
  const step = fc.record({
    text,
    field: fc.constantFrom("text", "", "0", "__proto__"),
    operator: fc.constantFrom("contains" as const, "ends_with" as const),
    rows: fc.constantFrom(undefined, 0, 1, 100, 1000, MOST_ROWS / 2),
    isKept: fc.boolean(),
  });

  test("are what was kept last of the same text, field and operator, or nothing", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const searches = new RecentSearches();
        const kept = new Map<string, Search>();
        for (const { text, field, operator, rows, isKept } of steps) {
          const name = JSON.stringify([text, field, operator]);
          const search = new Search(
            text,
            field,
            operator,
            rows === undefined ? undefined : new Uint32Array(rows),
          );
          if (isKept) {
            searches.keep(search);
            kept.set(name, search);
          }
          const found = searches.get(search);
          if (isKept || found !== undefined) expect(found).toBe(kept.get(name));
        }
      }),
      settings(100),
    );
  });

  test("are 256 at most, and at least the last 128", () => {
    for (const count of [128, 129, 200, 256, 257, 1000]) {
      const texts = textsFor(count);
      const searches = new RecentSearches();
      // What becomes known of one that is there counts as that one.
      for (const text of texts) {
        searches.keep(searchFor(text));
        searches.keep(searchFor(text, 3));
      }
      const there = held(searches, [...texts].reverse());
      expect(there.length).toBeLessThanOrEqual(MOST_SEARCHES);
      expect(there.slice(0, 128)).toEqual(texts.slice(-128).reverse());
    }
    const searches = new RecentSearches();
    for (const text of textsFor(256)) searches.keep(searchFor(text));
    expect(held(searches, textsFor(256).slice(-128))).toHaveLength(128);
    expect(held(searches, ["text 0"])).toHaveLength(1);
  });

  test("of one text are 256 at most, too", () => {
    const searches = new RecentSearches();
    for (const field of textsFor(1000)) searches.keep(searchFor("same", 0, field));
    const there = [...textsFor(1000)]
      .reverse()
      .filter((field) => searches.get(searchFor("same", 0, field)) !== undefined);
    expect(there.length).toBeLessThanOrEqual(MOST_SEARCHES);
    expect(there.slice(0, 128)).toEqual(textsFor(1000).slice(-128).reverse());
  });

  test("have 32,768 rows at most, and at least the last 16,384", () => {
    const texts = textsFor(100);
    for (const rows of [1024, 1500, 4096, MOST_ROWS / 2]) {
      const searches = new RecentSearches();
      for (const text of texts) searches.keep(searchFor(text, rows));
      const most = Math.floor(MOST_ROWS / 2 / rows);
      const there = held(searches, texts.slice(-most).concat(texts.slice(0, -most)));
      expect(there.slice(0, most)).toEqual(texts.slice(-most));
      expect(there.length * rows).toBeLessThanOrEqual(MOST_ROWS);
    }
  });

  test("count the rows that they hold, not those that they held before", () => {
    const searches = new RecentSearches();
    const texts = textsFor(100);
    for (const text of texts) searches.keep(searchFor(text, 10));
    // One page after the other of one search.
    for (let rows = 100; rows <= 4000; rows += 100) searches.keep(searchFor("paged", rows));
    expect(held(searches, texts)).toEqual(texts);
  });

  test("stay there as long as they are asked for", () => {
    const searches = new RecentSearches();
    const asked = searchFor("asked", 10);
    searches.keep(asked);
    for (let i = 0; i < 10_000; i++) {
      searches.keep(searchFor(`text ${i}`, i % 100));
      if (i % 100 === 0) expect(searches.get(asked)).toBe(asked);
    }
    expect(held(searches, ["text 0"])).toEqual([]);
  });
});
