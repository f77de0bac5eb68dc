// From unknown input to a parsed query: what is accepted, and each error word for word.

import { describe, expect, test } from "vitest";
import { parseParameters, parseQuery, UNLIMITED } from "../../../src/engine/query.ts";
import { QueryError } from "../../../src/engine/query-error.ts";
import { CriteriaError, int, string } from "../../../src/index.ts";
import { thrownBy } from "../../rules/fixtures.ts";
import { wireSchema } from "../../wire-schema.ts";

const Thing = wireSchema({ id: int(), text: string({ searchable: false }) });
const options = { maxCriteria: 2, maxValues: 9, unknownOperator: "error" } as const;

const parse = (query: unknown) => parseQuery(Thing, query, options);

const ALL_RECORDS = {
  criteria: { groups: [[]] },
  sort: undefined,
  offset: 0,
  limit: UNLIMITED,
  afterKey: -1,
  select: undefined,
};

test.each([
  [undefined],
  [{}],
  [{ criteria: null, limit: null, offset: null, sortBy: null, sortOrder: null }],
  [{ criteria: [], limit: "", offset: "", sortBy: "", sortOrder: "" }],
  [{ sortOrder: "ASC" }],
  [{ sort: null }],
  [{ sort: [], sortBy: null, sortOrder: "" }],
])("the query %j is for everything in insertion order", (query) => {
  expect(parse(query)).toEqual(ALL_RECORDS);
});

test.each([
  [{ limit: 0 }, { limit: 0 }],
  [{ limit: -0 }, { limit: 0 }],
  [{ limit: "12" }, { limit: 12 }],
  [{ offset: 9007199254740991 }, { offset: UNLIMITED }],
  [{ offset: "9007199254740991" }, { offset: UNLIMITED }],
  [{ sortBy: "id" }, { sort: { field: "id", order: "DESC" } }],
  [{ sortBy: "text", sortOrder: "ASC" }, { sort: { field: "text", order: "ASC" } }],
  [{ sortBy: "text", sortOrder: "DESC" }, { sort: { field: "text", order: "DESC" } }],
  [{ sort: [["text", "DESC"]] }, { sort: { field: "text", order: "DESC" } }],
  [
    {
      sort: [
        ["text", "ASC"],
        ["id", "DESC"],
      ],
    },
    { sort: { field: "text", order: "ASC", ties: { field: "id", order: "DESC" } } },
  ],
])("the query %j is read", (query, parsed) => {
  expect(parse(query)).toEqual({ ...ALL_RECORDS, ...parsed });
});

test("parameters one by one are the members of a query", () => {
  const criteria = [["id", "exactly", 1]];
  expect(JSON.stringify(parseParameters(Thing, options, criteria, 3, 2, "id", "ASC"))).toBe(
    JSON.stringify(parse({ criteria, limit: 3, offset: 2, sortBy: "id", sortOrder: "ASC" })),
  );
  expect(parseParameters(Thing, options)).toEqual(ALL_RECORDS);
});

const COUNT = "must be a non-negative safe integer or its canonical decimal string";

describe("the message of a QueryError", () => {
  test.each<[query: unknown, parameter: string | null, message: string]>([
    [5, null, "query: must be an object, not 5"],
    [null, null, "query: must be an object, not null"],
    [[], null, "query: must be an object, not an array"],
    [
      { order: "id" },
      null,
      'query: has no member "order"; use "criteria", "limit", "offset", "sortBy", "sortOrder", "sort" or "select"',
    ],
    [{ limit: -1 }, "limit", `limit: ${COUNT}, not -1`],
    [{ limit: 1.5 }, "limit", `limit: ${COUNT}, not 1.5`],
    [{ limit: "-1" }, "limit", `limit: ${COUNT}, not "-1"`],
    [{ limit: "01" }, "limit", `limit: ${COUNT}, not "01"`],
    [{ offset: true }, "offset", `offset: ${COUNT}, not true`],
    [{ offset: 9007199254740992 }, "offset", `offset: ${COUNT}, not 9007199254740992`],
    [{ sortBy: 0 }, "sortBy", "sortBy: must be a field name, not 0"],
    [{ sortBy: "name" }, "sortBy", 'sortBy: unknown field "name"'],
    [
      { sortBy: "id", sortOrder: "asc" },
      "sortOrder",
      'sortOrder: must be "ASC" or "DESC", not "asc"',
    ],
    [{ sortOrder: 1 }, "sortOrder", 'sortOrder: must be "ASC" or "DESC", not 1'],
    [{ limit: -1, offset: -1, sortBy: 1, sortOrder: 1 }, "limit", `limit: ${COUNT}, not -1`],
    [{ offset: -1, sortBy: 1, sortOrder: 1 }, "offset", `offset: ${COUNT}, not -1`],
    [{ sortBy: 1, sortOrder: 1 }, "sortBy", "sortBy: must be a field name, not 1"],
    [{ sort: "id" }, "sort", 'sort: must be an array of [field, order] pairs, not "id"'],
    [{ sort: "" }, "sort", 'sort: must be an array of [field, order] pairs, not ""'],
    [{ sort: {} }, "sort", "sort: must be an array of [field, order] pairs, not an object"],
    [{ sort: ["id", "ASC"] }, "sort", 'sort: element 0 must be a pair [field, order], not "id"'],
    [{ sort: [["id"]] }, "sort", "sort: element 0 must have two elements [field, order], not 1"],
    [
      { sort: [["id", "ASC", 1]] },
      "sort",
      "sort: element 0 must have two elements [field, order], not 3",
    ],
    [
      {
        sort: [
          ["id", "ASC"],
          ["txt", "ASC"],
        ],
      },
      "sort",
      'sort: element 1: unknown field "txt"; did you mean "text"?',
    ],
    [{ sort: [[0, "ASC"]] }, "sort", "sort: element 0: unknown field 0"],
    [
      { sort: [["id", "asc"]] },
      "sort",
      'sort: element 0: the order must be "ASC" or "DESC", not "asc"',
    ],
    [
      {
        sort: [
          ["id", "ASC"],
          ["id", "DESC"],
        ],
      },
      "sort",
      'sort: element 1 repeats "id"',
    ],
    [
      {
        sort: [
          ["id", "ASC"],
          ["id", "ASC"],
          ["id", "ASC"],
        ],
      },
      "sort",
      "sort: may have at most 2 elements, as many as there are fields",
    ],
    [{ sort: [], sortBy: "id" }, "sort", "sort: must be omitted if sortBy or sortOrder is given"],
    [
      { sort: [["id", "ASC"]], sortOrder: "ASC" },
      "sort",
      "sort: must be omitted if sortBy or sortOrder is given",
    ],
  ])("of the query %j", (query, parameter, message) => {
    const error = thrownBy(QueryError, () => parse(query));
    expect(error.message).toBe(message);
    expect(error.name).toBe("QueryError");
    expect(error.parameter).toBe(parameter);
    expect(error).not.toHaveProperty("cause");
    expect(`${parameter ?? "query"}: ${error.reason}`).toBe(message);
  });

  test("of a query that throws when it is read, with what it threw as its cause", () => {
    const thrown = new Error("no");
    const query = Object.defineProperty({}, "limit", {
      enumerable: true,
      get: () => {
        throw thrown;
      },
    });
    const error = thrownBy(QueryError, () => parse(query));
    expect(error.message).toBe("query: could not be read");
    expect(error.parameter).toBeNull();
    expect(error.cause).toBe(thrown);
  });
});

test("criteria come first, and keep their own error", () => {
  const error = thrownBy(CriteriaError, () =>
    parse({ criteria: [["text", "exactly", ""]], limit: -1 }),
  );
  expect(error.position).toBe(0);
  const many = [1, 2, 3].map((id) => ["id", "exactly", id]);
  expect(thrownBy(CriteriaError, () => parse({ criteria: many })).reason).toContain("at most 2");
});

test("of a sort each element is read once, and none where there are too many", () => {
  const reads: PropertyKey[] = [];
  const watched = (target: unknown[]): unknown =>
    new Proxy(target, {
      get(_, name) {
        reads.push(name);
        const value: unknown = Reflect.get(target, name);
        return Array.isArray(value) ? watched(value) : value;
      },
    });
  parse({ sort: watched([["text", "ASC"], ["id", "DESC"]]) }); // oxfmt-ignore
  expect(reads).toEqual(["length", "0", "length", "0", "1", "1", "length", "0", "1"]);
  reads.length = 0;
  const most = new Array<unknown>(2 ** 32 - 1);
  expect(thrownBy(QueryError, () => parse({ sort: watched(most) })).parameter).toBe("sort");
  expect(reads).toEqual(["length"]);
});

test.each([
  ["elements", [["id", "ASC"]]],
  ["a pair", ["id", "ASC"]],
])("what throws when %s of a sort are read is the cause of a QueryError", (place, target) => {
  const thrown = new Error("no");
  const fling = new Proxy(target, {
    get: () => {
      throw thrown;
    },
  });
  const sort = place === "a pair" ? [fling] : fling;
  const error = thrownBy(QueryError, () => parse({ sort }));
  expect(error.message).toBe("sort: could not be read");
  expect(error.cause).toBe(thrown);
});
