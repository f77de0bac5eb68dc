// Rows that are columns, with and without changed records between them, compared with the same rows as
// objects.

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { ColumnRows } from "../../../src/engine/columns/column-rows.ts";
import { ObjectRows } from "../../../src/engine/columns/object-rows.ts";
import type { ColumnName, Rows } from "../../../src/engine/columns/rows.ts";
import { int, string } from "../../../src/index.ts";
import type { TextValue } from "../../../src/schema/field.ts";
import { settings } from "../../property.ts";
import { fieldIndexOf, valuesOf } from "./built.ts";
import { wireSchema } from "../../wire-schema.ts";

const Row = wireSchema({
  id: int(),
  text: string({ nullable: true }),
  hidden: string({ nullable: true, stored: false }),
});
/** A column that is of no field, and one that no rows have. */
const LIST = Symbol("list");
const OTHER = Symbol("other");
const NAMES = ["id", "text", "hidden", LIST] as const;
const TYPES = { id: "int", text: "string", hidden: "string", [LIST]: "int" } as const;

type Values = Readonly<Record<(typeof NAMES)[number], TextValue>>;

const FIRST: Values = { id: "0", text: null, hidden: null, [LIST]: null };

const texts = fc.option(fc.constantFrom("", "a", "ab", "\uffff", "\u{1f600}"));
const lists = fc.option(fc.constantFrom("1", "22", "3"));
const anyRow: fc.Arbitrary<Values> = fc
  .tuple(fc.nat({ max: 50 }), texts, texts, lists)
  .map(([id, text, hidden, list]) => ({ id: String(id), text, hidden, [LIST]: list }));
const rowLists = fc.array(anyRow, { maxLength: 12 });

const recordOf = ({ id, text }: Values) => Object.freeze({ id, text });

function objectsOf(rows: readonly Values[]): ObjectRows {
  const columns = (["hidden", LIST] as const).map(
    (name) => [name, rows.map((row) => row[name])] as const,
  );
  return new ObjectRows(Row, rows.map(recordOf), new Map<ColumnName, TextValue[]>(columns));
}

const indexOf = (rows: readonly Values[], name: (typeof NAMES)[number]) =>
  fieldIndexOf(TYPES[name], rows.length, (row) => rows[row]?.[name] ?? null);

const columnsOf = (rows: readonly Values[], file = { bytesRead: 7 }) =>
  new ColumnRows(
    Row,
    rows.length,
    new Map(
      NAMES.map((name): [ColumnName, ReturnType<typeof indexOf>] => [name, indexOf(rows, name)]),
    ),
    file,
  );

function expectRows(rows: Rows, expected: readonly Values[]): void {
  expect(rows.size).toBe(expected.length);
  for (const name of NAMES) {
    const read = rows.readerOf(name);
    expect(expected.map((_, row) => read(row))).toEqual(expected.map((values) => values[name]));
  }
  for (const name of ["unknown", OTHER]) {
    const read = rows.readerOf(name);
    expect(expected.map((_, row) => read(row))).toEqual(expected.map(() => null));
  }
  const records = expected.map(recordOf);
  expect(expected.map((_, row) => rows.record(row))).toEqual(records);
  // A page takes a part of them in any order, or as they stand.
  const backwards = Uint32Array.from(expected, (_, row) => expected.length - 1 - row);
  const page = [recordOf(FIRST), recordOf(FIRST)];
  rows.copyRecords(backwards, 1, expected.length, page, 2);
  expect(page).toEqual([recordOf(FIRST), recordOf(FIRST), ...records.toReversed().slice(1)]);
  for (const [from, to] of [
    [0, Infinity],
    [1, 3],
    [20, 30],
  ] as const) {
    expect(rows.slice(from, to)).toEqual(records.slice(from, to));
  }
}

function expectIndexed(rows: Rows, expected: readonly Values[]): void {
  for (const name of ["id", "text", "hidden"] as const) {
    const index = rows.indexOf(name);
    const whole = indexOf(expected, name);
    expect(index?.type).toBe(whole.type);
    expect(index && valuesOf(index)).toEqual(valuesOf(whole));
    expect(index?.codes).toEqual(whole.codes);
    expect(index?.order).toEqual(whole.order);
    expect(rows.indexOf(name)).toBe(index);
  }
  expect(rows.indexOf("unknown")).toBeUndefined();
}

test("columns have the values and the records of the same rows as objects", () => {
  fc.assert(
    fc.property(rowLists, (given) => {
      const rows = columnsOf(given);
      expectRows(rows, given);
      expectIndexed(rows, given);
      expect(rows.records).toBeUndefined();
      expect(rows.hidden).toEqual([LIST]);
      for (let row = 0; row < given.length; row++) {
        expect(Object.isFrozen(rows.record(row))).toBe(true);
        expect(rows.record(row)).toBe(rows.record(row));
      }
    }),
    settings(50),
  );
});

test("a field that has no column is null, and is left out of no record", () => {
  const rows = new ColumnRows(Row, 2, new Map(), { bytesRead: 0 });
  expect(rows.record(1)).toEqual({ id: null, text: null });
  expect(rows.hidden).toEqual([]);
});

test("the bytes that were read are those of the file, at any time", () => {
  const file = { bytesRead: 5 };
  const rows = columnsOf([], file);
  const merged = rows.mergedWith(objectsOf([]), []);
  file.bytesRead = 9;
  expect([rows.bytesRead, merged.bytesRead]).toEqual([9, 9]);
});

/** How two parts of these lengths are merged: the rows left of each, in its order. */
const mergeOf = (own: number, others: number) =>
  fc
    .tuple(
      fc.array(fc.boolean(), { minLength: own, maxLength: own }),
      fc.array(fc.boolean(), { minLength: others, maxLength: others }),
      fc.array(fc.boolean(), { minLength: own + others, maxLength: own + others }),
    )
    .map(([ofOwn, ofOthers, turns]) => {
      const left = ofOwn.flatMap((stays, row) => (stays ? [row] : []));
      const right = ofOthers.flatMap((stays, row) => (stays ? [~row] : []));
      const origins: number[] = [];
      for (const isOwn of turns) {
        const next = (isOwn ? left : right).shift() ?? left.shift() ?? right.shift();
        if (next !== undefined) origins.push(next);
      }
      return origins;
    });

const mergedOf = (own: readonly Values[], others: readonly Values[], origins: readonly number[]) =>
  origins.flatMap((origin) => (origin >= 0 ? own[origin] : others[~origin]) ?? []);

const twoMerges = fc.tuple(rowLists, rowLists, rowLists).chain(([base, changed, later]) =>
  mergeOf(base.length, changed.length).chain((first) =>
    fc.record({
      base: fc.constant(base),
      changed: fc.constant(changed),
      later: fc.constant(later),
      first: fc.constant(first),
      second: mergeOf(first.length, later.length),
      isColumns: fc.boolean(),
    }),
  ),
);

test("merged with others, and with others again, they are the rows that stay; no record of columns is made", () => {
  fc.assert(
    fc.property(twoMerges, ({ base, changed, later, first, second, isColumns }) => {
      const columns = columnsOf(base);
      const made = vi.spyOn(columns, "record");
      const once = columns.mergedWith(objectsOf(changed), first);
      const others = isColumns ? columnsOf(later) : objectsOf(later);
      const twice = once.mergedWith(others, second);
      const afterOne = mergedOf(base, changed, first);
      const afterTwo = mergedOf(afterOne, later, second);
      for (const [rows, expected] of [
        [once, afterOne],
        [twice, afterTwo],
      ] as const) {
        expectIndexed(rows, expected);
        expect(rows.records).toBeUndefined();
        expect(made).not.toHaveBeenCalled();
      }
      expectRows(once, afterOne);
      expectRows(twice, afterTwo);
    }),
    settings(50),
  );
});

test("objects may be merged with columns as with objects", () => {
  fc.assert(
    fc.property(twoMerges, ({ base, changed, first }) => {
      const merged = objectsOf(base).mergedWith(columnsOf(changed), first);
      expectRows(merged, mergedOf(base, changed, first));
      expect(merged.records).toHaveLength(first.length);
    }),
    settings(50),
  );
});

test("rows of the columns have one version, and each changed one its record", () => {
  const given = ["1", "2", "3"].map((id) => ({ id, text: null, hidden: null, [LIST]: null }));
  const columns = columnsOf(given);
  const changed = objectsOf(given.slice(0, 2));
  const merged = columns.mergedWith(changed, [~0, 1, ~1, 2]);
  expect([0, 1, 2, 3].map((row) => merged.versionOf(row))).toEqual([
    changed.record(0),
    columns.versionOf(),
    changed.record(1),
    columns.versionOf(),
  ]);
  expect(merged.versionOf(1)).toBe(columns.versionOf());
  expect(columns.mergedWith(changed, [0, ~0]).versionOf(0)).toBe(columns.versionOf());
  const again = merged.mergedWith(objectsOf([]), [3, 2]);
  expect(again.versionOf(0)).toBe(columns.versionOf());
  expect(again.versionOf(1)).toBe(changed.record(1));
  expect(again.record(1)).toBe(changed.record(1));
});
