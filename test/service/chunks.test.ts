// `dispatchChunks`: the text of `dispatchJson` in pieces, and what happens to a stream that fails.

import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createService, ServiceError } from "../../src/index.ts";
import { textOf } from "../../src/schema/json-text.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { request } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { aService, thrownBy } from "../rules/fixtures.ts";

const data = {
  files: [...generateFiles({ count: 700 })],
  batches: [generateBatch({ count: 700 })],
};
const service = createService(data);
const [batchId] = Object.keys(service.batches);

const allFiles = JSON.stringify({ id: 1, method: "searchFiles", params: ["key"] });
const allContacts = JSON.stringify({
  id: "contacts",
  method: "getBatchContacts",
  params: ["key", batchId],
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the pieces of an answer", () => {
  test.each([allFiles, allContacts, `[${allFiles},${allContacts}]`])(
    "are the text that JSON.stringify makes of what dispatch gives: %s",
    (text) => {
      const pieces = [...service.dispatchChunks(text)];
      expect(pieces.length).toBeGreaterThan(2);
      expect(pieces.join("")).toBe(JSON.stringify(service.dispatch(JSON.parse(text))));
      expect(service.dispatchJson(text)).toBe(pieces.join(""));
      for (const piece of pieces.slice(0, -1)) {
        expect(piece.length).toBeGreaterThanOrEqual(64 * 1024);
        expect(piece.length).toBeLessThan(2 * 64 * 1024);
      }
    },
  );

  test("are that text whatever is asked, alone and in batches, in both forms", () => {
    const form = fc.constantFrom({}, { jsonrpc: "2.0" });
    const one = fc
      .tuple(request(data), form)
      .map(([asked, more]): unknown => (isObject(asked) ? { ...asked, ...more } : asked));
    const some = fc.array(one, { maxLength: 3 });
    fc.assert(
      fc.property(fc.oneof(one, some), (asked) => {
        const text = JSON.stringify(asked);
        const answer = service.dispatch(JSON.parse(text) as unknown);
        const expected = answer === undefined ? "" : JSON.stringify(answer);
        expect([...service.dispatchChunks(text)].join("")).toBe(expected);
        expect(service.dispatchJson(text)).toBe(expected);
      }),
      settings(100),
    );
  });

  test("are empty where there is no answer", () => {
    const notification = '{"jsonrpc":"2.0","method":"searchFiles","params":["key"]}';
    expect([...service.dispatchChunks(notification)]).toEqual([]);
    expect([...service.dispatchChunks(`[${notification}]`)]).toEqual([]);
  });

  test("are of the data as they were at the call, whatever changes while they are read", () => {
    const changing = createService(data);
    const expected = changing.dispatchJson(allFiles);
    const pieces = changing.dispatchChunks(allFiles);
    const first = pieces.next().value as string;
    changing.update((draft) => {
      draft.files = draft.files.remove(null);
    });
    expect(first + [...pieces].join("")).toBe(expected);
    const later = changing.dispatchChunks(`[${allFiles},${allFiles}]`);
    changing.update((draft) => {
      draft.files = draft.files.insert([{ id: 1, folder_id: 1, name: "x" }]);
    });
    expect(JSON.parse([...later].join(""))).toMatchObject([{ result: [] }, { result: [] }]);
  });

  test("come from an asynchronous service too", async () => {
    const keyed = createService({ ...data, authenticate: (key) => Promise.resolve(key === "key") });
    const pieces: string[] = [];
    for await (const piece of keyed.dispatchChunksAsync(allContacts)) pieces.push(piece);
    expect(pieces).toEqual([...service.dispatchChunks(allContacts)]);
  });
});

describe("a failure", () => {
  test("before the first piece is a proper answer", () => {
    const [only] = service.dispatchChunks(allFiles.replace("searchFiles", "search"));
    expect(JSON.parse(only ?? "")).toMatchObject({ id: 1, error: { code: 104 } });
  });

  test("after it is thrown as a ServiceError, and reported", () => {
    const onInternalError = vi.fn();
    const failing = createService({ ...data, onInternalError });
    const pieces = failing.dispatchChunks(allFiles);
    pieces.next();
    const cause = new RangeError("in /some/path");
    vi.spyOn(JSON, "stringify").mockImplementation(() => {
      throw cause;
    });
    const error = thrownBy(ServiceError, () => pieces.next());
    expect([error.code, error.data]).toEqual([100, "the service failed unexpectedly"]);
    expect(onInternalError.mock.calls).toEqual([[cause]]);
    expect(pieces.next().done).toBe(true);
  });

  test("of the reader is not one of the service", () => {
    const onInternalError = vi.fn();
    const pieces = aService({ onInternalError }).dispatchChunks(allFiles);
    pieces.next();
    // What Readable.from does when the connection breaks off.
    expect(() => pieces.throw?.(new Error("premature close"))).toThrow("premature close");
    expect(onInternalError).not.toHaveBeenCalled();
  });
});

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

test.each<[result: unknown]>([
  [5],
  [null],
  [[]],
  [{}],
  [{ total: 5, names: ["a"], of: { list: 78 } }],
  [{ "78": Array.from({ length: 200 }, (_, id) => ({ id })), "77": [] }],
])("a result of any shape is written as JSON.stringify writes it: %j", (result) => {
  const answer = { id: 1, result, error: null };
  expect([...textOf(answer)].join("")).toBe(JSON.stringify(answer));
});
