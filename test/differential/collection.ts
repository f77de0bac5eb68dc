// A collection over a table, compared with the same records in memory and with the reference of tercet/testing:
// generated schemas of any type and form, in columns of native types and other names, or in a table created by tercet.

import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  boolean,
  createCollection,
  defineSchema,
  float,
  InputError,
  int,
  json,
  parseCriteria,
  string,
  strings,
  type CountByOptions,
  type Field,
  type Page,
  type Query,
  type Schema,
} from "../../src/index.ts";
import { criteriaIn } from "../../src/criteria/tree.ts";
import { tuning } from "../../src/engine/tuning.ts";
import {
  createSqlCollection,
  createTable,
  insertRecords,
  type DialectName,
} from "../../src/sql/index.ts";
import { inputRecords, query } from "../../src/testing/index.ts";
import { fewOrMany } from "../engine/few-or-many.ts";
import { parts, wholes } from "../engine/numbers.ts";
import { execute, rowsOf, storable, type Engine } from "../engines/engine.ts";
import { settings } from "../property.ts";
import { referencePage, textFormOf } from "../reference-page.ts";
import { untyped } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";
import { wireSchema } from "../wire-schema.ts";
import { groupQuery } from "./group-queries.ts";

/** Types of columns that a field may be in; a value is written as `text` has it. */
interface Native {
  readonly type: string;
  /** Whether it holds the value of a text form. */
  readonly holds?: (text: string) => boolean;
  /** The literal's text, where that is not the text form. */
  readonly write?: (text: string) => string;
}

const bits = (text: string) => (text === "true" ? "1" : "0");
const fits = (digits: number) => (text: string) =>
  /^-?\d+(?:\.\d\d?)?$/.test(text) && text.replace(/[-.]/g, "").length < digits;
const isShort = (text: string) => Math.abs(Number(text)) < 2 ** 31;
const isSingle = (text: string) => Math.fround(Number(text)) === Number(text);
/** The JSON text of an array of strings as PostgreSQL writes it. */
const arrayLiteral = (json: string) => {
  const elements = (JSON.parse(json) as string[]).map((each) => each.replace(/["\\]/g, "\\$&"));
  return `{${elements.map((each) => `"${each}"`).join(",")}}`;
};
const hasNoNul = (json: string) => !json.includes("\\u0000");
/** Spaces at the end of such a column are none. */
const isTrimmed = (text: string) => !text.endsWith(" ");

/** Times are texts in each engine. */
const TEXT_TYPE: readonly Native[] = [{ type: "VARCHAR(40)" }];

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
    strings: [{ type: "text[]", write: arrayLiteral, holds: hasNoNul }, { type: "json" }],
    json: [{ type: "json" }, { type: "text" }, { type: "jsonb", holds: hasNoNul }],
    time: TEXT_TYPE,
  },
  duckdb: {
    int: [{ type: "BIGINT" }, { type: "INTEGER", holds: isShort }, { type: "DECIMAL(18, 0)" }],
    float: [{ type: "DOUBLE" }, { type: "DECIMAL(12, 2)", holds: fits(10) }],
    boolean: [{ type: "BOOLEAN" }, { type: "TINYINT", write: bits }],
    string: [{ type: "VARCHAR" }, { type: "VARCHAR COLLATE nocase" }],
    strings: [{ type: "VARCHAR" }, { type: "JSON" }],
    json: [{ type: "VARCHAR" }, { type: "JSON" }],
    time: TEXT_TYPE,
  },
  sqlite: {
    int: [{ type: "INTEGER" }, { type: "BIGINT" }],
    float: [{ type: "REAL" }, { type: "NUMERIC" }, { type: "DOUBLE" }],
    boolean: [
      { type: "BOOLEAN", write: bits },
      { type: "INTEGER", write: bits },
    ],
    string: [{ type: "TEXT" }, { type: "VARCHAR(9) COLLATE NOCASE" }, { type: "" }],
    strings: [{ type: "TEXT" }, { type: "JSON" }],
    json: [{ type: "TEXT" }, { type: "JSON" }],
    time: TEXT_TYPE,
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
    strings: [{ type: "JSON" }, { type: "LONGTEXT CHARACTER SET utf8mb4" }],
    json: [{ type: "JSON" }, { type: "LONGTEXT CHARACTER SET utf8mb4" }],
    time: TEXT_TYPE,
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
  options.map((given) => int(given)),
  options.map((given) => float(given)),
  options.map((given) => boolean(given)),
  options.map((given) => string(given)),
);
const carried = fc.record({ nullable: fc.boolean() }).map((given) => json(given));
const tags = options.map((given) => strings(given));

const ANY: Native = { type: "" };
/** ClickHouse reads other texts of floats with a mistake in the last digit. */
const ROUND: Native = { type: "", holds: (text) => /^-?\d{1,9}(?:\.\d{1,2})?$/.test(text) };

/** Names that statements give to columns and tables of their own. */
const GENERATED = [
  ...["tercet_0", "tercet_1", "tercet_2", "tercet_3", "TERCET_4", "tercet_9", "Tercet_10"],
  ...["v", "e", "r", "list", "listed", "value", "counted", "ranges", "part0", "parts"],
];

const FOREIGN = "o'f \"mine";
const OWN = "made";

interface Column {
  readonly name: string;
  readonly native: Native;
}

interface Table {
  readonly schema: Schema;
  readonly columns: ReadonlyMap<string, Column>;
  /** The column with the insertion order, if there is one. */
  readonly position: string | undefined;
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
      tagged: fc.option(tags, { nil: undefined }),
      isWire: fc.boolean(),
      picks: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
      hasPosition: fc.boolean(),
      generated: fc.option(fc.shuffledSubarray(GENERATED, { minLength: GENERATED.length }), {
        freq: 2,
      }),
      isOwn: natives === undefined ? fc.constant(true) : fc.constantFrom(false, false, true),
    })
    .map(({ fields, note, tagged, isWire, picks, hasPosition, generated, isOwn }) => {
      const all = Object.fromEntries<Field>([...fields, ["n", int()]]);
      const schema: Schema = isWire
        ? wireSchema(all)
        : defineSchema({
            ...all,
            ...(note === undefined ? {} : { note }),
            ...(tagged === undefined ? {} : { tagged }),
          });
      const columns = new Map(
        Object.entries(schema.fields).map(([name, { type }], i) => {
          // MariaDB has no astral characters in names.
          const ownName = isOwn ? `c${i}` : `c${i} "${name.replaceAll("😀", "")}"`;
          const column = generated?.[i] ?? ownName;
          if (isOwn) return [name, { name: column, native: type === "float" ? own : ANY }];
          const of = natives?.[type] ?? [];
          const native = of[(picks[i] ?? 0) % of.length];
          if (native === undefined) throw new Error(`no type for ${type}`);
          return [name, { name: column, native }];
        }),
      );
      const position = generated?.at(-1) ?? (isOwn ? "position" : "the place");
      return { schema, columns, position: isOwn || hasPosition ? position : undefined, isOwn };
    });

const columnOf = ({ columns }: Table, name: string): Column => {
  const column = columns.get(name);
  if (column === undefined) throw new Error(`no column for ${name}`);
  return column;
};

const namesIn = ({ columns }: Table) =>
  Object.fromEntries(Array.from(columns, ([field, { name }]) => [field, name]));

const quoted = (name: string, { dialect }: Engine) =>
  dialect === "mariadb" ? `\`${name.replaceAll("`", "``")}\`` : `"${name.replaceAll('"', '""')}"`;

/** Without records that a column can't hold. */
function holdable(table: Table, engine: Engine, given: readonly object[]) {
  return storable(engine, given).filter((record) => {
    const textForm = textFormOf(table.schema, record);
    return Object.entries(textForm).every(([name, text]) => {
      const { holds } = columnOf(table, name).native;
      return text === null || holds === undefined || holds(text);
    });
  });
}

async function load(engine: Engine, table: Table, records: readonly object[]): Promise<void> {
  await engine.clear();
  if (table.isOwn) {
    const columns = namesIn(table);
    const named = { name: OWN, columns, position: table.position };
    const options = { dialect: engine.dialect, table: named } as const;
    await execute(engine, createTable(table.schema, options));
    await execute(engine, insertRecords(table.schema, untyped(records), options));
    return;
  }
  const names = Object.keys(table.schema.fields);
  const declared = names.map((name) => {
    const { name: column, native } = columnOf(table, name);
    return `${quoted(column, engine)} ${native.type}`;
  });
  if (table.position !== undefined) declared.push(`${quoted(table.position, engine)} BIGINT`);
  if (engine.dialect === "postgres") {
    await rowsOf(
      engine,
      "CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    );
  }
  await rowsOf(engine, `CREATE TABLE ${quoted(FOREIGN, engine)} (${declared.join(", ")})`);
  const rows = records.map((record, i) => {
    const textForm = textFormOf(table.schema, record);
    const cells: (string | null)[] = names.map((name) => {
      const text = textForm[name] ?? null;
      const { write } = columnOf(table, name).native;
      return text === null || write === undefined ? text : write(text);
    });
    return table.position === undefined ? cells : [...cells, String(2 * i - 7)];
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
const asksForFloat = (schema: Schema, criteria: unknown): boolean =>
  criteriaIn(parseCriteria(schema, criteria).groups).some(
    ({ field, operator, value }) =>
      schema.fields[field]?.type === "float" &&
      ["contains", "starts_with", "ends_with"].includes(operator) &&
      value !== "",
  );

const numbersOf = ({ fields }: Schema): string[] =>
  Object.keys(fields).filter((name) => ["int", "float"].includes(fields[name]?.type ?? ""));

/** Ways to list the values of a field. @param i numbers the question */
function listingsOf(type: Field["type"], numbers: readonly string[], i: number) {
  const limit = (i % 5) + 1;
  const ascending = i % 3 === 0;
  const orders = ["count", "value", "sum", "minimum", "maximum", "mean"] as const;
  const order = orders[i % 6];
  const prefix = type === "string" ? (i % 3) + 1 : undefined;
  const summarize = numbers[i % numbers.length];
  const plain = { limit, ascending, order: orders[i % 2] };
  return untyped([
    undefined,
    plain,
    { ...plain, prefix },
    { summarize },
    { limit, ascending, order, summarize, prefix },
  ]) as readonly (CountByOptions | undefined)[];
}

/** Ways to bin the values of a field. @param i numbers the question */
function binningsOf(numbers: readonly string[], i: number): readonly object[] {
  const summarize = numbers[i % numbers.length];
  const step = (["day", "week", "month", "quarter", "year"] as const)[i % 5];
  const bins = 1 + (i % 4);
  // The calendar has no place for every number.
  const range = { from: -40 * 86_400, to: 900 * 86_400 };
  return [{ bins }, { bins, summarize }, { step, unit: "seconds", summarize, ...range }];
}

const Visit = defineSchema({
  id: int({ unique: true }),
  at: int({ nullable: true }),
  whole: int({ nullable: true }),
  part: float({ nullable: true }),
  kind: string(),
  flag: boolean({ nullable: true }),
  tags: strings({ nullable: true }),
});

/** In Berlin, in São Paulo from midnight, in Nepal; and clocks that went wrong by seconds until then. */
const CLOCKS_SET = [
  ...["2024-03-31T01:00Z", "2024-10-27T01:00Z", "2018-02-18T02:00Z", "2017-10-15T03:00Z"],
  ...["1985-12-31T18:30Z", "1893-03-31T23:06:32Z"],
];

/** Whether a query of groups asks for a part of the calendar, of which not every number has one. */
const asksForStep = (grouping: object): boolean => JSON.stringify(grouping).includes('"step":');

/** A result, or `undefined` for times outside the calendar. */
async function inCalendar<Result>(ask: () => Promise<Result> | Result) {
  try {
    return await ask();
  } catch (thrown) {
    if (thrown instanceof InputError && thrown.path === "query.by") return undefined;
    throw thrown;
  }
}

/** The records of all pages of a query, a list for each page. */
async function pagesOf(
  page: (query: object) => Page<unknown> | Promise<Page<unknown>>,
  { criteria, sort, sortBy, sortOrder, limit }: Query,
): Promise<unknown[][]> {
  const query = { criteria, sort, sortBy, sortOrder, limit };
  const pages: unknown[][] = [];
  let after: string | null = null;
  do {
    const { records, next }: Page<unknown> = await page({ ...query, after });
    pages.push(records);
    after = next;
  } while (after !== null);
  return pages;
}

export function collectionTests(engine: () => Engine, runs: number): void {
  test("NOT of a search holds for the empty string, and for null", async () => {
    const schema = defineSchema({ n: int(), note: string({ nullable: true }) });
    const notes = ["", "a", null, "ba", "ab"];
    const memory = createCollection(
      schema,
      notes.map((note, n) => ({ n, note })),
    );
    const options = { dialect: engine().dialect, table: OWN } as const;
    await engine().clear();
    await execute(engine(), createTable(schema, options));
    await execute(engine(), insertRecords(schema, memory.query(), options));
    const { run, texts } = engine();
    const columns = { n: "c0", note: "c1" };
    const place = { columns, position: "position" };
    const found = createSqlCollection({ schema, ...options, ...place, run, texts });
    for (const operator of ["starts_with", "ends_with", "contains"] as const) {
      const criteria = ["NOT", ["note", operator, "a"]] as const;
      assert.deepStrictEqual(await found.query({ criteria }), memory.query({ criteria }), operator);
    }
  });

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
          const groups = fc.array(groupQuery(table.schema), { minLength: 12, maxLength: 12 });
          return fc.tuple(fc.constant(table), fc.constant(records), queries, groups);
        }),
      );
      await fc.assert(
        fc.asyncProperty(cases, async ([table, records, queries, groups]) => {
          using _ = tuned({ fewCompared: 3 });
          const { schema, position, isOwn } = table;
          await load(engine(), table, records);
          const found = createSqlCollection({
            schema,
            dialect: engine().dialect,
            run: engine().run,
            texts: engine().texts,
            table: isOwn ? OWN : FOREIGN,
            columns: namesIn(table),
            ...(position === undefined ? { order: ["n"] } : { position }),
          });
          const memory = createCollection(schema, untyped(records));
          const textForm = records.map((record) => textFormOf(schema, record));
          const fields = Object.entries(schema.fields).filter(([, { type }]) => type !== "json");
          const ask = async (asked: Query, i: number) => {
            const { criteria } = asked;
            if (asksForFloat(schema, criteria)) {
              await expect(found.query(asked)).rejects.toThrow(/string form of the float field/);
              return;
            }
            const page = await found.query(asked);
            // Not by Vitest, which takes a member `constructor` for a class.
            assert.deepStrictEqual(page, memory.query(asked), JSON.stringify(asked));
            const numbers = referencePage(schema, textForm, asked).map(({ n }) => n);
            expect(page.map(({ n }) => String(n))).toEqual(numbers);
            const walk = { ...asked, limit: 1 + (i % 5) };
            assert.deepStrictEqual(
              await pagesOf((query) => found.page(untyped(query)), walk),
              await pagesOf((query) => memory.page(untyped(query)), walk),
              JSON.stringify(walk),
            );
            expect(await found.count(criteria)).toBe(memory.count(criteria));
            const [name = "", { type } = int()] = fields[i % fields.length] ?? [];
            for (const listing of listingsOf(type, numbersOf(schema), i)) {
              const counts = await found.countBy(name, criteria, listing);
              expect(counts, `${name} ${JSON.stringify(listing)}`).toEqual(
                memory.countBy(name, criteria, listing),
              );
            }
            const grouping = { ...groups[i], criteria };
            const groupsFound = await inCalendar(() => found.groupBy(untyped(grouping)));
            const expected = await inCalendar(() => memory.groupBy(untyped(grouping)));
            if (groupsFound !== undefined && expected !== undefined) {
              assert.deepStrictEqual(groupsFound, expected, JSON.stringify(grouping));
            } else expect(asksForStep(grouping)).toBe(true);
            const isNumber = type === "int" || type === "float";
            const quantiles = untyped(isNumber ? { quantiles: [(i % 5) / 4, 0.99] } : undefined);
            expect(await found.summary(name, criteria, quantiles)).toEqual(
              memory.summary(name, criteria, quantiles),
            );
            if (!isNumber) return;
            const number = name as never;
            for (const binning of binningsOf(numbersOf(schema), i)) {
              const options = untyped({ ...binning, criteria });
              expect(await found.histogram(number, options)).toEqual(
                memory.histogram(number, options),
              );
            }
          };
          await Promise.all(queries.map(ask));
        }),
        settings(runs),
      );
    },
    12 * 3_600_000,
  );

  test(
    "groups of numbers that are hard to sum up, and of times around which clocks are set",
    async () => {
      const { dialect } = engine();
      const visit = fc.record({
        at: fc.option(
          fc
            .tuple(fc.constantFrom(...CLOCKS_SET), fc.integer({ min: -100, max: 100 }))
            .map(([at, quarters]) => Date.parse(at) + quarters * 900_000 + (quarters % 3)),
        ),
        whole: fc.option(wholes),
        part: fc.option(dialect === "clickhouse" ? fc.constantFrom(0.5, -1.25, 7) : parts),
        kind: fc.constantFrom("x", "X", "", "\uffff", "\u{10000}"),
        flag: fc.option(fc.boolean()),
        tags: fc.option(fc.array(fc.constantFrom("", "a", "0", "__proto__"), { maxLength: 3 })),
      });
      const cases = fc.tuple(
        fc.constantFrom(0, tuning.fewCompared),
        fewOrMany(visit).map((some) => some.map((each, id) => ({ ...each, id }))),
        fc.array(groupQuery(Visit, ["id", "at"]), { minLength: 12, maxLength: 12 }),
      );
      await fc.assert(
        fc.asyncProperty(cases, async ([fewCompared, records, queries]) => {
          using _ = tuned({ fewCompared });
          const { run, texts } = engine();
          const columns = Object.fromEntries(Visit.places.map(({ name }, i) => [name, `c${i}`]));
          const table = { name: OWN, columns };
          await engine().clear();
          await execute(engine(), createTable(Visit, { dialect, table }));
          await execute(engine(), insertRecords(Visit, records, { dialect, table }));
          const options = { schema: Visit, dialect, run, texts, table: OWN, columns };
          const found = createSqlCollection({ ...options, position: "position" });
          const memory = createCollection(Visit, records);
          const ask = async (query: object) =>
            assert.deepStrictEqual(
              await found.groupBy(untyped(query)),
              memory.groupBy(untyped(query)),
              JSON.stringify(query),
            );
          await Promise.all(queries.map(ask));
        }),
        settings(runs),
      );
    },
    12 * 3_600_000,
  );
}
