// Whatever a caller passes, the result is an envelope or an error of the TercetError family, never an internal error,
// and the service keeps working as before.

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  compileCriteria,
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  File,
  int,
  parseCriteria,
  InputError,
  ServiceError,
  TercetError,
} from "../src/index.ts";
import { lazily } from "./lazily.ts";
import { settings } from "./property.ts";
import { operators, operatorsFor } from "../src/criteria/operators.ts";
import { HOSTILE } from "../src/testing/arbitraries/hostile.ts";
import { aContact, aFile, aService, ERROR_NAMES, thrownBy, untyped } from "./rules/fixtures.ts";

const nameOf = (code: number): string | undefined =>
  new Map(Object.entries(ERROR_NAMES)).get(String(code));

const fling = (thrown: unknown) => (): never => {
  throw thrown;
};

const withGetters = (target: object, names: readonly PropertyKey[], thrown: unknown): unknown =>
  Object.defineProperties(
    target,
    Object.fromEntries(names.map((name) => [name, { get: fling(thrown), enumerable: true }])),
  );

const lyingLength = (length: unknown): unknown =>
  new Proxy<unknown[]>(["id", "exactly", 1], {
    get: (target, key) => (key === "length" ? length : (Reflect.get(target, key) as unknown)),
  });

const forged = () => new ServiceError(100, "forged");
const MEMBERS = ["id", "method", "params", "criteria", "limit", "files", "batches", "name"];
const NEXT = { next: fling(undefined) };

/** The kit's hostile values, and some that are about this library's own ways to read; made anew for each use. */
const EXOTIC: Readonly<Record<string, () => unknown>> = {
  ...HOSTILE,
  "getters that throw a ServiceError": () => withGetters({}, MEMBERS, forged()),
  "elements that throw null": () => withGetters([1, 2, 3], ["0", "1", "2"], null),
  "elements that throw a ServiceError": () => withGetters([1, 2, 3], ["0", "1", "2"], forged()),
  "a proxy of an array that throws null": () =>
    new Proxy([], { get: fling(null), has: fling(null) }),
  ...Object.fromEntries(
    [Symbol("3"), 3n, {}, HOSTILE["a proxy of an object that throws"]?.()].map((length, i) => [
      `an array whose length is no number (${i})`,
      () => lyingLength(length),
    ]),
  ),
  "a toString that throws": () => ({ toString: fling(new Error("toString")) }),
  "a toJSON that throws": () => ({ toJSON: fling(new Error("toJSON")) }),
  "a toPrimitive that throws": () => ({ [Symbol.toPrimitive]: fling(new Error("toPrimitive")) }),
  "an array whose iterator is none": () =>
    Object.assign(["id", "exactly", 1], { [Symbol.iterator]: () => 5 }),
  "an iterable whose next throws undefined": () => ({ [Symbol.iterator]: () => NEXT }),
  "a getter of the iterator that throws": () => withGetters({}, [Symbol.iterator], new Error("x")),
};

/** Arbitrary JSON values, and JavaScript values of all kinds that fast-check knows. */
const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
  fc.constantFrom("__proto__", "constructor", "toString", "OR", "", "id", 0, -1, 1e21, null),
);

type Place = readonly [name: string, put: (value: unknown) => unknown];

const search = (...params: unknown[]) => ({
  id: 1,
  method: "searchFiles",
  params: ["key", ...params],
});
const contacts = (...params: unknown[]) => ({
  id: 1,
  method: "getBatchContacts",
  params: ["key", 7, ...params],
});

/** Every place of criteria that a value can stand at. */
const CRITERIA_PLACES: readonly Place[] = [
  ["the criteria", (value) => value],
  ["a criterion", (value) => [["id", "exactly", 1], value]],
  ["a criterion between two", (value) => [["id", "exactly", 1], value, ["id", "exactly", 1]]],
  ["the field", (value) => [[value, "exactly", 1]]],
  ["the operator", (value) => [["id", value, 1]]],
  ["a fourth element", (value) => [["id", "exactly", 1, value]]],
  ...operatorsFor("contract").map(({ name }): Place => [
    `the value of ${name}`,
    (value) => [["id", name, value]],
  ]),
  ["a member of in", (value) => [["id", "in", ["1", value, null]]]],
];

const PAGE = ["limit", "offset", "sort_by", "sort_order"] as const;
const nulls = (count: number): null[] => Array<null>(count).fill(null);

/** Every place of a request that a value can stand at. */
const REQUEST_PLACES: readonly Place[] = [
  ["the request", (value) => value],
  ["id", (id) => ({ ...search(), id })],
  ["method", (method) => ({ ...search(), method })],
  ["params", (params) => ({ ...search(), params })],
  ["another member", (other) => ({ ...search(), other })],
  ["the api key", (key) => ({ id: 1, method: "searchFiles", params: [key] })],
  ["batch_id", (batchId) => ({ ...contacts(), params: ["key", batchId] })],
  ...CRITERIA_PLACES.flatMap(([name, put]): Place[] => [
    [`${name} of searchFiles`, (value) => search(put(value))],
    [`${name} of getBatchContacts`, (value) => contacts(put(value))],
  ]),
  ...PAGE.flatMap((name, i): Place[] => [
    [`${name} of searchFiles`, (value) => search(...nulls(i + 1), value)],
    [`${name} of getBatchContacts`, (value) => contacts(...nulls(i + 1), value)],
  ]),
  ["the id by JSON-RPC", (id) => ({ ...search(), id: id ?? null, jsonrpc: "2.0" })],
  ["params by JSON-RPC", (params) => ({ ...search(), params, jsonrpc: "2.0" })],
  ["jsonrpc", (jsonrpc) => ({ ...search(), jsonrpc })],
  [
    "a named parameter",
    (limit) => ({ ...search(), params: { api_key: "key", limit }, jsonrpc: "2.0" }),
  ],
  ["a member of a batch", (member) => [search(), member]],
  ["a parameter too many of searchFiles", (value) => search(...nulls(5), value)],
  ["a parameter too many of getBatchContacts", (value) => contacts(...nulls(5), value)],
];

const isTextOrBigint = (id: unknown) => typeof id === "string" || typeof id === "bigint";

/** What is wrong with an answer (rules E1 to E3, E5, E13); an empty text where nothing is. */
function faultOf(envelope: unknown): string {
  if (typeof envelope !== "object" || envelope === null) return "not an object";
  if (Array.isArray(envelope)) return envelope.map(faultOf).find((fault) => fault !== "") ?? "";
  if ("jsonrpc" in envelope) return faultOfJsonRpc(envelope);
  if (Object.keys(envelope).join() !== "id,result,error") return "wrong keys";
  const { id, result, error } = envelope as Record<string, unknown>;
  if (id !== null && !isTextOrBigint(id) && !Number.isInteger(id)) return "wrong id";
  if (error === null) return typeof result === "object" && result !== null ? "" : "no result";
  if (result !== null) return "a result beside an error";
  if (typeof error !== "object" || Object.keys(error).join() !== "code,message,data") {
    return "wrong error";
  }
  const { code, message, data } = error as Record<string, unknown>;
  if (typeof code !== "number" || nameOf(code) === undefined) return "wrong code";
  if (code === 100) return "an internal error";
  if (message !== nameOf(code)) return "wrong message";
  return typeof data === "string" && data.isWellFormed() ? "" : "wrong data";
}

const JSON_RPC_CODES: readonly unknown[] = [-32600, -32601, -32602, 300, 308, 311];

function faultOfJsonRpc({ ...response }: Readonly<Record<string, unknown>>): string {
  const { jsonrpc, id, result, error, ...more } = response;
  if (jsonrpc !== "2.0" || Object.keys(more).length > 0) return "wrong members";
  if (id !== null && !isTextOrBigint(id) && !Number.isFinite(id)) return "wrong id";
  if ("result" in response === "error" in response) return "not one of result and error";
  if (!("error" in response))
    return typeof result === "object" && result !== null ? "" : "no result";
  if (typeof error !== "object" || error === null) return "wrong error";
  const { code, message, data }: { code?: unknown; message?: unknown; data?: unknown } = error;
  if (!JSON_RPC_CODES.includes(code)) return "wrong code";
  return typeof message === "string" && typeof data === "string" ? "" : "wrong error";
}

/** How a run went: nothing to say, or what it threw that is not of the class. */
function faultThrown(type: typeof TercetError | typeof ServiceError, run: () => unknown): string {
  try {
    run();
    return "";
  } catch (thrown) {
    if (!(thrown instanceof type))
      return `threw ${thrown instanceof Error ? thrown.name : typeof thrown}`;
    if (type !== ServiceError || !(thrown instanceof ServiceError)) return "";
    return thrown.code === 100 || nameOf(thrown.code) === undefined ? `code ${thrown.code}` : "";
  }
}

/** The exotic values for which a check finds a fault, each with the fault. */
function faults(check: (value: unknown) => string, except: readonly string[] = []): string[] {
  return Object.entries(EXOTIC).flatMap(([name, make]) => {
    if (except.includes(name)) return [];
    const fault = check(make());
    return fault === "" ? [] : [`${name}: ${fault}`];
  });
}

const onInternalError = vi.fn();
const service = lazily(() => aService({ onInternalError, authenticate: () => true }));

const goodAnswers = () =>
  JSON.stringify([
    service().dispatch(search([["size", "less_than", 100]], 2, 0, "size", "ASC")),
    service().dispatch(contacts(null, 2, 1, "Email", "ASC")),
  ]);
const before = lazily(goodAnswers);

beforeEach(() => {
  expect(before()).toContain('"error":null},{');
});

afterEach(() => {
  expect(onInternalError).not.toHaveBeenCalled();
  expect(goodAnswers()).toBe(before());
});

describe("dispatch", () => {
  test.each(REQUEST_PLACES)("any exotic value as %s is answered with an envelope", (_name, put) => {
    expect(faults((value) => faultOf(service().dispatch(put(value))))).toEqual([]);
  });

  test("any value anywhere in a request is answered with an envelope", () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(...REQUEST_PLACES), (value, [, put]) => {
        expect(faultOf(service().dispatch(put(value)))).toBe("");
      }),
      settings(1500),
    );
  });

  test("any criteria that look like criteria are answered with an envelope", () => {
    const name = fc.constantFrom("id", "name", "size", "Age", "send_id", "nothing", "__proto__");
    const criterion = fc.tuple(
      name,
      fc.constantFrom(...operators.map((each) => each.name), "toString"),
      anyValue,
    );
    const criteria = fc.array(fc.oneof(criterion, fc.constant("OR"), anyValue), { maxLength: 5 });
    fc.assert(
      fc.property(criteria, fc.constantFrom(search, contacts), (value, ask) => {
        expect(faultOf(service().dispatch(ask(value)))).toBe("");
      }),
      settings(500),
    );
  });
});

describe("dispatchJson", () => {
  const faultOfText = (text: unknown): string => {
    const answer: unknown = service().dispatchJson(untyped(text));
    if (typeof answer !== "string") return "not a text";
    return faultOf(JSON.parse(answer));
  };

  test("any exotic value is answered with the text of an envelope", () => {
    expect(faults(faultOfText)).toEqual([]);
  });

  test("any text is answered with the text of an envelope", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc
        .tuple(fc.jsonValue(), fc.constantFrom(...REQUEST_PLACES))
        .map(([value, [, put]]) => JSON.stringify(put(value))),
      anyValue,
    );
    fc.assert(
      fc.property(text, (value) => {
        expect(faultOfText(value)).toBe("");
      }),
      settings(1000),
    );
  });

  test("a good request with a piece cut out or put in is answered with the text of an envelope", () => {
    const good = JSON.stringify(contacts([["Email", "contains", "@"]], 2, 1, "Email", "ASC"));
    const at = fc.nat({ max: good.length });
    fc.assert(
      fc.property(at, fc.nat({ max: 5 }), fc.string({ maxLength: 3 }), (start, cut, put) => {
        expect(faultOfText(good.slice(0, start) + put + good.slice(start + cut))).toBe("");
      }),
      settings(500),
    );
  });

  test("a text nested a hundred thousand deep is answered with the text of an envelope", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(faultOfText(deep)).toBe("");
    expect(faultOfText(`{"id":1,"method":"searchFiles","params":["key",${deep}]}`)).toBe("");
    expect(faultOfText("[".repeat(1_000_000))).toBe("");
  });
});

describe("plain calls", () => {
  const call = (method: "searchFiles" | "getBatchContacts", params: unknown[]) =>
    (service()[method] as (...given: unknown[]) => unknown)(...params);

  const places: readonly Place[] = [
    ["batch_id", (value) => call("getBatchContacts", [value])],
    ...CRITERIA_PLACES.flatMap(([name, put]): Place[] => [
      [`${name} of searchFiles`, (value) => call("searchFiles", [put(value)])],
      [`${name} of getBatchContacts`, (value) => call("getBatchContacts", [7, put(value)])],
    ]),
    ...[...PAGE, "a parameter too many"].flatMap((name, i): Place[] => [
      [`${name} of searchFiles`, (value) => call("searchFiles", [...nulls(i + 1), value])],
      [
        `${name} of getBatchContacts`,
        (value) => call("getBatchContacts", [7, ...nulls(i + 1), value]),
      ],
    ]),
  ];

  test.each(places)("any exotic value as %s gives a result or a ServiceError", (_name, run) => {
    expect(faults((value) => faultThrown(ServiceError, () => run(value)))).toEqual([]);
  });

  test("any value as any parameter gives a result or a ServiceError", () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(...places), (value, [, run]) => {
        expect(faultThrown(ServiceError, () => run(value))).toBe("");
      }),
      settings(1000),
    );
  });
});

describe("criteria, queries and collections", () => {
  const complete = { ...aFile(1), basename: "a", extension: ".b" };
  const collection = lazily(() => createCollection(File, [complete]));
  const load = (value: unknown) => createCollection(File, untyped(value));

  const places: readonly Place[] = [
    ...CRITERIA_PLACES.flatMap(([name, put]): Place[] => [
      [`${name} of parseCriteria`, (value) => parseCriteria(File, put(value))],
      [`${name} of compileCriteria`, (value) => compileCriteria(File, put(value))],
      [`${name} of count`, (value) => collection().count(untyped(put(value)))],
      [`${name} of a query`, (value) => collection().query({ criteria: untyped(put(value)) })],
    ]),
    ["a query", (value) => collection().query(untyped(value))],
    ...["limit", "offset", "sortBy", "sortOrder", "other"].map((name): Place => [
      `${name} of a query`,
      (value) => collection().query(untyped({ [name]: value })),
    ]),
    ["the records", load],
    ["a record", (value) => load([complete, value])],
    ["an int field", (value) => load([{ ...complete, size: value }])],
    ["a string field", (value) => load([{ ...complete, url: value }])],
    ["an unknown field", (value) => load([{ ...complete, other: value }])],
    ["the options of a collection", (value) => createCollection(File, [complete], untyped(value))],
  ];

  test.each(places)("any exotic value as %s gives a result or a TercetError", (_name, run) => {
    expect(faults((value) => faultThrown(TercetError, () => run(value)))).toEqual([]);
  });

  test("any value anywhere gives a result or a TercetError", () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(...places), (value, [, run]) => {
        expect(faultThrown(TercetError, () => run(value))).toBe("");
      }),
      settings(1000),
    );
  });
});

describe("questions that cross collections", () => {
  /** References of a cycle, and of the own collection; several of them have names that are parts of others. */
  const db = lazily(() => {
    const to = (name: string) => int({ references: [name, "id"], nullable: true });
    const Order = defineSchema({
      id: int({ unique: true }),
      a: to("customers"),
      "a.a": to("orders"),
    });
    const Customer = defineSchema({
      id: int({ unique: true }),
      a: to("orders"),
      boss: to("customers"),
    });
    return createDatabase({
      orders: createCollection(Order, [{ id: 1, a: 1, "a.a": 1 }]),
      customers: createCollection(Customer, [{ id: 1, a: 1, boss: 1 }]),
    });
  });
  const ask = (query: unknown): unknown => db().query("customers", untyped(query));
  const count = (criteria: unknown) => db().count("customers", untyped(criteria));
  const some = (criteria: unknown) => [["customers.boss", "some", criteria]];

  const places: readonly Place[] = [
    ...CRITERIA_PLACES.flatMap(([name, put]): Place[] => [
      [`${name} of count`, (value) => count(put(value))],
      [`${name} of a condition`, (value) => count(some(put(value)))],
    ]),
    ["a query", ask],
    ["a page", (value) => db().page("customers", untyped(value))],
    ["groups", (value) => db().groupBy("customers", untyped(value))],
    ["the name of a collection", (value) => db().query(untyped(value))],
    ["the criteria of a condition", (value) => count(some(value))],
    ["the name of a condition", (value) => count([[value, "some", []]])],
    ...["limit", "offset", "sortBy", "sortOrder", "sort", "select", "other"].map((name): Place => [
      `${name} of a query`,
      (value) => ask({ [name]: value }),
    ]),
    ["a field to sort by", (value) => ask({ sort: [[value, "ASC"]] })],
    ["a selected field", (value) => ask({ select: ["boss.id", value] })],
    ["a key of groups", (value) => db().groupBy("customers", untyped({ by: [value] }))],
    [
      "a field of a measure",
      (value) => {
        db().groupBy("customers", untyped({ by: "boss.id", measures: { n: ["sum", value] } }));
      },
    ],
  ];

  test.each(places)("any exotic value as %s gives a result or a TercetError", (_name, run) => {
    expect(faults((value) => faultThrown(TercetError, () => run(value)))).toEqual([]);
  });

  const steps = (step: string, times: number) => `${step}.`.repeat(times);

  test.each([
    "__proto__.id",
    "boss.__proto__",
    "boss.__proto__.id",
    "boss.constructor.name",
    "boss.toString",
    "boss.a.",
    "boss..id",
    ".id",
    "boss.id.id",
    "none.id",
    `${steps("boss", 9)}id`,
    `${steps("boss", 100_000)}id`,
    `${steps("a", 100_000)}none`,
    `boss.${"\u{1f600}".repeat(50_000)}`,
    "boss.\ud800",
  ])("a path that leads nowhere is refused after a few steps (%#)", (path) => {
    const looked = vi.spyOn(String.prototype, "startsWith");
    try {
      for (const run of [
        () => count([[path, "exactly", null]]),
        () => count(some(["NOT", [path, "exactly", null]])),
        () => ask({ sortBy: path }),
        () => ask({ select: [path] }),
        () => db().groupBy("customers", untyped({ by: path })),
        () => db().watch("customers", untyped({ count: [[path, "exactly", 1]] }), () => undefined),
      ]) {
        const error = thrownBy(TercetError, run);
        expect(error.message.length).toBeLessThan(1000);
      }
      expect(looked.mock.calls.length).toBeLessThan(2000);
    } finally {
      looked.mockRestore();
    }
  });

  test("eight steps of a cycle are a path", () => {
    expect(count([[`${steps("boss", 8)}id`, "exactly", 1]])).toBe(1);
    expect(count([[`${steps("a.a", 4)}id`, "exactly", 1]])).toBe(1);
  });

  test("conditions within each other, and within themselves, are refused", () => {
    let chain: unknown[] = [];
    for (let i = 0; i < 20_000; i++) chain = some(chain);
    thrownBy(TercetError, () => count(chain));
    const cycle: unknown[] = [];
    cycle.push(["customers.boss", "some", cycle]);
    thrownBy(TercetError, () => count(cycle));
    const lists: unknown[] = [["boss.id", "exactly", 1]];
    for (let i = 0; i < 40; i++) lists.push([...lists]);
    lists.push(lists);
    thrownBy(TercetError, () => count(lists));
  });
});

describe("createService", () => {
  const inList = (list: object) => ({
    batches: [{ id: 1, lists: [{ id: 1, contacts: [], ...list }] }],
  });
  const inContact = (contact: unknown) => inList({ fields: ["Own"], contacts: [contact] });

  const places: readonly Place[] = [
    ["the options", (value) => value],
    ["an unknown option", (other) => ({ other })],
    ["maxCriteria", (maxCriteria) => ({ maxCriteria })],
    ["authenticate", (authenticate) => ({ authenticate })],
    ["onInternalError", (report) => ({ onInternalError: report })],
    ["compatibility", (compatibility) => ({ compatibility })],
    ["unknownOperator", (unknownOperator) => ({ compatibility: { unknownOperator } })],
    ["zeroLimit", (zeroLimit) => ({ compatibility: { zeroLimit } })],
    ["files", (files) => ({ files })],
    ["a File", (file) => ({ files: [aFile(1), file] })],
    ["a File's id", (id) => ({ files: [{ ...aFile(1), id }] })],
    ["a File's name", (name) => ({ files: [{ id: 1, folder_id: 1, name }] })],
    ["a File's base name", (basename) => ({ files: [{ ...aFile(1), basename }] })],
    ["a File's extension", (extension) => ({ files: [{ ...aFile(1), extension }] })],
    ["batches", (batches) => ({ batches })],
    ["a Batch", (batch) => ({ batches: [batch] })],
    ["a Batch's id", (id) => ({ batches: [{ id, lists: [] }] })],
    ["Lists", (lists) => ({ batches: [{ id: 1, lists }] })],
    ["a List", (list) => ({ batches: [{ id: 1, lists: [list] }] })],
    ["a List's id", (id) => inList({ id })],
    ["List Fields", (fields) => inList({ fields })],
    ["a List Field's name", (name) => inList({ fields: [name] })],
    ["a List Field's type", (Own) => inList({ fields: { Own } })],
    ["Contacts", (given) => inList({ contacts: given })],
    ["a Contact", inContact],
    ["a Contact's field", (status) => inContact({ ...aContact(1), send_status: status })],
    ["a Contact's List Fields", (fields) => inContact({ ...aContact(1), fields })],
    ["a Contact's List Field", (Own) => inContact({ ...aContact(1), fields: { Own } })],
  ];

  test.each(places)("any exotic value as %s gives a service or a TercetError", (name, put) => {
    // Reading all of them would exhaust the memory; the test below tells without that.
    const endless = [
      "an array of four billion holes",
      "an array of infinite length",
      "an array of length 2^40",
    ];
    const except = name === "List Fields" ? endless : [];
    const check = (value: unknown) =>
      faultThrown(TercetError, () => createService(untyped(put(value))));
    expect(faults(check, except)).toEqual([]);
  });

  test("the first bad List Field ends the reading, so that four billion cost nothing", () => {
    let reads = 0;
    const fields = new Proxy(new Array<unknown>(1000), {
      get: (target, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) reads++;
        return Reflect.get(target, key) as unknown;
      },
    });
    const error = thrownBy(InputError, () => createService(untyped(inList({ fields }))));
    expect(error.path).toBe("batches[0].lists[0].fields");
    expect(reads).toBe(1);
  });

  test("any value anywhere in the input gives a service or a TercetError", () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(...places), (value, [, put]) => {
        expect(faultThrown(TercetError, () => createService(untyped(put(value))))).toBe("");
      }),
      settings(1500),
    );
  });
});
