// Deferred index building: queries record which indexes would pay for themselves, and `buildDue`
// builds them. Also the limit on the bytes of indexes.

import { describe, expect, test } from "vitest";
import {
  createCollection,
  InputError,
  int,
  string,
  type CollectionOptions,
  type Query,
} from "../../src/index.ts";
import { Deadline } from "../../src/engine/algorithms/deadline.ts";
import { pageOf } from "../../src/engine/execution/page.ts";
import { parseQuery } from "../../src/engine/query.ts";
import { tuned } from "../tuned.ts";
import { like } from "../likeness.ts";
import { wireSchema } from "../wire-schema.ts";

const strict = { maxCriteria: 1000, maxValues: Infinity, unknownOperator: "error" } as const;
const Row = wireSchema({ id: int(), kind: string(), name: string() });

const make = (size: number, options: CollectionOptions) =>
  createCollection(
    Row,
    Array.from({ length: size }, (_, id) => ({
      id,
      kind: `kind ${id % 7}`,
      name: `${(id * 7919) % size} person`,
    })),
    options,
  );

const queries: readonly Query<typeof Row>[] = [
  { criteria: [["kind", "exactly", "kind 3"]] },
  { sortBy: "name", limit: 5 },
  { criteria: [["name", "contains", "77 per"]] },
  { criteria: [["name", "exactly", "99 person"]] },
];
const names = (rows: ReturnType<typeof make>) =>
  rows.indexes().map(({ kind, field }) => `${kind} ${field}`);

describe('indexes: "deferred"', () => {
  test("queries build nothing, buildDue builds what would pay", () => {
    // A search that is repeated would read the rows of the first.
    using _ = tuned({ mostKept: 0 });
    const rows = make(6000, { indexes: "deferred" });
    const expected = queries.map((query) => make(6000, { indexes: "none" }).query(query));
    for (let round = 0; round < 50; round++) for (const query of queries) rows.query(query);
    expect(rows.indexes()).toEqual([]);
    expect(rows.buildDue()).toEqual({ built: 2, due: 0 });
    expect(names(rows)).toEqual(["ordered kind", "ordered name"]);
    for (let round = 0; round < 50; round++) for (const query of queries) rows.query(query);
    expect(rows.buildDue()).toEqual({ built: 1, due: 0 });
    expect(names(rows)).toEqual(["ordered kind", "ordered name", "trigram name"]);
    expect(queries.map((query) => rows.query(query))).toEqual(expected);
    expect(rows.buildDue()).toEqual({ built: 0, due: 0 });
  });

  test("with little time each call does a part, and queries in between are answered", () => {
    const rows = make(6000, { indexes: "deferred" });
    const expected = queries.map((query) => make(6000, { indexes: "none" }).query(query));
    for (let round = 0; round < 50; round++) for (const query of queries) rows.query(query);
    let calls = 0;
    let report = rows.buildDue({ milliseconds: 0 });
    expect(report).toEqual({ built: 0, due: 2 });
    for (; report.due > 0; calls++) {
      expect(rows.query(queries[calls % 4])).toEqual(expected[calls % 4]);
      report = rows.buildDue({ milliseconds: 0 });
    }
    expect(calls).toBeGreaterThan(10);
    expect(names(rows)).toEqual(["ordered kind", "ordered name"]);
    expect(queries.map((query) => rows.query(query))).toEqual(expected);
  });

  test("what finds values in an index is built too, a part at each call", () => {
    const rows = make(60_000, { indexes: "deferred" }).prepare({ sort: ["name"] });
    const lookup = { criteria: [["name", "exactly", "99 person"]] } as const;
    const parsed = parseQuery(Row, lookup, strict);
    const expected = pageOf(rows.state.snapshot, { ...parsed, deadline: new Deadline(60_000) });
    const [before] = rows.indexes();
    let calls = 1;
    while (rows.buildDue({ milliseconds: 0 }).due > 0) calls++;
    expect(calls).toBeGreaterThan(2);
    expect(rows.indexes()[0]?.bytes).toBeGreaterThan(before?.bytes ?? Infinity);
    expect(rows.query(lookup)).toEqual(expected);
  });

  test("no query makes what finds values, with a deadline or without", () => {
    const rows = make(6000, { indexes: "deferred" }).prepare({ sort: ["name"] });
    const changed = rows.insert([{ id: 6000, kind: "new", name: "6000 person" }]).compact();
    for (const each of [rows, changed]) {
      const before = each.indexes();
      for (const name of ["99 person", "no person"]) {
        expect(each.count([["name", "exactly", name]])).toBe(name === "no person" ? 0 : 1);
      }
      expect(each.indexes()).toEqual(before);
      while (each.buildDue({ milliseconds: 0 }).due > 0);
      const [index] = each.indexes();
      expect(index?.bytes).toBeGreaterThan(before[0]?.bytes ?? Infinity);
      expect(each.count([["name", "exactly", "99 person"]])).toBe(1);
    }
  });

  test("what has changed is indexed as the rest, when its time has come", () => {
    const rows = make(5000, { indexes: "deferred" }).prepare({ sort: ["name"] });
    const more = rows.insert(
      Array.from({ length: 600 }, (_, id) => ({ id, kind: "new", name: `${id} new` })),
    );
    const query = { criteria: [["name", "starts_with", "77 "]] } as const;
    expect(more.query(query)).toHaveLength(2);
    expect(more.buildDue().due).toBe(0);
    expect(more.query(query)).toHaveLength(2);
  });

  test.each([
    [{ milliseconds: -1 }, "options.milliseconds: must be a non-negative number, not -1"],
    [{ milliseconds: "5" }, 'options.milliseconds: must be a non-negative number, not "5"'],
    [{ seconds: 1 }, 'options: has no member "seconds"; use "milliseconds"'],
  ])("buildDue(%j) is refused", (options, message) => {
    const rows = make(3, {});
    expect(() => rows.buildDue(options as object)).toThrow(like(new InputError(...split(message))));
  });
});

describe("indexBytes", () => {
  test("an index that would take more is not kept, and queries are answered without it", () => {
    // A search that is repeated would read the rows of the first.
    using _ = tuned({ mostKept: 0 });
    const free = make(6000, {});
    const bound = make(6000, { indexBytes: 120_000 });
    for (let round = 0; round < 200; round++) {
      for (const query of queries) {
        const [found, expected] = [bound.query(query), free.query(query)];
        if (round % 50 === 0) expect(found).toEqual(expected);
      }
    }
    expect(names(free).sort()).toEqual(["ordered kind", "ordered name", "trigram name"]);
    expect(names(bound)).toEqual(["ordered kind"]);
  });

  test("what prepare names is built whatever it takes", () => {
    const bound = make(5000, { indexBytes: 0 }).prepare({ contains: ["name"] });
    expect(names(bound)).toEqual(["ordered name", "trigram name"]);
  });

  test("what prepare names stays when many records more are merged with the others", () => {
    const bound = make(5000, { indexBytes: 0 }).prepare({ contains: ["name"] });
    const others = Array.from({ length: 4500 }, (_, i) => ({
      id: 5000 + i,
      kind: "new",
      name: `${i} new`,
    }));
    for (const more of [bound.insert(others), bound.insert(others).compact()]) {
      expect(more.count([["name", "contains", "77 new"]])).toBe(45);
      more.query({ sortBy: "name", limit: 1 });
      more.buildDue();
      expect(names(more)).toEqual(["ordered name", "trigram name"]);
    }
  });

  test.each([
    [{ indexBytes: -1 }, "options.indexBytes: must be a non-negative integer, not -1"],
    [{ indexBytes: "many" }, 'options.indexBytes: must be a non-negative integer, not "many"'],
    [{ indexes: "later" }, 'options.indexes: must be "auto", "deferred" or "none", not "later"'],
  ])("%j is refused", (options, message) => {
    expect(() => make(1, options as CollectionOptions)).toThrow(
      like(new InputError(...split(message))),
    );
  });
});

function split(message: string): [path: string, reason: string] {
  const [path = "", ...reason] = message.split(": ");
  return [path, reason.join(": ")];
}
