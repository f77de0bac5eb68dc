// The messages of criteria errors, word for word: the place, what is wrong, and what is accepted.

import { describe, expect, test } from "vitest";
import {
  CriteriaError,
  InputError,
  int,
  parseCriteria,
  SchemaError,
  string,
} from "../../src/index.ts";
import { operators } from "../../src/criteria/operators.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

const Thing = wireSchema({
  id: int(),
  text: string(),
  secret: string({ searchable: false }),
});

const good = ["id", "exactly", 1];

const TRIPLES = "criteria are a list of such triples";
const [LAST, ...OTHERS] = operators
  .flatMap(({ name, fields }) => (fields === "strings" ? [] : JSON.stringify(name)))
  .toReversed();
const OPERATORS = `${OTHERS.toReversed().join(", ")} or ${LAST}`;

describe("the message of a CriteriaError", () => {
  test.each<[criteria: unknown, message: string]>([
    ["id", 'criteria: must be an array of criteria, not "id"'],
    [{}, "criteria: must be an array of criteria, not an object"],
    [["OR", good], 'criteria[0]: "OR" must be between two criteria'],
    [[good, "OR"], 'criteria[1]: "OR" must be between two criteria'],
    [
      [good, "AND", good],
      `criteria[1]: must be [field, operator, value], a group of criteria, "OR" or "NOT", not "AND"; ${TRIPLES}`,
    ],
    [
      good,
      `criteria[0]: must be [field, operator, value], a group of criteria, "OR" or "NOT", not "id"; ${TRIPLES}`,
    ],
    [
      [["id", "exactly"]],
      "criteria[0]: must have exactly three elements [field, operator, value], not 2",
    ],
    [[[5, "exactly", 1]], "criteria[0]: field must be a string, not 5"],
    [[["size", "exactly", 1]], 'criteria[0]: unknown field "size"'],
    [[["secret", "exactly", "x"]], 'criteria[0]: field "secret" is not searchable'],
    [[["id", null, 1]], "criteria[0]: operator must be a string, not null"],
    [[["id", "like", 1]], `criteria[0]: unknown operator "like"; use ${OPERATORS}`],
    [[["id", "exact", 1]], 'criteria[0]: unknown operator "exact"; did you mean "exactly"?'],
    [
      [["text", "less_than", 1]],
      `criteria[0]: less_than takes a string of well-formed Unicode, not 1; write "1"`,
    ],
    ...["exactly", "not"].map((operator): [unknown, string] => [
      [["id", operator, true]],
      `criteria[0]: ${operator} takes a safe integer or its canonical decimal string, or null, not true`,
    ]),
    ...["contains", "starts_with", "ends_with"].map((operator): [unknown, string] => [
      [["id", operator, null]],
      `criteria[0]: ${operator} takes a string of well-formed Unicode or a finite number, not null`,
    ]),
    ...["greater_than", "less_than"].map((operator): [unknown, string] => [
      [["id", operator, "01"]],
      `criteria[0]: ${operator} takes a safe integer or its canonical decimal string, not "01"; write 1 or "1"`,
    ]),
    [
      [["id", "in", 5]],
      "criteria[0]: in takes an array of numbers and nulls, or a string of them with commas between, not 5",
    ],
    [
      [["text", "in", 5]],
      'criteria[0]: in takes a comma-separated string, or an array of strings, finite numbers and nulls, all of well-formed Unicode, not 5; write "5"',
    ],
    [
      [good, ["text", "in", ["a", null, 5, true, {}]]],
      "criteria[1]: value[3] must be a string of well-formed Unicode, a finite number or null, not true",
    ],
    [
      [["text", "in", ["a", "\ud83d" + "b".repeat(99)]]],
      `criteria[0]: value[1] must be a string of well-formed Unicode, a finite number or null, not "\\ud83d${"b".repeat(59)}"… (100 characters)`,
    ],
  ])("of %j", (criteria, message) => {
    const error = thrownBy(CriteriaError, () => parseCriteria(Thing, criteria));
    expect(error.message).toBe(message);
    expect(error.name).toBe("CriteriaError");
    expect(error.path[0] ?? null).toBe(error.position);
    const place = `criteria${error.path.map((position) => `[${position}]`).join("")}`;
    expect(`${place}: ${error.reason}`).toBe(message);
  });

  test("for too many criteria", () => {
    const error = thrownBy(CriteriaError, () =>
      parseCriteria(Thing, [good, good, good], { maxCriteria: 2 }),
    );
    expect(error.message).toBe("criteria: there may be at most 2 criteria");
    expect(error.position).toBeNull();
  });

  test("for criteria that throw when they are read, with the thrown error as its cause", () => {
    const thrown = new Error("no");
    const unreadable = (element: number) =>
      Object.defineProperty([good, good], element, {
        get: () => {
          throw thrown;
        },
      });
    const error = thrownBy(CriteriaError, () => parseCriteria(Thing, unreadable(1)));
    expect(error.message).toBe("criteria[1]: could not be read");
    expect(error.cause).toBe(thrown);

    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    const revoked = thrownBy(CriteriaError, () => parseCriteria(Thing, proxy));
    expect(revoked.message).toBe("criteria: could not be read");
    expect(revoked.cause).toBeInstanceOf(TypeError);
  });
});

describe("the message for an option that is not valid", () => {
  test.each<[options: unknown, message: string]>([
    [{ maxCriteria: -1 }, "options.maxCriteria: must be a non-negative integer, not -1"],
    [{ maxValues: -1 }, "options.maxValues: must be a non-negative integer, not -1"],
    [{ maxCriteria: "2" }, 'options.maxCriteria: must be a non-negative integer, not "2"'],
    [
      { unknownOperator: "contains" },
      'options.unknownOperator: must be "error" or "exactly", not "contains"',
    ],
    [
      { max: 1 },
      'options: has no member "max"; use "maxCriteria", "maxValues" or "unknownOperator"',
    ],
    [5, "options: must be an object, not 5"],
  ])("%j", (options, message) => {
    const error = thrownBy(InputError, () => parseCriteria(Thing, [], untyped(options)));
    expect(error.message).toBe(message);
  });

  test("something other than a schema", () => {
    const error = thrownBy(SchemaError, () => parseCriteria(untyped({ id: int() }), []));
    expect(error.message).toBe("schema: must be made by defineSchema(), not an object");
    // As a module sees it that is imported in a circle, and as another copy of the package makes it.
    for (const [given, message] of [
      [undefined, /^schema: .*, not undefined; .* imports in a circle/],
      [{ ...Thing }, /^schema: .*, not an object of another copy of tercet; load the package/],
    ] as const) {
      expect(thrownBy(SchemaError, () => parseCriteria(untyped(given), [])).message).toMatch(
        message,
      );
    }
  });
});
