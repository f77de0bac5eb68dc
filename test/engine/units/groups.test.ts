// Every operator that groups finds the groups of the records that the predicate accepts, whatever it costs.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compileCriteria,
  createCollection,
  defineSchema,
  float,
  formatPlan,
  int,
  string,
  strings,
} from "../../../src/index.ts";
import { groupBy } from "../../../src/engine/execution/group-by.ts";
import type { ChooseGroups } from "../../../src/engine/execution/add-groups.ts";
import { parseGroupQuery } from "../../../src/engine/group-query.ts";
import type { GroupPlan } from "../../../src/engine/operators/groups/group-plan.ts";
import { plansOf } from "../../../src/engine/optimizer/optimizer.ts";
import { groupPlansOf } from "../../../src/engine/optimizer/plan-groups.ts";
import { parseSelection } from "../../../src/engine/query.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  kind: string(),
  number: float({ nullable: true }),
  tags: strings(),
});

const texts = ["", "a", "ab", "b", "\u{1f600}", "\u{1f600}b", "__proto__", "0", "ÿ"];
const values = fc.record({
  text: fc.option(fc.constantFrom(...texts)),
  kind: fc.constantFrom("x", "y", "__proto__"),
  number: fc.option(fc.integer({ min: -3, max: 3 }).map((each) => each / 2)),
  tags: fc.uniqueArray(fc.constantFrom("a", "b", "0"), { maxLength: 2 }),
});
type Values = { readonly id: number } & (typeof values extends fc.Arbitrary<infer V> ? V : never);

const criterion = fc.oneof(
  fc.record({ field: fc.constantFrom("text", "kind"), value: fc.constantFrom(...texts, "x", "y") }),
  fc.record({ field: fc.constant("number"), value: fc.constantFrom(-1, 0, 0.5) }),
  fc.record({ field: fc.constant("id"), value: fc.nat(40) }),
);
const operators = {
  text: ["exactly", "not", "starts_with", "contains"],
  kind: ["exactly", "not"],
  number: ["less_than", "at_least"],
  id: ["exactly", "less_than", "not"],
};
const criteria = fc.array(
  fc.tuple(criterion, fc.nat(3)).map(([{ field, value }, which]) => {
    const known = operators[field];
    return [field, known[which % known.length], value] as const;
  }),
  { maxLength: 2 },
);

/** A key, and its values in a record. */
const keys = {
  id: { by: "id", of: ({ id }: Values) => [id] },
  text: { by: "text", of: ({ text }: Values) => [text] },
  kind: { by: "kind", of: ({ kind }: Values) => [kind] },
  number: { by: "number", of: ({ number }: Values) => [number] },
  tags: { by: "tags", of: ({ tags }: Values) => tags },
  first: {
    by: { field: "text", prefix: 1, as: "first" },
    of: ({ text }: Values) => [
      text === null ? null : String.fromCodePoint(text.codePointAt(0) ?? 0).slice(0, text.length),
    ],
  },
  sign: {
    by: { field: "number", edges: [0, 1], as: "sign" },
    of: ({ number }: Values) => [
      number === null ? null : number < 0 ? -Infinity : number < 1 ? 0 : 1,
    ],
  },
} as const;
type KeyName = keyof typeof keys;

const keyNames = fc.uniqueArray(
  fc.constantFrom<KeyName>("id", "text", "kind", "number", "tags", "first", "sign"),
  { minLength: 1, maxLength: 2 },
);

/** The groups of records, as text. */
function expected(records: readonly Values[], by: readonly KeyName[], isSummed: boolean): string[] {
  const groups = new Map<string, { count: number; sum: number }>();
  for (const record of records) {
    let found: (string | number | null)[][] = [[]];
    for (const name of by) {
      found = found.flatMap((key) => keys[name].of(record).map((value) => [...key, value]));
    }
    for (const key of found) {
      const text = key.map((each) => `${typeof each} ${each}`).join();
      const group = groups.get(text) ?? { count: 0, sum: 0 };
      groups.set(text, { count: group.count + 1, sum: group.sum + (record.number ?? 0) });
    }
  }
  return Array.from(groups, ([key, { count, sum }]) =>
    [key, count, ...(isSummed ? [sum] : [])].join(" "),
  ).sort();
}

function pathsOf({ step }: GroupPlan): string[] {
  if (step.path === "difference")
    return [step.path, ...[step.whole, step.without].flatMap(pathsOf)];
  const counts = step.path === "all" ? step.counts : undefined;
  return [step.path, ...(counts === undefined ? [] : pathsOf(counts))];
}

test("each way to group gives the groups of the records that the predicate accepts", () => {
  fc.assert(
    fc.property(
      fc.array(values, { minLength: 1, maxLength: 40 }),
      fc.array(values, { maxLength: 5 }),
      fc.array(fc.nat(40), { maxLength: 8 }),
      fc.subarray(["text", "kind", "number", "tags", "id"] as const),
      criteria,
      keyNames,
      fc.boolean(),
      fc.constantFrom(0, 1, 32),
      (rows, added, removed, indexed, where, by, isSummed, sparsePart) => {
        // Rows that are removed stay.
        using _ = tuned({ fewRows: 2, sizeRatio: 0, mostRanges: 2, sparsePart });
        const whole = createCollection(
          Row,
          rows.map((row, id) => ({ id, ...row })),
          { indexes: "none" },
        ).prepare({ match: indexed });
        const accepts = compileCriteria(Row, where as never);
        const more = added.map((row, i) => ({ id: 100 + i, ...row }));
        for (const each of [whole, whole.remove([["id", "in", removed]]).insert(more)]) {
          const [name] = by;
          if (name !== undefined && name !== "first" && name !== "sign") {
            const all = each.countBy(name, where as never);
            expect(each.countBy(name, where as never, { limit: 2 })).toEqual(all.slice(0, 2));
          }
          const { state } = each;
          const query = {
            by: by.map((name) => keys[name].by),
            measures: { count: "count", ...(isSummed && { sum: ["sum", "number"] }) },
          };
          const [asked] = parseGroupQuery(Row, query, state.options);
          const { snapshot } = state;
          const selected = {
            ...parseSelection(Row, where, state.options),
            deadline: undefined,
          };
          const records = snapshot.segments.flatMap((segment) =>
            Array.from(segment.locations(), ({ row }) => segment.rows.record(row) as Values),
          );
          const groups = expected(
            records.filter((record) => accepts(record as never)),
            by,
            isSummed,
          );
          let ways = 1;
          for (let way = 0; way < ways; way++) {
            const paths: string[] = [];
            const choose: ChooseGroups = (segment, _plan, of) => {
              const all = plansOf(segment, selected).flatMap((plan) =>
                groupPlansOf(segment, plan, of),
              );
              ways = Math.max(ways, all.length);
              const chosen = all[way % all.length];
              if (chosen === undefined) throw new Error("there is no way");
              paths.push(...pathsOf(chosen));
              return chosen;
            };
            const found = groupBy(snapshot, selected, asked, choose).map((group) =>
              [
                by.map((name) => `${typeof group[name]} ${String(group[name])}`).join(),
                group.count,
                ...(isSummed ? [group.sum] : []),
              ].join(" "),
            );
            expect([paths, found.sort()]).toEqual([paths, groups]);
          }
        }
      },
    ),
    settings(150),
  );
});

describe("explainGroupBy", () => {
  const Item = defineSchema({ id: int({ unique: true }), a: int(), b: int(), text: string() });
  const items = createCollection(
    Item,
    Array.from({ length: 2000 }, (_, id) => ({ id, a: id % 20, b: id % 7, text: `item ${id}` })),
    { indexes: "none" },
  ).prepare({ match: ["a", "b"] });
  const changed = items.update([["id", "exactly", 5]], { a: 100 });
  const unindexed = createCollection(Item, [...changed], { indexes: "none" });

  test.each([
    ["runs", { by: "a" }],
    ["runs", { by: "a", criteria: [["a", "less_than", 5]] }],
    ["lookup", { by: "a", criteria: [["b", "exactly", 1]] }],
    ["difference", { by: "a", criteria: [["b", "not", 1]] }],
    ["all runs", { by: "a", measures: { s: ["sum", "b"] } }],
    ["all", { by: ["a", "id"] }],
    ["rows", { by: "a", criteria: [["text", "contains", "7"]] }],
    ["rows", { by: "a", criteria: [["b", "exactly", 1]], measures: { s: ["sum", "id"] } }],
  ])("%s: %j", (path, query) => {
    const plan = items.explainGroupBy(query as never);
    const shown = [plan.path, ...(plan.path === "all" ? plan.parts : []).map((part) => part.path)];
    expect(shown.join(" ")).toBe(path);
    expect(plan.changes).toEqual([]);
    const later = changed.explainGroupBy(query as never);
    expect(changed.groupBy(query as never)).toEqual(unindexed.groupBy(query as never));
    expect(later.path).toBe(plan.path);
    expect(later.changes.flatMap(({ keys }) => keys.map((key) => key.path))).toEqual(
      plan.path === "all" && plan.keys.length > 1 ? ["values", "values"] : ["values"],
    );
    expect(formatPlan(later)).toMatch(
      /^groups: estimated .*\n {2}[a-z][^]*\n {2}add what was changed since\n {4}[a-z]/,
    );
  });

  test("shows which fields are read, and which groups are listed", () => {
    const plan = changed.explainGroupBy({
      by: ["a", "text"],
      measures: { paid: ["sum", "b"], most: ["maximum", "b"] },
      sort: [["paid", "DESC"]],
      limit: 10,
      offset: 2,
    });
    expect(plan).toMatchObject({
      keys: [
        { field: "a", path: "codes" },
        { field: "text", path: "values" },
      ],
      measured: ["b"],
      sort: [["paid", "DESC"]],
      limit: 10,
      offset: 2,
    });
    expect(formatPlan(plan)).toContain(
      "by the codes of a, the values of text; measure b — 1,999 rows\n",
    );
    expect(formatPlan(plan)).toMatch(/^groups by paid DESC, the first 10 after 2: estimated /);
  });
});
