// When indexes are built, and how `explain` shows them: none is built before the scans that it would
// have saved have cost as much as building it.

import { describe, expect, test } from "vitest";
import {
  createCollection,
  defineSchema,
  float,
  formatPlan,
  InputError,
  int,
  string,
  type CollectionOptions,
} from "../../src/index.ts";
import { buildCosts } from "../../src/engine/indexes/build-costs.ts";
import { costs } from "../../src/engine/operators/costs.ts";
import { tuning } from "../../src/engine/tuning.ts";
import { lazily } from "../lazily.ts";
import { tuned } from "../tuned.ts";
import { expectRefused } from "../updates/fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

const Item = wireSchema({ id: int({ unique: true }), name: string(), kind: string() });
const SIZE = 10_000;

function items(options?: CollectionOptions) {
  const records = Array.from({ length: SIZE }, (_, id) => ({
    id,
    name: `item ${(id * 7919) % SIZE} of many`,
    kind: id % 4 === 0 ? "rare" : "common",
  }));
  return createCollection(Item, records, options);
}

/** The scans that it takes to earn an index, by the cost model. */
const scansFor = (price: number) => Math.ceil(price / costs.valueTest);

describe("the account", () => {
  test("builds an index for equality once scans have cost as much, and not before", () => {
    const collection = items();
    const query = { criteria: [["name", "exactly", "item 5 of many"]] } as const;
    for (let scan = 0; scan < scansFor(buildCosts.ordered.string); scan++) {
      expect(collection.query(query)).toHaveLength(1);
      expect(collection.indexes(), `after ${scan + 1} scans`).toEqual([]);
    }
    expect(collection.query(query)).toHaveLength(1);
    expect(collection.indexes()).toMatchObject([{ field: "name", kind: "ordered" }]);
  });

  test("keeps what it has when what changed is merged in", () => {
    const collection = items();
    const query = { criteria: [["name", "exactly", "item 5 of many"]] } as const;
    const scans = scansFor(buildCosts.ordered.string);
    for (let scan = 1; scan < scans; scan++) collection.query(query);
    const whole = collection.insert([{ id: SIZE, name: "new", kind: "rare" }]).compact();
    // That of "id" was made to see that it is unique.
    const fields = () => whole.indexes().map(({ field }) => field);
    expect(fields()).toEqual(["id"]);
    for (let scan = 0; scan < 3; scan++) whole.query(query);
    expect(fields()).toEqual(["id", "name"]);
  });

  test("builds a trigram index for substrings of many values, after the index of values", () => {
    // A search that is repeated would read the rows of the first.
    using _ = tuned({ mostKept: 0 });
    const collection = items();
    const query = { criteria: [["name", "contains", "m 77"]] } as const;
    const [{ length }] = [collection.query(query)];
    const before = scansFor(buildCosts.ordered.string) + scansFor(buildCosts.trigram);
    for (let scan = 1; scan < before; scan++) collection.query(query);
    expect(collection.indexes().map(({ kind }) => kind)).toEqual(["ordered"]);
    expect(collection.query(query)).toHaveLength(length);
    expect(collection.query(query)).toHaveLength(length);
    expect(collection.indexes().map(({ kind }) => kind)).toEqual(["ordered", "trigram"]);
  });

  test("builds one as well where testing each value once was cheaper than testing rows", () => {
    // The codes of the last text are known: a repetition would cost nothing, and a longer text little.
    using _ = tuned({ mostKept: 1 });
    const [rows, values] = [15_000, 4500];
    const records = Array.from({ length: rows }, (_, id) => ({
      id,
      name: `item ${id % values} of many`,
      kind: "any",
    }));
    const collection = createCollection(Item, records).prepare({ sort: ["name"] });
    const expectCounted = (text: string) => {
      const expected = records.filter(({ name }) => name.includes(text)).length;
      expect(collection.count([["name", "contains", text]])).toBe(expected);
    };
    const scans = Math.ceil((buildCosts.trigram * rows) / (costs.distinctTest * values));
    // Shorter than a trigram: no such index would serve it.
    for (let scan = 0; scan <= scans; scan++) expectCounted("01");
    for (let scan = 0; scan < scans; scan++) {
      expect(collection.indexes().map(({ kind }) => kind)).toEqual(["ordered"]);
      expectCounted(scan % 2 === 0 ? "m 77" : "m 78");
    }
    expectCounted("m 79");
    expect(collection.indexes().map(({ kind }) => kind)).toEqual(["ordered", "trigram"]);
  });

  test("builds an index for sorting once sorts have cost as much", () => {
    const collection = items();
    const first = collection.query({ sortBy: "id", limit: 3 });
    expect(collection.indexes()).toEqual([]);
    expect(collection.query({ sortBy: "id", limit: 3 })).toEqual(first);
    expect(collection.indexes()).toMatchObject([{ field: "id", kind: "ordered" }]);
  });

  test("a page that stops early earns next to nothing", () => {
    const collection = items();
    for (let i = 0; i < 50; i++) {
      collection.query({ criteria: [["kind", "exactly", "common"]], limit: 10 });
    }
    expect(collection.indexes()).toEqual([]);
  });

  test('with indexes: "none" only prepare builds', () => {
    const collection = items({ indexes: "none" });
    for (let i = 0; i < 40; i++) collection.count([["name", "contains", "m 77"]]);
    expect(collection.indexes()).toEqual([]);
    collection.prepare({ contains: ["name"], sort: ["id"], match: ["kind"] });
    const built = collection.indexes().map(({ field, kind }) => `${kind}(${field})`);
    expect(built.sort()).toEqual([
      "ordered(id)",
      "ordered(kind)",
      "ordered(name)",
      "trigram(name)",
    ]);
    for (const { bytes } of collection.indexes()) expect(bytes).toBeGreaterThan(SIZE);
  });

  test("prepare refuses an unknown field, and then builds nothing", () => {
    const collection = items();
    const prepare = () => collection.prepare({ sort: ["id"], match: ["nmae" as "name"] });
    expect(prepare).toThrow(InputError);
    expect(prepare).toThrow('prepare.match: unknown field "nmae"; did you mean "name"?');
    expect(collection.indexes()).toEqual([]);
  });

  test("prepare refuses a value that is not a list of names", () => {
    const prepare = (match: unknown) => () => items().prepare({ match: match as ["name"] });
    expectRefused(prepare("name"), "prepare.match", 'must be iterable, not "name"');
    expectRefused(prepare([["name"]]), "prepare.match", "unknown field an array");
    const preparation = "name" as unknown as { match: ["name"] };
    expectRefused(() => items().prepare(preparation), "prepare", 'must be an object, not "name"');
  });
});

describe("a column of numbers", () => {
  const Part = defineSchema({ id: int({ unique: true }), kind: string(), weight: float() });
  const size = 2 * tuning.fewNumbers;
  const weightOf = (id: number) => (id % 7 === 0 ? 1e308 : id / 8);
  const records = Array.from({ length: size }, (_, id) => ({
    id,
    kind: id % 4 === 0 ? "rare" : "common",
    weight: weightOf(id),
  }));
  const parts = (options?: CollectionOptions) => createCollection(Part, records, options);
  type Parts = ReturnType<typeof parts>;
  const lowest = (some: Parts) =>
    some.groupBy({ by: "kind", measures: { found: ["minimum", "weight"] } });
  const expected = [
    { kind: "common", found: 1 / 8 },
    { kind: "rare", found: 4 / 8 },
  ];
  const kindsOf = (some: Parts) =>
    some.indexes().flatMap(({ field, kind }) => (field === "weight" ? [kind] : []));

  test("is made by the first question for most of them, instead of an ordered index", () => {
    const some = parts();
    const few = { by: "kind", measures: { found: ["sum", "weight"] } } as const;
    some.groupBy({ ...few, criteria: [["id", "exactly", 5]] });
    expect(kindsOf(some)).toEqual([]);
    // Of record 0, the weight is not the lowest, but 1e308.
    expect(lowest(some)).toEqual(expected);
    expect(kindsOf(some)).toEqual(["numbers"]);
    expect(some.indexes().find(({ kind }) => kind === "numbers")?.bytes).toBe(8 * size);
  });

  test("follows a merge, and the column of the version before stays as it was", () => {
    const some = parts();
    expect(lowest(some)).toEqual(expected);
    const changed = some.update([["id", "exactly", 1]], { weight: -2 }).compact();
    const later = changed.remove([["id", "exactly", 2]]).compact();
    expect(kindsOf(later)).toEqual(["numbers"]);
    expect(lowest(later)).toEqual([{ kind: "common", found: -2 }, expected[1]]);
    expect(lowest(some)).toEqual(expected);
  });

  test("of two fields without an ordered index is that of each", () => {
    const Pair = defineSchema({ id: int({ unique: true }), a: int(), b: int() });
    const pairs = createCollection(
      Pair,
      Array.from({ length: size }, (_, id) => ({ id, a: id, b: -id })),
    );
    const found = pairs.groupBy({
      by: { field: "id", width: size },
      measures: { a: ["minimum", "a"], b: ["minimum", "b"] },
    });
    expect(found).toMatchObject([{ a: 0, b: 1 - size }]);
  });

  test('with indexes: "none" is made from an ordered index, and otherwise not', () => {
    const none = parts({ indexes: "none" });
    expect(lowest(none)).toEqual(expected);
    expect(kindsOf(none)).toEqual([]);
    none.prepare({ sort: ["weight"] });
    expect(lowest(none)).toEqual(expected);
    expect(kindsOf(none)).toEqual(["ordered", "numbers"]);
  });

  test("is not made where it has no room", () => {
    const some = parts({ indexBytes: 8 * size - 1 });
    expect(lowest(some)).toEqual(expected);
    expect(kindsOf(some)).toEqual([]);
  });
});

describe("explain", () => {
  const collection = lazily(() =>
    items().prepare({ match: ["kind"], sort: ["id"], contains: ["name"] }),
  );

  test("is deeply frozen, and plain", () => {
    const plan = collection().explain({ criteria: [["kind", "exactly", "rare"]], sortBy: "id" });
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      expect(Object.isFrozen(value)).toBe(true);
      expect([Object.prototype, Array.prototype]).toContain(Object.getPrototypeOf(value));
      Object.values(value).forEach(visit);
    };
    visit(plan);
  });

  test("with analyze says how many rows each step had", () => {
    const criteria = [
      ["name", "contains", "m 77"],
      ["kind", "exactly", "rare"],
    ] as const;
    const expected = collection().query({ criteria }).length;
    const start = performance.now();
    const plan = collection().explain({ criteria }, { analyze: true });
    expect(plan.milliseconds).toBeLessThanOrEqual(performance.now() - start);
    expect(plan.actualRows).toBe(expected);
    expect(plan.filters.at(-1)?.actualRows).toBe(expected);
    expect(plan.access.actualRows).toBeGreaterThanOrEqual(expected);
    expect(plan.milliseconds).toBeGreaterThan(0);
    expect(formatPlan(plan)).toContain('name contains "m 77"');
  });

  test("with analyze counts the rows of the page, not those before it", () => {
    const query = { sortBy: "id", offset: SIZE - 2, limit: 5 } as const;
    const plan = collection().explain(query, { analyze: true });
    expect(plan.actualRows).toBe(2);
    expect(plan.access.actualRows).toBe(2);
  });

  test("names the index that is missing", () => {
    const plan = items().explain({ criteria: [["kind", "exactly", "rare"]] });
    expect(plan.filters[0]?.missingIndexes).toEqual(["ordered(kind)"]);
    expect(formatPlan(plan)).toContain("no index ordered(kind)");
  });

  test("names three values of a list, and says how many more there are", () => {
    const textOf = (values: readonly string[]) =>
      items().explain({ criteria: [["name", "in", values]] }).filters[0]?.criteria;
    expect(textOf(["a", "b", "c"])).toEqual(['name in "a", "b", "c"']);
    expect(textOf(["a", "b", "c", "d", "e"])).toEqual(['name in "a", "b", "c", … 2 more']);
  });
});
