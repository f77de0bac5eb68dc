import fc from "fast-check";
import { expect, test } from "vitest";
import { IntervalTree } from "../../../src/engine/algorithms/interval-tree.ts";
import { settings } from "../../property.ts";

test("an interval tree finds the intervals that contain a value", () => {
  const bound = fc.option(fc.integer({ min: -4, max: 4 }), { nil: undefined });
  const change = fc.record({
    item: fc.nat({ max: 9 }),
    low: bound,
    high: bound,
    isDeleted: fc.boolean(),
    value: fc.integer({ min: -5, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      const tree = new IntervalTree<number, number>((a, b) => a - b);
      let all: { item: number; low: number | undefined; high: number | undefined }[] = [];
      for (const { item, low, high, isDeleted, value } of changes) {
        if (isDeleted) {
          tree.delete(item);
          all = all.filter((each) => each.item !== item);
        } else {
          tree.add(low, high, item);
          all.push({ item, low, high });
        }
        const found: number[] = [];
        tree.visit(value, (each) => found.push(each));
        const containing = all.filter(
          ({ low = -Infinity, high = Infinity }) => low <= value && value <= high,
        );
        expect(found.sort()).toEqual(containing.map((each) => each.item).sort());
        expect(tree.size).toBe(new Set(all.map((each) => each.item)).size);
      }
    }),
    settings(300),
  );
});
