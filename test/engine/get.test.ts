// Getting a record by the value of a unique field: it is the record that a filter with `exactly`
// finds, whatever has happened to the collection, and whichever indexes it has.

import fc from "fast-check";
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
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { settings } from "../property.ts";
import { like } from "../likeness.ts";

const Item = defineSchema(
  {
    id: int({ unique: true }),
    name: string({ unique: true, nullable: true, stored: false }),
    group: string({ default: "a" }),
  },
  { form: "wire" },
);

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

const step = fc.oneof(
  fc.record({ kind: fc.constant("remove"), id: fc.nat(150) }),
  fc.record({ kind: fc.constant("regroup"), id: fc.nat(150) }),
  fc.record({ kind: fc.constant("insert"), id: fc.integer({ min: 150, max: 300 }) }),
  fc.record({ kind: fc.constantFrom("compact", "reopen", "prepare"), id: fc.constant(0) }),
);

describe("get", () => {
  test("is the record that exactly finds, after any changes", () => {
    const builders = fc.constantFrom("auto" as const, "none" as const, "deferred" as const);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), builders, (steps, indexes) => {
        let items = many(150, { indexes });
        const rows = new Map(Array.from({ length: 150 }, (_, id) => [id, "a"]));
        for (const { kind, id } of steps) {
          if (kind === "remove") {
            items = items.remove([["id", "exactly", id]]);
            rows.delete(id);
          } else if (kind === "regroup") {
            items = items.update([["id", "exactly", id]], (draft) => void (draft.group += "b"));
            if (rows.has(id)) rows.set(id, `${rows.get(id) ?? ""}b`);
          } else if (kind === "insert" && !rows.has(id)) {
            items = items.insert([{ id, name: `n${id}` }]);
            rows.set(id, "a");
          } else if (kind === "compact") items = items.compact();
          else if (kind === "prepare") items.prepare({ match: ["id", "name"] });
          else if (kind === "reopen") {
            items = openCollection(saveCollection(items), { schema: Item });
          }
        }
        for (let id = 0; id < 300; id++) {
          const expected = rows.has(id) ? { id: String(id), group: rows.get(id) } : undefined;
          expect(items.get("id", id)).toEqual(expected);
          const name = id < NAMES.length ? NAMES[id] : `n${id}`;
          expect(items.get("name", name ?? null)).toEqual(expected);
        }
      }),
      settings(60),
    );
  });

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

  test("compares as exactly does: by the wire string", () => {
    const items = many(100);
    expect(items.get("id", "7")).toBe(items.get("id", 7n));
    expect(items.get("id", "07")).toBeUndefined();
    expect(items.get("id", 0.5)).toBeUndefined();
    expect(items.get("name", "ab")?.id).toBe("2");
    expect(items.get("name", null)?.id).toBe("9");
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
