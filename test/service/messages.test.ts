// The service's messages, word for word: the reason in `data` of a response, and the errors of
// input from which no service can be made.

import { describe, expect, test } from "vitest";
import { createService, InputError, ServiceError, type EnvelopeRequest } from "../../src/index.ts";
import { ask, aService, thrownBy, untyped } from "../rules/fixtures.ts";

const OVER = "there are more parameters than the method takes";
const COUNT = "must be a non-negative safe integer or its canonical decimal string";

describe("data", () => {
  test.each<[request: unknown, data: string]>([
    [5, "request: must be an object, not 5"],
    [null, "request: must be an object, not null"],
    [{ id: true }, "id: must be an integer or a string, not true"],
    [{ id: 1.5 }, "id: must be an integer or a string, not 1.5"],
    [{ id: 1, params: {} }, "params: must be an array, not an object"],
    [{ id: 1, params: [] }, "method: must be a string, not undefined"],
    [
      { id: 1, method: "find", params: [] },
      'method: there is no method "find"; use "searchFiles" or "getBatchContacts"',
    ],
    [{ id: 1, method: "searchFiles", params: [""] }, 'api_key: must be a non-empty string, not ""'],
    [
      { id: 1, method: "searchFiles", params: [] },
      "api_key: must be a non-empty string, not undefined",
    ],
  ])("of the request %j is %j", (request, data) => {
    expect(aService().dispatch(request as EnvelopeRequest).error?.data).toBe(data);
  });

  test.each<[method: string, params: unknown[], data: string]>([
    ["searchFiles", [5], "criteria: must be an array of criteria, not 5"],
    [
      "searchFiles",
      [[["id", "exactly"]]],
      "criteria[0]: must have exactly three elements [field, operator, value], not 2",
    ],
    ["searchFiles", [null, -1], `limit: ${COUNT}, not -1`],
    ["searchFiles", [null, 1, "x"], `offset: ${COUNT}, not "x"`],
    ["searchFiles", [null, 1, 1, 5], "sort_by: must be a field name, not 5"],
    ["searchFiles", [null, 1, 1, "colour"], 'sort_by: unknown field "colour"'],
    ["searchFiles", [null, 1, 1, "id", "UP"], 'sort_order: must be "ASC" or "DESC", not "UP"'],
    ["searchFiles", [null, 1, 1, "id", "ASC", null], OVER],
    ["getBatchContacts", [7, null, 1, 1, "Email", "ASC", null], OVER],
    [
      "getBatchContacts",
      [],
      "batch_id: must be an integer or its canonical decimal string, not undefined",
    ],
    [
      "getBatchContacts",
      ["7 "],
      'batch_id: must be an integer or its canonical decimal string, not "7 "',
    ],
    ["getBatchContacts", [8], "batch_id: there is no Batch 8"],
  ])("of %s%j is %j", (method, params, data) => {
    expect(ask(aService(), method, ...params).error?.data).toBe(data);
  });

  test("of a key that is not accepted", () => {
    const service = aService({ authenticate: () => false });
    expect(ask(service, "searchFiles").error?.data).toBe("api_key: is not accepted");
  });

  test("of a request that throws when it is read", () => {
    const request = Object.defineProperty({ id: 4, params: [] }, "method", {
      get: () => {
        throw new Error("no");
      },
    });
    const { id, error } = aService().dispatch(request);
    expect(id).toBe(4);
    expect(error?.data).toBe("request: could not be read");
  });

  test("of text that is not JSON", () => {
    expect(aService().dispatchJson("{")).toBe(
      '{"id":null,"result":null,"error":{"code":310,"message":"Invalid Method Parameters","data":"request: must be JSON"}}',
    );
  });

  test("of an unexpected failure, whatever it was", () => {
    const reported: unknown[] = [];
    const service = aService({
      authenticate: () => untyped("yes"),
      onInternalError: (thrown) => reported.push(thrown),
    });
    expect(ask(service, "searchFiles").error?.data).toBe("the service failed unexpectedly");
    expect(reported).toEqual([new TypeError("authenticate must return true or false")]);
  });

  test("is what a plain call throws, in an error of that name", () => {
    const error = thrownBy(ServiceError, () => aService().getBatchContacts(8));
    expect(error.name).toBe("ServiceError");
    expect(error.data).toBe("batch_id: there is no Batch 8");
  });
});

// What it says of Files and Batches, the tests of V8 pin.
describe("the message of an InputError", () => {
  const list = (more: object = {}) => ({ id: 3, contacts: [], ...more });
  const batch = (...lists: unknown[]) => ({ id: 7, lists });

  test.each<[options: unknown, message: string]>([
    [5, "options: must be an object, not 5"],
    [
      { file: [] },
      'options: has no member "file"; use "files", "batches", "database", "authenticate", "onInternalError", "limits", "compatibility", "indexes", "indexBytes", "storage", "onQuery" or "slowerThan"',
    ],
    [{ authenticate: "key" }, 'options.authenticate: must be a function, not "key"'],
    [{ onInternalError: null }, "options.onInternalError: must be a function, not null"],
    [{ limits: 5 }, "options.limits: must be an object, not 5"],
    [
      { limits: { row: 1 } },
      'options.limits: has no member "row"; use "criteria", "values", "rows", "responseLength", "milliseconds" or "batch"',
    ],
    [
      { limits: { criteria: -1 } },
      "options.limits.criteria: must be a non-negative integer, not -1",
    ],
    [
      { compatibility: { zero: 1 } },
      'options.compatibility: has no member "zero"; use "unknownOperator" or "zeroLimit"',
    ],
    [
      { compatibility: { unknownOperator: "error" } },
      'options.compatibility.unknownOperator: must be "exactly", not "error"',
    ],
    [
      { compatibility: { zeroLimit: 0 } },
      'options.compatibility.zeroLimit: must be "unlimited", not 0',
    ],
  ])("of the options %j is %s", (options, message) => {
    const error = thrownBy(InputError, () => createService(untyped(options)));
    expect(error.message).toBe(message);
  });

  test("of input that throws when it is read, with what it threw as its cause", () => {
    const thrown = new Error("no");
    const fling = (): never => {
      throw thrown;
    };
    const unreadable = (name: string) =>
      Object.defineProperty({}, name, { enumerable: true, get: fling });
    const places: [options: object, path: string][] = [
      [{ files: [unreadable("name")] }, "files[0]"],
      [{ batches: [unreadable("id")] }, "batches[0]"],
      [{ batches: [batch(unreadable("id"))] }, "batches[0].lists[0]"],
      [{ batches: [batch(list({ fields: unreadable("Age") }))] }, "batches[0].lists[0].fields"],
      [{ files: { [Symbol.iterator]: fling } }, "files"],
    ];
    for (const [options, path] of places) {
      const error = thrownBy(InputError, () => createService(untyped(options)));
      expect(error.message).toBe(`${path}: could not be read`);
      expect(error.cause).toBe(thrown);
    }
  });
});
