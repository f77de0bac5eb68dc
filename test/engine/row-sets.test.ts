// All rows of a text search are kept as a set: counts, sums, charts and longer searches that read it give the
// predicate's answer, on each of a series of changed collections.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compileCriteria,
  createCollection,
  defineSchema,
  int,
  string,
  type Collection,
  type Criteria,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { tuned, usual } from "../tuned.ts";

const Note = defineSchema({
  id: int({ unique: true }),
  size: int({ nullable: true }),
  text: string({ nullable: true }),
  folded: string({ ignoreCase: true, default: "" }),
});

const TEXTS = ["abc", "xabc", "ABCabc", "ab", "", "bc", "𝒜bc", "c", null, "cab", "__proto__"];
const NEEDLES = ["", "a", "b", "ab", "bc", "abc", "abca", "𝒜", "C", "none"];

const noteAt = (id: number) => ({
  id,
  size: id % 5 === 0 ? null : id % 7,
  text: TEXTS[(id * 7) % TEXTS.length] ?? null,
  folded: TEXTS[(id * 3) % TEXTS.length] ?? "",
});
const notes = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => noteAt(from + i));

const criterion = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constantFrom("text" as const, "folded" as const),
      fc.constantFrom("contains" as const, "ends_with" as const),
      fc.constantFrom(...NEEDLES),
    ),
  },
  fc.tuple(fc.constant("size" as const), fc.constant("at_least" as const), fc.nat(7)),
);

const asked = fc.record({
  kind: fc.constant("ask" as const),
  of: fc.nat(8),
  criteria: fc.oneof(
    { weight: 3, arbitrary: fc.tuple(criterion) },
    fc.tuple(criterion, criterion),
    fc.tuple(criterion, fc.constant("OR" as const), criterion),
  ),
});

const change = fc.record({
  kind: fc.constantFrom("remove" as const, "alter" as const, "insert" as const),
  of: fc.nat(8),
  id: fc.nat(150),
});

/** What the predicate selects, in the forms in which it is asked for. */
function expectAnswers(items: Collection<typeof Note>, criteria: Criteria<typeof Note>): void {
  const isSelected = compileCriteria(Note, criteria);
  const selected = [...items].filter(isSelected);
  const sizes = selected.flatMap(({ size }) => (size === null ? [] : [size]));
  expect(items.count(criteria)).toBe(selected.length);
  expect(items.query({ criteria })).toEqual(selected);
  expect(items.query({ criteria, limit: 3, offset: 2 })).toEqual(selected.slice(2, 5));
  expect(items.query({ criteria, sort: [["id", "DESC"]], limit: 4 })).toEqual(
    selected.toSorted((a, b) => b.id - a.id).slice(0, 4),
  );
  expect(items.summary("size", criteria)).toMatchObject({
    count: sizes.length,
    sum: sizes.reduce((sum, size) => sum + size, 0),
  });
  const counts = new Map<number | null, number>();
  for (const { size } of selected) counts.set(size, (counts.get(size) ?? 0) + 1);
  const counted = items.countBy("size", criteria).map(({ value, count }) => [value, count]);
  expect(new Map(counted as [number | null, number][])).toEqual(counts);
}

describe("a kept set of rows", () => {
  test("answers what the predicate does, whoever asks, on each collection that changes made", () => {
    const steps = fc.array(fc.oneof({ weight: 6, arbitrary: asked }, change), {
      minLength: 2,
      maxLength: 30,
      size: "max",
    });
    fc.assert(
      fc.property(steps, fc.constantFrom("auto", "deferred"), (all, indexes) => {
        const first = createCollection(Note, notes(150), { indexes });
        const made = [first];
        let id = 1000;
        for (const step of all) {
          const items = made[step.of % made.length] ?? first;
          if (step.kind === "ask") expectAnswers(items, step.criteria);
          else if (step.kind === "remove") made.push(items.remove([["id", "exactly", step.id]]));
          else if (step.kind === "insert") made.push(items.insert(notes(5, (id += 5))));
          else made.push(items.update([["id", "exactly", step.id]], { text: "abcabc" }));
        }
      }),
      settings(60),
    );
  });

  const paths = (items: Collection<typeof Note>, text: string) => {
    const { access, filters } = items.explain({ criteria: [["text", "contains", text]] });
    return [access.path, ...filters.map(({ path }) => path)];
  };

  test("is read by the same search, and tested by a longer one; dead rows are left out", () => {
    using _ = tuned(usual);
    const items = createCollection(Note, notes(5000), { indexes: "deferred" });
    expect(paths(items, "bc")).toEqual(["scan", "test"]);
    items.count([["text", "contains", "bc"]]);
    expect(paths(items, "bc")).toEqual(["row-set"]);
    expect(paths(items, "abc")).toEqual(["row-set", "test"]);
    expect(paths(items, "c")).toEqual(["scan", "test"]);
    const fewer = items.remove([["id", "exactly", 7]]);
    expect(paths(fewer, "bc")).toEqual(["row-set", "live"]);
  });

  test("a page that was read from it is kept as a result", () => {
    using _ = tuned(usual);
    const items = createCollection(Note, notes(5000), { indexes: "deferred" });
    items.count([["text", "contains", "bc"]]);
    const query = { criteria: [["text", "contains", "bc"]], offset: 100, limit: 50 } as const;
    expect(items.explain(query).access.path).toBe("row-set");
    const page = items.query(query);
    expect(items.explain(query).access.path).toBe("kept-rows");
    expect(items.query(query)).toEqual(page);
  });

  test("is dropped for the latest four", () => {
    using _ = tuned(usual);
    const items = createCollection(Note, notes(5000), { indexes: "deferred" });
    for (const text of ["bc", "c", "x", "ca", "_"]) items.count([["text", "contains", text]]);
    expect(paths(items, "c")).toEqual(["row-set"]);
    // Of the four that are left, one is around it.
    expect(paths(items, "bc")).toEqual(["row-set", "test"]);
  });
});
