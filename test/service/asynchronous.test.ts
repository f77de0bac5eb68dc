// Services that look up keys elsewhere: `authenticate` with promises, including rejected ones.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createService, type Service, type ServiceOptions } from "../../src/index.ts";
import { aFile, aService, codeOf, untyped } from "../rules/fixtures.ts";

const request = (key: unknown = "key") => ({ id: 1, method: "searchFiles", params: [key] });
const later = <Value>(value: Value) =>
  new Promise<Value>((resolve) => setTimeout(() => resolve(value), 1));

const unhandled = vi.fn();
beforeAll(() => {
  process.on("unhandledRejection", unhandled);
});
afterAll(() => {
  process.off("unhandledRejection", unhandled);
});

/** After this every rejection that nobody handles has been told of. */
async function expectNothingUnhandled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(unhandled).not.toHaveBeenCalled();
}

describe("an asynchronous authenticate", () => {
  const keyed = (more: ServiceOptions = {}): Service =>
    aService({ authenticate: (key) => later(key === "key"), ...more });

  test("lets in by dispatchAsync those whom it accepts", async () => {
    expect((await keyed().dispatchAsync(request())).result).toHaveLength(3);
    expect(codeOf(await keyed().dispatchAsync(request("other")))).toBe(300);
    expect(codeOf(await keyed().dispatchAsync(request("")))).toBe(300);
  });

  test("lets in by dispatchJsonAsync and dispatchChunksAsync too", async () => {
    const [good, bad] = [request(), request("other")].map((each) => JSON.stringify(each));
    const expected = aService().dispatchJson(good ?? "");
    expect(await keyed().dispatchJsonAsync(good ?? "")).toBe(expected);
    expect(await keyed().dispatchJsonAsync(bad ?? "")).toContain('"code":300');
    const pieces: string[] = [];
    for await (const piece of keyed().dispatchChunksAsync(good ?? "")) pieces.push(piece);
    expect(pieces.join("")).toBe(expected);
  });

  test("is asked about all keys of a batch at once, and answers each", async () => {
    const waiting: (() => void)[] = [];
    const service = aService({
      authenticate: (key) =>
        new Promise((resolve) => {
          waiting.push(() => resolve(key === "key"));
          if (waiting.length === 3) for (const each of waiting.reverse()) each();
        }),
    });
    const answers = await service.dispatchAsync([request(), request("other"), null, request()]);
    expect(answers).toMatchObject([
      { error: null },
      { error: { code: 300 } },
      { jsonrpc: "2.0", error: { code: -32600 } },
      { error: null },
    ]);
  });

  test("that returns what begins its work when it is waited for is asked once", async () => {
    const lookUp = vi.fn((settle: (accepted: boolean) => void) => settle(true));
    const service = aService({ authenticate: untyped(() => ({ then: lookUp })) });
    expect((await service.dispatchAsync(request())).result).toHaveLength(3);
    expect(lookUp).toHaveBeenCalledTimes(1);
  });

  test("does not count as true for the other ways to dispatch: error 100, reported", () => {
    const onInternalError = vi.fn();
    const service = keyed({ onInternalError });
    expect(codeOf(service.dispatch(request()))).toBe(100);
    const text = JSON.stringify(request());
    expect(service.dispatchJson(text)).toContain('"code":100');
    expect([...service.dispatchChunks(text)].join("")).toContain('"code":100');
    const error = new TypeError(
      "authenticate must return true or false; a promise needs dispatchAsync",
    );
    expect(onInternalError.mock.calls).toEqual([[error], [error], [error]]);
  });

  test.each([1, "yes", {}, undefined, null])("lets nobody in by answering %o", async (accepted) => {
    const service = aService({ authenticate: () => Promise.resolve(untyped(accepted)) });
    expect(codeOf(await service.dispatchAsync(request()))).toBe(100);
  });

  test.each([
    ["is rejected", () => Promise.reject(new Error("no database"))],
    ["throws", fling],
    ["is a thenable that throws", () => untyped({ then: fling })],
    ["has a getter of then that throws", () => untyped(throwingThen())],
  ] as [string, () => Promise<boolean>][])(
    "that %s is error 100, and goes to onInternalError",
    async (_, authenticate) => {
      const onInternalError = vi.fn();
      const service = aService({ authenticate, onInternalError });
      const answer = await service.dispatchAsync(request());
      expect(answer.error).toEqual({
        code: 100,
        message: "Internal Server Error",
        data: "the service failed unexpectedly",
      });
      expect(onInternalError).toHaveBeenCalledOnce();
      await expectNothingUnhandled();
    },
  );

  test("may be synchronous for the asynchronous calls", async () => {
    const service = aService({ authenticate: (key) => key === "key" });
    expect((await service.dispatchAsync(request())).error).toBeNull();
    expect((await aService().dispatchAsync(request())).error).toBeNull();
  });

  test("whatever is asked, dispatchAsync answers what dispatch does", async () => {
    const service = aService();
    for (const asked of [request(), null, [request(), 5], { jsonrpc: "2.0" }, [], "text"]) {
      expect(await service.dispatchAsync(asked)).toEqual(service.dispatch(asked));
      const text = JSON.stringify(asked);
      expect(await service.dispatchJsonAsync(text)).toBe(service.dispatchJson(text));
    }
    expect(await service.dispatchJsonAsync("{")).toBe(service.dispatchJson("{"));
  });

  test("a state that changes while a key is waited for is answered from as it then is", async () => {
    const service = keyed();
    const answer = service.dispatchAsync(request());
    service.update((draft) => {
      draft.files = draft.files.insert([aFile(9)]);
    });
    expect((await answer).result).toHaveLength(4);
  });
});

describe("a promise that is rejected does not end the process", () => {
  const reject = () => Promise.reject(new Error("rejected"));

  test("from authenticate, whether or not somebody waits for it", async () => {
    const service = aService({ authenticate: reject });
    const text = JSON.stringify(request());
    expect(codeOf(service.dispatch(request()))).toBe(100);
    expect(service.dispatchJson(text)).toContain('"code":100');
    // Nobody reads it.
    service.dispatchChunks(text);
    await expectNothingUnhandled();
  });

  test("from onInternalError", async () => {
    const service = aService({
      authenticate: () => untyped("yes"),
      onInternalError: reject,
    });
    expect(codeOf(service.dispatch(request()))).toBe(100);
    await expectNothingUnhandled();
  });

  test("from a subscriber, and then from onInternalError", async () => {
    const service = createService({ files: [aFile(1)], onInternalError: reject });
    service.subscribe(untyped(reject));
    service.update((draft) => {
      draft.files = draft.files.remove(null);
    });
    await expectNothingUnhandled();
  });
});

function fling(): never {
  throw new Error("thrown");
}

const throwingThen = (): object => Object.defineProperty({}, "then", { get: fling });
