// Questions that cross collections mean what they would mean if each record had the values of the others as fields of its
// own (C20), after every change, and references stay valid (C21).

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  float,
  int,
  string,
  strings,
  TercetError,
  time,
  type Schema,
} from "../../src/index.ts";
import { pathsFrom } from "../../src/testing/arbitraries/related.ts";
import {
  query,
  referenceDatabase,
  relatedChange,
  relatedCriteria,
  relatedRecords,
  relatedSchemas,
  type RelatedDraft,
} from "../../src/testing/index.ts";
import { recipeOf } from "../../src/testing/arbitraries/related-questions.ts";
import { referencesIn, RelatedTables } from "../../src/testing/reference-database.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { groupQuery } from "../differential/group-queries.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { smallest, tuned } from "../tuned.ts";

const Region = defineSchema({ code: string({ unique: true }), name: string({ nullable: true }) });
const Customer = defineSchema({
  id: int({ unique: true }),
  name: string({ nullable: true, ignoreCase: true }),
  credit: float({ nullable: true }),
  tags: strings({ nullable: true }),
  region: string({ references: ["regions", "code"], nullable: true, onRemove: "null" }),
  boss: int({ references: ["customers", "id"], nullable: true, onRemove: "null" }),
});
const Order = defineSchema({
  id: int({ unique: true }),
  total: int({ nullable: true }),
  customer: int({ references: ["customers", "id"], nullable: true, onRemove: "remove" }),
});
/** Collections that refer to each other, questions about one of them, and how their records are stored. */
const cases = fc
  .tuple(relatedSchemas(), fc.nat())
  .chain(([schemas, pick]) => {
    const names = referencesIn(schemas).flatMap(({ from, to }) => [from, from, to]);
    const name = names[pick % names.length] ?? "";
    return fc.tuple(
      fc.constant({ schemas, name }),
      relatedRecords(schemas, { maxLength: 16 }),
      pathsFrom(schemas, name),
    );
  })
  .chain(([{ schemas, name }, records, paths]) => {
    const flat = new RelatedTables(schemas, records).flat(name, paths);
    const fields = Object.entries(flat.schema.fields);
    const selectable = fields.flatMap(([path, { stored }]) => (stored ? [path] : []));
    const drawn = query(flat.schema, flat) as fc.Arbitrary<object>;
    return fc.record({
      schemas: fc.constant(schemas),
      records: fc.constant(records),
      name: fc.constant(name),
      queries: fc.array(
        fc
          .tuple(drawn, fc.subarray(selectable, { minLength: 1 }))
          .map(([each, select]) => ({ ...each, select })),
        { minLength: 1, maxLength: 4 },
      ),
      criteria: relatedCriteria(schemas, records, name),
      grouped: groupQuery(flat.schema, []),
      changes: fc.array(relatedChange(schemas, records), { maxLength: 8, size: "max" }),
      storage: fc.constantFrom("objects" as const, "columns" as const),
      /** Of each collection whether it is a file, and of which kind. */
      files: fc.array(fc.option(fc.nat({ max: reopenings.length - 1 })), {
        minLength: 3,
        maxLength: 3,
      }),
      isSmall: fc.boolean(),
      isPrepared: fc.boolean(),
    });
  });
type Case = typeof cases extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** A database, whose collections have any schema. */
interface Loose {
  query(name: string, query?: object): readonly object[];
  page(name: string, query: object): object;
  count(name: string, criteria: unknown): number;
  groupBy(name: string, query: object): readonly object[];
  update(recipe: (draft: RelatedDraft) => unknown): unknown;
  watch(name: string, asked: unknown, notify: (answer: unknown) => void): unknown;
}

function made({ schemas, records, storage, files, isPrepared }: Case): Loose {
  const collections = Object.entries(schemas).map(([name, schema], i) => {
    const collection = createCollection(schema, records[name], { storage });
    const how = files[i] ?? null;
    const stored = how === null ? collection : reopened(collection, { ...reopenings[how] });
    if (isPrepared) stored.prepare({ match: searchableNames(schema) });
    return [name, stored] as const;
  });
  return untyped(createDatabase(Object.fromEntries(collections)));
}

const searchableNames = ({ fields }: Schema) =>
  Object.entries(fields).flatMap(([name, { searchable }]) => (searchable ? [name] : []));

test("paths mean what fields of the record's own would mean, after every change (C20, C21)", () => {
  fc.assert(
    fc.property(cases, (given) => {
      using _ = tuned(given.isSmall ? smallest : {});
      const { schemas, records, name, queries, criteria, grouped, changes } = given;
      const db = made(given);
      const reference = referenceDatabase(schemas, records);
      const live: unknown[] = [];
      const watch = (i: number, asked: unknown) => {
        db.watch(name, asked, (answer) => (live[i] = answer));
      };
      const { by: groupBy, ...groups } = grouped as { readonly by: unknown };
      const page: { offset?: unknown } = { ...(queries.at(-1) as object) };
      delete page.offset;
      watch(0, { count: criteria });
      watch(1, queries[0]);
      watch(2, { groupBy, ...groups });
      watch(3, { page });
      for (const steps of [[], ...changes]) {
        const recipe = recipeOf(steps);
        const isLegal = isDone(() => reference.update(recipe));
        expect(isDone(() => db.update(recipe))).toBe(isLegal);
        for (const asked of queries) {
          expect(db.query(name, asked)).toEqual(reference.query(name, asked));
        }
        const count = reference.count(name, criteria);
        expect(db.count(name, criteria)).toBe(count);
        expect(db.groupBy(name, grouped)).toEqual(reference.groupBy(name, grouped));
        expect(live).toEqual([
          count,
          reference.query(name, queries[0]),
          reference.groupBy(name, grouped),
          db.page(name, page),
        ]);
        for (const each of Object.keys(schemas)) {
          expect(db.query(each)).toEqual(reference.query(each));
        }
      }
    }),
    { ...settings(60), endOnFailure: true },
  );
});

/** Whether a change is not refused. */
function isDone(change: () => unknown): boolean {
  try {
    change();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(TercetError);
    return false;
  }
}

test("a value that all records refer to is another one after a change", () => {
  const db = createDatabase({
    regions: createCollection(Region),
    customers: createCollection(Customer, [{ id: 1, name: "a", boss: 1 }]),
    orders: createCollection(Order, [{ id: 1, total: 1, customer: 1 }]),
  });
  db.customers.prepare({ match: ["name"] });
  db.orders.prepare({ match: ["customer"] });
  const names = () => db.groupBy("orders", { by: "customer.name" });
  expect(names()).toEqual([{ "customer.name": "a", count: 1 }]);
  db.update((draft) => {
    draft.customers = draft.customers.update([["id", "exactly", 1]], { name: "b" });
  });
  expect(names()).toEqual([{ "customer.name": "b", count: 1 }]);
});

const ids = (found: readonly { readonly id: number }[]) => found.map(({ id }) => id);

describe("a question that crosses collections", () => {
  const db = createDatabase({
    regions: createCollection(Region, [{ code: "x", name: "North" }]),
    customers: createCollection(Customer, [
      { id: 1, name: "Ann", region: "x" },
      { id: 2, boss: 1 },
    ]),
    orders: createCollection(Order, [
      { id: 1, customer: 2, total: 3 },
      { id: 2, customer: 1 },
    ]),
  });

  test("selects fields of the others", () => {
    const select = [
      "total",
      "customer.boss.region.name",
      "customer.tags",
      "customer.name",
    ] as const;
    expect(db.query("orders", { select })).toEqual([
      {
        total: 3,
        "customer.boss.region.name": "North",
        "customer.tags": null,
        "customer.name": null,
      },
      {
        total: null,
        "customer.boss.region.name": null,
        "customer.tags": null,
        "customer.name": "Ann",
      },
    ]);
  });

  test("walks pages by cursors in both directions", () => {
    const sort = [["customer.name", "ASC"]] as const;
    const first = db.page("orders", { sort, limit: 1 });
    const second = db.page("orders", { sort, limit: 1, after: first.next });
    expect(ids(first.records)).toEqual([1]);
    expect(ids(second.records)).toEqual([2]);
    expect(db.page("orders", { sort, limit: 1, before: second.previous }).records).toEqual(
      first.records,
    );
  });

  test("is explained", () => {
    const plan = db.explain("orders", { criteria: [["customer.name", "exactly", "ann"]] });
    expect(JSON.stringify(plan)).toContain("customer.name");
    const prepared = createDatabase({
      regions: db.regions,
      customers: db.customers.compact().prepare({ match: ["name"] }),
      orders: db.orders.compact().prepare({ match: ["customer"] }),
    });
    using _ = tuned({ fewRows: 0 });
    const count = prepared.explainCount("orders", [["customer.name", "exactly", "ann"]]);
    expect(count).toMatchObject({ path: "codes", fields: ["customer.name"] });
    const groups = prepared.explainGroupBy("orders", { by: "customer.name" });
    expect(groups).toMatchObject({ keys: [{ field: "customer.name" }] });
    expect(prepared.explainCount("orders")).toMatchObject({ path: "known" });
    const condition = [["orders", "some", [["customer.name", "exactly", "ann"]]]] as const;
    expect(prepared.explainCount("customers", condition)).toMatchObject({ path: "codes" });
    // @ts-expect-error no path leads there
    expect(() => prepared.explainCount("orders", [["customer.nam", "exactly", "x"]])).toThrow(
      'unknown field "customer.nam"',
    );
    // @ts-expect-error no path leads there
    expect(() => prepared.explainGroupBy("orders", { by: "customer.nam" })).toThrow("customer.nam");
    // @ts-expect-error there is no such collection
    expect(() => prepared.explainCount("order")).toThrow('did you mean "orders"');
  });

  test("says what is wrong with a path", () => {
    const hint =
      'unknown field "customer.nam"; a path through "customer" is asked of the database, and ends in a field of "customers"';
    const wrong: unknown = [["customer.nam", "exactly", "x"]];
    expect(() => db.count("orders", untyped(wrong))).toThrow(`criteria[0]: ${hint}`);
    expect(() => db.orders.count(untyped([["customer.name", "exactly", "x"]]))).toThrow(
      'a path through "customer" is asked of the database',
    );
    expect(() => db.query("orders", { sortBy: untyped("customer.nam") })).toThrow(hint);
    expect(() => db.query("orders", { sortBy: untyped("customer.tags") })).toThrow(
      "can't be sorted",
    );
    expect(() => db.query(untyped("order"))).toThrow('name: must be "regions", "customers" or');
    // Nothing is read twice.
    const once = { criteria: [["customer.name", "exactly", "Ann"]], limit: 1 };
    let reads = 0;
    const counting = new Proxy(once, {
      get(target, name: keyof typeof once) {
        reads++;
        return target[name];
      },
    });
    expect(ids(untyped(db.query("orders", untyped(counting))))).toEqual([2]);
    expect(reads).toBe(2);
  });

  test("takes Dates, which may change later", () => {
    const Visit = defineSchema({ at: time() });
    const visits = createDatabase({ visits: createCollection(Visit, [{ at: "2026-01-01" }]) });
    const from = new Date("2025-01-01");
    const criteria = [["at", "at_least", from]] as const;
    const live = visits.live("visits", { count: criteria });
    expect([visits.count("visits", criteria), live.current]).toEqual([1, 1]);
    from.setFullYear(2027);
    visits.update((draft) => {
      draft.visits = draft.visits.insert({ at: "2026-01-02" });
    });
    expect([visits.count("visits", criteria), live.current]).toEqual([0, 2]);
  });

  test("leads through names with dots, of which many ways are none", () => {
    const names = Array.from({ length: 12 }, (_, i) => Array.from({ length: i + 1 }, () => "a"));
    const to = int({ references: ["rows", "id"], nullable: true });
    const Row = defineSchema({
      id: int({ unique: true }),
      ...Object.fromEntries(names.map((name) => [name.join("."), to])),
    });
    const rows = createDatabase({ rows: createCollection(Row, [{ id: 1 }]) });
    const count = (path: string) => rows.count("rows", untyped([[path, "exactly", 1]]));
    expect([count("a.a.id"), count("a.a.a.a.id")]).toEqual([0, 0]);
    expect(() => count(`${"a.".repeat(90)}none`)).toThrow("unknown field");
  });

  test("asks whether others refer to a record", () => {
    const some = db.query("customers", {
      criteria: [["orders", "some", [["total", "at_least", 3]]]],
    });
    expect(ids(some)).toEqual([2]);
    expect(db.count("customers", [["customers", "none", []]])).toBe(1);
    expect(db.count("customers", [["customers", "none", null]])).toBe(1);
    expect(
      JSON.stringify(db.explain("customers", { criteria: [["orders", "none", []]] })),
    ).toContain("orders some []");
    const wrong: unknown = [
      ["id", "exactly", 1],
      "OR",
      [["orders", "some", [["totl", "in", "1"]]]],
    ];
    expect(() => db.count("customers", untyped(wrong))).toThrow(
      'criteria[2][0][2][0]: unknown field "totl"',
    );
    expect(() => db.count("customers", untyped([["orders", "some", "x"]]))).toThrow(
      'criteria[0][2]: must be criteria of "orders", not "x"',
    );
    const many = Array.from({ length: 33 }, () => ["orders", "some", []]);
    expect(() => db.count("customers", untyped(many))).toThrow("at most 32 conditions");
    expect(() => db.count("customers", untyped([["orders", "some", [], 1]]))).toThrow(
      'criteria[0]: must have exactly three elements [collection, "some", criteria], not 4',
    );
    expect(() => db.count("customers", untyped([["order", "some", []]]))).toThrow(
      'criteria[0]: no records of "order" refer to "customers"; did you mean "orders"?',
    );
    const two = defineSchema({
      id: int({ unique: true }),
      a: int({ references: ["rows", "id"], nullable: true }),
      b: int({ references: ["rows", "id"], nullable: true }),
    });
    const rows = createDatabase({ rows: createCollection(two, [{ id: 1, a: 1 }]) });
    expect(() => rows.count("rows", [["rows", "some", []]])).toThrow(
      'several fields of "rows" refer to "rows"; write "rows.a" or "rows.b"',
    );
    expect(rows.count("rows", [["rows.a", "some", []]])).toBe(1);
    expect(rows.count("rows", [["rows.b", "some", []]])).toBe(0);
    // A field may have the name of a collection.
    const a = defineSchema({ id: int({ unique: true }), b: int({ default: 0 }) });
    const b = defineSchema({ a: int({ references: ["a", "id"] }) });
    const same = createDatabase({
      a: createCollection(a, [{ id: 1, b: 0 }, { id: 2 }]),
      b: createCollection(b, [{ a: 2 }]),
    });
    expect(same.query("a", { criteria: [["b", "some", []]], select: ["id"] })).toEqual([{ id: 2 }]);
  });

  test("asks for a chain of conditions, whose cost does not double with each", () => {
    const Node = defineSchema({
      id: int({ unique: true }),
      up: int({ references: ["nodes", "id"], nullable: true }),
    });
    const size = 40;
    const nodes = Array.from({ length: size }, (_, id) => ({ id, up: id === 0 ? null : id - 1 }));
    const tree = createDatabase({ nodes: createCollection(Node, nodes) });
    let chain: unknown = [];
    for (let steps = 1; steps <= 32; steps++) {
      chain = [["nodes", "some", chain]];
      expect(tree.count("nodes", untyped(chain))).toBe(size - steps);
    }
    const plan = tree.explain("nodes", untyped({ criteria: chain }));
    expect(JSON.stringify(plan).length).toBeLessThan(2000);
  });

  test("is one question with one deadline, conditions included", () => {
    const reported: string[] = [];
    const limited = createDatabase(
      { regions: db.regions, customers: db.customers, orders: db.orders },
      {
        limits: { milliseconds: 20 },
        onQuery: ({ collection }) => void reported.push(String(collection)),
      },
    );
    let [now, step] = [0, 0];
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += step));
    const many = Array.from({ length: 32 }, (_, i) => ["orders", "some", [["id", "at_least", -i]]]);
    try {
      expect(limited.count("customers", [["orders", "some", [["id", "at_least", 0]]]])).toBe(2);
      expect(reported).toEqual(["customers"]);
      step = 1;
      expect(() => limited.count("customers", untyped(many))).toThrow("its time limit of 20 ms");
    } finally {
      clock.mockRestore();
    }
    expect(now).toBeLessThan(32);
  });

  test("knows that null names no record, not even one whose key is null (C21)", () => {
    const People = defineSchema({ badge: int({ unique: true, nullable: true }), name: string() });
    const Visit = defineSchema({ badge: int({ references: ["people", "badge"], nullable: true }) });
    const visited = createDatabase({
      people: createCollection(People, [
        { badge: 1, name: "a" },
        { badge: null, name: "b" },
      ]),
      visits: createCollection(Visit, [{ badge: 1 }, { badge: null }]),
    });
    const named = (operator: "some" | "none") =>
      visited
        .query("people", { criteria: [["visits", operator, []]], sortBy: "name" })
        .map(({ name }) => name);
    expect([named("some"), named("none")]).toEqual([["a"], ["b"]]);
    expect(visited.query("visits", { select: ["badge.name"] })).toEqual([
      { "badge.name": "a" },
      { "badge.name": null },
    ]);
  });

  test.each([
    [{ a: int({ references: ["b", "id"] }) }, "the database has no such collection"],
    [{ a: int({ references: ["rows", "a"] }) }, "which is not a unique field"],
    [
      { a: int({ references: ["rows", "b"] }), b: string({ unique: true }) },
      "which compares other values",
    ],
    [
      {
        a: string({ references: ["rows", "b"], ignoreCase: true }),
        b: string({ unique: true }),
      },
      "which compares other values",
    ],
  ])("needs a unique field of the same kind", (fields, reason) => {
    expect(() => createDatabase({ rows: createCollection(defineSchema(fields), []) })).toThrow(
      `collections.rows: the field "a" refers to`,
    );
    expect(() => createDatabase({ rows: createCollection(defineSchema(fields), []) })).toThrow(
      reason,
    );
  });
});

describe("a reference", () => {
  const Node = defineSchema({
    id: int({ unique: true }),
    up: int({ references: ["nodes", "id"], nullable: true, onRemove: "remove" }),
  });
  const Note = defineSchema({
    id: int({ unique: true }),
    node: int({ references: ["nodes", "id"] }),
  });
  const make = (count: number) =>
    createDatabase({
      nodes: createCollection(
        Node,
        Array.from({ length: count }, (_, i) => ({ id: i, up: i === 0 ? null : i - 1 })),
      ),
      notes: createCollection(Note, [
        { id: 7, node: count - 1 },
        { id: 8, node: count - 1 },
      ]),
    });

  test("refuses data that name no record", () => {
    const notes = createCollection(Note, [{ id: 7, node: 3 }]);
    expect(() => createDatabase({ nodes: createCollection(Node, []), notes })).toThrow(
      'notes: record "7" refers by "node" to "3", but no record of "nodes" has this "id"',
    );
  });

  test("is removed with its record, chain after chain, in one change", () => {
    const db = make(3000);
    db.update((draft) => {
      draft.notes = draft.notes.remove([]);
    });
    const { patches } = db.update((draft) => {
      draft.nodes = draft.nodes.remove([["id", "exactly", 1]]);
    });
    expect([db.nodes.size, patches.length]).toEqual([1, 2999]);
  });

  test("forbids a change at its end, which then changes nothing", () => {
    const db = make(3);
    const before = [db.nodes, db.notes];
    const remove = () =>
      db.update((draft) => {
        draft.nodes = draft.nodes.remove([["id", "exactly", 0]]);
      });
    expect(remove).toThrow(
      'nodes: the record with "id" "2" can\'t go: record "7", record "8" of "notes" refer to it by "node"',
    );
    expect([db.nodes, db.notes]).toEqual(before);
    db.update((draft) => {
      draft.nodes = draft.nodes.remove([["id", "exactly", 0]]);
      draft.notes = draft.notes.remove([]);
    });
    expect([db.nodes.size, db.notes.size]).toEqual([0, 0]);
  });

  test("to a unique reference is lost with the record behind it", () => {
    const Seat = defineSchema({
      id: int({ unique: true }),
      person: int({ unique: true, references: ["people", "id"], nullable: true, onRemove: "null" }),
    });
    const Badge = (onRemove: "null" | "refuse" | "remove") =>
      defineSchema({
        id: int({ unique: true }),
        holder: int({ references: ["seats", "person"], nullable: true, onRemove }),
      });
    for (const [onRemove, left] of [
      ["null", [{ id: 1, holder: null }]],
      ["remove", []],
      ["refuse", [{ id: 1, holder: 5 }]],
    ] as const) {
      const db = createDatabase({
        people: createCollection(defineSchema({ id: int({ unique: true }) }), [{ id: 5 }]),
        seats: createCollection(Seat, [{ id: 1, person: 5 }]),
        badges: createCollection(Badge(onRemove), [{ id: 1, holder: 5 }]),
      });
      const leave = () =>
        db.update((draft) => {
          draft.people = draft.people.remove([]);
        });
      if (onRemove === "refuse") expect(leave).toThrow('can\'t go: record "1" of "badges"');
      else leave();
      expect([...db.badges]).toEqual(left);
    }
  });

  test("that forbids removals does not go with records that expire", () => {
    const nodes = createCollection(Node, []);
    const notes = createCollection(Note, []);
    expect(() => createDatabase({ nodes, notes }, { expire: { nodes: { newest: 1 } } })).toThrow(
      'options.expire.nodes: can\'t expire: the field "node" of "notes" refers to its records and forbids to remove them',
    );
    expect(createDatabase({ nodes }, { expire: { nodes: { newest: 1 } } }).nodes.size).toBe(0);
  });

  test("holds for patches", () => {
    const [one, other] = [make(3), make(3)];
    const remove = one.update((draft) => {
      draft.notes = draft.notes.remove([]);
      draft.nodes = draft.nodes.remove([["id", "exactly", 1]]);
    });
    other.applyPatches(remove.patches);
    expect([...other.nodes]).toEqual([...one.nodes]);
    other.applyPatches(remove.inversePatches);
    expect([...other.nodes]).toEqual([...make(3).nodes]);
    const node: unknown = { op: "add", path: ["notes", 9], value: { id: 9, node: 5 } };
    expect(() => other.applyPatches(untyped([node]))).toThrow('record "9" refers by "node" to "5"');
  });
});
