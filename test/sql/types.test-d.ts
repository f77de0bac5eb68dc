// The types of tercet/sql, checked by the compiler in `npm run check`.

import { expectTypeOf, test } from "vitest";
import {
  boolean,
  createService,
  defineSchema,
  float,
  int,
  json,
  string,
  type AnyResponse,
  type BatchContacts,
  type FileRecord,
  type Response,
  type BinTotals,
  type Summary,
  type ValueSummary,
  type ValueTotals,
} from "../../src/index.ts";
import {
  applyPatchesSql,
  checkTable,
  compileSql,
  createSqlCollection,
  createSqlService,
  createTable,
  insertRecords,
  type Run,
  type Statement,
} from "../../src/sql/index.ts";
import type { CountingMethod } from "../../src/testing/laws/subject.ts";
import { wireSchema } from "../wire-schema.ts";

const Person = wireSchema({
  id: int(),
  name: string({ nullable: true }),
  note: string({ stored: false }),
  secret: string({ searchable: false }),
});
const at = { dialect: "postgres", table: "people" } as const;

test("a collection over a table has the types of its schema", async () => {
  const Item = defineSchema({
    id: int(),
    total: float({ nullable: true }),
    paid: boolean(),
    note: json({ nullable: true }),
  });
  const run: Run = () => Promise.resolve([]);
  const options = { schema: Item, dialect: "postgres", run, table: ["shop", "items"] } as const;
  const found = createSqlCollection({ ...options, order: ["id"], columns: { paid: "is_paid" } });
  const [record] = await found.query({
    criteria: [["paid", "exactly", true]],
    sort: [["id", "ASC"]],
  });
  expectTypeOf(record?.total).toEqualTypeOf<number | null | undefined>();
  const [counted] = await found.countBy("paid", null, { order: "count" });
  expectTypeOf(counted?.value).toEqualTypeOf<boolean | undefined>();
  expectTypeOf(await found.summary("total")).toEqualTypeOf<Summary<readonly []>>();
  expectTypeOf(await found.summary("paid")).toEqualTypeOf<ValueSummary>();
  const [group] = await found.groupBy({
    by: ["paid", { field: "id", step: "month", as: "month" }],
    measures: { orders: "count", mean: ["mean", "total"] },
    having: [["orders", "greater_than", 1]],
    sort: [["month", "DESC"]],
  });
  expectTypeOf(group).toEqualTypeOf<
    | {
        readonly paid: boolean;
        readonly month: number;
        readonly orders: number;
        readonly mean: number | null;
      }
    | undefined
  >();
  // @ts-expect-error it is not a field of numbers
  void found.groupBy({ by: "id", measures: { sum: ["sum", "paid"] } });
  // @ts-expect-error there is no such measure
  void found.groupBy({ by: "id", having: [["cuont", "exactly", 1]] });
  expectTypeOf<CountingMethod>().toExtend<keyof typeof found>();
  const [top] = await found.countBy("paid", null, { summarize: "total", order: "sum" });
  expectTypeOf(top).toEqualTypeOf<ValueTotals<boolean> | undefined>();
  // @ts-expect-error a boolean is no number
  void found.countBy("paid", null, { summarize: "paid" });
  // @ts-expect-error no field is summarized
  void found.countBy("paid", null, { order: "sum" });
  const { bins } = await found.histogram("id", { step: "week", summarize: "total" });
  expectTypeOf(bins).toEqualTypeOf<readonly BinTotals[]>();
  // @ts-expect-error it is a field of JSON
  void found.countBy("note");
  // @ts-expect-error it is not a field of numbers
  void found.histogram("paid", { bins: 3 });
  // @ts-expect-error there is no such field
  void found.count([["totl", "exactly", 1]]);
  // @ts-expect-error there is no such field
  createSqlCollection({ ...options, order: ["idd"] });
  // @ts-expect-error there is no such field
  createSqlCollection({ ...options, position: "p", columns: { idd: "x" } });
  void checkTable({ ...options, order: ["id"], queries: [{ sort: [["total", "DESC"]] }] });
  // @ts-expect-error there is no such field
  void checkTable({ ...options, order: ["id"], queries: [{ sort: [["totl", "DESC"]] }] });
});

test("criteria, sort and columns are those of the schema", () => {
  compileSql(Person, { criteria: [["id", "greater_than", 5], "OR", ["name", "in", ["a"]]] }, at);
  // @ts-expect-error there is no such field
  compileSql(Person, { criteria: [["nmae", "exactly", "x"]] }, at);
  // @ts-expect-error the operator is for integers
  compileSql(Person, { criteria: [["name", "greater_than", 5]] }, at);
  // @ts-expect-error the field is not searchable
  compileSql(Person, { criteria: [["secret", "exactly", "x"]] }, at);
  // @ts-expect-error there is no such field to sort by
  compileSql(Person, { sortBy: "nmae" }, at);
  // @ts-expect-error there is no such dialect
  compileSql(Person, {}, { dialect: "oracle", table: "people" });
  // @ts-expect-error a column of no field
  compileSql(Person, {}, { dialect: "sqlite", table: { name: "people", columns: { nmae: "n" } } });
  // @ts-expect-error an index on no field
  createTable(Person, { ...at, indexes: ["nmae"] });
  // @ts-expect-error a record without its id
  insertRecords(Person, [{ name: "x", note: "", secret: "" }], at);
});

test("records have the fields of the schema, except those not stored", () => {
  const { toRecord, ...statement } = compileSql(Person, {}, at);
  expectTypeOf(statement).toExtend<Statement>();
  expectTypeOf(toRecord([])).toEqualTypeOf<{
    readonly id: string;
    readonly name: string | null;
    readonly secret: string;
  }>();
});

test("the service answers by promises what the service in memory answers", () => {
  const run: Run = () => Promise.resolve([]);
  const service = createSqlService({ dialect: "sqlite", run });
  expectTypeOf(service.searchFiles()).resolves.toEqualTypeOf<FileRecord[]>();
  expectTypeOf(service.getBatchContacts(7)).resolves.toEqualTypeOf<BatchContacts>();
  const plain = service.dispatch({ id: 1, method: "searchFiles", params: ["key"] });
  expectTypeOf(plain).resolves.toEqualTypeOf<Response<FileRecord[]>>();
  expectTypeOf(service.dispatch({ jsonrpc: "1.0" })).resolves.toEqualTypeOf<
    AnyResponse | undefined
  >();
  // @ts-expect-error there is no such field
  void service.searchFiles([["nmae", "exactly", "x"]]);
  // @ts-expect-error a service over an engine takes no data
  createSqlService({ dialect: "sqlite", run, files: [] });
});

test("a change is what a service tells of", () => {
  createService({}).subscribe((change) => {
    expectTypeOf(applyPatchesSql(change, { dialect: "mariadb" })).toEqualTypeOf<
      Iterable<Statement>
    >();
  });
});
