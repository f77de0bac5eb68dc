// A merged index equals the index built from the merged rows.

import fc from "fast-check";
import { expect, test } from "vitest";
import { unitsOf } from "../../../src/engine/algorithms/exact-sum.ts";
import { finish } from "../../../src/engine/algorithms/steps.ts";
import { MovedRows, mergingAdded, mergingIndexes } from "../../../src/engine/indexes/merge.ts";
import { numberOf, type FieldIndex } from "../../../src/engine/indexes/field-index.ts";
import { NumberColumn } from "../../../src/engine/indexes/number-column.ts";
import { isNumeric, type Storage, type TextValue } from "../../../src/schema/field.ts";
import { float } from "../../../src/testing/arbitraries/values.ts";
import { settings } from "../../property.ts";
import { codesIn, fieldIndexOf, valuesOf, withValuesElsewhere } from "./built.ts";
import { indexOfCodes } from "../../../src/engine/indexes/memory-index.ts";

const values: Record<Storage, fc.Arbitrary<TextValue>> = {
  int: fc.option(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger()).map(String)),
  float: fc.option(fc.oneof(fc.constantFrom(-0.5, 0, 0.25, 1e21, 1e-7), float()).map(String)),
  string: fc.option(fc.oneof(fc.constantFrom("", "a", "ab", "\uffff", "\u{10000}"), fc.string())),
};

/** Where a row goes: it dies, or comes to stand before or after the others by chance. */
const fates = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { freq: 3 });

const typed = fc.constantFrom<Storage>("int", "float", "string").chain((type) =>
  fc.record({
    type: fc.constant(type),
    large: fc.array(fc.record({ value: values[type], fate: fates }), { maxLength: 60 }),
    small: fc.array(fc.record({ value: values[type], fate: fates }), { maxLength: 8 }),
  }),
);

const mergeIndexes = (...parts: Parameters<typeof mergingIndexes>) =>
  finish(mergingIndexes(...parts));

const indexOf = (type: Storage, part: readonly TextValue[]) =>
  fieldIndexOf(type, part.length, (row) => part[row] ?? null);

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
      const [one, other] = [large, small].map((part) => part.map(({ value }) => value));
      const index = mergeIndexes(indexOf(type, one ?? []), indexOf(type, other ?? []), origins);
      const expected = indexOf(type, merged);
      expect(valuesOf(index)).toEqual(valuesOf(expected));
      expect(index.codes).toEqual(expected.codes);
      expect(index.order).toEqual(expected.order);
      expect(index.starts).toEqual(expected.starts);
    }),
    settings(100),
  );
});

test("after any number of merges, the index of the first rows and the added values give the index of the last", () => {
  const arbitrary = fc.constantFrom<Storage>("int", "float", "string").chain((type) =>
    fc.record({
      type: fc.constant(type),
      first: fc.array(values[type], { minLength: 1, maxLength: 8 }),
      // Each row of the one before stays, goes, or is replaced; then some are added.
      merges: fc.array(
        fc.record({
          fates: fc.array(fc.constantFrom("stays", "stays", "goes", "replaced"), { maxLength: 8 }),
          others: fc.array(values[type], { maxLength: 3 }),
          instead: fc.array(values[type], { minLength: 8, maxLength: 8 }),
          isEqual: fc.boolean(),
        }),
        { maxLength: 4 },
      ),
    }),
  );
  fc.assert(
    fc.property(arbitrary, ({ type, first, merges }) => {
      const index = indexOf(type, first);
      let rows: readonly TextValue[] = first;
      let moved: MovedRows | undefined;
      for (const { fates, others, instead, isEqual } of merges) {
        const before = rows;
        const merged: { origin: number; value: TextValue }[] = before.flatMap((value, row) => {
          const fate = fates[row] ?? "stays";
          if (fate === "goes" && !isEqual) return [];
          if (fate !== "replaced") return [{ origin: row, value }];
          return [{ origin: -1, value: isEqual ? value : (instead[row] ?? null) }];
        });
        if (!isEqual) merged.push(...others.map((value) => ({ origin: -1, value })));
        rows = merged.map(({ value }) => value);
        const origins = merged.map(({ origin }) => origin);
        moved = MovedRows.of(origins, before.length, moved);
      }
      if (moved === undefined) return;
      const read = (row: number) => rows[row] ?? null;
      const readNumber = isNumeric(type) ? (row: number) => numberOf(read(row)) : undefined;
      const column = {
        type,
        rows: rows.length,
        read,
        readNumber,
        isFolded: false,
        own: undefined,
        indexed: [],
      };
      const now = finish(mergingAdded(index, column, moved));
      const expected = indexOf(type, rows);
      expect(valuesOf(now)).toEqual(valuesOf(expected));
      expect(now.codes).toEqual(expected.codes);
      expect(now.order).toEqual(expected.order);
      // The same where nothing has moved, and all values are the same.
      const isSame = merges.every(({ isEqual }) => isEqual);
      if (isSame) expect(now).toBe(index);
      if (readNumber === undefined) return;

      const numbers = first.map(numberOf);
      const columnOf = (some: readonly number[], own?: FieldIndex) =>
        finish(
          NumberColumn.building({
            ...column,
            rows: some.length,
            readNumber: own === undefined ? (row) => some[row] ?? NaN : () => NaN,
            own,
          }),
        );
      const before = columnOf(numbers);
      expect(columnOf(numbers, index)).toEqual(before);
      const after = finish(before.merging(column, moved));
      expect([...after.numbers]).toEqual(rows.map(numberOf));
      if (isSame) expect(after).toBe(before);
      const finite = [...after.numbers].filter((number) => number !== -Infinity);
      const { most, unit } = after.range;
      expect(most).toBe(Math.max(0, ...finite.map(Math.abs)));
      expect(finite.every((number) => unitsOf(number) % unitsOf(unit) === 0n)).toBe(true);
    }),
    settings(500),
  );
});

test("texts are found in values at other places and in merged ones, and not in removed values", () => {
  const large = ["cab", "x", null, "taxi", "gas", "ab", "y"];
  const small = ["a", "cab", null, "y", "gas", "bat"];
  const origins = [0, 1, 2, 3, 5, 6, ~0, ~1, ~2, ~3, ~5];
  const merge = (one: typeof large, other: typeof large, each: readonly number[]) => {
    const { elsewhere, asked } = withValuesElsewhere(indexOf("string", one));
    const index = mergeIndexes(elsewhere, indexOf("string", other), each);
    const textsWith = (text: string, kind: "substring" | "suffix" = "substring") =>
      codesIn(index.values.codesWith?.({ kind, text }, [0, index.values.length]) ?? []).map(
        (code) => index.values.at(code),
      );
    return { index, asked, textsWith };
  };
  const { index, asked, textsWith } = merge(large, small, origins);
  expect(Array.isArray(index.values)).toBe(false);
  const values = Array.from({ length: index.values.length }, (_, code) => index.values.at(code));
  expect(values).toEqual([null, "a", "ab", "bat", "cab", "taxi", "x", "y"]);
  expect(textsWith("a")).toEqual(["a", "ab", "bat", "cab", "taxi"]);
  expect(textsWith("x")).toEqual(["taxi", "x"]);
  expect(textsWith("y")).toEqual(["y"]);
  expect(textsWith("s")).toEqual([]);
  expect(textsWith("b", "suffix")).toEqual(["ab", "cab"]);
  const few = index.values.codesWith?.({ kind: "substring", text: "a" }, [0, 2, 4, 6]);
  expect(codesIn(few ?? []).map((code) => index.values.at(code))).toEqual(["a", "cab", "taxi"]);
  // The large part's own way is taken, and its values are not tested once more.
  expect(asked).toEqual(["a", "x", "y", "s", "b", "a"]);
});

test("where the large part does not find texts by itself, what was merged does not say that it does", () => {
  const { values, codes, type } = indexOf("string", ["b", "a"]);
  const elsewhere = { length: values.length, at: (code: number) => values.at(code) };
  const large = indexOfCodes(type, elsewhere, Uint32Array.from(codes));
  const index = mergeIndexes(large, indexOf("string", ["ab"]), [0, 1, ~0]);
  expect(Array.isArray(index.values)).toBe(false);
  expect(index.findsTexts).toBe(false);
});

test("a value that only removed rows had is not found", () => {
  const { elsewhere } = withValuesElsewhere(indexOf("string", ["a", "x"]));
  const index = mergeIndexes(elsewhere, indexOf("string", ["b", "z"]), [0, ~0]);
  expect(["a", "b", "x", "z"].map((value) => index.codeOf(value))).toEqual([1, 2, -1, -1]);
});
