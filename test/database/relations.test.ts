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
  time,
} from "../../src/index.ts";
import { criteria, query } from "../../src/testing/index.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
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
/** Orders that have the values of others as fields of their own. */
const Flat = defineSchema({
  ...Order.fields,
  "customer.name": Customer.fields.name,
  "customer.credit": Customer.fields.credit,
  "customer.tags": Customer.fields.tags,
  "customer.boss": int({ nullable: true }),
  "customer.region.name": Region.fields.name,
  "customer.boss.name": Customer.fields.name,
  "customer.boss.boss.id": int({ nullable: true }),
  "customer.boss.region.code": string({ nullable: true }),
});

interface RegionRow {
  readonly code: string;
  readonly name: string | null;
}
interface CustomerRow {
  readonly id: number;
  readonly name: string | null;
  readonly credit: number | null;
  readonly tags: readonly string[] | null;
  readonly region: string | null;
  readonly boss: number | null;
}
interface OrderRow {
  readonly id: number;
  readonly total: number | null;
  readonly customer: number | null;
}
interface Rows {
  readonly regions: ReadonlyMap<string, RegionRow>;
  readonly customers: ReadonlyMap<number, CustomerRow>;
  readonly orders: ReadonlyMap<number, OrderRow>;
}

const text = fc.constantFrom(null, "", "a", "A", "ab", "\u{1f600}", "\uffff", "0");
const code = fc.constantFrom("", "x", "X", "__proto__", "0");
const customerId = fc.nat({ max: 12 });
const region: fc.Arbitrary<RegionRow> = fc.record({ code, name: text });
const customer: fc.Arbitrary<CustomerRow> = fc.record({
  id: customerId,
  name: text,
  credit: fc.constantFrom(null, -0.5, 0, 7, 1e300),
  tags: fc.option(fc.array(fc.constantFrom("a", "b", ""), { maxLength: 3 })),
  region: fc.option(code),
  boss: fc.option(customerId),
});
const order: fc.Arbitrary<OrderRow> = fc.record({
  id: fc.nat({ max: 60 }),
  total: fc.option(fc.integer({ min: -2, max: 4 })),
  customer: fc.option(customerId),
});

const keyed = <Key extends string, Row extends Readonly<Record<Key, unknown>>>(
  rows: readonly Row[],
  key: Key,
) => new Map(rows.map((row) => [row[key], row]));

/** Rows whose references name others that are there. */
function valid({ regions, customers, orders }: Rows): Rows {
  const each = [...customers.values()].map((row) => ({
    ...row,
    region: row.region !== null && regions.has(row.region) ? row.region : null,
    boss: row.boss !== null && customers.has(row.boss) ? row.boss : null,
  }));
  const left = [...orders.values()].filter(
    (row) => row.customer === null || customers.has(row.customer),
  );
  return { regions, customers: keyed(each, "id"), orders: keyed(left, "id") };
}

const rows: fc.Arbitrary<Rows> = fc
  .tuple(
    fc.array(region, { maxLength: 4 }),
    fc.array(customer, { maxLength: 12 }),
    fc.array(order, { maxLength: 50 }),
  )
  .map(([regions, customers, orders]) =>
    valid({
      regions: keyed(regions, "code"),
      customers: keyed(customers, "id"),
      orders: keyed(orders, "id"),
    }),
  );

/** How the records are stored, and which collections are files. */
interface Stored {
  readonly storage?: "objects" | "columns";
  readonly files?: readonly { readonly name: keyof Rows; readonly how: number }[];
}

const stored: fc.Arbitrary<Stored> = fc.record({
  storage: fc.constantFrom("objects" as const, "columns" as const),
  files: fc.array(
    fc.record({
      name: fc.constantFrom("regions" as const, "customers" as const, "orders" as const),
      how: fc.nat({ max: reopenings.length - 1 }),
    }),
    { maxLength: 3 },
  ),
});

function makeDb(
  { regions, customers, orders }: Rows,
  { files = [], ...options }: Stored,
  isPrepared: boolean,
) {
  const made = {
    regions: createCollection(Region, regions.values(), options),
    customers: createCollection(Customer, customers.values(), options),
    orders: createCollection(Order, orders.values(), options),
  };
  const reopening = ({ how }: (typeof files)[number]) => ({ ...reopenings[how] });
  const opened = { ...made };
  for (const each of files) {
    if (each.name === "regions") opened.regions = reopened(made.regions, reopening(each));
    if (each.name === "customers") opened.customers = reopened(made.customers, reopening(each));
    if (each.name === "orders") opened.orders = reopened(made.orders, reopening(each));
  }
  const db = createDatabase(opened);
  if (isPrepared) {
    db.regions.prepare({ match: ["name"] });
    db.customers.prepare({ match: ["name", "credit", "tags", "region", "boss"] });
    db.orders.prepare({ match: ["total", "customer"] });
  }
  return db;
}

/** The orders with the values of others as fields of their own. */
function flat({ regions, customers, orders }: Rows) {
  const customerOf = (id: number | null | undefined) =>
    id == null ? undefined : customers.get(id);
  const regionOf = (at: CustomerRow | undefined) =>
    at?.region == null ? undefined : regions.get(at.region);
  return createCollection(
    Flat,
    [...orders.values()].map((row) => {
      const of = customerOf(row.customer);
      const boss = customerOf(of?.boss);
      return {
        ...row,
        "customer.name": of?.name ?? null,
        "customer.credit": of?.credit ?? null,
        "customer.tags": of?.tags ?? null,
        "customer.boss": of?.boss ?? null,
        "customer.region.name": regionOf(of)?.name ?? null,
        "customer.boss.name": boss?.name ?? null,
        "customer.boss.boss.id": customerOf(boss?.boss)?.id ?? null,
        "customer.boss.region.code": regionOf(boss)?.code ?? null,
      };
    }),
  );
}

type Step =
  | { readonly put: "regions"; readonly row: RegionRow }
  | { readonly put: "customers"; readonly row: CustomerRow }
  | { readonly put: "orders"; readonly row: OrderRow }
  | { readonly remove: "regions"; readonly key: string }
  | { readonly remove: "customers"; readonly key: number }
  | { readonly remove: "orders"; readonly key: number }
  | { readonly ask: true };
const step: fc.Arbitrary<Step> = fc.oneof(
  region.map((row) => ({ put: "regions" as const, row })),
  customer.map((row) => ({ put: "customers" as const, row })),
  order.map((row) => ({ put: "orders" as const, row })),
  code.map((key) => ({ remove: "regions" as const, key })),
  customerId.map((key) => ({ remove: "customers" as const, key })),
  fc.nat({ max: 60 }).map((key) => ({ remove: "orders" as const, key })),
  fc.constant({ ask: true as const }),
);

/** The rows after a change; the same if the change is refused. */
function changed(before: Rows, step: Step): Rows {
  if ("ask" in step) return before;
  const next = {
    regions: new Map(before.regions),
    customers: new Map(before.customers),
    orders: new Map(before.orders),
  };
  if ("remove" in step) {
    next[step.remove].delete(untyped(step.key));
    return valid(next);
  }
  if (step.put === "regions") next.regions.set(step.row.code, step.row);
  else if (step.put === "customers") {
    const { region, boss, id } = step.row;
    if (region !== null && !before.regions.has(region)) return before;
    if (boss !== null && boss !== id && !before.customers.has(boss)) return before;
    next.customers.set(id, step.row);
  } else {
    const { customer } = step.row;
    if (customer !== null && !before.customers.has(customer)) return before;
    next.orders.set(step.row.id, step.row);
  }
  return next;
}

type Db = ReturnType<typeof makeDb>;

function change(db: Db, step: Step): void {
  if ("ask" in step) return;
  db.update((draft) => {
    if ("remove" in step) {
      const { remove, key } = step;
      const field = remove === "regions" ? "code" : "id";
      const collection: Loose = untyped(draft[remove]);
      draft[remove] = untyped(collection.remove([[field, "exactly", key]]));
    } else {
      const field = step.put === "regions" ? "code" : "id";
      const collection: Loose = untyped(draft[step.put]);
      draft[step.put] = untyped(collection.upsert([step.row], field));
    }
  });
}

interface Loose {
  remove(criteria: unknown): unknown;
  upsert(records: unknown, field: string): unknown;
}

const ids = (found: readonly { readonly id: number }[]) => found.map(({ id }) => id);

const selected = fc.uniqueArray(fc.constantFrom(...Object.keys(Flat.fields)), { minLength: 1 });
const pathQuery = fc.tuple(query(Flat), selected).map(([drawn, select]) => ({
  ...(drawn as object),
  select: ["id", ...select.filter((name) => name !== "id")],
}));
const grouped = fc.record({
  by: fc.constantFrom<unknown>(
    "customer.name",
    ["customer.region.name", "total"],
    "customer.tags",
    { field: "customer.credit", width: 2 },
    ["customer.boss.name", "customer"],
  ),
  measures: fc.constantFrom<object>(
    { n: "count", sum: ["sum", "customer.credit"] },
    { max: ["maximum", "customer.name"], d: ["distinct", "customer.boss.boss.id"] },
    { mean: ["mean", "total"], low: ["minimum", "customer.credit"] },
  ),
  criteria: criteria(Flat),
});

test("paths mean what fields of the record's own would mean, after every change (C20, C21)", () => {
  const cases = fc.record({
    rows,
    steps: fc.array(step, { minLength: 1, maxLength: 12 }),
    queries: fc.array(pathQuery, { minLength: 1, maxLength: 4 }),
    counted: criteria(Flat),
    grouped,
    stored,
    isSmall: fc.boolean(),
    isPrepared: fc.boolean(),
    isSome: fc.boolean(),
  });
  fc.assert(
    fc.property(
      cases,
      ({ rows: first, steps, queries, counted, grouped, stored, isSmall, isPrepared, isSome }) => {
        using _ = tuned(isSmall ? smallest : {});
        const db = makeDb(first, stored, isPrepared);
        const live: unknown[] = [];
        db.watch("orders", untyped({ count: counted }), (answer: unknown) => (live[0] = answer));
        db.watch("orders", untyped(queries[0]), (answer: unknown) => {
          live[1] = ids(untyped(answer));
        });
        const { by: groupBy, ...groups } = grouped as { readonly by: unknown };
        db.watch(
          "orders",
          untyped({ groupBy, ...groups }),
          (answer: unknown) => (live[3] = answer),
        );
        const page: { offset?: unknown } = { ...(queries.at(-1) as object) };
        delete page.offset;
        db.watch("orders", untyped({ page }), (answer: unknown) => (live[4] = answer));
        const conditions = [["orders", isSome ? "some" : "none", counted]];
        db.watch("customers", untyped({ count: conditions }), (answer: unknown) => {
          live[2] = answer;
        });
        let now = first;
        for (const each of [{ ask: true as const }, ...steps]) {
          const next = changed(now, each);
          if (next === now && !("ask" in each)) expect(() => change(db, each)).toThrow("refers");
          else change(db, each);
          now = next;
          const own = flat(now);
          for (const asked of queries) {
            expect(ids(untyped(db.query("orders", untyped(asked))))).toEqual(
              ids(untyped(own.query(untyped(asked)))),
            );
          }
          expect(db.count("orders", untyped(counted))).toBe(own.count(untyped(counted)));
          expect(db.groupBy("orders", untyped(grouped))).toEqual(own.groupBy(untyped(grouped)));
          const holders = new Set(
            own.query(untyped({ criteria: counted })).map(({ customer }) => customer),
          );
          const all = [...now.customers.values()];
          const some = all.filter(({ id }) => holders.has(id));
          const expected = isSome ? some : all.filter(({ id }) => !holders.has(id));
          const found = db.query("customers", untyped({ criteria: conditions, sortBy: "id" }));
          expect(new Set(ids(found))).toEqual(new Set(ids(expected)));
          const within = new Set(expected.map(({ region }) => region));
          expect(db.count("regions", untyped([["customers", "some", conditions]]))).toBe(
            [...now.regions.keys()].filter((key) => within.has(key)).length,
          );
          const bosses = new Set(some.map(({ boss }) => boss));
          const ofBosses = [
            "NOT",
            ["customers.boss", "some", [["orders.customer", "some", counted]]],
          ];
          expect(db.count("customers", untyped(ofBosses))).toBe(
            all.filter(({ id }) => !bosses.has(id)).length,
          );
          expect(live).toEqual([
            own.count(untyped(counted)),
            ids(untyped(own.query(untyped(queries[0])))),
            found.length,
            own.groupBy(untyped(grouped)),
            db.page("orders", untyped(page)),
          ]);
          expect([...db.orders.query()]).toEqual([...now.orders.values()]);
        }
      },
    ),
    settings(150),
  );
});

test("a value that all records refer to is another one after a change", () => {
  const db = makeDb(
    {
      regions: new Map(),
      customers: keyed([{ id: 1, name: "a", credit: 1, tags: null, region: null, boss: 1 }], "id"),
      orders: keyed([{ id: 1, total: 1, customer: 1 }], "id"),
    },
    {},
    true,
  );
  const [renamed] = db.customers.query();
  if (renamed === undefined) throw new Error("there is no customer");
  const names = () => db.groupBy("orders", { by: "customer.name" });
  expect(names()).toEqual([{ "customer.name": "a", count: 1 }]);
  change(db, { put: "customers", row: { ...renamed, name: "b" } });
  expect(names()).toEqual([{ "customer.name": "b", count: 1 }]);
});

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
