// The value of each group at a share: what sorting its values gives, also where a sample misleads.

import fc from "fast-check";
import { expect, test } from "vitest";
import { Gathered } from "../../../src/engine/aggregates/gathered.ts";
import { rankOf } from "../../../src/engine/aggregates/quantile.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";
import { parts } from "../numbers.ts";

const shares = [0, 0.01, 0.5, 0.97, 1];

function expectQuantiles(groups: readonly number[], values: readonly number[], count: number) {
  const gathered = new Gathered();
  gathered.reserve(count);
  for (let from = 0; from < groups.length; from += 1000) {
    const some = Float64Array.from(values.slice(from, from + 1000));
    gathered.addEach(Int32Array.from(groups.slice(from, from + 1000)), some, some.length);
  }
  const sorted = Array.from({ length: count }, (_, group) =>
    values.filter((_, i) => groups[i] === group).sort((a, b) => a - b),
  );
  for (const share of shares) {
    const found = sorted.map((_, group) => gathered.atShare(group, share, rankOf));
    const expected = sorted.map((own) =>
      own.length === 0 ? null : own[rankOf(share, own.length) - 1],
    );
    expect(found).toEqual(expected);
  }
}

test("of any values", () => {
  const row = fc.tuple(fc.integer({ min: 0, max: 4 }), parts);
  fc.assert(
    fc.property(fc.array(row, { maxLength: 300 }), fc.constantFrom(1, 1 << 12), (rows, large) => {
      using _ = tuned({ largeGroup: large });
      const groups = rows.map(([group]) => group);
      expectQuantiles(
        groups,
        rows.map(([, each]) => each),
        5,
      );
    }),
    settings(300),
  );
});

/** The group and the value of row `i`, of 40,000 in groups 0 and 1: a sample has every ninth. */
const arrangements: Record<string, (i: number) => readonly [group: number, value: number]> = {
  ascending: (i) => [i & 1, i],
  descending: (i) => [i % 3 === 0 ? 1 : 0, -i],
  same: (i) => [i & 1, 7],
  "few different": (i) => [i & 1, (i * 7919) % 3],
  mixed: (i) => [i & 1, (i * 7919) % 40_009],
  "a sample that is too low": (i) => [i % 18 < 9 ? 0 : 1, i % 9 === 0 ? -i : i],
  "a sample that is too high": (i) => [i % 18 < 9 ? 0 : 1, i % 9 === 0 ? 1e308 : i],
  "a group without a sample": (i) => [i % 9 === 0 ? 0 : 1, i],
  "a group with few": (i) => [i < 3 ? 1 : 0, (i * 31) % 1009],
};

test.each(Object.entries(arrangements))("of many: %s", (_, rowOf) => {
  const rows = Array.from({ length: 40_000 }, (__, i) => rowOf(i));
  expectQuantiles(
    rows.map(([group]) => group),
    rows.map(([, value]) => value),
    2,
  );
});

test("values that are added later count", () => {
  using _ = tuned({ largeGroup: 1 });
  const gathered = new Gathered();
  gathered.reserve(1);
  gathered.add(0, 5, 1);
  expect(gathered.atShare(0, 0.5, rankOf)).toBe(5);
  gathered.add(0, 3, 1);
  expect(gathered.atShare(0, 0.5, rankOf)).toBe(3);
  gathered.add(0, 1, 4);
  expect(gathered.atShare(0, 0.5, rankOf)).toBe(1);
  const others = new Gathered();
  others.reserve(2);
  others.addGroup(1, gathered, 0);
  expect([0, 1].map((group) => others.atShare(group, 1, rankOf))).toEqual([null, 5]);
});
