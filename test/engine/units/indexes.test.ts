// The account of the indexes of some rows: what is charged, which index is due, who builds it, and
// what happens to the account when rows are merged.

import { describe, expect, test, vi } from "vitest";
import { Deadline, DeadlineError } from "../../../src/engine/algorithms/deadline.ts";
import { buildCosts } from "../../../src/engine/indexes/build-costs.ts";
import { IndexBudget } from "../../../src/engine/indexes/index-budget.ts";
import { ColumnRows } from "../../../src/engine/columns/column-rows.ts";
import { Indexes } from "../../../src/engine/indexes/indexes.ts";
import type { IndexesOptions, IndexNames } from "../../../src/engine/indexes/index-names.ts";
import { ObjectRows } from "../../../src/engine/columns/object-rows.ts";
import { int, string } from "../../../src/index.ts";
import { fieldIndexOf } from "./built.ts";
import { tuned } from "../../tuned.ts";
import { wireSchema } from "../../wire-schema.ts";

const Row = wireSchema({ id: int(), text: string(), other: string() });

const recordsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({
    id: String(from + i),
    text: `text ${from + i}`,
    other: "same",
  }));
const rowsOf = (count: number, from = 0) => new ObjectRows(Row, recordsOf(count, from), new Map());
const indexesOf = (count: number, options: IndexesOptions = {}, wanted?: IndexNames) =>
  new Indexes(Row, rowsOf(count), options, wanted);

/** The kinds and fields of the indexes that there are. */
const there = (indexes: Indexes) => indexes.report().map(({ kind, field }) => `${kind} ${field}`);
const due = (indexes: Indexes) => indexes.due().map(({ kind, name }) => `${kind} ${name}`);

const COUNT = 100;
const price = { int: buildCosts.ordered.int * COUNT, string: buildCosts.ordered.string * COUNT };
/** Where all rows have the same value. */
const lowPrice = (count: number) => buildCosts.ordered.string * count * buildCosts.knownShare;
const trigramPrice = buildCosts.trigram * COUNT;

describe("an index is built by who asks for it", () => {
  test("once it was charged what building it costs, by the type of its field", () => {
    const indexes = indexesOf(COUNT);
    for (const [field, cost] of [
      ["id", price.int],
      ["text", price.string],
    ] as const) {
      expect(indexes.ordered(field)).toBeUndefined();
      indexes.charge("ordered", field, cost / 2);
      expect(indexes.ordered(field)).toBeUndefined();
      indexes.charge("ordered", field, cost / 2 - 1);
      expect(indexes.ordered(field)).toBeUndefined();
      expect(due(indexes)).toEqual([]);
      indexes.charge("ordered", field, 1);
      expect(due(indexes)).toEqual([`ordered ${field}`]);
      const index = indexes.ordered(field);
      expect(index?.type).toBe(field === "id" ? "int" : "string");
      expect(indexes.ordered(field)).toBe(index);
      expect(due(indexes)).toEqual([]);
    }
    // Of few values.
    indexes.charge("ordered", "other", lowPrice(COUNT) - 1);
    expect(indexes.ordered("other")).toBeUndefined();
    indexes.charge("ordered", "other", 1);
    expect(due(indexes)).toEqual(["ordered other"]);
    expect(there(indexes)).toEqual(["ordered id", "ordered text"]);
    expect([...indexes.names.ordered, ...indexes.names.trigram]).toEqual(["id", "text"]);
    expect(indexes.count).toBe(2);
    const [id, text] = indexes.report();
    expect(indexes.bytes).toBe((id?.bytes ?? 0) + (text?.bytes ?? 0));
  });

  test("of substrings after that of values, where there are enough of these", () => {
    using _ = tuned({ fewValues: 2 });
    // Of "other" all values are the same.
    const [few, many] = [indexesOf(COUNT), indexesOf(COUNT)];
    for (const [each, field] of [
      [few, "other"],
      [many, "text"],
    ] as const) {
      expect(each.of("trigram", field)).toBeUndefined();
      each.charge("trigram", field, trigramPrice - 1);
      expect([each.of("trigram", field), each.count]).toEqual([undefined, 0]);
      each.charge("trigram", field, 1);
      expect(due(each)).toEqual([`trigram ${field}`]);
    }
    expect(few.of("trigram", "other")).toBeUndefined();
    expect(there(few)).toEqual(["ordered other"]);
    // It is known now that there is no need.
    expect(due(few)).toEqual([]);
    const index = many.of("trigram", "text");
    expect(index?.postings("t 7").length).toBe(1);
    expect(many.of("trigram", "text")).toBe(index);
    expect(there(many)).toEqual(["ordered text", "trigram text"]);
    expect(many.count).toBe(2);
    expect(many.bytes).toBe((many.ordered("text")?.bytes ?? 0) + (index?.bytes ?? 0));
  });

  test("never where no index is to be built, but by who names it or has to", () => {
    using _ = tuned({ fewValues: 3 });
    const indexes = indexesOf(COUNT, { indexes: "none" });
    indexes.charge("ordered", "id", Infinity);
    indexes.charge("trigram", "text", Infinity);
    expect([indexes.ordered("id"), indexes.of("trigram", "text"), due(indexes)]).toEqual([
      ...[undefined, undefined, []],
    ]);
    indexes.buildNamed("trigram", "text");
    expect(indexes.buildOrdered("id")).toBe(indexes.ordered("id"));
    expect(there(indexes)).toEqual(["ordered text", "ordered id", "trigram text"]);
    expect([...indexes.names.named.trigram, ...indexes.names.named.ordered]).toEqual(["text"]);
  });

  test("no more than once: an existing index is not built again", () => {
    const rows = rowsOf(COUNT);
    const read = vi.spyOn(rows, "readerOf");
    using _ = tuned({ fewValues: 3 });
    const indexes = new Indexes(Row, rows, {});
    for (let i = 0; i < 3; i++) {
      indexes.buildNamed("ordered", "text");
      indexes.buildNamed("trigram", "text");
      indexes.buildOrdered("text");
      indexes.build("trigram", "text");
    }
    expect(read).toHaveBeenCalledTimes(2);
  });
});

describe("where queries build nothing", () => {
  const options = { indexes: "deferred" } as const;

  test("due indexes are noted, and built when there is time", () => {
    using _ = tuned({ fewValues: 3 });
    const indexes = indexesOf(COUNT, options);
    indexes.charge("ordered", "id", price.int);
    indexes.charge("trigram", "text", trigramPrice);
    indexes.charge("ordered", "other", 1);
    expect([indexes.ordered("id"), indexes.of("trigram", "text")]).toEqual([undefined, undefined]);
    expect(due(indexes)).toEqual(["ordered id", "trigram text"]);
    indexes.buildDue();
    expect(there(indexes)).toEqual(["ordered id", "ordered text", "trigram text"]);
    expect(due(indexes)).toEqual([]);
  });

  test("what the rest of the collection has is built at once, where that takes no time", () => {
    using _ = tuned({ fewValues: 3 });
    const names = indexesOf(COUNT);
    for (const field of ["id", "text"]) names.buildNamed("ordered", field);
    names.buildNamed("trigram", "text");
    const most = Math.ceil(1e6 / buildCosts.ordered.int) - 1;
    const small = indexesOf(most, options, names.names);
    const large = indexesOf(most + 1, options, names.names);
    const few = indexesOf(10, options, names.names);
    for (const indexes of [small, large, few]) {
      for (const field of ["id", "text", "other"]) {
        expect(indexes.ordered(field)).toBeUndefined();
        // An eighth of what building costs: what is in no other is not due.
        indexes.charge("ordered", field, (buildCosts.ordered.int * (most + 1)) / 8);
      }
    }
    expect(small.ordered("id")).toBeDefined();
    expect(large.ordered("id")).toBeUndefined();
    expect(due(large)).toEqual(["ordered id"]);
    for (const indexes of [small, few]) {
      indexes.charge("ordered", "text", Infinity);
      indexes.charge("trigram", "text", Infinity);
    }
    expect(small.ordered("text")).toBeUndefined();
    expect(small.of("trigram", "text")).toBeUndefined();
    expect(due(small)).toEqual(["ordered text", "trigram text"]);
    expect(small.ordered("other")).toBeUndefined();
    expect(
      [few.ordered("id"), few.of("trigram", "text")].every((index) => index !== undefined),
    ).toBe(true);
  });
});

test("an index that the rest of the collection has is built at an eighth of its price", () => {
  const base = indexesOf(COUNT);
  for (const field of ["id", "text"]) base.buildNamed("ordered", field);
  const indexes = indexesOf(COUNT, {}, base.names);
  const eighth = (buildCosts.ordered.int * COUNT) / 8;
  indexes.charge("ordered", "id", eighth - 1);
  expect(indexes.ordered("id")).toBeUndefined();
  indexes.charge("ordered", "id", 1);
  expect(indexes.ordered("id")).toBeDefined();
  expect(indexes.ordered("text")).toBeUndefined();
});

test("with others that are wanted, no account is needed where there is none", () => {
  const base = indexesOf(COUNT);
  base.buildNamed("ordered", "id");
  const indexes = indexesOf(COUNT, { indexes: "none" }, base.names);
  expect(indexes.ordered("id")).toBeDefined();
  expect(indexes.ordered("text")).toBeUndefined();
  // Whoever has the names sees later ones, too.
  base.buildOrdered("text");
  expect(indexes.ordered("text")).toBeDefined();
});

test("a building that a deadline interrupts goes on where it stood", () => {
  const rows = rowsOf(40_000);
  let reads = 0;
  const read = vi.spyOn(rows, "readerOf").mockImplementation(() => (row) => {
    reads++;
    return String(row);
  });
  const indexes = new Indexes(Row, rows, { indexes: "deferred" });
  indexes.charge("ordered", "id", Infinity);
  let calls = 0;
  for (;;) {
    calls++;
    try {
      indexes.buildDue(new Deadline(-1));
      break;
    } catch (error) {
      expect(error).toBeInstanceOf(DeadlineError);
      expect(indexes.count).toBe(0);
    }
  }
  expect(calls).toBeGreaterThan(3);
  expect(reads).toBe(40_000);
  expect(indexes.ordered("id")?.rows).toBe(40_000);
  // What fails otherwise is begun anew.
  const failing = new Indexes(Row, rows, {});
  read.mockImplementationOnce(() => {
    throw new Error("no");
  });
  expect(() => failing.buildOrdered("id")).toThrow("no");
  expect(failing.buildOrdered("id").rows).toBe(40_000);
});

test("what finds a value in an index is made when there is time, and asked for once", () => {
  const indexes = indexesOf(5000, { indexes: "deferred" });
  const index = indexes.buildOrdered("text");
  expect([index.wantsLookup, indexes.dueParts]).toEqual([false, 0]);
  expect(index.values.at(index.codeOf("text 77", new Deadline(1000)))).toBe("text 77");
  expect([index.wantsLookup, indexes.dueParts]).toEqual([true, 1]);
  const before = index.bytes;
  expect(() => indexes.buildDue(new Deadline(-1))).toThrow(DeadlineError);
  expect(indexes.dueParts).toBe(1);
  indexes.buildDue();
  expect([index.wantsLookup, indexes.dueParts]).toEqual([false, 0]);
  expect(index.bytes).toBeGreaterThan(before);
  expect(index.bytes).toBe(index.mostBytes);
  expect(index.codeOf("text 4999", new Deadline(1000))).toBe(index.codeOf("text 4999"));
});

describe("a bound of bytes", () => {
  const bytesOf = (field: string) => indexesOf(COUNT).buildOrdered(field).mostBytes;

  test("keeps an index that just fits, and drops one that does not, once and for all", () => {
    for (const [more, kept] of [
      [0, true],
      [-1, false],
    ] as const) {
      const rows = rowsOf(COUNT);
      const read = vi.spyOn(rows, "readerOf");
      const budget = new IndexBudget(bytesOf("text") + more);
      const indexes = new Indexes(Row, rows, { budget });
      indexes.charge("ordered", "text", Infinity);
      expect(indexes.ordered("text") !== undefined).toBe(kept);
      expect(indexes.ordered("text") !== undefined).toBe(kept);
      expect(read).toHaveBeenCalledTimes(1);
      expect([indexes.count, due(indexes)]).toEqual([kept ? 1 : 0, []]);
      expect([...indexes.names.ordered]).toEqual(kept ? ["text"] : []);
      expect(budget.left).toBe(kept ? 0 : bytesOf("text") - 1);
    }
  });

  test("is not even tried where no index could fit", () => {
    for (const [bytes, tries] of [
      [5 * COUNT - 1, 0],
      [5 * COUNT, 1],
    ] as const) {
      const rows = rowsOf(COUNT);
      const read = vi.spyOn(rows, "readerOf");
      const indexes = new Indexes(Row, rows, { budget: new IndexBudget(bytes) });
      indexes.charge("ordered", "text", Infinity);
      expect(indexes.ordered("text")).toBeUndefined();
      expect(read).toHaveBeenCalledTimes(tries);
    }
  });

  test("holds for what queries build, not for named indexes, here or in the base", () => {
    const budget = new IndexBudget(0);
    const named = indexesOf(COUNT, { budget });
    named.buildNamed("ordered", "text");
    expect(named.ordered("text")).toBeDefined();
    expect(budget.left).toBe(-bytesOf("text"));
    const other = indexesOf(COUNT, { budget }, named.names);
    other.charge("ordered", "text", Infinity);
    expect(other.ordered("text")).toBeDefined();
    other.charge("ordered", "id", Infinity);
    expect(other.ordered("id")).toBeUndefined();
    expect(budget.left).toBe(-2 * bytesOf("text"));
  });

  test("is kept by evicting what was used least recently, in whatever collection", () => {
    const budget = new IndexBudget(bytesOf("other") + 2 * bytesOf("text"));
    const [one, two] = [indexesOf(COUNT, { budget }), indexesOf(COUNT, { budget })];
    one.buildNamed("ordered", "other");
    for (const each of [one, two]) {
      each.charge("ordered", "text", Infinity);
      expect(each.ordered("text")).toBeDefined();
    }
    expect([budget.left, one.evictables.length, two.evictables.length]).toEqual([0, 1, 1]);
    one.ordered("text");
    one.charge("ordered", "id", Infinity);
    expect(one.ordered("id")).toBeDefined();
    expect([there(one), there(two)]).toEqual([["ordered other", "ordered text", "ordered id"], []]);
    expect(budget.left).toBe(bytesOf("text") - bytesOf("id"));
    // What was evicted has to cost its price again.
    two.charge("ordered", "text", price.string - 1);
    expect([two.ordered("text"), due(two)]).toEqual([undefined, []]);
    two.charge("ordered", "text", 1);
    expect(two.ordered("text")).toBeDefined();
    expect(there(one)).toEqual(["ordered other", "ordered id"]);
  });

  test("counts the indexes of all that share it, from the first of each on", () => {
    const budget = new IndexBudget(100_000);
    const all = [indexesOf(COUNT, { budget }), indexesOf(COUNT, { budget })] as const;
    expect(budget.left).toBe(100_000);
    all[0].buildOrdered("text");
    all[0].buildOrdered("id");
    all[1].buildOrdered("text");
    expect(budget.left).toBe(100_000 - 2 * bytesOf("text") - bytesOf("id"));
    const deref = vi.spyOn(WeakRef.prototype, "deref").mockReturnValue(undefined);
    expect(budget.left).toBe(100_000);
    deref.mockRestore();
    // Who is garbage is forgotten.
    expect(budget.left).toBe(100_000);
  });
});

describe("when rows are merged", () => {
  const merge = (large: Indexes, small: Indexes, sizes: readonly [number, number]) => {
    const [own, others] = sizes;
    const origins = [...Array(own).keys(), ...Array.from({ length: others }, (_, row) => ~row)];
    const rows = rowsOf(own).mergedWith(rowsOf(others, own), origins);
    return large.mergedWith(small, origins, rows);
  };

  test("what the large part has is brought up to date when it is used", () => {
    const [large, small] = [indexesOf(COUNT), indexesOf(49)];
    large.buildNamed("ordered", "text");
    large.charge("ordered", "other", 7);
    small.charge("ordered", "other", 1000);
    const merged = merge(large, small, [COUNT, 49]);
    expect([...merged.names.ordered]).toEqual(["text"]);
    expect(merged.dueParts).toBe(1);
    expect(merged.ordered("text")?.rows).toBe(COUNT + 49);
    expect(merged.dueParts).toBe(0);
    expect([there(merged), there(small)]).toEqual([["ordered text"], []]);
    expect([...merged.names.named.ordered]).toEqual(["text"]);
    // The account is that of the large part.
    merged.charge("ordered", "other", lowPrice(COUNT + 49) - 8);
    expect(due(merged)).toEqual([]);
    merged.charge("ordered", "other", 1);
    expect(due(merged)).toEqual(["ordered other"]);
  });

  test("one that queries had used is brought up to date at a time, others only when they are used", () => {
    const large = indexesOf(COUNT);
    for (const field of ["text", "id", "other"]) large.buildOrdered(field);
    for (const field of ["text", "id"]) large.ordered(field);
    const once = merge(large, indexesOf(10), [COUNT, 10]);
    expect([once.refreshOne(), once.dueParts]).toEqual([true, 2]);
    // What was not used in between waits.
    const twice = merge(once, indexesOf(10), [COUNT + 10, 10]);
    expect([twice.refreshOne(), twice.dueParts]).toEqual([false, 3]);
    expect([once.refreshOne(), once.refreshOne(), once.dueParts]).toEqual([true, false, 1]);
    expect(twice.report().map(({ field }) => field)).toEqual(["text", "id", "other"]);
    expect(twice.dueParts).toBe(0);
    for (const field of ["text", "id", "other"]) {
      expect(twice.ordered(field)?.rows).toBe(COUNT + 20);
    }
  });

  test("an index that is evicted before it is used takes those of substrings with it", () => {
    using _ = tuned({ fewValues: 0 });
    const budget = new IndexBudget(1e9);
    const large = indexesOf(COUNT, { budget });
    large.build("trigram", "text");
    const rows = rowsOf(COUNT);
    // Each row has another text.
    const replaced = rowsOf(COUNT, 1);
    const origins = Array.from({ length: COUNT }, (_, row) => ~row);
    const merged = large.mergedWith(undefined, origins, rows.mergedWith(replaced, origins));
    expect([...merged.names.trigram]).toEqual(["text"]);
    const stale = large.there("ordered", "text");
    merged.evictables.find(({ structure }) => structure === stale)?.evict();
    expect([...merged.names.ordered]).toEqual([]);
    merged.buildOrdered("text");
    expect(merged.there("trigram", "text")).toBeUndefined();
  });

  test("an index of substrings is due", () => {
    using _ = tuned({ fewValues: 3 });
    const [large, small] = [indexesOf(COUNT), indexesOf(10)];
    large.buildNamed("trigram", "text");
    const merged = merge(large, small, [COUNT, 10]);
    expect([there(merged), due(merged)]).toEqual([["ordered text"], ["trigram text"]]);
    expect([...merged.names.named.trigram]).toEqual(["text"]);
    expect(merged.of("trigram", "text")).toBeDefined();
  });

  test("the bytes of the merged ones count, and where there are none nothing does", () => {
    const budget = new IndexBudget(1_000_000);
    const [large, small] = [indexesOf(COUNT, { budget }), indexesOf(10, { budget })];
    merge(large, small, [COUNT, 10]);
    expect(budget.left).toBe(1_000_000);
    large.buildOrdered("id");
    const before = budget.left;
    const merged = merge(large, small, [COUNT, 10]);
    expect(before - budget.left).toBe(merged.bytes + small.bytes);
    expect(merged.bytes).toBeGreaterThan(0);
  });

  test("of rows that bring their indexes none is merged, and theirs are there without an account", () => {
    const values = recordsOf(20);
    const rows = new ColumnRows(
      Row,
      20,
      new Map([["id", fieldIndexOf("int", 20, (row) => values[row]?.id ?? null)]]),
      { bytesRead: 0 },
    );
    const budget = new IndexBudget(100_000);
    const large = new Indexes(Row, rows, { budget });
    const index = large.ordered("id");
    expect(index).toBe(rows.indexOf("id"));
    expect(large.buildOrdered("id")).toBe(index);
    expect(large.ordered("text")).toBeUndefined();
    expect([there(large), budget.left]).toEqual([["ordered id"], 100_000 - large.bytes]);
    // It can't be freed.
    expect([large.evictables, budget.canHold(100_000)]).toEqual([[], false]);
    const origins = [0, 1, ~0];
    const merged = large.mergedWith(
      indexesOf(1, { budget }),
      origins,
      rows.mergedWith(rowsOf(1, 20), origins),
    );
    expect(there(merged)).toEqual([]);
    expect(merged.ordered("id")?.rows).toBe(3);
  });
});
