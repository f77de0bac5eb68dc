// Changes of JSON fields: a value is replaced completely, and recipes may change it at any depth.

import { describe, expect, test } from "vitest";
import {
  createCollection,
  defineSchema,
  int,
  json,
  string,
  type InputOf,
  InputError,
} from "../../src/index.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";

const Order = defineSchema({
  id: int({ unique: true }),
  state: string({ default: "new" }),
  lines: json<readonly { readonly sku: string; readonly count: number }[]>(),
  note: json({ nullable: true }),
});

const orders = (...given: InputOf<typeof Order>[]) => createCollection(Order, given);

describe("a field of JSON", () => {
  test("holds a frozen copy of its input", () => {
    const line = { sku: "a", count: 1 };
    const collection = orders({ id: 1, lines: [line] });
    line.count = 2;
    const [order] = collection.query();
    expect(order).toEqual({ id: 1, state: "new", lines: [{ sku: "a", count: 1 }], note: null });
    expect(Object.isFrozen(order?.lines[0])).toBe(true);
    expect(collection.query()[0]?.lines).toBe(order?.lines);
  });

  test("keeps names that objects inherit, and its order of members", () => {
    const note = JSON.parse('{"b":1,"__proto__":{"x":1},"a":null,"1":[[]]}') as never;
    const [order] = orders({ id: 1, lines: [], note }).query();
    expect(JSON.stringify(order?.note)).toBe('{"1":[[]],"b":1,"__proto__":{"x":1},"a":null}');
    expect(Object.getPrototypeOf(order?.note)).toBe(Object.prototype);
  });

  const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const cycle: unknown[] = [];
  cycle.push(cycle);
  test.each<readonly [note: unknown, what: string]>([
    [new Date(0), "a Date; write its toISOString()"],
    [
      { lines: [{}, { due: new Map() }] },
      "an object in which lines[1].due is an object of a class",
    ],
    [() => 1, "a function"],
    [[NaN], "an array in which [0] is NaN"],
    [{ "a b": [1, undefined] }, 'an object in which ["a b"][1] is undefined'],
    [{ n: 1n }, "an object in which n is 1n"],
    [["\ud83d"], 'an array in which [0] is "\\ud83d"'],
    [{ "\ud83d": 1 }, 'an object with the name "\\ud83d"'],
    [new Array(2), "an array in which [0] is undefined"],
    [[1, { cycle }], "an array in which [1].cycle[0] is an array that holds itself"],
    [deep(502), `an array in which ${"[0]".repeat(20)}… is nested too deeply`],
  ])("refuses what is none, and says where: $1", (note, what) => {
    const load = () => orders({ id: 1, lines: [], note: untyped(note) });
    expect(thrownBy(InputError, load).message).toBe(
      `records[0].note: must be a JSON value nested at most 500 deep, its strings of well-formed Unicode, not ${what}`,
    );
  });

  test("takes nesting that is deep, and still answers", () => {
    const [order] = orders({ id: 1, lines: [], note: untyped(deep(500)) }).query();
    expect(order?.note).toEqual(deep(500));
  });
});

describe("a change of JSON", () => {
  const before = orders({ id: 1, lines: [{ sku: "a", count: 1 }] }, { id: 2, lines: [] });

  test("in a draft goes as deep as it likes, and is one patch", () => {
    const { collection, patches, inversePatches } = before.withPatches((all) =>
      all.update([["id", "exactly", 1]], ({ lines: [line] }) => {
        if (line !== undefined) line.count += 1;
      }),
    );
    const line = (count: number) => [{ sku: "a", count }];
    expect(collection.get("id", 1)?.lines).toEqual(line(2));
    expect(patches).toEqual([
      { op: "replace", path: [1, "lines"], value: line(2), before: line(1) },
    ]);
    expect(inversePatches).toEqual([
      { op: "replace", path: [1, "lines"], value: line(1), before: line(2) },
    ]);
    expect(before.applyPatches(patches).query()).toEqual(collection.query());
    expect(collection.applyPatches(inversePatches).query()).toEqual(before.query());
  });

  test("to an equal value changes nothing", () => {
    const same = before.update(null, (draft) => void (draft.lines = [...draft.lines]));
    expect(same).toBe(before);
  });

  test("to the same members in another order changes nothing", () => {
    const [first] = before;
    const lines = first?.lines.map(({ sku, count }) => ({ count, sku }));
    const sorted = before.update([["id", "exactly", 1]], { lines: lines ?? [] });
    expect(sorted).toBe(before);
    expect(before.upsert({ ...first, lines } as never, "id")).toBe(before);
    expect(before.update([["id", "exactly", 1]], { lines: [] })).not.toBe(before);
  });

  test("by a path into it is refused: a value is a whole", () => {
    const patch = { op: "replace", path: [1, "lines", "0", "count"], value: 5 } as const;
    expect(() => before.applyPatches([patch])).toThrow(
      "patches[0].path: points to an array, which has no fields",
    );
  });
});
