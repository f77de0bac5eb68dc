// `get` finds the same record as a filter with `exactly`, whatever has happened to the collection,
// and whichever indexes it has.

import { describe, expect, test } from "vitest";
import {
  boolean,
  createCollection,
  defineSchema,
  InputError,
  int,
  string,
  type CollectionOptions,
} from "../../src/index.ts";
import { like } from "../likeness.ts";
import { wireSchema } from "../wire-schema.ts";

const Item = wireSchema({
  id: int({ unique: true }),
  name: string({ unique: true, nullable: true, stored: false }),
  group: string({ default: "a" }),
});

const NAMES = ["", "a", "ab", "0", "2024", "__proto__", "constructor", "𝒜", "é", null] as const;

/** Ids from 0 on; more rows than are few. */
const many = (count: number, options?: CollectionOptions) =>
  createCollection(
    Item,
    Array.from({ length: count }, (_, id) => ({
      id,
      name: id < NAMES.length ? NAMES[id] : `n${id}`,
    })),
    options,
  );

describe("get", () => {
  test("returns the object that queries return", () => {
    const items = many(100);
    expect(items.get("id", 7)).toBe(items.query({ criteria: [["id", "exactly", 7]] })[0]);
  });

  test("returns the same again, and in another version what that has", () => {
    const items = many(200);
    const changed = items.update([["id", "exactly", 7]], { group: "b" });
    const removed = changed.remove([["id", "exactly", 7]]);
    for (let i = 0; i < 3; i++) {
      expect(items.get("id", "7")?.group).toBe("a");
      expect(changed.get("id", "7")?.group).toBe("b");
      expect(removed.get("id", "7")).toBeUndefined();
      expect(items.get("name", "n17")?.id).toBe("17");
      expect(() => items.get("group" as never, "a")).toThrow(InputError);
      expect(() => items.get("id", {} as never)).toThrow(InputError);
    }
  });

  test("compares as exactly does: by the text form", () => {
    const items = many(100);
    expect(items.get("id", "7")).toBe(items.get("id", 7n));
    expect(items.get("id", "07")).toBeUndefined();
    expect(items.get("id", 0.5)).toBeUndefined();
    expect(items.get("name", "ab")?.id).toBe("2");
    // V13: null names no record, though one has it.
    expect(items.get("name", null)).toBeUndefined();
  });

  test("builds the index that it would have needed, as queries do", () => {
    const items = many(100_000);
    for (let i = 0; i < 1000 && items.indexes().length === 0; i++) items.get("id", 99_999);
    expect(items.indexes()).toMatchObject([{ field: "id", kind: "ordered" }]);
    const bare = many(100_000, { indexes: "none" });
    for (let i = 0; i < 30; i++) bare.get("id", 99_999);
    expect(bare.indexes()).toEqual([]);
  });

  test("finds a boolean", () => {
    const Side = defineSchema({ left: boolean({ unique: true }), name: string() });
    const sides = createCollection(Side, [{ left: true, name: "l" }, { left: false, name: "r" }]); // oxfmt-ignore
    expect(sides.get("left", false)?.name).toBe("r");
    expect(sides.get("left", "true")?.name).toBe("l");
  });

  test("refuses a field that is not unique, and values that no field holds", () => {
    const items = many(3);
    const refused = (field: unknown, value: unknown) => () =>
      items.get(field as "id", value as string);
    expect(refused("group", "a")).toThrow(
      like(new InputError("field", 'must be a unique field, not "group"')),
    );
    for (const field of ["", "toString", "__proto__", undefined, 1, ["id"]]) {
      expect(refused(field, "1")).toThrow(InputError);
    }
    expect(refused("id", undefined)).toThrow(
      "value: must be a well-formed string, a finite number, a bigint or null, not undefined",
    );
    for (const value of [NaN, Infinity, {}, [1], true, Symbol("1"), "\ud800"]) {
      expect(refused("id", value)).toThrow(InputError);
    }
  });
});
