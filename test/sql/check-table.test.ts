// What checkTable reports about incomplete tables, on real engines: after its statements are executed, nothing is
// missing, and the engine uses the indexes.

import { describe, expect, test } from "vitest";
import {
  boolean,
  defineSchema,
  float,
  int,
  json,
  string,
  type Field,
  type Schema,
} from "../../src/index.ts";
import {
  checkTable,
  createSqlCollection,
  type DialectName,
  type Run,
} from "../../src/sql/index.ts";
import { dialectOf } from "../../src/sql/dialects/index.ts";
import { onEngine } from "../engines/on-engine.ts";
import { rowsOf, type Engine } from "../engines/engine.ts";

const Order = defineSchema({
  id: int({ unique: true }),
  email: string(),
  state: string(),
  votes: int({ nullable: true }),
  total: float(),
  paid: boolean(),
});

const QUERIES = [
  { criteria: [["email", "exactly", "a@b.example"]] },
  {
    criteria: [["state", "exactly", "open"]],
    sort: [
      ["votes", "DESC"],
      ["email", "ASC"],
    ],
    limit: 20,
  },
  { criteria: [["total", "at_least", 12.5]] },
  { criteria: [["total", "in", [1, 2]]] },
  { criteria: [["id", "exactly", 7]], sort: [["votes", "ASC"]] },
  { criteria: [["email", "contains", "b"]], limit: 5 },
] as const;

const optionsOn = (engine: Pick<Engine, "dialect" | "run" | "texts">) =>
  ({
    schema: Order,
    dialect: engine.dialect,
    run: engine.run,
    texts: engine.texts,
    table: "orders",
    columns: { id: "order_id" },
    order: ["id"],
    queries: QUERIES,
  }) as const;

/** The statements of the questions, and how the engine would answer them. */
async function plansOf(engine: Engine, explain: string, table = "orders"): Promise<string[]> {
  const asked: Parameters<Run>[] = [];
  const run: Run = (...statement) => {
    asked.push(statement);
    return engine.run(...statement);
  };
  const { queries, ...options } = { ...optionsOn(engine), run, table };
  const found = createSqlCollection(options);
  for (const query of queries) await found.query(query as never);
  const plans = asked.slice(1).map(async ([text, parameters]) => {
    const rows = await rowsOf(engine, `${explain} ${text}`, parameters);
    return rows.map((row) => Object.values(row).join(" ")).join("\n");
  });
  return await Promise.all(plans);
}

onEngine("PostgreSQL", (engine) => {
  test("PostgreSQL: what is missing, and after it was added nothing", async () => {
    await engine().clear();
    const make = [
      "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      'CREATE TABLE orders (order_id integer NOT NULL, email text COLLATE folding, state varchar(9) COLLATE "en-x-icu" NOT NULL, votes integer, total text NOT NULL, paid boolean NOT NULL)',
      "INSERT INTO orders SELECT i, i || '@b.example', CASE i % 3 WHEN 0 THEN 'open' ELSE 'sent' END, i % 7, i, i % 2 = 0 FROM generate_series(1, 2000) AS i",
    ];
    for (const text of make) await rowsOf(engine(), text);
    const options = optionsOn(engine());
    const wrong = await checkTable(options);
    expect(wrong).toEqual([
      {
        kind: "wrong",
        reason:
          'the column "email" may be null, and the field "email" not: an answer with such a row fails',
        statement: 'ALTER TABLE "orders" ALTER COLUMN "email" SET NOT NULL',
      },
      {
        kind: "wrong",
        reason:
          'the column "total" is of the type text, which no float field can be of; make it a string field',
        statement: null,
      },
    ]);
    await rowsOf(engine(), wrong[0]?.statement ?? "");
    await rowsOf(
      engine(),
      "ALTER TABLE orders ALTER COLUMN total TYPE double precision USING total::double precision",
    );
    const slow = await checkTable(options);
    expect(slow.map(({ statement }) => statement)).toEqual([
      'CREATE UNIQUE INDEX "orders_order_id" ON "orders" ("order_id")',
      'CREATE INDEX "orders_email_order_id" ON "orders" ("email", "order_id")',
      'CREATE INDEX "orders_state_votes_email_order_id" ON "orders" ("state", "votes" DESC NULLS LAST, "email" COLLATE "C", "order_id")',
      'CREATE INDEX "orders_total" ON "orders" ("total")',
    ]);
    for (const { statement } of slow) await rowsOf(engine(), statement ?? "");
    expect(await checkTable(options)).toEqual([]);
    await rowsOf(engine(), "ANALYZE orders");
    await rowsOf(
      engine(),
      "CREATE VIEW named AS SELECT order_id, email, o.state, votes, total, paid FROM orders AS o LEFT JOIN (SELECT DISTINCT state FROM orders) AS s ON s.state = o.state",
    );
    for (const table of ["orders", "named"]) {
      const plans = await plansOf(engine(), "EXPLAIN", table);
      const [lookup = "", page = "", , several = "", key = "", rare = ""] = plans;
      expect(lookup).toContain("orders_email_order_id");
      expect(page).toContain("orders_state_votes_email_order_id");
      expect(several).toContain("orders_total");
      expect(key).toContain("orders_order_id");
      expect(rare).toContain("orders_order_id");
    }
  });

  test("PostgreSQL: keys and times by their own indexes, and what is converted by indexes on expressions", async () => {
    await engine().clear();
    const make = [
      "CREATE EXTENSION IF NOT EXISTS citext SCHEMA public",
      "CREATE TYPE mood AS ENUM ('sad', 'ok', 'Happy')",
      "CREATE TABLE visits (id uuid PRIMARY KEY, at timestamptz NOT NULL, mood mood NOT NULL, who citext NOT NULL, price numeric NOT NULL, code char(9) NOT NULL)",
      "INSERT INTO visits SELECT gen_random_uuid(), '2024-01-01Z'::timestamptz + i * interval '1 minute', (ARRAY['sad', 'ok', 'Happy']::mood[])[i % 3 + 1], 'Who' || i, i, 'c' || i FROM generate_series(1, 20000) AS i",
      "CREATE INDEX by_mood ON visits (mood, id)",
    ];
    for (const text of make) await rowsOf(engine(), text);
    const [row] = await rowsOf(engine(), "SELECT id::text FROM visits WHERE who = 'who7'");
    const [id] = Object.values(row ?? {}) as string[];
    const queries = [
      { criteria: [["id", "in", [id ?? "", "none"]]] },
      { criteria: [["at", "exactly", "2024-01-01T00:07:00.000000Z"]] },
      { sort: [["at", "DESC"]], limit: 3 },
      { criteria: [["mood", "exactly", "ok"]], limit: 3 },
      { criteria: [["who", "exactly", "Who7"]] },
      { sort: [["who", "ASC"]], limit: 3 },
      { criteria: [["price", "exactly", 7]] },
      { criteria: [["code", "exactly", "c7"]] },
    ] as const;
    const options = {
      ...optionsOn(engine()),
      schema: defineSchema({
        id: string(),
        at: string(),
        mood: string(),
        who: string(),
        price: float(),
        code: string(),
      }),
      ...({ table: "visits", order: ["id"], columns: {}, queries } as const),
    } as const;
    const problems = await checkTable(options);
    expect(problems.map(({ statement }) => statement)).toEqual([
      'CREATE INDEX "visits_at_id" ON "visits" ("at" DESC, "id")',
      'CREATE INDEX "visits_who_id" ON "visits" ("who", "id")',
      'CREATE INDEX "visits_who_id_2" ON "visits" ((CAST("who" AS text) COLLATE "C"), "id")',
      'CREATE INDEX "visits_price_id" ON "visits" ((CAST("price" AS double precision)), "id")',
      'CREATE INDEX "visits_code_id" ON "visits" ("code", "id")',
    ]);
    for (const { statement } of problems) await rowsOf(engine(), statement ?? "");
    expect(await checkTable(options)).toEqual([]);
    await rowsOf(engine(), "ANALYZE visits");
    const asked: Parameters<Run>[] = [];
    const run: Run = (...statement) => {
      asked.push(statement);
      return engine().run(...statement);
    };
    const { schema, dialect, table, order } = options;
    const found = createSqlCollection({ schema, dialect, run, table, order });
    for (const query of queries) {
      const records = await found.query(query as never);
      expect(records.length).toBe("limit" in query ? 3 : 1);
      const [text = "", parameters] = asked.at(-1) ?? [];
      const plan = await rowsOf(engine(), `EXPLAIN ${text}`, parameters);
      expect(JSON.stringify(plan), text).not.toMatch(/Seq Scan|Sort Key/);
    }
  });

  test("PostgreSQL: a key that two rows have is wrong, and a missing column or table too", async () => {
    await engine().clear();
    const missing = { kind: "wrong", reason: "there is no table orders", statement: null };
    expect(await checkTable(optionsOn(engine()))).toEqual([missing]);
    await rowsOf(
      engine(),
      'CREATE TABLE orders (order_id bigint NOT NULL, email text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL, votes bigint, total numeric NOT NULL)',
    );
    const { queries, ...options } = optionsOn(engine());
    expect(queries).toHaveLength(6);
    expect(await checkTable(options)).toEqual([
      {
        kind: "wrong",
        reason: 'orders has no column "paid"',
        statement: 'ALTER TABLE "orders" ADD COLUMN "paid" boolean',
      },
    ]);
    await rowsOf(engine(), "ALTER TABLE orders ADD COLUMN paid boolean NOT NULL");
    await rowsOf(
      engine(),
      "INSERT INTO orders SELECT 1, '', '', NULL, 0, true FROM generate_series(1, 2)",
    );
    const found = await checkTable(options);
    expect(found.map(({ kind, reason }) => [kind, reason.split(":")[0]])).toEqual([
      ["wrong", 'two rows have the same "order_id"'],
    ]);
  });
});

onEngine("SQLite", (engine) => {
  test("SQLite: indexes that are missing, and after they were added sorted pages by them", async () => {
    await engine().clear();
    await rowsOf(
      engine(),
      "CREATE TABLE orders (order_id INTEGER NOT NULL, email TEXT COLLATE NOCASE NOT NULL, state TEXT NOT NULL, votes INTEGER, total REAL NOT NULL, paid BOOLEAN NOT NULL)",
    );
    await rowsOf(engine(), "CREATE INDEX folded ON orders (email)");
    const options = optionsOn(engine());
    const slow = await checkTable(options);
    expect(slow.map(({ statement }) => statement)).toEqual([
      'CREATE UNIQUE INDEX "orders_order_id" ON "orders" (`order_id`)',
      'CREATE INDEX "orders_email_order_id" ON "orders" (`email` COLLATE BINARY, `order_id`)',
      'CREATE INDEX "orders_state_votes_email_order_id" ON "orders" (`state` COLLATE BINARY, `votes` DESC, `email` COLLATE BINARY, `order_id`)',
      'CREATE INDEX "orders_total" ON "orders" (`total`)',
    ]);
    for (const { statement } of slow) await rowsOf(engine(), statement ?? "");
    expect(await checkTable(options)).toEqual([]);
    // A key of one integer is an index by itself.
    await rowsOf(engine(), "CREATE TABLE plain (id INTEGER PRIMARY KEY)");
    const plain = { schema: defineSchema({ id: int() }), table: "plain", order: ["id"] } as const;
    const { dialect, run } = engine();
    expect(await checkTable({ ...plain, dialect, run })).toEqual([]);
    expect(await checkTable({ ...plain, dialect, run, table: ["main", "plain"] })).toEqual([]);
    await rowsOf(engine(), "CREATE TABLE people (id INTEGER PRIMARY KEY, called TEXT)");
    const Person = defineSchema({ id: int(), name: string({ ignoreCase: true, nullable: true }) });
    const people = {
      ...{ ...plain, dialect, run, schema: Person, table: "people" },
      queries: [{ criteria: [["name", "exactly", "ann"]], sort: [["name", "ASC"]] }],
    } as const;
    const [folding, ...rest] = await checkTable({ ...people, columns: { name: "called" } });
    expect([folding, rest]).toEqual([
      {
        kind: "wrong",
        reason:
          'the field "name" ignores case and has no column of the values that are compared: criteria and sorts that name it are refused; fill one by text.toLowerCase().replaceAll("ς", "σ") of JavaScript, and name it as options.columns.name.folded',
        statement: 'ALTER TABLE "people" ADD COLUMN `called_folded` TEXT',
      },
      [],
    ]);
    await rowsOf(engine(), folding?.statement ?? "");
    const columns = { name: { column: "called", folded: "called_folded" } };
    expect(await checkTable({ ...people, queries: [], columns })).toEqual([]);
    const plans = await plansOf(engine(), "EXPLAIN QUERY PLAN");
    for (const plan of plans) expect(plan).toContain("INDEX orders_");
    expect(plans[0]).not.toContain("TEMP B-TREE");
  });
});

onEngine("SQLite", (engine) => {
  test("SQLite: a prefix is looked up in the indexes by code point, whatever the collation of the column", async () => {
    await engine().clear();
    const make = [
      "CREATE TABLE users (id INTEGER PRIMARY KEY, mail TEXT COLLATE NOCASE NOT NULL, nick TEXT, nick_folded TEXT)",
      "INSERT INTO users WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i, CASE i % 2 WHEN 0 THEN 'U' ELSE 'u' END || i, 'N\u{10ffff}' || i, 'n\u{10ffff}' || i FROM n",
      "CREATE INDEX folded ON users (mail)",
    ];
    for (const text of make) await rowsOf(engine(), text);
    const asked: Parameters<Run>[] = [];
    const run: Run = (...statement) => {
      asked.push(statement);
      return engine().run(...statement);
    };
    const nick = string({ nullable: true, ignoreCase: true });
    const schema = defineSchema({ id: int(), mail: string(), nick });
    const columns = { nick: { column: "nick", folded: "nick_folded" } };
    const queries = [
      { criteria: [["mail", "starts_with", "u199"]] },
      { criteria: [["nick", "starts_with", "N\u{10ffff}199"]] },
    ] as const;
    const { dialect, texts } = engine();
    const options = {
      schema,
      dialect,
      run,
      texts,
      table: "users",
      order: ["id"],
      columns,
    } as const;
    for (const { statement } of await checkTable({ ...options, queries })) {
      await rowsOf(engine(), statement ?? "");
    }
    expect(await checkTable({ ...options, queries })).toEqual([]);
    await rowsOf(engine(), "ANALYZE");
    const users = createSqlCollection(options);
    for (const [i, query] of queries.entries()) {
      expect(await users.query(query)).toHaveLength([6, 11][i] ?? 0);
      const [text = "", parameters] = asked.at(-1) ?? [];
      const plan = JSON.stringify(await rowsOf(engine(), `EXPLAIN QUERY PLAN ${text}`, parameters));
      expect(plan).toContain(`SEARCH users USING INDEX users_${i === 0 ? "mail" : "nick_folded"}`);
    }
  });
});

for (const [name, explain, search, scan] of [
  [
    "SQLite",
    "EXPLAIN QUERY PLAN",
    /SEARCH items USING (?:COVERING )?INDEX items_state_id/g,
    "SCAN items",
  ],
  ["PostgreSQL", "EXPLAIN", /Index (?:Only )?Scan using items_/g, "Seq Scan"],
] as const) {
  onEngine(name, (engine) => {
    test(`${name}: by the index that a sorted query lacked, a page after a cursor reads its ranges alone`, async () => {
      const { clear, run: send, dialect, texts } = engine();
      await clear();
      const make = [
        "CREATE TABLE items (id INTEGER PRIMARY KEY, state TEXT)",
        "INSERT INTO items WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, CASE WHEN i % 5 > 0 THEN substr('abcd', i % 5, 1) END FROM n",
      ];
      for (const text of make) await rowsOf(engine(), text);
      const asked: Parameters<Run>[] = [];
      const run: Run = (...statement) => {
        asked.push(statement);
        return send(...statement);
      };
      const schema = defineSchema({ id: int(), state: string({ nullable: true }) });
      const options = { schema, dialect, run, texts, table: "items", position: "id" } as const;
      const query = { sortBy: "state", limit: 10 } as const;
      for (const { statement } of await checkTable({ ...options, queries: [query] })) {
        await rowsOf(engine(), statement ?? "");
      }
      await rowsOf(engine(), "ANALYZE");
      const items = createSqlCollection(options);
      const { records, next } = await items.page({ ...query, limit: 1500 });
      expect(records).toHaveLength(1500);
      asked.length = 0;
      const page = await items.page({ ...query, after: next });
      expect(page.records).toEqual(await items.query({ ...query, offset: 1500 }));
      const [text, parameters] = asked[0] ?? ["", []];
      const rows = await rowsOf(engine(), `${explain} ${text}`, parameters);
      const plan = rows.map((row) => Object.values(row).join(" ")).join("\n");
      // What ties, what is lower, and what has no value.
      expect(plan.match(search), plan).toHaveLength(3);
      expect(plan).not.toContain(scan);
    });
  });
}

/** Column names and lengths for which statements of indexes could fail. */
const LONG = "n".repeat(60);

for (const [name, string30, text, quote] of [
  ["SQLite", "VARCHAR(30)", "TEXT", '"'],
  ["PostgreSQL", "VARCHAR(30)", "TEXT", '"'],
  ["MariaDB", "VARCHAR(30)", "TINYTEXT", "`"],
] as const) {
  onEngine(name, (engine) => {
    test(`${name}: proposed indexes are a set, and each statement runs`, async () => {
      const { clear, dialect, run, texts } = engine();
      await clear();
      for (const made of [
        `CREATE TABLE trips (nr INTEGER PRIMARY KEY, town ${string30} NOT NULL, note ${text} NOT NULL, kind CHAR(3) NOT NULL, fare REAL NOT NULL, ${quote}${LONG}${quote} ${string30} NOT NULL, ${quote}${LONG}2${quote} VARCHAR(2000) NOT NULL)${name === "MariaDB" ? " CHARACTER SET utf8mb4" : ""}`,
        "CREATE TABLE other (nr INTEGER PRIMARY KEY)",
        `CREATE INDEX trips_fare_nr ON ${name === "MariaDB" ? "trips" : "other"} (nr)`,
      ]) {
        await rowsOf(engine(), made);
      }
      const schema = defineSchema({
        nr: int({ unique: true }),
        ...{ town: string(), note: string(), kind: string(), fare: float() },
        ...{ [LONG]: string(), [`${LONG}2`]: string() },
      });
      const fields = ["town", "note", "kind", LONG, `${LONG}2`] as const;
      const equals = (names: readonly string[]) => names.map((each) => [each, "exactly", "a"]);
      const queries = [
        ...(["ASC", "DESC"] as const).flatMap((fare) =>
          (["ASC", "DESC"] as const).map((nr) => ({
            sort: [
              ["fare", fare],
              ["nr", nr],
            ],
          })),
        ),
        { sort: [["fare", "ASC"]] },
        { criteria: [["fare", "at_least", 3]] },
        ...fields.map((_, i) => ({ criteria: equals(fields.slice(0, i + 1)) })),
        ...fields.map((each) => ({ criteria: equals([each]), sort: [["fare", "DESC"]] })),
        ...fields.map((each) => ({ criteria: equals([each]), sort: [["fare", "ASC"]] })),
        { criteria: equals(fields.toReversed()) },
      ];
      const options = {
        ...{ schema, dialect, run, texts, table: "trips" },
        ...{ order: ["nr"], queries },
      } as never;
      const proposed = await checkTable(options);
      expect(proposed.length).toBeGreaterThan(5);
      expect(proposed.map(({ reason }) => reason)).not.toContainEqual(
        'no index has "fare" in this order',
      );
      for (const { statement } of proposed) await rowsOf(engine(), statement ?? "");
      expect(await checkTable(options)).toEqual([]);
      // Without any one of them, it is proposed again.
      const names = proposed.map(({ statement }) => /INDEX (.*?) ON/.exec(statement ?? "")?.[1]);
      expect(new Set(names).size).toBe(names.length);
      for (const [i, index] of names.entries()) {
        await rowsOf(engine(), `DROP INDEX ${index ?? ""}${name === "MariaDB" ? " ON trips" : ""}`);
        expect(await checkTable(options)).toHaveLength(1);
        await rowsOf(engine(), proposed[i]?.statement ?? "");
      }
    });
  });
}

/** Names of columns for which statements, or what is read of them in the catalog, could fail. */
const ODD = [
  '"',
  "`",
  "[",
  "]'",
  'a"b""',
  "a`b``",
  "\\`",
  "(",
  "a)",
  "a, b",
  ";--/*",
  "?:a@a",
].concat(
  ["$1 {p1:String} %s", "select", "null", "value", "x AS y", "CAST(x", "A DESC", "\ud7ff", "a.b"],
  ["tercet_0", "TERCET_1"],
);

for (const [name, more, types, end] of [
  ["SQLite", ["\u{10ffff}", "n".repeat(64)], ["VARCHAR(20)", "DECIMAL(18, 3)"], ""],
  ["DuckDB", ["\u{10ffff}", "n".repeat(64)], ["VARCHAR", "DECIMAL(18, 3)"], ""],
  ["PostgreSQL", ["\u{10ffff}", "n".repeat(63)], ["varchar(20)", "numeric(18, 3)"], ""],
  [
    "chDB",
    ["\u{10ffff}", "n".repeat(64)],
    ["String", "Decimal(18, 3)"],
    "ENGINE = MergeTree ORDER BY id",
  ],
  ["MariaDB", ["n".repeat(64)], ["VARCHAR(20)", "DECIMAL(18, 3)"], "CHARACTER SET utf8mb4"],
] as const) {
  onEngine(name, (engine) => {
    test(`${name}: columns may have any name`, async () => {
      const { clear, dialect, run, texts } = engine();
      await clear();
      const names = [...ODD, ...more];
      const { quoteColumn } = dialectOf(dialect, "dialect");
      const id = dialect === "clickhouse" ? "Int64" : "INTEGER";
      // One of five is missing.
      const columns = names.flatMap((each, i) =>
        i % 5 === 4 ? [] : `, ${quoteColumn(each)} ${types[i % 2] ?? ""} NOT NULL`,
      );
      await rowsOf(engine(), `CREATE TABLE odd (id ${id} NOT NULL${columns.join("")}) ${end}`);
      const fields = names.map((each, i) => {
        const nullable = i % 5 === 4;
        return [each, i % 2 === 0 ? string({ nullable }) : float({ nullable })];
      });
      const schema = defineSchema({ id: int(), ...Object.fromEntries(fields) });
      const options = {
        ...{ schema, dialect, run, texts, table: "odd", order: ["id"] },
        queries: names.map((each) => ({ sortBy: each })),
      } as never;
      const added = await checkTable(options);
      expect(added.map(({ statement }) => statement)).not.toContain(null);
      for (const { statement } of added) await rowsOf(engine(), statement ?? "");
      for (const { statement, reason } of await checkTable(options)) {
        expect(statement, reason).not.toBe(null);
        await rowsOf(engine(), statement ?? "");
      }
      expect(await checkTable(options)).toEqual([]);
    });
  });
}

describe("what the catalog says of columns decides", () => {
  /** The problems of a table with these columns: their names, types, and more of what the catalog says. */
  async function problemsOf(
    schema: Schema,
    columns: readonly (readonly unknown[])[],
    dialect: DialectName = "postgres",
  ) {
    const usual = [null, null, 1, "points", 0, null, 0, null];
    const answers = [
      columns.map((column) => usual.map((each, i) => (i in column ? column[i] : each))),
    ];
    const run: Run = () => Promise.resolve(answers.pop() ?? []);
    return await checkTable({ schema, dialect, run, table: "t", order: ["id"] });
  }

  const FIELDS = { int, float, boolean, string, json };

  test.each<[keyof typeof FIELDS, fits: string, others: string]>([
    [
      "int",
      "integer bigint smallint tinyint(1) int2 UInt64 Nullable(Int32) LowCardinality(Nullable(Int8)) HUGEINT serial bigserial year numeric decimal(18) decimal(18,0)",
      "interval internal decimal(18,2) text real float8 boolean json date integer[] int4range",
    ],
    [
      "float",
      "real float8 double Float64 Nullable(Float32) bigint decimal(18,2)",
      "text bool date integer[]",
    ],
    ["boolean", "boolean Bool tinyint(1)", "text real decimal(1) date"],
    ["string", "text varchar(9) String uuid bigint numeric real boolean json date bytea", ""],
    ["json", "json jsonb text longtext", "integer decimal(3) real boolean uuid jsonpath json[]"],
  ])("the types in which a field can be: %s", async (type, fits, others) => {
    const schema = defineSchema({ id: int(), value: (FIELDS[type] as () => Field)() });
    const isRefused = async (each: string) => {
      const problems = await problemsOf(schema, [
        ["id", "bigint"],
        ["value", each],
      ]);
      const reason = `the column "value" is of the type ${each}, which no ${type} field can be of; make it a `;
      return problems.some(
        (problem) => problem.reason.startsWith(reason) && problem.kind === "wrong",
      );
    };
    const refused: string[] = [];
    const all = `${fits} ${others}`.trim().split(" ");
    for (const each of all) if (await isRefused(each)) refused.push(each);
    expect(refused.join(" ")).toBe(others);
  });

  test("names of columns have any case in SQLite, DuckDB and MariaDB, and their own in the others", async () => {
    const schema = defineSchema({ id: int() });
    const found: string[] = [];
    for (const dialect of ["sqlite", "duckdb", "mariadb", "postgres", "clickhouse"] as const) {
      const problems = await problemsOf(schema, [["Id", "bigint"]], dialect);
      if (!problems.some(({ reason }) => reason === 't has no column "id"')) found.push(dialect);
    }
    expect(found).toEqual(["sqlite", "duckdb", "mariadb"]);
  });

  test("a column that may hold null, for a field that may not, is wrong", async () => {
    const schema = defineSchema({ id: int(), a: int(), b: int({ nullable: true }) });
    const problems = await problemsOf(schema, [
      ["id", "bigint", "true"],
      ["a", "bigint", 0],
      ["b", "bigint", 0],
    ]);
    expect(problems.filter(({ reason }) => reason.includes("may be null"))).toEqual([
      {
        kind: "wrong",
        reason:
          'the column "a" may be null, and the field "a" not: an answer with such a row fails',
        statement: 'ALTER TABLE "t" ALTER COLUMN "a" SET NOT NULL',
      },
    ]);
  });
});

test("each operator, sort and group is sent once, without rows; what fails is wrong", async () => {
  const schema = defineSchema({ id: int(), name: string(), total: float() });
  const described = ["id bigint", "name text", "total float"].map((each) => {
    const [column, type] = each.split(" ");
    return [column, type, 1, "points", 1, null, 0, null];
  });
  const sent: string[] = [];
  let isDown = false;
  const run: Run = (text) => {
    if (text.includes("pg_attribute")) return Promise.resolve(described);
    sent.push(text);
    const isRefused = isDown || /strpos\("name"|ORDER BY "total" DESC/.test(text);
    return isRefused ? Promise.reject(new Error("no operator")) : Promise.resolve([]);
  };
  const options = { schema, dialect: "postgres", run, table: "t", order: ["id"] } as const;
  const problems = await checkTable(options);
  expect(problems.map(({ kind, reason }) => [kind, reason])).toEqual([
    ["wrong", 'contains of the field "name" fails: the driver failed: no operator'],
    ["wrong", 'a sort DESC of the field "total" fails: the driver failed: no operator'],
  ]);
  for (const part of ['starts_with("name"', "<> $1", "= ANY", '"total" >= $1', "count(DISTINCT"]) {
    const found = sent.filter((text) => text.includes(part));
    expect(found.length, part).toBeGreaterThan(0);
    for (const text of found) expect(text).toMatch(/ LIMIT 0$/);
  }
  isDown = true;
  await expect(checkTable(options)).rejects.toThrow("no operator");
});

test("queries that are not valid are refused", async () => {
  const run: Run = () => Promise.reject(new Error("asked"));
  const options = { ...optionsOn({ dialect: "sqlite", run }), texts: undefined };
  const check = (queries: unknown) => checkTable({ ...options, queries: queries as [] });
  await expect(check([{ sortBy: "x" }])).rejects.toThrow('unknown field "x"');
  await expect(check(1)).rejects.toThrow("options.queries: must be iterable");
  await expect(checkTable(null as never)).rejects.toThrow("options: must be an object");
});
