// A second opinion: the same collections and the same queries, answered by tercet and by SQLite. Any
// difference is a defect of one of the two, or of the SQL in sqlite.ts.
//
// TERCET_RUNS is the number of collections for each property; each is asked many queries. A failure
// prints its seed and path. To replay it, give both, and the name of its test:
//
//   TERCET_SEED=… TERCET_PATH=… npx vitest run test/differential -t Files

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  Contact,
  createCollection,
  createService,
  defineSchema,
  File,
  int,
  string,
  type BatchContacts,
  type Criteria,
  type FieldName,
  type InputOf,
  type Query,
  type Schema,
  type Service,
} from "../../src/index.ts";
import {
  batch,
  contactsOf,
  files,
  inputRecord,
  query,
  type ArrayBatch,
} from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { wireOf } from "../reference-page.ts";
import { Sqlite, type Column, type PlainCriterion, type PlainQuery, type Wire } from "./sqlite.ts";

const parameters = settings(60);

const QUERIES = 40;

let sqlite: Sqlite;
let queries = 0;
let partial = 0;

beforeAll(async () => {
  sqlite = await Sqlite.open();
});

afterAll(() => {
  const share = ((100 * partial) / queries).toFixed(0);
  console.log(
    `SQLite ${sqlite.version}: ${queries} queries; criteria of ${share} % selected some records and not all`,
  );
  sqlite.close();
});

type Row = Readonly<Record<string, Wire>>;

const columnsOf = (schema: Schema): Column[] =>
  Object.entries(schema.fields).map(([name, { type }]) => ({ name, type }));

function loadTable(schema: Schema, rows: readonly Row[]): void {
  const columns = columnsOf(schema);
  sqlite.load(
    columns,
    rows.map((row) =>
      columns.map(({ name }) => (Object.hasOwn(row, name) ? (row[name] ?? null) : null)),
    ),
  );
}

const isOmitted = (value: unknown): value is undefined | null | "" =>
  value === undefined || value === null || value === "";

/** A query of whatever schema. */
interface AnyQuery extends Pick<Query, "limit" | "offset" | "sortBy" | "sortOrder"> {
  readonly criteria?: readonly (PlainCriterion | "OR")[] | null | undefined;
}

/** Rules P2, P4 and P5: what the forms of a query's parameters mean. */
function plain({ criteria, limit, offset, sortBy, sortOrder }: AnyQuery): PlainQuery {
  return {
    criteria: criteria ?? [],
    sort: isOmitted(sortBy)
      ? undefined
      : { field: sortBy, order: isOmitted(sortOrder) ? "DESC" : sortOrder },
    offset: isOmitted(offset) ? 0 : Number(offset),
    limit: isOmitted(limit) ? undefined : Number(limit),
  };
}

/** SQLite's answer, counted. */
function ask(asked: AnyQuery, size: number): { positions: number[]; count: number; sql: string } {
  const { criteria, ...page } = plain(asked);
  const count = sqlite.count(criteria) ?? 0;
  queries++;
  if (count > 0 && count < size) partial++;
  return { ...sqlite.select({ criteria, ...page }), count };
}

/** Fails with the statement where an answer is not SQLite's. */
function agree(name: string, actual: unknown, expected: unknown, sql: string): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  expect(actual, `${name} against SQLite: ${sql}`).toEqual(expected);
}

/** A collection without indexes, one that builds them as it likes, and one that has them all. */
function variants<S extends Schema>(schema: S, records: readonly InputOf<S>[]) {
  const all = Object.keys(schema.fields) as (keyof S["fields"] & string)[];
  const make = (indexes: "auto" | "none") => createCollection(schema, records, { indexes });
  return {
    "no indexes": make("none"),
    "indexes when they pay": make("auto"),
    "all indexes": make("none").prepare({ match: all, sort: all, contains: all }),
  };
}

const Free = defineSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  word: string(),
  number: int({ nullable: true }),
  digits: int({ default: "0" }),
  state: string({ oneOf: ["open", "closed", ""], default: "open" }),
  hidden: string({ nullable: true, stored: false }),
  unsearchable: string({ searchable: false, default: "" }),
});

/** Records whose ids are their positions; repeated where there are to be many. */
const freeRecords = fc
  .tuple(
    fc.array(inputRecord(Free), { maxLength: 20, size: "max" }),
    fc.constantFrom(1, 1, 1, 1, 1, 2, 15),
  )
  .map(([records, times]) =>
    Array.from({ length: times }, () => records)
      .flat()
      .map((record, id) => ({ ...record, id })),
  );

const asked = <const S extends Schema>(schema: S, records: readonly object[]) =>
  fc.array(query(schema, { records: records as readonly Row[] }), {
    minLength: 1,
    maxLength: QUERIES,
    size: "max",
  });

test("NUL and null are in the SQL as the rules have them", () => {
  const values = ["a", "a\u0000", "a\u0000b", "\u0000b", "", "b", "a😀", "😀", "😁b", null];
  sqlite.load(
    [{ name: "text", type: "string" }],
    values.map((value) => [value]),
  );
  const found = (operator: string, value: string | null | (string | null)[]) =>
    sqlite
      .select({
        criteria: [["text", operator, value]],
        sort: undefined,
        offset: 0,
        limit: undefined,
      })
      .positions.map((position) => values[position]);
  expect(found("exactly", "a\u0000")).toEqual(["a\u0000"]);
  expect(found("contains", "\u0000")).toEqual(["a\u0000", "a\u0000b", "\u0000b"]);
  expect(found("starts_with", "a\u0000")).toEqual(["a\u0000", "a\u0000b"]);
  expect(found("ends_with", "\u0000b")).toEqual(["a\u0000b", "\u0000b"]);
  expect(found("ends_with", "b")).toEqual(["a\u0000b", "\u0000b", "b", "😁b"]);
  expect(found("in", ["\u0000b", null])).toEqual(["\u0000b", null]);
  for (const operator of ["contains", "starts_with", "ends_with"]) {
    expect(found(operator, "")).toEqual(values.filter((value) => value !== null));
  }
  expect(found("not", "")).toEqual(values.filter((value) => value !== ""));

  const sorted = (order: "ASC" | "DESC") =>
    sqlite
      .select({ criteria: [], sort: { field: "text", order }, offset: 0, limit: undefined })
      .positions.map((position) => values[position]);
  const ascending = [null, "", "\u0000b", "a", "a\u0000", "a\u0000b", "a😀", "b", "😀", "😁b"];
  expect(sorted("ASC")).toEqual(ascending);
  expect(sorted("DESC")).toEqual(ascending.toReversed());
});

test("collections of a free schema", () => {
  const cases = freeRecords.chain((records) =>
    fc.tuple(fc.constant(records), asked(Free, records)),
  );
  fc.assert(
    fc.property(cases, ([records, queriesAsked]) => {
      const rows = records.map((record) => wireOf(Free, record));
      loadTable(Free, rows);
      const collections = variants(Free, records);
      for (const each of queriesAsked) {
        const { positions, count, sql } = ask(each, rows.length);
        for (const [name, collection] of Object.entries(collections)) {
          const page = collection.query(each);
          agree(
            name,
            page.map(({ id }) => Number(id)),
            positions,
            sql,
          );
          agree(`count with ${name}`, collection.count(each.criteria), count, sql);
        }
      }
    }),
    parameters,
  );
}, 3_600_000);

test("Files of a service", () => {
  const cases = files({ maxLength: 20 }).chain((given) => {
    const service = createService({ files: given });
    return fc.tuple(fc.constant(given), asked(File, [...service.files]));
  });
  fc.assert(
    fc.property(cases, ([given, queriesAsked]) => {
      const service = createService({ files: given });
      const records = [...service.files];
      loadTable(File, records);
      const collections = variants(File, records);
      for (const each of queriesAsked) {
        const { criteria, limit, offset, sortBy, sortOrder } = each;
        const { positions, count, sql } = ask(each, records.length);
        const ids = positions.map((position) => records[position]?.id);
        const found = service.searchFiles(criteria, limit, offset, sortBy, sortOrder);
        agree(
          "searchFiles",
          found.map(({ id }) => id),
          ids,
          sql,
        );
        for (const [name, collection] of Object.entries(collections)) {
          agree(
            name,
            collection.query(each).map(({ id }) => id),
            ids,
            sql,
          );
          agree(`count with ${name}`, collection.count(criteria), count, sql);
        }
      }
    }),
    parameters,
  );
}, 3_600_000);

/** The position of a Contact in the Batch is its `contact_id`. */
function numbered(given: ArrayBatch): ArrayBatch {
  let position = 0;
  return {
    ...given,
    lists: given.lists.map((list) => ({
      ...list,
      contacts: list.contacts.map((contact) => ({ ...contact, contact_id: position++ })),
    })),
  };
}

test("Contacts of a Batch, with their List Fields", () => {
  const cases = batch({ maxContacts: 9 })
    .map(numbered)
    .chain((given) => {
      const { schema, records } = contactsOf(given);
      return fc.tuple(fc.constant(given), asked(schema, records));
    });
  fc.assert(
    fc.property(cases, ([given, queriesAsked]) => {
      const id = String(given.id);
      const { schema, records } = contactsOf(given);
      loadTable(
        schema,
        records.map((record) => wireOf(schema, record)),
      );
      const services = {
        "indexes when they pay": createService({ batches: [given] }),
        "all indexes": createService({ batches: [given] }),
      };
      // The List Fields of a Batch are not in its type.
      const all = Object.keys(schema.fields) as FieldName<typeof Contact>[];
      contactsIn(services["all indexes"], id).prepare({
        match: all,
        sort: all,
        contains: all,
      });
      const listOf = given.lists.flatMap((list) => list.contacts.map(() => String(list.id)));
      for (const each of queriesAsked) {
        const { criteria, limit, offset, sortBy, sortOrder } = each;
        const { positions, count, sql } = ask(each, records.length);
        // Every List has its key; the page counts over all Lists and is grouped afterwards (P7).
        const grouped = new Map(given.lists.map((list) => [String(list.id), [] as number[]]));
        for (const position of positions) grouped.get(listOf[position] ?? "")?.push(position);
        for (const [name, service] of Object.entries(services)) {
          const found = service.getBatchContacts(id, criteria, limit, offset, sortBy, sortOrder);
          agree(name, idsByList(found), byKey(grouped), sql);
          const contacts = contactsIn(service, id);
          agree(
            `count with ${name}`,
            contacts.count(criteria as Criteria<typeof Contact>),
            count,
            sql,
          );
        }
      }
    }),
    parameters,
  );
}, 3_600_000);

function contactsIn({ batches }: Service, id: string): Service["batches"][string]["contacts"] {
  const found = batches[id];
  if (found === undefined) throw new Error(`there is no Batch ${id}`);
  return found.contacts;
}

const byKey = <Value>(entries: Iterable<readonly [string, Value]>) =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

const idsByList = (found: BatchContacts): (readonly [string, number[]])[] =>
  byKey(
    Object.entries(found).map(
      ([list, contacts]) => [list, contacts.map(({ contact_id }) => Number(contact_id))] as const,
    ),
  );
