// The main property of changes and caches: whatever has happened to a collection, each result equals that of a new
// collection of the same records. A walk changes a collection at random, and runs a few queries on its versions again
// and again, including old ones.

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  boolean,
  createCollection,
  defineSchema,
  float,
  formatPlan,
  int,
  string,
  strings,
  type Collection,
  type Page,
  type Patches,
} from "../../src/index.ts";
import { criteria, query } from "../../src/testing/index.ts";
import { stringsOfOneHash } from "../engine/adversaries.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { smallest, tuned, usual } from "../tuned.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  code: string({ unique: true, nullable: true, ignoreCase: true }),
  text: string({ nullable: true }),
  // Equal to `text` in most walks, so that they share an index until a change parts them.
  twin: string({ nullable: true }),
  folded: string({ ignoreCase: true }),
  hidden: string({ nullable: true, stored: false }),
  number: int({ nullable: true }),
  amount: float(),
  isOpen: boolean({ nullable: true }),
  tags: strings({ nullable: true }),
  labels: strings({ stored: false, default: ["x"] }),
  group: string(),
  "0": int(),
  "2024": string({ nullable: true }),
  ["__proto__"]: string(),
});
type Rows = Collection<typeof Row>;
type Given = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;
type Field = keyof typeof Row.fields;

const FIELDS = Object.keys(Row.fields) as Field[];
const SORTED = FIELDS.filter((name) => name !== "tags" && name !== "labels");
const TEXTS = ["text", "twin", "folded", "hidden", "2024", "__proto__", "code"] as const;
const NUMBERS = ["id", "number", "amount", "0"] as const;
/** Fields of few values: criteria on several of them select many records. */
const FEW = ["number", "0", "isOpen", "text", "group"] as const;

// ---- Records ----

/**
 * Prefixes, suffixes and substrings of each other; the ends of the planes; names of which an object has members; texts
 * of one hash.
 */
const words = fc.constantFrom(
  ...stringsOfOneHash(1),
  ...[
    "",
    "a",
    "b",
    "ab",
    "abc",
    "cabc",
    "abcabc",
    "A",
    "aB",
    "0",
    "2024",
    "__proto__",
    "constructor",
  ],
  ...[
    "\u0000",
    "a\u0000",
    "é",
    "e\u0301",
    "İ",
    "ß",
    "σ",
    "ς",
    "\ue000",
    "\uffff",
    "\u{10000}",
    "\u{1f600}ab",
  ],
);
const integers = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: -3, max: 9 }) },
  fc.constantFrom(Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 2 ** 32, -(2 ** 31)),
);
const floats = fc.constantFrom(0, 0.5, -0.5, 1, 2.25, 1e300, -1e-300, 9);

/** Few elements, in any order and again. */
const arrays = fc.array(fc.oneof(fc.constantFrom("a", "b", "x"), words), { maxLength: 3 });

const values = {
  text: fc.option(words),
  twin: fc.option(words),
  folded: words,
  hidden: fc.option(words),
  number: fc.option(integers, { freq: 2 }),
  amount: floats,
  isOpen: fc.option(fc.boolean()),
  tags: fc.option(arrays),
  labels: arrays,
  group: fc.constantFrom("x", "y", ""),
  "0": fc.constantFrom(0, 1, -1),
  "2024": fc.option(words),
};
const inherited = words.map((word) => ["__proto__", word] as const);

/** Members of its own, `__proto__` among them. */
const withInherited = (members: object, entry: readonly [string, string]): Given =>
  Object.fromEntries([...Object.entries(members), entry]) as Given;
const value: fc.Arbitrary<Given> = fc
  .tuple(fc.record(values), inherited, fc.boolean())
  .map(([members, entry, isTwin]) =>
    withInherited({ ...members, ...(isTwin ? { twin: members.text } : {}) }, entry),
  );

const CODES = ["", "__proto__", "constructor", "0", "2024", "é", "\u{1f600}", null] as const;
const codeOf = (id: number) =>
  (id < CODES.length ? CODES[id] : `${"aA"[id % 2] ?? ""}${id}`) ?? null;

const numbered = (record: Given | undefined, id: number): Given =>
  withInherited({ ...record, id, code: codeOf(id) }, [
    "__proto__",
    String(record?.__proto__ ?? ""),
  ]);

/** A few; many of a few; many that differ in nearly everything. With null, these have whole words of 32 codes. */
const initial = fc
  .oneof(
    { withCrossShrink: true },
    { weight: 1, arbitrary: fc.array(value, { maxLength: 20 }) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          fc.array(value, { minLength: 1, maxLength: 9 }),
          fc.constantFrom(63, 64, 160, 160, 300, 600),
        )
        .map(([few, count]) => Array.from({ length: count }, (_, i) => few[(i * 7) % few.length])),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.array(value, { minLength: 1, maxLength: 9 }),
          fc.constantFrom(95, 191),
          fc.boolean(),
        )
        .map(([few, count, isRising]) =>
          Array.from({ length: count }, (_, i) => {
            const record = few[i % few.length];
            const text = `${String(record?.text ?? "")}${(i * 7919) % count}`;
            // That of the first record, which changes often, is the lowest or the highest.
            const number = ((i * 31) % count) - 9;
            const twin = text;
            const hidden = `${i}${text}`;
            const tags = [String(i), "x"];
            return { ...record, text, tags, twin, hidden, number: isRising ? number : -number };
          }),
        ),
    },
  )
  .map((records) => records.map(numbered));

// ---- Questions ----

/** What is asked of a collection: its text, and how. */
interface Question extends fc.WithToStringMethod {
  readonly text: string;
  readonly of: (rows: Rows) => unknown;
}
const question = (of: (rows: Rows) => unknown, ...parts: unknown[]): Question => {
  const text = JSON.stringify(parts);
  return { text, of, [fc.toStringMethod]: () => text };
};

interface PageQuery {
  readonly criteria?: unknown;
  readonly sort?: unknown;
  readonly sortBy?: unknown;
  readonly sortOrder?: unknown;
}

/** The records of all pages of a query, and where each page ends. */
function walked(rows: Rows, query: PageQuery & { readonly limit: number }): unknown[] {
  const found: unknown[] = [];
  let after: string | null = null;
  do {
    const page: Page<unknown> = rows.page(untyped({ ...query, after }));
    found.push(...page.records, page.next === null ? "end" : "next");
    after = page.next;
  } while (after !== null);
  return found;
}

const pageOf = (page: unknown) => question((rows) => rows.query(untyped(page)), "query", page);
const walkOf = ({ criteria, sort, sortBy, sortOrder }: PageQuery) => {
  const asked = { criteria, sort, sortBy, sortOrder, limit: 7 };
  return question((rows) => walked(rows, asked), "pages", asked);
};
const countOf = (chosen: unknown) =>
  question((rows) => rows.count(untyped(chosen)), "count", chosen);
const valuesOf = (...asked: unknown[]) =>
  question((rows) => rows.countBy(...(asked as [never, never, never])), "countBy", ...asked);
const histogramOf = (field: string, options: object) =>
  question((rows) => rows.histogram(untyped(field), untyped(options)), "histogram", field, options);
const summaryOf = (...asked: unknown[]) =>
  question((rows) => rows.summary(...(asked as [never, never, never])), "summary", ...asked);

const searches = ["contains", "ends_with"] as const;
const whole = fc.constantFrom("number", "number", "id", "0");
const bins = fc.integer({ min: 1, max: 30 });
const ends = fc
  .tuple(integers, integers)
  .map((pair) => pair.toSorted((a, b) => a - b))
  .map(([from, to]) => ({ from, to }));
const anyField = fc.constantFrom(...FIELDS);
const sortedField = fc.constantFrom(...SORTED);
const order = fc.constantFrom("ASC", "DESC");
const small = fc.constantFrom(0, 1, 2, 3, 5, 8, 30);

const summarize = fc.constantFrom(...NUMBERS);
const totals = fc.record(
  {
    limit: small,
    order: fc.constantFrom("value", "count", "sum", "minimum", "maximum", "mean"),
    ascending: fc.boolean(),
    summarize,
  },
  { requiredKeys: ["summarize"] },
);
const prefixes = fc.record(
  { prefix: fc.integer({ min: 1, max: 3 }), order: fc.constantFrom("value", "count"), summarize },
  { requiredKeys: ["prefix"] },
);
/** Not too many steps. */
const calendar = fc
  .record(
    {
      step: fc.constantFrom("day", "week", "month", "quarter", "year"),
      summarize,
      days: fc.nat({ max: 100 }),
    },
    { requiredKeys: ["step", "days"] },
  )
  .map(({ days, ...steps }) => ({ ...steps, unit: "seconds", from: 0, to: days * 86_400 }));

function questions(records: readonly Given[]): fc.Arbitrary<Question[]> {
  const search = fc
    .tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...searches, "starts_with", "exactly"), words)
    .map((criterion) => [criterion]);
  const some = fc.oneof(criteria(Row, { records: untyped(records) }), search);
  const selection = fc.option(some, { nil: undefined, freq: 4 });
  // Of several fields, which an index of all of them answers: many records, and pages deep in these.
  const bound = fc.constantFrom("at_least", "less_than", "exactly", "not");
  const together = fc.uniqueArray(
    fc.oneof(
      fc.tuple(fc.constantFrom("number", "0"), bound, fc.integer({ min: -3, max: 9 })),
      fc.tuple(fc.constantFrom("text", "group"), bound, words),
      fc.tuple(fc.constant("isOpen"), fc.constantFrom("exactly", "not"), fc.boolean()),
    ),
    { selector: ([field]) => field, minLength: 1, maxLength: 3 },
  );
  const pages = fc.oneof(
    query(Row, { records: untyped(records) }),
    fc.record({
      criteria: together,
      sortBy: sortedField,
      sortOrder: order,
      offset: fc.nat({ max: 60 }),
      limit: small,
    }),
    // The first records in an order, and more of them.
    fc.record({ sortBy: sortedField, sortOrder: order, limit: small }),
    // Somebody who types, and turns pages.
    fc.record({ criteria: search, limit: small, offset: small }, { requiredKeys: ["criteria"] }),
    fc.record({
      criteria: selection,
      sort: fc.uniqueArray(fc.tuple(sortedField, order), {
        selector: ([field]) => field,
        minLength: 1,
        maxLength: 2,
      }),
      offset: fc.constantFrom(0, 7, 40, 90),
      limit: small,
    }),
  );
  const listing = fc.record(
    { limit: small, order: fc.constantFrom("value", "count"), ascending: fc.boolean() },
    { requiredKeys: [] },
  );
  const any = fc.oneof(
    { weight: 6, arbitrary: pages.map(pageOf) },
    { weight: 2, arbitrary: pages.map(walkOf) },
    selection.map(countOf),
    together.map(countOf),
    fc
      .tuple(anyField, selection, fc.option(listing, { nil: undefined }))
      .map((asked) => valuesOf(...asked)),
    fc
      .tuple(whole, bins, selection, fc.option(ends, { nil: undefined }))
      .map(([field, bins, chosen, ends]) =>
        histogramOf(field, { bins, criteria: chosen, ...ends }),
      ),
    fc.tuple(fc.constantFrom(...NUMBERS), selection).map((asked) => summaryOf(...asked)),
    fc
      .tuple(anyField, selection, fc.option(totals, { nil: undefined }))
      .map((asked) => valuesOf(...asked)),
    fc.tuple(fc.constantFrom(...TEXTS), selection, prefixes).map((asked) => valuesOf(...asked)),
    fc
      .tuple(fc.constantFrom("id", "number", "amount"), selection, calendar)
      .map(([field, chosen, steps]) => histogramOf(field, { ...steps, criteria: chosen })),
    fc
      .tuple(fc.constantFrom(...NUMBERS), selection, fc.constantFrom(0, 0.5, 0.99))
      .map(([field, chosen, share]) => summaryOf(field, chosen, { quantiles: [share] })),
    fc.tuple(anyField, selection).map((asked) => summaryOf(...asked)),
    fc
      .nat({ max: 320 })
      .map((id) =>
        question(
          (rows) => [rows.get("id", id), rows.get("code", codeOf(id)), rows.get("code", `a${id}`)],
          "get",
          id,
        ),
      ),
    pages.map((page) =>
      question(
        (rows) => {
          const plan = rows.explain(untyped(page), { analyze: true });
          const isSound = plan.estimatedRows >= 0 && plan.estimatedMilliseconds >= 0;
          return [plan.actualRows, isSound, /NaN|Infinity/.test(formatPlan(plan))];
        },
        "explain",
        page,
      ),
    ),
    fc
      .integer({ min: -320, max: 320 })
      .map((at) => question((rows) => [rows.at(at), rows.size, [...rows].at(at)], "at", at)),
  );
  // Questions that differ in little, so that the kept answer of one would be wrong for another. First, facets.
  const facets = fc
    .tuple(whole, anyField, some, bins, ends)
    .map(([field, other, chosen, bins, ends]) => [
      summaryOf(field),
      valuesOf(field),
      histogramOf(field, { bins }),
      histogramOf(field, { bins, ...ends }),
      histogramOf(field, { bins, criteria: chosen }),
      summaryOf(field, chosen),
      summaryOf("amount"),
      summaryOf(other),
      summaryOf(field, undefined, { quantiles: [0.5] }),
      histogramOf(field, { bins, summarize: "amount" }),
      valuesOf(other),
      valuesOf(other, chosen),
    ]);
  // A text that is typed, its count, charts and pages.
  const known = records.flatMap((each) => TEXTS.map((name) => each[name] ?? ""));
  const typing = fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...TEXTS), { minLength: 2, maxLength: 2 }),
      fc.oneof(words, fc.constantFrom("", ...known).map(String)),
      some,
    )
    .map(([[field, other], word, chosen]) => {
      const characters = Array.from(word);
      const [start, end] = [characters.slice(0, -1).join(""), characters.slice(1).join("")];
      const has = (text: string, name = field) => [[name, "contains", text]];
      const endsWith = (text: string) => [[field, "ends_with", text]];
      return [
        countOf(has(start)),
        countOf(has(word)),
        countOf(has(end)),
        countOf(endsWith(end)),
        countOf(endsWith(word)),
        countOf(has(word, other)),
        countOf([...has(word), ...chosen]),
        valuesOf("group", has(word)),
        pageOf({ criteria: has(word), sortBy: "number", limit: 5 }),
        pageOf({ criteria: has(word), sortBy: other }),
        pageOf({ criteria: has(word), limit: 2 }),
        pageOf({ criteria: has(word), offset: 1 }),
        walkOf({ criteria: has(word) }),
      ];
    });
  const related = fc
    .oneof(facets, typing)
    .chain((all) => fc.shuffledSubarray(all, { minLength: 3, maxLength: all.length }));
  return fc.oneof(
    { weight: 2, arbitrary: fc.array(any, { minLength: 1, maxLength: 6 }) },
    {
      weight: 3,
      arbitrary: fc.tuple(related, fc.array(any, { maxLength: 2 })).map((both) => both.flat()),
    },
  );
}

// ---- Changes ----

/** A version of the collection, and the records that it should have. */
interface Version {
  readonly rows: Rows;
  readonly records: readonly Given[];
  /** What a new collection of these records answers to each question. */
  readonly answers: Map<Question, unknown>;
}

/** A change that can be undone. */
interface Done extends Patches {
  readonly before: Version;
}

/** A collection made anew, without indexes and segments: each record is checked with the predicate. */
function ofNew<Result>(records: readonly Given[], answer: (rows: Rows) => Result): Result {
  using _ = tuned({ ...usual, fewRows: Infinity });
  return answer(createCollection(Row, untyped(records), { indexes: "none" }));
}

function expectAnswer({ rows, records, answers }: Version, asked: Question): void {
  if (!answers.has(asked)) answers.set(asked, ofNew(records, asked.of));
  const found = asked.of(rows);
  // An expectation takes longer than most questions.
  if (isDeepStrictEqual(found, answers.get(asked))) {
    // An answer that can be changed is the caller's: the next one is as it was.
    if (Array.isArray(found) && !Object.isFrozen(found)) found.length = 0;
    return;
  }
  expect(found, asked.text).toEqual(answers.get(asked));
  throw new Error(`an answer differs in more than an expectation sees: ${asked.text}`);
}

/** Makes another version: the changed collection with the patches, and the records that it and those in between should have. */
interface Change {
  readonly text: string;
  readonly rows: (rows: Rows, next: number) => ReturnType<Rows["withPatches"]>;
  readonly records: (records: readonly Given[], next: number) => readonly (readonly Given[])[];
}

const selectedIds = (records: readonly Given[], chosen: unknown) =>
  new Set(ofNew(records, (rows) => rows.query({ criteria: untyped(chosen) }).map(({ id }) => id)));
const hasId = (ids: ReadonlySet<number>, { id }: Given) => ids.has(Number(id));

function changes(records: readonly Given[]): fc.Arbitrary<Change & fc.WithToStringMethod> {
  const one = oneChange(records);
  const several = fc.array(one, { minLength: 2, maxLength: 3 }).map((made): Change => ({
    text: made.map(({ text }) => text).join(", then "),
    rows: (rows, next) =>
      rows.withPatches((all) =>
        made.reduce((before, { rows }, i) => rows(before, next + i * 100).collection, all),
      ),
    records(before, next) {
      const states = [before];
      for (const { records } of made)
        states.push(...records(states.at(-1) ?? [], next + states.length * 100 - 100));
      return states.slice(1);
    },
  }));
  return fc
    .oneof({ weight: 3, arbitrary: one }, { weight: 1, arbitrary: several })
    .map((change) => ({ ...change, [fc.toStringMethod]: () => change.text }));
}

/**
 * What patches name, in no order: each record that is another, and no other record. One that was not there in between
 * goes and comes, since it got another place.
 */
function namedBetween(states: readonly (readonly Given[])[]): string[] {
  const byId = states.map((records) => new Map(records.map((each) => [each.id, each])));
  const [first, last] = [byId[0], byId.at(-1)];
  const named: string[] = [];
  for (const id of new Set([...(first?.keys() ?? []), ...(last?.keys() ?? [])])) {
    const [before, after] = [first?.get(id), last?.get(id)];
    if (before !== undefined && after !== undefined && byId.every((records) => records.has(id))) {
      if (!hasSameValues(before, after)) named.push(`change ${String(id)}`);
      continue;
    }
    if (before !== undefined) named.push(`remove ${String(id)}`);
    if (after !== undefined) named.push(`add ${String(id)}`);
  }
  return named.toSorted();
}

const hasSameValues = (a: Given, b: Given) =>
  a === b || FIELDS.every((name) => isDeepStrictEqual(a[name] ?? null, b[name] ?? null));

function namedIn(patches: Patches["patches"]): string[] {
  const named = patches.map(({ op, path }) => `${path.length > 1 ? "change" : op} ${path[0]}`);
  return [...new Set(named)].toSorted();
}

function oneChange(records: readonly Given[]): fc.Arbitrary<Change> {
  // The same few again and again, and any; the last ones were inserted, if they are there.
  const id = fc.oneof(fc.nat({ max: 9 }), fc.nat({ max: 320 }));
  const anyId = fc.oneof(id, fc.integer({ min: 2000, max: 2009 }));
  const selection = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.array(anyId, { minLength: 1, maxLength: 5 }).map((ids) => [["id", "in", ids]]),
    },
    {
      weight: 1,
      arbitrary: fc.nat({ max: 9 }).map((number) => [["number", "greater_than", number]]),
    },
    { weight: 1, arbitrary: criteria(Row, { records: untyped(records) }) },
  );
  const count = fc.oneof(fc.nat({ max: 3 }), fc.constantFrom(20, 70));
  const few = fc.array(value, { minLength: 1, maxLength: 4 });
  const added = (some: readonly Given[], length: number, next: number) =>
    Array.from({ length }, (_, i) => numbered(some[i % some.length], next + i));
  return fc.oneof(
    fc.tuple(few, count).map(([some, length]): Change => ({
      text: `insert ${length}`,
      rows: (rows, next) =>
        rows.withPatches((all) => all.insert(untyped(added(some, length, next)))),
      records: (before, next) => [[...before, ...added(some, length, next)]],
    })),
    {
      weight: 2,
      arbitrary: fc
        .tuple(selection, fc.record(values, { requiredKeys: [] }), fc.boolean())
        .map(([chosen, given, isRecipe]): Change => ({
          text: `update ${JSON.stringify([chosen, given, isRecipe])}`,
          rows: (rows) =>
            rows.withPatches((all) =>
              all.update(
                untyped(chosen),
                untyped(isRecipe ? (draft: object) => void Object.assign(draft, given) : given),
              ),
            ),
          records: (before) => {
            const ids = selectedIds(before, chosen);
            return [
              before.map((each) =>
                hasId(ids, each)
                  ? withInherited({ ...each, ...given }, ["__proto__", String(each.__proto__)])
                  : each,
              ),
            ];
          },
        })),
    },
    fc
      .tuple(fc.uniqueArray(id, { maxLength: 12 }), few)
      .map(
        ([ids, some]) =>
          [ids, ids.map((each, i) => numbered(some[i % some.length], each))] as const,
      )
      .map(([ids, put]): Change => ({
        text: `upsert ${JSON.stringify(ids)}`,
        rows: (rows) => rows.withPatches((all) => all.upsert(untyped(put), "id")),
        records: (before) => {
          const byId = new Map(put.map((each) => [each.id, each]));
          const kept = before.map((each) => {
            const next = byId.get(each.id ?? null);
            byId.delete(each.id ?? null);
            return next ?? each;
          });
          return [[...kept, ...byId.values()]];
        },
      })),
    selection.map((chosen): Change => ({
      text: `remove ${JSON.stringify(chosen)}`,
      rows: (rows) => rows.withPatches((all) => all.remove(untyped(chosen))),
      records: (before) => {
        const ids = selectedIds(before, chosen);
        return [before.filter((each) => !hasId(ids, each))];
      },
    })),
  );
}

/** What changes no record: indexes, segments and the kind of rows. */
const reforms = fc.oneof(
  fc
    .record({
      match: fc.subarray([...FIELDS]),
      sort: fc.subarray([...SORTED]),
      contains: fc.subarray([...TEXTS]),
      compound: fc.array(fc.shuffledSubarray([...FEW, "id"], { minLength: 2, maxLength: 3 }), {
        maxLength: 2,
      }),
    })
    .map((named) => (rows: Rows) => rows.prepare(untyped(named))),
  fc.constant((rows: Rows) => rows.compact()),
  fc.constant((rows: Rows) => {
    rows.buildDue();
    return rows;
  }),
  fc.constantFrom(...reopenings).map((way) => (rows: Rows) => reopened(rows, way)),
);

// ---- The walk ----

const walk = initial.chain((records) =>
  fc.record({
    records: fc.constant(records),
    options: fc.record({
      indexes: fc.constantFrom("auto", "auto", "deferred", "none"),
      // Of room for no index to room for several.
      indexBytes: fc.option(fc.nat({ max: 60_000 }), { nil: undefined, freq: 3 }),
    }),
    // What is found by an index is kept.
    prepared: fc.oneof(fc.constantFrom([], SORTED), fc.subarray(SORTED)),
    thresholds: fc.constantFrom(
      smallest,
      { ...smallest, fewRows: 0, sizeRatio: 1, fewValues: 0 },
      { ...usual, fewRows: 0, fewValues: 3, compoundShare: 0, leastCharged: 0 },
      { ...usual, fewValues: 3 },
      usual,
    ),
    asked: questions(records),
    steps: fc.array(
      fc.oneof(
        {
          weight: 6,
          // Mostly of the last version, and twice: what was found is kept for the next time.
          arbitrary: fc.record({
            back: fc.oneof(fc.constant(0), fc.constant(0), fc.nat()),
            which: fc.nat(),
            times: fc.integer({ min: 1, max: 4 }),
          }),
        },
        { weight: 3, arbitrary: changes(records) },
        { weight: 1, arbitrary: fc.constantFrom("undo" as const, "redo" as const) },
        { weight: 1, arbitrary: reforms },
      ),
      { minLength: 1, maxLength: 30, size: "max" },
    ),
  }),
);

test("each answer is that of a collection made anew from the same records, whatever was asked and changed", () => {
  fc.assert(
    fc.property(walk, ({ records, options, prepared, thresholds, asked, steps }) => {
      using _ = tuned(thresholds);
      const first: Rows = createCollection(Row, untyped(records), untyped(options)).prepare({
        match: prepared,
      });
      let last: Version = { rows: first, records, answers: new Map() };
      const versions = [last];
      const done: Done[] = [];
      let undone: (Done & { readonly after: Version }) | undefined;
      let next = 2000;
      const go = (rows: Rows, expected: readonly Given[]) => {
        const answers = expected === last.records ? last.answers : new Map<Question, unknown>();
        last = { rows, records: expected, answers };
        versions.push(last);
        expect(rows.size).toBe(expected.length);
      };
      for (const step of steps) {
        if (typeof step === "function") go(step(last.rows), last.records);
        else if (step === "undo") {
          const made = done.pop();
          if (made === undefined) continue;
          undone = { ...made, after: last };
          go(last.rows.applyPatches(made.inversePatches), made.before.records);
        } else if (step === "redo") {
          if (undone === undefined) continue;
          done.push(undone);
          go(last.rows.applyPatches(undone.patches), undone.after.records);
          undone = undefined;
        } else if ("back" in step) {
          const version = versions.at(-1 - (step.back % versions.length));
          for (let i = 0; i < 2 * step.times; i++) {
            const question = asked[(step.which + (i >> 1)) % asked.length];
            if (version !== undefined && question !== undefined) expectAnswer(version, question);
          }
        } else {
          const { collection, ...patches } = step.rows(last.rows, next);
          done.push({ before: last, ...patches });
          undone = undefined;
          const states = [last.records, ...step.records(last.records, next)];
          expect(namedIn(patches.patches)).toEqual(namedBetween(states));
          expect(namedIn(patches.inversePatches)).toEqual(namedBetween(states.toReversed()));
          go(collection, states.at(-1) ?? []);
          next += 300;
        }
      }
      for (const version of [last, versions[versions.length >> 1], versions[0]]) {
        if (version === undefined) continue;
        expect([...version.rows]).toEqual(ofNew(version.records, (rows) => [...rows]));
        for (const question of asked) expectAnswer(version, question);
      }
    }),
    settings(40),
  );
}, 600_000);
