// Rule E14: the limits of a request, and what a caller sees beyond them. `test/rules/envelope.test.ts`
// tests rule E13 where limits concern batches.

import { afterEach, describe, expect, test, vi } from "vitest";
import {
  createCollection,
  createService,
  CriteriaError,
  File,
  InputError,
  parseCriteria,
  ServiceError,
  type Response,
  type ServiceLimits,
} from "../../src/index.ts";
import { aFile, ask, aService, codeOf, thrownBy, untyped } from "../rules/fixtures.ts";

const service = (limits: ServiceLimits) => aService({ limits });
const dataOf = (answer: ReturnType<typeof ask>) => answer.error?.data;

afterEach(() => {
  vi.restoreAllMocks();
});

describe("limits", () => {
  test.each(["criteria", "values", "rows", "responseLength", "milliseconds", "batch"])(
    "E14 the limit of %s is a non-negative integer",
    (name) => {
      for (const value of [-1, 1.5, NaN, "1000", Infinity, null, {}]) {
        const limits = untyped({ [name]: value });
        const error = thrownBy(InputError, () => createService({ limits }));
        expect(error.path).toBe(`options.limits.${name}`);
      }
      for (const value of [0, 1, Number.MAX_SAFE_INTEGER, undefined]) {
        expect(() => createService({ limits: untyped({ [name]: value }) })).not.toThrow();
      }
    },
  );

  test("E14 an answer that is given is the same with limits that are just enough", () => {
    const enough = { criteria: 1, values: 3, rows: 3, milliseconds: 60_000, responseLength: 9999 };
    for (const parameters of [[[["size", "in", "4,30,200"]]], [null, 3], [null, "", 1]]) {
      const expected = ask(aService(), "searchFiles", ...parameters);
      expect(ask(service(enough), "searchFiles", ...parameters)).toEqual(expected);
    }
  });
});

describe("limits.criteria and limits.values", () => {
  test("E14 more criteria are 311", () => {
    const criteria = [
      ["id", "exactly", 1],
      ["id", "exactly", 2],
    ];
    expect(dataOf(ask(service({ criteria: 1 }), "searchFiles", criteria))).toBe(
      "criteria: there may be at most 1 criteria",
    );
    expect(codeOf(ask(service({ criteria: 2 }), "searchFiles", criteria))).toBeNull();
  });

  test.each<[value: unknown]>([["1,1,1"], [[1, 1, 1]], [",,"], [[null, null, null]]])(
    "E14 more values of an in are 311, equal ones too: %j",
    (value) => {
      const criteria = [["id", "in", value]];
      expect(dataOf(ask(service({ values: 2 }), "searchFiles", criteria))).toBe(
        "criteria[0]: there may be at most 2 values",
      );
      expect(codeOf(ask(service({ values: 3 }), "searchFiles", criteria))).toBeNull();
    },
  );

  test("E14 too many values are refused before they are read", () => {
    const values = new Array<unknown>(2 ** 32 - 1);
    expect(codeOf(ask(service({ values: 1000 }), "searchFiles", [["id", "in", values]]))).toBe(311);
    const commas = ",".repeat(50_000_000);
    const criteria = [["id", "in", commas]];
    expect(codeOf(ask(service({ values: 1000 }), "searchFiles", criteria))).toBe(311);
  });

  test("the compiler and collections have that limit too", () => {
    const criteria = untyped([["size", "in", "1,2,3"]]);
    expect(() => parseCriteria(File, criteria, { maxValues: 3 })).not.toThrow();
    const error = thrownBy(CriteriaError, () => parseCriteria(File, criteria, { maxValues: 2 }));
    expect([error.position, error.reason]).toEqual([0, "there may be at most 2 values"]);
    const files = createCollection(File, [], { maxValues: 2 });
    expect(() => files.count(criteria)).toThrow(CriteriaError);
  });
});

describe("limits.rows", () => {
  const REASON = "result: has more than 2 records; request a page of it with limit and offset";

  test("E14 more records are 310, which says to ask for a page", () => {
    const limited = service({ rows: 2 });
    expect(ask(limited, "searchFiles").error).toMatchObject({ code: 310, data: REASON });
    expect(dataOf(ask(limited, "searchFiles", null, 3))).toBe(REASON);
    expect(dataOf(ask(limited, "getBatchContacts", 7))).toBe(REASON);
    expect(thrownBy(ServiceError, () => limited.searchFiles()).data).toBe(REASON);
    expect(thrownBy(ServiceError, () => limited.getBatchContacts(7)).code).toBe(310);
  });

  test("E14 a page of them is given, whatever limit was asked for", () => {
    const limited = service({ rows: 2 });
    expect(limited.searchFiles(null, 2)).toHaveLength(2);
    expect(limited.searchFiles(null, 1000, 1)).toHaveLength(2);
    expect(limited.searchFiles([["size", "less_than", 100]])).toHaveLength(2);
    expect(Object.values(limited.getBatchContacts(7, null, 2)).flat()).toHaveLength(2);
    expect(service({ rows: 0 }).searchFiles(null, 0)).toEqual([]);
    expect(() => service({ rows: 0 }).searchFiles()).toThrow(ServiceError);
    const relaxed = aService({ limits: { rows: 2 }, compatibility: { zeroLimit: "unlimited" } });
    expect(() => relaxed.searchFiles(null, 0)).toThrow(ServiceError);
  });

  test("E14 no more than one record beyond the limit is asked for", () => {
    const limited = service({ rows: 2 });
    const { rows } = limited.files.state.snapshot.segments[0];
    const slice = vi.spyOn(rows.records ?? [], "slice");
    ask(limited, "searchFiles", null, 1_000_000);
    ask(limited, "searchFiles");
    expect(slice.mock.results.map(({ value }) => (value as unknown[]).length)).toEqual([3, 3]);
  });
});

describe("limits.responseLength", () => {
  const request = { id: 1, method: "searchFiles", params: ["key"] };
  const text = JSON.stringify(request);

  test("E14 a longer answer is 310, which says to ask for a page; one just as long is given", () => {
    const whole = aService().dispatchJson(text);
    expect(service({ responseLength: whole.length }).dispatchJson(text)).toBe(whole);
    const refused = service({ responseLength: whole.length - 1 }).dispatchJson(text);
    expect(JSON.parse(refused)).toMatchObject({
      id: 1,
      result: null,
      error: {
        code: 310,
        data: `result: is longer than ${whole.length - 1} characters; request a page of it with limit and offset`,
      },
    });
  });

  test("E14 a batch has that length as a whole, and errors are always answered", () => {
    const length = aService().dispatchJson(text).length;
    const limited = service({ responseLength: Math.floor(2.5 * length) });
    const answers = JSON.parse(
      limited.dispatchJson(JSON.stringify([request, request, request, { ...request, id: null }])),
    ) as { error: { code: number } | null }[];
    expect(answers.map(({ error }) => error?.code)).toEqual([undefined, undefined, 310, 310]);
  });

  test("E1 an id that no text can hold beside an error is refused, and nothing is thrown", () => {
    const { stringify } = JSON;
    vi.spyOn(JSON, "stringify").mockImplementation((value: unknown) => {
      const made = stringify(value);
      if (made.length > 10_000) throw new RangeError("Invalid string length");
      return made;
    });
    const reason = "id: is too long to be returned in a response";
    const id = `"${"x".repeat(10_000)}"`;
    const found = aService().dispatchJson(`{"id":${id},"method":"searchFiles","params":["key"]}`);
    expect(JSON.parse(found)).toMatchObject({ id: null, error: { code: 310, data: reason } });
    const notFound = aService().dispatchJson(`{"id":${id},"method":"findFiles","params":["key"]}`);
    expect(notFound).toBe(found);
    expect(JSON.parse(aService().dispatchJson(`[{"id":${id},"method":5,"params":[]}]`))).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32600, message: "Invalid Request", data: reason },
    });
  });

  test("E14 it does not apply to streamed answers, or to those that never become text", () => {
    const limited = service({ responseLength: 10 });
    expect([...limited.dispatchChunks(text)].join("")).toBe(aService().dispatchJson(text));
    expect(limited.dispatch(request).error).toBeNull();
  });
});

describe("limits.milliseconds", () => {
  /** Each look at the clock is this many milliseconds after the one before. */
  function tick(milliseconds: number): void {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += milliseconds));
  }
  const DATA = "exceeded its time limit of 5 ms";
  const request = { id: 1, method: "searchFiles", params: ["key"] };

  test("E14 what takes longer is 100, which says so, in every way to ask", async () => {
    const onInternalError = vi.fn();
    const limited = aService({ limits: { milliseconds: 5 }, onInternalError });
    tick(6);
    expect(ask(limited, "searchFiles").error).toEqual({
      code: 100,
      message: "Internal Server Error",
      data: DATA,
    });
    expect(dataOf(ask(limited, "getBatchContacts", 7))).toBe(DATA);
    expect(dataOf(await limited.dispatchAsync(request))).toBe(DATA);
    const error = thrownBy(ServiceError, () => limited.searchFiles());
    expect([error.code, error.data]).toEqual([100, DATA]);
    expect(thrownBy(ServiceError, () => limited.getBatchContacts(7)).data).toBe(DATA);
    for (const text of [
      limited.dispatchJson(JSON.stringify(request)),
      [...limited.dispatchChunks(JSON.stringify(request))].join(""),
    ]) {
      expect(text).toContain(DATA);
    }
    // The service did not fail: it did as it was told.
    expect(onInternalError).not.toHaveBeenCalled();
  });

  test("E14 what takes as long as it may is answered", () => {
    tick(0);
    expect(codeOf(ask(service({ milliseconds: 0 }), "searchFiles"))).toBeNull();
  });

  test("E14 a batch has that time as a whole, and what was answered in it is given", () => {
    const limited = service({ milliseconds: 1000, batch: 2000 });
    tick(1);
    const requests = Array.from({ length: 2000 }, () => request);
    const answers = JSON.parse(limited.dispatchJson(JSON.stringify(requests))) as Response[];
    const late = answers.map(({ error }) => error !== null);
    expect([late[0], late.at(-1)]).toEqual([false, true]);
    expect(late.lastIndexOf(false) + 1).toBe(late.indexOf(true));
  });

  test("E14 the time that the text takes counts too, but for pieces", () => {
    const files = Array.from({ length: 10_000 }, (_, id) => aFile(id));
    const limited = createService({ files, limits: { milliseconds: 50 } });
    const text = JSON.stringify(request);
    tick(1);
    expect(limited.dispatchJson(text)).toContain("exceeded its time limit of 50 ms");
    const pieces = [...limited.dispatchChunks(text)].join("");
    expect(pieces).toBe(createService({ files }).dispatchJson(text));
  });

  test("E14 the time in which a key is waited for does not count", async () => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const limited = aService({
      limits: { milliseconds: 5 },
      authenticate: async () => {
        now += 1000;
        return Promise.resolve(true);
      },
    });
    expect((await limited.dispatchAsync(request)).error).toBeNull();
  });

  test("E14 the next request has its own time", () => {
    const limited = service({ milliseconds: 5 });
    tick(6);
    expect(codeOf(ask(limited, "searchFiles"))).toBe(100);
    tick(0);
    expect(codeOf(ask(limited, "searchFiles"))).toBeNull();
  });
});
