// Pages deep in a selection, in the order of another field: the answer is the same with and without
// the positions of the selected rows, whatever has changed since. Also when these positions are found.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createCollection,
  defineSchema,
  int,
  string,
  type Collection,
  type CollectionOptions,
  type Query,
} from "../../src/index.ts";
import { Deadline, DeadlineError } from "../../src/collection/algorithms/deadline.ts";
import { pageOf } from "../../src/collection/execute/page.ts";
import { selectionsOf } from "../../src/collection/index/selections.ts";
import { parseQuery } from "../../src/collection/plan/query.ts";
import { settings } from "../property.ts";
import { predicatePage, wireOf } from "../reference-page.ts";
import { tuned, usual } from "../tuned.ts";

const Item = defineSchema(
  {
    id: int({ unique: true }),
    state: string({ nullable: true }),
    kind: string(),
    name: string({ nullable: true }),
    votes: int({ nullable: true }),
  },
  { form: "wire" },
);
type Item = typeof Item;

const STATES = ["open", "", "opened", null, "𝒜", "closed"];
const NAMES = ["a", "", "ab", "\u{1f600}", null, "__proto__", "0", "\uffff"];

const itemAt = (id: number) => ({
  id,
  state: STATES[(id * 7) % STATES.length] ?? null,
  kind: id % 3 === 0 ? "x" : "y",
  // Runs of many, all distinct, and null.
  name: id % 5 === 0 ? `name ${(id * 7919) % 1000}` : (NAMES[(id * 3) % NAMES.length] ?? null),
  votes: id % 11 === 0 ? null : (id * 13) % 9,
});
const items = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => itemAt(from + i));

const text = fc.constantFrom(...STATES.filter((each) => each !== null), "none");
const criterion = fc.oneof(
  fc.tuple(fc.constant("state" as const), fc.constantFrom("exactly", "not"), text),
  fc.tuple(fc.constant("state" as const), fc.constant("in"), fc.array(text, { maxLength: 4 })),
  fc.tuple(fc.constant("kind" as const), fc.constantFrom("exactly", "not"), fc.constant("x")),
  fc.tuple(fc.constant("votes" as const), fc.constantFrom("less_than", "not"), fc.nat(9)),
  fc.tuple(fc.constant("name" as const), fc.constant("starts_with"), fc.constantFrom("a", "name")),
);
const order = fc.constantFrom("ASC" as const, "DESC" as const);
const field = fc.constantFrom("name" as const, "votes" as const, "id" as const, "state" as const);
const query = fc.record({
  criteria: fc.array(criterion, { minLength: 1, maxLength: 3 }),
  sort: fc.uniqueArray(fc.tuple(field, order), {
    minLength: 1,
    maxLength: 2,
    selector: ([name]) => name,
  }),
  limit: fc.constantFrom(1, 5, 30, undefined),
  offset: fc.constantFrom(0, 1, 7, 40, 90, 500),
});
const change = fc.tuple(fc.constantFrom("remove", "alter", "insert", "compact"), fc.nat(300));
const step = fc.record({
  of: fc.nat(6),
  /** A query that is asked, or a change. */
  what: fc.oneof({ weight: 3, arbitrary: query }, change),
});

function changed(of: Collection<Item>, kind: string, id: number): Collection<Item> {
  if (kind === "remove") return of.remove([["id", "less_than", Math.floor(id / 4)]]);
  if (kind === "alter") return of.update([["votes", "exactly", id % 9]], { state: "open" });
  const last = Math.max(0, ...[...of].map((record) => Number(record.id)));
  if (kind === "insert") return of.insert(items(30, last + 1));
  return of.compact();
}

test.each([
  ["smallest", { selectionShare: 0, fewRows: 3, largestBatch: 16, smallestBatch: 4, sizeRatio: 4 }],
  ["usual", { ...usual, selectionShare: 0 }],
])("a page of any snapshot is the predicate's, with the %s thresholds", (_, thresholds) => {
  using _tuned = tuned(thresholds);
  const steps = fc.array(step, { maxLength: 24, size: "max" });
  const paths = new Set<string>();
  fc.assert(
    fc.property(steps, (all) => {
      const first = createCollection(Item, items(300)).prepare({
        match: ["state", "kind", "votes"],
        sort: ["name", "votes", "id"],
      });
      const made = [first];
      for (const { of, what } of all) {
        const each = made[of % made.length] ?? first;
        if (!("criteria" in what)) made.push(changed(each, ...what));
        else {
          const plain = [...each].map((record) => wireOf(Item, record));
          const expected = predicatePage(Item, plain, what).map(({ id }) => id);
          const asked = what as Query<Item>;
          expect(each.query(asked).map(({ id }) => id)).toEqual(expected);
          paths.add(each.explain(asked).access.path);
        }
      }
    }),
    settings(30),
  );
  expect(paths).toContain("selected-scan");
});

describe("the positions of selected rows", () => {
  const deep = {
    criteria: [["kind", "exactly", "x"]],
    sortBy: "id",
    sortOrder: "ASC",
    limit: 5,
    offset: 9000,
  } as const;
  const make = (options: CollectionOptions, count = 30_000) =>
    createCollection(
      Item,
      Array.from({ length: count }, (_, id) => ({ ...itemAt(id), name: null })),
      options,
    ).prepare({ match: ["kind"], sort: ["id"] });
  const isSelected = (of: Collection<Item>, asked: Query<Item> = deep) =>
    of.explain(asked).access.path === "selected-scan";
  const expected = Array.from({ length: 5 }, (_, i) => String(3 * (9000 + i)));
  const ask = (of: Collection<Item>, times: number) => {
    for (let i = 0; i < times; i++) expect(of.query(deep).map(({ id }) => id)).toEqual(expected);
  };

  test("are found when pages have cost as much, and serve any page in either direction", () => {
    using _ = tuned(usual);
    const of = make({});
    const before = of.indexes();
    expect(isSelected(of)).toBe(false);
    ask(of, 1);
    expect(isSelected(of)).toBe(false);
    ask(of, 10);
    expect(isSelected(of)).toBe(true);
    expect(isSelected(of, { ...deep, sortOrder: "DESC", offset: 9990 })).toBe(true);
    expect(isSelected(of, { ...deep, criteria: [["kind", "not", "x"]] })).toBe(false);
    ask(of, 2);
    expect(of.indexes()).toEqual(before);
    // Asking for the plan costs nothing, and pages that cost little have no account.
    const other = make({});
    for (let i = 0; i < 100; i++) isSelected(other);
    for (let i = 0; i < 100; i++) other.query({ ...deep, offset: 300 });
    expect(isSelected(other, { ...deep, offset: 300 })).toBe(false);
    expect(isSelected(other)).toBe(false);
  });

  test("are those of all versions of a collection", () => {
    using _ = tuned(usual);
    const of = make({});
    ask(of, 10);
    const less = of.remove([["id", "exactly", 27_000]]);
    expect(isSelected(less)).toBe(true);
    expect(less.query(deep).map(({ id }) => id)).toEqual(
      expected.slice(1).concat(String(3 * 9005)),
    );
    ask(of, 1);
  });

  test("are found by buildDue under deferred, unless it takes no time, and never under none", () => {
    using _ = tuned(usual);
    const none = make({ indexes: "none" });
    ask(none, 50);
    expect(isSelected(none)).toBe(false);
    const few = make({ indexes: "deferred" });
    ask(few, 10);
    expect(isSelected(few)).toBe(true);
    const many = make({ indexes: "deferred" }, 130_000);
    ask(many, 60);
    expect(isSelected(many)).toBe(false);
    expect(many.buildDue({ milliseconds: 0 }).due).toBe(1);
    while (many.buildDue({ milliseconds: 0 }).due > 0);
    expect(isSelected(many)).toBe(true);
    ask(many, 1);
  });

  test("count against the bytes of indexes", () => {
    using _ = tuned(usual);
    const of = make({ indexBytes: 20 });
    ask(of, 20);
    expect(isSelected(of)).toBe(false);
    expect(of.buildDue()).toEqual({ built: 0, due: 0 });
    const bytes = of.indexes().reduce((sum, each) => sum + each.bytes, 0);
    // Room for one, at 1.07 bits a row.
    const roomy = make({ indexBytes: bytes + 5000 });
    ask(roomy, 20);
    expect(isSelected(roomy)).toBe(true);
    const others: Query<Item> = { ...deep, criteria: [["kind", "not", "x"]] };
    for (let i = 0; i < 20; i++) roomy.query(others);
    // The one used least recently makes room for it.
    expect([isSelected(roomy, others), isSelected(roomy)]).toEqual([true, false]);
  });

  test("are found bit by bit, if there is a deadline", () => {
    using _ = tuned({ ...usual, selectionShare: 0 });
    const of = make({});
    const { snapshot } = of.state;
    const index = snapshot.segments[0].indexes.buildOrdered("id");
    const strict = { maxCriteria: 9, maxValues: 9, unknownOperator: "error" } as const;
    const parsed = parseQuery(Item, deep, strict);
    let interrupted = 0;
    for (; selectionsOf(index).bytes === 0 && interrupted < 100; interrupted++) {
      const deadline = new Deadline(-1);
      const answer = () => pageOf(snapshot, { ...parsed, deadline });
      expect(() => deadline.spend(answer)).toThrow(DeadlineError);
    }
    // The first one shows that it is urgent.
    expect(interrupted).toBe(13);
    expect(isSelected(of)).toBe(true);
    ask(of, 1);
  });
});
