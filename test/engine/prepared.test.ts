// Prepared queries: a run answers like the query with its values filled in, on each of a series of
// changed collections. Errors name the parameter and its place.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createBatch,
  createCollection,
  createService,
  CriteriaError,
  defineSchema,
  InputError,
  int,
  parameter,
  QueryError,
  string,
  type Collection,
  type CollectionOptions,
} from "../../src/index.ts";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { settings } from "../property.ts";
import { like } from "../likeness.ts";

const Item = defineSchema(
  {
    id: int({ unique: true }),
    size: int({ nullable: true }),
    name: string({ nullable: true }),
    "2024": string({ default: "" }),
    hidden: string({ nullable: true, stored: false }),
  },
  { form: "wire" },
);

const WORDS = ["", "a", "ab", "abc", "bc", "0", "2024", "__proto__", "constructor", "𝒜b", "é"];
const wordAt = (i: number) => WORDS[i % WORDS.length] ?? "";
const itemAt = (id: number) => ({
  id,
  size: id % 7 === 0 ? null : id % 13,
  name: id % 5 === 0 ? null : wordAt(id) + (id % 3 === 0 ? String(id) : ""),
  "2024": wordAt(id * 3),
});

const many = (count: number, options?: CollectionOptions) =>
  createCollection(
    Item,
    Array.from({ length: count }, (_, id) => itemAt(id)),
    options,
  );
type Items = ReturnType<typeof many>;

/** As for a caller without types. */
const untyped = (items: unknown) => items as Collection;

/** Parameters are called by names that objects inherit, too. */
const NAMES = ["a", "__proto__", "constructor", "0", ""];

const word = fc.constantFrom(...WORDS, null, "27", 3, 27);
const criterion = fc.oneof(
  fc.tuple(
    fc.constantFrom("name", "2024", "size", "id"),
    fc.constantFrom("exactly", "not", "exactly"),
    word,
  ),
  fc.tuple(
    fc.constantFrom("name", "2024"),
    fc.constantFrom("contains", "starts_with", "ends_with"),
    fc.constantFrom(...WORDS),
  ),
  fc.tuple(
    fc.constant("size"),
    fc.constantFrom("greater_than", "less_than"),
    fc.integer({ min: -1, max: 14 }),
  ),
  fc.tuple(fc.constantFrom("name", "size"), fc.constant("in"), fc.array(word, { maxLength: 3 })),
);
const count = fc.option(fc.oneof(fc.nat(4), fc.nat(300), fc.constant("7"), fc.constant("")), {
  nil: null,
});

const sortField = fc.constantFrom("size", "name", "2024", "id");
const sortOrder = fc.constantFrom("ASC", "DESC");

const asked = fc.record({
  criteria: fc.array(fc.oneof({ weight: 5, arbitrary: criterion }, fc.constant("OR" as const)), {
    maxLength: 4,
  }),
  sorted: fc.oneof(
    fc.record({ sortBy: fc.constantFrom(undefined, "size", "name", "2024", "id"), sortOrder }),
    fc.record({ sort: fc.array(fc.tuple(sortField, sortOrder), { maxLength: 3 }) }),
  ),
  /** Which of the values are parameters, and which name each has. */
  open: fc.array(fc.option(fc.nat(NAMES.length - 1), { freq: 3 }), {
    minLength: 4,
    maxLength: 4,
  }),
  isLimitOpen: fc.boolean(),
  isOffsetOpen: fc.boolean(),
  runs: fc.array(
    fc.record({
      values: fc.array(word, { minLength: 5, maxLength: 5 }),
      limit: count,
      offset: count,
    }),
    {
      minLength: 2,
      maxLength: 3,
    },
  ),
});

const step = fc.record({
  kind: fc.constantFrom("remove", "resize", "insert", "compact", "prepare", "reopen", "stay"),
  id: fc.nat(200),
});

/** What a function gives, or what is wrong with it, but for the name of the parameter. */
function outcome(run: () => readonly unknown[]): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof CriteriaError) {
      return [error.position, error.reason.replace(/^parameter ".*?": /, "")];
    }
    if (error instanceof QueryError) {
      return [error.parameter, error.reason.replace(/^parameter ".*?": /, "")];
    }
    throw error;
  }
}

function changed(
  items: Items,
  { kind, id }: { readonly kind: string; readonly id: number },
): Items {
  switch (kind) {
    case "remove":
      return items.remove([["id", "exactly", id]]);
    case "resize":
      return items.update([["size", "exactly", id % 13]], (draft) => void (draft.size = "5"));
    case "insert":
      return items.get("id", 1000 + id) ? items : items.insert([{ ...itemAt(id), id: 1000 + id }]);
    case "compact":
      return items.compact();
    case "prepare":
      return items.prepare({ match: ["name", "size"], sort: ["2024"], contains: ["name"] });
    case "reopen":
      return openCollection(saveCollection(items), { schema: Item });
    default:
      return items;
  }
}

describe("a prepared query", () => {
  test("answers what the query with the values in it answers, after any changes", () => {
    const builders = fc.constantFrom("auto" as const, "none" as const, "deferred" as const);
    fc.assert(
      fc.property(asked, fc.array(step, { maxLength: 6 }), builders, (given, steps, indexes) => {
        const { criteria, sorted, open, isLimitOpen, isOffsetOpen, runs } = given;
        const nameAt = (i: number) => NAMES[open[i] ?? -1];
        const first = runs[0];
        // The template has values, too, where a place is no parameter.
        const template = {
          criteria: criteria.map((each, i) => {
            const name = nameAt(i);
            return each === "OR" || name === undefined ? each : [each[0], each[1], parameter(name)];
          }),
          ...sorted,
          limit: isLimitOpen ? parameter("limit") : first?.limit,
          offset: isOffsetOpen ? parameter("offset") : first?.offset,
        };
        const filled = ({ values, limit, offset }: (typeof runs)[number]) => ({
          criteria: criteria.map((each, i) => {
            const at = open[i] ?? -1;
            return each === "OR" || at < 0 ? each : [each[0], each[1], values[at]];
          }),
          ...sorted,
          limit: isLimitOpen ? limit : first?.limit,
          offset: isOffsetOpen ? offset : first?.offset,
        });
        let items = many(150, { indexes });
        let prepared: ReturnType<Collection["prepareQuery"]>;
        try {
          const given: unknown = template;
          prepared = untyped(items).prepareQuery(given as never);
        } catch {
          // What is wrong whatever the values are: the query is refused as well.
          for (const run of runs) {
            expect(() => untyped(items).query(filled(run) as never)).toThrow();
          }
          return;
        }
        const used = new Set(
          criteria.flatMap((each, i) => (each === "OR" ? [] : [nameAt(i) ?? []].flat())),
        );
        for (const change of [{ kind: "stay", id: 0 }, ...steps]) {
          items = changed(items, change);
          for (const run of runs) {
            const values = Object.fromEntries([
              ...NAMES.map((name, i) => [name, run.values[i]] as const).filter(([name]) =>
                used.has(name),
              ),
              ...(isLimitOpen ? [["limit", run.limit]] : []),
              ...(isOffsetOpen ? [["offset", run.offset]] : []),
            ] as [string, unknown][]);
            const query = filled(run);
            const expected = outcome(() => untyped(items).query(query as never));
            expect(outcome(() => prepared.run(untyped(items), values as never))).toEqual(expected);
          }
        }
      }),
      settings(150),
    );
  });

  test("answers from each of the collections that it is run on, in any order", () => {
    const before = many(100).prepare({ match: ["size"], sort: ["size"] });
    const after = before.remove([["size", "exactly", 5]]).insert([{ id: 500, size: 5, name: "x" }]);
    const bySize = before.prepareQuery({ sortBy: "size", limit: parameter("limit") });
    const ofSize = before.prepareQuery({ criteria: [["size", "exactly", 5]] });
    for (const items of [before, after, before, after, before.compact(), after.compact()]) {
      for (const limit of [3, 0, 1000, 3]) {
        expect(bySize.run(items, { limit })).toEqual(items.query({ sortBy: "size", limit }));
      }
      expect(ofSize.run(items)).toEqual(items.query({ criteria: [["size", "exactly", 5]] }));
    }
    expect(ofSize.run(after).map(({ id }) => id)).toEqual(["500"]);
  });

  test("uses an index that is built after it was prepared", () => {
    const items = many(200, { indexes: "none" });
    const ofName = items.prepareQuery({ criteria: [["name", "exactly", "ab"]], limit: 5 });
    const answer = ofName.run(items);
    expect(ofName.explain(items, {}).access.path).toBe("scan");
    items.prepare({ match: ["name"] });
    expect(ofName.explain(items, {}).access.path).toBe("index-lookup");
    expect(ofName.run(items)).toEqual(answer);
  });

  test("is explained as the query with the values in it", () => {
    const items = many(200).prepare({ match: ["name"], sort: ["size"] });
    const prepared = items.prepareQuery({
      criteria: [["name", "exactly", parameter("name")]],
      sortBy: "size",
      limit: parameter("limit"),
    });
    const query = { criteria: [["name", "exactly", "ab"]], sortBy: "size", limit: 3 } as const;
    prepared.run(items, { name: "abc", limit: 100 });
    expect(prepared.explain(items, { name: "ab", limit: 3 })).toEqual(items.explain(query));
    const { actualRows } = prepared.explain(items, { name: "ab", limit: 3 }, { analyze: true });
    expect(actualRows).toBe(items.query(query).length);
  });

  test("returns an array of its own with each run", () => {
    const items = many(100).prepare({ sort: ["size"] });
    const all = items.prepareQuery({ sortBy: "size" });
    all.run(items).length = 0;
    expect(all.run(items)).toHaveLength(100);
    const asTheyStand = items.prepareQuery();
    asTheyStand.run(items).length = 0;
    expect(asTheyStand.run(items)).toEqual([...items]);
  });

  test("gives one value to all places of a name", () => {
    const items = many(100);
    const either = items.prepareQuery({
      criteria: [
        ["name", "exactly", parameter("word")],
        "OR",
        ["2024", "exactly", parameter("word")],
      ],
    });
    expect(either.run(items, { word: "ab" })).toEqual(
      items.query({ criteria: [["name", "exactly", "ab"], "OR", ["2024", "exactly", "ab"]] }),
    );
  });

  test("keeps nothing of the query that it was made of, nor of the values (C11)", () => {
    const items = many(100);
    const criterion: [string, string, unknown] = ["name", "exactly", parameter("name")];
    const list = ["a", "ab"];
    const criteria: unknown = [criterion, "OR", ["name", "in", list]];
    const prepared = untyped(items).prepareQuery({ criteria } as never);
    const values = { name: "abc" } as never;
    const expected = prepared.run(untyped(items), values);
    criterion[0] = "nothing";
    list.push("abc", "bc");
    expect(prepared.run(untyped(items), values)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  test("reads each element of the criteria and each value once (C11)", () => {
    const items = many(100);
    let reads = 0;
    const once = <T>(value: T) => ({
      enumerable: true,
      get: () => {
        reads++;
        return value;
      },
    });
    const criterion = Object.defineProperties(["name", "exactly", ""], {
      2: once(parameter("name")),
    });
    const prepared = untyped(items).prepareQuery({ criteria: [criterion] } as never);
    expect(reads).toBe(1);
    prepared.run(untyped(items), Object.defineProperties({}, { name: once("ab") }));
    expect(reads).toBe(2);
  });
});

describe("what is wrong with a prepared query", () => {
  const items = many(100);
  const prepared = items.prepareQuery({
    criteria: [["name", "exactly", "a"], "OR", ["size", "greater_than", parameter("least size")]],
    limit: parameter("limit"),
    offset: parameter("offset"),
  });
  const run = (values: unknown) => () => prepared.run(items, values as never);
  const valid = { "least size": 3, limit: 5, offset: 0 };

  test("its template, when it is prepared", () => {
    const prepare = (query: unknown) => () => untyped(items).prepareQuery(query as never);
    expect(prepare({ criteria: [["nmae", "exactly", parameter("x")]] })).toThrow(
      like(new CriteriaError(0, 'unknown field "nmae"; did you mean "name"?')),
    );
    expect(prepare({ criteria: [["name", "less_than", parameter("x")]] })).toThrow(CriteriaError);
    expect(prepare({ criteria: [["name", "is", parameter("x")]] })).toThrow(CriteriaError);
    expect(prepare({ criteria: [parameter("x")] })).toThrow(CriteriaError);
    expect(prepare({ criteria: parameter("x") })).toThrow(CriteriaError);
    expect(prepare({ criteria: [["name", "in", [parameter("x")]]] })).toThrow(CriteriaError);
    expect(prepare({ sortBy: parameter("x") })).toThrow(QueryError);
    expect(prepare({ limit: -1, offset: parameter("x") })).toThrow(QueryError);
    expect(prepare(5)).toThrow(QueryError);
    expect(prepare({ lmit: 5 })).toThrow(QueryError);
  });

  test("a value that is missing, with its place", () => {
    expect(run(undefined)).toThrow(
      like(new CriteriaError(2, 'parameter "least size" has no value')),
    );
    expect(run({ "least size": 3, limit: undefined })).toThrow(
      like(new QueryError("limit", 'parameter "limit" has no value')),
    );
    expect(run({ "least size": 3, limit: 1 })).toThrow(
      like(new QueryError("offset", 'parameter "offset" has no value')),
    );
  });

  test("a value that is inherited and no one's own", () => {
    const named = items.prepareQuery({ criteria: [["name", "exactly", parameter("constructor")]] });
    expect(() => named.run(items, {} as never)).toThrow(
      like(new CriteriaError(0, 'parameter "constructor" has no value')),
    );
  });

  test("a value that is not valid there", () => {
    expect(run({ ...valid, "least size": "five" })).toThrow(
      like(
        new CriteriaError(
          2,
          'parameter "least size": greater_than takes a safe integer or its canonical decimal string, not "five"',
        ),
      ),
    );
    expect(run({ ...valid, limit: -1 })).toThrow(
      like(
        new QueryError(
          "limit",
          'parameter "limit": must be a non-negative safe integer or its canonical decimal string, not -1',
        ),
      ),
    );
    expect(run({ ...valid, offset: {} })).toThrow(
      like(
        new QueryError(
          "offset",
          'parameter "offset": must be a non-negative safe integer or its canonical decimal string, not an object',
        ),
      ),
    );
    const among = createCollection(Item, [], { maxValues: 2 }).prepareQuery({
      criteria: [["name", "in", parameter("names")]],
    });
    expect(() => among.run(items, { names: "a,b,c" })).toThrow(
      like(new CriteriaError(0, 'parameter "names": there may be at most 2 values')),
    );
  });

  test("a value for no parameter, or values that are not an object", () => {
    expect(run({ ...valid, size: 3 })).toThrow(
      like(new InputError("values", 'has no member "size"; use "least size", "limit" or "offset"')),
    );
    expect(run(5)).toThrow(like(new InputError("values", "must be an object, not 5")));
    expect(run([])).toThrow(like(new InputError("values", "must be an object, not an array")));
    const thrown = new Error("no");
    const failing = Object.defineProperty({}, "limit", {
      enumerable: true,
      get() {
        throw thrown;
      },
    });
    expect(run(failing)).toThrow(like(new InputError("values", "could not be read")));
    const constant = items.prepareQuery({ limit: 3 });
    expect(() => constant.run(items, { limit: 3 } as never)).toThrow(InputError);
    expect(constant.run(items, {})).toEqual(constant.run(items));
  });

  test("a collection of another schema, or none", () => {
    const other = createCollection(defineSchema({ id: int() }, { form: "wire" }), [{ id: 1 }]);
    const message = "must be a collection of the schema that the query was prepared for";
    for (const wrong of [other, items[Symbol.iterator](), undefined, 5, new Proxy(items, {})]) {
      expect(() => prepared.run(wrong as never, valid)).toThrow(
        like(new InputError("collection", message)),
      );
      expect(() => prepared.explain(wrong as never, valid)).toThrow(InputError);
    }
  });

  test("a name that no parameter can have", () => {
    expect(() => parameter(5 as never)).toThrow(
      like(new InputError("name", "must be a string, not 5")),
    );
  });
});

describe("the Contacts of a Batch", () => {
  test("are asked through the updates of a service", () => {
    const contacts = [1, 2, 3].map((id) => ({
      send_id: id,
      contact_id: id,
      contact_email: `c${id}@example.com`,
      fields: { City: id === 2 ? "Ulm" : "Bonn" },
    }));
    const service = createService({
      batches: [{ id: 7, lists: [{ id: 1, fields: { City: "string" }, contacts }] }],
    });
    const batch = () =>
      service.batches["7"]?.contacts ?? createBatch({ id: 8, lists: [] }).contacts;
    const opened = batch().prepareQuery({
      criteria: [["open_type", "exactly", parameter("type")]],
      sortBy: "last_open_time",
    });
    expect(opened.run(batch(), { type: "html" })).toEqual([]);
    service.update((draft) => {
      const seventh = draft.batches["7"];
      if (seventh === undefined) return;
      seventh.contacts = seventh.contacts.update(
        [["contact_email", "exactly", "c2@example.com"]],
        (contact) => void (contact.open_type = "html"),
      );
    });
    expect(opened.run(batch(), { type: "html" }).map(({ send_id: id }) => id)).toEqual(["2"]);
  });
});
