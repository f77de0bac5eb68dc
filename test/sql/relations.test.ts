// Questions that cross tables have the results of the database in memory, which `test/database/relations.test.ts` compares
// with records that have the values of others as fields of their own (C20).

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boolean,
  createCollection,
  createDatabase,
  CriteriaError,
  defineSchema,
  float,
  int,
  json,
  string,
  strings,
  time,
  type Field,
  type Page,
  type Schema,
} from "../../src/index.ts";
import { schemaOfEntries } from "../../src/schema/schema.ts";
import {
  checkDatabaseTables,
  checkTable,
  createDatabaseTables,
  createSqlCollection,
  createSqlDatabase,
  createTable,
  insertRecords,
} from "../../src/sql/index.ts";
import { criteria, query } from "../../src/testing/index.ts";
import { groupQuery } from "../differential/group-queries.ts";
import { execute, rowsOf, type Engine } from "../engines/engine.ts";
import { onEngine } from "../engines/on-engine.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";

const nullable = { nullable: true } as const;
const Region = defineSchema(
  {
    code: string({ unique: true, ignoreCase: true }),
    name: string(nullable),
    opened: time(nullable),
    isOpen: boolean(),
    data: json(nullable),
  },
  { computed: { zone: string({ ...nullable, path: ["data", "zone"] }) } },
);
const Customer = defineSchema({
  id: int({ unique: true }),
  name: string({ ...nullable, ignoreCase: true }),
  nick: string({ ignoreAccents: true }),
  credit: float(nullable),
  tags: strings(),
  badge: int({ ...nullable, unique: true }),
  region: string({
    ...nullable,
    references: ["regions", "code"],
    ignoreCase: true,
    onRemove: "null",
  }),
  boss: int({ ...nullable, references: ["customers", "id"], onRemove: "null" }),
});
const Order = defineSchema({
  id: int({ unique: true }),
  total: int(nullable),
  customer: int({ ...nullable, references: ["customers", "id"], onRemove: "remove" }),
  payer: int({ ...nullable, references: ["customers", "badge"] }),
  // Not a path.
  "customer.note": string(nullable),
});

/** The fields to which paths lead. */
const OTHERS = {
  regions: [],
  customers: ["region.name", "region.zone", "boss.name", "boss.boss.region.opened", "boss.tags"],
  orders: [
    ...["customer.name", "customer.nick", "customer.credit", "customer.tags", "customer.boss"],
    ...["customer.region.name", "customer.region.isOpen", "customer.region.opened"],
    ...["customer.region.zone", "customer.boss.name", "customer.boss.boss.id", "payer.nick"],
    ...["customer.boss.region.code", "payer.badge", "customer.region.data"],
  ],
} as const;
type Name = keyof typeof OTHERS;
const NAMES = Object.keys(OTHERS) as Name[];
const SCHEMAS: Readonly<Record<Name, Schema>> = {
  regions: Region,
  customers: Customer,
  orders: Order,
};

/** The field at a path, which is null without a reference. */
function fieldAt(name: Name, [step = "", ...path]: readonly string[]): Field {
  const field = SCHEMAS[name].fields[step];
  if (field === undefined) throw new Error(`there is no ${step}`);
  if (path.length === 0) return { ...field, nullable: true };
  return fieldAt(field.references?.[0] as Name, path);
}

/** The schema of records that have the values of others as fields of their own, from which questions are drawn. */
const flats = Object.fromEntries(
  NAMES.map((name) => {
    const own = Object.entries(SCHEMAS[name].fields);
    const others = OTHERS[name].map((path) => [path, fieldAt(name, path.split("."))] as const);
    const fields = [...own, ...others].map(([key, field]) => {
      const isOwn = { path: undefined, compute: undefined, unique: false, stored: true };
      return [key, { ...field, ...isOwn }] as const;
    });
    return [name, schemaOfEntries(fields, "values")];
  }),
) as unknown as Readonly<Record<Name, Schema>>;

/** The fields by which others refer to a record. */
const HOLDERS: Readonly<Record<Name, readonly (readonly [holder: string, from: Name])[]>> = {
  regions: [["customers", "customers"]],
  customers: [
    ["customers", "customers"],
    ["customers.boss", "customers"],
    ["orders.customer", "orders"],
    ["orders.payer", "orders"],
  ],
  orders: [],
};

const text = fc.constantFrom(
  ...["", "a", "A", "ab", "é", "É", "e\u0301", "ς", "Σ", "\u{1f600}", "\uffff", "0", "a ", "null"],
);
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 3 });
const code = fc.constantFrom("", "x", "y", "__proto__", "0", "é");
const customerId = fc.constantFrom(0, 1, 2, 3, 4, -5, 2 ** 53 - 1);
const badge = fc.constantFrom(0, 1, 7, -1);
const regionRow = fc.record({
  code,
  name: orNull(text),
  opened: orNull(fc.constantFrom("2024-02-29T00:00:00.000Z", "1969-12-31T23:59:59.999Z")),
  isOpen: fc.boolean(),
  data: orNull(fc.record({ zone: orNull(text) })),
});
const customerRow = fc.record({
  id: customerId,
  name: orNull(text),
  nick: text,
  credit: orNull(fc.constantFrom(-0.5, 0, 7, 1e300)),
  tags: fc.array(fc.constantFrom("a", "b", ""), { maxLength: 3 }),
  badge: orNull(badge),
  // Another spelling of the same value.
  region: orNull(fc.oneof(code, fc.constantFrom("X", "Y"))),
  boss: orNull(customerId),
});
const orderRow = fc.record({
  id: fc.nat({ max: 60 }),
  total: orNull(fc.integer({ min: -2, max: 4 })),
  customer: orNull(customerId),
  payer: orNull(badge),
  "customer.note": orNull(text),
});

/** Rows whose references name others; of records of one collection, earlier ones. */
const data = fc
  .record({
    regions: fc.uniqueArray(regionRow, { selector: ({ code }) => code, maxLength: 4 }),
    customers: fc.uniqueArray(customerRow, { selector: ({ id }) => id, maxLength: 7 }),
    orders: fc.uniqueArray(orderRow, { selector: ({ id }) => id, maxLength: 15 }),
  })
  .map(({ regions, customers, orders }) => {
    const codes = new Set<string>(regions.map((row) => row.code));
    const ids = new Set<number | null>();
    const badges = new Set<number | null>();
    const valid = customers.map((row) => {
      ids.add(row.id);
      const own = badges.has(row.badge) ? null : row.badge;
      badges.add(own);
      return {
        ...row,
        badge: own,
        region: codes.has(row.region?.toLowerCase() ?? "none") ? row.region : null,
        boss: ids.has(row.boss) ? row.boss : null,
      };
    });
    const left = orders.map((row) => ({
      ...row,
      customer: ids.has(row.customer) ? row.customer : null,
      payer: badges.has(row.payer) ? row.payer : null,
    }));
    return { regions, customers: valid, orders: left };
  });
type Data = typeof data extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const memoryOf = ({ regions, customers, orders }: Data) =>
  createDatabase({
    regions: createCollection(Region, untyped(regions)),
    customers: createCollection(Customer, customers),
    orders: createCollection(Order, orders),
  });

/** Names that statements must not read as anything else. */
const COLLECTIONS = {
  regions: {
    schema: Region,
    table: "regions",
    position: "tercet_0",
    columns: {
      ...{ code: { column: "select", folded: 'fol"ded' }, name: "it's `name`", opened: "tercet_1" },
      ...{ isOpen: "t0", data: "t0_1", zone: "zone" },
    },
  },
  customers: { schema: Customer, position: "position", columns: "fields" },
  orders: {
    schema: Order,
    table: 'o"r`ders; --',
    position: "position",
    columns: { id: "value", "customer.note": "customer.note" },
  },
} as const;

async function fill(engine: Engine, { regions, customers, orders }: Data) {
  const { dialect, run, texts } = engine;
  await engine.clear();
  await execute(engine, createDatabaseTables({ dialect, collections: COLLECTIONS }));
  const insert = async (schema: Schema, rows: unknown, table: unknown) => {
    await execute(engine, insertRecords(schema, untyped(rows), { dialect, table: untyped(table) }));
  };
  const { columns } = COLLECTIONS.regions;
  await insert(Region, regions, { name: "regions", columns, position: "tercet_0" });
  await insert(Customer, customers, { name: "customers", columns: "fields" });
  const own = Object.fromEntries(Object.keys(Order.fields).map((name) => [name, name]));
  const { table: name, columns: named } = COLLECTIONS.orders;
  await insert(Order, orders, { name, columns: { ...own, ...named } });
  return createSqlDatabase({
    ...{ dialect, run, collections: COLLECTIONS },
    ...(texts && { texts }),
  });
}

/** Criteria, some of which are conditions on the records that refer to one. */
function asked(name: Name, records: Samples, depth: number): fc.Arbitrary<unknown[]> {
  const holders = HOLDERS[name].filter(([holder]) => holder !== "customers" || name === "regions");
  const own = criteria(flats[name], { records: untyped(records[name]) }) as fc.Arbitrary<unknown[]>;
  if (depth === 0 || holders.length === 0) return own;
  const condition = fc
    .tuple(fc.constantFrom(...holders), fc.constantFrom("some", "none"))
    .chain(([[holder, from], operator]) =>
      asked(from, records, depth - 1).map((within) => [holder, operator, within]),
    );
  const conditions = fc.array(
    fc.tuple(condition, fc.constantFrom([], ["NOT"]), fc.constantFrom([], ["OR"])),
    { maxLength: 2 },
  );
  return fc
    .tuple(own, conditions)
    .map(([list, all]) =>
      all.reduce<unknown[]>(
        (known, [each, not, or]) =>
          known.length === 0 ? [...not, each] : [...known, ...or, ...not, each],
        list,
      ),
    );
}

type Samples = Readonly<Record<Name, readonly object[]>>;

const questionsOn = (drawn: Data) => {
  const memory = memoryOf(drawn);
  const records = Object.fromEntries(
    NAMES.map((name) => {
      const select = Object.keys(flats[name].fields);
      return [name, memory.query(name, untyped({ select }))];
    }),
  ) as unknown as Samples;
  const question = fc.constantFrom(...NAMES, "orders" as const).chain((name) =>
    fc.record({
      name: fc.constant(name),
      query: query(flats[name], { records: untyped(records[name]) }) as fc.Arbitrary<object>,
      select: fc.option(fc.subarray(Object.keys(flats[name].fields), { minLength: 1 }), {
        nil: undefined,
      }),
      criteria: asked(name, records, 2),
      grouped: groupQuery(flats[name], ["total"]),
    }),
  );
  return fc.record({
    drawn: fc.constant(drawn),
    questions: fc.array(question, { minLength: 3, maxLength: 3 }),
  });
};

/** The result of a question, unless it concerns the text of a float, which engines write in other ways. */
async function unlessOfFloat<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CriteriaError && error.message.includes("string form of the float")) {
      return undefined;
    }
    throw error;
  }
}

type Asked = Readonly<
  Record<"query" | "page" | "count" | "groupBy", (name: Name, given: unknown) => unknown>
>;

for (const name of ["SQLite", "DuckDB", "PostgreSQL", "chDB", "MariaDB"] as const) {
  onEngine(name, (engine) => {
    test(`${name} answers questions that cross tables like the database in memory (C20)`, async () => {
      await fc.assert(
        fc.asyncProperty(data.chain(questionsOn), async ({ drawn, questions }) => {
          const memory = memoryOf(drawn) as unknown as Asked;
          const tables = (await fill(engine(), drawn)) as unknown as Asked;
          const compare = async (method: keyof Asked, of: Name, given: unknown) => {
            const found = await unlessOfFloat(async () => await tables[method](of, given));
            if (found !== undefined) expect(found).toEqual(memory[method](of, given));
          };
          for (const { name: of, query: own, select, criteria: conditions, grouped } of questions) {
            const given = { ...own, ...(select && { select }) };
            await compare("query", of, given);
            await compare("query", of, { ...given, criteria: conditions });
            await compare("count", of, conditions);
            await compare("groupBy", of, grouped);
            await compare("groupBy", of, { ...grouped, criteria: conditions });
            const paged = Object.fromEntries(
              Object.entries(given).filter(([key]) => key !== "offset" && key !== "limit"),
            );
            // To the last page, and from there back to the first.
            const walk = async () => {
              const there: object[] = [];
              const back: object[] = [];
              const turn = async (at: object) =>
                (await tables.page(of, { ...paged, limit: 2, ...at })) as Page<object>;
              let page = await turn({});
              there.push(...page.records);
              while (page.next !== null) {
                page = await turn({ after: page.next });
                there.push(...page.records);
              }
              back.unshift(...page.records);
              while (page.previous !== null) {
                page = await turn({ before: page.previous });
                back.unshift(...page.records);
              }
              return { there, back };
            };
            const walked = await unlessOfFloat(walk);
            const all = walked && memory.query(of, paged);
            expect(walked).toEqual(walked && { there: all, back: all });
          }
        }),
        settings(15),
      );
    });
  });
}

const run = () => Promise.reject(new Error("nothing is sent"));
const Parent = defineSchema({ id: int({ unique: true }), size: float() });
const Child = defineSchema({
  id: int({ unique: true }),
  parent: int({ ...nullable, references: ["parents", "id"] }),
});
const families = {
  parents: { schema: Parent, order: ["id"] },
  children: { schema: Child, order: ["id"] },
} as const;

describe("a question that is not valid is refused before a statement is sent", () => {
  const db = createSqlDatabase({ dialect: "sqlite", run, collections: families });
  test.each<[string, () => Promise<unknown>]>([
    ['name: must be "parents" or "children", not "child"', () => db.count(untyped("child"))],
    [
      'criteria[0]: unknown field "parent.sizes"; a path through "parent" is asked of the database, and ends in a field of "parents"',
      () => db.count("children", untyped([["parent.sizes", "exactly", 1]])),
    ],
    [
      'criteria[0][2][1]: unknown field "idd"; did you mean "id"?',
      () => db.count("parents", untyped([["children", "some", ["NOT", ["idd", "exactly", 1]]]])),
    ],
    [
      'criteria[0][2][0]: contains compares the string form of the float field "parent.size"',
      () => db.count("parents", [["children", "none", [["parent.size", "contains", "1"]]]]),
    ],
    [
      'criteria[0]: no records of "orders" refer to "children"',
      () => db.query("children", untyped({ criteria: [["orders", "some", []]] })),
    ],
    ["unknown field", () => db.children.query(untyped({ select: ["parent.size"] }))],
    ["cursor", () => db.page("children", { after: "x", sort: [["parent.size", "ASC"]] })],
  ])("%s", async (message, ask) => {
    await expect(ask()).rejects.toThrow(message);
  });

  test.each<[string, object]>([
    ['options.collections.query: "query" is reserved', { query: families.parents }],
    ["options.collections.parents.order: must name the fields", { parents: { schema: Parent } }],
    [
      'options.collections.children: the field "parent" refers to "id" of "parents", but the database has no such collection',
      { children: families.children },
    ],
    ['options.collections.parents: has no member "run"', { parents: { ...families.parents, run } }],
  ])("%s", (message, collections) => {
    const make = () => createSqlDatabase(untyped({ dialect: "sqlite", run, collections }));
    expect(make).toThrow(message);
    expect(() => createDatabaseTables(untyped({ dialect: "sqlite", collections }))).toThrow(
      message,
    );
  });
});

test("a chain of conditions costs as much with each step", async () => {
  const Node = defineSchema({
    id: int({ unique: true }),
    up: int({ ...nullable, references: ["nodes", "id"] }),
  });
  const size = 40;
  const nodes = Array.from({ length: size }, (_, id) => ({ id, up: id === 0 ? null : id - 1 }));
  const { start } = await import("../engines/sqlite.ts");
  const engine = await start();
  const collections = { nodes: { schema: Node, position: "position" } } as const;
  const { dialect } = engine;
  await execute(engine, createDatabaseTables({ dialect, collections }));
  const table = { name: "nodes", columns: "fields" } as const;
  await execute(engine, insertRecords(Node, nodes, { dialect, table }));
  let longest = 0;
  const measured: typeof engine.run = (text, ...given) => {
    longest = Math.max(longest, text.length);
    return engine.run(text, ...given);
  };
  const db = createSqlDatabase({ dialect, run: measured, collections });
  let chain: unknown = [];
  for (let steps = 1; steps <= 25; steps++) {
    chain = [["nodes", "some", chain]];
    expect(await db.count("nodes", untyped(chain))).toBe(size - steps);
  }
  expect(longest).toBeLessThan(3000);
  // The name of a condition is none of a field.
  const named = { criteria: [["nodes", "some", []]], sortBy: "nodes some []" };
  await expect(db.query("nodes", untyped(named))).rejects.toThrow(
    "has no column for nodes some []",
  );
  await engine.close();
});

describe("foreign keys", () => {
  const Note = defineSchema({
    id: int({ unique: true }),
    word: string({ ...nullable, unique: true, ignoreCase: true }),
    kept: int({ ...nullable, references: ["kinds", "id"] }),
    up: int({ ...nullable, references: ["notes", "id"] }),
    cleared: int({ ...nullable, references: ["others", "id"], onRemove: "null" }),
    gone: int({ ...nullable, references: ["others", "id"], onRemove: "remove" }),
  });
  const Kind = defineSchema({ id: int({ unique: true }) });
  const Other = defineSchema({
    id: int({ unique: true }),
    note: string({ ...nullable, references: ["notes", "word"], ignoreCase: true }),
  });
  const named = { columns: "fields", order: ["id"] } as const;
  const collections = {
    notes: { schema: Note, ...named },
    kinds: { schema: Kind, ...named },
    others: { schema: Other, table: 'tercet"others', ...named },
  } as const;
  for (const name of ["SQLite", "DuckDB", "PostgreSQL", "MariaDB", "chDB"] as const) {
    onEngine(name, (engine) => {
      test(`of ${name} keep references valid`, async () => {
        const { dialect, clear } = engine();
        await clear();
        const statements = [...createDatabaseTables({ dialect, collections })];
        if (dialect === "clickhouse") {
          expect(JSON.stringify(statements)).not.toContain("FOREIGN KEY");
          return;
        }
        await execute(engine(), statements);
        const send = async (text: string) => await rowsOf(engine(), text);
        if (dialect === "sqlite") await send("PRAGMA foreign_keys = ON");
        const other = dialect === "mariadb" ? '`tercet"others`' : '"tercet""others"';
        await send(`INSERT INTO ${other} VALUES (1, NULL, NULL), (2, NULL, NULL)`);
        await send("INSERT INTO kinds VALUES (1)");
        await send("INSERT INTO notes VALUES (1, 'A', 'a', 1, NULL, NULL, NULL)");
        await send("INSERT INTO notes VALUES (2, NULL, NULL, NULL, 1, 1, NULL)");
        await send("INSERT INTO notes VALUES (3, NULL, NULL, NULL, NULL, NULL, 2)");
        const refused = async (text: string) => await expect(send(text)).rejects.toThrow();
        await refused("INSERT INTO notes VALUES (4, NULL, NULL, 9, NULL, NULL, NULL)");
        await refused("DELETE FROM kinds");
        // Strings in MariaDB, and tables in a cycle in DuckDB, have none.
        const hasAll = dialect !== "mariadb" && dialect !== "duckdb";
        if (hasAll) await refused(`INSERT INTO ${other} VALUES (3, 'b', 'b')`);
        if (dialect !== "duckdb") await refused("DELETE FROM notes WHERE id = 1");
        await send(`INSERT INTO ${other} VALUES (4, 'A', 'a')`);
        const count = async (where: string) =>
          Number(
            Object.values(
              (await send(`SELECT count(*) AS n FROM notes WHERE ${where}`))[0] ?? {},
            )[0],
          );
        // It has no actions.
        if (dialect === "duckdb") return;
        await send(`DELETE FROM ${other} WHERE id IN (1, 2)`);
        expect([await count("id = 2 AND cleared IS NULL"), await count("id = 3")]).toEqual([1, 0]);
      });
    });
  }
});

describe("checkDatabaseTables", () => {
  const Shop = defineSchema({ code: string({ unique: true }), town: string(), size: int() });
  const Sale = defineSchema({
    id: int({ unique: true }),
    shop: string({ references: ["shops", "code"] }),
    before: int({ ...nullable, references: ["sales", "id"], onRemove: "null" }),
    total: int(),
  });
  const collections = {
    sales: { schema: Sale, table: "sale", position: "place" },
    shops: { schema: Shop, order: ["code"] },
  } as const;
  const queries = {
    sales: [
      { criteria: [["shop.town", "exactly", "Bern"]], sort: [["total", "ASC"]] },
      { sort: [["shop.town", "ASC"]], limit: 3 },
    ],
    shops: [{ criteria: ["NOT", [["sales", "some", [["total", "at_least", 5]]]]] }],
  } as const;
  for (const name of ["SQLite", "DuckDB", "PostgreSQL", "MariaDB", "chDB"] as const) {
    onEngine(name, (engine) => {
      const check = async () => {
        const { dialect, run, texts } = engine();
        return await checkDatabaseTables({
          ...{ dialect, run, collections, queries },
          ...(texts && { texts }),
        });
      };

      test(`finds nothing wrong with tables that createDatabaseTables makes in ${name}`, async () => {
        const { dialect } = engine();
        await engine().clear();
        const indexes = { sales: ["shop", "before", "total", ["shop", "total"]], shops: ["town"] };
        await execute(
          engine(),
          createDatabaseTables({ dialect, collections, indexes: untyped(indexes) }),
        );
        const problems = await check();
        // A table without a key is unique by its constraint, which ClickHouse lacks.
        expect(problems.filter(({ kind }) => kind === "wrong")).toEqual([]);
        if (dialect !== "mariadb") expect(problems).toEqual([]);
      });

      test(`says in ${name} what a path, a condition and a reference lack, and how to add it`, async () => {
        const { dialect } = engine();
        if (dialect === "clickhouse") return;
        await engine().clear();
        const text = {
          postgres: 'text COLLATE "C"',
          mariadb: "VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
        };
        const type = dialect === "postgres" || dialect === "mariadb" ? text[dialect] : "TEXT";
        const send = async (text: string) => await rowsOf(engine(), text);
        await send(
          `CREATE TABLE shops (code ${type} NOT NULL, town ${type} NOT NULL, size BIGINT NOT NULL)`,
        );
        await send(
          `CREATE TABLE sale (id BIGINT NOT NULL UNIQUE, shop ${type} NOT NULL, before_ BIGINT, total BIGINT NOT NULL, place BIGINT NOT NULL UNIQUE)`.replace(
            "before_",
            dialect === "mariadb" ? "`before`" : '"before"',
          ),
        );
        await send("INSERT INTO shops VALUES ('a', 'Bern', 1)");
        await send("INSERT INTO sale VALUES (1, 'b', NULL, 3, 1)");
        const dangling = (await check()).map(({ reason }) => reason);
        expect(dangling).toContainEqual(
          '"shop" refers to rows that "shops" does not have: the schema forbids that, and paths through them are null',
        );
        await send("UPDATE sale SET shop = 'a'");
        const problems = await check();
        const reasons = problems.map(({ collection, reason }) => `${collection}: ${reason}`);
        const noKey = (to: string, column: string) =>
          `sales: no foreign key keeps the rows of "${to}" to which "${column}" refers, as the schema does`;
        const lacking = [
          'shops: no index tells that "code" is unique, or has rows in this order',
          'shops: no index has "town"',
          'sales: no index has "before"',
          'sales: no index has "total", "place" in this order',
          'sales: no index has "shop", "total" in this order',
          noKey("sales", "before"),
          // Not in MariaDB, where strings have none.
          ...(dialect === "mariadb" ? [] : [noKey("shops", "shop")]),
        ];
        if (dialect !== "duckdb") expect(reasons.toSorted()).toEqual(lacking.toSorted());
        for (const { statement } of problems) if (statement !== null) await send(statement);
        const rest = (await check()).filter(({ reason }) => !reason.includes("foreign key"));
        if (dialect !== "mariadb") expect(rest).toEqual([]);
        if (dialect === "postgres") expect(await check()).toEqual([]);
        if (dialect !== "postgres") return;
        await send('ALTER TABLE sale DROP CONSTRAINT "sale_shop_fkey"');
        await send(
          "ALTER TABLE sale ADD FOREIGN KEY (shop) REFERENCES shops (code) ON DELETE CASCADE",
        );
        expect((await check()).map(({ reason }) => reason)).toEqual([
          '"shop" refers to "shops" with ON DELETE CASCADE, where the schema says onRemove: "refuse"',
        ]);
      });
    });
  }
});

test("a table that createTable makes with columns named after the fields is one of createSqlCollection", async () => {
  const Note = defineSchema({ id: int({ unique: true }), word: string({ ignoreCase: true }) });
  const { start } = await import("../engines/sqlite.ts");
  const engine = await start();
  const { dialect, run } = engine;
  const columns = "fields";
  const table = { name: "notes", columns } as const;
  const notes = [
    { id: 1, word: "B" },
    { id: 2, word: "a" },
  ];
  await execute(engine, createTable(Note, { dialect, table, indexes: ["word"] }));
  await execute(engine, insertRecords(Note, notes, { dialect, table }));
  const position = "position";
  const options = { schema: Note, dialect, run, table: "notes", columns, position } as const;
  const queries = [{ criteria: [["word", "exactly", "b"]], sortBy: "word" }] as const;
  const found = createSqlCollection(options);
  expect(await found.query(queries[0])).toEqual([notes[0]]);
  expect(await found.query()).toEqual(notes);
  expect(await checkTable({ ...options, queries: [{ sort: [["word", "ASC"]] }] })).toEqual([]);
  await engine.close();
});
