// Unique fields and combinations, and null in them (V13): a collection accepts a change exactly if no two of the
// resulting records have the same values, compared one by one in a plain list.

import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import {
  compileCriteria,
  createCollection,
  defineSchema,
  InputError,
  int,
  json,
  readSchema,
  SchemaError,
  string,
  writeSchema,
  type Collection,
  type Patch,
  type Schema,
} from "../../src/index.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { settings } from "../property.ts";
import { smallest, tuned } from "../tuned.ts";
import { expectRefused } from "./fixtures.ts";

type Value = string | number | null;
type Given = Readonly<Record<"n" | "list" | "email" | "code" | "hidden", Value>>;
type Rows = Collection<Schema, Given>;

const fieldsWith = (nullable: boolean) => ({
  n: int(),
  code: string({ unique: true, nullable: true }),
  list: int({ nullable }),
  email: string({ nullable, ignoreCase: true }),
  hidden: int({ nullable: true, stored: false }),
});
const UNIQUE = [
  ["list", "email"],
  ["hidden", "email"],
] as const;

/** With nulls everywhere: patches name records by their keys. Without: by the first combination. */
const schemaWith = (nullable: boolean): Schema =>
  defineSchema(fieldsWith(nullable), { unique: UNIQUE });

/** Texts that look like parts of each other, and of the lengths of others. */
const emails = ["", "a", "A", "b", "1:", "1:a", ":", "__proto__", "\u{1f600}"];

const recordOf = (nullable: boolean): fc.Arbitrary<Given> => {
  const orNull = <V>(values: fc.Arbitrary<V>) => (nullable ? fc.option(values) : values);
  return fc.record({
    n: fc.nat({ max: 3 }),
    code: fc.option(fc.constantFrom("", "x", "y", "z", "0", "constructor")),
    list: orNull(fc.constantFrom(0, 1, 11, 2)),
    email: orNull(fc.constantFrom(...emails)),
    hidden: fc.option(fc.constantFrom(0, 1, 11), { freq: 1 }),
  });
};

type Step =
  | { readonly by: "insert" | "insert one"; readonly records: Given[] }
  | { readonly by: "upsert"; readonly records: Given[]; readonly key: "code" | readonly string[] }
  | {
      readonly by: "object" | "recipe";
      readonly where: Value;
      readonly change: Partial<Given>;
    }
  | { readonly by: "remove"; readonly where: Value }
  | { readonly by: "swap" | "reopen" };

const stepsWith = (nullable: boolean): fc.Arbitrary<Step[]> => {
  const records = fc.array(recordOf(nullable), { minLength: 1, maxLength: 3 });
  const where = fc.nat({ max: 4 });
  const key = fc.constantFrom("code" as const, ...UNIQUE, ["email", "list"]);
  const step = fc.oneof(
    fc.record({ by: fc.constantFrom("insert" as const, "insert one" as const), records }),
    fc.record({ by: fc.constant("upsert" as const), records, key }),
    fc.record({
      by: fc.constantFrom("object" as const, "recipe" as const),
      where,
      change: recordOf(nullable).chain((record) =>
        fc
          .subarray(Object.keys(record), { minLength: 1 })
          .map((names) =>
            Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name))),
          ),
      ),
    }),
    fc.record({ by: fc.constant("remove" as const), where }),
    fc.record({ by: fc.constantFrom("swap" as const, "reopen" as const) }),
  );
  return fc.array(step, { minLength: 1, maxLength: 12 });
};

const ALL: readonly (readonly (keyof Given)[])[] = [["code"], ...UNIQUE];

const compared = (record: Given, field: keyof Given): Value => {
  const value = record[field];
  return field === "email" && typeof value === "string" ? value.toLowerCase() : value;
};

/** Whether two records have the same values in some fields: null equals nothing. */
const areAlike = (a: Given, b: Given, fields: readonly (keyof Given)[]): boolean =>
  fields.every((field) => compared(a, field) !== null && compared(a, field) === compared(b, field));

const isValid = (records: readonly Given[]): boolean =>
  records.every((a, i) =>
    records.slice(i + 1).every((b) => ALL.every((fields) => !areAlike(a, b, fields))),
  );

/** The records after a step; `undefined` if it must be refused. */
function expectedAfter(records: readonly Given[], step: Step): readonly Given[] | undefined {
  const next = ((): readonly Given[] | undefined => {
    switch (step.by) {
      case "insert":
        return [...records, ...step.records];
      case "insert one":
        return [...records, ...step.records.slice(0, 1)];
      case "upsert": {
        if (!isValid(step.records)) return undefined;
        const fields = (step.key === "code" ? ["code"] : step.key) as (keyof Given)[];
        const isReplacing = (given: Given) => records.some((each) => areAlike(each, given, fields));
        const replaced = records.map(
          (each) => step.records.find((given) => areAlike(each, given, fields)) ?? each,
        );
        return [...replaced, ...step.records.filter((given) => !isReplacing(given))];
      }
      case "object":
      case "recipe":
        return records.map((each) => (each.n === step.where ? { ...each, ...step.change } : each));
      case "remove":
        return records.filter((each) => each.n !== step.where);
      case "swap":
        return swapped(records);
      case "reopen":
        return records;
    }
  })();
  return next !== undefined && isValid(next) ? next : undefined;
}

/** Each record with the values of the one before it: no value is free until all have moved. */
const swapped = (records: readonly Given[]) =>
  records.map((each, i) => ({ ...(records.at(i - 1) ?? each), n: each.n }));

function changed(rows: Rows, step: Step): Rows {
  const where = (n: Value) => [["n", "exactly", n]] as never;
  switch (step.by) {
    case "insert":
      return rows.insert(step.records);
    case "insert one": {
      const [record] = step.records;
      return record === undefined ? rows : rows.insert(record);
    }
    case "upsert":
      return rows.upsert(step.records, step.key);
    case "object":
      return rows.update(where(step.where), step.change);
    case "recipe":
      return rows.update(where(step.where), (draft) => void Object.assign(draft, step.change));
    case "remove":
      return rows.remove(where(step.where));
    case "swap": {
      const all = swapped(recordsIn(rows));
      let i = 0;
      return rows.update(null as never, () => all[i++]);
    }
    case "reopen":
      return rows;
  }
}

/** The records of a collection, with what they do not carry. */
function recordsIn(rows: Rows): Given[] {
  const hidden = new Map<object, Value>();
  for (const value of [null, 0, 1, 11]) {
    const criteria = [["hidden", "exactly", value]] as never;
    for (const record of rows.query({ criteria })) hidden.set(record, value);
  }
  return Array.from(rows, (record) => ({ ...record, hidden: hidden.get(record) }) as Given);
}

/** `get` finds the record that has the values, and no other. */
function expectFound(rows: Rows, records: readonly Given[]): void {
  const all = [...rows];
  const get = rows.get.bind(rows) as (...given: unknown[]) => unknown;
  for (const fields of UNIQUE) {
    for (const list of [0, 1, 11, null]) {
      for (const email of [...emails, null]) {
        const wanted = { [fields[0]]: list, [fields[1]]: email } as unknown as Given;
        const at = records.findIndex((each) => areAlike(each, wanted, fields));
        expect(get(wanted)).toBe(at < 0 ? undefined : all[at]);
      }
    }
  }
}

describe.each([
  ["which may be null", true],
  ["of which some are never null", false],
])("unique fields and combinations %s", (_, nullable) => {
  test.each([
    ["as few records are", {}],
    ["as many records are", smallest],
  ])("a change is accepted exactly if none collides, %s", (_name, tuning) => {
    using _ = tuned(tuning);
    const schema = schemaWith(nullable);
    const initial = fc.array(recordOf(nullable), { maxLength: 12 });
    fc.assert(
      fc.property(initial, stepsWith(nullable), fc.nat(), (given, steps, reopening) => {
        if (!isValid(given)) expect(() => createCollection(schema, given)).toThrow(InputError);
        let records: readonly Given[] = [];
        for (const each of given) if (isValid([...records, each])) records = [...records, each];
        let rows: Rows = createCollection(schema, records);
        for (const step of steps) {
          const next = expectedAfter(records, step);
          const change = () => rows.withPatches((now) => changed(now, step));
          if (next === undefined) {
            expect(change).toThrow(expect.objectContaining({ code: "duplicate" }));
            expect(recordsIn(rows)).toEqual(records);
            continue;
          }
          if (step.by === "reopen")
            rows = reopened(rows, reopenings[reopening % reopenings.length]);
          else {
            const { collection, patches, inversePatches } = change();
            expect(recordsIn(rows.applyPatches(patches))).toEqual(next);
            expect(recordsIn(collection.applyPatches(inversePatches))).toEqual(records);
            rows = collection;
          }
          records = next;
          expect(recordsIn(rows)).toEqual(records);
          expectFound(rows, records);
        }
      }),
      settings(60),
    );
  });
});

describe("a combination", () => {
  const Subscriber = defineSchema(
    { list: int(), email: string({ ignoreCase: true }), name: string({ default: "" }) },
    { unique: [["list", "email"]] },
  );
  const subscribers = createCollection(Subscriber, [
    { list: 1, email: "ada@example.org", name: "Ada" },
    { list: 2, email: "ada@example.org" },
    { list: 1, email: "bob@example.org" },
  ]);
  const [ada, , bob] = subscribers.query();

  test("is what get finds a record by, whatever the order of its fields", () => {
    expect(subscribers.get({ list: 1, email: "ADA@example.org" })).toBe(ada);
    expect(subscribers.get({ email: "bob@example.org", list: "1" })).toBe(bob);
    expect(subscribers.get({ email: "bob@example.org", list: 2 })).toBeUndefined();
    const get = (given: unknown) => () => subscribers.get(given as never);
    const use = 'must be a unique field or combination; use "list" and "email"';
    expectRefused(get({ list: 1 }), "values", use);
    expectRefused(get({ list: 1, name: "Ada" }), "values", use);
    expectRefused(get(null), "values", "must be an object, not null");
    const near = 'unknown field "list, email"; did you mean "list" or "email"?';
    expectRefused(get("list, email"), "field", near);
    const reason = "must be a well-formed string, a finite number, a bigint or null, not an object";
    expectRefused(get({ list: 1, email: {} }), "values.email", reason);
    expectRefused(
      () => createCollection(defineSchema({ id: int({ unique: true }) })).get({ id: 1 } as never),
      "values",
      "must be a unique field or combination; the schema makes no combination of fields unique",
    );
  });

  test("has its index, in a report and without criteria that could name it", () => {
    expect(subscribers.insert({ list: 3, email: "c" }).indexes()).toMatchObject([
      { field: "list, email", kind: "ordered" },
    ]);
    expect(() => subscribers.count([["list, email", "exactly", "1:1a"]] as never)).toThrow(
      "unknown field",
    );
  });

  test("is refused twice, with the place of the other record", () => {
    const again = { list: 1, email: "Ada@example.org" };
    const whose = (other: string) => `its "list" and "email" are already used by ${other}`;
    expectRefused(
      () => createCollection(Subscriber, [again, { list: 2, email: "a" }, again]),
      "records[2]",
      whose("records[0]"),
    );
    expectRefused(() => subscribers.insert(again), "record", whose("another record"));
    expectRefused(
      () => subscribers.update([["name", "exactly", ""]], { list: 1, email: "new" }),
      "rows[2]",
      whose("rows[1]"),
    );
    expectRefused(() => subscribers.update([["list", "exactly", 2]], { list: 1 }), "rows[1]", whose("another record")); // oxfmt-ignore
    expectRefused(
      () => subscribers.applyPatches([{ op: "replace", path: [2, "ada@example.org", "list"], value: 1 }]),
      "patches[0].value",
      "there is already a record with this list, email",
    ); // oxfmt-ignore
    expect(subscribers.size).toBe(3);
  });

  test("is what patches name records by, if there is no unique field", () => {
    const { collection, patches, inversePatches } = subscribers.withPatches((all) =>
      all
        .update([["name", "exactly", "Ada"]], { name: "A" })
        .insert({ list: 3, email: "c" })
        .remove([["list", "exactly", 2]])
        .update([["email", "exactly", "bob@example.org"]], { list: 4 }),
    );
    expect(patches.map(({ op, path }) => [op, ...path])).toEqual([
      ["remove", 2, "ada@example.org"],
      ["remove", 1, "bob@example.org"],
      ["replace", 1, "ada@example.org", "name"],
      ["add", 4, "bob@example.org"],
      ["add", 3, "c"],
    ]);
    // In any order of the records.
    const copy = createCollection(Subscriber, [...subscribers].reverse());
    const sorted = (all: Iterable<object>) =>
      Array.from(all, (each) => JSON.stringify(each)).sort();
    expect(sorted(copy.applyPatches(JSON.parse(JSON.stringify(patches)) as Patch[]))).toEqual(
      sorted(collection),
    );
    expect([...collection.applyPatches(inversePatches)]).toEqual([...subscribers]);
    expectRefused(
      () => subscribers.applyPatches([{ op: "remove", path: [5, "ada@example.org"] }]),
      "patches[0].path",
      'there is no record with the list 5 and the email "ada@example.org"',
    );
    expectRefused(
      () => subscribers.applyPatches([{ op: "remove", path: [1] }]),
      "patches[0].path",
      "must name a record by its list, email, not by 1, undefined",
    );
    expectRefused(
      () =>
        subscribers.applyPatches([{ op: "add", path: [7, "d"], value: { list: 8, email: "d" } }]),
      "patches[0].value.list",
      "must be that of the path, 7, not 8",
    );
  });

  test("replaces records by upsert, and is checked there", () => {
    const put = subscribers.upsert(
      [
        { list: 1, email: "ADA@example.org", name: "A" },
        { list: 9, email: "new" },
      ],
      ["list", "email"],
    );
    expect([...put].map(({ name, list }) => [list, name])).toEqual([
      [1, "A"],
      [2, ""],
      [1, ""],
      [9, ""],
    ]);
    expect(subscribers.upsert({ list: 1, email: "bob@example.org" }, ["list", "email"])).toBe(
      subscribers,
    );
    expectRefused(
      () => subscribers.upsert([], ["list", "name"] as never),
      "field",
      'must be a unique field or combination; use "list" and "email"',
    );
  });
});

test("combinations that are none are refused, with their place", () => {
  const define = (unique: unknown) => () =>
    defineSchema({ id: int(), a: string(), b: string(), any: json() }, { unique } as never);
  const table: [unique: unknown, message: string][] = [
    ["a", 'unique: must be a list of combinations, not "a"'],
    [["a", "b"], 'unique[0]: must be a list of fields, such as ["list", "email"], not "a"'],
    [
      [["a"]],
      "unique[0]: needs at least two fields; one that is unique has the option unique: true",
    ],
    [[[]], "unique[0]: needs at least two fields; one that is unique has the option unique: true"],
    [[["a", "a"]], 'unique[0][1]: repeats "a"'],
    [[["a", "ids"]], 'unique[0][1]: unknown field "ids"; did you mean "id"?'],
    [[["a", 5]], "unique[0][1]: unknown field 5"],
    [[["a", "any"]], 'unique[0][1]: "any" is a json field, which can\'t be compared'],
    [
      [
        ["a", "b"],
        ["b", "a"],
      ],
      "unique[1]: has the same fields as unique[0]",
    ],
  ];
  for (const [unique, message] of table) {
    expect(define(unique)).toThrow(SchemaError);
    expect(define(unique)).toThrow(message);
  }
  expect(() => defineSchema({ id: int() }, { uniq: [] } as never)).toThrow(
    'options: has no member "uniq"; use "computed"',
  );
  expect(define([["a", "b"], ["a", "id"]])().unique).toEqual([["a", "b"], ["a", "id"]]); // oxfmt-ignore
  // Columns of combinations are called as no field, and as no other one.
  const odd = defineSchema(
    { a: int(), "b, c": int(), "a, b": int(), c: int(), "a, b, c": int() },
    { unique: [["a", "b, c"], ["a, b", "c"]] }, // oxfmt-ignore
  );
  const rows = createCollection(odd, [
    { a: 1, "b, c": 2, "a, b": 3, c: 4, "a, b, c": 5 },
    { a: 1, "b, c": 3, "a, b": 3, c: 5, "a, b, c": 5 },
  ]);
  expect(rows.get({ a: 1, "b, c": 3 })?.c).toBe(5);
  expect(rows.get({ "a, b": 3, c: 4 })?.["b, c"]).toBe(2);
});

test("a schema keeps its combinations as JSON and in a file, and shows them", () => {
  const json = { fields: { a: { type: "int" }, b: { type: "string" } }, unique: [["a", "b"]] };
  const schema = readSchema(JSON.parse(JSON.stringify(json)));
  expect(writeSchema(schema)).toEqual(json);
  expect(() => readSchema({ ...json, unique: [["a", "c"]] })).toThrow(
    'schema.unique[0][1]: unknown field "c"',
  );
  const rows = createCollection(schema, [{ a: 1, b: "x" }]);
  expect(JSON.parse(JSON.stringify(rows))).toMatchObject({ unique: [["a", "b"]] });
  expect(inspect(rows)).toBe("Collection(1) { a: int; b: string; unique (a, b) }");
  const bytes = saveCollection(rows);
  expect(openCollection(bytes).schema.unique).toEqual([["a", "b"]]);
  expect(() => openCollection(bytes).insert({ a: 1, b: "x" })).toThrow(
    'record: its "a" and "b" are already used by another record',
  );
  const without = readSchema({ fields: json.fields });
  expect(() => openCollection(bytes, { schema: without })).toThrow(
    'options.schema.unique: has [], in the file [["a","b"]]',
  );
  expect(
    openCollection(bytes, { schema: readSchema({ ...json, unique: [["b", "a"]] }) }).size,
  ).toBe(1);
});

describe("update and remove by a unique field", () => {
  const Code = defineSchema({
    code: string({ unique: true, nullable: true, ignoreCase: true }),
    n: int(),
  });
  const codes = fc.constantFrom(null, "", "x", "X", "y", "0", "__proto__", "\u{1f600}", "İ");
  const records = fc.uniqueArray(fc.record({ code: codes, n: fc.nat({ max: 3 }) }), {
    selector: ({ code }) => code?.toLowerCase() ?? {},
  });
  const steps = fc.array(fc.record({ code: codes, n: fc.nat({ max: 9 }), removes: fc.boolean() }));

  test("change what the predicate selects, null included", () => {
    fc.assert(
      fc.property(records, steps, fc.boolean(), (given, changes, isPrepared) => {
        let collection = createCollection(Code, given);
        if (isPrepared) collection.prepare({ match: ["code"] });
        let model = given;
        for (const { code, n, removes } of changes) {
          const criteria = [["code", "exactly", code]] as const;
          const selects = compileCriteria(Code, criteria);
          collection = removes ? collection.remove(criteria) : collection.update(criteria, { n });
          model = removes
            ? model.filter((record) => !selects(record))
            : model.map((record) => (selects(record) ? { ...record, n } : record));
          expect([...collection]).toEqual(model);
        }
      }),
      settings(100),
    );
  });
});
