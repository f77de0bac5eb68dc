// What `explain` reports about a query that it ran: the plan that ran, and nothing else.

import { afterEach, describe, expect, test, vi } from "vitest";
import { describeCollection } from "../../../src/engine/explain/describe.ts";
import { createCollection, formatPlan, InputError, int, string } from "../../../src/index.ts";
import { untyped } from "../../rules/fixtures.ts";
import { reopened } from "../../arrow/reopened.ts";
import { like } from "../../likeness.ts";
import { wireSchema } from "../../wire-schema.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const Row = wireSchema({ id: int(), kind: string() });
const rowsFrom = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ id: from + i, kind: `kind ${i % 3}` }));
const rows = (count: number) => createCollection(Row, rowsFrom(0, count));
const analyze = { analyze: true } as const;

describe("with analyze", () => {
  test("the plan is the one that was run, though the next query gets an index for it", () => {
    const collection = rows(500);
    const query = { sortBy: "id", limit: 5 } as const;
    expect(collection.explain(query, analyze).sort?.path).toBe("sort");
    expect(collection.explain(query, analyze).sort?.path).toBe("source");
  });

  test("the plan is that of the base, whatever the rows that have changed since get", () => {
    const collection = rows(2000).insert(rowsFrom(2000, 2100));
    expect(collection.state.snapshot.segments).toHaveLength(2);
    expect(collection.state.snapshot.segments[1]?.isSmall).toBe(false);
    const query = { criteria: [["kind", "exactly", "kind 1"]] } as const;
    const [run, planned] = [collection.explain(query, analyze), collection.explain(query)];
    expect(run.access.estimatedRows).toBe(2000);
    expect(run.estimatedRows).toBe(planned.estimatedRows);
    expect(run.actualRows).toBe(collection.count(query.criteria));
  });

  test("the rows of a page are counted, wherever it begins", () => {
    const collection = rows(2000)
      .remove([["id", "in", [3, 500, 1999]]])
      .insert(rowsFrom(2000, 2100))
      .prepare({ sort: ["id"] });
    for (const offset of [0, 400, 1990, 2090, 3000]) {
      const query = { sortBy: "id", sortOrder: "ASC", offset, limit: 20 } as const;
      expect(collection.explain(query, analyze).actualRows).toBe(collection.query(query).length);
    }
  });

  test("the parts of a union have their rows and times, and the union has theirs", () => {
    const collection = rows(5000).prepare({ match: ["id", "kind"] });
    const low = ["id", "less_than", 300] as const;
    const kind = ["kind", "exactly", "kind 1"] as const;
    const high = ["id", "greater_than", 4900] as const;
    const { access, actualRows } = collection.explain(
      { criteria: [low, kind, "OR", high] },
      analyze,
    );
    expect(access.path).toBe("union");
    expect(access.parts.map((part) => part.actualRows)).toEqual([
      collection.count([high]),
      collection.count([low, kind]),
    ]);
    expect(actualRows).toBe(collection.count([low, kind, "OR", high]));
    const [second, first] = access.parts;
    expect(first?.access.actualRows).toBe(collection.count([low]));
    expect(first?.filters.at(-1)?.actualRows).toBe(first?.actualRows);
    const sum = (first?.milliseconds ?? NaN) + (second?.milliseconds ?? NaN);
    expect(access.milliseconds).toBeGreaterThanOrEqual(sum);
    for (const part of collection.explain({ criteria: [low, kind, "OR", high] }).access.parts) {
      expect(part).toMatchObject({ actualRows: undefined, milliseconds: undefined });
    }
  });

  test("of an empty page nothing is run, and nothing is said of its steps", () => {
    const query = { criteria: [["kind", "exactly", "kind 1"]], limit: 0 } as const;
    const plan = rows(500).explain(query, analyze);
    expect(plan.filters).toHaveLength(1);
    expect(plan.filters[0]).toMatchObject({ actualRows: undefined, milliseconds: undefined });
    expect(plan.actualRows).toBe(0);
  });

  test("records that have to be made of columns are made, others are not looked at", () => {
    const collection = rows(500);
    const opened = reopened(collection);
    const query = { criteria: [["id", "less_than", 100]] } as const;
    for (const [each, made] of [
      [collection, 0],
      [opened, 100],
    ] as const) {
      const [segment] = each.state.snapshot.segments;
      const record = vi.spyOn(segment.rows, "record");
      expect(each.explain(query, analyze).actualRows).toBe(100);
      expect(record).toHaveBeenCalledTimes(made);
    }
  });

  test("it says how many bytes of a file were read, where there is one", () => {
    const collection = rows(500);
    const query = { criteria: [["id", "less_than", 100]] } as const;
    const opened = reopened(collection);
    opened.count([["id", "less_than", 3]]);
    const [{ rows: file }] = opened.state.snapshot.segments;
    const before = file.bytesRead ?? 0;
    expect(before).toBeGreaterThan(0);
    const first = opened.explain({ criteria: [["kind", "exactly", "kind 1"]] }, analyze);
    expect(first.bytesRead).toBe((file.bytesRead ?? 0) - before);
    expect(first.bytesRead).toBeGreaterThan(0);
    expect(formatPlan(first)).toContain(
      `, read ${first.bytesRead?.toLocaleString("en-US") ?? ""} bytes`,
    );
    const plan = collection.explain(query, analyze);
    expect(plan.bytesRead).toBeUndefined();
    expect(formatPlan(plan)).not.toContain("bytes");
    expect(collection.explain(query).bytesRead).toBeUndefined();
  });

  test("the estimate is of the order of what it takes", () => {
    const { estimatedMilliseconds } = rows(1000).explain({
      criteria: [["kind", "contains", "1"]],
    });
    expect(estimatedMilliseconds).toBeGreaterThan(0.001);
    expect(estimatedMilliseconds).toBeLessThan(10);
  });

  test("what has changed is listed by segment, with the time that it took", () => {
    const plan = rows(500).explain();
    const delta = {
      ...{ changedRows: 5, deadRows: 1, segments: 2, actualRows: 3, milliseconds: 5, plans: [] },
    };
    expect(formatPlan({ ...plan, delta })).toContain(
      "merge with what changed since: 5 rows in 2 segments: 3 of them selected in 5.0 ms; 1 row of the indexes dead",
    );
    expect(formatPlan({ ...plan, delta: { ...delta, segments: 1 } })).toContain("in 1 segment:");
  });

  test("a misspelt option is refused by its place", () => {
    expect(() => rows(1).explain({}, untyped({ analyse: true }))).toThrow(
      like(new InputError("options", 'has no member "analyse"; use "analyze"')),
    );
  });
});

describe("a collection says of its fields", () => {
  const schema = wireSchema({
    plain: string(),
    nullable: string({ nullable: true }),
    otherwise: string({ nullable: true, default: "x" }),
    none: int({ nullable: true }),
    one: string({ oneOf: ["a", "b"] }),
  });

  test("no more than differs from the default", () => {
    const { fields } = describeCollection(0, schema);
    expect(Object.entries(fields).map(([name, field]) => [name, ...Object.keys(field)])).toEqual([
      ["plain", "type"],
      ["nullable", "type", "nullable"],
      ["otherwise", "type", "nullable", "default"],
      ["none", "type", "nullable"],
      ["one", "type", "oneOf"],
    ]);
  });

  test("on one line of a hundred characters, or on a line each", () => {
    const printed = (length: number) => {
      const start = "Collection(0) { ".length;
      const name = "n".repeat(length - start - ": int }".length);
      const inspect = Symbol.for("nodejs.util.inspect.custom");
      const collection = createCollection(wireSchema({ [name]: int() }), []);
      return (Reflect.get(collection, inspect) as () => string).call(collection);
    };
    expect(printed(100)).toHaveLength(100);
    expect(printed(100)).not.toContain("\n");
    expect(printed(101)).toContain("\n");
  });
});
