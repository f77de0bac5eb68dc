// Rules P1 to P9: sorting, paging, and how a Batch is one collection.

import { describe, expect, test } from "vitest";
import {
  createCollection,
  createService,
  int,
  type Query,
  QueryError,
  string,
  type Service,
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
import { compareTextForms } from "../../src/testing/reference-page.ts";
import { lazily } from "../lazily.ts";
import { wireSchema } from "../wire-schema.ts";

const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id).join("");

const things = lazily(() =>
  createCollection(Thing, [
    { id: 1, text: "b", count: 10 },
    { id: 2, text: null, count: 9 },
    { id: 3, text: "a", count: null },
    { id: 4, text: "b", count: 9 },
    { id: 5, text: "", count: -1 },
    { id: 6, text: null, count: 100 },
  ]),
);

/** Contacts by List id, in the order of the ids' numbers. */
function contactIds(service: Service, ...params: unknown[]): Record<string, string> {
  const { result, error } = ask(service, "getBatchContacts", 7, ...params);
  expect(error).toBeNull();
  const lists = Object.entries(result as Record<string, { contact_id: string }[]>);
  return Object.fromEntries(
    lists.map(([list, contacts]) => [list, contacts.map(({ contact_id: id }) => id).join("")]),
  );
}

describe("P1", () => {
  test("P1 filter, sort, skip and take are done in this order", () => {
    const query = {
      criteria: [["count", "not", null]],
      sortBy: "count",
      sortOrder: "ASC",
      offset: 1,
      limit: 3,
    } as const;
    // Of all six by count — 3 5 2 4 1 6 — the filter leaves 5 2 4 1 6.
    expect(ids(things().query(query))).toBe("241");
  });

  test("P1 without a sort the page is cut after filtering", () => {
    expect(ids(things().query({ criteria: [["count", "exactly", 9]], offset: 1, limit: 1 }))).toBe(
      "4",
    );
  });

  test("P1 a page beyond the end is cut short, then empty", () => {
    expect(ids(things().query({ offset: 4, limit: 10 }))).toBe("56");
    expect(ids(things().query({ offset: 6 }))).toBe("");
    expect(ids(things().query({ offset: 600, sortBy: "id" }))).toBe("");
    expect(ids(things().query({ offset: 9007199254740991, limit: 9007199254740991 }))).toBe("");
  });

  test("P1 searchFiles does the same", () => {
    const service = createService({ files: [5, 3, 1, 4, 2].map((id) => aFile(id, { size: id })) });
    const answer = ask(service, "searchFiles", [["size", "less_than", 5]], 2, 1, "size", "ASC");
    expect(idsOf(answer)).toEqual(["2", "3"]);
  });
});

describe("P2", () => {
  test.each<string | null | undefined>([undefined, null, "", "ASC", "DESC"])(
    "P2 without sort_by the order is that of insertion, with sort_order %o too",
    (sortOrder) => {
      expect(ids(things().query({ sortOrder }))).toBe("123456");
      expect(idsOf(ask(aService(), "searchFiles", null, null, null, null, sortOrder))).toEqual([
        "1",
        "2",
        "3",
      ]);
    },
  );

  test("P2 without sort_by, sort_order is still checked", () => {
    const error = thrownBy(QueryError, () => things().query(untyped({ sortOrder: "UP" })));
    expect(error.parameter).toBe("sortOrder");
    expect(codeOf(ask(aService(), "searchFiles", null, null, null, null, "UP"))).toBe(310);
    expect(codeOf(ask(aService(), "searchFiles", null, null, null, "", "UP"))).toBe(310);
  });
});

describe("P3", () => {
  test("P3 an int field sorts by number", () => {
    const numbers = [
      "9",
      "10",
      "-2",
      "0",
      "-10",
      "9007199254740991",
      "-9007199254740991",
      "9007199254740990",
    ];
    const collection = createCollection(
      wireSchema({ n: int() }),
      numbers.map((n) => ({ n })),
    );
    expect(collection.query({ sortBy: "n", sortOrder: "ASC" }).map(({ n }) => n)).toEqual([
      "-9007199254740991",
      "-10",
      "-2",
      "0",
      "9",
      "10",
      "9007199254740990",
      "9007199254740991",
    ]);
  });

  const IN_ORDER = [
    "",
    "\u0000",
    "-1",
    "10",
    "9",
    "A",
    "Z",
    "a",
    "a\u0000",
    "aa",
    "b",
    "e\u0301",
    "z",
    "ä",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\u{10000}",
    "\u{10000}a",
    "\u{1f600}",
    "\u{10ffff}",
  ];

  test("P3 a string field sorts by Unicode code point, so the astral come after U+FFFF", () => {
    // In and out of order, so that neither keeping nor reversing what was given can pass.
    const given = [...IN_ORDER.slice(7), ...IN_ORDER.slice(0, 7).reverse()];
    const collection = createCollection(
      wireSchema({ s: string() }),
      given.map((s) => ({ s })),
    );
    const sorted = (sortOrder: "ASC" | "DESC") =>
      collection.query({ sortBy: "s", sortOrder }).map(({ s }) => s);
    expect(sorted("ASC")).toEqual(IN_ORDER);
    expect(sorted("DESC")).toEqual(IN_ORDER.toReversed());
  });

  test("P3 so do many strings that begin alike and differ only in their last surrogates", () => {
    const tones = ["\u{1f3fd}", "\u{1f3fe}", "\u{1f3ff}"];
    const toneOf = (number: number, place: number) => tones[Math.floor(number / 3 ** place) % 3];
    const word = (number: number) => [...Array(6).keys()].map((i) => toneOf(number, i)).join("");
    const given = Array.from({ length: 3 ** 6 }, (_, i) => ({ s: word(i) }));
    const collection = createCollection(wireSchema({ s: string() }), given);
    const expected = given.map(({ s }) => s).sort((a, b) => compareTextForms(a, b, "string"));
    const sorted = collection.query({ sortBy: "s", sortOrder: "ASC" }).map(({ s }) => s);
    expect(sorted).toEqual(expected);
  });

  test("P3 a field that is not searchable can be sorted by", () => {
    const collection = createCollection(Thing, [
      { id: 1, hidden: "a" },
      { id: 2, hidden: "c" },
      { id: 3, hidden: "b" },
    ]);
    expect(ids(collection.query({ sortBy: "hidden" }))).toBe("231");

    const contacts = [3, 20, 100].map((clicks, i) => aContact(i + 1, { links_clicked: clicks }));
    const service = createService({ batches: [{ id: 7, lists: [{ id: 1, contacts }] }] });
    expect(contactIds(service, null, null, null, "links_clicked")).toEqual({ 1: "321" });
    expect(contactIds(service, null, null, null, "bounce_description")).toEqual({ 1: "123" });
  });

  test.each(FILE_FIELDS.map(([name]) => name))("P3 Files sort by %s", (name) => {
    expect(codeOf(ask(aService(), "searchFiles", null, null, null, name))).toBeNull();
  });

  test.each(CONTACT_FIELDS.map(([name]) => name))("P3 Contacts sort by %s", (name) => {
    expect(codeOf(ask(aService(), "getBatchContacts", 7, null, null, null, name))).toBeNull();
  });

  test("P3 Contacts sort by a List Field of the Batch, by number where it is an int", () => {
    const service = aService();
    expect(contactIds(service, null, null, null, "Email", "ASC")).toEqual({ 10: "3", 20: "21" });
    expect(contactIds(service, null, null, null, "Age", "DESC")).toEqual({ 10: "3", 20: "21" });
    expect(contactIds(service, null, null, null, "Age", "ASC")).toEqual({ 10: "3", 20: "12" });
  });

  test.each(["nothing", "ID", "id ", "Email", ...INHERITED_NAMES])(
    "P3 %j is no field to sort Files by",
    (name) => {
      expect(codeOf(ask(aService(), "searchFiles", null, null, null, name))).toBe(310);
      const error = thrownBy(QueryError, () => things().query(untyped({ sortBy: name })));
      expect(error.parameter).toBe("sortBy");
    },
  );

  test.each(["nothing", "email", "size", ...INHERITED_NAMES])(
    "P3 %j is no field to sort Contacts by",
    (name) => {
      expect(codeOf(ask(aService(), "getBatchContacts", 7, null, null, null, name))).toBe(310);
    },
  );
});

describe("P4", () => {
  test.each<string | null | undefined>([undefined, null, "", "DESC"])(
    "P4 the sort order %o is DESC",
    (sortOrder) => {
      expect(ids(things().query({ sortBy: "id", sortOrder }))).toBe("654321");
      expect(idsOf(ask(aService(), "searchFiles", null, null, null, "size", sortOrder))).toEqual([
        "3",
        "1",
        "2",
      ]);
    },
  );

  test("P4 ASC is the other way round", () => {
    expect(ids(things().query({ sortBy: "id", sortOrder: "ASC" }))).toBe("123456");
    expect(idsOf(ask(aService(), "searchFiles", null, null, null, "size", "ASC"))).toEqual([
      "2",
      "1",
      "3",
    ]);
  });

  test.each([
    "asc",
    "desc",
    "Desc",
    "ASC ",
    "ascending",
    1,
    0,
    true,
    false,
    {},
    [],
    ["ASC"],
    NaN,
    ...INHERITED_NAMES,
  ])("P4 nothing else is legal: %j", (sortOrder) => {
    const error = thrownBy(QueryError, () => things().query(untyped({ sortBy: "id", sortOrder })));
    expect(error.parameter).toBe("sortOrder");
    const { error: answer } = ask(aService(), "searchFiles", null, null, null, "id", sortOrder);
    expect(answer?.code).toBe(310);
    expect(answer?.data).toContain("sort_order");
  });

  test("P4 null is lower than every value, and ties keep insertion order in both directions", () => {
    // text: b null a b "" null; count: 10 9 null 9 -1 100
    expect(ids(things().query({ sortBy: "text", sortOrder: "ASC" }))).toBe("265314");
    expect(ids(things().query({ sortBy: "text", sortOrder: "DESC" }))).toBe("143526");
    expect(ids(things().query({ sortBy: "count", sortOrder: "ASC" }))).toBe("352416");
    expect(ids(things().query({ sortBy: "count", sortOrder: "DESC" }))).toBe("612453");
  });

  test.each(["ASC", "DESC"] as const)(
    "P4 pages of a sort full of ties neither overlap nor miss a record, %s",
    (sortOrder) => {
      const collection = createCollection(
        Thing,
        Array.from({ length: 50 }, (_, i) => ({ id: i, count: i % 3 === 0 ? null : i % 2 })),
      );
      const whole = collection.query({ sortBy: "count", sortOrder });
      for (const limit of [1, 3, 7, 49]) {
        const pages = [];
        for (let offset = 0; offset < 50; offset += limit) {
          pages.push(...collection.query({ sortBy: "count", sortOrder, offset, limit }));
        }
        expect(pages).toEqual(whole);
      }
      const numbers = whole.filter(({ count }) => count === "1").map(({ id }) => Number(id));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    },
  );
});

describe("P5", () => {
  test.each<string | null | undefined>([undefined, null, ""])(
    "P5 %o is no limit and no offset, no sort_by and no sort_order",
    (none) => {
      expect(
        ids(things().query({ limit: none, offset: none, sortBy: none, sortOrder: none })),
      ).toBe("123456");
      const answer = ask(aService(), "searchFiles", null, none, none, none, none);
      expect(idsOf(answer)).toEqual(["1", "2", "3"]);
    },
  );

  test.each([2, "2"])("P5 limit and offset may be %j", (count) => {
    expect(ids(things().query({ limit: count }))).toBe("12");
    expect(ids(things().query({ offset: count }))).toBe("3456");
    expect(ids(things().query({ offset: count, limit: count, sortBy: "id" }))).toBe("43");
    expect(idsOf(ask(aService(), "searchFiles", null, count))).toEqual(["1", "2"]);
    expect(idsOf(ask(aService(), "searchFiles", null, null, count))).toEqual(["3"]);
  });

  test.each([9007199254740991, "9007199254740991"])("P5 limit and offset may be %j", (count) => {
    expect(ids(things().query({ limit: count, sortBy: "id" }))).toBe("654321");
    expect(ids(things().query({ offset: count }))).toBe("");
  });

  test.each([0, "0", -0])("P5 as limit %j returns nothing, as offset it skips nothing", (zero) => {
    expect(ids(things().query({ limit: zero }))).toBe("");
    expect(ids(things().query({ limit: zero, sortBy: "id" }))).toBe("");
    expect(ids(things().query({ offset: zero }))).toBe("123456");
    expect(idsOf(ask(aService(), "searchFiles", null, zero))).toEqual([]);
    expect(ask(aService(), "getBatchContacts", 7, null, zero).result).toEqual({ 10: [], 20: [] });
  });
});

describe("P6", () => {
  const NO_COUNT = [
    -1,
    "-1",
    1.5,
    "1.5",
    NaN,
    Infinity,
    1e21,
    9007199254740992,
    "9007199254740992",
    "-0",
    "00",
    "01",
    "+1",
    " 1",
    "1 ",
    " ",
    "1e1",
    "ten",
    true,
    false,
    {},
    [],
    [1],
    1n,
    Symbol("1"),
    () => 1,
  ];

  test.each(NO_COUNT)("P6 the limit and the offset %o are not valid", (value) => {
    for (const parameter of ["limit", "offset"] as const) {
      const error = thrownBy(QueryError, () => things().query(untyped({ [parameter]: value })));
      expect(error.parameter).toBe(parameter);
      const page = parameter === "limit" ? [value] : [null, value];
      for (const answer of [
        ask(aService(), "searchFiles", null, ...page),
        ask(aService(), "getBatchContacts", 7, null, ...page),
      ]) {
        expect(answer.error).toMatchObject({ code: 310, message: "Invalid Method Parameters" });
        expect(answer.error?.data).toMatch(new RegExp(`^${parameter}: `));
      }
    }
  });

  test.each([0, 1, true, false, {}, [], ["id"], 1n, () => "id"])(
    "P6 the sort_by %o is not valid",
    (value) => {
      const error = thrownBy(QueryError, () => things().query(untyped({ sortBy: value })));
      expect(error.parameter).toBe("sortBy");
      const { error: answer } = ask(aService(), "searchFiles", null, null, null, value);
      expect(answer?.code).toBe(310);
      expect(answer?.data).toMatch(/^sort_by: /);
    },
  );

  test.each([null, [], 5, "limit", true, () => ({})])("P6 the query %o is not one", (query) => {
    expect(thrownBy(QueryError, () => things().query(untyped(query))).parameter).toBeNull();
  });

  test.each(["sort_by", "Limit", "constructor", "page"])("P6 a query has no member %s", (name) => {
    const error = thrownBy(QueryError, () => things().query(untyped({ limit: 1, [name]: 1 })));
    expect(error.reason).toContain(`"${name}"`);
  });
});

describe("P7", () => {
  test("P7 limit and offset count Contacts over the whole Batch, Lists in the order given", () => {
    const service = aService();
    expect(contactIds(service)).toEqual({ 20: "12", 10: "3" });
    expect(contactIds(service, null, 1)).toEqual({ 20: "1", 10: "" });
    expect(contactIds(service, null, 2)).toEqual({ 20: "12", 10: "" });
    expect(contactIds(service, null, 2, 1)).toEqual({ 20: "2", 10: "3" });
    expect(contactIds(service, null, null, 2)).toEqual({ 20: "", 10: "3" });
  });

  test("P7 the page is grouped by List after the whole Batch is sorted", () => {
    const service = aService();
    expect(contactIds(service, null, 2, 0, "contact_id", "DESC")).toEqual({ 20: "2", 10: "3" });
    expect(contactIds(service, null, 1, 1, "Email", "DESC")).toEqual({ 20: "1", 10: "" });
    expect(contactIds(service, null, 3, 0, "contact_id", "DESC")).toEqual({ 20: "21", 10: "3" });
  });

  test("P7 every List has its key, also when its array is empty", () => {
    expect(contactIds(aService(), [["contact_id", "exactly", 3]])).toEqual({ 20: "", 10: "3" });
    expect(contactIds(aService(), [["contact_id", "exactly", 0]])).toEqual({ 20: "", 10: "" });
    const lists = [
      { id: 1, contacts: [] },
      { id: 2, contacts: [aContact(1)] },
      { id: 3, contacts: [] },
      { id: -4, contacts: [aContact(2)] },
    ];
    const service = createService({
      batches: [
        { id: 7, lists },
        { id: 8, lists: [] },
      ],
    });
    expect(contactIds(service)).toEqual({ 1: "", 2: "1", 3: "", "-4": "2" });
    expect(service.getBatchContacts(8)).toEqual({});
  });

  test("P7 the same Contact in two Lists occurs twice", () => {
    const lists = [1, 2].map((id) => ({ id, contacts: [aContact(1), aContact(2)] }));
    const service = createService({ batches: [{ id: 7, lists }] });
    expect(contactIds(service)).toEqual({ 1: "12", 2: "12" });
    expect(contactIds(service, null, 2, 1)).toEqual({ 1: "2", 2: "1" });
    // All four tie in pairs: what came first stays first, List before List.
    expect(contactIds(service, null, 3, 0, "contact_id", "DESC")).toEqual({ 1: "21", 2: "2" });
  });
});

describe("P8", () => {
  test("P8 a Contact is returned with the contract's 24 fields, not the List Fields", () => {
    const contacts = Object.values(aService().getBatchContacts(7)).flat();
    expect(contacts).toHaveLength(3);
    for (const contact of contacts) {
      expect(Object.keys(contact)).toEqual(CONTACT_FIELDS.map(([name]) => name));
    }
  });

  test("P8 a List Field that was searched and sorted by is not returned either", () => {
    const found = aService().getBatchContacts(7, [["Email", "contains", "@"]], 3, 0, "Email");
    for (const contact of Object.values(found).flat()) {
      expect(contact).not.toHaveProperty("Email");
      expect(contact).not.toHaveProperty("fields");
    }
  });
});

describe("P9", () => {
  test("P9 a later field decides among the ties of those before it, each in its order", () => {
    // text: b null a b "" null; count: 10 9 null 9 -1 100
    const by = (...sort: NonNullable<Query<typeof Thing>["sort"]>) => ids(things().query({ sort }));
    expect(by(["text", "ASC"], ["count", "ASC"])).toBe("265341");
    expect(by(["text", "ASC"], ["count", "DESC"])).toBe("625314");
    expect(by(["text", "DESC"], ["count", "ASC"])).toBe("413526");
    expect(by(["count", "DESC"], ["text", "DESC"])).toBe("614253");
    expect(by(["count", "ASC"], ["text", "ASC"])).toBe("352416");
  });

  test("P9 one field in a list is sort_by, and none is the order of insertion", () => {
    const sorted = things().query({ sortBy: "text", sortOrder: "ASC" });
    expect(things().query({ sort: [["text", "ASC"]] })).toEqual(sorted);
    expect(ids(things().query({ sort: [] }))).toBe("123456");
  });

  const orders = ["ASC", "DESC"] as const;

  test.each(orders.flatMap((first) => orders.map((second) => [first, second] as const)))(
    "P9 insertion order decides among the ties of all, and pages neither overlap nor miss a record: %s, %s",
    (first, second) => {
      const rows = Array.from({ length: 120 }, (_, id) => ({
        id,
        text: ["b", null, "a"][id % 3] ?? null,
        count: (id * 7) % 4,
      }));
      const sort = [
        ["text", first],
        ["count", second],
      ] as const;
      const rank = ({ text, count }: (typeof rows)[number]) =>
        (first === "ASC" ? 10 : -10) * [null, "a", "b"].indexOf(text) +
        (second === "ASC" ? 1 : -1) * count;
      const expected = rows.toSorted((a, b) => rank(a) - rank(b)).map(({ id }) => String(id));
      const bare = createCollection(Thing, rows, { indexes: "none" });
      const indexed = createCollection(Thing, rows).prepare({ sort: ["text", "count"] });
      // Changed rows stand apart from the others.
      const changed = indexed
        .update([["id", "in", [3, 50, 77]]], (thing) => void (thing.count = 9))
        .update(
          [["count", "exactly", 9]],
          (thing) => void (thing.count = (Number(thing.id) * 7) % 4),
        );
      for (const collection of [bare, indexed, changed]) {
        for (const limit of [1, 7, 40, 41, 119]) {
          const pages: string[] = [];
          for (let offset = 0; offset < 120; offset += limit) {
            pages.push(...collection.query({ sort, offset, limit }).map(({ id }) => id));
          }
          expect(pages).toEqual(expected);
        }
      }
    },
  );

  test("P9 criteria select first, whatever they ask of the fields that are sorted by", () => {
    const sort = [
      ["text", "ASC"],
      ["count", "DESC"],
    ] as const;
    const found = (criteria: Query<typeof Thing>["criteria"]) =>
      ids(things().query({ criteria, sort, offset: 1, limit: 2 }));
    expect(found([["text", "exactly", null]])).toBe("2");
    expect(found([["text", "not", "a"]])).toBe("25");
    expect(found([["count", "exactly", 9], "OR", ["text", "exactly", "b"]])).toBe("14");
  });

  test("P9 a page reads the ties of its ends by an index of the next field", () => {
    const rows = Array.from({ length: 5000 }, (_, id) => ({ id, text: `${id % 2}`, count: id }));
    const collection = createCollection(Thing, rows).prepare({ sort: ["text", "count"] });
    const sort = [["text", "DESC"], ["count", "DESC"]] as const; // oxfmt-ignore
    expect(ids(collection.query({ sort, limit: 2 }))).toBe("49994997");
    expect(ids(collection.query({ sort, offset: 2499, limit: 2 }))).toBe("14998");
    const { ties, sort: first } = collection.explain({ sort, limit: 2 }, { analyze: true });
    expect(first).toEqual({ path: "source", field: "text", order: "DESC" });
    expect(ties).toMatchObject({
      sorts: [{ path: "select", field: "count", order: "DESC" }],
      actualRows: 2,
    });
  });

  test("P9 the two methods sort by one field", () => {
    const sort = [["size", "ASC"]];
    const request = { id: 1, method: "searchFiles", params: ["key", null, null, null, sort] };
    expect(codeOf(aService().dispatch(request))).toBe(310);
  });
});
