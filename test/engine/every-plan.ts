// The main property of the engine: every plan that the optimizer can make for a query, not only the chosen one, gives
// the same records in the same order as a filter by the predicate, a stable sort and a slice.

import fc from "fast-check";
import { expect } from "vitest";
import { collect } from "../../src/collection/create.ts";
import { planning } from "../../src/engine/execution/planning.ts";
import { Codec } from "../../src/engine/columns/codec.ts";
import { parseQuery } from "../../src/engine/query.ts";
import {
  defineSchema,
  formatPlan,
  int,
  operatorsOf,
  string,
  strings,
  type InputOf,
  type Taken,
} from "../../src/index.ts";
import { inOrder } from "../../src/testing/reference-page.ts";
import { predicatePage, textFormOf } from "../reference-page.ts";
import { untyped } from "../rules/fixtures.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { tuned } from "../tuned.ts";
import { answerOfPlanner, answersOfEveryPlan } from "./plans.ts";

const Row = defineSchema({
  id: int(),
  text: string({ nullable: true }),
  number: int({ nullable: true }),
  group: string(),
  same: string({ default: "same" }),
  hidden: string({ nullable: true, stored: false }),
  tags: strings({ nullable: true }),
  labels: strings({ stored: false, default: [] }),
});
type RowInput = InputOf<typeof Row>;

const strict = {
  maxCriteria: 1000,
  maxValues: 1000,
  unknownOperator: "error",
  finder: planning,
} as const;

/** Prefixes of each other, the ends of the planes, astral and combining characters, NUL. */
const words = fc.oneof(
  fc.constantFrom("", "a", "ab", "abc", "abcd", "abca", "bcd", "\u0000", "a\u0000", "0", "10", "9"),
  fc.constantFrom(
    "\uffff",
    "\ue000",
    "\u{10000}",
    "\u{1f3fe}",
    "\u{1f3ff}",
    "\u{1f601}x",
    "é",
    "e\u0301",
    "Ā",
  ),
  fc.string({ unit: fc.constantFrom("a", "b", "c", "\u{1f600}", "\uffff", "é"), maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 6 }).filter((text) => text.isWellFormed()),
);
const integers = fc.oneof(
  fc.integer({ min: -12, max: 12 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 2 ** 32, -(2 ** 32), 2 ** 31),
  fc.maxSafeInteger(),
);
/** Often the same few, in any order and again. */
const arrays = fc.array(fc.oneof(fc.constantFrom("a", "b", "ab", "", "a,b", '"]'), words), {
  maxLength: 4,
});
const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 5 });

const rowOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Omit<RowInput, "id">> =>
  fc.record({
    text: nullable(text),
    number: nullable(integers),
    group: fc.constantFrom("x", "y", ""),
    hidden: nullable(text),
    tags: nullable(arrays),
    labels: arrays,
  });

/** Mostly duplicates, all distinct, or one distinct value. */
const inputs = fc
  .oneof(
    fc.array(rowOf(words), { maxLength: 60 }),
    fc.array(rowOf(fc.constantFrom("abc", "abcabc", "xabcx")), { maxLength: 120 }),
    fc.array(rowOf(words), { minLength: 1, maxLength: 8 }).map((few) =>
      // Enough rows for every batch size and every way to hold a set.
      Array.from({ length: 900 }, (_, i) => ({
        ...few[i % few.length],
        group: few[i % few.length]?.group ?? "",
      })),
    ),
    fc.array(words, { minLength: 1, maxLength: 12 }).map((parts) =>
      Array.from({ length: 700 }, (_, i) => ({
        text: (parts[i % parts.length] ?? "") + String((i * 7919) % 700).padStart(3, "0"),
        hidden: `${(i * 31) % 700}${parts[(i * 3) % parts.length] ?? ""}`,
        number: ((i * 104729) % 1000) - 500,
        group: i % 3 === 0 ? "x" : "y",
        tags: [String(i % 7), ...(i % 11 === 0 ? ["a", String(i)] : [])],
        labels: i % 5 === 0 ? parts : [],
      })),
    ),
  )
  .map((rows): RowInput[] => rows.map((row, id) => ({ ...row, id })));

const SORTED = ["text", "number", "group", "same", "hidden"] as const;
const FIELDS = [...SORTED, "tags", "labels"] as const;

/** Each field with each operator that it has; text has the most ways to be searched, and is drawn twice as often. */
const choices = [...FIELDS, "text" as const, "hidden" as const].flatMap((field) =>
  operatorsOf(Row, field).map(({ name, takes }) => ({ field, name, takes })),
);

function criterionOn(rows: readonly RowInput[]) {
  return fc
    .tuple(
      fc.constantFrom(...choices),
      fc.nat(),
      fc.nat({ max: 6 }),
      fc.nat({ max: 6 }),
      words,
      integers,
    )
    .chain(([{ field, name, takes }, pick, from, length, word, integer]) => {
      const given = rows[pick % rows.length]?.[field] ?? null;
      const elements: readonly string[] = typeof given === "object" && given !== null ? given : [];
      const value = typeof given === "object" ? null : given;
      const known = value === null ? word : String(value);
      // Whole characters: half of one is not a value of a criterion (C13).
      const part = (start: number, end?: number) => Array.from(known).slice(start, end).join("");
      const text = fc.constantFrom(
        known,
        part(0, length),
        part(from),
        part(from, from + length),
        // Long enough for trigrams, and drawn twice as often.
        part(from, from + length + 3),
        part(from, from + length + 3),
        word,
      );
      const { type } = Row.fields[field];
      const number = fc.constantFrom(integer, ...(typeof value === "number" ? [value] : []));
      const scalar = fc.oneof(
        // A field of numbers is compared with nothing else (C5a).
        { weight: 5, arbitrary: type === "int" ? number : text },
        { weight: 1, arbitrary: fc.constant(null) },
      );
      const bound: fc.Arbitrary<string | number> = type === "string" ? text : number;
      const operands: Readonly<Record<Taken, fc.Arbitrary<unknown>>> = {
        value: type === "strings" ? fc.constant(null) : scalar,
        text,
        bound,
        range: fc.tuple(bound, bound).map((both) => inOrder(Row.fields[field], both)),
        values: fc.array(scalar, { maxLength: 4 }),
        element: fc.constantFrom(word, ...elements),
        elements: fc.array(fc.constantFrom(word, ...elements), { maxLength: 4 }),
      };
      return fc.tuple(fc.constant(field), fc.constant(name), operands[takes]);
    });
}

function criteriaOn(rows: readonly RowInput[]) {
  const group = fc.array(criterionOn(rows), { minLength: 1, maxLength: 3 });
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.tuple(group) },
      { weight: 3, arbitrary: fc.array(group, { maxLength: 3 }) },
      // Alone, a criterion has the most paths of its own, and none has some, too.
      { weight: 2, arbitrary: fc.tuple(fc.tuple(criterionOn(rows))) },
      { weight: 2, arbitrary: fc.constant([]) },
    )
    .map(joined);
}

const joined = (groups: readonly (readonly unknown[])[]): unknown[] =>
  groups.flatMap((each, i) => (i === 0 ? each : ["OR", ...each]));

/** Criteria with groups in groups, and `"NOT"` before some of both. */
function treeOn(rows: readonly RowInput[]): fc.Arbitrary<unknown[]> {
  const { tree } = fc.letrec<{ tree: unknown[]; part: unknown[] }>((tie) => ({
    tree: fc
      .array(fc.array(tie("part"), { minLength: 1, maxLength: 3 }), { maxLength: 3 })
      .map((groups) => joined(groups.map((parts) => parts.flat(1)))),
    part: fc
      .tuple(
        fc.boolean(),
        fc.oneof({ depthSize: "small", withCrossShrink: true }, criterionOn(rows), tie("tree")),
      )
      .map(([negates, part]) => (negates ? ["NOT", part] : [part])),
  }));
  return tree;
}

const count = fc.option(fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 1000 })), {
  nil: undefined,
  freq: 2,
});

/** All of them more often than some: where an index is missing, all plans are the same. */
const mostOf = <T>(all: readonly T[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(all) }, fc.subarray([...all]));

const order = fc.constantFrom("ASC", "DESC");

const scenario = inputs.chain((rows) =>
  fc.record({
    rows: fc.constant(rows),
    criteria: fc.oneof({ weight: 3, arbitrary: criteriaOn(rows) }, treeOn(rows)),
    sorted: fc.oneof(
      fc.constant({}),
      fc.record({ sortBy: fc.constantFrom("id", ...SORTED), sortOrder: order }),
      fc.record({
        sort: fc.uniqueArray(fc.tuple(fc.constantFrom("id", ...SORTED), order), {
          selector: ([field]) => field,
          minLength: 2,
          maxLength: 4,
        }),
      }),
    ),
    limit: count,
    offset: count,
    // A page in insertion order may begin after a key, which is an id here.
    after: fc.option(fc.nat({ max: rows.length }), { nil: -1 }),
    // As objects, or as columns of a file.
    opening: fc.option(fc.constantFrom(...reopenings), { nil: undefined }),
    prepared: mostOf(FIELDS),
    trigrams: mostOf(["text", "number", "hidden"] as const),
    compounds: fc.array(fc.shuffledSubarray([...SORTED], { minLength: 2, maxLength: 3 }), {
      maxLength: 3,
    }),
    // The share of records that is there from the start: the others are inserted, many or few.
    early: fc.constantFrom(1, 0.7, 0.95),
    // Whether the query is also asked before the last record comes.
    isRepeated: fc.boolean(),
    // Whether its texts are searched for alone before, and shorter ones, so that all their rows are kept.
    isSearched: fc.boolean(),
    // Ids of records that are removed again, so that indexes have dead rows.
    removed: fc.oneof(
      fc.constant<number[]>([]),
      fc.constant(rows.map(({ id }) => Number(id))),
      fc.array(fc.nat({ max: Math.max(0, rows.length - 1) }), { maxLength: 40 }),
    ),
  }),
);

/** The searches of criteria, each for its text and for all of it but the first character. */
const searchesIn = (criteria: readonly unknown[]) =>
  criteria.flatMap((criterion) => {
    const [field, name, text] = Array.isArray(criterion) ? (criterion as unknown[]) : [];
    if ((name !== "contains" && name !== "ends_with") || typeof text !== "string") return [];
    return [text, Array.from(text).slice(1).join("")].map((part) => [field, name, part]);
  });

/** The access paths of the plans that ran so far. */
export const pathsThatRan = new Set<string>();

export const everyPlanAgrees = fc.property(scenario, (drawn) => {
  const { rows, opening, criteria, sorted, limit, offset, prepared, trigrams } = drawn;
  const afterKey = "sort" in sorted || "sortBy" in sorted ? -1 : drawn.after;
  const { early, isRepeated, isSearched, removed, compounds } = drawn;
  using _ = tuned({ fewValues: 3, rarePart: 1, sizeRatio: 1, compoundShare: 0, leastCharged: 0 });
  const first = rows.slice(0, Math.ceil(rows.length * early));
  const made = collect(new Codec(Row), strict, (loader) => loader.add(first));
  const asked = { criteria, ...sorted, limit, offset };
  const query = { ...parseQuery(Row, asked, strict), afterKey };
  const almost = (opening === undefined ? made : reopened(made, opening))
    .prepare({ match: prepared, contains: trigrams, compound: untyped(compounds) })
    .insert(rows.slice(first.length, -1));
  if (isRepeated) answerOfPlanner(almost.state.snapshot, query);
  for (const criterion of isSearched ? searchesIn(criteria) : []) {
    answerOfPlanner(almost.state.snapshot, parseQuery(Row, { criteria: [criterion] }, strict));
  }
  const collection = almost
    .insert(rows.slice(Math.max(first.length, rows.length - 1)))
    .remove([["id", "in", removed]]);
  const { snapshot } = collection.state;
  expect(formatPlan(collection.explain(untyped(asked)))).not.toMatch(/NaN|Infinity/);

  const left = rows.filter(({ id }) => !removed.includes(Number(id)) && Number(id) > afterKey);
  const flat = left.map((row) => textFormOf(Row, row));
  const ids = predicatePage(Row, flat, asked).map(({ id }) => Number(id));

  for (const { plans, records } of [
    ...answersOfEveryPlan(snapshot, query),
    answerOfPlanner(snapshot, query),
    // With what the first one has built.
    answerOfPlanner(snapshot, query),
  ]) {
    const answer = records.map(({ id }) => Number(id));
    const paths = plans.flatMap(({ source, order, filters }) => [
      `source ${source.step.path}`,
      `order ${order.path}`,
      ...filters.map(({ step }) => `filter ${step.path}`),
    ]);
    expect(answer, paths.join(", ")).toEqual(ids);
    for (const { rows, cost } of plans) expect(Number.isFinite(rows + cost)).toBe(true);
    for (const path of paths) pathsThatRan.add(path);
  }
});
