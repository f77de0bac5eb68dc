// A collection over a table, compared with the same records in memory and with the testing kit's
// reference: generated schemas of any type and form, in columns of native types and other names, or in
// a table that tercet makes.

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
  string,
  type Field,
  type Query,
  type Schema,
} from "../../src/index.ts";
import {
  createSqlCollection,
  createTable,
  insertRecords,
  type DialectName,
} from "../../src/sql/index.ts";
import { inputRecords, query } from "../../src/testing/index.ts";
import { execute, rowsOf, storable, type Engine } from "../engines/engine.ts";
import { settings } from "../property.ts";
import { referencePage, wireOf } from "../reference-page.ts";
import { untyped } from "../rules/fixtures.ts";

/** Types of columns that a field may be in; a value is written as `text` has it. */
interface Native {
  readonly type: string;
  /** Whether it holds the value of a wire text. */
  readonly holds?: (text: string) => boolean;
  /** The literal's text, where that is not the wire text. */
  readonly write?: (text: string) => string;
}

const bits = (text: string) => (text === "true" ? "1" : "0");
const fits = (digits: number) => (text: string) =>
  /^-?\d+(?:\.\d\d?)?$/.test(text) && text.replace(/[-.]/g, "").length < digits;
const isShort = (text: string) => Math.abs(Number(text)) < 2 ** 31;
const isSingle = (text: string) => Math.fround(Number(text)) === Number(text);
const hasNoNul = (json: string) => !json.includes("\\u0000");
/** Spaces at the end of such a column are none. */
const isTrimmed = (text: string) => !text.endsWith(" ");

type Natives = Readonly<Record<Field["type"], readonly Native[]>>;

const NATIVES: Readonly<Partial<Record<DialectName, Natives>>> = {
  postgres: {
    int: [{ type: "bigint" }, { type: "integer", holds: isShort }, { type: "numeric(20)" }],
    float: [
      { type: "double precision" },
      { type: "numeric(12, 2)", holds: fits(10) },
      { type: "numeric" },
      { type: "real", holds: isSingle },
    ],
    boolean: [{ type: "boolean" }, { type: "smallint", write: bits }],
    string: [
      { type: "text" },
      { type: 'varchar COLLATE "en-x-icu"' },
      { type: "text COLLATE folding" },
      { type: "char(20)", holds: (text) => isTrimmed(text) && Array.from(text).length <= 20 },
    ],
    json: [{ type: "json" }, { type: "text" }, { type: "jsonb", holds: hasNoNul }],
  },
  duckdb: {
    int: [{ type: "BIGINT" }, { type: "INTEGER", holds: isShort }, { type: "DECIMAL(18, 0)" }],
    float: [{ type: "DOUBLE" }, { type: "DECIMAL(12, 2)", holds: fits(10) }],
    boolean: [{ type: "BOOLEAN" }, { type: "TINYINT", write: bits }],
    string: [{ type: "VARCHAR" }, { type: "VARCHAR COLLATE nocase" }],
    json: [{ type: "VARCHAR" }, { type: "JSON" }],
  },
  sqlite: {
    int: [{ type: "INTEGER" }, { type: "BIGINT" }],
    float: [{ type: "REAL" }, { type: "NUMERIC" }, { type: "DOUBLE" }],
    boolean: [
      { type: "BOOLEAN", write: bits },
      { type: "INTEGER", write: bits },
    ],
    string: [{ type: "TEXT" }, { type: "VARCHAR(9) COLLATE NOCASE" }, { type: "" }],
    json: [{ type: "TEXT" }, { type: "JSON" }],
  },
  mariadb: {
    int: [{ type: "BIGINT" }, { type: "INT", holds: isShort }, { type: "DECIMAL(20, 0)" }],
    float: [{ type: "DOUBLE" }, { type: "DECIMAL(12, 2)", holds: fits(10) }],
    boolean: [
      { type: "BOOLEAN", write: bits },
      { type: "TINYINT", write: bits },
    ],
    string: [
      { type: "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin" },
      { type: "VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci" },
    ],
    json: [{ type: "JSON" }, { type: "LONGTEXT CHARACTER SET utf8mb4" }],
  },
};

// Names that a statement must not read as anything else, and of which an object has members.
const NAMES = ["a", "0", "", "select", "__proto__", 'x"; --', "é😀", "$1?", "position"];

const options = fc.record({
  nullable: fc.boolean(),
  stored: fc.constantFrom(true, true, true, false),
  searchable: fc.constantFrom(true, true, true, false),
});
const field = fc.oneof(
  options.map(int),
  options.map(float),
  options.map(boolean),
  options.map(string),
);
const carried = fc.record({ nullable: fc.boolean() }).map((given) => json(given));

const ANY: Native = { type: "" };
/** ClickHouse reads other texts of floats with a mistake in the last digit. */
const ROUND: Native = { type: "", holds: (text) => /^-?\d{1,9}(?:\.\d{1,2})?$/.test(text) };

const FOREIGN = "o'f \"mine";
const OWN = "made";

interface Column {
  readonly name: string;
  readonly native: Native;
}

interface Table {
  readonly schema: Schema;
  readonly columns: ReadonlyMap<string, Column>;
  readonly hasPosition: boolean;
  /** Whether tercet makes it. */
  readonly isOwn: boolean;
}

/** Fields of any name and type, and `n`, the key, each in a column of another name. */
const tables = (natives: Natives | undefined, own: Native): fc.Arbitrary<Table> =>
  fc
    .record({
      fields: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), field), {
        selector: ([name]) => name,
        minLength: 2,
        maxLength: 5,
      }),
      note: fc.option(carried, { nil: undefined }),
      isWire: fc.boolean(),
      picks: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
      hasPosition: fc.boolean(),
      isOwn: natives === undefined ? fc.constant(true) : fc.constantFrom(false, false, true),
    })
    .map(({ fields, note, isWire, picks, hasPosition, isOwn }) => {
      const all = Object.fromEntries([...fields, ["n", int()]]);
      const schema: Schema = isWire
        ? defineSchema(all, { form: "wire" })
        : defineSchema(note === undefined ? all : { ...all, note });
      const columns = new Map(
        Object.entries(schema.fields).map(([name, { type }], i) => {
          if (isOwn) return [name, { name: `c${i}`, native: type === "float" ? own : ANY }];
          const of = natives?.[type] ?? [];
          const native = of[(picks[i] ?? 0) % of.length];
          if (native === undefined) throw new Error(`no type for ${type}`);
          // MariaDB has no astral characters in names.
          return [name, { name: `c${i} "${name.replaceAll("😀", "")}"`, native }];
        }),
      );
      return { schema, columns, hasPosition: isOwn || hasPosition, isOwn };
    });

const columnOf = ({ columns }: Table, name: string): Column => {
  const column = columns.get(name);
  if (column === undefined) throw new Error(`no column for ${name}`);
  return column;
};

const quoted = (name: string, { dialect }: Engine) =>
  dialect === "mariadb" ? `\`${name.replaceAll("`", "``")}\`` : `"${name.replaceAll('"', '""')}"`;

/** Without records that a column can't hold. */
function holdable(table: Table, engine: Engine, given: readonly object[]) {
  return storable(engine, given).filter((record) => {
    const wire = wireOf(table.schema, record);
    return Object.entries(wire).every(([name, text]) => {
      const { holds } = columnOf(table, name).native;
      return text === null || holds === undefined || holds(text);
    });
  });
}

async function load(engine: Engine, table: Table, records: readonly object[]): Promise<void> {
  await engine.clear();
  if (table.isOwn) {
    const options = { dialect: engine.dialect, table: OWN } as const;
    await execute(engine, createTable(table.schema, options));
    await execute(engine, insertRecords(table.schema, untyped(records), options));
    return;
  }
  const names = Object.keys(table.schema.fields);
  const declared = names.map((name) => {
    const { name: column, native } = columnOf(table, name);
    return `${quoted(column, engine)} ${native.type}`;
  });
  if (table.hasPosition) declared.push(`${quoted("the place", engine)} BIGINT`);
  if (engine.dialect === "postgres") {
    await rowsOf(
      engine,
      "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    );
  }
  await rowsOf(engine, `CREATE TABLE ${quoted(FOREIGN, engine)} (${declared.join(", ")})`);
  const rows = records.map((record, i) => {
    const wire = wireOf(table.schema, record);
    const cells: (string | null)[] = names.map((name) => {
      const text = wire[name] ?? null;
      const { write } = columnOf(table, name).native;
      return text === null || write === undefined ? text : write(text);
    });
    return table.hasPosition ? [...cells, String(2 * i - 7)] : cells;
  });
  if (rows.length === 0) return;
  const parameters: string[] = [];
  const bind = (cell: string | null, i: number) => {
    if (cell === null) return "NULL";
    parameters.push(cell);
    const name = names[i];
    const type = name === undefined ? "BIGINT" : columnOf(table, name).native.type;
    if (engine.dialect === "postgres") return `$${parameters.length}::text::${type}`;
    return engine.dialect === "duckdb" ? `$${parameters.length}` : "?";
  };
  // In no order that helps.
  const values = rows.toReversed().map((row) => `(${row.map(bind).join(", ")})`);
  const text = `INSERT INTO ${quoted(FOREIGN, engine)} VALUES ${values.join(", ")}`;
  await execute(engine, [{ text, parameters }]);
}

/** Whether a criterion asks for the text of a float, which no engine tells. */
function asksForFloat({ fields }: Schema, criteria: unknown): boolean {
  return (
    Array.isArray(criteria) &&
    criteria.some(
      ([name, operator, value]: unknown[]) =>
        fields[String(name)]?.type === "float" &&
        ["contains", "starts_with", "ends_with"].includes(String(operator)) &&
        value !== "",
    )
  );
}

export function collectionTests(engine: () => Engine, runs: number): void {
  test(
    "a table of any schema answers as the records in memory",
    async () => {
      const { dialect } = engine();
      const own = dialect === "clickhouse" ? ROUND : ANY;
      const cases = tables(NATIVES[dialect], own).chain((table) =>
        inputRecords(table.schema, { maxLength: 16 }).chain((given) => {
          const records = holdable(table, engine(), given).map((record, n) => ({ ...record, n }));
          const queries = fc.array(query(table.schema, { records: untyped(records) }), {
            minLength: 12,
            maxLength: 12,
          });
          return fc.tuple(fc.constant(table), fc.constant(records), queries);
        }),
      );
      await fc.assert(
        fc.asyncProperty(cases, async ([table, records, queries]) => {
          const { schema, columns, hasPosition, isOwn } = table;
          await load(engine(), table, records);
          const found = createSqlCollection({
            schema,
            dialect: engine().dialect,
            run: engine().run,
            texts: engine().texts,
            table: isOwn ? OWN : FOREIGN,
            columns: Object.fromEntries([...columns].map(([name, column]) => [name, column.name])),
            ...(isOwn
              ? { position: "position" }
              : hasPosition
                ? { position: "the place" }
                : { order: ["n"] }),
          });
          const memory = createCollection(schema, untyped(records));
          const wire = records.map((record) => wireOf(schema, record));
          const fields = Object.entries(schema.fields).filter(([, { type }]) => type !== "json");
          const ask = async (asked: Query, i: number) => {
            const { criteria } = asked;
            if (asksForFloat(schema, criteria)) {
              await expect(found.query(asked)).rejects.toThrow(/text of the float field/);
              return;
            }
            const page = await found.query(asked);
            // Not by Vitest, which takes a member `constructor` for a class.
            assert.deepStrictEqual(page, memory.query(asked), JSON.stringify(asked));
            const numbers = referencePage(schema, wire, asked).map(({ n }) => n);
            expect(page.map(({ n }) => String(n))).toEqual(numbers);
            expect(await found.count(criteria)).toBe(memory.count(criteria));
            const [name = "", { type } = int()] = fields[i % fields.length] ?? [];
            const listing = { order: i % 2 === 0 ? "count" : "value", limit: (i % 5) + 1 } as const;
            for (const each of [undefined, listing]) {
              const counts = await found.countBy(name, criteria, each);
              expect(counts, name).toEqual(memory.countBy(name, criteria, each));
            }
            if (type !== "int" && type !== "float") return;
            const number = name as never;
            const binning = { bins: 1 + (i % 4), criteria };
            expect(await found.histogram(number, binning)).toEqual(
              memory.histogram(number, binning),
            );
            expect(await found.summary(number, criteria)).toEqual(memory.summary(number, criteria));
          };
          await Promise.all(queries.map(ask));
        }),
        settings(runs),
      );
    },
    12 * 3_600_000,
  );
}
