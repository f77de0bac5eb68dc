// A merged index is the index that the merged rows would get.

import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeIndexes } from "../../../src/collection/index/merge.ts";
import type { FieldType, WireValue } from "../../../src/schema/field.ts";
import { settings } from "../../property.ts";
import { fieldIndexOf } from "./built.ts";

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
      // Rows of each part stay in their order, as keys do.
      const fatesOf = (part: typeof large) =>
        part.flatMap(({ fate }) => (fate === null ? [] : [fate])).sort((a, b) => a - b);
      const order = [
        ...fatesOf(large).map((fate) => ({ fate, side: 0 })),
        ...fatesOf(small).map((fate) => ({ fate, side: 1 })),
      ].sort((a, b) => a.fate - b.fate || a.side - b.side);
      const places = [large, small].map((part) =>
        part.flatMap(({ fate }, row) => (fate === null ? [] : [row])),
      );
      const origins = order.map(({ side }) => {
        const row = places[side]?.shift() ?? 0;
        return side === 0 ? row : ~row;
      });
      const merged = origins.map((row) => (row >= 0 ? large[row] : small[~row])?.value ?? null);
      const indexOf = (part: typeof large) =>
        fieldIndexOf(type, part.length, (row) => part[row]?.value ?? null);
      const index = mergeIndexes(indexOf(large), indexOf(small), origins);
      const expected = fieldIndexOf(type, merged.length, (row) => merged[row] ?? null);
      expect(index.values).toEqual(expected.values);
      expect(index.codes).toEqual(expected.codes);
      expect(index.order).toEqual(expected.order);
      expect(index.starts).toEqual(expected.starts);
    }),
    settings(300),
  );
});
