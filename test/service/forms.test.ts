// Refused requests in both forms, and edge cases of responses, word for word.

import { describe, expect, test, vi } from "vitest";
import { DeadlineError } from "../../src/engine/algorithms/deadline.ts";
import { createService, ServiceError } from "../../src/index.ts";
import { createSqlService } from "../../src/sql/index.ts";
import { aService, thrownBy, untyped } from "../rules/fixtures.ts";

const invalid = (data: string, id: unknown = null) => ({
  ...{ jsonrpc: "2.0", id },
  error: { code: -32600, message: "Invalid Request", data },
});

describe("a request by JSON-RPC is refused", () => {
  test.each([
    [{ id: {} }, invalid("id: must be a number, a string or null, not an object")],
    [{ id: 1, params: 5 }, invalid("params: must be an array or an object, not 5", 1)],
  ])("%j", (more, answer) => {
    const request = { jsonrpc: "2.0", method: "searchFiles", params: ["key"], ...more };
    expect(aService().dispatch(request)).toEqual(answer);
  });

  test("with a parameter that the method has not, by a service over an engine, too", async () => {
    const params = { api_key: "key", limits: 5 };
    const request = { jsonrpc: "2.0", id: 1, method: "searchFiles", params };
    const refused = {
      error: { code: -32602, data: expect.stringContaining('"limits"') as string },
    };
    expect(aService().dispatch(request)).toMatchObject(refused);
    const engine = createSqlService({ dialect: "sqlite", run: () => Promise.resolve([]) });
    expect(await engine.dispatch(request)).toMatchObject(refused);
  });

  test("as a whole, where a batch can't be read", () => {
    const batch = new Proxy([1], {
      get: () => {
        throw new Error("no");
      },
    });
    expect(aService().dispatch(batch)).toEqual(invalid("request: could not be read"));
  });
});

describe("an answer that is too long", () => {
  const service = () => aService({ limits: { responseLength: 60 } });
  const request = { id: 1, method: "searchFiles", params: ["key"] };
  const reason = "is longer than 60 characters";

  test.each([request, { jsonrpc: "2.0", ...request }])(
    "is error 310, in either form: %j",
    (asked) => {
      expect(service().dispatchJson(JSON.stringify(asked))).toContain(reason);
    },
  );

  test.each([
    { id: 1, method: "nothing of that name", params: [] },
    { jsonrpc: "2.0", id: 1, method: "nothing of that name", params: [] },
  ])("is given all the same where it is an error: %j", (asked) => {
    const text = service().dispatchJson(JSON.stringify(asked));
    expect(JSON.parse(text)).toMatchObject({
      error: { data: expect.stringContaining("nothing of that name") as string },
    });
    expect(text.length).toBeGreaterThan(100);
  });

  test("of a batch it is the sum that counts", () => {
    const one = { jsonrpc: "2.0", id: 1, method: "searchFiles", params: ["key", null, 0] };
    const texts = (count: number) =>
      service().dispatchJson(JSON.stringify(Array<unknown>(count).fill(one)));
    expect(texts(1)).not.toContain(reason);
    expect(texts(2)).toContain("is longer than 24 characters");
  });
});

test("a Batch without Lists is an empty object, as text too", async () => {
  const service = createService({ batches: [{ id: 1, lists: [] }] });
  const request = JSON.stringify({ id: 1, method: "getBatchContacts", params: ["key", 1] });
  const expected = '{"id":1,"result":{},"error":null}';
  expect(service.dispatchJson(request)).toBe(expected);
  expect([...service.dispatchChunks(request)].join("")).toBe(expected);
  let later = "";
  for await (const piece of service.dispatchChunksAsync(request)) later += piece;
  expect(later).toBe(expected);
});

test("options that are left out are strict ones; with a time limit requests build indexes, too", () => {
  const optionsOf = (options: object) => createService(options).files.state.options;
  expect(optionsOf({})).toMatchObject({ indexes: "auto", unknownOperator: "error" });
  expect(optionsOf({ limits: { milliseconds: 5 } })).toMatchObject({ indexes: "auto" });
  expect(optionsOf({ limits: { milliseconds: 5 }, indexes: "deferred" })).toMatchObject({
    indexes: "deferred",
  });
  expect(optionsOf({ compatibility: { unknownOperator: "exactly" } })).toMatchObject({
    unknownOperator: "exactly",
  });
});

describe("the time that a request may take", () => {
  /** A clock that stands still but for what is done to it. */
  function stopped(): { now: number } {
    const clock = { now: 1000 };
    vi.spyOn(performance, "now").mockImplementation(() => clock.now);
    return clock;
  }

  test("begins with reading its text, and is that of a batch as a whole", () => {
    const clock = stopped();
    const parse = JSON.parse;
    let reading = 0;
    vi.spyOn(JSON, "parse").mockImplementation((text: string) => {
      clock.now += reading;
      return parse(text) as unknown;
    });
    try {
      let checking = 0;
      const authenticate = () => {
        clock.now += checking;
        return true;
      };
      const service = aService({ limits: { milliseconds: 50 }, authenticate });
      const one = { jsonrpc: "2.0", id: 1, method: "searchFiles", params: ["key"] };
      const late = "exceeded its time limit of 50 ms";
      const answer = () => service.dispatchJson(JSON.stringify([one, one]));
      expect(answer()).not.toContain("error");
      reading = 50;
      expect(answer()).not.toContain("error");
      reading = 51;
      expect(answer().split(late)).toHaveLength(3);
      // That of the caller's own functions does not count.
      [reading, checking] = [0, 1000];
      expect(answer()).not.toContain("error");
    } finally {
      vi.restoreAllMocks();
    }
  });

  test("that is over is error 100, with its cause; another error stays what it is", () => {
    const clock = stopped();
    try {
      const service = createService({ limits: { milliseconds: 50 } });
      expect(thrownBy(ServiceError, () => service.getBatchContacts(1)).code).toBe(308);
      const criteria = new Proxy([], {
        get: (target, name) => {
          clock.now += 51;
          return Reflect.get(target, name) as unknown;
        },
      });
      const error = thrownBy(ServiceError, () => service.searchFiles(untyped(criteria)));
      expect(error.code).toBe(100);
      expect(error.data).toBe("exceeded its time limit of 50 ms");
      expect(error.cause).toBeInstanceOf(DeadlineError);
      expect(error.cause).toMatchObject({ name: "DeadlineError" });
      // Each call has a time of its own.
      expect(service.searchFiles()).toEqual([]);
    } finally {
      vi.restoreAllMocks();
    }
  });
});
