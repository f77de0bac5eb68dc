// An option that is `undefined` is an option that is omitted, for the compiler and for the library.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { saveCollection, openCollection } from "../src/arrow/index.ts";
import type * as arrow from "../src/arrow/index.ts";
import { faults } from "../src/faults/index.ts";
import type * as faulty from "../src/faults/index.ts";
import * as importing from "../src/import/index.ts";
import * as main from "../src/index.ts";
import * as light from "../src/light/index.ts";
import * as sql from "../src/sql/index.ts";
import type * as store from "../src/store/index.ts";
import * as synthetic from "../src/synthetic/index.ts";
import type * as worker from "../src/worker/index.ts";

/** The optional members that don't accept `undefined`. */
type Refusing<Options> = Options extends unknown
  ? {
      [Name in keyof Options]-?: Partial<Record<Name, never>> extends Pick<Options, Name>
        ? Record<Name, undefined> extends Pick<Options, Name>
          ? never
          : Name
        : never;
    }[keyof Options]
  : never;

const { createCollection, createDatabase, createService, defineSchema } = main;
const { boolean, float, int, json, string, strings, time } = main;
const Things = defineSchema({ id: int({ unique: true }), text: string(), at: time() });
type Things = typeof Things;
const records = [{ id: 1, text: "a", at: 1 }];
const things = createCollection(Things, records);
const db = createDatabase({ things });
const CSV = "id,text,at\n1,a,2020-01-01T00:00:00Z\n";
const bytes = saveCollection(things);

/** What is called with options, and the options that it needs. */
const calls: Readonly<
  Record<string, readonly [call: (options: never) => unknown, needed?: object]>
> = {
  createCollection: [(options) => createCollection(Things, records, options)],
  "createCollection of tercet/light": [(options) => light.createCollection(Things, [], options)],
  createDatabase: [(options) => Object.keys(createDatabase({ things }, options))],
  "limits of createDatabase": [(limits) => Object.keys(createDatabase({ things }, { limits }))],
  createService: [(options) => Object.keys(createService(options))],
  "limits of createService": [(limits) => Object.keys(createService({ limits }))],
  boolean: [(options) => boolean(options)],
  float: [(options) => float(options)],
  int: [(options) => int(options)],
  json: [(options) => json(options)],
  string: [(options) => string(options)],
  strings: [(options) => strings(options)],
  time: [(options) => time(options)],
  defineSchema: [(options) => Object.keys(defineSchema({ id: int() }, options))],
  parseCriteria: [(options) => main.parseCriteria(Things, [], options)],
  compileCriteria: [(options) => String(main.compileCriteria(Things, [], options))],
  query: [(query) => things.query(query)],
  page: [(query) => things.page(query)],
  "query of a database": [(query) => db.query("things", query)],
  "page of a database": [(query) => db.page("things", query)],
  "live of a database": [(query) => db.live("things", query).current],
  explain: [(options) => things.explain({}, options)],
  groupBy: [(query) => things.groupBy(query), { by: "text" }],
  groupColumns: [(query) => things.groupColumns(query).size, { by: "text" }],
  countBy: [(options) => things.countBy("text", null, options)],
  histogram: [(options) => things.histogram("id", options), { bins: 2 }],
  summary: [(options) => things.summary("id", null, options)],
  upsert: [(options) => [...things.upsert(records, "id", options)]],
  buildDue: [(options) => things.buildDue(options)],
  prepare: [(preparation) => [...things.prepare(preparation)]],
  queryFromText: [(options) => main.queryFromText(Things, new URLSearchParams(), options)],
  saveCollection: [(options) => saveCollection(things, options)],
  openCollection: [(options) => [...openCollection(bytes, options)]],
  readCsv: [(options) => [...importing.readCsv(CSV, options)]],
  readJson: [(options) => [...importing.readJson('[{"a":1}]', options)]],
  readNdjson: [(options) => [...importing.readNdjson('{"a":1}', options)]],
  readRecords: [(options) => [...importing.readRecords(CSV, options)], { format: "csv" }],
  loadCollection: [
    (options) => [
      ...importing.loadCollection(Things, importing.readCsv(CSV, { schema: Things }), options),
    ],
  ],
  writeCsv: [(options) => [...importing.writeCsv([{ a: 1 }], options)]],
  writeJson: [(options) => [...importing.writeJson([{ a: 1 }], options)]],
  writeNdjson: [(options) => [...importing.writeNdjson([{ a: 1 }], options)]],
  looseNumber: [(options) => importing.looseNumber("1,000", options)],
  faults: [(options) => Object.keys(faults(createService(), options))],
  generateFiles: [(options) => [...synthetic.generateFiles(options)], { count: 2 }],
  generateContacts: [(options) => [...synthetic.generateContacts(options)], { count: 2 }],
  generateBatch: [(options) => synthetic.generateBatch(options), { count: 2, id: 1 }],
  compileSql: [
    (options) => JSON.stringify(sql.compileSql(Things, {}, options)),
    { dialect: "sqlite", table: "things" },
  ],
  createTable: [
    (options) => [...sql.createTable(Things, options)],
    { dialect: "sqlite", table: "things" },
  ],
  createTables: [(options) => [...sql.createTables(options)], { dialect: "sqlite" }],
  insertRecords: [
    (options) => [...sql.insertRecords(Things, records, options)],
    { dialect: "sqlite", table: "things" },
  ],
};

/** The options that a call reads, or names when it refuses another one. */
function namesOf(call: (options: never) => unknown, needed: object): string[] {
  const names = new Set<string>();
  const get = (_: object, name: string | symbol) => {
    if (typeof name === "string") names.add(name);
    const found: unknown = Reflect.get(needed, name);
    return found;
  };
  try {
    call(new Proxy({ ...needed, nameOfNoOption: 1 }, { get }) as never);
  } catch (thrown) {
    const [, listed = ""] =
      /has no member "nameOfNoOption"[;:]? use (.*)$/.exec(String(thrown)) ?? [];
    for (const [, name = ""] of listed.matchAll(/(\w+)/g)) names.add(name);
  }
  return [...names].filter((name) => !Object.hasOwn(needed, name) && name !== "or");
}

describe("options that are undefined are as good as omitted", () => {
  test.each(Object.entries(calls))("%s", (_, [call, needed = {}]) => {
    const names = namesOf(call, needed);
    expect(names).not.toEqual([]);
    const given = Object.fromEntries([...names, "nameOfNoOption"].map((name) => [name, undefined]));
    expect(call({ ...needed, ...given } as never)).toEqual(call(needed as never));
  });
});

test("the compiler accepts undefined for each option", () => {
  expectTypeOf<Refusing<arrow.OpenOptions>>().toBeNever();
  expectTypeOf<Refusing<arrow.SaveOptions>>().toBeNever();
  expectTypeOf<Refusing<faulty.FaultOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.ArrowOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.ColumnOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.ConvertOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.CsvFormatOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.CsvOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.FormatOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.JsonFormatOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.JsonOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.LooseNumberOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.LoadOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.LoadContactsOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.LoadBatchOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.NdjsonOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.ParquetOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.ReadOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.TextOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.RecordsOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.UnpackOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.FlatOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.WriteCsvOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.WriteJsonOptions>>().toBeNever();
  expectTypeOf<Refusing<importing.WriteTypedOptions>>().toBeNever();
  expectTypeOf<Refusing<main.CollectionOptions>>().toBeNever();
  expectTypeOf<Refusing<main.CreateOptions>>().toBeNever();
  expectTypeOf<Refusing<main.CountByOptions>>().toBeNever();
  expectTypeOf<Refusing<main.HistogramOptions>>().toBeNever();
  expectTypeOf<Refusing<main.SummaryOptions>>().toBeNever();
  expectTypeOf<Refusing<main.DatabaseLimits>>().toBeNever();
  expectTypeOf<Refusing<main.DatabaseOptions>>().toBeNever();
  expectTypeOf<Refusing<main.ComputedOptions<object, object, unknown>>>().toBeNever();
  expectTypeOf<Refusing<main.QueryReportOptions>>().toBeNever();
  expectTypeOf<Refusing<main.ExpireOptions>>().toBeNever();
  expectTypeOf<Refusing<main.ExplainOptions>>().toBeNever();
  expectTypeOf<Refusing<main.FieldOptions>>().toBeNever();
  expectTypeOf<Refusing<main.IntOptions>>().toBeNever();
  expectTypeOf<Refusing<main.JsonOptions>>().toBeNever();
  expectTypeOf<Refusing<main.StringOptions>>().toBeNever();
  expectTypeOf<Refusing<main.StringsOptions>>().toBeNever();
  expectTypeOf<Refusing<main.TimeOptions>>().toBeNever();
  expectTypeOf<Refusing<main.ReferenceOptions>>().toBeNever();
  expectTypeOf<Refusing<main.SchemaOptions<readonly string[]>>>().toBeNever();
  expectTypeOf<Refusing<main.CriteriaOptions>>().toBeNever();
  expectTypeOf<Refusing<main.ServiceLimits>>().toBeNever();
  expectTypeOf<Refusing<main.CommonOptions>>().toBeNever();
  expectTypeOf<Refusing<main.ServiceOptions>>().toBeNever();
  expectTypeOf<Refusing<main.TercetErrorOptions>>().toBeNever();
  expectTypeOf<Refusing<main.TextQueryOptions<Things>>>().toBeNever();
  expectTypeOf<Refusing<main.Preparation<Things>>>().toBeNever();
  expectTypeOf<Refusing<main.Query<Things>>>().toBeNever();
  expectTypeOf<Refusing<main.GroupQuery<Things, "a">>>().toBeNever();
  expectTypeOf<Refusing<light.LightOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.CreateTableOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.CreateTablesOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.InsertOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.InsertRecordsOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.SqlCollectionOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.ApplyPatchesOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.CheckDatabaseTablesOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.CreateDatabaseTablesOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.SqlDatabaseOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.AbortOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.SqlServiceOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.CheckTableOptions>>().toBeNever();
  expectTypeOf<Refusing<sql.CompileOptions>>().toBeNever();
  expectTypeOf<Refusing<store.DatabaseOpenOptions>>().toBeNever();
  expectTypeOf<Refusing<store.DatabaseStoreOptions>>().toBeNever();
  expectTypeOf<Refusing<store.OpenOptions>>().toBeNever();
  expectTypeOf<Refusing<store.StoreOptions>>().toBeNever();
  expectTypeOf<Refusing<store.PrivateFilesOptions>>().toBeNever();
  expectTypeOf<Refusing<store.SpillOptions>>().toBeNever();
  expectTypeOf<Refusing<store.SharedStoreOptions>>().toBeNever();
  expectTypeOf<Refusing<store.ImportOptions>>().toBeNever();
  expectTypeOf<Refusing<synthetic.ContactOptions>>().toBeNever();
  expectTypeOf<Refusing<synthetic.FileOptions>>().toBeNever();
  expectTypeOf<Refusing<synthetic.BatchOptions>>().toBeNever();
  expectTypeOf<Refusing<worker.ConnectOptions>>().toBeNever();
  expectTypeOf<Refusing<worker.ChangeOptions>>().toBeNever();
  expectTypeOf<Refusing<worker.ServeLimits>>().toBeNever();
  expectTypeOf<Refusing<worker.ServeOptions>>().toBeNever();
  expectTypeOf<Refusing<worker.BulkOptions>>().toBeNever();
  expectTypeOf<Refusing<worker.CallOptions>>().toBeNever();
});

test("the test above has the options of every entry", () => {
  const own = readFileSync(import.meta.filename, "utf8");
  const missing = readdirSync("src", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "testing")
    .map(({ name }) => join("src", name, "index.ts"))
    .concat("src/index.ts")
    .filter((path) => existsSync(path))
    .flatMap(
      (path) => readFileSync(path, "utf8").match(/\b\w+(Options|Limits|Preparation)\b/g) ?? [],
    )
    .filter((name) => !own.includes(`.${name}`));
  expect(missing).toEqual([]);
});
