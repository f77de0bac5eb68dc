// A merged index is the index that the merged rows would get.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FieldIndex } from "../../../src/collection/field-index.ts";
import { DEAD, mergeIndexes } from "../../../src/collection/merge-index.ts";
import type { FieldType, WireValue } from "../../../src/schema/field.ts";
import { settings } from "../../property.ts";

const values: Record<FieldType, fc.Arbitrary<WireValue>> = {
  int: fc.option(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger()).map(String)),
  string: fc.option(fc.oneof(fc.constantFrom("", "a", "ab", "\uffff", "\u{10000}"), fc.string())),
};

/** Where a row goes: it dies, or comes to stand before or after the others by chance. */
const fates = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { freq: 3 });

const typed = fc.constantFrom<FieldType>("int", "string").chain((type) =>
  fc.record({
    type: fc.constant(type),
    large: fc.array(fc.record({ value: values[type], fate: fates }), { maxLength: 60 }),
    small: fc.array(fc.record({ value: values[type], fate: fates }), { maxLength: 8 }),
  }),
);

test("a merged index is what indexing the merged rows gives", () => {
  fc.assert(
    fc.property(typed, ({ type, large, small }) => {
      const alive = [...large, ...small].filter(({ fate }) => fate !== null);
      // Rows of each part stay in their order, as keys do.
      const fatesOf = (part: typeof large) =>
        part.flatMap(({ fate }) => (fate === null ? [] : [fate])).sort((a, b) => a - b);
      const order = [
        ...fatesOf(large).map((fate) => ({ fate, side: 0 })),
        ...fatesOf(small).map((fate) => ({ fate, side: 1 })),
      ].sort((a, b) => a.fate - b.fate || a.side - b.side);
      const merged: WireValue[] = new Array<WireValue>(alive.length).fill(null);
      const partOf = (part: typeof large, side: number) => {
        const places = order.flatMap((each, row) => (each.side === side ? [row] : []));
        const rowOf = Uint32Array.from(part, ({ fate }) =>
          fate === null ? DEAD : (places.shift() ?? DEAD),
        );
        rowOf.forEach((row, i) => {
          if (row !== DEAD) merged[row] = part[i]?.value ?? null;
        });
        return {
          rowOf,
          index: FieldIndex.of(type, part.length, (row) => part[row]?.value ?? null),
        };
      };
      const index = mergeIndexes(partOf(large, 0), partOf(small, 1), alive.length);
      const expected = FieldIndex.of(type, merged.length, (row) => merged[row] ?? null);
      expect(index.values).toEqual(expected.values);
      expect(index.codes).toEqual(expected.codes);
      expect(index.order).toEqual(expected.order);
      expect(index.starts).toEqual(expected.starts);
    }),
    settings(300),
  );
});
