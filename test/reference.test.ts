// What a collection and a service answer, against a filter, sort and slice over the plain records
// that was written from the semantics and shares nothing with the library's own compiler.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createCollection,
  createService,
  defineSchema,
  int,
  string,
  type Query,
} from "../src/index.ts";
import { settings } from "./property.ts";
import { aContact, untyped } from "./rules/fixtures.ts";

type Wire = string | null;
type Plain = Readonly<Record<string, Wire>>;
type Scalar = string | number | null;
type Criterion = readonly [field: string, operator: string, value: Scalar | readonly Scalar[]];
type Criteria = readonly (Criterion | "OR")[];

interface Page {
  readonly criteria: Criteria;
  readonly sortBy: string | undefined;
  readonly sortOrder: "ASC" | "DESC" | undefined;
  readonly offset: number | undefined;
  readonly limit: number | undefined;
}

const asText = (value: Criterion[2]): Wire => (value === null ? null : String(value));

const standsAt = (field: string, text: string, at: number): boolean =>
  at >= 0 && Array.from({ length: text.length }).every((_, i) => field[at + i] === text[i]);

/** Rules C4 to C7, one criterion over one value. */
function holds(field: Wire, operator: string, value: Criterion[2]): boolean {
  switch (operator) {
    case "exactly":
      return field === asText(value);
    case "not":
      return field !== asText(value);
    case "in": {
      const members = typeof value === "string" ? value.split(",") : (value as Scalar[]);
      return members.some((each) => field === asText(each));
    }
  }
  if (field === null) return false;
  const text = String(value);
  const last = field.length - text.length;
  switch (operator) {
    case "contains":
      return Array.from({ length: field.length + 1 }).some((_, at) => standsAt(field, text, at));
    case "starts_with":
      return standsAt(field, text, 0);
    case "ends_with":
      return standsAt(field, text, last);
    case "greater_than":
      return BigInt(field) > BigInt(text);
    case "less_than":
      return BigInt(field) < BigInt(text);
    default:
      throw new Error(`the reference has no operator ${operator}`);
  }
}

/** Rules C2 and C3. */
function selects(record: Plain, criteria: Criteria): boolean {
  const groups: Criterion[][] = [[]];
  for (const each of criteria) {
    if (each === "OR") groups.push([]);
    else groups.at(-1)?.push(each);
  }
  return groups.some((group) =>
    group.every(([field, operator, value]) => holds(record[field] ?? null, operator, value)),
  );
}

/** Rules P3 and P4: null first, integers by number, strings by code point. */
function compare(a: Wire, b: Wire, isInt: boolean): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (isInt) return BigInt(a) < BigInt(b) ? -1 : Number(BigInt(a) > BigInt(b));
  const [x, y] = [a, b].map((text) => Array.from(text, (point) => point.codePointAt(0) ?? 0));
  for (let i = 0; ; i++) {
    const [left, right] = [x?.[i] ?? -1, y?.[i] ?? -1];
    if (left !== right) return left - right;
    if (left === -1) return 0;
  }
}

/** Rules P1 to P5. */
function page<Record extends Plain>(
  records: readonly Record[],
  { criteria, sortBy, sortOrder, offset = 0, limit = Infinity }: Page,
  intFields: readonly string[],
): Record[] {
  const selected = records.filter((record) => selects(record, criteria));
  if (sortBy !== undefined) {
    const sign = sortOrder === "ASC" ? 1 : -1;
    const isInt = intFields.includes(sortBy);
    selected.sort((a, b) => sign * compare(a[sortBy] ?? null, b[sortBy] ?? null, isInt));
  }
  return selected.slice(offset, offset + limit);
}

// Prefixes and suffixes of each other, what code points and code units order differently, what a
// normalisation or a locale would fold, and separators that a careless index would trip over.
const TEXTS = [
  ...["", "a", "aa", "aab", "ab", "abc", "b", "ba", "A", "Z", "z", "é", "e\u0301", "null"],
  ...["0", "1", "10", "-1", "a,b", ",", "\u0000", "a\u0000", "\ud7ff", "\ue000", "\uffff"],
  ...["\u{10000}", "\u{10ffff}", "😀", "a😀", "😀a", "__proto__", "constructor", " a", "a "],
];
const NUMBERS = [
  ...["0", "1", "2", "9", "10", "11", "100", "-1", "-2", "-10", "24", "240", "1024"],
  ...["9007199254740991", "9007199254740990", "-9007199254740991", "-9007199254740990"],
];

const text = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...TEXTS) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom("a", "b", "😀", "\uffff"), maxLength: 6 }),
  },
);
const number = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 1, arbitrary: fc.maxSafeInteger().map((n) => String(n)) },
);

/** The values of one field: all distinct, one distinct, or from a few; with nulls where it may. */
const column = (
  value: fc.Arbitrary<string>,
  size: number,
  nullable: boolean,
): fc.Arbitrary<Wire[]> => {
  const orNull = nullable ? fc.option(value, { freq: 4 }) : value;
  const full = { minLength: size, maxLength: size };
  return fc.oneof(
    fc.array(orNull, full),
    orNull.map((only) => Array<Wire>(size).fill(only)),
    fc
      .array(orNull, { minLength: 1, maxLength: 3 })
      .chain((few) => fc.array(fc.constantFrom(...few), full)),
  );
};

interface FieldSpec {
  readonly type: "int" | "string";
  readonly nullable: boolean;
}

/** Fields by name; `serial` is different in each record. */
const FIELDS: Readonly<Record<string, FieldSpec>> = {
  serial: { type: "int", nullable: false },
  count: { type: "int", nullable: false },
  maybe_count: { type: "int", nullable: true },
  text: { type: "string", nullable: false },
  maybe_text: { type: "string", nullable: true },
};
const INTS = Object.keys(FIELDS).filter((name) => FIELDS[name]?.type === "int");

const Thing = defineSchema({
  serial: int({ unique: true }),
  count: int(),
  maybe_count: int({ nullable: true }),
  text: string(),
  maybe_text: string({ nullable: true }),
});

/** Criteria over fields, valid by C4; most values are such as records have. */
function anyCriteria(fields: Readonly<Record<string, FieldSpec>>): fc.Arbitrary<Criteria> {
  const loose = fc.oneof(text, number, number.map(Number), fc.constantFrom(-0, 1.5, 1e21));
  const orNull = fc.option(loose, { freq: 6 });
  const bound = fc.oneof(number, number.map(Number));
  const list = fc.array(orNull, { maxLength: 4 });
  const commas = fc.array(fc.oneof(text, number), { maxLength: 4 }).map((each) => each.join(","));

  const on = (name: string, { type }: FieldSpec): fc.Arbitrary<Criterion> =>
    fc.oneof(
      fc.tuple(fc.constant(name), fc.constantFrom("exactly", "not"), orNull),
      fc.tuple(fc.constant(name), fc.constantFrom("contains", "starts_with", "ends_with"), loose),
      fc.tuple(fc.constant(name), fc.constant("in"), fc.oneof(list, commas)),
      ...(type === "int"
        ? [fc.tuple(fc.constant(name), fc.constantFrom("greater_than", "less_than"), bound)]
        : []),
    );

  const criterion = fc.oneof(...Object.entries(fields).map(([name, spec]) => on(name, spec)));
  const group = fc.array(criterion, { minLength: 1, maxLength: 3 });
  return fc
    .array(group, { maxLength: 3 })
    .map((groups) => groups.flatMap((each, i) => (i === 0 ? each : (["OR", ...each] as const))));
}

const anyPage = (fields: Readonly<Record<string, FieldSpec>>, size: number): fc.Arbitrary<Page> =>
  fc.record({
    criteria: anyCriteria(fields),
    sortBy: fc.option(fc.constantFrom(...Object.keys(fields)), { nil: undefined }),
    sortOrder: fc.constantFrom("ASC", "DESC", undefined),
    offset: fc.option(fc.nat({ max: size + 1 }), { nil: undefined }),
    limit: fc.option(fc.nat({ max: size + 1 }), { nil: undefined }),
  });

interface Case {
  readonly records: readonly Plain[];
  readonly pages: readonly Page[];
}

const aCase = (maxSize: number): fc.Arbitrary<Case> =>
  fc.nat({ max: maxSize }).chain((size) => {
    const columns = Object.entries(FIELDS).map(([name, { type, nullable }]) =>
      name === "serial"
        ? fc
            .uniqueArray(fc.integer({ min: -1000, max: 1000 }), {
              minLength: size,
              maxLength: size,
            })
            .map((serials): Wire[] => serials.map(String))
        : column(type === "int" ? number : text, size, nullable),
    );
    const records = fc
      .tuple(...columns)
      .map((values) =>
        Array.from({ length: size }, (_, row) =>
          Object.fromEntries(
            Object.keys(FIELDS).map((name, i) => [name, values[i]?.[row] ?? null] as const),
          ),
        ),
      );
    return fc.record({
      records,
      pages: fc.array(anyPage(FIELDS, size), { minLength: 1, maxLength: 8 }),
    });
  });

/** Asks each page twice over: the second time whatever the first made the collection build is there. */
function agrees({ records, pages }: Case): void {
  const collection = createCollection(Thing, untyped(records));
  for (const asked of [...pages, ...pages]) {
    const { criteria } = asked;
    const query: Query<typeof Thing> = untyped(asked);
    expect(collection.query(query)).toEqual(page(records, asked, INTS));
    const total = records.filter((record) => selects(record, criteria)).length;
    expect(collection.count(untyped(criteria))).toBe(total);
  }
}

describe("a collection answers as a filter, a sort and a slice over the records do", () => {
  test("on small collections", () => {
    fc.assert(fc.property(aCase(12), agrees), settings(800));
  });

  test("on collections of some hundred records", () => {
    fc.assert(fc.property(aCase(300), agrees), settings(60));
  });

  test("on one collection of thousands of records that is asked hundreds of questions", () => {
    const records = Array.from({ length: 3000 }, (_, row) => ({
      serial: String(row - 1500),
      count: NUMBERS[(row * 7) % NUMBERS.length] ?? "0",
      maybe_count: row % 3 === 0 ? null : String((row * 31) % 997),
      text: `${TEXTS[(row * 13) % TEXTS.length] ?? ""}${row % 5 === 0 ? row : ""}`,
      maybe_text: row % 4 === 0 ? null : (TEXTS[row % TEXTS.length] ?? ""),
    }));
    const collection = createCollection(Thing, records);
    fc.assert(
      fc.property(anyPage(FIELDS, 3000), (asked) => {
        const found = collection.query(untyped(asked)).map(({ serial }) => serial);
        expect(found).toEqual(page<Plain>(records, asked, INTS).map(({ serial }) => serial));
        const total = records.filter((record) => selects(record, asked.criteria)).length;
        expect(collection.count(untyped(asked.criteria))).toBe(total);
      }),
      settings(400),
    );
  });
});

describe("getBatchContacts answers as a filter, a sort and a slice over the whole Batch do", () => {
  const LIST_FIELDS: Readonly<Record<string, FieldSpec>> = {
    Email: { type: "string", nullable: true },
    Age: { type: "int", nullable: true },
    "First Name": { type: "string", nullable: true },
  };
  const SEARCHED: Readonly<Record<string, FieldSpec>> = {
    contact_id: { type: "int", nullable: false },
    open_count: { type: "int", nullable: false },
    unsubscribe_time: { type: "int", nullable: true },
    open_country: { type: "string", nullable: true },
    contact_email: { type: "string", nullable: false },
    ...LIST_FIELDS,
  };
  const ints = Object.keys(SEARCHED).filter((name) => SEARCHED[name]?.type === "int");

  const valueOf = ({ type, nullable }: FieldSpec): fc.Arbitrary<Wire> => {
    const value = type === "int" ? number : text;
    return nullable ? fc.option(value, { freq: 4 }) : value;
  };
  const rowOf = (names: readonly string[]): fc.Arbitrary<Plain> =>
    fc.record(
      Object.fromEntries(
        names.flatMap((name) => {
          const spec = SEARCHED[name];
          return spec === undefined ? [] : [[name, valueOf(spec)]];
        }),
      ),
    );

  const own = Object.keys(SEARCHED).filter((name) => !Object.hasOwn(LIST_FIELDS, name));
  const aList = fc.subarray(Object.keys(LIST_FIELDS)).chain((fields) =>
    fc.record({
      id: fc.integer({ min: -3, max: 9 }),
      fields: fc.constant(fields),
      contacts: fc.array(fc.record({ own: rowOf(own), listed: rowOf(fields) }), { maxLength: 8 }),
    }),
  );
  const someLists = fc.uniqueArray(aList, { selector: ({ id }) => id, maxLength: 4 });

  test("on several Lists with differing List Fields", () => {
    fc.assert(
      fc.property(
        someLists.chain((lists) => {
          const known = new Set([...own, ...lists.flatMap(({ fields }) => fields)]);
          const fields = Object.fromEntries(
            Object.entries(SEARCHED).filter(([name]) => known.has(name)),
          );
          const pages = fc.array(anyPage(fields, 20), { minLength: 1, maxLength: 4 });
          return fc.record({ lists: fc.constant(lists), pages });
        }),
        ({ lists, pages }) => {
          const service = createService({
            batches: [
              {
                id: 1,
                lists: lists.map(({ id, fields, contacts }) => ({
                  id,
                  fields: Object.fromEntries(
                    fields.map((name) => [name, LIST_FIELDS[name]?.type ?? "string"]),
                  ),
                  contacts: contacts.map(({ own: values, listed }) =>
                    untyped({ ...aContact(1), ...values, fields: listed }),
                  ),
                })),
              },
            ],
          });
          const rows = lists.flatMap(({ id, contacts }) =>
            contacts.map(({ own: values, listed }): Plain => ({
              ...values,
              ...listed,
              "of List": String(id),
            })),
          );
          for (const asked of [...pages, ...pages]) {
            const { criteria, limit, offset, sortBy, sortOrder } = asked;
            const found = service.getBatchContacts(
              1,
              untyped(criteria),
              limit,
              offset,
              sortBy,
              sortOrder,
            );
            const expected = page(rows, asked, ints);
            expect(
              Object.fromEntries(
                Object.entries(found).map(([id, contacts]) => [
                  id,
                  contacts.map((contact: Plain) => own.map((name) => contact[name])),
                ]),
              ),
            ).toEqual(
              Object.fromEntries(
                lists.map(({ id }) => [
                  id,
                  expected
                    .filter((row) => row["of List"] === String(id))
                    .map((row) => own.map((name) => row[name])),
                ]),
              ),
            );
          }
        },
      ),
      settings(500),
    );
  });
});
