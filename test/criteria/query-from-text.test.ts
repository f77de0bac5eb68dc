// Queries from URLs and forms: what they mean, and that nothing is asked for that the caller does not allow.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boolean,
  createCollection,
  defineSchema,
  float,
  InputError,
  int,
  json,
  queryFromText,
  string,
  strings,
  TercetError,
  time,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";

const Ticket = defineSchema({
  id: int({ unique: true }),
  state: string(),
  votes: int({ nullable: true }),
  price: float({ nullable: true }),
  isOpen: boolean({ default: true }),
  tags: strings({ default: [] }),
  at: time({ nullable: true }),
  "a.b": string({ default: "" }),
  sort: string({ default: "" }),
  more: json({ nullable: true }),
});
const tickets = createCollection(Ticket, [
  { id: 1, state: "new", votes: 3, price: 1.5, tags: ["red", "old"], at: "2024-03-05", "a.b": "x" },
  { id: 2, state: "open", votes: null, price: 7, isOpen: false, tags: ["red"], sort: "s" },
  { id: 3, state: "a,b", votes: 9, tags: [] },
]);
const ids = (text: string) =>
  tickets
    .page(queryFromText(Ticket, text))
    .records.map(({ id }) => id)
    .join();

describe("a query string", () => {
  test.each([
    ["", "1,2,3"],
    ["state=open", "2"],
    ["?state=open", "2"],
    ["state=new&state=open", "1,2"],
    ["state.in=new,open", "1,2"],
    ["state=a,b", "3"],
    ["state.in=a,b", ""],
    ["state.in=a,b&state.in=new", "1,3"],
    ["state.not=new&state.not=open", "3"],
    ["state=", "1,2,3"],
    ["votes.at_least=3", "1,3"],
    ["votes.between=1,5", "1"],
    ["votes=null", "2"],
    ["price=1.50", "1"],
    ["isOpen=false", "2"],
    ["tags=red", "1,2"],
    ["tags=old&tags=x", "1"],
    ["tags.has_all=red,old", "1"],
    ["tags.exactly=%5B%5D", "3"],
    ["at=2024-03", "1"],
    ["a.b=x", "1"],
    ["a.b.starts_with=x", "1"],
    ["sort.exactly=s", "2"],
    ["sort=-id", "3,2,1"],
    ["sort=isOpen,-id&limit=2", "2,3"],
    ["sort=id&last=true&limit=1", "3"],
    ["state=new&votes=3", "1"],
  ])("%j finds %s", (text, expected) => {
    expect(ids(text)).toBe(expected);
    expect(queryFromText(Ticket, new URLSearchParams(text))).toEqual(queryFromText(Ticket, text));
  });

  test("selects fields, and leads from page to page", () => {
    const first = tickets.page(queryFromText(Ticket, "sort=-votes&limit=1&select=id"));
    expect(first.records).toEqual([{ id: 3 }]);
    const next = queryFromText(Ticket, `sort=-votes&limit=1&after=${String(first.next)}`);
    expect(tickets.page(next).records[0]?.id).toBe(1);
    const byOffset = queryFromText(Ticket, "sort=id&offset=1&limit=1", { paging: "offset" });
    expect(tickets.query(byOffset).map(({ id }) => id)).toEqual([2]);
  });

  test("has a condition of the caller's own beside it", () => {
    const { criteria, ...page } = queryFromText(Ticket, "state=new&state=open");
    const own = [["isOpen", "exactly", true], criteria] as const;
    expect(tickets.page({ ...page, criteria: own }).records.map(({ id }) => id)).toEqual([1]);
  });

  test("may be a form, or pairs of names and texts", () => {
    const form = new FormData();
    form.append("state", "new");
    expect(queryFromText(Ticket, form)).toEqual({ criteria: [["state", "exactly", "new"]] });
    expect(queryFromText(Ticket, new Map([["votes", "3"]]))).toEqual({
      criteria: [["votes", "exactly", "3"]],
    });
  });
});

const allowed = { fields: ["id", "state"], operators: ["exactly", "in"] } as const;

test.each<[string, object, string]>([
  [
    "titel=x",
    {},
    'parameters.titel: unknown field "titel"; use "id", "state", "votes", "price", "isOpen", "tags", "at", "a.b", "sort", "more", "select", "limit", "after", "before" or "last"',
  ],
  ["stat=x", {}, 'parameters.stat: unknown field "stat"; did you mean "state"?'],
  [
    "titel=",
    allowed,
    'parameters.titel: unknown field "titel"; use "id", "state", "sort", "select", "limit", "after", "before" or "last"',
  ],
  [
    "__proto__=x",
    allowed,
    'parameters.__proto__: unknown field "__proto__"; use "id", "state", "sort", "select", "limit", "after", "before" or "last"',
  ],
  [
    "votes=3",
    allowed,
    'parameters.votes: unknown field "votes"; use "id", "state", "sort", "select", "limit", "after", "before" or "last"',
  ],
  ["sort=-votes", allowed, 'parameters.sort: unknown field "votes"; use "id" or "state"'],
  ["select=id,votes", allowed, 'parameters.select: unknown field "votes"; use "id" or "state"'],
  [
    "state.contains=o",
    allowed,
    'parameters["state.contains"]: unknown operator "contains"; use "exactly" or "in"',
  ],
  [
    "state.like=o",
    allowed,
    'parameters["state.like"]: unknown operator "like"; use "exactly" or "in"',
  ],
  ["more=1", {}, 'parameters.more: "more" can\'t be searched'],
  ["limit=-1", {}, 'parameters.limit: must be a non-negative integer, not "-1"'],
  ["limit=1&limit=2", {}, "parameters.limit: may be given once"],
  ["last=yes", {}, 'parameters.last: must be "true" or "false", not "yes"'],
  [
    "after=x",
    { paging: "offset" },
    'parameters.after: unknown field "after"; use "id", "state", "votes", "price", "isOpen", "tags", "at", "a.b", "sort", "more", "select", "limit" or "offset"',
  ],
])("%j is refused with %j", (text, options, message) => {
  const error = thrownBy(InputError, () => queryFromText(Ticket, text, untyped(options)));
  expect(error.message).toBe(message);
});

test("parameters that are no texts are refused", () => {
  const refused = (parameters: unknown) =>
    thrownBy(InputError, () => queryFromText(Ticket, untyped(parameters))).message;
  expect(refused(5)).toBe(
    "parameters: must be a query string, URLSearchParams, or pairs of a name and a text, not 5",
  );
  expect(refused([["state", 5]])).toBe("parameters.state: must be a text, not 5");
  expect(refused([5])).toBe("parameters: must be pairs of a name and a text, not 5");
});

test("whatever is given, it is refused, or asks only for what is allowed", () => {
  const names = fc.oneof(
    fc.constantFrom("id", "state", "votes", "state.in", "id.not", "sort", "select", "limit", "constructor", ""), // oxfmt-ignore
    fc.string(),
  );
  const texts = fc.oneof(
    fc.constantFrom("", "1", "id", "-votes", "null", "[]", "a,b"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(names, texts), { maxLength: 4 }), (pairs) => {
      try {
        const query = queryFromText(Ticket, pairs, allowed);
        for (const criterion of query.criteria) {
          expect(["id", "state"]).toContain(criterion[0]);
          expect(["exactly", "in"]).toContain(criterion[1]);
        }
        for (const [field] of query.sort ?? []) expect(["id", "state"]).toContain(field);
        for (const field of query.select ?? []) expect(["id", "state"]).toContain(field);
        tickets.page(query);
      } catch (error) {
        if (!(error instanceof TercetError)) throw error;
      }
    }),
    settings(500),
  );
});
