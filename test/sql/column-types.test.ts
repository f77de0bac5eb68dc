// Every column type of an engine, with difficult values: either checkTable reports the column, or each query has the
// same result as in memory over the returned records. The documented types are accepted.

import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  boolean,
  createCollection,
  defineSchema,
  float,
  int,
  json,
  operators,
  string,
  strings,
  type Field,
  type Query,
  type Schema,
} from "../../src/index.ts";
import { checkTable, createSqlCollection, type Run } from "../../src/sql/index.ts";
import { query } from "../../src/testing/index.ts";
import { onEngine } from "../engines/on-engine.ts";
import { rowsOf, type Engine } from "../engines/engine.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { COLUMN_TYPES, type ColumnType } from "./column-types.ts";

const NAMES = ["int", "float", "boolean", "string", "strings", "json"] as const;
type FieldName = (typeof NAMES)[number];

const nullable = { nullable: true };
const FIELDS: Readonly<Record<FieldName, Field>> = {
  int: int(nullable),
  float: float(nullable),
  boolean: boolean(nullable),
  string: string(nullable),
  strings: strings(nullable),
  json: json(nullable),
};

const schemaOf = (field: FieldName): Schema =>
  defineSchema({ id: int({ unique: true }), c: FIELDS[field] });

/** PostgreSQL is not asked whether texts are JSON, which it can't tell before version 16. */
const isUnchecked = ({ dialect }: Engine, { type }: ColumnType, field: FieldName) =>
  dialect === "postgres" &&
  (field === "json" || field === "strings") &&
  /^(?:short|varchar\(|text(?! ?\[)|char\()[^[]*$/.test(type);

/** A table of one column of a type, and a view of it, for a field. */
async function load(engine: Engine, { type }: ColumnType, values: readonly string[]) {
  await engine.clear();
  const isClickhouse = engine.dialect === "clickhouse";
  const number = { clickhouse: "Int64", mariadb: "BIGINT" }[engine.dialect as string] ?? "INTEGER";
  for (const statement of [
    ...(engine.dialect === "postgres" ? PREPARATIONS : []),
    `CREATE TABLE t (id ${number} NOT NULL, c ${type}) ${isClickhouse ? "ENGINE = MergeTree ORDER BY id" : ""}`,
    "CREATE VIEW v AS SELECT id, c FROM t",
    ...values.map((value, i) => `INSERT INTO t VALUES (${i}, ${value})`),
  ]) {
    await rowsOf(engine, statement);
  }
  if (!HAS_INDEXES.has(engine.dialect)) return;
  // A comparison by an index may convert the value to the type of the column. Texts have indexes of their beginnings.
  for (const indexed of ["c", "c(20)"]) {
    try {
      await rowsOf(engine, `CREATE INDEX by_c ON t (${indexed})`);
      break;
    } catch {
      continue;
    }
  }
}

/** What the plan of a statement says that reads a part of an index. */
const EXPLAINS: Readonly<Partial<Record<string, RegExp>>> = {
  MariaDB: /"(?:range|ref)"/,
  PostgreSQL: /Index Cond/,
};

const HAS_INDEXES: ReadonlySet<string> = new Set(["sqlite", "postgres", "mariadb"]);

const PREPARATIONS = [
  "CREATE EXTENSION IF NOT EXISTS citext SCHEMA public",
  "CREATE TYPE mood AS ENUM ('sad', 'ok', 'Happy', 'it''s')",
  "CREATE TYPE size AS ENUM ('A', 'B', 'a', 'é')",
  "CREATE DOMAIN short AS varchar(5)",
  "CREATE DOMAIN shorter AS short",
  "CREATE DOMAIN day AS date",
  "CREATE DOMAIN feeling AS mood",
  "CREATE DOMAIN feelings AS feeling",
  "CREATE DOMAIN moment AS timestamptz(3)",
  "CREATE DOMAIN arrival AS moment",
  "CREATE DOMAIN price AS numeric(12, 2)",
  "CREATE DOMAIN cents AS price",
  "CREATE DOMAIN digits AS numeric(9)",
  "CREATE DOMAIN whole AS digits",
  "CREATE TYPE number AS (a integer)",
  "CREATE DOMAIN tags AS text[]",
  "CREATE DOMAIN labels AS varchar(9)[]",
  "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
];

function optionsOf({ dialect, run, texts }: Engine, field: FieldName, table: string) {
  return { schema: schemaOf(field), dialect, run, texts, table, order: ["id"] } as const;
}

const namesColumn = (problems: readonly { reason: string }[]) =>
  problems.some(({ reason }) => reason.includes('the column "c"'));

/** Arrays of ClickHouse can't be null. */
const nullOf = ({ type }: ColumnType) => (type.startsWith("Array") ? [] : ["NULL"]);

/** No engine tells the text of a float. */
const asksForFloat = (field: FieldName, criteria: unknown) =>
  field === "float" && /"(?:contains|starts_with|ends_with)"/.test(JSON.stringify(criteria));

async function compare(
  engine: Engine,
  field: FieldName,
  table: string,
  queries: readonly Query[],
  records: readonly object[],
) {
  const schema = schemaOf(field);
  const found = createSqlCollection(optionsOf(engine, field, table));
  const memory = createCollection(schema, untyped(records));
  for (const asked of queries) {
    if (asksForFloat(field, asked.criteria)) continue;
    const what = JSON.stringify(asked);
    const checked = asked as never;
    assert.deepStrictEqual(await found.query(checked), memory.query(checked), what);
    const { criteria } = asked as { criteria: never };
    assert.equal(await found.count(criteria), memory.count(criteria), what);
    if (field === "json") continue;
    const name = "c" as never;
    assert.deepStrictEqual(
      await found.countBy(name, criteria),
      memory.countBy(name, criteria),
      what,
    );
    if (field !== "int" && field !== "float") continue;
    const binning = { bins: 3, criteria } as never;
    assert.deepStrictEqual(
      await found.summary(name, criteria),
      memory.summary(name, criteria),
      what,
    );
    assert.deepStrictEqual(
      await found.histogram(name, binning),
      memory.histogram(name, binning),
      what,
    );
  }
}

for (const name of ["SQLite", "DuckDB", "PostgreSQL", "chDB", "MariaDB"] as const) {
  onEngine(name, (engine) => {
    test("columns of each type fit the documented fields", async () => {
      const different: string[] = [];
      for (const each of COLUMN_TYPES[engine().dialect] ?? []) {
        await load(engine(), each, [...nullOf(each), ...each.tame]);
        const fields: string[] = [];
        for (const field of NAMES) {
          const problems = await checkTable(optionsOf(engine(), field, "t"));
          if (namesColumn(problems)) continue;
          fields.push(field);
          if (isUnchecked(engine(), each, field)) continue;
          const found = createSqlCollection(optionsOf(engine(), field, "t"));
          const records = await found.query();
          assert.equal(records.length, each.tame.length + nullOf(each).length);
          if (field === "string" && each.strings) {
            expect(
              records.slice(1).map(({ c }) => c),
              each.type,
            ).toEqual(each.strings);
          }
        }
        if (fields.join(" ") !== each.fields) different.push(`${each.type}: ${fields.join(" ")}`);
      }
      expect(different).toEqual([]);
    }, 600_000);

    test("a fraction equals no integer, also by an index", async () => {
      const types = COLUMN_TYPES[engine().dialect] ?? [];
      const type = types.find(({ type }) =>
        /^(?:nullable\()?(?:int|integer|bigint|int64)\)?$/i.test(type),
      );
      assert(type !== undefined);
      const numbers = Array.from({ length: 300 }, (_, i) => String(i % 150));
      await load(engine(), type, numbers);
      const found = createSqlCollection(optionsOf(engine(), "float", "t"));
      const asked = ["0.5", "1.5", "7", "7.25"].flatMap((number) =>
        operators.flatMap(({ name, takes }) => {
          if (takes === "range") return { criteria: [["c", name, [number, number]]] };
          return takes === "value" || takes === "bound" ? { criteria: [["c", name, number]] } : [];
        }),
      );
      await compare(engine(), "float", "t", untyped(asked), await found.query());
    });

    if (EXPLAINS[name] !== undefined) {
      test("several dates and UUIDs, parts and prefixes of dates are found by an index", async () => {
        const { dialect, run, texts, clear } = engine();
        await clear();
        const dates = ["01", "02", "11", "12"].flatMap((month) =>
          Array.from({ length: 28 }, (_, day) => `${month}-${String(day + 1).padStart(2, "0")}`),
        );
        const uuidOf = (i: number) => `${String(i).padStart(8, "0")}-0000-4000-8000-000000000000`;
        const stamp = dialect === "mariadb" ? "DATETIME" : "timestamp(0)";
        await rowsOf(
          engine(),
          `CREATE TABLE t (id INTEGER PRIMARY KEY, u UUID NOT NULL, d DATE NOT NULL, s ${stamp} NOT NULL)`,
        );
        const rows = Array.from({ length: 30 * dates.length }, (_, i) => {
          const date = `${1995 + (i % 30)}-${dates[i % dates.length] ?? ""}`;
          return `(${i}, '${uuidOf(i)}', '${date}', '${date} 0${i % 10}:00:00')`;
        });
        await rowsOf(engine(), `INSERT INTO t VALUES ${rows.join(", ")}`);
        for (const column of ["u", "d", "s"]) {
          await rowsOf(engine(), `CREATE INDEX by_${column} ON t (${column})`);
        }
        await rowsOf(engine(), dialect === "mariadb" ? "ANALYZE TABLE t" : "ANALYZE t");
        const schema = defineSchema({ id: int(), u: string(), d: string(), s: string() });
        const asked: Parameters<Run>[] = [];
        const found = createSqlCollection({
          ...{ schema, dialect, texts, table: "t", order: ["id"] },
          run: (...statement) => {
            asked.push(statement);
            return run(...statement);
          },
        });
        const memory = createCollection(schema, await found.query());
        for (const [column, operator, value] of [
          ["u", "in", [uuidOf(3), uuidOf(30), "x"]],
          ["d", "in", ["1995-01-01", "1996-01-02", "x"]],
          ["s", "in", memory.query({ limit: 2 }).map(({ s }) => s)],
          ["d", "at_least", "2024-12"],
          ["d", "less_than", "1996"],
          ["s", "at_least", "2024-12-20"],
          ["d", "between", ["1995-01", "1995-02-11"]],
          ["s", "between", ["1995-01-03", "1995-01-04"]],
          ["d", "starts_with", "2003-12"],
          ["d", "starts_with", "2003"],
          ["s", "starts_with", "2003-12-0"],
          ["s", "starts_with", "2003-11-28"],
        ] as const) {
          const criteria = untyped([[column, operator, value]]);
          const what = JSON.stringify(criteria);
          expect(await found.query({ criteria }), what).toEqual(memory.query({ criteria }));
          const [text = "", parameters] = asked.at(-1) ?? [];
          const explained = text.replace(/^(SET STATEMENT .*? FOR )?/, "$1EXPLAIN ");
          const plan = JSON.stringify(await rowsOf(engine(), explained, parameters));
          expect(plan, what).toMatch(EXPLAINS[name] ?? "");
          expect(plan, what).toContain(`by_${column}`);
        }
      });
    }

    test("checkTable names a column, or each question is answered as memory does", async () => {
      const types = COLUMN_TYPES[engine().dialect] ?? [];
      const cases = fc.record({
        type: fc.constantFrom(...types),
        field: fc.constantFrom(...NAMES, "string" as const),
        table: fc.constantFrom("t", "t", "v"),
        picks: fc.array(fc.nat(), { maxLength: 12 }),
        isTame: fc.boolean(),
        seed: fc.nat(),
      });
      await fc.assert(
        fc.asyncProperty(cases, async ({ type, field, table, picks, isTame, seed }) => {
          fc.pre(!isUnchecked(engine(), type, field));
          const values = [...nullOf(type), ...type.tame, ...(isTame ? [] : type.nasty)];
          await load(
            engine(),
            type,
            picks.map((pick) => values[pick % values.length] ?? ""),
          );
          if (namesColumn(await checkTable(optionsOf(engine(), field, table)))) return;
          const records = await createSqlCollection(optionsOf(engine(), field, table)).query();
          assert.equal(records.length, picks.length);
          const asked = query(schemaOf(field), { records: untyped(records) });
          await compare(engine(), field, table, fc.sample(asked, { numRuns: 6, seed }), records);
        }),
        settings(30),
      );
    }, 600_000);
  });
}
