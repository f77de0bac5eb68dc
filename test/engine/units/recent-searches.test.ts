// The searches that were asked for last, beside a list of all that were.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  MOST_ROWS,
  MOST_SEARCHES,
  RecentSearches,
  type Search,
} from "../../../src/collection/execute/recent-searches.ts";
import { settings } from "../../property.ts";

const searchOf = (rows: number): Search => ({ rows: new Uint32Array(rows), areAll: false });

/** Which keys it has, in their order; to look changes what is forgotten next. */
function held(searches: RecentSearches, keys: Iterable<string>): string[] {
  return [...keys].filter((key) => searches.get(key) !== undefined);
}

describe("the searches that were asked for last", () => {
  const key = fc.oneof(
    fc.constantFrom("", "0", "2024", "__proto__", "constructor", "a", "ab", "𝒜"),
    fc.nat(400).map(String),
  );
  const step = fc.record({
    key,
    rows: fc.constantFrom(0, 1, 100, 1000, MOST_ROWS / 2),
    isKept: fc.boolean(),
  });

  test("are what was kept last for their key, or nothing", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const searches = new RecentSearches();
        const kept = new Map<string, Search>();
        for (const { key, rows, isKept } of steps) {
          if (isKept) {
            const search = searchOf(rows);
            searches.keep(key, search);
            kept.set(key, search);
          }
          const found = searches.get(key);
          if (isKept || found !== undefined) expect(found).toBe(kept.get(key));
        }
      }),
      settings(100),
    );
  });

  test("are 256 at most, and at least the last 128", () => {
    for (const count of [128, 129, 200, 256, 257, 1000]) {
      const keys = Array.from({ length: count }, (_, i) => `text ${i}`);
      const searches = new RecentSearches();
      for (const key of keys) searches.keep(key, searchOf(0));
      const there = held(searches, [...keys].reverse());
      expect(there.length).toBeLessThanOrEqual(MOST_SEARCHES);
      expect(there.slice(0, 128)).toEqual(keys.slice(-128).reverse());
    }
    const searches = new RecentSearches();
    const keys = Array.from({ length: 256 }, (_, i) => `text ${i}`);
    for (const key of keys) searches.keep(key, searchOf(0));
    expect(held(searches, keys.slice(-128))).toHaveLength(128);
    expect(searches.get("text 0")).toBeDefined();
  });

  test("have 32,768 rows at most, and at least the last 16,384", () => {
    const keys = Array.from({ length: 100 }, (_, i) => `text ${i}`);
    for (const rows of [1024, 1500, 4096, MOST_ROWS / 2]) {
      const searches = new RecentSearches();
      for (const key of keys) searches.keep(key, searchOf(rows));
      const most = Math.floor(MOST_ROWS / 2 / rows);
      const there = held(searches, keys.slice(-most).concat(keys.slice(0, -most)));
      expect(there.slice(0, most)).toEqual(keys.slice(-most));
      expect(there.length * rows).toBeLessThanOrEqual(MOST_ROWS);
    }
  });

  test("stay there as long as they are asked for", () => {
    const searches = new RecentSearches();
    const search = searchOf(10);
    searches.keep("asked", search);
    for (let i = 0; i < 10_000; i++) {
      searches.keep(`text ${i}`, searchOf(i % 100));
      if (i % 100 === 0) expect(searches.get("asked")).toBe(search);
    }
    expect(searches.get("text 0")).toBeUndefined();
  });
});
