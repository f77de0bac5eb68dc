// Every operator that counts gives the number of live rows in a tree of codes, whatever it costs.

import fc from "fast-check";
import { expect, test } from "vitest";
import { createCollection, defineSchema, int } from "../../../src/index.ts";
import { setOfCodes } from "../../../src/engine/indexes/code-set.ts";
import { countOfCodes } from "../../../src/engine/operators/counts/codes.ts";
import {
  leavesOf,
  treeOf,
  type CodeLeaf,
  type CodeTree,
} from "../../../src/engine/operators/counts/code-tree.ts";
import { countOfColumns } from "../../../src/engine/operators/counts/columns.ts";
import { compoundName } from "../../../src/engine/indexes/compound-index.ts";
import { countOfCompound } from "../../../src/engine/operators/counts/compound.ts";
import { countOfComplement } from "../../../src/engine/operators/counts/complement.ts";
import type { CountPlan, Counting } from "../../../src/engine/operators/counts/count-plan.ts";
import { countOfEither } from "../../../src/engine/operators/counts/either.ts";
import { countOfLookup } from "../../../src/engine/operators/counts/lookup.ts";
import { runCount } from "../../../src/engine/operators/counts/table.ts";
import type { Segment } from "../../../src/engine/versions/segment.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";

const Row = defineSchema({ id: int(), a: int({ nullable: true }), b: int(), c: int() });
const fields = ["a", "b", "c"] as const;

/** Leaves are codes of a field, which the test makes fit its index. */
type Drawn =
  | { readonly field: (typeof fields)[number]; readonly codes: readonly number[] }
  | { readonly path: "all" | "any"; readonly parts: readonly Drawn[] }
  | { readonly none: Drawn };

const { drawnTree } = fc.letrec<{ drawnTree: Drawn }>((tie) => ({
  drawnTree: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({
      field: fc.constantFrom(...fields),
      codes: fc.array(fc.nat(30), { minLength: 1, maxLength: 8 }),
    }),
    fc.record({
      path: fc.constantFrom("all" as const, "any" as const),
      parts: fc.array(tie("drawnTree"), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ none: tie("drawnTree") }),
  ),
}));

function treeIn(segment: Segment, drawn: Drawn): CodeTree {
  if ("none" in drawn) return { path: "none", part: treeIn(segment, drawn.none) };
  if ("path" in drawn) {
    return treeOf(
      drawn.path,
      drawn.parts.map((part) => treeIn(segment, part)),
    );
  }
  const { field, codes } = drawn;
  const index = segment.ordered(field);
  if (index === undefined) throw new Error(`${field} has no index`);
  const own = [...new Set(codes.map((code) => code % index.values.length))];
  const set = setOfCodes(own, index.values.length);
  return { path: "set", field, index, set, rows: index.count(set) };
}

function isIn(tree: CodeTree, row: number): boolean {
  switch (tree.path) {
    case "set":
      return tree.index.count(tree.set) > 0 && hasRow(tree, row);
    case "none":
      return !isIn(tree.part, row);
    case "all":
      return tree.parts.every((part) => isIn(part, row));
    case "any":
      return tree.parts.some((part) => isIn(part, row));
  }
}

function hasRow({ index, set }: CodeLeaf, row: number): boolean {
  const code = index.codeAt(row);
  return Array.isArray(set)
    ? set.some((low: number, i) => i % 2 === 0 && low <= code && code < Number(set[i + 1]))
    : (((set as Uint32Array)[code >>> 5] ?? 0) & (1 << (code & 31))) !== 0;
}

/** The first two leaves, of different indexes. */
function pairsIn(tree: CodeTree): CodeTree[] {
  const [first, ...others] = leavesOf(tree);
  const second = others.find(({ index }) => index !== first?.index);
  return first && second ? [treeOf("all", [first, second])] : [];
}

/** Every way to count the rows in a tree. */
function waysToCount(segment: Segment, tree: CodeTree): CountPlan[] {
  const ways = [countOfColumns(segment, tree)];
  const columns = (part: CodeTree) => countOfColumns(segment, part);
  if (tree.path === "set") ways.push(countOfCodes(tree));
  else if (tree.path === "none") ways.push(countOfComplement(columns(tree.part)));
  else {
    const [first, second] = tree.parts;
    if (first === undefined || second === undefined) throw new Error("a tree has no parts");
    if (tree.path === "any" && tree.parts.length === 2) {
      const both = columns(treeOf("all", tree.parts));
      ways.push(countOfEither(columns(first), columns(second), both));
    }
    if (tree.path === "any") return ways;
    for (const part of tree.parts) {
      if (part.path !== "set") continue;
      const others = treeOf(
        "all",
        tree.parts.filter((each) => each !== part),
      );
      ways.push(countOfLookup(part, others));
    }
    const leaves = tree.parts.filter((part) => part.path === "set");
    if (leaves.length === tree.parts.length) {
      const fields = [...new Set(leaves.map(({ field }) => field))];
      if (fields.length > 1) segment.indexes.build("compound", compoundName(fields));
      const { plan } = countOfCompound(segment, leaves, undefined);
      if (plan !== undefined) ways.push(plan);
    }
  }
  return ways;
}

test("each operator counts the live rows in a tree", () => {
  const values = fc.record({
    a: fc.option(fc.integer({ min: 0, max: 5 })),
    b: fc.nat(40),
    c: fc.constantFrom(0, 7),
  });
  fc.assert(
    fc.property(
      fc.array(values, { minLength: 1, maxLength: 60 }),
      fc.array(fc.nat(60)),
      fc.array(drawnTree, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      (rows, removed, trees, areSmall) => {
        // Rows that are removed stay.
        using _ = tuned({ fewRows: 2, sizeRatio: 0, mostRanges: areSmall ? 2 : 30 });
        const whole = createCollection(
          Row,
          rows.map((row, id) => ({ id, ...row })),
        ).prepare({ match: [...fields] });
        for (const { state } of [whole, whole.remove([["id", "in", removed]]), whole]) {
          const [segment] = state.snapshot.segments;
          const counting: Counting = {
            segment,
            deadline: undefined,
            count: ({ step }) => runCount(step, counting),
            countRows: () => {
              throw new Error("no plan is run");
            },
          };
          const all = trees.map((drawn) => treeIn(segment, drawn));
          for (const tree of [...all, ...all.flatMap(pairsIn)]) {
            let expected = 0;
            for (const { row } of segment.locations()) expected += isIn(tree, row) ? 1 : 0;
            for (const { step } of waysToCount(segment, tree)) {
              expect([step.path, runCount(step, counting)]).toEqual([step.path, expected]);
            }
          }
        }
      },
    ),
    settings(200),
  );
});
