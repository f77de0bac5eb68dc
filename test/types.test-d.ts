// The types, checked by the compiler in `npm run check`.

import { describe, expectTypeOf, test } from "vitest";
import {
  type Answer,
  type AnyResponse,
  type BatchContactCollection,
  type BatchContacts,
  type Changed,
  type ChangesOf,
  type Collection,
  type ContactRecord,
  boolean,
  createBatch,
  createCollection,
  createDatabase,
  createService,
  type Criteria,
  defineSchema,
  type DraftInteger,
  type DraftOf,
  type FieldName,
  type FileCriteria,
  type FileInput,
  float,
  type FileRecord,
  type GetBatchContactsResult,
  type Histogram,
  type InputOf,
  int,
  json,
  type JsonValue,
  type JsonRpcResponse,
  type LiveAsk,
  readSchema,
  type Patch,
  type Query,
  type RecordOf,
  type RequestOf,
  type Response,
  type Schema,
  type SearchFilesResult,
  type SearchRecordOf,
  type Service,
  type DatabaseChange,
  type ServiceDraft,
  type ServiceError,
  type ServiceOptions,
  type ServiceRequest,
  type SortPair,
  type BinTotals,
  type Summary,
  type ValueSummary,
  type ValueTotals,
  string,
  strings,
  type ValueCount,
  next,
  time,
  type CountableName,
  type FieldInputOf,
  type NewRecordOf,
  type SortableName,
  type UniqueName,
} from "../src/index.ts";
import { compileSql, type SqlService } from "../src/sql/index.ts";
import { createStore, openStore } from "../src/store/index.ts";
import { wireSchema } from "./wire-schema.ts";

const Thing = defineSchema({
  id: int({ unique: true }),
  size: int({ default: "0" }),
  when: int({ nullable: true }),
  name: string(),
  note: string({ nullable: true }),
  kind: string({ oneOf: ["red", "blue"], default: "red" }),
  secret: string({ searchable: false, default: "" }),
  extra: string({ nullable: true, stored: false }),
});
type Thing = typeof Thing;

const wireThing = wireSchema({
  id: int({ unique: true }),
  size: int({ default: "0" }),
  when: int({ nullable: true }),
  price: float(),
  paid: boolean(),
  kind: string({ oneOf: ["red", "blue"], default: "red" }),
});

const Every = defineSchema({
  id: int({ unique: true }),
  price: float(),
  paid: boolean({ nullable: true }),
  tags: json<readonly string[]>(),
});
type Every = typeof Every;
const carrying = defineSchema({ any: json({ nullable: true }) });

describe("records", () => {
  test("RecordOf has every stored field as it was put in", () => {
    expectTypeOf<RecordOf<Thing>>().toEqualTypeOf<{
      readonly id: number;
      readonly size: number;
      readonly when: number | null;
      readonly name: string;
      readonly note: string | null;
      readonly kind: "red" | "blue";
      readonly secret: string;
    }>();
  });

  test("RecordOf has texts in wire form", () => {
    expectTypeOf(createCollection(wireThing, []).query()).items.toEqualTypeOf<{
      readonly id: string;
      readonly size: string;
      readonly when: string | null;
      readonly price: string;
      readonly paid: string;
      readonly kind: "red" | "blue";
    }>();
  });

  test("a record holds the values of each type", () => {
    expectTypeOf<RecordOf<Every>>().toEqualTypeOf<{
      readonly id: number;
      readonly price: number;
      readonly paid: boolean | null;
      readonly tags: readonly string[];
    }>();
    expectTypeOf(createCollection(carrying, []).query()[0]?.any).toExtend<JsonValue | undefined>();
    expectTypeOf<InputOf<typeof carrying>["any"]>().toExtend<JsonValue | undefined>();
    expectTypeOf<InputOf<Every>>().toEqualTypeOf<{
      readonly id: string | number | bigint;
      readonly price: number | `${number}`;
      readonly tags: readonly string[];
      readonly paid?: boolean | "true" | "false" | null | undefined;
    }>();
    const Tagged = defineSchema({ tags: json<readonly string[]>({ nullable: true }) });
    expectTypeOf(createCollection(Tagged, []).query()).items.toEqualTypeOf<{
      readonly tags: readonly string[] | null;
    }>();
    // @ts-expect-error there is no such form
    defineSchema({ id: int() }, { form: "wires" });
  });

  test("criteria on each type", () => {
    type Of = Criteria<Every>;
    expectTypeOf<[["price", "greater_than", 1.5], ["id", "at_least", 2]]>().toExtend<Of>();
    expectTypeOf<[["paid", "exactly", true], ["paid", "in", readonly [false]]]>().toExtend<Of>();
    expectTypeOf<[["paid", "greater_than", 1]]>().not.toExtend<Of>();
    expectTypeOf<[["tags", "contains", "a"]]>().not.toExtend<Of>();
    const every = createCollection(Every, []);
    every.query({ criteria: [["paid", "exactly", true]], sortBy: "price" });
    // @ts-expect-error only a boolean field takes a boolean
    every.count([["price", "exactly", true]]);
    every.count([["paid", "exactly", "true"], "OR", ["paid", "not", null]]);
    every.count([["paid", "in", [true, "false", null]]]);
    const given: boolean = Math.random() < 0.5;
    every.count([
      ["paid", "exactly", given],
      ["paid", "in", [String(given), given]],
      ["paid", "contains", "r"],
    ]);
    // @ts-expect-error no boolean has this text
    every.count([["paid", "exactly", "maybe"]]);
    // @ts-expect-error no boolean has this text
    every.count([["paid", "not", "maybe"]]);
    // @ts-expect-error no boolean has this text
    every.count([["paid", "in", [true, "maybe"]]]);
    // @ts-expect-error JSON is not sorted by
    every.query({ sortBy: "tags" });
    // @ts-expect-error JSON is not counted by
    every.countBy("tags");
    // @ts-expect-error JSON is not searched
    every.count([["tags", "exactly", "a"]]);
    expectTypeOf(every.countBy("paid")).toEqualTypeOf<readonly ValueCount<boolean | null>[]>();
    every.histogram("price", { bins: 3 });
    expectTypeOf(every.summary("price", [["paid", "exactly", true]])).toEqualTypeOf<
      Summary<readonly []>
    >();
    expectTypeOf(every.summary("paid")).toEqualTypeOf<ValueSummary>();
    // @ts-expect-error JSON has no distinct values
    every.summary("tags");
    // @ts-expect-error only numbers have quantiles
    every.summary("paid", null, { quantiles: [0.5] });
    // @ts-expect-error the contract has no such operator
    createService().searchFiles([["size", "at_least", 1]]);
    every.update(null, (draft) => void (draft.price += 0.5));
    // @ts-expect-error a draft holds what the record holds
    every.update(null, (draft) => void (draft.paid = "true"));
  });

  test("SearchRecordOf has the fields that are not stored too", () => {
    expectTypeOf<SearchRecordOf<Thing>["extra"]>().toEqualTypeOf<string | null>();
  });

  test("InputOf takes integers in three forms, and lets out what has a default or may be null", () => {
    expectTypeOf<InputOf<Thing>>().toEqualTypeOf<{
      readonly id: string | number | bigint;
      readonly name: string;
      readonly size?: string | number | bigint | undefined;
      readonly when?: string | number | bigint | null | undefined;
      readonly note?: string | null | undefined;
      readonly kind?: "red" | "blue" | undefined;
      readonly secret?: string | undefined;
      readonly extra?: string | null | undefined;
    }>();
  });

  test("the names are known", () => {
    expectTypeOf<FieldName<Thing>>().toEqualTypeOf<
      "id" | "size" | "when" | "name" | "note" | "kind" | "secret" | "extra"
    >();
  });
});

describe("criteria", () => {
  type Of = Criteria<Thing>;

  test("what the table of operators allows", () => {
    expectTypeOf<[["id", "exactly", 5]]>().toExtend<Of>();
    expectTypeOf<[["name", "not", null]]>().toExtend<Of>();
    expectTypeOf<[["name", "contains", "a"], "OR", ["id", "contains", 1]]>().toExtend<Of>();
    expectTypeOf<[["size", "greater_than", 1], ["when", "less_than", "2"]]>().toExtend<Of>();
    expectTypeOf<[["name", "at_least", "a"], ["kind", "less_than", "z"]]>().toExtend<Of>();
    expectTypeOf<[["name", "between", ["a", "b"]], ["size", "between", [1, "2"]]]>().toExtend<Of>();
    expectTypeOf<[["kind", "between", ["a", "b"]]]>().toExtend<Of>();
    expectTypeOf<[["id", "exactly", bigint], ["id", "in", ["1", 2, 3n]]]>().toExtend<Of>();
    expectTypeOf<[["size", "exactly", "024"]]>().toExtend<FileCriteria>();
    expectTypeOf<[["note", "in", "a,b"]]>().toExtend<Of>();
    expectTypeOf<[["note", "in", readonly (string | number | null)[]]]>().toExtend<Of>();
    expectTypeOf<[["kind", "exactly", "green"]]>().toExtend<Of>();
    expectTypeOf<[["extra", "exactly", "x"]]>().toExtend<Of>();
    expectTypeOf<[]>().toExtend<Of>();
  });

  test("what it does not allow", () => {
    expectTypeOf<[["nothing", "exactly", 5]]>().not.toExtend<Of>();
    expectTypeOf<[["secret", "exactly", "x"]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "like", 5]]>().not.toExtend<Of>();
    expectTypeOf<[["name", "greater_than", 5]]>().not.toExtend<Of>();
    expectTypeOf<[["name", "at_least", 5]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "at_least", "five"]]>().not.toExtend<Of>();
    expectTypeOf<[["name", "at_most", null]]>().not.toExtend<Of>();
    expectTypeOf<[["name", "between", [1, 2]]]>().not.toExtend<Of>();
    expectTypeOf<[["size", "between", [1]]]>().not.toExtend<Of>();
    expectTypeOf<[["size", "between", [1, null]]]>().not.toExtend<Of>();
    expectTypeOf<[["size", "between", [1, 2, 3]]]>().not.toExtend<Of>();
    expectTypeOf<[["size", "between", [1, 2]]]>().not.toExtend<FileCriteria>();
    expectTypeOf<[["id", "greater_than", null]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "exactly", true]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "exactly", "five"]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "not", "0.5"]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "in", ["1", "five"]]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "exactly", string]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "exactly", bigint]]>().not.toExtend<FileCriteria>();
    expectTypeOf<[["name", "contains", null]]>().not.toExtend<Of>();
    expectTypeOf<[["name", "exactly", string[]]]>().not.toExtend<Of>();
    expectTypeOf<[["name", "in", 5]]>().not.toExtend<Of>();
    expectTypeOf<[["name", "in", null]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "exactly"]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "exactly", 5, 6]]>().not.toExtend<Of>();
    expectTypeOf<[["id", "exactly", 5], "AND", ["id", "exactly", 5]]>().not.toExtend<Of>();
    expectTypeOf<["id", "exactly", 5]>().not.toExtend<Of>();
  });

  test("groups, and NOT before criteria and groups", () => {
    expectTypeOf<
      [[["id", "exactly", 5], "OR", ["name", "in", "a"]], ["id", "not", 6]]
    >().toExtend<Of>();
    expectTypeOf<
      ["NOT", ["id", "exactly", 5], "NOT", [[["id", "exactly", 5]]], []]
    >().toExtend<Of>();
    expectTypeOf<[[["nothing", "exactly", 5]]]>().not.toExtend<Of>();
    expectTypeOf<["NOT", [[["name", "greater_than", 5]]]]>().not.toExtend<Of>();
    expectTypeOf<["not", ["id", "exactly", 5]]>().not.toExtend<Of>();
    expectTypeOf<["NOT", ["id", "exactly", 5]]>().not.toExtend<FileCriteria>();
    expectTypeOf<[[["id", "exactly", 5]]]>().not.toExtend<FileCriteria>();

    const things = createCollection(Thing, []);
    things.count([
      ["kind", "exactly", "red"],
      [["id", "exactly", 7], "OR", ["id", "exactly", 8]],
    ]);
    things.count([["id", "between", [1, "5"]], "NOT", ["kind", "between", ["a", "z"]]]);
    // @ts-expect-error a range has two bounds
    things.count([["id", "between", [1]]]);
    // @ts-expect-error the bounds of a string field are strings
    things.count([["name", "between", ["a", 2]]]);
    things.query({ criteria: ["NOT", ["name", "contains", "x"], "NOT", [[["id", "exactly", 5]]]] });
    // @ts-expect-error there is no such field
    things.count([[["nothing", "exactly", "a"], "OR", ["id", "exactly", 8]]]);
    // @ts-expect-error the operator needs an int field
    things.count(["NOT", ["name", "greater_than", 1]]);
    // @ts-expect-error the value is not one
    things.query({ criteria: [[[["name", "contains", null]]]] });
    // @ts-expect-error there is no such word
    things.count(["not", ["id", "exactly", 5]]);
    const service = createService();
    // @ts-expect-error the methods have no NOT
    service.searchFiles(["NOT", ["id", "exactly", 5]]);
    // @ts-expect-error nor groups
    service.searchFiles([[["id", "exactly", 5], "OR", ["id", "exactly", 6]]]);
    const made: FileCriteria = [["id", "exactly", 5]];
    // @ts-expect-error even if these were made elsewhere
    service.searchFiles([made]);
    // @ts-expect-error the methods have no NOT
    service.getBatchContacts(7, ["NOT", ["Age", "exactly", 5]]);
    // @ts-expect-error nor groups
    service.getBatchContacts(7, [[["Age", "exactly", 5]]]);
  });

  test("a query of some fields has records of these", () => {
    const things = createCollection(Thing, []);
    expectTypeOf(things.query({ select: ["id", "name"], limit: 1 })).toEqualTypeOf<
      { readonly id: number; readonly name: string }[]
    >();
    expectTypeOf(things.query({ select: null })).toEqualTypeOf<RecordOf<Thing>[]>();
    expectTypeOf(things.page({ select: ["id"] }).records).toEqualTypeOf<
      { readonly id: number }[]
    >();
    const names: string[] = [];
    expectTypeOf(things.query({ select: names })).toEqualTypeOf<Partial<RecordOf<Thing>>[]>();
    // @ts-expect-error there is no such field
    things.query({ select: ["id", "nothing"] });
    // @ts-expect-error it is a list
    things.query({ select: "id" });
    const db = createDatabase({ things });
    db.watch("things", { select: ["id"] }, (records) => {
      expectTypeOf(records).toEqualTypeOf<{ readonly id: number }[]>();
    });
    db.watch("things", { page: { select: ["id"] } }, ({ records }) => {
      expectTypeOf(records).toEqualTypeOf<{ readonly id: number }[]>();
    });
    // @ts-expect-error there is no such field
    db.watch("things", { select: ["nothing"] }, () => undefined);
    expectTypeOf(
      compileSql(Thing, { select: ["id"] }, { dialect: "sqlite", table: "things" }).toRecord([]),
    ).toEqualTypeOf<{ readonly id: number }>();
  });

  test("tags have operators and values of their own", () => {
    const Note = defineSchema({ tags: strings({ nullable: true }), name: string(), size: int() });
    type OfNotes = Criteria<typeof Note>;
    expectTypeOf<[["tags", "has", "a"], "OR", ["tags", "has_any", string[]]]>().toExtend<OfNotes>();
    expectTypeOf<[["tags", "exactly", null], ["tags", "not", null]]>().toExtend<OfNotes>();
    expectTypeOf<[["tags", "exactly", []], ["tags", "has_all", string[]]]>().toExtend<OfNotes>();
    expectTypeOf<[["tags", "exactly", ["a"]]]>().not.toExtend<OfNotes>();
    expectTypeOf<[["tags", "has_all", "a"]]>().not.toExtend<OfNotes>();
    expectTypeOf<[["tags", "exactly", "a"]]>().not.toExtend<OfNotes>();
    expectTypeOf<[["tags", "contains", "a"]]>().not.toExtend<OfNotes>();
    expectTypeOf<[["tags", "has", 1]]>().not.toExtend<OfNotes>();
    expectTypeOf<[["tags", "has_any", "a"]]>().not.toExtend<OfNotes>();
    expectTypeOf<[["name", "has", "a"]]>().not.toExtend<OfNotes>();
    expectTypeOf<RecordOf<typeof Note>["tags"]>().toEqualTypeOf<readonly string[] | null>();
    const notes = createCollection(Note, []);
    notes.count([["tags", "has", "a"]]);
    notes.count([["tags", "exactly", []], "OR", ["tags", "has_all", ["a", "b"]]]);
    // @ts-expect-error no strings field has contains
    notes.count([["tags", "contains", "a"]]);
    expectTypeOf(notes.countBy("tags").map(({ value }) => value)).toEqualTypeOf<
      (string | null)[]
    >();
    const summarized = notes.countBy("tags", null, { summarize: "size", order: "mean" });
    expectTypeOf(summarized).toEqualTypeOf<readonly ValueTotals<string | null>[]>();
    expectTypeOf(notes.summary("tags")).toEqualTypeOf<ValueSummary>();
    const db = createDatabase({ notes });
    db.watch("notes", { countBy: "tags", summarize: "size" }, (found) => {
      expectTypeOf(found).toEqualTypeOf<readonly ValueTotals<string | null>[]>();
    });
    db.live("notes", { summary: "tags" });
    // @ts-expect-error strings can't be sorted
    notes.query({ sortBy: "tags" });
  });

  test("a literal is checked where it is written", () => {
    const things = createCollection(Thing, []);
    things.count([["id", "exactly", 5], "OR", ["name", "in", ["a", 1, null]]]);
    things.count(null);
    // @ts-expect-error the field is not searchable
    things.count([["secret", "exactly", "x"]]);
    // @ts-expect-error the operator needs an int field
    things.count([["name", "greater_than", 1]]);
    // @ts-expect-error there is no such operator
    things.count([["name", "like", "a"]]);
    // @ts-expect-error there is no such field
    things.count([["nothing", "exactly", "a"]]);
    // @ts-expect-error the value is not one
    things.count([["name", "contains", null]]);
  });
});

describe("criteria that are known only at run time", () => {
  test("have every operator of schemas of one's own", () => {
    const all = createCollection(readSchema({ fields: { total: { type: "float" } } }), []);
    const criteria: Criteria = [["total", "at_least", 1], "OR", ["total", "at_most", 3]];
    all.count(criteria);
    all.count([["total", "at_least", 1], "OR", ["total", "less_than", 3]]);
    createCollection(Thing, []).count(criteria);
  });

  test('may hold "OR", whatever they are made of', () => {
    const things = createCollection(Thing, []);
    const triples: ("OR" | [string, string, unknown])[] = [];
    const lists: ("OR" | unknown[])[] = [];
    const loose: (string | [string, string, string | number])[] = [];
    things.count(triples);
    things.count(lists);
    things.count(loose);
    things.count([...triples, "OR", ["id", "exactly", 1]]);
    things.query({ criteria: [...lists, "OR", ...triples] });
    const any = <S extends Schema>(of: Collection<S>) => of.query({ criteria: triples });
    expectTypeOf(any).toBeFunction();
  });
});

describe("fields with a default", () => {
  test("may be left out, whatever their type is", () => {
    const Default = defineSchema({
      int: int({ default: 1 }),
      float: float({ default: 1 }),
      boolean: boolean({ default: true }),
      string: string({ default: "" }),
      listed: string({ oneOf: ["a"], default: "a" }),
      json: json<readonly string[]>({ default: [] }),
      any: json({ default: {} }),
      nullable: json({ nullable: true, default: null }),
    });
    createCollection(Default, [{}]).insert({});
    expectTypeOf<RecordOf<typeof Default>["json"]>().toEqualTypeOf<readonly string[]>();
    // @ts-expect-error a list of numbers is none of strings
    json<readonly string[]>({ default: [1] });
  });
});

describe("queries", () => {
  test("sortBy is any field's name, searchable or not", () => {
    expectTypeOf<Query<Thing>["sortBy"]>().toEqualTypeOf<FieldName<Thing> | null | undefined>();
    expectTypeOf<Query<Thing>["sortOrder"]>().toEqualTypeOf<"ASC" | "DESC" | null | undefined>();
    expectTypeOf<Query<Thing>["limit"]>().toEqualTypeOf<number | string | null | undefined>();
    expectTypeOf<Query<Thing>["offset"]>().toEqualTypeOf<number | string | null | undefined>();
  });

  test("a query is checked where it is written, and gives records of its schema", () => {
    const things = createCollection(Thing, []);
    expectTypeOf(things.query({ sortBy: "secret", sortOrder: "ASC", limit: "5" })).toEqualTypeOf<
      RecordOf<Thing>[]
    >();
    expectTypeOf(things.query()).toEqualTypeOf<RecordOf<Thing>[]>();
    expectTypeOf(things.count()).toBeNumber();
    expectTypeOf(things.at(0)).toEqualTypeOf<RecordOf<Thing> | undefined>();
    // @ts-expect-error there is no such field
    things.query({ sortBy: "nothing" });
    // @ts-expect-error the order is written in capitals
    things.query({ sortOrder: "asc" });
    // @ts-expect-error there is no such parameter
    things.query({ sorted: "name" });
    // @ts-expect-error an offset is no bigint
    things.query({ offset: 5n });
  });

  test("a sort is pairs of a field's name and an order", () => {
    const things = createCollection(Thing, []);
    type Pair = readonly [field: FieldName<Thing>, order: "ASC" | "DESC"];
    expectTypeOf<SortPair<Thing>>().toEqualTypeOf<Pair>();
    expectTypeOf<Query<Thing>["sort"]>().toEqualTypeOf<readonly Pair[] | null | undefined>();
    const sort: Query<Thing>["sort"] = [
      ["name", "ASC"],
      ["secret", "DESC"],
    ];
    expectTypeOf(things.query({ sort, limit: 5 })).toEqualTypeOf<RecordOf<Thing>[]>();
    things.query({ sort: [["name", "ASC"]] });
    things.explain({ sort: [["size", "DESC"]] });
    compileSql(Thing, { sort: [["size", "DESC"]] }, { dialect: "sqlite", table: "things" });
    // What may be anything is checked at run time.
    const anything: unknown = [];
    const [text = ""] = Object.keys(Thing.fields);
    things.query({ sort: anything });
    things.query({ sort: [[text, "ASC"]] });
    things.query({
      sort: [
        ["name", "ASC"],
        [text, text],
      ],
    });
    // @ts-expect-error there is no such field
    things.query({ sort: [["nothing", "ASC"]] });
    // @ts-expect-error there is no such field, whatever stands before it
    things.query({ sort: [["name", "ASC"], ["nothing", "ASC"]] }); // oxfmt-ignore
    // @ts-expect-error the order is written in capitals
    things.query({ sort: [["name", "asc"]] });
    // @ts-expect-error each has its order
    things.query({ sort: [["name"]] });
    // @ts-expect-error it is a list of pairs
    things.query({ sort: ["name", "ASC"] });
    // @ts-expect-error JSON is not sorted by
    createCollection(defineSchema({ tags: json() }), []).query({ sort: [["tags", "ASC"]] });
    // @ts-expect-error there is no such field
    compileSql(Thing, { sort: [["nothing", "ASC"]] }, { dialect: "sqlite", table: "things" });
  });

  test("a record is had by the value of a unique field, and by no other", () => {
    const things = createCollection(Thing, []);
    expectTypeOf(things.get("id", 1n)).toEqualTypeOf<RecordOf<Thing> | undefined>();
    // @ts-expect-error several may have that name
    things.get("name", "a");
    // @ts-expect-error there is no such field
    things.get("nothing", "a");
    // @ts-expect-error no id is null
    things.get("id", null);
    const byName = createCollection(defineSchema({ name: string({ unique: true }) }), []);
    byName.get("name", "a");
    // @ts-expect-error a name is no number
    byName.get("name", 1);
    createService().files.get("id", 1);
    // @ts-expect-error Files may share a name
    createService().files.get("name", "a");
  });
});

describe("counting", () => {
  test("by a field gives its values, null where it may be", () => {
    const things = createCollection(Thing, []);
    expectTypeOf(things.countBy("size")).toEqualTypeOf<readonly ValueCount<number>[]>();
    expectTypeOf(things.countBy("when", [["kind", "exactly", "red"]])).toEqualTypeOf<
      readonly ValueCount<number | null>[]
    >();
    expectTypeOf(things.countBy("kind", null, { order: "count", limit: 3 })).toEqualTypeOf<
      readonly ValueCount<"red" | "blue">[]
    >();
    things.countBy("secret");
    things.countBy("extra");
    // @ts-expect-error there is no such field
    things.countBy("nothing");
    // @ts-expect-error no criterion may ask for a secret
    things.countBy("kind", [["secret", "exactly", "a"]]);
    // @ts-expect-error there is no such order
    things.countBy("kind", null, { order: "DESC" });
    // @ts-expect-error there is no such option
    things.countBy("kind", null, { most: 3 });
    const service = createService();
    expectTypeOf(service.files.countBy("size")).toEqualTypeOf<readonly ValueCount<string>[]>();
    // @ts-expect-error Files have no such field
    service.files.countBy("open_country");
    service.batches["1"]?.contacts.countBy("open_country");
  });

  test("adds the totals of a field of numbers, if one is summarized", () => {
    const things = createCollection(Thing, []);
    const totals = things.countBy("kind", null, { summarize: "size", order: "sum", limit: 10 });
    expectTypeOf(totals).toEqualTypeOf<readonly ValueTotals<"red" | "blue">[]>();
    const maybe = undefined as "size" | undefined;
    expectTypeOf(things.countBy("kind", null, { summarize: maybe })).toEqualTypeOf<
      readonly (ValueCount<"red" | "blue"> | ValueTotals<"red" | "blue">)[]
    >();
    const bins = things.histogram("when", { step: "month", unit: "seconds", summarize: "size" });
    expectTypeOf(bins).toEqualTypeOf<Histogram<BinTotals>>();
    // @ts-expect-error a name is no number
    things.countBy("kind", null, { summarize: "name" });
    // @ts-expect-error there is no such field
    things.countBy("kind", null, { summarize: "nothing" });
    // @ts-expect-error no field is summarized
    things.countBy("kind", null, { order: "sum" });
    // @ts-expect-error there is no such order
    things.countBy("kind", null, { order: "median", summarize: "size" });
    // @ts-expect-error a name is no number
    things.histogram("when", { bins: 3, summarize: "name" });
    // @ts-expect-error bins are either of one width or steps of the calendar
    things.histogram("when", { bins: 3, step: "month" });
    // @ts-expect-error only steps of the calendar have a unit
    things.histogram("when", { bins: 3, unit: "seconds" });
    // @ts-expect-error the calendar has no such step
    things.histogram("when", { step: "decade" });
  });

  test("by first characters is of string fields alone, and gives any strings", () => {
    const things = createCollection(Thing, []);
    expectTypeOf(things.countBy("kind", null, { prefix: 1 })).toEqualTypeOf<
      readonly ValueCount<string>[]
    >();
    expectTypeOf(things.countBy("note", null, { prefix: 1, summarize: "size" })).toEqualTypeOf<
      readonly ValueTotals<string | null>[]
    >();
    // @ts-expect-error a number has no first characters
    things.countBy("size", null, { prefix: 1 });
  });

  test("a summary has the quantiles asked for", () => {
    const things = createCollection(Thing, []);
    const { quantiles } = things.summary("size", null, { quantiles: [0.5, 0.99] });
    expectTypeOf(quantiles).toEqualTypeOf<readonly [number | null, number | null]>();
    const some: number[] = [];
    const [first] = things.summary("size", null, { quantiles: some }).quantiles;
    expectTypeOf(first).toEqualTypeOf<number | null | undefined>();
    // @ts-expect-error a quantile is a number
    things.summary("size", null, { quantiles: ["0.5"] });
    // @ts-expect-error there is no such option
    things.summary("size", null, { quantile: [0.5] });
    expectTypeOf(things.summary("name")).toEqualTypeOf<ValueSummary>();
  });

  test("columns have the values of their fields", () => {
    const things = createCollection(Thing, []);
    const [name, size] = things.columns(["name", "size"], [["size", "at_least", 5]]);
    expectTypeOf(name.valueAt(0)).toEqualTypeOf<string>();
    expectTypeOf(size.valueAt(0)).toEqualTypeOf<number>();
    // @ts-expect-error there is no such field
    things.columns(["nothing"]);
  });

  test("in bins is of int fields alone", () => {
    const things = createCollection(Thing, []);
    expectTypeOf(things.histogram("when", { bins: 5 })).toEqualTypeOf<Histogram>();
    things.histogram("size", { bins: 5, from: 0, to: 9, criteria: [["when", "greater_than", 3]] });
    // @ts-expect-error a name is no integer
    things.histogram("name", { bins: 5 });
    // @ts-expect-error there is no such field
    things.histogram("nothing", { bins: 5 });
    // @ts-expect-error somebody must say how many bins
    things.histogram("size", {});
    // @ts-expect-error there is no such option
    things.histogram("size", { bins: 5, width: 2 });
    // @ts-expect-error no criterion may ask for a secret
    things.histogram("size", { bins: 5, criteria: [["secret", "exactly", "a"]] });
    const service = createService();
    service.files.histogram("size", { bins: 5 });
    // @ts-expect-error a name is no integer
    service.files.histogram("name", { bins: 5 });
    service.batches["1"]?.contacts.histogram("send_time", { bins: 5 });
    // @ts-expect-error a country is no integer
    service.batches["1"]?.contacts.histogram("open_country", { bins: 5 });
  });
});

describe("createCollection", () => {
  test("takes input records and gives a collection of their schema", () => {
    const things = createCollection(Thing, [
      { id: 1, name: "a" },
      { id: 2n, name: "b", size: "5", when: null, note: undefined, kind: "blue", extra: "x" },
    ]);
    expectTypeOf(things).toEqualTypeOf<Collection<Thing>>();
    expectTypeOf(createCollection(Thing, new Set<InputOf<Thing>>())).toEqualTypeOf<
      Collection<Thing>
    >();
  });

  // Never called: these are errors at run time too.
  test("refuses what is no input record", () => {
    const refused = () => {
      // @ts-expect-error name is missing
      createCollection(Thing, [{ id: 1 }]);
      // @ts-expect-error id is no boolean
      createCollection(Thing, [{ id: true, name: "a" }]);
      // @ts-expect-error size must not be null
      createCollection(Thing, [{ id: 1, name: "a", size: null }]);
      // @ts-expect-error name is no number
      createCollection(Thing, [{ id: 1, name: 5 }]);
      // @ts-expect-error kind takes only the values of its list
      createCollection(Thing, [{ id: 1, name: "a", kind: "green" }]);
      // @ts-expect-error there is no such field
      createCollection(Thing, [{ id: 1, name: "a", nothing: 1 }]);
    };
    expectTypeOf(refused).toBeFunction();
  });

  test("records can't be written to", () => {
    const write = (record: RecordOf<Thing>) => {
      // @ts-expect-error records are read-only
      record.name = "b";
    };
    expectTypeOf(write).toBeFunction();
  });
});

describe("the service", () => {
  test("FileRecord is what the contract lists", () => {
    expectTypeOf<FileRecord>().toEqualTypeOf<{
      readonly id: string;
      readonly folder_id: string;
      readonly basename: string;
      readonly extension: string;
      readonly size: string;
      readonly creation_time: string;
      readonly image_width: string;
      readonly image_height: string;
      readonly mime_type: string;
      readonly last_modified_time: string;
      readonly last_modified_user_id: string;
      readonly name: string;
      readonly url: string;
    }>();
  });

  test("ContactRecord is what the contract lists, null exactly where V5 allows it", () => {
    expectTypeOf<ContactRecord>().toEqualTypeOf<{
      readonly send_id: string;
      readonly contact_id: string;
      readonly contact_email: string;
      readonly unsubscribe_email: string | null;
      readonly unsubscribe_time: string | null;
      readonly unsubscribe_id: string | null;
      readonly unsubscribe_count: string | null;
      readonly updated_profile_count: string;
      readonly send_status: "pending" | "completed" | "failed" | "split_sms";
      readonly send_time: string;
      readonly open_type: "not_opened" | "html" | "text" | "sms";
      readonly open_count: string;
      readonly open_country: string | null;
      readonly bounce_smtp_error_code: string | null;
      readonly bounce_description: string | null;
      readonly is_temporary_bounce: string;
      readonly first_open_time: string;
      readonly last_open_time: string;
      readonly first_updated_profile_time: string;
      readonly first_unsubscribe_time: string;
      readonly first_permanent_bounce_time: string;
      readonly first_temporary_bounce_time: string;
      readonly first_bounce_time: string;
      readonly links_clicked: string;
    }>();
  });

  test("a File's input has its name, or its base name and extension", () => {
    expectTypeOf<{ id: 1; folder_id: 1; name: "a.b" }>().toExtend<FileInput>();
    expectTypeOf<{
      id: 1n;
      folder_id: "1";
      basename: "a";
      extension: "b";
      size: 5;
    }>().toExtend<FileInput>();
    expectTypeOf<{ id: 1; folder_id: 1 }>().not.toExtend<FileInput>();
    expectTypeOf<{ id: 1; folder_id: 1; basename: "a" }>().not.toExtend<FileInput>();
    expectTypeOf<{ id: 1; name: "a.b" }>().not.toExtend<FileInput>();
    expectTypeOf<{ id: 1; folder_id: 1; name: null }>().not.toExtend<FileInput>();
  });

  test("dispatch answers in the form of the request", () => {
    const service = createService();
    const request = { id: 1, method: "searchFiles", params: ["key"] };
    expectTypeOf(service.dispatch(request)).toEqualTypeOf<Response>();
    expectTypeOf(service.dispatch(null)).toEqualTypeOf<Response>();
    expectTypeOf(service.dispatchAsync(request)).toEqualTypeOf<Promise<Response>>();
    expectTypeOf(service.dispatch({ ...request, jsonrpc: "2.0" })).toEqualTypeOf<
      JsonRpcResponse | undefined
    >();
    const widened = { ...request, jsonrpc: "2.0" };
    expectTypeOf(service.dispatch(widened)).toEqualTypeOf<AnyResponse | undefined>();
    expectTypeOf(service.dispatch([request])).toEqualTypeOf<Answer>();
    expectTypeOf(service.dispatch(JSON.parse("null"))).toEqualTypeOf<Answer>();
    expectTypeOf(service.dispatch(request as unknown)).toEqualTypeOf<Answer>();
  });

  test("authenticate may be asynchronous", () => {
    expectTypeOf<{ authenticate: () => Promise<boolean> }>().toExtend<ServiceOptions>();
    expectTypeOf<{ authenticate: () => string }>().not.toExtend<ServiceOptions>();
    expectTypeOf<{ onInternalError: () => Promise<void> }>().toExtend<ServiceOptions>();
  });

  test("its methods give the operations' results", () => {
    expectTypeOf<ReturnType<Service["searchFiles"]>>().toEqualTypeOf<FileRecord[]>();
    expectTypeOf<ReturnType<Service["getBatchContacts"]>>().toEqualTypeOf<BatchContacts>();
    expectTypeOf<BatchContacts>().toEqualTypeOf<Record<string, ContactRecord[]>>();
    expectTypeOf<Parameters<Service["dispatch"]>>().toEqualTypeOf<[request: unknown]>();
    expectTypeOf<ReturnType<Service["dispatchJson"]>>().toBeString();
    expectTypeOf<Response["id"]>().toEqualTypeOf<number | bigint | string | null>();
    expectTypeOf<NonNullable<Response["error"]>["code"]>().toEqualTypeOf<
      100 | 104 | 107 | 300 | 308 | 310 | 311
    >();
  });

  test("its methods' parameters are checked", () => {
    const calls = (service: Service) => {
      service.searchFiles([["name", "contains", "a"]], "5", null, "size", "ASC");
      service.getBatchContacts("7", [["First Name", "exactly", "Zoë"]], 5, 0, "Email", "DESC");
      // @ts-expect-error there is no such File field
      service.searchFiles([["Email", "exactly", "a"]]);
      // @ts-expect-error there is no such File field to sort by
      service.searchFiles(null, 5, 0, "Email");
      // @ts-expect-error a File's name can't be compared by number
      service.searchFiles([["name", "less_than", 5]]);
      // @ts-expect-error the Batch is missing
      service.getBatchContacts();
      // @ts-expect-error there is no such operator
      service.getBatchContacts(7, [["Email", "like", "a"]]);
      // @ts-expect-error the order is written in capitals
      service.getBatchContacts(7, null, 5, 0, "Email", "desc");
      // @ts-expect-error a Contact never has this status
      service.getBatchContacts(7, [["send_status", "exactly", "payd"]]);
      service.getBatchContacts(7, [["send_status", "exactly", "pending"], "OR", ["Age", "not", 4]]);
    };
    expectTypeOf(calls).toBeFunction();
  });

  test("over an engine its parameters are checked alike", () => {
    const calls = (service: SqlService, given: unknown) => {
      void service.searchFiles(given, given, given, given, given);
      void service.getBatchContacts(given, given, given, given, given, given);
      // @ts-expect-error there is no such File field
      void service.searchFiles([["Email", "exactly", "a"]]);
      // @ts-expect-error a Contact never has this status
      void service.getBatchContacts(7, [["send_status", "exactly", "payd"]]);
    };
    expectTypeOf(calls).toBeFunction();
  });
});

describe("requests", () => {
  test("a typed request has a typed result", () => {
    const ask = (
      service: Service,
      files: RequestOf<"searchFiles">,
      contacts: RequestOf<"getBatchContacts">,
    ) => {
      expectTypeOf(service.dispatch(files).result).toEqualTypeOf<SearchFilesResult | null>();
      expectTypeOf(
        service.dispatch(contacts).result,
      ).toEqualTypeOf<GetBatchContactsResult | null>();
      const sent: unknown = files;
      expectTypeOf(service.dispatch(sent)).toEqualTypeOf<Answer>();
    };
    expectTypeOf(ask).toBeFunction();
    expectTypeOf<SearchFilesResult>().toEqualTypeOf<FileRecord[]>();
    expectTypeOf<GetBatchContactsResult>().toEqualTypeOf<BatchContacts>();
  });

  test("its method and its parameters are checked", () => {
    expectTypeOf<{
      id: 1;
      method: "searchFiles";
      params: ["key", [["size", "greater_than", "5"]], 5];
    }>().toExtend<ServiceRequest>();
    expectTypeOf<{ id: 1; method: "search"; params: ["key"] }>().not.toExtend<ServiceRequest>();
    expectTypeOf<{ id: 1; method: "searchFiles"; params: [] }>().not.toExtend<ServiceRequest>();
    expectTypeOf<{
      id: 1;
      method: "searchFiles";
      params: ["key", [["size", "greater_than", "five"]]];
    }>().not.toExtend<ServiceRequest>();
  });
});

describe("changes of a collection", () => {
  const things = createCollection(Thing, []);

  test("each gives a collection of the same schema and input", () => {
    expectTypeOf(things.insert([{ id: 1, name: "a" }])).toEqualTypeOf<Collection<Thing>>();
    expectTypeOf(things.insert({ id: 1, name: "a" })).toEqualTypeOf<Collection<Thing>>();
    expectTypeOf(things.update(null, () => undefined)).toEqualTypeOf<Collection<Thing>>();
    expectTypeOf(things.remove([["id", "exactly", 5]])).toEqualTypeOf<Collection<Thing>>();
    expectTypeOf(things.applyPatches([])).toEqualTypeOf<Collection<Thing>>();
    expectTypeOf(things.compact()).toEqualTypeOf<Collection<Thing>>();
    const { collection, patches, inversePatches } = things.withPatches((all) => all.remove(null));
    expectTypeOf(collection).toEqualTypeOf<Collection<Thing>>();
    expectTypeOf(patches).toEqualTypeOf<readonly Patch[]>();
    expectTypeOf(inversePatches).toEqualTypeOf<readonly Patch[]>();
    expectTypeOf(things.withPatches((all) => all.insert([]))).toEqualTypeOf<Changed<Thing>>();
    expectTypeOf(things.withPatches((all) => all.update(null, () => undefined))).toEqualTypeOf<
      Changed<Thing>
    >();
  });

  test("a draft has every field, and can be written to", () => {
    expectTypeOf<DraftOf<Thing>>().toEqualTypeOf<{
      id: number;
      size: number;
      when: number | null;
      name: string;
      note: string | null;
      kind: "red" | "blue";
      secret: string;
      extra: string | null;
    }>();
    expectTypeOf<DraftOf<typeof wireThing>>().toExtend<{
      id: DraftInteger;
      size: DraftInteger;
      when: DraftInteger | null;
      kind: "red" | "blue";
    }>();
  });

  test("an int field of a draft holds a number", () => {
    const things = createCollection(Thing, []);
    things.update(null, (draft) => void (draft.size += 5));
    // @ts-expect-error a draft holds what the record holds
    things.update(null, (draft) => void (draft.size = "5"));
  });

  test("an int field of a draft in wire form takes an integer in each form, and is read in each", () => {
    const things = createCollection(wireSchema(Thing.fields), []);
    const recipes = (word: string) => [
      things.update(null, (draft) => void (draft.size = 5)),
      things.update(null, (draft) => void (draft.size = 5n)),
      things.update(null, (draft) => void (draft.size = "5")),
      things.update(null, (draft) => void (draft.when = null)),
      things.update(null, (draft) => void (draft.size = Number(draft.size) + 5)),
      things.update(null, (draft) => void (draft.size = BigInt(draft.size) * 2n)),
      things.update(null, (draft) => void (draft.when = draft.size)),
      things.update(null, (draft) => draft.size === "5" || draft.size === word),
      things.update(null, (draft) => void (draft.name += `${draft.size}`)),
      // @ts-expect-error this is no integer
      things.update(null, (draft) => void (draft.size = "five")),
      // @ts-expect-error size must not be null
      things.update(null, (draft) => void (draft.size = null)),
    ];
    expectTypeOf(recipes).toBeFunction();
  });

  test("an update by an object takes fields in each form of input, and leaves out the others", () => {
    const things = createCollection(Thing, []);
    const wired = createCollection(wireSchema(Thing.fields), []);
    const updates = (size: number | undefined, kind: "red" | undefined) => [
      things.update(null, { size: 5 }),
      things.update(null, { size: "5", when: null, secret: "x" }),
      things.update(null, { size, kind }),
      things.update(null, {}),
      wired.update(null, { size: 5n }),
      things.withPatches((all) => all.update(null, { kind: "blue" })).collection,
      // @ts-expect-error there is no such field
      things.update(null, { nothing: 1 }),
      // @ts-expect-error size is no text
      things.update(null, { size: true }),
      // @ts-expect-error kind takes only the values of its list
      things.update(null, { kind: "green" }),
      // @ts-expect-error name must not be null
      things.update(null, { name: null }),
      // @ts-expect-error neither a recipe nor an object
      things.update(null, 5),
    ];
    expectTypeOf(updates).toBeFunction();
    expectTypeOf<ChangesOf<{ readonly id: number }>>().toEqualTypeOf<{
      readonly id?: number | undefined;
    }>();
  });

  test("an upsert takes input records and a unique field", () => {
    const unique = createCollection(
      defineSchema({ id: int({ unique: true }), name: string() }),
      [],
    );
    const upserts = () => [
      unique.upsert([{ id: 1, name: "a" }], "id"),
      unique.upsert({ id: 1, name: "a" }, "id"),
      unique.withPatches((all) => all.upsert([], "id")).collection,
      // @ts-expect-error name is not unique
      unique.upsert([], "name"),
      // @ts-expect-error name is missing
      unique.upsert([{ id: 1 }], "id"),
      unique.upsert([{ id: 1 }], "id", { merge: true }),
      unique.upsert({ id: 1, name: undefined }, "id", { merge: true }),
      // @ts-expect-error without merge, name is missing
      unique.upsert([{ id: 1 }], "id", { merge: false }),
      // @ts-expect-error a name is a string
      unique.upsert([{ id: 1, name: 2 }], "id", { merge: true }),
      // @ts-expect-error there is no such field
      unique.upsert([{ id: 1, nme: "a" }], "id", { merge: true }),
      // @ts-expect-error the field is missing
      unique.upsert([]),
    ];
    expectTypeOf(upserts).toBeFunction();
  });

  test("a combination that is unique is of fields that there are", () => {
    const fields = { list: int(), email: string({ nullable: true }), code: string() };
    // @ts-expect-error there is no such field
    const misspelt = () => defineSchema(fields, { unique: [["list", "mail"]] });
    // @ts-expect-error a combination is a list of fields
    const single = () => defineSchema(fields, { unique: ["code"] });
    expectTypeOf([misspelt, single]).toBeArray();
  });

  test("a record is had and replaced by a combination that is unique", () => {
    const Member = defineSchema(
      { list: int(), email: string({ nullable: true }), code: string(), id: int({ unique: true }) },
      { unique: [["list", "email"]] },
    );
    const members = createCollection(Member, []);
    const given = { list: 1, email: "a", code: "x", id: 1 };
    const used = () => [
      members.get({ list: 1, email: "a" }),
      // @ts-expect-error a field of the combination is missing
      members.get({ list: 1 }),
      // @ts-expect-error code is not in it
      members.get({ list: 1, code: "x" }),
      // @ts-expect-error an email is no number
      members.get({ list: 1, email: 2 }),
      // @ts-expect-error a list is a number
      members.get({ list: true, email: "a" }),
      members.upsert([given], ["list", "email"]),
      members.upsert(given, "id"),
      // @ts-expect-error code is in no combination
      members.upsert([given], ["list", "code"]),
      // @ts-expect-error one field of it is not unique
      members.upsert([given], "list"),
      // @ts-expect-error the records are checked, too
      members.upsert([{ ...given, list: true }], ["list", "email"]),
    ];
    expectTypeOf(used).toBeFunction();
    expectTypeOf(members.get({ list: 1, email: "a" })).toEqualTypeOf<
      RecordOf<typeof Member> | undefined
    >();
    const plain = createCollection(defineSchema({ list: int() }), []);
    // @ts-expect-error nothing is unique there
    expectTypeOf(() => plain.get({ list: 1 })).toBeFunction();
  });

  test("a default that is a function returns a value of its field", () => {
    const made = defineSchema({
      id: int({ default: () => 1 }),
      text: string({ default: () => "" }),
    });
    expectTypeOf<InputOf<typeof made>>().toExtend<{ readonly id?: unknown }>();
    createCollection(made, [{}]);
    // @ts-expect-error a boolean is no number
    expectTypeOf(() => int({ default: () => true })).toBeFunction();
    // @ts-expect-error a number is no text
    expectTypeOf(() => string({ default: () => 1 })).toBeFunction();
  });

  test("a patch is what Immer's users know", () => {
    expectTypeOf<Patch["op"]>().toEqualTypeOf<"add" | "remove" | "replace">();
    expectTypeOf<Patch["path"]>().toEqualTypeOf<readonly (string | number)[]>();
    expectTypeOf<DatabaseChange["patches"]>().toEqualTypeOf<readonly Patch[]>();
  });

  // Never called: these are errors at run time too.
  test("what is no change is refused", () => {
    const refused = () => {
      // @ts-expect-error name is missing
      things.insert([{ id: 1 }]);
      // @ts-expect-error there is no such field
      things.insert([{ id: 1, name: "a", nothing: 1 }]);
      // @ts-expect-error name is missing
      things.insert({ id: 1 });
      // @ts-expect-error the criteria are missing: null selects every record
      things.remove();
      // @ts-expect-error the field is not searchable
      things.remove([["secret", "exactly", "x"]]);
      // @ts-expect-error the recipe is missing
      things.update(null);
      // @ts-expect-error there is no such field
      things.update(null, (draft) => void (draft.nothing = 1));
      // @ts-expect-error kind takes only the values of its list
      things.update(null, (draft) => void (draft.kind = "green"));
      // @ts-expect-error name must not be null
      things.update(null, (draft) => void (draft.name = null));
      // @ts-expect-error there is no such operation
      things.applyPatches([{ op: "move", path: [1] }]);
    };
    expectTypeOf(refused).toBeFunction();
  });
});

describe("changes of a service", () => {
  test("update, applyPatches and subscribe", () => {
    expectTypeOf<ReturnType<Service["update"]>>().toEqualTypeOf<DatabaseChange>();
    expectTypeOf<ReturnType<Service["applyPatches"]>>().toEqualTypeOf<DatabaseChange>();
    expectTypeOf<Parameters<Service["subscribe"]>>().toEqualTypeOf<
      [subscriber: (change: DatabaseChange) => void]
    >();
    expectTypeOf<ReturnType<Service["subscribe"]>>().toEqualTypeOf<() => void>();
    expectTypeOf<Service["files"]>().toEqualTypeOf<ServiceDraft["files"]>();
  });

  test("a recipe puts collections in the place of others", () => {
    const changes = (service: Service) => {
      service.update((draft) => {
        draft.files = draft.files.insert([{ id: 1, folder_id: 1, name: "a.b" }]);
        // @ts-expect-error a File needs a name
        draft.files.insert([{ id: 1, folder_id: 1 }]);
        // @ts-expect-error Files are no array
        draft.files = 5;
        // @ts-expect-error there is no such member
        draft.folders = [];
        const batch = draft.batches["1234"];
        if (batch === undefined) return;
        batch.contacts = batch.contacts.insert([
          { send_id: 1, contact_id: 2, contact_email: "a", fields: { Age: 5n }, list: 7 },
        ]);
        // @ts-expect-error Files are no Contacts
        batch.contacts = draft.files;
        // @ts-expect-error the id stays
        batch.id = "5";
        draft.batches["9"] = createBatch({ id: 9, lists: [] });
        delete draft.batches["9"];
        batch.addList({ id: 78, fields: ["Email"], contacts: [] });
        batch.addListField(78, "Age", "int");
        batch.removeListField("78", "Age");
        batch.removeList(78n);
        // @ts-expect-error a List Field has one of two types
        batch.addListField(78, "Age", "number");
        // @ts-expect-error Lists have functions of their own
        batch.lists = [];
        // @ts-expect-error a Batch of a service can't be changed
        draft.batches["9"] = service.batches["9"];
        // @ts-expect-error a Batch is made by createBatch
        draft.batches["9"] = { id: 9, lists: [] };
      });
      // @ts-expect-error outside of a recipe nothing can be set
      service.files = service.files.remove(null);
    };
    expectTypeOf(changes).toBeFunction();
  });

  test("a live query has the parameters and the answer of its method", () => {
    const watches = (service: Service) => {
      const stop = service.watch("searchFiles", [[["size", "less_than", 5]], 10], (files) => {
        expectTypeOf(files).toEqualTypeOf<FileRecord[]>();
      });
      expectTypeOf(stop).toEqualTypeOf<() => void>();
      service.watch(
        "getBatchContacts",
        [5],
        (lists) => expectTypeOf(lists).toEqualTypeOf<BatchContacts>(),
        (error) => expectTypeOf(error).toEqualTypeOf<ServiceError>(),
      );
      // @ts-expect-error there is no such method
      service.watch("dispatch", [], () => undefined);
      // @ts-expect-error a Batch must be named
      service.watch("getBatchContacts", [], () => undefined);
      // @ts-expect-error there is no such File field
      service.watch("searchFiles", [[["Email", "exactly", "a"]]], () => undefined);
    };
    expectTypeOf(watches).toBeFunction();
  });

  test("a Contact's draft has its List Fields and its List", () => {
    const opens = (contacts: BatchContactCollection) =>
      contacts.update([["open_type", "not", "html"]], (draft) => {
        draft.open_type = "html";
        draft.list = 20;
        draft.fields = { Email: "a", Age: 5 };
        draft.fields.Email = "b";
        // @ts-expect-error the type of an open is one of four
        draft.open_type = "opened";
        // @ts-expect-error a List's id is no boolean
        draft.list = true;
      });
    expectTypeOf(opens).returns.toEqualTypeOf<BatchContactCollection>();
  });
});

describe("databases", () => {
  const things = createCollection(Thing, []);
  const db = createDatabase({ things, every: createCollection(Every, []) });

  test("a service over one changes its collections together with Files and Batches", () => {
    const service = createService({ database: db });
    service.update((draft) => {
      expectTypeOf(draft.things).toEqualTypeOf(things);
      draft.things = draft.things.insert({ id: 1, name: "a" });
      draft.files = draft.files.insert({ id: 1, folder_id: 1, name: "a.txt" });
      // @ts-expect-error it is another collection
      draft.every = draft.things;
      // @ts-expect-error there is no such collection
      draft.nothing = draft.things;
      delete draft.batches["5"];
    });
    expectTypeOf(service).toExtend<Service>();
    const stored = createStore("store", service);
    stored.update((draft) => void (draft.things = draft.things.remove([])));
    stored.close();
    const opened = openStore("store", { things: Thing });
    createService({ database: opened, limits: {} }).update((draft) => {
      draft.things = draft.things.remove([]);
      draft.files = draft.files.remove([]);
      // @ts-expect-error the store was opened without it
      draft.every = draft.things;
    });
  });

  test("one of several collections is queried, counted and watched by what all of them have", () => {
    const either = db["things" as "things" | "every"];
    expectTypeOf(
      either.query({ criteria: [["id", "exactly", 1]], sortBy: "id" })[0]?.id,
    ).toEqualTypeOf<number | undefined>();
    expectTypeOf(either.count([["id", "at_least", 1]])).toBeNumber();
    expectTypeOf(either.countBy("id")).toEqualTypeOf<readonly ValueCount<number>[]>();
    expectTypeOf(either.get("id", 1)?.id).toEqualTypeOf<number | undefined>();
    either.histogram("id", { bins: 3 });
    either.summary("id");
    either.explain({ sortBy: "id" });
    // @ts-expect-error only one of them has it
    either.count([["name", "exactly", "a"]]);
    // @ts-expect-error only one of them has it
    either.query({ sortBy: "price" });
    const name = "things" as "things" | "every";
    db.watch(name, { criteria: [["id", "exactly", 1]] }, (found) => {
      expectTypeOf(found[0]?.id).toEqualTypeOf<number | undefined>();
    });
    // @ts-expect-error only one of them has it
    db.watch(name, { count: [["name", "exactly", "a"]] }, () => undefined);
  });

  test("a live query takes what a query takes, and refuses what it refuses", () => {
    const [sent, list]: [unknown, unknown[]] = [5, []];
    const query: Query<Thing> = {};
    const ask: LiveAsk<Thing> = query;
    db.watch("things", { criteria: sent, limit: sent, sortBy: sent, sort: sent }, (found) => {
      expectTypeOf(found).toEqualTypeOf<RecordOf<Thing>[]>();
    });
    db.watch("things", { criteria: list, offset: 5 }, () => undefined);
    db.watch("things", { count: list }, (count) => expectTypeOf(count).toBeNumber());
    db.watch("things", { countBy: "kind", criteria: sent, limit: 3 }, (counts) => {
      expectTypeOf(counts).toEqualTypeOf<readonly ValueCount<"red" | "blue">[]>();
    });
    db.watch("things", query, () => undefined);
    db.watch("things", ask, () => undefined);
    // @ts-expect-error no kind is called so
    db.watch("things", { criteria: [["kind", "exactly", "payd"]] }, () => undefined);
    // @ts-expect-error no kind is called so
    db.watch("things", { count: [["kind", "exactly", "payd"]] }, () => undefined);
    // @ts-expect-error the order is written in capitals
    db.watch("things", { sortOrder: "asc" }, () => undefined);
    // @ts-expect-error there is no such member
    db.watch("things", { criteria: list, sorted: "name" }, () => undefined);
    // @ts-expect-error somebody must say how many bins
    db.watch("things", { histogram: "size" }, () => undefined);
    // @ts-expect-error it is an object
    db.watch("things", sent, () => undefined);
  });

  test("one without other collections changes nothing else", () => {
    createService().update((draft) => {
      draft.files = draft.files.remove([]);
      // @ts-expect-error there is no such collection
      draft.things = things;
    });
  });

  test("a live query counts by fields that are counted by, and bins numbers", () => {
    db.watch("every", { countBy: "paid" }, () => undefined);
    db.watch("every", { histogram: "price", bins: 3 }, ({ bins }) => bins);
    // @ts-expect-error JSON is not counted by
    db.watch("every", { countBy: "tags" }, () => undefined);
    db.watch("things", { countBy: "kind", summarize: "size", order: "mean" }, (counts) => {
      expectTypeOf(counts).toEqualTypeOf<readonly ValueTotals<"red" | "blue">[]>();
    });
    db.watch("things", { countBy: "kind", prefix: 1 }, (counts) => {
      expectTypeOf(counts).toEqualTypeOf<readonly ValueCount<string>[]>();
    });
    db.watch("things", { histogram: "when", step: "day", summarize: "size" }, (found) => {
      expectTypeOf(found).toEqualTypeOf<Histogram<BinTotals>>();
    });
    db.watch("things", { summary: "size", quantiles: [0.5] }, ({ quantiles }) => {
      expectTypeOf(quantiles).toEqualTypeOf<readonly [number | null]>();
    });
    db.watch("things", { summary: "name" }, (found) => {
      expectTypeOf(found).toEqualTypeOf<ValueSummary>();
    });
    // @ts-expect-error no field is summarized
    db.watch("things", { countBy: "kind", order: "mean" }, () => undefined);
    // @ts-expect-error a name is no number
    db.watch("things", { countBy: "kind", summarize: "name" }, () => undefined);
    // @ts-expect-error a number has no first characters
    db.watch("things", { countBy: "size", prefix: 1 }, () => undefined);
    // @ts-expect-error only numbers have quantiles
    db.watch("things", { summary: "name", quantiles: [0.5] }, () => undefined);
    // @ts-expect-error bins are either of one width or steps of the calendar
    db.watch("things", { histogram: "when", step: "day", bins: 3 }, () => undefined);
    // @ts-expect-error a name is no number
    db.watch("things", { histogram: "name", bins: 3 }, () => undefined);
  });
});

describe("computed fields", () => {
  const Sale = defineSchema(
    {
      id: int({ unique: true }),
      price: float(),
      quantity: int({ default: 1 }),
      address: json({ nullable: true }),
    },
    {
      computed: {
        city: string({ nullable: true, path: ["address", "city"], unique: true }),
        size: string({ path: ["address", "size"], oneOf: ["s", "m"] }),
        total: float({
          compute: (sale) => {
            expectTypeOf(sale).toEqualTypeOf<RecordOf<typeof Sale>>();
            return sale.price * sale.quantity;
          },
        }),
      },
      unique: [["id", "size"]],
    },
  );
  const sales = createCollection(Sale, []);

  test("are neither given nor in records", () => {
    expectTypeOf<InputOf<typeof Sale>>().toEqualTypeOf<{
      readonly id: string | number | bigint;
      readonly price: number | `${number}`;
      readonly quantity?: string | number | bigint | undefined;
      readonly address?: JsonValue | undefined;
    }>();
    expectTypeOf<keyof RecordOf<typeof Sale>>().toEqualTypeOf<
      "id" | "price" | "quantity" | "address"
    >();
    const used = () => [
      // @ts-expect-error it is computed
      sales.insert({ id: 1, price: 1, total: 3 }),
      // @ts-expect-error it is computed
      sales.update([], { total: 3 }),
    ];
    expectTypeOf(used).toBeFunction();
  });

  test("are known to queries, and selected with their types", () => {
    const found = sales.query({
      criteria: [["size", "exactly", "s"], "OR", ["total", "at_least", 3]],
      sortBy: "city",
      select: ["id", "size", "total", "city"],
    });
    expectTypeOf(found).toEqualTypeOf<
      {
        readonly id: number;
        readonly size: "s" | "m";
        readonly total: number;
        readonly city: string | null;
      }[]
    >();
    const used = () => [
      sales.groupBy({ by: "size", measures: { all: ["sum", "total"] } }),
      sales.get("city", "Bern"),
      // @ts-expect-error size has no such value
      sales.query({ criteria: [["size", "exactly", "x"]] }),
    ];
    expectTypeOf(used).toBeFunction();
  });

  test("have functions of the other fields", () => {
    const used = () => [
      defineSchema(
        { a: int() },
        // @ts-expect-error there is no such field
        { computed: { b: int({ compute: (record: { readonly c: number }) => record.c }) } },
      ),
      // @ts-expect-error a computed field takes no default
      defineSchema({ a: json() }, { computed: { b: int({ path: ["a", "b"], default: 3 }) } }),
      // @ts-expect-error the field is not nullable
      defineSchema({ a: int() }, { computed: { b: int({ compute: () => null }) } }),
      // @ts-expect-error a is a number
      defineSchema({ a: int() }, { computed: { b: string({ compute: ({ a }) => a }) } }),
      defineSchema({ a: int(), b: int({ compute: (record: { readonly a: number }) => record.a }) }),
    ];
    expectTypeOf(used).toBeFunction();
  });
});

describe("functions that are generic over a schema", () => {
  const Product = defineSchema({
    id: int({ unique: true, default: next }),
    name: string(),
    price: float(),
    stock: int({ default: 0 }),
    tags: strings({ default: [] }),
    sold: time({ nullable: true }),
  });
  const products = createCollection(Product);

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as newcomers write it
  function byField<S extends Schema, F extends keyof S["fields"] & string>(
    collection: Collection<S>,
    field: F,
    value: string | number,
  ) {
    return collection.query({ criteria: [[field, "exactly", value]] });
  }
  function found<S extends Schema>(
    collection: Collection<S>,
    field: FieldName<S>,
    part: string,
    sortBy: SortableName<S>,
  ) {
    const criteria = [[field, "contains", part]] as const;
    const all = [[field, "starts_with", part], "OR", [field, "ends_with", part]] as const;
    return {
      count: collection.count([[field, "contains", part], "OR", ["NOT", [field, "in", [part]]]]),
      page: collection.page({ criteria, sortBy, limit: 20 }),
      records: collection.query({ criteria: all, sort: [[sortBy, "DESC"]] }),
    };
  }
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as newcomers write it
  function changed<S extends Schema, F extends FieldName<S>>(
    collection: Collection<S>,
    field: F,
    values: readonly string[],
  ): Collection<S> {
    return collection
      .update([[field, "in", values]], () => undefined)
      .remove([[field, "exactly", "gone"]]);
  }
  const one = <S extends Schema, F extends UniqueName<S>>(
    collection: Collection<S>,
    field: F,
    value: FieldInputOf<S, F>,
  ) => collection.get(field, value);
  const facet = <S extends Schema, F extends CountableName<S>>(
    collection: Collection<S>,
    field: F,
  ) => collection.countBy(field);
  const added = <S extends Schema>(collection: Collection<S>, record: InputOf<S>) =>
    collection.insert(record);

  test("compile, and return the records of the schema that they are called with", () => {
    const used = () => {
      expectTypeOf(byField(products, "name", "x")).toEqualTypeOf<RecordOf<typeof Product>[]>();
      expectTypeOf(found(products, "name", "x", "price").records).toEqualTypeOf<
        RecordOf<typeof Product>[]
      >();
      expectTypeOf(changed(products, "id", ["1"])).toEqualTypeOf<Collection<typeof Product>>();
      expectTypeOf(one(products, "id", 1)).toEqualTypeOf<RecordOf<typeof Product> | undefined>();
      expectTypeOf(facet(products, "stock")[0]?.value).toEqualTypeOf<number | undefined>();
      added(products, { name: "x", price: 1 });
      // @ts-expect-error there is no such field
      byField(products, "nam", "x");
      // @ts-expect-error name is not unique
      one(products, "name", "x");
      // @ts-expect-error the record lacks its price
      added(products, { name: "x" });
      // Criteria on a schema that is known are checked as before.
      // @ts-expect-error there is no such field
      products.count([["nam", "exactly", "x"]]);
      // @ts-expect-error an int equals no such string
      products.count([["id", "exactly", "x"]]);
    };
    expectTypeOf(used).toBeFunction();
  });

  test("ints of new records are numbers, which can be computed with", () => {
    type New = NewRecordOf<typeof Product>;
    expectTypeOf<New>().toEqualTypeOf<{
      readonly id?: number | undefined;
      readonly name: string;
      readonly price: number;
      readonly stock?: number | undefined;
      readonly tags?: readonly string[] | undefined;
      readonly sold?: string | null | undefined;
    }>();
    expectTypeOf<New>().toExtend<InputOf<typeof Product>>();
    expectTypeOf<RecordOf<typeof Product>>().toExtend<New>();
    const total = (all: readonly New[]) => all.reduce((sum, { stock = 0 }) => sum + stock, 0);
    expectTypeOf(total).returns.toBeNumber();
    expectTypeOf<FieldInputOf<typeof Product, "id">>().toEqualTypeOf<number | string | bigint>();
  });
});

describe("the keys of groups", () => {
  const Sale = defineSchema({ id: int(), name: string(), opened: time(), price: float() });
  const sales = createCollection(Sale, []);
  const never = (run: () => unknown) => run;

  test("are those of their fields", () => {
    const [group] = sales.groupBy({
      by: [
        { field: "opened", as: "at" },
        { field: "id", width: 5 },
      ],
    });
    expectTypeOf(group?.at).toEqualTypeOf<string | undefined>();
    const [step] = sales.groupBy({
      by: [
        { field: "opened", step: "month", as: "month" },
        { field: "opened", step: "weekday", as: "day" },
      ],
    });
    expectTypeOf(step?.month).toEqualTypeOf<string | undefined>();
    expectTypeOf(step?.day).toEqualTypeOf<number | undefined>();
    // @ts-expect-error -- times count nothing
    never(() => sales.groupBy({ by: { field: "opened", step: "month", unit: "seconds" } }));
    // @ts-expect-error -- steps of the calendar are those of times and numbers
    never(() => sales.groupBy({ by: { field: "name", step: "month" } }));
    // @ts-expect-error -- ranges are those of numbers
    never(() => sales.groupBy({ by: { field: "name", width: 5 } }));
    // @ts-expect-error -- prefixes are those of strings
    never(() => sales.groupBy({ by: { field: "id", prefix: 5 } }));
    // @ts-expect-error -- a number is needed
    never(() => sales.groupBy({ by: { field: "price", width: "5" } }));
  });
});
