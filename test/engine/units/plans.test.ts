// The plans that queries get: the source of their rows, the filters, whether they are sorted, and the
// estimated rows of each step. Estimated costs are not tested, because they may change.

import { expect, test } from "vitest";
import { createCollection, int, string, type Query, type QueryPlan } from "../../../src/index.ts";
import { lazily } from "../../lazily.ts";
import { grouped } from "../../rules/fixtures.ts";
import { wireSchema } from "../../wire-schema.ts";

const Person = wireSchema({
  id: int(),
  kind: string(),
  city: string({ nullable: true }),
  name: string(),
  note: string(),
});

const SIZE = 20_000;

const people = lazily(() =>
  createCollection(
    Person,
    Array.from({ length: SIZE }, (_, id) => ({
      id,
      kind: ["a", "b", "c", "d"][id % 4] ?? "",
      city: id % 200 === 0 ? null : `city ${id % 200}`,
      name: `${(id * 7919) % SIZE} person`,
      note: `note ${id}`,
    })),
    { indexes: "none" },
  ).prepare({ match: ["kind", "city"], sort: ["id"], contains: ["name"] }),
);

/** The steps of a plan, the last one first. In brackets: what is united. */
function stepsOf({ access, filters, sort }: QueryPlan): string {
  const step = ({
    path,
    criteria,
    estimatedRows,
  }: QueryPlan["access"] | QueryPlan["filters"][0]) => {
    const fields = criteria.map((each) => each.split(" ")[0]).join("|");
    return [path, fields, String(estimatedRows)].filter(Boolean).join(" ");
  };
  const united = access.parts.length === 0 ? "" : ` [${access.parts.map(stepsOf).join("; ")}]`;
  const steps = [...filters.toReversed().map(step), step(access) + united];
  return [...(sort === undefined ? [] : [sort.path]), ...steps].join(" < ");
}

const city = ["city", "exactly", "city 7"] as const;
const kind = ["kind", "exactly", "c"] as const;
const note = ["note", "contains", "0"] as const;
const person = ["name", "contains", "person"] as const;
const few = [city, "OR", ["name", "contains", "1234"]] as const;
const many = [["note", "contains", "7"], "OR", kind] as const;
const byId = { sortBy: "id" } as const;

test.each(
  grouped<Query<typeof Person>>({
    "scan 20000": {
      "all rows are scanned": {},
      "a page of them is scanned as far as it goes": { offset: 100, limit: 1000 },
    },
    "source < index-scan 20000": { "a sort walks its index": { ...byId, limit: 1000 } },
    "sort < scan 20000": {
      "without an index it sorts": { sortBy: "note", sortOrder: "ASC", limit: 10 },
    },
    "index-lookup city 100": {
      "equality reads a run": { criteria: [city] },
      "so does null": { criteria: [["city", "exactly", null]], limit: 5 },
    },
    "nothing city 0": {
      "a value that no row has reads nothing": { criteria: [["city", "exactly", "city 200"]] },
    },
    "bitmap-scan city 200": {
      "few rows of several values are gathered": {
        criteria: [["city", "in", ["city 7", "city 8"]]],
      },
      "of few values each is tested": { criteria: [["city", "ends_with", "99"]] },
    },
    "codes city 19900 < scan 20000": {
      "many are kept by code": { criteria: [["city", "not", "city 7"]] },
      "a page of them, too": { criteria: [["city", "not", "city 7"]], offset: 500, limit: 1000 },
    },
    "test name 11 < trigrams name 12": {
      "a substring of many values is found by trigrams": {
        criteria: [["name", "contains", "1234"]],
      },
    },
    "trigrams name 19000 < test name 19000 < scan 20000": {
      "one that most have is tested among them": { criteria: [person] },
    },
    "test name 2000 < scan 20000": {
      "a short one is tested for": { criteria: [["name", "contains", "12"]] },
    },
    "test note 2000 < scan 20000": {
      "a field without an index is tested, row by row": {
        criteria: [["note", "exactly", "note 7"]],
      },
      "for a page as far as it goes": { criteria: [note], limit: 10 },
    },
    "test note 3 < codes kind 25 < index-lookup city 100": {
      "the criterion that selects the fewest rows is the source, the others are filters": {
        criteria: [kind, ["city", "exactly", "city 6"], note],
      },
    },
    "test name 1425 < test note 1500 < codes kind 15000 < trigrams name 20000": {
      "a cheap filter that removes much comes before a dear one that removes little": {
        criteria: [note, person, ["kind", "not", "a"]],
        limit: 10,
      },
    },
    "codes id 0 < index-lookup name 1": {
      "one row is looked up, not gathered with others": {
        criteria: [
          ["id", "less_than", 10],
          ["name", "exactly", "7919 person"],
        ],
      },
    },
    "codes id 0 < bitmap-scan name 2": {
      "for a few rows no table of thousands of codes is made to filter by": {
        criteria: [
          ["name", "in", ["7919 person", "15838 person"]],
          ["id", "exactly", 2],
        ],
      },
    },
    "codes id 0 < index-lookup city 100": {
      "a range needs none": { criteria: [["id", "less_than", 15], city] },
    },
    "source < nothing kind 0": {
      "one that no row can meet makes an end of it": {
        criteria: [note, ["kind", "exactly", "x"]],
        ...byId,
      },
    },
    "select < index-lookup city 100": {
      "of few rows a page is picked by the sort index": { criteria: [city], ...byId, limit: 10 },
    },
    "source < codes kind 5000 < index-scan 20000": {
      "where many match, the sort index is walked until the page is full": {
        criteria: [kind],
        sortBy: "id",
        sortOrder: "ASC",
        limit: 10,
      },
      "where codes tell, the sort index is walked for it": {
        criteria: [kind],
        ...byId,
        limit: 1000,
      },
    },
    "source < test note 2000 < index-scan 20000": {
      "with a test of each value, too": { criteria: [note], ...byId, limit: 10 },
      "for a longer page, too": { criteria: [note], ...byId, limit: 100 },
    },
    "select < test note 2000 < scan 20000": {
      "where half of all rows would be looked at, each in another place of the memory, they are read as they stand":
        { criteria: [note], ...byId, limit: 1000 },
    },
    "source < codes kind 250 < index-scan id 999": {
      "a criterion on the sort field leaves only a stretch of the index to walk": {
        criteria: [["id", "greater_than", 19_000], kind],
        ...byId,
        limit: 10,
      },
    },
    "sort < index-lookup city 100": {
      "without an index of the sort field rows are sorted": { criteria: [city], sortBy: "note" },
    },
    "union city|name 112 [index-lookup city 100; test name 11 < trigrams name 12]": {
      "groups that select few rows are united": { criteria: few },
    },
    "select < union city|name 112 [index-lookup city 100; test name 11 < trigrams name 12]": {
      "and a page of them picked": { criteria: few, ...byId, limit: 10 },
    },
    "any note|kind 6500 < scan 20000": {
      "groups of which one has no index filter the rows, until the page is full": {
        criteria: many,
        limit: 10,
      },
    },
    "source < any note|kind 6500 < index-scan 20000": {
      "in the order of an index, too": { criteria: many, ...byId, limit: 10 },
    },
    "union city|id 101 [index-lookup city 100; index-lookup id 1]": {
      "a few rows are united, even where a page would soon be full": {
        criteria: [city, "OR", ["id", "exactly", 5]],
        limit: 1,
      },
    },
    "union kind|city 20000 [index-lookup kind 5000; codes city 19900 < scan 20000]": {
      "nearly all rows are united by their codes, for no value is read then": {
        criteria: [kind, "OR", ["city", "not", "city 7"]],
      },
    },
    "any kind|id 12500 < scan 20000": {
      "of many rows a page is filtered by groups, for a union has to have them all": {
        criteria: [kind, "OR", ["id", "less_than", 10_000]],
        limit: 80,
      },
    },
    "any city|id 398 < scan 20000": {
      "rows from all over the collection are not tested where a scan finds a page as soon": {
        criteria: [
          ["city", "in", Array.from({ length: 20 }, (_, i) => `city ${20 + i}`)],
          ["note", "contains", "7"],
          "OR",
          ["id", "less_than", 2000],
          ["note", "contains", "8"],
        ],
        limit: 200,
      },
    },
    "source < union note|kind 6500 < index-scan 20000": {
      "in the order of an index a test of values is dear: for a long page a union is made first": {
        criteria: many,
        ...byId,
        limit: 2000,
      },
    },
  }),
)("%s", (_, query, plan) => {
  expect(stepsOf(people().explain(query))).toBe(plan);
});
