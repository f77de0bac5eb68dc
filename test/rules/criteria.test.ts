// Rules C1 to C13: what criteria are, when they hold, and when they are not valid.

import { describe, expect, test } from "vitest";
import {
  compileCriteria,
  Contact,
  createCollection,
  createService,
  CriteriaError,
  InputError,
  parseCriteria,
  defineSchema,
  File,
  float,
  boolean,
  int,
  json,
  string,
  strings,
  type CriteriaOptions,
} from "../../src/index.ts";
import {
  aContact,
  aFile,
  ask,
  aService,
  codeOf,
  CONTACT_FIELDS,
  FILE_FIELDS,
  idsOf,
  INHERITED_NAMES,
  Thing,
  thrownBy,
  untyped,
} from "./fixtures.ts";
import { lazily } from "../lazily.ts";
import { like } from "../likeness.ts";

/** Whether one criterion holds for a record in wire form. */
function holds(
  criterion: unknown,
  value: { text?: string | null; count?: string | null },
): boolean {
  return compileCriteria(Thing, [criterion])({
    id: "1",
    text: null,
    count: null,
    hidden: null,
    ...value,
  });
}

function refused(criteria: unknown, options?: CriteriaOptions): CriteriaError {
  const error = thrownBy(CriteriaError, () => parseCriteria(Thing, criteria, options));
  expect(error.message).toContain(error.reason);
  return error;
}

const things = lazily(() =>
  createCollection(Thing, [
    { id: 1, text: "a", count: 1 },
    { id: 2, text: "a", count: 2 },
    { id: 3, text: "b", count: 1 },
    { id: 4, text: "b", count: 2 },
  ]),
);

/** The ids that criteria select of `things`. */
const select = (criteria: unknown) =>
  things()
    .query({ criteria: untyped(criteria) })
    .map(({ id }) => id)
    .join("");

const ALL_OPERATORS = [
  "exactly",
  "not",
  "contains",
  "starts_with",
  "ends_with",
  "greater_than",
  "less_than",
  "in",
];

describe("C1", () => {
  test.each([undefined, null, []].map((criteria) => [criteria]))(
    "C1 the criteria %o mean every record",
    (criteria) => {
      expect(select(criteria)).toBe("1234");
      expect(things().count(untyped(criteria))).toBe(4);
      const service = aService();
      expect(idsOf(ask(service, "searchFiles", criteria))).toEqual(["1", "2", "3"]);
      expect(ask(service, "getBatchContacts", 7, criteria).result).toEqual(
        ask(service, "getBatchContacts", 7).result,
      );
    },
  );

  test("C1 a criterion is field, operator and value", () => {
    expect(select([["text", "exactly", "a"]])).toBe("12");
  });

  test.each([
    [[["text"]]],
    [[["text", "exactly"]]],
    [[["text", "exactly", "a", "b"]]],
    [["text", "exactly", "a"]],
    [[{ 0: "text", 1: "exactly", 2: "a", length: 3 }]],
    [[[5, "exactly", "a"]]],
    [[["text", 5, "a"]]],
    [[[null, "exactly", "a"]]],
    [[["text", null, "a"]]],
    [[[["text"], "exactly", "a"]]],
    [[["text", ["exactly"], "a"]]],
  ])(
    "C1 %j holds no criterion of exactly three elements with a field and an operator",
    (criteria) => {
      expect(refused(criteria).position).toBe(0);
      expect(thrownBy(CriteriaError, () => parseCriteria(File, criteria)).position).toBe(0);
    },
  );

  test("C3a, C1 a list in the list is a group in a schema of one's own only", () => {
    for (const group of [[], [["id", "exactly", "1"]], ["NOT", ["id", "exactly", "1"]]]) {
      expect(parseCriteria(Thing, [group]).groups).toHaveLength(1);
      expect(thrownBy(CriteriaError, () => parseCriteria(File, [group])).position).toBe(0);
    }
  });
});

describe("C2", () => {
  test("C2 several criteria must all hold", () => {
    expect(
      select([
        ["text", "exactly", "a"],
        ["count", "exactly", 2],
      ]),
    ).toBe("2");
    expect(
      select([
        ["text", "exactly", "a"],
        ["text", "exactly", "b"],
      ]),
    ).toBe("");
    expect(
      select([
        ["id", "greater_than", 1],
        ["id", "less_than", 4],
        ["count", "exactly", 1],
      ]),
    ).toBe("3");
  });
});

describe("C3", () => {
  const a = ["text", "exactly", "a"];
  const one = ["id", "exactly", 1];
  const two = ["count", "exactly", 2];
  const four = ["id", "exactly", 4];
  const none = ["id", "exactly", 0];

  test.each([
    ["one of two criteria", [one, "OR", four], "14"],
    ["(a and two) or four", [a, two, "OR", four], "24"],
    ["four or (a and two)", [four, "OR", a, two], "24"],
    ["not a and (two or one)", [a, two, "OR", one], "12"],
    ["three groups", [one, "OR", none, "OR", four], "14"],
    ["a record that both groups select once", [a, "OR", one], "12"],
    ["no group that holds", [none, "OR", none], ""],
  ])("C3 OR selects %s", (_what, criteria, ids) => {
    expect(select(criteria)).toBe(ids);
  });

  test.each([
    ["first", ["OR", one], 0],
    ["last", [one, "OR"], 1],
    ["doubled", [one, "OR", "OR", one], 2],
    ["alone", ["OR"], 0],
  ])("C3 OR that stands %s is not valid", (_where, criteria, position) => {
    expect(refused(criteria).position).toBe(position);
  });

  test.each(["or", "Or", "AND", "OR ", "", ["OR"], "||"])("C3 %j is not an OR", (word) => {
    expect(refused([one, word, one]).position).toBe(1);
  });
});

describe("C4", () => {
  test("C4 there are these eight operators in the two methods, and no other", () => {
    const criteria = [["size", "no such operator", 1]];
    const { reason } = thrownBy(CriteriaError, () => parseCriteria(File, criteria));
    expect(reason.match(/"\w+"/g)).toEqual(ALL_OPERATORS.map((operator) => `"${operator}"`));
  });

  test.each<[operator: string, value: unknown, text: string, expected: boolean]>([
    ["exactly", "abc", "abc", true],
    ["exactly", "ab", "abc", false],
    ["exactly", "", "", true],
    ["exactly", "", "abc", false],
    ["exactly", "abc", "", false],
    ["not", "abc", "abc", false],
    ["not", "ab", "abc", true],
    ["not", "", "", false],
    ["not", "", "abc", true],
    ["not", null, "", true],
    ["exactly", null, "", false],
    ["contains", "b", "abc", true],
    ["contains", "abc", "abc", true],
    ["contains", "ac", "abc", false],
    ["contains", "abcd", "abc", false],
    ["contains", "a", "", false],
    ["starts_with", "ab", "abc", true],
    ["starts_with", "abc", "abc", true],
    ["starts_with", "b", "abc", false],
    ["starts_with", "abcd", "abc", false],
    ["ends_with", "bc", "abc", true],
    ["ends_with", "abc", "abc", true],
    ["ends_with", "b", "abc", false],
    ["ends_with", "zabc", "abc", false],
    ["in", "x,abc,y", "abc", true],
    ["in", "abc", "abc", true],
    ["in", "x, abc", "abc", false],
    ["in", "x, abc", " abc", true],
    ["in", "a,bc", "abc", false],
    ["in", "a,,b", "", true],
    ["in", "a,", "", true],
    ["in", ",a", "", true],
    ["in", "", "", true],
    ["in", "", "abc", false],
    ["in", "a,b", "a,b", false],
    ["in", ["a,b"], "a,b", true],
    ["in", ["x", "abc"], "abc", true],
    ["in", ["x", "abc"], "x", true],
    ["in", ["x", null], "abc", false],
    ["in", [], "abc", false],
    ["in", [], "", false],
    ["in", [""], "", true],
  ])("C4 %s %j of %j is %s", (operator, value, text, expected) => {
    expect(holds(["text", operator, value], { text })).toBe(expected);
  });

  test.each<[operator: string, value: unknown, count: string, expected: boolean]>([
    ["greater_than", 9, "10", true],
    ["greater_than", 10, "10", false],
    ["greater_than", 10, "9", false],
    ["greater_than", "9", "10", true],
    ["greater_than", -1, "0", true],
    ["greater_than", -1, "-2", false],
    ["greater_than", "9007199254740990", "9007199254740991", true],
    ["greater_than", 9007199254740991, "9007199254740991", false],
    ["greater_than", -9007199254740991, "-9007199254740990", true],
    ["less_than", 10, "9", true],
    ["less_than", 10, "10", false],
    ["less_than", 9, "10", false],
    ["less_than", "10", "9", true],
    ["less_than", 0, "-1", true],
    ["less_than", -0, "0", false],
    ["less_than", "-9007199254740990", "-9007199254740991", true],
    ["less_than", -9007199254740991, "-9007199254740991", false],
  ])("C4 %s %j of the integer %s is %s", (operator, value, count, expected) => {
    expect(holds(["count", operator, value], { count })).toBe(expected);
  });

  test.each(["exactly", "not", "contains", "starts_with", "ends_with", "in"])(
    "C4 %s applies to int and string fields",
    (operator) => {
      expect(() => parseCriteria(Thing, [["count", operator, "1"]])).not.toThrow();
      expect(() => parseCriteria(Thing, [["text", operator, "1"]])).not.toThrow();
      const onText = holds(["text", operator, "12"], { text: "12" });
      expect(holds(["count", operator, "12"], { count: "12" })).toBe(onText);
    },
  );

  test.each(["greater_than", "less_than"])("C4 %s applies to int fields only", (operator) => {
    const error = thrownBy(CriteriaError, () => parseCriteria(File, [["name", operator, 1]]));
    expect(error.reason).toBe(`${operator} needs an int field; "name" is a string field`);
  });

  const neverAValue = [
    undefined,
    true,
    false,
    {},
    2n ** 53n,
    Symbol("a"),
    () => "a",
    NaN,
    Infinity,
    -Infinity,
    new String("a"),
    new Date(0),
  ];
  const notForOperator: [string, unknown[]][] = [
    ["exactly", [...neverAValue, [], ["a"]]],
    ["not", [...neverAValue, [], ["a"]]],
    ["contains", [...neverAValue, [], ["a"], null]],
    ["starts_with", [...neverAValue, [], ["a"], null]],
    ["ends_with", [...neverAValue, [], ["a"], null]],
    [
      "in",
      [
        ...neverAValue,
        null,
        5,
        new Set(["a"]),
        ...neverAValue.map((value) => ["a", value]),
        [["a"]],
        Array(1),
      ],
    ],
  ];
  const notAnInteger = [
    ...neverAValue,
    [],
    [1],
    null,
    1.5,
    1e21,
    9007199254740992,
    -9007199254740992,
    "9007199254740992",
    "-9007199254740992",
    "",
    "-",
    "-0",
    "00",
    "01",
    "+1",
    " 1",
    "1 ",
    "1.0",
    "1e3",
    "a",
  ];
  test.each(
    [
      ...notForOperator,
      ["greater_than", notAnInteger] as const,
      ["less_than", notAnInteger] as const,
    ].flatMap(([operator, values]) => values.map((value) => [operator, value] as const)),
  )("C4 %s does not take %o", (operator, value) => {
    const error = refused([
      ["id", "exactly", 1],
      ["count", operator, value],
    ]);
    expect(error.position).toBe(1);
    expect(error.reason).toContain(operator);
  });
});

describe("C5", () => {
  test.each<[number, string]>([
    [24, "24"],
    [-1, "-1"],
    [0, "0"],
    [-0, "0"],
    [1.5, "1.5"],
    [1e21, "1e+21"],
    [1e-7, "1e-7"],
    [9007199254740992, "9007199254740992"],
  ])("C5 the number value %d compares as its decimal string %j", (number, text) => {
    for (const operator of ["exactly", "contains", "starts_with", "ends_with"]) {
      expect(holds(["text", operator, number], { text })).toBe(true);
      expect(holds(["text", operator, number], { text: "other" })).toBe(false);
    }
    expect(holds(["text", "not", number], { text })).toBe(false);
    expect(holds(["text", "in", ["x", number]], { text })).toBe(true);
  });

  test.each(["024", "+24", " 24", "24.0", "24 ", ""])(
    "C5 comparison is on the text form: %j is not 24",
    (value) => {
      const selects = (operator: string, given: unknown) =>
        compileCriteria(File, [["size", operator, given]])(untyped({ ...aFile(1), size: 24 }));
      expect(selects("exactly", value)).toBe(false);
      expect(selects("not", value)).toBe(true);
      expect(selects("in", [value])).toBe(false);
    },
  );

  test("C5 contains, starts_with and ends_with look at an integer's digits", () => {
    expect(holds(["count", "contains", 2], { count: "-123" })).toBe(true);
    expect(holds(["count", "starts_with", "-1"], { count: "-123" })).toBe(true);
    expect(holds(["count", "starts_with", 1], { count: "-123" })).toBe(false);
    expect(holds(["count", "ends_with", 23], { count: "-123" })).toBe(true);
  });
});

describe("C5a", () => {
  const Sale = defineSchema({ price: float(), size: int(), paid: boolean(), name: string() });
  const sales = createCollection(Sale, [{ price: 2, size: 7, paid: true, name: "7" }]);

  test.each<[field: string, value: unknown, remedy: string]>([
    ["price", "1.50", '; write 1.5 or "1.5"'],
    ["price", "1e0", '; write 1 or "1"'],
    ["price", NaN, ""],
    ["price", "seven", ""],
    ["price", 2n ** 53n, ""],
    ["size", "007", '; write 7 or "7"'],
    ["size", " 7", '; write 7 or "7"'],
    ["size", "", ""],
    ["size", 1.5, ""],
    ["size", "null", ""],
    ["paid", "TRUE", "; write true"],
    ["paid", "1", "; write true"],
    ["paid", "no", "; write false"],
    ["paid", 1, ""],
    ["size", new Date(0), "a Date; write its getTime()"],
  ])("C5a a field that can't have a value takes no criterion on it: %s, %o", (...given) => {
    const [field, value, remedy] = given;
    for (const [operator, each] of [
      ["exactly", value],
      ["not", value],
      ["in", [null, value]],
      ...(typeof value === "string" ? [["in", value]] : []),
    ]) {
      const criteria = [[field, operator, each]];
      const { reason } = thrownBy(CriteriaError, () => sales.count(untyped(criteria)));
      expect(reason.endsWith(remedy), reason).toBe(true);
    }
  });

  test("C5a a bigint in range is taken wherever a number is", () => {
    for (const criterion of [
      ["price", "exactly", 2n],
      ["size", "exactly", 7n],
      ["size", "in", [7n]],
      ["size", "not", 8n],
      ["size", "at_least", 7n],
      ["price", "less_than", 3n],
      ["size", "contains", 7n],
      ["name", "exactly", 7n],
    ]) {
      expect(sales.count(untyped([criterion])), String(criterion)).toBe(1);
    }
    const error = thrownBy(CriteriaError, () =>
      parseCriteria(File, untyped([["size", "exactly", 7n]])),
    );
    expect(error.reason).toContain("not 7n");
  });
});

describe("C6", () => {
  test.each<[operator: string, value: unknown, expected: boolean]>([
    ["exactly", null, true],
    ["exactly", "", false],
    ["exactly", "null", false],
    ["not", null, false],
    ["not", "", true],
    ["not", "a", true],
    ["not", 0, true],
    ["contains", "", false],
    ["contains", "null", false],
    ["starts_with", "", false],
    ["ends_with", "", false],
    ["in", [null], true],
    ["in", ["a", null], true],
    ["in", ["", "null"], false],
    ["in", [], false],
    ["in", "", false],
    ["in", "null", false],
  ])("C6 a field that is null: %s %j is %s", (operator, value, expected) => {
    expect(holds(["text", operator, value], { text: null })).toBe(expected);
    const isOfNumbers = [value].flat().every((each) => each === null || typeof each === "number");
    if (isOfNumbers) expect(holds(["count", operator, value], { count: null })).toBe(expected);
  });

  test.each(["greater_than", "less_than"])(
    "C6 a field that is null satisfies no %s",
    (operator) => {
      for (const bound of [0, -1, 1, -9007199254740991, 9007199254740991]) {
        expect(holds(["count", operator, bound], { count: null })).toBe(false);
      }
    },
  );

  test.each(["contains", "starts_with", "ends_with"])(
    "C6 %s of the empty string holds for every string",
    (operator) => {
      for (const text of ["", "a", "😀", "null"]) {
        expect(holds(["text", operator, ""], { text })).toBe(true);
      }
    },
  );
});

describe("C7", () => {
  test.each([
    ["A", "a"],
    ["É", "é"],
    ["\u00e9", "e\u0301"],
    ["ß", "ss"],
    ["İ", "i"],
    ["a\u200d", "a"],
    ["ﬁ", "fi"],
    ["１", "1"],
  ])("C7 %j and %j differ", (value, text) => {
    for (const operator of ["exactly", "contains", "starts_with", "ends_with", "in"]) {
      expect(holds(["text", operator, value], { text })).toBe(false);
    }
    expect(holds(["text", "not", value], { text })).toBe(true);
  });

  test("C7 comparison is by code unit: a base character is a substring of what marks combine with", () => {
    expect(holds(["text", "contains", "e"], { text: "e\u0301" })).toBe(true);
  });
});

describe("C8", () => {
  const good = ["id", "exactly", 1];

  test.each<[what: string, criteria: unknown, position: number | null, reason: string]>([
    ["a text", "id=1", null, '"id=1"'],
    ["an empty text", "", null, "array"],
    ["a number", 5, null, "5"],
    ["true", true, null, "true"],
    ["an object", {}, null, "object"],
    ["an array-like", { length: 0 }, null, "object"],
    ["a set", new Set(), null, "object"],
    ["a function", () => [], null, "function"],
    ["a criterion that is null", [good, null], 1, "null"],
    ["a criterion that is a hole", [good, ...Array<undefined>(1)], 1, "undefined"],
    ["a criterion that is an object", [good, {}], 1, "object"],
    ["a criterion that is too short", [good, ["id", "exactly"]], 1, "2"],
    ["a criterion that is too long", [good, ["id", "exactly", 1, 2]], 1, "4"],
    ["an unknown field", [good, ["size", "exactly", 1]], 1, '"size"'],
    ["a field in other letters", [good, ["ID", "exactly", 1]], 1, '"ID"'],
    ["an empty field", [good, ["", "exactly", 1]], 1, '""'],
    ["a field that is not searchable", [good, ["hidden", "exactly", "x"]], 1, "searchable"],
    ["an unknown operator", [good, ["id", "like", 1]], 1, '"like"'],
    ["an operator in other letters", [good, ["id", "Exactly", 1]], 1, '"Exactly"'],
    ["an empty operator", [good, ["id", "", 1]], 1, '""'],
    ["a comparison of text", [good, ["text", "less_than", 1]], 1, "string"],
    ["a value of a wrong type", [good, ["id", "exactly", true]], 1, "true"],
    ["an error behind OR", [good, "OR", ["id", "exactly", {}]], 2, "object"],
  ])(
    "C8 %s is not valid, and the error says where and why",
    (_what, criteria, position, reason) => {
      const error = refused(criteria);
      expect(error.position).toBe(position);
      expect(error.reason).toContain(reason);
      expect(error.message).toContain(position === null ? "criteria:" : `criteria[${position}]`);
    },
  );

  test("C8 criteria that are not valid are refused also where no record could match", () => {
    expect(
      refused([
        ["id", "exactly", 0],
        ["nothing", "exactly", 1],
      ]).position,
    ).toBe(1);
    const empty = createCollection(Thing, []);
    thrownBy(CriteriaError, () => empty.count(untyped([["nothing", "exactly", 1]])));
  });

  test.each([
    ["searchFiles", [[["basename", "exactly"]]]],
    ["getBatchContacts", [7, [["Email", "exactly"]]]],
  ])("C8 %s answers them with error 311 that says which criterion and why", (method, params) => {
    const { error } = ask(aService(), method, ...params);
    expect(error).toMatchObject({ code: 311, message: "Invalid Search Parameter Format" });
    expect(error?.data).toContain("criteria[0]");
    expect(error?.data).toContain("three elements");
  });

  test.each(FILE_FIELDS.map(([name]) => name))("C8 the File field %s is searchable", (name) => {
    expect(codeOf(ask(aService(), "searchFiles", [[name, "exactly", "x"]]))).toBeNull();
  });

  test.each(CONTACT_FIELDS.map(([name, , searchable]) => [name, searchable] as const))(
    "C8 the Contact field %s is searchable: %s",
    (name, searchable) => {
      const answer = ask(aService(), "getBatchContacts", 7, [[name, "exactly", "x"]]);
      expect(codeOf(answer)).toBe(searchable ? null : 311);
    },
  );

  test.each(INHERITED_NAMES)("C8 %s is an unknown field and an unknown operator", (name) => {
    expect(refused([[name, "exactly", "x"]]).reason).toContain(`unknown field "${name}"`);
    expect(refused([["text", name, "x"]]).reason).toContain(`unknown operator "${name}"`);
  });
});

describe("C9", () => {
  const contactIds = (criteria: unknown, sort?: string) => {
    const { error, result } = ask(aService(), "getBatchContacts", 7, criteria, null, null, sort);
    expect(error).toBeNull();
    return Object.values(result as Record<string, { contact_id: string }[]>)
      .flat()
      .map(({ contact_id: id }) => id)
      .sort()
      .join("");
  };

  test("C9 a List Field is searchable if any List of the Batch has it", () => {
    expect(contactIds([["Email", "contains", "@"]])).toBe("123");
    expect(contactIds([["Age", "greater_than", 9]])).toBe("2");
    expect(contactIds([["First Name", "exactly", "Zoë"]])).toBe("3");
  });

  test("C9 a List Field is null for a Contact whose List lacks it", () => {
    expect(contactIds([["Age", "exactly", null]])).toBe("3");
    expect(contactIds([["First Name", "exactly", null]])).toBe("12");
    expect(contactIds([["Age", "not", 9]])).toBe("23");
    expect(contactIds([["Age", "less_than", 100]])).toBe("12");
    expect(contactIds([["First Name", "contains", ""]])).toBe("3");
  });

  test("C9 a List Field that only another Batch has is unknown", () => {
    const batch = (id: number, field: string) => ({
      id,
      lists: [{ id: 1, fields: [field], contacts: [aContact(1)] }],
    });
    const service = createService({ batches: [batch(1, "Mine"), batch(2, "Yours")] });
    expect(codeOf(ask(service, "getBatchContacts", 1, [["Mine", "exactly", null]]))).toBeNull();
    expect(codeOf(ask(service, "getBatchContacts", 1, [["Yours", "exactly", null]]))).toBe(311);
    expect(codeOf(ask(service, "searchFiles", [["Mine", "exactly", null]]))).toBe(311);
  });

  test("C9 a List Field is matched exactly: `email` is not `Email`", () => {
    expect(codeOf(ask(aService(), "getBatchContacts", 7, [["email", "exactly", "x"]]))).toBe(311);
  });

  test("C9 a List Field of a List without Contacts is searchable too", () => {
    const lists = [
      { id: 1, fields: ["Own"], contacts: [] },
      { id: 2, contacts: [aContact(1)] },
    ];
    const service = createService({ batches: [{ id: 1, lists }] });
    expect(service.getBatchContacts(1, [["Own", "exactly", null]])["2"]).toHaveLength(1);
  });
});

describe("C10", () => {
  const criteria = (count: number, or = false) =>
    Array.from({ length: count }, () => ["id", "exactly", "1"]).flatMap((each, i) =>
      or && i > 0 ? ["OR", each] : [each],
    );

  test("C10 1,000 criteria are valid, 1,001 are not", () => {
    expect(select(criteria(1000))).toBe("1");
    expect(refused(criteria(1001)).reason).toContain("1000");
  });

  test("C10 OR is not counted", () => {
    expect(select(criteria(1000, true))).toBe("1");
    refused(criteria(1001, true));
  });

  test("C10 the number is an option of parsing, of collections and of services", () => {
    expect(() => parseCriteria(Thing, criteria(2), { maxCriteria: 2 })).not.toThrow();
    refused(criteria(3), { maxCriteria: 2 });
    refused(criteria(3, true), { maxCriteria: 2 });
    expect(() => parseCriteria(Thing, criteria(1001), { maxCriteria: 1001 })).not.toThrow();

    const collection = createCollection(Thing, [{ id: 1 }], { maxCriteria: 2 });
    expect(collection.count(untyped(criteria(2)))).toBe(1);
    thrownBy(CriteriaError, () => collection.count(untyped(criteria(3))));
    thrownBy(CriteriaError, () => collection.query({ criteria: untyped(criteria(3)) }));

    const service = aService({ limits: { criteria: 2 } });
    expect(codeOf(ask(service, "searchFiles", criteria(2)))).toBeNull();
    expect(codeOf(ask(service, "searchFiles", criteria(3)))).toBe(311);
    const inBatch = criteria(3).map(() => ["send_id", "exactly", 1]);
    expect(codeOf(ask(service, "getBatchContacts", 7, inBatch))).toBe(311);
  });

  test("C10 a service takes 1,000 criteria by default", () => {
    expect(codeOf(ask(aService(), "searchFiles", criteria(1000)))).toBeNull();
    expect(codeOf(ask(aService(), "searchFiles", criteria(1001)))).toBe(311);
  });

  test("C10 a list of four billion holes is refused as it is, before any is read", () => {
    const error = refused(new Array(2 ** 32 - 1));
    expect(error.position).toBeNull();
    expect(error.reason).toContain("1000");
  });

  test("C10 a list whose OR would make it long enough is refused for its OR", () => {
    expect(refused([...criteria(1), "OR"], { maxCriteria: 1 }).position).toBe(1);
  });
});

describe("C11", () => {
  test("C11 a change of the criteria after compiling changes nothing", () => {
    const members = ["a"];
    const criterion: unknown[] = ["text", "in", members];
    const criteria: unknown[] = [criterion];
    const predicate = compileCriteria(Thing, criteria);
    const parsed = parseCriteria(Thing, criteria);
    const before = JSON.stringify(parsed);

    members[0] = "b";
    members.push("c");
    criterion[0] = "id";
    criterion[2] = "b";
    criteria.push(["id", "exactly", 0]);

    const record = { id: "1", count: null, hidden: null };
    expect(predicate({ ...record, text: "a" })).toBe(true);
    expect(predicate({ ...record, text: "b" })).toBe(false);
    expect(predicate({ ...record, text: "c" })).toBe(false);
    expect(JSON.stringify(parsed)).toBe(before);
  });

  test("C11 parsed criteria are deeply frozen", () => {
    const frozenAllThrough = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozenAllThrough));
    for (const criteria of [[], [["id", "exactly", 1], "OR", ["text", "in", ["a", null]]]]) {
      expect(frozenAllThrough(parseCriteria(Thing, criteria))).toBe(true);
    }
  });

  test("C11 each element is read once", () => {
    const reads = new Map<string, number>();
    const watched = (name: string, elements: unknown[]): unknown =>
      new Proxy(elements, {
        get(target, key) {
          const place = `${name}.${String(key)}`;
          reads.set(place, (reads.get(place) ?? 0) + 1);
          return Reflect.get(target, key) as unknown;
        },
      });
    const input = watched("criteria", [
      watched("first", ["id", "exactly", 1]),
      "OR",
      watched("second", ["text", "in", watched("members", ["a", null])]),
    ]);
    const predicate = compileCriteria(Thing, input);
    const seen = Object.fromEntries(reads);
    expect(seen).toEqual(
      Object.fromEntries(
        [
          ...["length", "0", "1", "2"].map((key) => `criteria.${key}`),
          ...["length", "0", "1", "2"].map((key) => `first.${key}`),
          ...["length", "0", "1", "2"].map((key) => `second.${key}`),
          ...["length", "0", "1"].map((key) => `members.${key}`),
        ].map((place) => [place, 1]),
      ),
    );
    predicate({ id: "2", text: "a", count: null, hidden: null });
    expect(Object.fromEntries(reads)).toEqual(seen);
  });

  test("C11 a getter that changes its answer can't pass a value that was not checked", () => {
    const answers = ["id", "hidden", "nothing"];
    const criterion = Object.defineProperty(["", "exactly", 1], 0, { get: () => answers.shift() });
    expect(select([criterion])).toBe("1");
    expect(answers).toHaveLength(2);
  });

  test("C11 a query of a service keeps no reference to its criteria", () => {
    const service = createService({ files: [aFile(1), aFile(2)] });
    const criteria: [["id", "exactly", number]] = [["id", "exactly", 1]];
    const first = service.searchFiles(criteria);
    criteria[0][2] = 2;
    expect(first.map(({ id }) => id)).toEqual(["1"]);
    expect(service.searchFiles(criteria).map(({ id }) => id)).toEqual(["2"]);
  });
});

describe("C12", () => {
  test("C12 a predicate takes a record in wire form or as it is put in", () => {
    const predicate = compileCriteria(Thing, [["id", "greater_than", 4]]);
    for (const id of ["5", 5, 5n]) expect(predicate({ id, text: "a" })).toBe(true);
    for (const id of ["4", 4, 4n]) expect(predicate({ id, text: "a" })).toBe(false);
  });

  test("C12 what the schema would refuse throws an error that names the field", () => {
    const predicate = compileCriteria(Thing, [["id", "exactly", 5]]);
    for (const id of [5.5, "05", null, undefined, true, NaN]) {
      const error = thrownBy(InputError, () => predicate(untyped({ id, text: "a" })));
      expect(error.path).toBe("record.id");
    }
  });
});

describe("C13", () => {
  const HALVES = ["\ud83d", "\ude00", "\ude00\ud83d", "a\ud83d", "😀\ude00"];

  test.each(HALVES)("C13 %j is not a value of a criterion", (half) => {
    for (const operator of ["exactly", "not", "contains", "starts_with", "ends_with", "in"]) {
      const error = refused([["text", operator, half]]);
      expect(error.position).toBe(0);
      expect(error.reason).toContain("well-formed Unicode");
    }
    refused([["text", "in", ["a", half]]]);
    refused([["text", "in", `a,${half},b`]]);
    refused([["text", "like", half]], { unknownOperator: "exactly" });
  });

  test("C13 a character may not be parted by the comma of a list", () => {
    refused([["text", "in", "\ud83d,\ude00"]]);
  });

  test("C13 whole characters are found, as text and in lists", () => {
    expect(holds(["text", "contains", "😀"], { text: "a😀b" })).toBe(true);
    expect(holds(["text", "in", "a,😀"], { text: "😀" })).toBe(true);
  });

  test("C13 it is error 311 of a service, by value and by JSON", () => {
    const criteria = [["name", "contains", "\ud83d"]];
    expect(codeOf(ask(aService(), "searchFiles", criteria))).toBe(311);
    const request = JSON.stringify({ id: 1, method: "searchFiles", params: ["key", criteria] });
    expect(aService().dispatchJson(request)).toContain('"code":311');
  });
});

/** A field of each type. */
const Every = defineSchema({
  count: int({ nullable: true }),
  price: float({ nullable: true }),
  paid: boolean({ nullable: true }),
  name: string({ default: "" }),
  note: json({ nullable: true }),
});

/** Whether one criterion holds for a record of {@link Every}. */
const holdsFor = (criterion: unknown, record: object) =>
  compileCriteria(Every, [criterion])(untyped(record));

describe("C14", () => {
  test.each<[operator: string, bound: unknown, price: number, expected: boolean]>([
    ["at_least", 1.5, 1.5, true],
    ["at_least", 1.5, 1.25, false],
    ["at_most", 1.5, 1.5, true],
    ["at_most", 1.5, 1.75, false],
    ["at_most", "1e+21", 1e21, true],
    ["greater_than", -0.5, 0, true],
    ["less_than", 1e-7, 0, true],
    ["less_than", 0, -0, false],
  ])("C14 %s %j of %j is %s in a field of numbers", (operator, bound, price, expected) => {
    expect(holdsFor(["price", operator, bound], { price })).toBe(expected);
    expect(holdsFor(["price", operator, bound], { price: null })).toBe(false);
  });

  test("C14 in an int field both take what greater_than takes", () => {
    expect(holdsFor(["count", "at_least", "3"], { count: 3 })).toBe(true);
    expect(holdsFor(["count", "at_most", 3], { count: 4 })).toBe(false);
    for (const operator of ["at_least", "at_most", "greater_than", "less_than"]) {
      for (const value of [1.5, "1.5", "01", 2 ** 53, null, true, []]) {
        expect(() => parseCriteria(Every, [["count", operator, value]])).toThrow(CriteriaError);
      }
      for (const value of [NaN, Infinity, "1.50", "", " 1", null, true, 2n ** 53n]) {
        expect(() => parseCriteria(Every, [["price", operator, value]])).toThrow(CriteriaError);
      }
      for (const value of [1, 1n, null, true, [], "\ud83d"]) {
        expect(() => parseCriteria(Every, [["name", operator, value]])).toThrow(CriteriaError);
      }
      for (const value of [1, true, "true"]) {
        expect(() => parseCriteria(Every, [["paid", operator, value]])).toThrow(CriteriaError);
      }
    }
  });

  test.each<[operator: string, bound: string, name: string, expected: boolean]>([
    ["at_least", "2024-03-01", "2024-03-01", true],
    ["at_least", "2024-03-01", "2024-02-29", false],
    ["less_than", "2024-04", "2024-03-31T23:59", true],
    ["less_than", "2024-04", "2024-04-01", false],
    ["at_most", "2024-03", "2024-03-01", false],
    ["greater_than", "10", "9", true],
    ["greater_than", "", "a", true],
    ["greater_than", "", "", false],
    ["less_than", "a", "", true],
    ["less_than", "a\0", "a", true],
    ["at_least", "B", "a", true],
    // P3: by code point, not by code unit.
    ["less_than", "\u{10000}", "\uffff", true],
    ["greater_than", "\u{10000}", "\uffff", false],
    ["greater_than", "a\ue000", "a😀", true],
  ])("C14 %s %j of %j is %s in a string field", (operator, bound, name, expected) => {
    expect(holdsFor(["name", operator, bound], { name })).toBe(expected);
  });

  test.each<[range: unknown, price: number | null, expected: boolean]>([
    [[1, 2], 1, true],
    [[1, 2], 2, true],
    [[1, 2], 1.5, true],
    [[1, 2], 2.25, false],
    [[1, 2], 0.75, false],
    [["1", 2], 1, true],
    [[2, "10"], 5, true],
    [[-0, 0], 0, true],
    [[-1, 1], null, false],
  ])("C14 between %j of %j is %s in a field of numbers", (range, price, expected) => {
    expect(holdsFor(["price", "between", range], { price })).toBe(expected);
  });

  test("C14 between compares strings by code point, and folded where case is ignored", () => {
    const Word = defineSchema({ name: string(), word: string({ ignoreCase: true }) });
    const holds = (field: string, range: readonly string[], text: string) =>
      compileCriteria(Word, [[field, "between", range]])({ name: text, word: text });
    expect(holds("name", ["2024-03-01", "2024-03-31"], "2024-03-31")).toBe(true);
    expect(holds("name", ["2024-03-01", "2024-03-31"], "2024-03-31T00:00")).toBe(false);
    expect(holds("name", ["\uffee", "\u{1f600}"], "\u{1f4a9}")).toBe(true);
    expect(holds("name", ["", ""], "")).toBe(true);
    expect(holds("word", ["adam", "ZOE"], "Mia")).toBe(true);
    expect(() => holds("name", ["adam", "ZOE"], "Mia")).toThrow(
      'value[0] must not be above value[1], and "adam" is above "ZOE"; write ["ZOE", "adam"]',
    );
  });

  test.each<[field: string, value: unknown, reason: string]>([
    ["count", [9, "5"], 'value[0] must not be above value[1], and 9 is above "5"; write ["5", 9]'],
    [
      "count",
      [5, "09"],
      'value[1] must be a safe integer or its canonical decimal string, not "09"; write 9 or "9"',
    ],
    [
      "count",
      [5, null],
      "value[1] must be a safe integer or its canonical decimal string, not null",
    ],
    [
      "count",
      [5],
      "between takes an array of two bounds, the lower one first, each a safe integer or its canonical decimal string, not an array",
    ],
    [
      "name",
      "a,b",
      'between takes an array of two bounds, the lower one first, each a string of well-formed Unicode, not "a,b"',
    ],
    [
      "paid",
      [false, true],
      'between needs an int, float, string or time field; "paid" is a boolean field',
    ],
  ])("C14 between refuses, on %s, %j", (field, value, reason) => {
    const error = thrownBy(CriteriaError, () => parseCriteria(Every, [[field, "between", value]]));
    expect(error.reason).toBe(reason);
  });

  test("C14 a string field that is null satisfies no comparison", () => {
    const Note = defineSchema({ note: string({ nullable: true }) });
    for (const operator of ["at_least", "at_most", "greater_than", "less_than"]) {
      expect(compileCriteria(Note, [["note", operator, ""]])({ note: null })).toBe(false);
    }
  });

  test("C14 V11 where case is ignored, both sides are folded", () => {
    const Word = defineSchema({ word: string({ ignoreCase: true }) });
    const holds = (operator: string, bound: string, word: string) =>
      compileCriteria(Word, [["word", operator, bound]])({ word });
    expect(holds("at_most", "Zoe", "zOE")).toBe(true);
    expect(holds("less_than", "Zoe", "adam")).toBe(true);
    expect(holds("greater_than", "Zoe", "ZOF")).toBe(true);
    expect(holds("at_least", "ΑΣ", "ας")).toBe(true);
  });

  test("C14 in the two methods strings are not compared", () => {
    const error = thrownBy(CriteriaError, () =>
      parseCriteria(Contact, [["contact_email", "greater_than", "a"]]),
    );
    expect(error.reason).toBe('greater_than needs an int field; "contact_email" is a string field');
  });

  test.each(["at_least", "at_most", "between"])("C14 the two methods know no %s", (operator) => {
    for (const schema of [File, Contact]) {
      const error = thrownBy(CriteriaError, () =>
        parseCriteria(schema, [["send_id", operator, 1]]),
      );
      expect(error.reason).toMatch(schema === File ? /^unknown field/ : /^unknown operator/);
    }
    expect(codeOf(ask(createService({ files: [] }), "searchFiles", [["size", operator, 1]]))).toBe(
      311,
    );
  });
});

describe("V12, C16, C17", () => {
  const Note = defineSchema({ tags: strings({ nullable: true }), state: string({ default: "" }) });
  const holds = (criterion: unknown, tags: unknown) =>
    compileCriteria(Note, [criterion])(untyped({ tags }));

  test.each<[operator: string, value: unknown, tags: readonly string[] | null, expected: boolean]>([
    ["has", "a", ["b", "a"], true],
    ["has", "a", ["ab", "A", " a"], false],
    ["has", "", [""], true],
    ["has", "", [], false],
    ["has", "null", null, false],
    // JSON text of one value that looks like an element of another.
    ["has", ",", ["x,", "]"], false],
    ["has", '"]', ['"]'], true],
    ["has", "\0", ["\0"], true],
    ["has", "\\u0000", ["\0"], false],
    ["has", "é", ["e\u0301"], false],
    ["has_any", ["x", "a"], ["a", "a"], true],
    ["has_any", ["x"], ["a"], false],
    ["has_any", [], ["a"], false],
    ["has_any", [""], [], false],
    ["has_any", ["a"], null, false],
    ["exactly", null, null, true],
    ["exactly", null, [], false],
    ["not", null, [], true],
    ["not", null, null, false],
    ["exactly", [], [], true],
    ["exactly", [], [""], false],
    ["exactly", [], ["[]"], false],
    ["exactly", [], null, false],
    ["not", [], [], false],
    ["not", [], ["a"], true],
    ["not", [], null, true],
    ["has_all", ["a", "b"], ["b", "x", "a"], true],
    ["has_all", ["a", "b"], ["a", "ab", "B"], false],
    ["has_all", ["a", "a"], ["a"], true],
    ["has_all", ["a"], ["a", "a"], true],
    ["has_all", ["", "\0"], ["\0", ""], true],
    ["has_all", ["a"], [], false],
    ["has_all", [], [], true],
    ["has_all", [], ["a"], true],
    ["has_all", [], null, false],
    ["has_all", ["a"], null, false],
  ])("C16, C17 %s %j of %j is %s", (operator, value, tags, expected) => {
    expect(holds(["tags", operator, value], tags)).toBe(expected);
  });

  test.each<[criterion: unknown, reason: string]>([
    [["tags", "exactly", "a"], 'exactly takes [] or null, not "a"; use has'],
    [["tags", "not", ["a"]], "not takes [] or null, not an array; use has_any"],
    [["tags", "has", 1], "has takes a string of well-formed Unicode, not 1"],
    [
      ["tags", "has", ["a"]],
      "has takes a string of well-formed Unicode, not an array; use has_any",
    ],
    [["tags", "has", "\ud83d"], 'has takes a string of well-formed Unicode, not "\\ud83d"'],
    [
      ["tags", "has_any", "a"],
      'has_any takes an array of strings of well-formed Unicode, not "a"; use has',
    ],
    [
      ["tags", "has_any", ["a", null]],
      "value[1] must be a string of well-formed Unicode, not null",
    ],
    [
      ["tags", "contains", "a"],
      'contains needs a field of single values; has, has_any and has_all search strings; "tags" is a strings field',
    ],
    [
      ["tags", "at_least", "a"],
      'at_least needs an int, float, string or time field; "tags" is a strings field',
    ],
    [["state", "has", "a"], 'has needs a strings field; "state" is a string field'],
  ])("C16 %j is refused", (criterion, reason) => {
    const error = thrownBy(CriteriaError, () => parseCriteria(Note, [criterion]));
    expect(error.reason).toBe(reason);
  });

  test("V12 arrays come out as they went in, frozen, and can't be sorted by", () => {
    const tags = ["b", "a", "b", ""];
    const notes = createCollection(Note, [{ tags }, {}]);
    tags.push("later");
    expect(notes.query().map((note) => note.tags)).toEqual([["b", "a", "b", ""], null]);
    expect(Object.isFrozen(notes.at(0)?.tags)).toBe(true);
    expect(() => notes.query({ sortBy: untyped("tags") })).toThrow(
      '"tags" is a strings field, which can\'t be sorted',
    );
    expect(notes.countBy("tags")).toEqual([
      { value: null, count: 1 },
      { value: "", count: 1 },
      { value: "a", count: 1 },
      { value: "b", count: 1 },
    ]);
  });

  test("V12 what is not an array of strings is refused, however long it is", () => {
    const refused = (tags: unknown) =>
      thrownBy(InputError, () => createCollection(Note, [untyped({ tags })])).message;
    const must = "records[0].tags: must be an array of strings of well-formed Unicode, not";
    expect(refused("a")).toBe(`${must} "a"`);
    expect(refused(["a", 1])).toBe(`${must} one with 1 at [1]`);
    expect(refused(["\ud83d"])).toBe(`${must} one with "\\ud83d" at [0]`);
    expect(refused(new Array(2 ** 32 - 1))).toBe(`${must} one with undefined at [0]`);
  });
});

describe("C15", () => {
  test.each<[criterion: unknown, expected: boolean]>([
    [["paid", "exactly", true], true],
    [["paid", "exactly", "true"], true],
    [["paid", "not", true], false],
    [["paid", "not", false], true],
    [["paid", "in", [false, null]], false],
    [["paid", "in", [false, true]], true],
    [["paid", "in", "false,true"], true],
    [["paid", "starts_with", "tr"], true],
  ])("C15 %j of true is %s", (criterion, expected) => {
    expect(holdsFor(criterion, { paid: true })).toBe(expected);
    expect(holdsFor(criterion, { paid: "true" })).toBe(expected);
  });

  test.each(["count", "price", "name"])("C15 a boolean is not a value of the field %s", (field) => {
    expect(() => parseCriteria(Every, [[field, "exactly", true]])).toThrow(CriteriaError);
    expect(() => parseCriteria(Every, [[field, "in", [true]]])).toThrow(CriteriaError);
  });

  test("V10 a json field can't be searched, sorted or counted", () => {
    const every = createCollection(Every, [{ note: { a: [1] } }]);
    expect(() => every.query(untyped({ criteria: [["note", "exactly", "a"]] }))).toThrow(
      like(new CriteriaError([0], 'field "note" is not searchable')),
    );
    const carried = `"note" is a json field, which can't be sorted, counted or indexed`;
    expect(() => every.query(untyped({ sortBy: "note" }))).toThrow(`sortBy: ${carried}`);
    expect(() => every.countBy(untyped("note"))).toThrow(`field: ${carried}`);
    expect(() => every.prepare(untyped({ match: ["note"] }))).toThrow(`prepare.match: ${carried}`);
  });
});
