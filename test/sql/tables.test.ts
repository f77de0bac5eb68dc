// Which options createTables and insertRows reject, and what they decide without an engine.

import { describe, expect, test } from "vitest";
import {
  boolean,
  createService,
  defineSchema,
  float,
  InputError,
  int,
  string,
} from "../../src/index.ts";
import {
  applyPatchesSql,
  compileSql,
  createSqlService,
  createTable,
  createTables,
  insertRecords,
  insertRows,
  type DialectName,
} from "../../src/sql/index.ts";
import { schemaOf } from "../../src/schema/schema.ts";
import { wireSchema } from "../wire-schema.ts";

const dialects: readonly DialectName[] = ["postgres", "clickhouse", "duckdb", "sqlite", "mariadb"];
const file = (id: number, name = "a.txt") => ({ id, folder_id: 1, name });
const contact = (email: string, fields = {}) => ({
  send_id: 1,
  contact_id: 1,
  contact_email: email,
  fields,
});

describe("records that are not valid", () => {
  const insert = (options: object) => () => [
    ...insertRows({ dialect: "postgres", ...options } as never),
  ];

  test("are refused with their place, however many come before", () => {
    const files = Array.from({ length: 2500 }, (_, id) => file(id));
    expect(insert({ files: [...files, { id: 1 }] })).toThrow(/^files\[2500\]\.folder_id: /);
    const lists = [
      { id: 1, contacts: [contact("a")] },
      { id: 2, contacts: [contact("b"), { ...contact("c"), send_id: "x" }] },
    ];
    const place = /^batch\.lists\[1\]\.contacts\[1\]\.send_id: must be an integer/;
    expect(insert({ batch: { id: 7, lists } })).toThrow(place);
    expect(insert({ batch: { id: 7, lists: [{ id: "x" }] } })).toThrow(/^batch\.lists\[0\]\.id: /);
  });

  test("PostgreSQL refuses U+0000, with record and field; the others take it", () => {
    const files = [file(1), file(2, "a\0b.txt")];
    const lists = [{ id: 1, fields: ["Em\0ail"], contacts: [contact("a", { "Em\0ail": "\0" })] }];
    const reason = "contains U+0000, which strings of postgres can't";
    expect(insert({ files })).toThrow(`files[1].basename: ${reason}`);
    expect(insert({ batch: { id: 7, lists } })).toThrow(
      `batch.lists[0].contacts[0].fields["Em\\u0000ail"]: ${reason}`,
    );
    const memory = createService({ files });
    expect(insert({ files: memory.files })).toThrow(`files[1].basename: ${reason}`);
    for (const dialect of dialects.slice(1)) {
      expect([...insertRows({ dialect, files, batch: { id: 7, lists } })]).toHaveLength(3);
    }
  });
});

test("records are read when their statement is asked for, and are in pieces", () => {
  let read = 0;
  const files = (function* () {
    for (let id = 0; id < 3500; id++) {
      read++;
      yield file(id);
    }
  })();
  const sizes: number[] = [];
  for (const { parameters } of insertRows({ dialect: "sqlite", files, from: 10 })) {
    const rows = JSON.parse(String(parameters[0])) as unknown[][];
    if (sizes.length === 0) expect(rows[0]?.slice(0, 2)).toEqual(["10", "0"]);
    sizes.push(rows.length);
    expect(read).toBeLessThanOrEqual(sizes.length * 1000);
  }
  expect(sizes).toEqual([1000, 1000, 1000, 500]);
});

test("a statement of long texts has fewer records", () => {
  const files = Array.from({ length: 9 }, (_, id) => file(id, "x".repeat(100_000)));
  expect([...insertRows({ dialect: "sqlite", files })].length).toBeGreaterThan(2);
});

test("ClickHouse and DuckDB get as many rows in a statement as suit them, the others a thousand", () => {
  const files = Array.from({ length: 16_001 }, (_, id) => ({ id, folder_id: 1, name: "\t\n" }));
  const rowsOfClickhouse = [...insertRows({ dialect: "clickhouse", files })].map(
    ({ text }) => text.split("\n").length - 2,
  );
  expect(rowsOfClickhouse).toEqual([16_000, 1]);
  expect([...insertRows({ dialect: "duckdb", files })]).toHaveLength(2);
  expect([...insertRows({ dialect: "sqlite", files })]).toHaveLength(17);
});

test("a PostgreSQL coordinator asks its servers what they estimate for Files, Contacts and Lists", () => {
  const made = [...createTables({ dialect: "postgres", cluster: { servers: ["a", "b"] } })];
  const foreign = made.map(({ text }) => text).filter((text) => text.includes("PARTITION OF"));
  expect(foreign).toHaveLength(6);
  for (const text of foreign) expect(text).toContain("use_remote_estimate 'true'");
});

test.each([
  ["contact", 'HASH ("position")', "`position`)"],
  ["hash", 'HASH ("batch_id", "position")', "cityHash64(`batch_id`, `position`))"],
  ["batch", 'HASH ("batch_id")', "`batch_id`)"],
] as const)("engines spread the rows of a cluster by %s", (by, postgres, clickhouse) => {
  const contactsBy = (dialect: DialectName) =>
    Array.from(
      createTables({ dialect, cluster: { servers: "shop", by } }),
      ({ text }) => text,
    ).find((text) => text.includes("contact_email"));
  expect(contactsBy("postgres")?.endsWith(` PARTITION BY ${postgres}`)).toBe(true);
  expect(contactsBy("clickhouse")?.endsWith(`'tercet_contacts', ${clickhouse}`)).toBe(true);
});

test("options that are not valid are refused, with their path", () => {
  const make = (options: object) => () => createTables({ dialect: "postgres", ...options });
  expect(make({ dialect: "x" })).toThrow(InputError);
  expect(make({ indexes: { files: ["sise"] } })).toThrow(
    'options.indexes.files[0]: must be a field, not "sise"',
  );
  expect(make({ indexes: { contacts: ["send_id", "send_time", "send_id"] } })).toThrow(
    "options.indexes.contacts[2]: repeats an earlier index",
  );
  const sent = ["send_id", { listField: "Email" }];
  expect(make({ indexes: { contacts: [["send_id", "send_id"]] } })).toThrow(
    'options.indexes.contacts[0][1]: repeats "send_id"',
  );
  expect(make({ indexes: { contacts: [sent, "send_id", sent] } })).toThrow(
    "options.indexes.contacts[2]: repeats an earlier index",
  );
  expect(make({ indexes: { contacts: [[]] } })).toThrow("options.indexes.contacts[0]: needs at");
  expect(make({ indexes: { contacts: [{ listField: 3 }] } })).toThrow(
    "options.indexes.contacts[0].listField: must be the name of a List Field, not 3",
  );
  expect(make({ indexes: { files: [{ listField: "Email" }] } })).toThrow(
    "options.indexes.files[0]: must be a field",
  );
  expect(make({ dialect: "sqlite", textColumns: "virtual" })).toThrow(
    'options.textColumns: can be "virtual" in PostgreSQL, not in sqlite',
  );
  expect(make({ cluster: { servers: "a" }, textColumns: "stored" })).toThrow(
    "options.textColumns: applies only to the servers of a cluster",
  );
  expect(make({ indexes: { listFields: { Age: "text" } } as never })).toThrow(
    'options.indexes.listFields.Age: must be "int" or "string", not "text"',
  );
  expect(make({ cluster: { servers: [] } })).toThrow("options.cluster.servers: needs at least one");
  expect(make({ cluster: { servers: "a", by: "x" } as never })).toThrow(
    "options.cluster.by: must be",
  );
  expect(make({ cluster: { servers: Array(2) } })).toThrow(
    "options.cluster.servers[0]: must be a name, not undefined",
  );
  expect(make({ cluster: { servers: ["a", "b", "a"] } })).toThrow(
    'options.cluster.servers[2]: repeats "a"',
  );
  expect(make({ dialect: "clickhouse", cluster: { servers: ["a", "b"] } })).toThrow(
    "options.cluster.servers: must be a single name, the name of the cluster, for clickhouse",
  );
  const renamed = { name: "parts", columns: { name: "title" } };
  const otherwise =
    'options.cluster.tables.files: has the column "title", which has another name in options.tables.files';
  for (const dialect of ["postgres", "clickhouse"] as const) {
    const cluster = { servers: "a", tables: { files: renamed } };
    expect(make({ dialect, cluster })).toThrow(otherwise);
    const change = { patches: [], inversePatches: [] };
    expect(() => applyPatchesSql(change, { dialect, cluster })).toThrow(otherwise);
    expect(make({ dialect, cluster, tables: { files: renamed } })).not.toThrow();
    const moved = { servers: "a", tables: { files: ["shop", "tercet_files"] } };
    expect(make({ dialect, cluster: moved })).not.toThrow();
  }
  expect(make({ cluster: { servers: "a", tables: { files: "uploads" } } })).toThrow(
    "options.cluster.tables.files: must have integers as strings if and only if options.tables.files has",
  );
  const substrings = { files: ["name"] };
  expect(make({ dialect: "mariadb", indexes: { substrings } })).toThrow(
    "options.indexes.substrings: need PostgreSQL, not mariadb",
  );
  expect(make({ indexes: { substrings: { files: ["sise"] } } })).toThrow(
    'options.indexes.substrings.files[0]: must be a field, not "sise"',
  );
  expect(() =>
    createSqlService({ dialect: "sqlite", run: () => Promise.resolve([]), substrings: true }),
  ).toThrow("options.substrings: need PostgreSQL, not sqlite");
  expect(make({ tables: { files: Array(1) } })).toThrow("options.tables.files.name[0]: must be");
  const unreadable = {
    get Age(): unknown {
      throw new Error("unreadable");
    },
  };
  expect(make({ indexes: { listFields: unreadable } })).toThrow(
    "options.indexes.listFields: could not be read",
  );
  expect(make({ cluster: { servers: "a" }, indexes: {} })).toThrow("options.indexes: are made on");
  expect(make({ dialect: "duckdb", cluster: { servers: "a" } })).toThrow(
    "options.cluster: is for PostgreSQL and ClickHouse, not for duckdb",
  );
  expect(() => insertRows({ dialect: "sqlite", from: -1 })).toThrow("options.from: must be");
});

test("an index for each field that is named, and one for List Fields where the engine has such", () => {
  const indexes = {
    files: ["size"],
    contacts: ["contact_email"],
    listFields: { Email: "string", Age: "int" },
  } as const;
  const count = (dialect: DialectName) =>
    [...createTables({ dialect, indexes })].filter(({ text }) => text.includes("INDEX")).length;
  expect(dialects.map(count)).toEqual([5, 0, 0, 5, 3]);
});

test("each index has a name of its own, also if List Fields are named in two options", () => {
  const indexes = {
    contacts: ["send_id", { listField: "A" }, { listField: "B", type: "int" }],
    listFields: { C: "string", D: "int" },
  } as const;
  const names = Array.from(createTables({ dialect: "sqlite", indexes }), ({ text }) =>
    /^CREATE INDEX "(\w+)"/.exec(text)?.at(1),
  ).filter((name) => name !== undefined);
  expect(names).toEqual([
    "tercet_contacts_send_id",
    ...["", "_2", "_3", "_4"].map((number) => `tercet_contacts_list_fields${number}`),
  ]);
});

test("MariaDB sorts by 65,536 bytes of texts, and indexes 191 characters", () => {
  const made = [...createTables({ dialect: "mariadb", indexes: { contacts: ["contact_email"] } })];
  expect(made.map(({ text }) => text).join()).toContain("`contact_email`(191)");
  const { text } = compileSql(wireSchema({ id: int() }), {}, { dialect: "mariadb", table: "t" });
  expect(text).toMatch(/^SET STATEMENT max_sort_length=65536, sort_buffer_size=\d+ FOR SELECT /);
});

describe("decided before an engine is asked", () => {
  // Elsewhere, a criterion that no value of the field can satisfy is not valid (C5a).
  const Person = schemaOf(
    { id: int(), name: string(), age: int({ nullable: true }) },
    { form: "contract" },
  );
  const compile = (criteria: unknown, dialect: DialectName = "postgres") => {
    const options = { dialect, table: "people" } as const;
    const { text, parameters } = compileSql(Person, { criteria } as never, options);
    return [/WHERE (.*) ORDER/.exec(text)?.[1], ...parameters];
  };

  test.each<[unknown, unknown[]]>([
    [[], [undefined]],
    [[["id", "exactly", "024"]], ["1 = 0"]],
    [[["id", "exactly", 2 ** 53]], ["1 = 0"]],
    [[["id", "not", "x"]], [undefined]],
    [[["age", "in", ["1", "x", "01", null]]], ['("age" IS NULL OR "age" = $1::bigint)', 1]],
    [[["name", "exactly", null]], ["1 = 0"]],
    [[["name", "not", null]], [undefined]],
    [[["age", "not", 5]], ['("age" IS NULL OR "age" <> $1::bigint)', 5]],
    [[["name", "contains", ""]], [undefined]],
    [[["age", "ends_with", ""]], ['"age" IS NOT NULL']],
    [[["name", "exactly", "a\0"]], ["1 = 0"]],
    [[["name", "not", "a\0"]], [undefined]],
    [[["name", "contains", "\0"]], ["1 = 0"]],
    [[["name", "in", ["a\0", "b"]]], ['"name" = $1::text', "b"]],
    [
      [
        ["name", "exactly", "a"],
        ["id", "exactly", "x"],
      ],
      ["1 = 0"],
    ],
    [
      [["name", "exactly", "a"], ["id", "exactly", "x"], "OR", ["id", "exactly", 1]],
      ['"id" = $1::bigint', 1],
    ],
    [[["name", "exactly", "a"], "OR", ["id", "not", "x"]], [undefined]],
  ])("%j", (criteria, expected) => {
    const columns = (text: unknown) =>
      typeof text === "string"
        ? text.replaceAll('"c0"', '"id"').replaceAll('"c1"', '"name"').replaceAll('"c2"', '"age"')
        : text;
    const [where, ...parameters] = compile(criteria);
    expect([columns(where), ...parameters]).toEqual(expected);
  });

  test.each<[unknown, unknown[]]>([
    [[["price", "exactly", 1.5]], ['"c0" = $1::double precision', 1.5]],
    [[["price", "in", ["1", "1e+21"]]], ['"c0" = ANY($1::double precision[])', [1, 1e21]]],
    [[["price", "at_least", "0.1"]], ['"c0" >= $1::double precision', 0.1]],
    [[["price", "contains", ""]], [undefined]],
    [[["paid", "exactly", true]], ['"c1" = TRUE']],
    [[["paid", "not", "true"]], ['("c1" IS NULL OR "c1" = FALSE)']],
    [[["paid", "contains", "e"]], ['"c1" IS NOT NULL']],
    [[["paid", "starts_with", "t"]], ['"c1" = TRUE']],
    [[["paid", "in", "true,false"]], ['"c1" IS NOT NULL']],
    [[["paid", "contains", "x"]], ["1 = 0"]],
  ])("floats and booleans: %j", (criteria, expected) => {
    const Sale = defineSchema({ price: float(), paid: boolean({ nullable: true }) });
    const options = { dialect: "postgres", table: "sales" } as const;
    const { text, parameters } = compileSql(Sale, { criteria } as never, options);
    expect([/WHERE (.*) ORDER/.exec(text)?.[1], ...parameters]).toEqual(expected);
    const ask = () => compileSql(Sale, { criteria: [["price", "ends_with", 5]] }, options);
    expect(ask).toThrow(
      'criteria[0]: ends_with compares the string form of the float field "price"',
    );
    const table = { name: "sales", columns: { price: { column: "p", text: "t" } } };
    const named = compileSql(
      Sale,
      { criteria: [["price", "ends_with", 5]] },
      { ...options, table },
    );
    expect(named.text).toContain('WHERE right("t", length($1::text)) = $1::text');
  });

  test("a thousand criteria are a balanced tree", () => {
    const criteria = Array.from({ length: 1000 }, (_, i) => ["id", "not", i]);
    for (const dialect of dialects) {
      const [where] = compile(criteria, dialect);
      let [depth, deepest] = [0, 0];
      for (const parenthesis of String(where).match(/[()]/g) ?? []) {
        depth += parenthesis === "(" ? 1 : -1;
        deepest = Math.max(deepest, depth);
      }
      expect(deepest).toBeLessThan(16);
    }
  });

  test("what a criterion holds is in no text of a statement", () => {
    for (const dialect of dialects) {
      const marked = [
        ["name", "in", ["x7x", "y7y"]],
        ["name", "contains", "z7z"],
        ["id", "exactly", 7117],
      ];
      const [where] = compile(marked, dialect);
      expect(where).not.toMatch(/[xyz]7|7117/);
    }
  });
});

test("a table for which a query was compiled is not taken for another", () => {
  const A = wireSchema({ id: int(), name: string() });
  const B = wireSchema({ name: string(), id: int() });
  const compile = (
    schema: typeof A | typeof B,
    table: string,
    dialect: DialectName,
    texts = "texts",
  ) => compileSql(schema as typeof A, {}, { dialect, table, texts: texts as "texts" });
  const textOf = (...asked: Parameters<typeof compile>) => compile(...asked).text;
  // More than are kept, and each twice.
  for (let i = 0; i < 400; i++) {
    expect(textOf(A, `t${i % 150}`, "sqlite")).toContain(`FROM "t${i % 150}" `);
  }
  const asked: Parameters<typeof compile>[] = [
    [A, "t", "sqlite"],
    [B, "t", "sqlite"],
    [A, "t", "mariadb"],
    [A, "t", "sqlite", "bytes"],
    [A, "bytes t", "sqlite"],
  ];
  const first = asked.map((each) => textOf(...each));
  expect(new Set(first).size).toBe(4);
  expect(asked.map((each) => textOf(...each))).toEqual(first);
  expect(compile(A, "t", "sqlite").toRecord([1, "a"])).toEqual({ id: "1", name: "a" });
  expect(compile(B, "t", "sqlite").toRecord(["a", 1])).toEqual({ id: "1", name: "a" });
  expect(() => textOf(A, "t", "sqlite", "undefined")).toThrow("options.texts: must be");
  const named = { name: "t", columns: { id: "one" } };
  const options = { dialect: "sqlite", table: named } as const;
  expect(compileSql(A, {}, options).text).toContain("`one` AS tercet_0");
  named.columns.id = "other";
  expect(compileSql(A, {}, options).text).toContain("`other` AS tercet_0");
});

test("tables and records of any schema", () => {
  const Odd = wireSchema({ __proto__x: int(), "a'b": string(), position: int() });
  for (const dialect of dialects) {
    const options = { dialect, table: "odd" } as const;
    expect([...createTable(Odd, { ...options, indexes: ["a'b"] })].length).toBeGreaterThan(0);
    const records = [{ __proto__x: 1, "a'b": "x", position: 2 }];
    expect([...insertRecords(Odd, records, options)]).toHaveLength(1);
  }
});
