// A compound index counts rows and finds their positions like a loop over all of them.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBitset, addRow } from "../../../src/engine/algorithms/bitset.ts";
import { RankBitmap } from "../../../src/engine/algorithms/rank-bitmap.ts";
import { finish } from "../../../src/engine/algorithms/steps.ts";
import { WaveletMatrix } from "../../../src/engine/algorithms/wavelet-matrix.ts";
import { rangesOf, setOfCodes } from "../../../src/engine/indexes/code-set.ts";
import {
  combined,
  CompoundIndex,
  compoundName,
  CompoundPositions,
  fieldsOfCompound,
} from "../../../src/engine/indexes/compound-index.ts";
import type { FieldIndex } from "../../../src/engine/indexes/field-index.ts";
import {
  compileCriteria,
  createCollection,
  defineSchema,
  formatPlan,
  InputError,
  int,
} from "../../../src/index.ts";
import { parseQuery } from "../../../src/engine/query.ts";
import { answersOfEveryPlan } from "../plans.ts";
import { settings } from "../../property.ts";
import { thrownBy, untyped } from "../../rules/fixtures.ts";
import { tuned, usual } from "../../tuned.ts";
import { fieldIndexOf } from "./built.ts";

test("a rank is the number of members before a position", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (members) => {
      const bits = createBitset(members.length);
      members.forEach((isIn, position) => isIn && addRow(bits, position));
      const ranks = new RankBitmap(bits);
      for (let position = 0; position <= members.length; position++) {
        expect(ranks.rank(position)).toBe(members.slice(0, position).filter(Boolean).length);
      }
    }),
    settings(100),
  );
});

const at = (values: readonly number[], i: number): number => values[i % values.length] ?? 0;
const ascending = (a: number, b: number) => [Math.min(a, b), Math.max(a, b)] as const;

test("a wavelet matrix counts the numbers of a range at a range of positions", () => {
  const ends = fc.constantFrom(1, 2, 3, 4, 5, 8, 9, 255, 256, 257, 65_537, 2 ** 31, 2 ** 32);
  fc.assert(
    fc.property(
      ends.chain((end) =>
        fc.tuple(
          fc.constant(end),
          fc.array(
            fc
              .oneof(fc.nat({ max: Math.min(end, 2 ** 31) - 1 }), fc.constantFrom(0, end - 1))
              .map((number) => Math.min(number, end - 1)),
            { maxLength: 200 },
          ),
          fc.array(fc.tuple(fc.nat(200), fc.nat(200), fc.nat(200), fc.nat(200)), { minLength: 1 }),
        ),
      ),
      ([end, numbers, asked]) => {
        const given = Uint32Array.from(numbers);
        const matrix = finish(WaveletMatrix.building(given, end));
        expect([...given]).toEqual(numbers);
        const bounds = [...new Set([0, end, ...numbers, ...numbers.map((number) => number + 1)])];
        for (const [a, b, c, d] of asked) {
          const [low, high] = ascending(at(bounds, a), at(bounds, b));
          const [from, to] = ascending(c % (numbers.length + 1), d % (numbers.length + 1));
          const expected = numbers.slice(from, to).filter((each) => each >= low && each < high);
          expect(matrix.count(low, high, from, to)).toBe(expected.length);
        }
      },
    ),
    settings(200),
  );
});

/** The index of some numbers, of which the negative ones are null. */
const codesOf = (values: readonly number[]) =>
  fieldIndexOf(
    "int",
    values.length,
    (row) => (at(values, row) < 0 ? null : String(values[row])),
    (row) => (at(values, row) < 0 ? -Infinity : at(values, row)),
  );

describe("an index of several fields", () => {
  const columns = fc
    .record({ rows: fc.integer({ min: 1, max: 400 }), fields: fc.integer({ min: 2, max: 4 }) })
    .chain(({ rows, fields }) =>
      fc.array(
        fc
          .constantFrom(0, 1, 5, 300)
          .chain((most) =>
            fc.array(fc.integer({ min: -1, max: most }), { minLength: rows, maxLength: rows }),
          ),
        { minLength: fields, maxLength: fields },
      ),
    );
  const picked = fc.array(fc.nat(400), { minLength: 1, maxLength: 12 });

  test("counts the rows with some codes of each, and finds each of them", () => {
    fc.assert(
      fc.property(columns, fc.array(picked, { minLength: 4, maxLength: 4 }), (given, codes) => {
        const indexes = given.map(codesOf);
        const [by, ...others] = indexes as [FieldIndex, ...FieldIndex[]];
        const sets = indexes.map((index, i) => {
          const own = (codes[i] ?? []).map((code) => code % index.values.length);
          return rangesOf(setOfCodes([...new Set(own)], index.values.length)) ?? [];
        });
        const isIn = (field: number, row: number) => {
          const [index, set] = [indexes[field], sets[field] ?? []];
          const code = index?.codeAt(row) ?? -1;
          return set.some((low, i) => i % 2 === 0 && low <= code && code < (set[i + 1] ?? 0));
        };
        const compound = finish(CompoundIndex.building(others, by));
        const some = others.map((index, i) => ({ index, ranges: sets[i + 1] ?? [] }));
        const ranges = combined(some, Infinity);
        if (ranges === undefined) throw new Error("no number of ranges is too many");
        const order = [...by.order];
        const isOther = (row: number) => others.every((_, i) => isIn(i + 1, row));
        const positions = [...order.keys()].filter((position) => isOther(order[position] ?? -1));
        const both = positions.filter((position) => isIn(0, order[position] ?? -1));
        expect(compound.countBoth(ranges, by, sets[0] ?? [])).toBe(both.length);

        const found = new CompoundPositions(compound, ranges);
        expect(positions.map((_, rank) => found.select(rank))).toEqual(positions);
        for (let position = 0; position <= order.length; position++) {
          const before = positions.filter((each) => each < position);
          const next = positions.find((each) => each >= position) ?? order.length;
          expect(found.rank(position)).toBe(before.length);
          expect(found.next(position, order.length)).toBe(next);
          expect(found.previous(position)).toBe(before.at(-1) ?? -1);
          if (position < order.length) expect(found.has(position)).toBe(next === position);
        }
      }),
      settings(100),
    );
  });

  test("finds rows that are far apart, or all at one end", () => {
    const rows = 20_000;
    const by = codesOf(Array.from({ length: rows }, (_, row) => row));
    for (const isIn of [
      (row: number) => row === 7 || row === 15_000,
      (row: number) => row >= rows - 300,
      (row: number) => row < 300,
      (row: number) => row % 5000 < 2,
    ]) {
      const field = codesOf(Array.from({ length: rows }, (_, row) => (isIn(row) ? 1 : 0)));
      const index = finish(CompoundIndex.building([field], by));
      const positions = [...Array(rows).keys()].filter(isIn);
      const found = new CompoundPositions(index, [2, 3]);
      const walked: number[] = [];
      for (let at = found.next(0, rows); at < rows; at = found.next(at + 1, rows)) walked.push(at);
      expect(walked).toEqual(positions);
      const back: number[] = [];
      for (let at = found.previous(rows); at >= 0; at = found.previous(at)) back.push(at);
      expect(back.reverse()).toEqual(positions);
      expect(positions.map((_, rank) => found.select(rank))).toEqual(positions);
      expect(found.next(8, 100)).toBe(isIn(8) ? 8 : 100);
    }
  });

  test("has a name from which its fields can be read, whatever they are called", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.string({ unit: "binary" }),
            fc.constantFrom("1 a", "__proto__", "0", " "),
          ),
          { minLength: 1, maxLength: 5 },
        ),
        (fields) => {
          expect(fieldsOfCompound(compoundName(fields))).toEqual(fields);
        },
      ),
      settings(200),
    );
  });
});

const limits = { maxCriteria: 9, maxValues: 9, unknownOperator: "error" } as const;

const Item = defineSchema({
  id: int({ unique: true }),
  a: int(),
  b: int(),
  c: int(),
});
const itemsOf = (count: number, options?: object) =>
  createCollection(
    Item,
    Array.from({ length: count }, (_, id) => ({
      id,
      a: id % 5,
      b: id % 7,
      c: (id * 7919) % count,
    })),
    untyped(options),
  );
const deep = {
  criteria: [["a", "exactly", 3]],
  sortBy: "c",
  sortOrder: "ASC",
  offset: 1500,
  limit: 3,
} as const;
const kinds = (items: ReturnType<typeof itemsOf>) =>
  items.indexes().map(({ kind, field, fields = [field] }) => `${kind} ${fields.join(" ")}`);

describe("in a collection", () => {
  const few = fc.integer({ min: 0, max: 3 });
  const change = fc.oneof(
    fc.record({ id: fc.nat(90), field: fc.constantFrom("a", "b", "c"), value: fc.nat(20) }),
    fc.record({ removed: fc.nat(90), more: fc.nat(12) }),
    fc.constantFrom("compact" as const, "back" as const),
  );

  test("serves every version as the predicate does, whatever was changed, removed and merged", () => {
    const spread = fc.array(fc.tuple(few, few, fc.nat(20)), { minLength: 20, maxLength: 90 });
    fc.assert(
      fc.property(
        spread,
        fc.array(change, { maxLength: 12 }),
        few,
        fc.nat(21),
        (rows, steps, a, c) => {
          using _ = tuned({ fewRows: 0, sizeRatio: 8 });
          const made = rows.map(([a, b, c], id) => ({ id, a, b, c }));
          let items = createCollection(Item, made, { indexes: "none" }).prepare({
            compound: [
              ["a", "c"],
              ["b", "a", "c"],
              ["a", "b"],
            ],
          });
          const versions = [items];
          const expectAll = (each: typeof items) => {
            for (const criteria of [
              [["a", "exactly", a]],
              [
                ["a", "not", a],
                ["c", "less_than", c],
              ],
              [
                ["a", "exactly", a],
                ["b", "at_least", 1],
              ],
              [
                ["b", "in", [0, 2]],
                ["a", "not", a],
              ],
            ]) {
              const query = { criteria: untyped(criteria), sortBy: "c" } as const;
              const selected = [...each].filter(compileCriteria(Item, untyped(criteria)));
              expect(each.count(untyped(criteria))).toBe(selected.length);
              for (const sign of [1, -1]) {
                const sorted = [...selected].sort((x, y) => sign * (x.c - y.c));
                const sortOrder = sign > 0 ? "ASC" : "DESC";
                for (const offset of [0, 3, 17]) {
                  const asked = parseQuery(Item, { ...query, sortOrder, offset, limit: 4 }, limits);
                  for (const { records } of answersOfEveryPlan(each.state.snapshot, asked)) {
                    expect(records).toEqual(sorted.slice(offset, offset + 4));
                  }
                }
              }
            }
          };
          for (const step of steps) {
            expectAll(items);
            if (step === "compact") items = items.compact();
            else if (step === "back") items = versions[versions.length >> 1] ?? items;
            else if ("field" in step) {
              items = items.update([["id", "exactly", step.id]], { [step.field]: step.value });
            } else {
              const { removed, more } = step;
              items = items.remove([["id", "between", [removed, removed + more]]]);
            }
            versions.push(items);
          }
          for (const each of versions) expectAll(each);
        },
      ),
      settings(60),
    );
  });

  test("is built by prepare, listed with its fields, and shown by explain", () => {
    using _ = tuned(usual);
    const items = itemsOf(10_000, { indexes: "none" }).prepare({
      compound: [
        ["a", "c"],
        ["a", "b", "c"],
      ],
    });
    expect(kinds(items)).toEqual([
      "ordered a",
      "ordered c",
      "ordered b",
      "compound a c",
      "compound a b c",
    ]);
    expect(items.explain(deep).access).toMatchObject({ path: "compound-scan", field: "c" });
    expect(formatPlan(items.explain(deep))).toMatch(/compound index scan of c: a exactly "3"/);
    const two = {
      ...deep,
      criteria: [["b", "exactly", 2], ...deep.criteria],
      offset: 200,
    } as const;
    expect(items.explain(two).access.path).toBe("compound-scan");
    const range = [...deep.criteria, ["c", "less_than", 500]] as const;
    expect(items.explainCount(range)).toMatchObject({ path: "compound", fields: ["a", "c"] });
    const three = [...range, ["b", "at_least", 3]] as const;
    expect(items.explainCount(three)).toMatchObject({ path: "compound" });
    expect(items.count(three)).toBe(items.query({ criteria: three }).length);
    const sorted = [...items].filter(({ a }) => a === 3).sort((x, y) => x.c - y.c);
    expect(items.query(deep)).toEqual(sorted.slice(1500, 1503));
  });

  test("is built once counts or deep pages have cost as much", () => {
    using _ = tuned(usual);
    for (const ask of [
      (items: ReturnType<typeof itemsOf>) => items.query(deep),
      (items: ReturnType<typeof itemsOf>) =>
        items.count([
          ["a", "at_least", 2],
          ["c", "at_least", 100],
        ]),
    ]) {
      const items = itemsOf(10_000).prepare({ match: ["a"], sort: ["c"] });
      let asked = 0;
      for (; !kinds(items).includes("compound a c") && asked < 1000; asked++) ask(items);
      expect(asked).toBeGreaterThan(1);
      expect(asked).toBeLessThan(100);
    }
  });

  test("is built again at its next use once a merge has changed an index of its fields", () => {
    using _ = tuned({ ...usual, fewRows: 3 });
    const items = itemsOf(10_000).prepare({ compound: [["a", "c"]] });
    const merged = items.update([["id", "less_than", 2000]], { a: 3 }).compact();
    const expected = [...merged].filter(({ a }) => a === 3).sort((x, y) => x.c - y.c);
    expect(merged.query(deep)).toEqual(expected.slice(1500, 1503));
    expect(merged.explain(deep).access.path).toBe("compound-scan");
    expect(items.explain(deep).access.path).toBe("compound-scan");
  });

  test("is evicted with an index of its fields, and makes room for others", () => {
    using _ = tuned(usual);
    const items = itemsOf(10_000, { indexBytes: 1_000_000 });
    const ask = () => [items.query(deep), items.count([["a", "exactly", 1]])];
    for (let i = 0; i < 400; i++) ask();
    expect(kinds(items)).toContain("compound a c");
    const small = itemsOf(10_000, { indexBytes: 0 });
    for (let i = 0; i < 400; i++) small.query(deep);
    expect(kinds(small)).toEqual([]);
    expect(small.query(deep)).toEqual(items.query(deep));
  });

  test.each<[unknown, string]>([
    ["a", 'prepare.compound: must be iterable, not "a"'],
    [["a"], 'prepare.compound: must be lists of two or more different fields, not "a"'],
    [[["a"]], "prepare.compound: must be lists of two or more different fields, not "],
    [[["a", "a"]], "prepare.compound: must be lists of two or more different fields, not "],
    [[["a", "x"]], 'prepare.compound: unknown field "x"'],
    [[["x", "a"]], 'prepare.compound: unknown field "x"'],
  ])("prepare refuses %j, and builds nothing", (compound, message) => {
    const items = itemsOf(100);
    const before = kinds(items);
    expect(
      thrownBy(InputError, () => items.prepare(untyped({ sort: ["b"], compound }))).message,
    ).toContain(message);
    expect(kinds(items)).toEqual(before);
  });
});
