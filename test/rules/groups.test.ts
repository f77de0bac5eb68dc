// Rule C3a: groups of criteria, and NOT before a criterion or a group.

import { describe, expect, test } from "vitest";
import {
  compileCriteria,
  Contact,
  createCollection,
  CriteriaError,
  defineSchema,
  File,
  int,
  parseCriteria,
  string,
  type CriteriaOptions,
} from "../../src/index.ts";
import { distinct } from "../../src/criteria/distinct.ts";
import { isNested, type ParsedCriteria } from "../../src/criteria/tree.ts";
import { thrownBy, untyped } from "./fixtures.ts";

const Thing = defineSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  count: int({ nullable: true }),
});

const things = createCollection(Thing, [
  { id: 1, text: "a", count: 1 },
  { id: 2, text: "a", count: 2 },
  { id: 3, text: "b", count: 1 },
  { id: 4, text: "b", count: 2 },
  { id: 5, text: null, count: null },
]);

/** The ids that criteria select. */
const select = (criteria: unknown) =>
  things
    .query({ criteria: untyped(criteria) })
    .map(({ id }) => id)
    .join("");

const refused = (criteria: unknown, options?: CriteriaOptions): CriteriaError =>
  thrownBy(CriteriaError, () => parseCriteria(Thing, criteria, options));

const a = ["text", "exactly", "a"];
const one = ["count", "exactly", 1];
const three = ["id", "exactly", 3];
const four = ["id", "exactly", 4];
const none = ["id", "exactly", 0];

test.each<[what: string, criteria: unknown[], ids: string]>([
  ["(a or three)", [[a, "OR", three]], "123"],
  ["(a or three) and one", [[a, "OR", three], one], "13"],
  ["one and (a or three)", [one, [a, "OR", three]], "13"],
  ["a or three and one", [a, "OR", three, one], "123"],
  ["(a and one) or four", [[a, one], "OR", four], "14"],
  ["((a or three) and one) or four", [[[a, "OR", three], one], "OR", four], "134"],
  ["a group in a group in a group", [[[[three]]]], "3"],
  [
    "two groups",
    [
      [three, "OR", four],
      [a, "OR", four],
    ],
    "4",
  ],
  ["the empty group", [[]], "12345"],
  ["the empty group and a", [[], a], "12"],
  ["the empty group or a", [[], "OR", a], "12345"],
  ["not a, null among the others", ["NOT", a], "345"],
  ["not a, and one", ["NOT", a, one], "3"],
  ["one, and not a", [one, "NOT", a], "3"],
  ["not a or one", ["NOT", a, "OR", one], "1345"],
  ["not a, and not four", ["NOT", a, "NOT", four], "35"],
  ["not (a or three)", ["NOT", [a, "OR", three]], "45"],
  ["not (a and one)", ["NOT", [a, one]], "2345"],
  ["not (not a)", ["NOT", ["NOT", a]], "12"],
  ["not (not (not a))", ["NOT", ["NOT", ["NOT", a]]], "345"],
  ["not (a and (one or three) or four)", ["NOT", [a, [one, "OR", three], "OR", four]], "235"],
  ["not the empty group", ["NOT", []], ""],
  ["not the empty group or four", ["NOT", [], "OR", four], "4"],
  ["not the empty group, and a", ["NOT", [], a], ""],
  ["not (not the empty group)", ["NOT", ["NOT", []]], "12345"],
  ["not (none or none)", ["NOT", [none, "OR", none]], "12345"],
  ["not in", ["NOT", ["text", "in", ["a", null]]], "34"],
  ["not null", ["NOT", ["text", "exactly", null]], "1234"],
  ["not not", ["NOT", ["text", "not", "a"]], "12"],
  ["not contains, which null satisfies", ["NOT", ["text", "contains", "a"]], "345"],
  ["not starts_with the empty text", ["NOT", ["text", "starts_with", ""]], "5"],
  ["not a comparison, which null satisfies", ["NOT", ["count", "greater_than", 1]], "135"],
  [
    "neither at_least nor at_most",
    ["NOT", ["count", "at_least", 2], "NOT", ["count", "at_most", 1]],
    "5",
  ],
])("C3a selects %s", (_what, criteria, ids) => {
  expect(select(criteria)).toBe(ids);
  const holds = compileCriteria(Thing, untyped(criteria) as []);
  expect(
    things
      .query()
      .filter(holds)
      .map(({ id }) => id)
      .join(""),
  ).toBe(ids);
  expect(things.count(untyped(criteria) as [])).toBe(ids.length);
});

test("C3a fields may be named NOT and OR", () => {
  const Words = defineSchema({ NOT: int(), OR: int(), id: int() });
  const words = createCollection(Words, [
    { id: 1, NOT: 1, OR: 2 },
    { id: 2, NOT: 2, OR: 1 },
  ]);
  const ids = (criteria: unknown) =>
    words.query({ criteria: untyped(criteria) }).map(({ id }) => id);
  expect(ids([["NOT", "exactly", 1]])).toEqual([1]);
  expect(ids(["NOT", ["NOT", "exactly", 1]])).toEqual([2]);
  expect(ids([["NOT", ["NOT", "exactly", 1]]])).toEqual([2]);
  expect(ids([["NOT", "exactly", 2], "OR", ["OR", "exactly", 2]])).toEqual([1, 2]);
  expect(ids([[["OR", "exactly", 1], "OR", ["OR", "exactly", 3]]])).toEqual([2]);
});

describe("C3a is refused, with the path of what is wrong:", () => {
  const NOT = '"NOT" must be before a criterion or a group';
  const OR = '"OR" must be between two criteria';
  test.each<[criteria: unknown, message: string]>([
    [["NOT"], `criteria[0]: ${NOT}`],
    [[a, "NOT"], `criteria[1]: ${NOT}`],
    [["NOT", "NOT", a], `criteria[1]: ${NOT}`],
    [[a, "NOT", "OR", a], `criteria[2]: ${OR}`],
    [[a, [a, "NOT"]], `criteria[1][1]: ${NOT}`],
    [
      [a, ["OR", a]],
      "criteria[1]: must have exactly three elements [field, operator, value], not 2",
    ],
    [[a, [a, "OR"]], `criteria[1][1]: ${OR}`],
    [[[a], [a, [a, "OR", "OR", a]]], `criteria[1][1][2]: ${OR}`],
    [
      ["not", a],
      'criteria[0]: must be [field, operator, value], a group of criteria, "OR" or "NOT", not "not"; criteria are a list of such triples',
    ],
    [
      [a, "NOT", [a, ["txet", "exactly", "a"]]],
      'criteria[2][1]: unknown field "txet"; did you mean "text"?',
    ],
    [
      [[[["text", "like", "a"]]]],
      expect.stringMatching(/^criteria\[0\]\[0\]\[0\]: unknown operator "like"/) as string,
    ],
    [
      [[one, ["count", "at_least", "x"]]],
      expect.stringMatching(/^criteria\[0\]\[1\]: at_least takes/) as string,
    ],
    [
      [[one, ["text", "in", [{}]]]],
      expect.stringMatching(/^criteria\[0\]\[1\]: value\[0\] must be/) as string,
    ],
    [[["NOT"]], "criteria[0]: must have exactly three elements [field, operator, value], not 1"],
  ])("%j", (criteria, message) => {
    const error = refused(criteria);
    expect(error.message).toEqual(message);
    expect(error.path).toEqual(
      [...error.message.matchAll(/\[(\d+)\]/g)]
        .slice(0, error.path.length)
        .map(([, at]) => Number(at)),
    );
    expect(error.position).toBe(error.path[0]);
  });

  test.each([
    [File, "id"],
    [Contact, "contact_id"],
  ] as const)("both in the two methods", (schema, field) => {
    const criterion = [field, "exactly", 1];
    for (const [position, criteria] of [
      [0, ["NOT", criterion]],
      [1, [criterion, [criterion]]],
      [0, [[]]],
    ] as const) {
      const error = thrownBy(CriteriaError, () => parseCriteria(schema, criteria));
      expect(error.path).toEqual([position]);
    }
  });
});

/** A list in groups. */
function nested(list: unknown[], by: number): unknown[] {
  let outer = list;
  for (let i = 0; i < by; i++) outer = [outer];
  return outer;
}

/** A list that counts how often its elements are read. */
function counting(list: unknown[], count: { reads: number }): unknown[] {
  return new Proxy(list, {
    get(target, name): unknown {
      if (/^\d+$/.test(String(name))) count.reads++;
      return Reflect.get(target, name);
    },
  });
}

describe("C3a, C10 what costs much is refused soon:", () => {
  test("groups nested 33 deep, and 32 are allowed", () => {
    expect(select(nested([a], 32))).toBe("12");
    const { code, path, reason } = refused(nested([a], 33));
    expect({ code, path: path.length, reason }).toEqual({
      code: "limit",
      path: 33,
      reason: "groups may be nested at most 32 deep",
    });
    expect(refused(nested([a], 20_000)).path).toHaveLength(33);
    expect(select(["NOT", nested(["NOT", a], 31)])).toBe("12");
  });

  test("a list that contains itself", () => {
    const list: unknown[] = [a];
    list.push("OR", list);
    expect(refused(list).reason).toBe("groups may be nested at most 32 deep");
    const alone: unknown[] = [];
    alone.push(alone);
    expect(refused(alone).reason).toBe("groups may be nested at most 32 deep");
  });

  test.each([
    ["criteria", [a]],
    ["empty groups", []],
  ])("a thousand and one %s in lists that share others", (_what, leaf: unknown[]) => {
    const count = { reads: 0 };
    let list = counting(leaf, count);
    for (let i = 0; i < 31; i++) list = counting([list, list], count);
    const { code, reason } = refused(list);
    expect([code, reason]).toEqual(["limit", "there may be at most 1000 criteria"]);
    expect(count.reads).toBeLessThan(5000);
  });

  test("more criteria than there may be, wherever they stand", () => {
    const some = [a, [one, "NOT", [three, "OR", four]], "NOT", a];
    expect(() => parseCriteria(Thing, some, { maxCriteria: 5 })).not.toThrow();
    expect(refused(some, { maxCriteria: 4 }).reason).toBe("there may be at most 4 criteria");
    const groups = Array.from({ length: 1000 }, (_, i) =>
      i === 0 ? ["NOT", [a]] : ["OR", "NOT", [a]],
    );
    expect(select(groups.flat(1))).toBe("345");
    expect(refused([...groups.flat(1), "OR", a]).reason).toBe("there may be at most 1000 criteria");
  });

  test("lists of four billion holes, at any depth", () => {
    const holes = () => new Array<unknown>(2 ** 32 - 1);
    for (const list of [holes(), [holes()], [a, [a, holes()]], [[holes(), a]]]) {
      expect(refused(list)).toBeInstanceOf(CriteriaError);
    }
    const group = [a];
    group.length = 2 ** 32 - 1;
    expect(refused([group]).reason).toBe("there may be at most 1000 criteria");
  });

  test("what throws when it is read", () => {
    const fail = () => {
      throw new Error("no");
    };
    const { proxy, revoke } = Proxy.revocable([a], {});
    revoke();
    const getter = Object.defineProperty([a, a], 1, { get: fail });
    for (const [list, path] of [
      [
        [a, [a, proxy]],
        [1, 1],
      ],
      [
        [a, [a, getter]],
        [1, 1],
      ],
      [
        ["NOT", [[proxy, a]]],
        [1, 0],
      ],
      [[a, new Proxy([], { get: fail })], [1]],
      [
        [
          a,
          new Proxy(one, {
            get: (of, name): unknown => (name === "length" ? "3" : Reflect.get(of, name)),
          }),
        ],
        [1],
      ],
    ] as const) {
      const error = refused(list);
      expect([error.path, error.reason]).toEqual([path, "could not be read"]);
    }
  });
});

test("C11 each element of a group is read once, and the group is not kept", () => {
  const count = { reads: 0 };
  const group = counting([a, "OR", counting([...three], count)], count);
  const criteria = counting(["NOT", group], count);
  const holds = compileCriteria(Thing, untyped(criteria) as []);
  expect(count.reads).toBe(2 + 3 + 3);
  group.length = 0;
  expect(
    things
      .query()
      .filter(holds)
      .map(({ id }) => id),
  ).toEqual([4, 5]);
});

test("parsed groups are deeply frozen", () => {
  const isFrozen = (value: unknown): boolean =>
    typeof value !== "object" ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isFrozen));
  expect(
    isFrozen(
      parseCriteria(Thing, [
        "NOT",
        [a, one, "OR", [three, "NOT", [one, "OR", ["text", "contains", "b"]]]],
      ]),
    ),
  ).toBe(true);
});

describe("equal parts count once:", () => {
  const shapeOf = ({ groups }: ParsedCriteria): unknown =>
    groups.map((group) =>
      group.map((part) =>
        isNested(part) ? shapeOf(part) : [part.field, part.operator, part.value, part.negated],
      ),
    );
  const distinctOf = (criteria: unknown[]) => distinct(parseCriteria(Thing, criteria));
  const shape = (criteria: unknown[]) => shapeOf(distinctOf(criteria));

  test("criteria, negated ones, and groups in any order", () => {
    const group = [a, "OR", one];
    expect(shape([group, [one, "OR", a], three, three])).toEqual(shape([group, three]));
    expect(shape([[three, group], "OR", [group, three]])).toEqual(shape([three, group]));
    expect(distinctOf(["NOT", a, "NOT", a]).groups[0]).toHaveLength(1);
    expect(distinctOf(["NOT", a, a]).groups[0]).toHaveLength(2);
    expect(
      distinctOf([
        [a, "OR", "NOT", one],
        [a, "OR", one],
      ]).groups[0],
    ).toHaveLength(2);
    const repeated = [
      [a, a, "OR", one, one],
      [a, a, "OR", a, a],
    ];
    expect(shape(repeated)).toEqual(shape([group, a]));
  });

  test("values with many quotes, however deep", () => {
    const quotes = ["text", "exactly", '"'.repeat(10_000)];
    let list: unknown[] = [quotes, "OR", one];
    for (let i = 0; i < 15; i++) list = [quotes, "OR", [a, list]];
    expect(distinctOf(list).groups).toHaveLength(2);
  });
});
