// Computed fields (V16) by differential testing: a collection with computed fields gives the same results as one whose
// records were given the same values in fields of their own.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  boolean,
  compileCriteria,
  createCollection,
  createDatabase,
  defineSchema,
  float,
  InputError,
  int,
  json,
  SchemaError,
  string,
  strings,
  time,
  type Collection,
  type Page,
} from "../../src/index.ts";
import { inputRecords } from "../../src/testing/index.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { settings } from "../property.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";
import { smallest, tuned } from "../tuned.ts";

// Not for the files that run after this one.
let usual: Disposable;
beforeAll(() => void (usual = tuned(smallest)));
afterAll(() => usual[Symbol.dispose]());

const PATHS = {
  city: ["address", "city"],
  zip: ["address", "at", "zip"],
  proto: ["address", "__proto__"],
  first: ["address", "0"],
  tags: ["address", "tags"],
  flag: ["address", "flag"],
  since: ["address", "since"],
} as const;

const firstOf = (record: { readonly name: string }) => Array.from(record.name)[0] ?? "";
const totalOf = (record: { readonly price: number; readonly count: number | null }) =>
  record.count === null ? null : record.price * record.count;

const own = {
  id: int({ unique: true }),
  price: float(),
  count: int({ nullable: true }),
  name: string({ default: "" }),
  address: json({ nullable: true }),
  hidden: string({ nullable: true, stored: false }),
};
const nullable = { nullable: true } as const;
const unstored = { nullable: true, stored: false } as const;

const Computed = defineSchema(own, {
  computed: {
    city: string({ ...nullable, path: PATHS.city, ignoreCase: true }),
    zip: int({ ...nullable, path: PATHS.zip }),
    proto: string({ ...nullable, path: PATHS.proto }),
    first: float({ ...nullable, path: PATHS.first }),
    tags: strings({ ...nullable, path: PATHS.tags }),
    flag: boolean({ ...nullable, path: PATHS.flag }),
    since: time({ ...nullable, path: PATHS.since }),
    total: float({ ...nullable, compute: totalOf }),
    initial: string({ compute: firstOf }),
  },
});
/** The same fields, of which each is given. */
const Plain = defineSchema({
  ...own,
  city: string({ ...unstored, ignoreCase: true }),
  zip: int(unstored),
  proto: string(unstored),
  first: float(unstored),
  tags: strings(unstored),
  flag: boolean(unstored),
  since: time(unstored),
  total: float(unstored),
  initial: string({ stored: false }),
});

/** The members of an object at a path, written independently of the library. */
function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value ?? null;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const member = isObject && Object.entries(value).find(([key]) => key === name);
  return member ? valueAt(member[1], rest) : null;
}

interface Given {
  readonly id: number;
  readonly price: number;
  readonly count: number | null;
  readonly name?: string;
  readonly address: unknown;
  readonly hidden: string | null;
}

const inFull = (record: Given) => ({
  ...record,
  ...Object.fromEntries(
    Object.entries(PATHS).map(([field, [, ...path]]) => [field, valueAt(record.address, path)]),
  ),
  total: totalOf(record),
  initial: firstOf({ name: record.name ?? "" }),
});

const word = fc.constantFrom("", "Bern", "BERN", "Zug", "𝒳", "__proto__", "0", "é");
const object = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record(members, { requiredKeys: [] }).map((record): unknown => {
    // A member of this name, as JSON.parse makes it.
    return JSON.parse(JSON.stringify(record).replaceAll('"proto":', '"__proto__":'));
  });
const address = fc.oneof(
  {
    weight: 5,
    arbitrary: object({
      city: fc.oneof(word, fc.constant(null)),
      at: fc.oneof(
        object({ zip: fc.integer({ min: -3, max: 3 }) }),
        fc.constantFrom([1], "at", null, 3),
      ),
      proto: word,
      0: fc.constantFrom(1.5, -0, 3),
      tags: fc.array(word, { maxLength: 3 }),
      flag: fc.boolean(),
      since: fc.constantFrom(0, "2024-02-29", "2024-03-01T12:00:00+02:00"),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], [1, 2], "text", 7, true, {}) },
);
const record = (id: fc.Arbitrary<number>): fc.Arbitrary<Given> =>
  fc.record(
    {
      id,
      price: fc.constantFrom(0, -0, 1.5, 2, 1e9),
      count: fc.option(fc.integer({ min: -2, max: 2 })),
      name: word,
      address,
      hidden: fc.option(word),
    },
    { requiredKeys: ["id", "price", "count", "address", "hidden"] },
  );
const given = fc.uniqueArray(record(fc.nat(30)), { selector: ({ id }) => id, maxLength: 20 });

const later = fc.uniqueArray(record(fc.nat(30)), {
  selector: ({ id }) => id,
  minLength: 1,
  maxLength: 4,
});

const criterion = fc.oneof(
  fc.tuple(
    fc.constantFrom("city", "proto", "initial"),
    fc.constantFrom("exactly", "not", "contains", "starts_with", "at_least"),
    word,
  ),
  fc.tuple(
    fc.constantFrom("zip", "first", "total"),
    fc.constantFrom("exactly", "not", "at_least", "less_than"),
    fc.integer({ min: -3, max: 3 }),
  ),
  fc.tuple(
    fc.constantFrom("city", "zip", "proto", "first", "flag", "since", "total", "tags"),
    fc.constantFrom("exactly", "not"),
    fc.constant(null),
  ),
  fc.tuple(fc.constant("flag"), fc.constant("exactly"), fc.boolean()),
  fc.tuple(
    fc.constant("since"),
    fc.constantFrom("exactly", "less_than"),
    fc.constantFrom("2024", "2024-03-01", 1970),
  ),
  fc.tuple(fc.constant("tags"), fc.constant("has"), word),
);
const criteria = fc
  .array(fc.array(criterion, { minLength: 1, maxLength: 2 }), { maxLength: 2 })
  .map((groups) => groups.flatMap((group, i) => (i === 0 ? group : ["OR", ...group])));
const sortBy = fc.constantFrom(
  "city",
  "zip",
  "proto",
  "first",
  "flag",
  "since",
  "total",
  "initial",
  "price",
);
const query = fc.record(
  {
    criteria,
    sortBy,
    sortOrder: fc.constantFrom("ASC", "DESC"),
    limit: fc.nat(5),
    offset: fc.nat(5),
  },
  { requiredKeys: ["criteria"] },
);

type Any = Collection<typeof Computed>;
type AnyPlain = Collection<typeof Plain>;

function expectAgreement(computed: Any, plain: AnyPlain, asked: fc.RandomGenerator | object): void {
  const all = untyped(asked);
  expect(computed.query(all)).toEqual(plain.query(all));
  const { criteria: chosen } = all as { criteria: never };
  expect(computed.count(chosen)).toBe(plain.count(chosen));
  for (const field of ["city", "tags", "initial", "total"] as const) {
    expect(computed.countBy(field, chosen)).toEqual(plain.countBy(field, chosen));
    expect(computed.summary(field, chosen)).toEqual(plain.summary(field, chosen));
  }
  const measures = { sum: ["sum", "total"], zip: ["maximum", "zip"] } as const;
  const groups = { by: ["initial", "flag"], criteria: chosen, measures } as const;
  expect(computed.groupBy(groups)).toEqual(plain.groupBy(groups));
  const bins = { bins: 3, from: -4, to: 4, criteria: chosen } as const;
  expect(computed.histogram("total", bins)).toEqual(plain.histogram("total", bins));
}

const changes = fc.array(
  fc.oneof(
    fc.record({ insert: record(fc.integer({ min: 31, max: 40 })) }),
    fc.record({ upsert: record(fc.nat(40)) }),
    fc.record({ merge: record(fc.nat(40)) }),
    fc.record({
      set: fc.record(
        { address, name: word, count: fc.option(fc.integer({ min: -2, max: 2 })) },
        { requiredKeys: [] },
      ),
      criteria,
    }),
    fc.record({ draft: address, criteria }),
    fc.record({ remove: criteria }),
    fc.constant({ compact: true as const }),
    fc.constant({ prepare: true as const }),
  ),
  { maxLength: 5 },
);

describe.each([
  ["objects", (records: Given[]) => createCollection(Computed, records as never[])] as const,
  [
    "columns",
    (records: Given[]) => createCollection(Computed, records as never[], { storage: "columns" }),
  ] as const,
  ...reopenings.map(
    (way) =>
      [
        `a file, ${JSON.stringify(way)}`,
        (records: Given[]) => reopened(createCollection(Computed, records as never[]), way),
      ] as const,
  ),
])("in %s", (_, make) => {
  test("V16 a computed field is like one that was given its values, after changes too", () => {
    fc.assert(
      fc.property(
        given,
        changes,
        fc.array(query, { minLength: 1, maxLength: 3 }),
        (records, steps, queries) => {
          let computed: Any = make(records);
          let plain: AnyPlain = createCollection(Plain, records.map(inFull) as never[]);
          const both = (
            change: (collection: Any) => Any,
            plainChange = change as never as (collection: AnyPlain) => AnyPlain,
          ) => {
            computed = change(computed);
            plain = plainChange(plain);
          };
          const revised =
            (change: (record: Given) => Given, chosen: unknown) => (collection: AnyPlain) =>
              collection.upsert(
                collection
                  .query({ criteria: chosen as never })
                  .map((each) =>
                    inFull(change({ ...(each as never as Given), hidden: null })),
                  ) as never[],
                "id",
              );
          const withoutHidden = (all: Any) => all.update([], { hidden: null });
          both(withoutHidden);
          for (const step of steps) {
            for (const asked of queries) expectAgreement(computed, plain, asked);
            if ("insert" in step) {
              const next = { ...step.insert, hidden: null };
              if (computed.get("id", next.id) !== undefined) continue;
              both(
                (all) => all.insert([next as never]),
                (all) => all.insert([inFull(next) as never]),
              );
            } else if ("upsert" in step) {
              const next = { ...step.upsert, hidden: null };
              both(
                (all) => all.upsert([next as never], "id"),
                (all) => all.upsert([inFull(next) as never], "id"),
              );
            } else if ("merge" in step) {
              const next = { ...step.merge, hidden: null };
              const before = plain.get("id", next.id) ?? {};
              both(
                (all) => all.upsert([next as never], "id", { merge: true }),
                (all) => all.upsert([inFull({ ...before, ...next }) as never], "id"),
              );
            } else if ("set" in step) {
              both(
                (all) => all.update(step.criteria as never, step.set as never),
                revised((each) => ({ ...each, ...step.set }), step.criteria),
              );
            } else if ("draft" in step) {
              both(
                (all) =>
                  all.update(
                    step.criteria as never,
                    (draft) => void (draft.address = step.draft as never),
                  ),
                revised((each) => ({ ...each, address: step.draft }), step.criteria),
              );
            } else if ("remove" in step) both((all) => all.remove(step.remove as never));
            else if ("compact" in step) both((all) => all.compact());
            else both((all) => all.prepare({ sort: ["city", "total"], contains: ["initial"] }));
          }
          for (const asked of queries) {
            expectAgreement(computed, plain, asked);
            const select = ["id", "total", "city", "tags", "since"] as const;
            const rows = new Map(plain.query().map((each) => [each.id, inFull(each as never)]));
            const Reference = createCollection(Plain, [...rows.values()] as never[]);
            for (const found of computed.query({ ...(asked as object), select })) {
              const ask = (field: "total" | "city" | "since") =>
                Reference.countBy(field, [["id", "exactly", found.id]])[0]?.value;
              expect(found).toEqual({
                id: found.id,
                total: ask("total"),
                city: valueAt(rows.get(found.id)?.address, ["city"]),
                tags: valueAt(rows.get(found.id)?.address, ["tags"]),
                since: ask("since"),
              });
            }
          }
        },
      ),
      settings(60),
    );
  });
});

test("V16 pages by a computed field visit each record once, in its order", () => {
  fc.assert(
    fc.property(given, sortBy, fc.integer({ min: 1, max: 4 }), (records, field, limit) => {
      const computed = createCollection(Computed, records as never[]);
      const whole = computed.query({ sortBy: field });
      const walked: object[] = [];
      let after: string | null = null;
      do {
        const page: Page<object> = computed.page({ sortBy: field, limit, after });
        walked.push(...page.records);
        after = page.next;
      } while (after !== null);
      expect(walked).toEqual(whole);
    }),
    settings(60),
  );
});

test("C12 a predicate computes the fields that its criteria name", () => {
  fc.assert(
    fc.property(given, criteria, (records, chosen) => {
      const computed = createCollection(Computed, records as never[]);
      const selects = compileCriteria(Computed, untyped(chosen));
      expect(records.filter((each) => selects(untyped(each))).map(({ id }) => id)).toEqual(
        computed.query({ criteria: untyped(chosen) }).map(({ id }) => id),
      );
    }),
    settings(100),
  );
});

test("live queries of computed fields are those of a fresh query", () => {
  fc.assert(
    fc.property(given, query, later, (records, asked, later) => {
      const db = createDatabase({ rows: createCollection(Computed, records as never[]) });
      let seen: unknown;
      let counts: unknown;
      const whole = { ...asked, select: ["id", "city", "total"] } as never;
      db.watch("rows", whole, (found) => (seen = found));
      db.watch(
        "rows",
        { groupBy: "initial", measures: { sum: ["sum", "total"] } } as never,
        (found) => (counts = found),
      );
      for (const next of later) {
        db.update((draft) => void (draft.rows = draft.rows.upsert([next as never], "id")));
        expect(seen).toEqual(db.rows.query(whole));
        expect(counts).toEqual(
          db.rows.groupBy({ by: "initial", measures: { sum: ["sum", "total"] } }),
        );
      }
    }),
    settings(60),
  );
});

test("patches carry no computed value, and lead to the same records", () => {
  fc.assert(
    fc.property(given, later, (records, later) => {
      const before = createCollection(Computed, records as never[]);
      const { collection, patches, inversePatches } = before.withPatches((all) =>
        all.upsert(later as never[], "id"),
      );
      expect(JSON.stringify(patches)).not.toMatch(/"(?:total|initial)":/);
      const again = before.applyPatches(untyped(JSON.parse(JSON.stringify(patches))));
      expect(again.query({ sortBy: "total" })).toEqual(collection.query({ sortBy: "total" }));
      expect(again.countBy("city")).toEqual(collection.countBy("city"));
      expect(collection.applyPatches(inversePatches).countBy("initial")).toEqual(
        before.countBy("initial"),
      );
    }),
    settings(60),
  );
});

const path = ["a", "b"] as const;
const boom = () => {
  throw new Error("boom");
};

test.each<[string, () => unknown]>([
  [
    'fields.b.path: must start with a json field; "a" is a field of type string',
    () => defineSchema({ a: string(), b: string({ path }) }),
  ],
  [
    'fields.b.path: unknown field "a"; did you mean "aa"?',
    () => defineSchema({ aa: json(), b: string({ path }) }),
  ],
  [
    "default: can't be combined with path; the value is computed from the rest of the record",
    () => string(untyped({ path, default: "x" })),
  ],
  [
    "stored: can't be combined with compute; the value is computed from the rest of the record",
    () => int(untyped({ compute: () => 1, stored: false })),
  ],
  ["compute: can't be combined with path", () => string(untyped({ path, compute: () => "" }))],
  [
    'path: must be the name of a json field, and the names of the members that lead to the value, as in ["address", "city"], not "a.b"',
    () => string(untyped({ path: "a.b" })),
  ],
  [
    'path: must be the name of a json field, and the names of the members that lead to the value, as in ["address", "city"], not an array',
    () => string(untyped({ path: ["a", 0] })),
  ],
  ["compute: must be a function, not 1", () => string(untyped({ compute: 1 }))],
  ['json(): has no member "path"; use "nullable" or "default"', () => json(untyped({ path }))],
  [
    "computed: must be an object, not an array",
    () => defineSchema({ a: int() }, untyped({ computed: [] })),
  ],
  [
    "computed.b: needs the option path or compute",
    () => defineSchema({ a: int() }, { computed: { b: int() } }),
  ],
  [
    "computed.a: there is already a field of this name",
    () => defineSchema({ a: int() }, { computed: { a: int({ compute: () => 1 }) } }),
  ],
])("a schema is refused: %s", (message, define) => {
  expect(thrownBy(SchemaError, define).message).toBe(message);
});

const Tree = defineSchema(
  { id: int({ unique: true }), a: json({ nullable: true }) },
  {
    computed: {
      b: int({ path }),
      double: int({ nullable: true, compute: ({ id }) => (id > 8 ? boom() : 2 * id) }),
      word: string({ nullable: true, path: ["a", "word"], oneOf: ["x", "y"] }),
    },
  },
);
const trees = createCollection(Tree, [{ id: 1, a: { b: 3 } }]);
const next = { id: 2, a: { b: 4 } };

test.each<[string, () => unknown]>([
  [
    "records[1].b: is computed from the rest of the record; leave it out",
    () => trees.insert([next, untyped({ id: 3, a: { b: 1 }, b: 1 })]),
  ],
  [
    'records[1].b: is computed, and the value of the path ["a","b"] must not be null; declare it nullable',
    () => trees.insert([next, { id: 3, a: { c: 1 } }]),
  ],
  [
    'records[0].b: is computed, and the value of the path ["a","b"] must not be null; declare it nullable',
    () => trees.insert([{ id: 3, a: null }]),
  ],
  [
    'record.b: is computed, and the value of the path ["a","b"] must be an integer',
    () => trees.insert({ id: 3, a: { b: 1.5 } }),
  ],
  [
    'record.word: is computed, and the value of the path ["a","word"] must be "x" or "y", not "z"',
    () => trees.insert({ id: 3, a: { b: 1, word: "z" } }),
  ],
  [
    "record.double: is computed, and its function threw an error: boom",
    () => trees.insert({ id: 9, a: { b: 1 } }),
  ],
  [
    "rows[0].double: is computed, and its function threw an error: boom",
    () => trees.update([], { id: 10 }),
  ],
  [
    "changes.double: is computed from the rest of the record; leave it out",
    () => trees.update([], untyped({ double: 1 })),
  ],
  [
    "rows[0].double: is computed from the rest of the record; leave it out",
    () => trees.update([], (draft) => void Object.assign(draft, { double: 1 })),
  ],
  [
    "rows[0].b: is computed from the rest of the record; leave it out",
    () => trees.applyPatches([{ op: "replace", path: [1, "b"], value: 4 }]),
  ],
  [
    "record.b: is computed from the rest of the record; leave it out",
    () => compileCriteria(Tree, [["b", "exactly", 1]])(untyped({ ...next, b: 4 })),
  ],
])("input is refused: %s", (message, run) => {
  const error = thrownBy(InputError, run);
  expect(error.message.startsWith(message)).toBe(true);
  expect(trees.size).toBe(1);
});

test("a function that reads a computed field is named at the first record", () => {
  const Chain = defineSchema({
    a: int(),
    b: int({ compute: ({ a }: { readonly a: number }) => a + 1 }),
    c: int({ compute: ({ b }: { readonly b: number }) => b + 1 }),
    d: string({ compute: (record: { readonly c: number }) => `${record.c}` }),
  });
  const message = (name: string, read: string) =>
    `records[0].${name}: its function reads "${read}", which is computed, too; compute it from stored fields`;
  expect(thrownBy(InputError, () => createCollection(Chain, [{ a: 1 }])).message).toBe(
    message("c", "b"),
  );
});

test("a computed field can be unique, and records are found and replaced by it", () => {
  const User = defineSchema(
    {
      id: int({ unique: true }),
      profile: json<{ readonly email?: string; readonly name: string }>(),
    },
    { computed: { email: string({ nullable: true, unique: true, path: ["profile", "email"] }) } },
  );
  const users = createCollection(User, [
    { id: 1, profile: { email: "a@b", name: "A" } },
    { id: 2, profile: { name: "B" } },
    { id: 3, profile: { name: "C" } },
  ]);
  expect(users.get("email", "a@b")?.id).toBe(1);
  const again = { id: 4, profile: { email: "a@b", name: "D" } };
  expect(thrownBy(InputError, () => users.insert(again)).message).toBe(
    'record.email: "a@b" is already used by another record',
  );
  expect(users.upsert(again, "email").query({ sortBy: "id", limit: 1 })).toEqual([again]);
  expect(thrownBy(InputError, () => users.upsert(again, "email", { merge: true })).path).toBe(
    "field",
  );
  expect(users.withPatches((all) => all.upsert({ ...again, id: 1 }, "id")).patches).toEqual([
    expect.objectContaining({ path: [1, "profile"] }),
  ]);
});

test("Standard Schema: validation computes, and returns the record without computed fields", () => {
  const { validate } = Tree["~standard"];
  expect(validate(next)).toEqual({ value: next });
  const refused = (issue: string, name: string) => ({ issues: [{ message: issue, path: [name] }] });
  expect(validate({ ...next, b: 4 })).toEqual(
    refused("is computed from the rest of the record; leave it out", "b"),
  );
  expect(validate({ ...next, id: 9 })).toEqual(
    refused("is computed, and its function threw an error: boom", "double"),
  );
});

test("inputRecord makes records that a schema with paths accepts, and none gives a computed field", () => {
  const Paths = defineSchema(
    { a: json({ nullable: true }), id: int() },
    {
      computed: {
        b: int({ path: ["a", "b"] }),
        c: string({ nullable: true, path: ["a", "c", "d"] }),
      },
    },
  );
  fc.assert(
    fc.property(inputRecords(Paths), (records) => {
      expect(createCollection(Paths, records).size).toBe(records.length);
      expect(records.every((each) => !("b" in each) && !("c" in each))).toBe(true);
    }),
    settings(50),
  );
});
