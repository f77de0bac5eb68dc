// Which row already has a value, compared with JavaScript's Map.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { Codec } from "../../../src/engine/columns/codec.ts";
import { Loader, RecordSink } from "../../../src/engine/columns/loader.ts";
import { UniqueValues } from "../../../src/engine/columns/unique-values.ts";
import { createCollection, InputError, int, string } from "../../../src/index.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";
import { ADVERSARY_SEED, stringsOfOneHash } from "../adversaries.ts";
import { wireSchema } from "../../wire-schema.ts";

type Value = string | null;

/** Adds values until one is there already, and says where that is. */
function expectFound(values: readonly Value[]): void {
  const unique = new UniqueValues();
  const rows = new Map<Value, number>();
  for (const [row, value] of values.entries()) {
    // Null equals nothing.
    const earlier = value === null ? -1 : (rows.get(value) ?? -1);
    expect(unique.add(value)).toBe(earlier);
    if (earlier >= 0) return;
    rows.set(value, row);
  }
}

test("a value that is taken back was never there", () => {
  const value = fc.oneof(
    fc.constantFrom<Value>(null, "", "__proto__", "0", "\u{1f600}"),
    fc.nat({ max: 40 }).map((i) => `value ${i}`),
    fc.constantFrom(...stringsOfOneHash(5)),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(value, fc.boolean()), { maxLength: 200 }), (steps) => {
      using _ = tuned({ hashSeed: () => ADVERSARY_SEED, firstSlots: 4, mostSteps: 8 });
      const unique = new UniqueValues();
      const kept: Value[] = [];
      for (const [each, isKept] of steps) {
        const earlier = each === null ? -1 : kept.indexOf(each);
        expect(unique.add(each)).toBe(earlier);
        if (earlier >= 0 || !isKept) unique.takeBack();
        else kept.push(each);
      }
    }),
    settings(100),
  );
});

const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `value ${i}`);

test("a value that is there already is found, among few and among many", () => {
  const special = fc.constantFrom<Value>(null, "", "__proto__", "0", "\u{1f600}");
  fc.assert(
    fc.property(
      fc.constantFrom(0, 3, 7, 8, 9, 15, 16, 17, 255, 256, 257, 3000),
      fc.array(
        fc.oneof(
          special,
          fc.nat({ max: 3100 }).map((i) => `value ${i}`),
        ),
      ),
      fc.nat(),
      (count, others, at) => {
        const values: Value[] = many(count);
        values.splice(at % (count + 1), 0, null);
        expectFound([...values, ...others]);
      },
    ),
    settings(100),
  );
});

describe("what the values are held in", () => {
  /** How many values a Map is given while others are added. */
  const given = (values: readonly Value[]) => {
    const unique = new UniqueValues();
    const set = vi.spyOn(Map.prototype, "set");
    try {
      for (const value of values) unique.add(value);
      return set.mock.calls.length;
    } finally {
      set.mockRestore();
    }
  };

  test("is no Map, however many there are", () => {
    expect(given(many(20_000))).toBe(0);
  });

  test("is a Map for those that were made to collide", () => {
    using _ = tuned({ hashSeed: () => ADVERSARY_SEED });
    expect(given(stringsOfOneHash(10))).toBe(1024);
  });
});

test("each of many values is found by itself", () => {
  const unique = new UniqueValues();
  const values = many(3000);
  for (const value of values) expect(unique.add(value)).toBe(-1);
  for (const [row, value] of values.entries()) expect(unique.add(value)).toBe(row);
});

test("values that were made to collide are told apart", () => {
  using _ = tuned({ hashSeed: () => ADVERSARY_SEED });
  const strings = stringsOfOneHash(10);
  expect(new Set(strings).size).toBe(1024);
  for (const before of [0, 50, 150]) {
    for (const twice of [0, 300, 1023]) {
      expectFound([...many(before), ...strings, strings[twice] ?? ""]);
    }
  }
});

test("the error names both places, of all that a Map would have held and more", () => {
  const Row = wireSchema({ id: int(), email: string({ nullable: true, unique: true }) });
  const rows = Array.from({ length: 2000 }, (_, id) => ({
    id,
    email: id === 7 ? null : `${id}@x`,
  }));
  const refusal = (email: string | null) => {
    try {
      createCollection(Row, [...rows, { id: 2000, email }]);
    } catch (error) {
      return error instanceof InputError ? error.message : error;
    }
    return undefined;
  };
  expect(refusal("1234@x")).toBe('records[2000].email: "1234@x" is already used by records[1234]');
  expect(refusal(null)).toBeUndefined();
  expect(refusal("")).toBeUndefined();
});

test("records of several sources are named by their own", () => {
  const codec = new Codec(wireSchema({ id: int({ unique: true }) }));
  const loader = new Loader(codec, new RecordSink(codec));
  loader.add([{ id: 1 }, { id: 2 }], "a");
  loader.add([], "b");
  loader.add([{ id: 3 }], "c");
  loader.addOne({ id: 4 }, "rows", 9, undefined);
  const refused = (id: number) => () => {
    loader.addOne({ id }, "rows", 10, undefined);
  };
  expect(refused(2)).toThrow('rows[10].id: "2" is already used by a[1]');
  expect(refused(3)).toThrow('rows[10].id: "3" is already used by c[0]');
  expect(refused(4)).toThrow('rows[10].id: "4" is already used by rows[9]');
});
