// Rules E1 to E14: the request and response envelope, error codes, the api key, plain calls,
// JSON-RPC 2.0 and limits.

import { describe, expect, test, vi } from "vitest";
import {
  createService,
  InputError,
  ServiceError,
  type Response,
  type Service,
  type ServiceOptions,
} from "../../src/index.ts";
import {
  ask,
  aService,
  codeOf,
  ERROR_NAMES,
  grouped,
  idsOf,
  INHERITED_NAMES,
  thrownBy,
  untyped,
  withOwn,
} from "./fixtures.ts";

const BAD_CRITERIA = [["nothing", "exactly", 1]];

const failing = (thrown: Error, more: ServiceOptions = {}): Service =>
  aService({
    authenticate: () => {
      throw thrown;
    },
    ...more,
  });

/** For each code an answer that carries it. */
const failures: [keyof typeof ERROR_NAMES, () => Response][] = [
  [100, () => ask(failing(new Error("broken")), "searchFiles")],
  [104, () => ask(aService(), "deleteFiles")],
  [107, () => ask(aService(), 5)],
  [300, () => aService().dispatch({ id: 1, method: "searchFiles", params: [""] })],
  [308, () => ask(aService(), "getBatchContacts", 8)],
  [310, () => ask(aService(), "searchFiles", null, -1)],
  [311, () => ask(aService(), "searchFiles", BAD_CRITERIA)],
];

describe("E1", () => {
  test("E1 dispatch answers id, result and error, in that order, at once", () => {
    const service = aService();
    expect(Object.keys(ask(service, "searchFiles"))).toEqual(["id", "result", "error"]);
    expect(Object.keys(ask(service, "nothing"))).toEqual(["id", "result", "error"]);
    expect(Object.keys(service.dispatch(null))).toEqual(["id", "result", "error"]);
    expect(service.dispatch(null)).not.toHaveProperty("then");
  });

  test.each([
    undefined,
    null,
    true,
    5,
    5n,
    "text",
    '{"id":1}',
    Symbol("request"),
    () => ({ id: 1, method: "searchFiles", params: ["key"] }),
    {},
    new Map([["id", 1]]),
  ])("E1 dispatch takes %o and answers 310", (request) => {
    const answer = aService().dispatch(request);
    expect(answer).toMatchObject({ id: null, result: null, error: { code: 310 } });
  });

  test.each([undefined, null, 5, "x", {}, { length: 1, 0: "key" }, () => ["key"]])(
    "E1 params that are %o answer 310 with the request's id",
    (params) => {
      const answer = aService().dispatch({ id: 4, method: "searchFiles", params });
      expect(answer).toMatchObject({ id: 4, result: null, error: { code: 310 } });
    },
  );

  test("E1 dispatch reads each member of a request once", () => {
    const reads: string[] = [];
    const values = { id: 1, method: "searchFiles", params: ["key"] };
    const request = new Proxy(values, {
      get(target, key) {
        reads.push(String(key));
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(codeOf(aService().dispatch(request))).toBeNull();
    expect(reads.toSorted()).toEqual(["id", "jsonrpc", "method", "params"]);
  });

  test.each(["jsonrpc", "id", "method", "params"])(
    "E1 a getter of %s that throws answers 310",
    (name) => {
      const request = { id: 1, method: "searchFiles", params: ["key"] };
      Object.defineProperty(request, name, {
        get: () => {
          throw new Error("a secret");
        },
      });
      const answer = aService().dispatch(request);
      expect(answer).toMatchObject({
        id: name === "id" || name === "jsonrpc" ? null : 1,
        error: { code: 310 },
      });
      expect(JSON.stringify(answer)).not.toContain("secret");
    },
  );

  test("E1 dispatchJson does from text to text what dispatch does", () => {
    const service = aService();
    for (const request of [
      { id: 1, method: "searchFiles", params: ["key", [["size", "less_than", 100]], 1, 1] },
      { id: 2, method: "getBatchContacts", params: ["key", 7, null, 2, 0, "Email", "ASC"] },
      { id: 3, method: "nothing", params: [] },
      { id: "x" },
      null,
      [{ id: 4, method: "searchFiles", params: ["key"] }, null],
    ]) {
      const text = service.dispatchJson(JSON.stringify(request));
      expect(text).toBe(JSON.stringify(service.dispatch(request)));
    }
  });

  test.each(["", "{", "undefined", "{'id':1}", '{"id":1,}', "NaN", "\ufeff{}"])(
    "E1 dispatchJson answers %j, which is not JSON, with 310 and id null",
    (text) => {
      const answer = JSON.parse(aService().dispatchJson(text)) as Response;
      expect(answer).toMatchObject({ id: null, result: null, error: { code: 310 } });
      expect(Object.keys(answer)).toEqual(["id", "result", "error"]);
    },
  );

  test.each([undefined, null, 5, {}, Symbol("text")])(
    "E1 dispatchJson answers %o, which is no text, with 310",
    (text) => {
      const answer = JSON.parse(aService().dispatchJson(untyped(text))) as Response;
      expect(answer).toMatchObject({ id: null, error: { code: 310 } });
    },
  );
});

describe("E2", () => {
  test("E2 on success error is null", () => {
    const answer = ask(aService(), "searchFiles");
    expect(answer.error).toBeNull();
    expect(answer.result).toHaveLength(3);
  });

  test.each(failures)(
    "E2 on failure result is null and error is code, message and data: %d",
    (code, answer) => {
      const { result, error } = answer();
      expect(result).toBeNull();
      expect(Object.keys(error ?? {})).toEqual(["code", "message", "data"]);
      expect(error?.code).toBe(code);
      expect(typeof error?.data).toBe("string");
      expect(error?.data).not.toBe("");
    },
  );

  test("E2 data is the particular reason: it differs where the message does not", () => {
    const first = ask(aService(), "searchFiles", null, "one").error;
    const second = ask(aService(), "searchFiles", null, null, "two").error;
    expect(first?.message).toBe(second?.message);
    expect(first?.data).toContain('"one"');
    expect(second?.data).toContain('"two"');
  });
});

describe("E3", () => {
  test.each([0, 1, -1, 42, 1.0, 2 ** 53, 1e21, -1e300])("E3 the id is the request's: %d", (id) => {
    const service = aService();
    expect(service.dispatch({ id, method: "searchFiles", params: ["key"] }).id).toBe(id);
    expect(service.dispatch({ id, method: "nothing", params: ["key"] }).id).toBe(id);
    expect(service.dispatch({ id, method: "searchFiles" }).id).toBe(id);
  });

  test.each(["", "1", "a", "\ud800", "__proto__", "x".repeat(1000)])(
    "E3 an id may be a string, and is not read as a number: %j",
    (id) => {
      const service = aService();
      expect(service.dispatch({ id, method: "searchFiles", params: ["key"] }).id).toBe(id);
      expect(service.dispatch({ id, method: "nothing", params: ["key"] }).id).toBe(id);
      const text = service.dispatchJson(JSON.stringify({ id, method: "nothing", params: [] }));
      expect((JSON.parse(text) as Response).id).toBe(id);
    },
  );

  test("E3 the id −0 is answered by 0, as JSON has it", () => {
    expect(aService().dispatch({ id: -0, method: "searchFiles", params: ["key"] }).id).toBe(0);
  });

  test.each([
    undefined,
    null,
    1.5,
    NaN,
    Infinity,
    -Infinity,
    true,
    [1],
    {},
    new Number(1),
    Symbol("1"),
  ])("E3 an id that is %o answers null and 310", (id) => {
    const answer = aService().dispatch({ id, method: "searchFiles", params: ["key"] });
    expect(answer).toMatchObject({ id: null, result: null, error: { code: 310 } });
    expect(answer.error?.data).toContain("id");
  });
});

describe("E3 in text", () => {
  const sent = (id: string, more = '"method":"searchFiles","params":["key",null,0]') =>
    `{"id":${id},${more}}`;
  const rpc = (id: string) => sent(id, '"jsonrpc":"2.0","method":"searchFiles","params":["key"]');
  const invalid = (id: string) => sent(id, '"method":"no","params":[]');
  const noParams = (id: string) => sent(id, '"method":"searchFiles"');

  /** The answers of all ways to dispatch a text. */
  async function answersTo(text: string, service = aService()): Promise<string[]> {
    const pieces: string[] = [];
    for await (const piece of service.dispatchChunksAsync(text)) pieces.push(piece);
    return [
      service.dispatchJson(text),
      await service.dispatchJsonAsync(text),
      [...service.dispatchChunks(text)].join(""),
      pieces.join(""),
    ];
  }

  const idOf = (answer: string): unknown => /"id":([^,]*)/.exec(answer)?.[1];

  const integers = [
    "9007199254740993",
    "-9007199254740995",
    "1764178093123456789",
    "12345678901234567168",
    "10000000000000000000000",
    "1".repeat(100_000),
    "9007199254740992",
    "0",
  ];
  test.each(integers.flatMap((id) => [sent, rpc, invalid, noParams].map((form) => [id, form])))(
    "E3 the integer %.30s comes back digit for digit, in a result and in errors",
    async (id, form) => {
      for (const answer of await answersTo((form as typeof sent)(String(id)))) {
        expect(idOf(answer) === id).toBe(true);
      }
    },
  );

  test("E3 dispatch gives a bigint back", async () => {
    const id = 9007199254740993n;
    const service = aService();
    for (const form of [{}, { jsonrpc: "2.0" }, { method: "no" }, { params: null }]) {
      const request = { id, method: "searchFiles", params: ["key"], ...form };
      expect(service.dispatch(request)).toMatchObject({ id });
      expect(await service.dispatchAsync(request)).toMatchObject({ id });
    }
  });

  test.each([
    ["1e2", "100", "100"],
    ["1.0", "1", "1"],
    ["-0", "0", "0"],
    ["1e21", "1e+21", "1e+21"],
    ["1.5", "null", "1.5"],
    ["1e400", "null", "null"],
    ["9007199254740993.0", "null", "null"],
    ["9007199254740993.5", "null", "null"],
    ["90071992547409930e-1", "null", "null"],
    ["1.00000000000000000001", "null", "null"],
    ["1e-400", "null", "null"],
  ])("E3 the number %s is answered by %s, and by %s in JSON-RPC", async (id, plain, jsonRpc) => {
    for (const answer of await answersTo(sent(id))) expect(idOf(answer)).toBe(plain);
    for (const answer of await answersTo(rpc(id))) expect(idOf(answer)).toBe(jsonRpc);
    const { error } = JSON.parse(aService().dispatchJson(sent(id))) as Response;
    expect(error?.code).toBe(plain === "null" ? 310 : undefined);
  });

  test("E3 each member of a batch gets its own digits back", async () => {
    const batch = [rpc("9007199254740993"), sent('"a"'), sent("12345678901234567890"), rpc("1")];
    for (const answer of await answersTo(`[${batch.join(",")}]`)) {
      expect([...answer.matchAll(/"id":([^,"]+|"a"),/g)].map(([, id]) => id)).toEqual(
        expect.arrayContaining(["9007199254740993", '"a"', "12345678901234567890", "1"]),
      );
    }
  });

  test.each([
    ['{"id":9007199254740993,"\\u0069d":9007199254740995,%}', "9007199254740995"],
    ['{"\\u0069\\u0064" : 9007199254740993 ,%}', "9007199254740993"],
    ['{"id":9007199254740993,"id":7,%}', "7"],
    ['{"a":{"id":9007199254740995},"id":\n9007199254740993,"b":[{"id":1}],%}', "9007199254740993"],
    ['{"a":"\\"id\\":1111111111111111111","id":9007199254740993,%}', "9007199254740993"],
    ['{"__proto__":{"id":9007199254740995},"id":9007199254740993,%}', "9007199254740993"],
    ['{"id":"9007199254740993",%}', '"9007199254740993"'],
  ])("E3 the id of %s is %s", async (text, id) => {
    const request = text.replace("%", '"method":"searchFiles","params":["key",null,0]');
    for (const answer of await answersTo(request)) expect(idOf(answer)).toBe(id);
  });

  test.each([
    ["searchFiles", '[["size","exactly",%]]', 311],
    ["searchFiles", '[["name","contains",%]]', 311],
    ["searchFiles", '[["id","in",[1,%]]]', 311],
    ["searchFiles", '[["size","less_than",%]]', 311],
    ["searchFiles", "null,%", 310],
    ["searchFiles", "null,null,%", 310],
    ["getBatchContacts", "%", 308],
    ["getBatchContacts", "7,%", 311],
  ])("E3 no other integer of %s is rounded: %s is %d", (method, params, code) => {
    const long = params.replace("%", "9007199254740993");
    const text = `{"id":1,"method":"${method}","params":["key",${long}]}`;
    const { error } = JSON.parse(aService().dispatchJson(text)) as Response;
    expect(error?.code).toBe(code);
    expect(error?.data).toContain("9007199254740993");
  });

  test.each(["0.1", "0.10000000000000001", "0.1000000000000000055511151231257827", "1.0e-1"])(
    "C5 the number %s compares as 0.1",
    (written) => {
      const service = createService({ files: [{ id: 1, folder_id: 7, name: "0.1" }] });
      const text = `{"id":1,"method":"searchFiles","params":["key",[["name","exactly",${written}]]]}`;
      expect(JSON.parse(service.dispatchJson(text))).toMatchObject({ result: [{ id: "1" }] });
    },
  );

  test("E3 a long number is no request, and no parameters", () => {
    const service = aService();
    expect(service.dispatchJson("9007199254740993")).toContain("request: must be an object");
    const text = '{"jsonrpc":"2.0","id":1,"method":"searchFiles","params":9007199254740993}';
    expect(JSON.parse(service.dispatchJson(text))).toMatchObject({ error: { code: -32600 } });
  });

  test("E3 the digits beside text of any depth cost no stack", () => {
    const deep = "[".repeat(50_000) + "]".repeat(50_000);
    const text = sent("9007199254740993", `"method":"searchFiles","params":["key",${deep}]`);
    expect(JSON.parse(aService().dispatchJson(text))).toMatchObject({ error: { code: 311 } });
  });
});

describe("E4", () => {
  const authenticate = (key: string) => key === "key";
  const bad = {
    id: { id: 1.5 },
    params: { params: {} },
    method: { method: 5 },
    unknown: { method: "nothing" },
    key: { params: ["wrong"] },
  };

  const files = (...params: unknown[]) => ({ id: 1, method: "searchFiles", params });
  const contacts = (...params: unknown[]) => ({ id: 1, method: "getBatchContacts", params });

  test.each(
    grouped<{ readonly id: number }>({
      107: {
        "a method that is no string comes before the api key": { id: 1, ...bad.method, ...bad.key },
      },
      104: { "an unknown method comes before the api key": { id: 1, ...bad.unknown, ...bad.key } },
      300: {
        "the api key comes before the criteria": files("wrong", BAD_CRITERIA, -1),
        "the api key comes before the Batch": contacts("wrong", "x"),
        "the api key comes before too many parameters": files("wrong", 0, 0, 0, 0, 0, 0, 0, 0),
      },
      308: { "the Batch comes before the criteria": contacts("key", 8, BAD_CRITERIA, -1) },
      310: {
        "the id comes before the method": { ...bad.id, ...bad.method, ...bad.key },
        "the params' shape comes before the method": { id: 1, ...bad.params, ...bad.method },
        "the params' shape comes before an unknown method": {
          ...{ id: 1, ...bad.params, ...bad.unknown },
        },
      },
      311: {
        "the criteria come before the limit": contacts("key", 7, BAD_CRITERIA, -1),
        "the criteria come before the limit of Files": files("key", BAD_CRITERIA, -1),
      },
    }),
  )("E4 %s", (_what, request, code) => {
    const id = Number.isInteger(request.id) ? request.id : null;
    const answer = aService({ authenticate }).dispatch(request);
    expect(answer).toMatchObject({ id, error: { code: Number(code) } });
  });

  test.each(["limit", "offset", "sort_by", "sort_order"])(
    "E4 of the page's parameters the first wrong one wins: %s",
    (first) => {
      const names = ["limit", "offset", "sort_by", "sort_order"];
      const page = names.map((_, i) => (i >= names.indexOf(first) ? "wrong" : null));
      expect(ask(aService(), "searchFiles", null, ...page).error?.data).toMatch(
        new RegExp(`^${first}: `),
      );
      expect(ask(aService(), "getBatchContacts", 7, null, ...page).error?.data).toMatch(
        new RegExp(`^${first}: `),
      );
    },
  );

  test.each([undefined, null, 5, {}, ["searchFiles"], Symbol("searchFiles")])(
    "E4 the method %o is no string: 107",
    (method) => {
      expect(codeOf(ask(aService(), method))).toBe(107);
    },
  );

  test.each(["", "searchfiles", "searchFiles ", "dispatch", "search_files"])(
    "E4 the method %j is unknown: 104",
    (method) => {
      expect(codeOf(ask(aService(), method))).toBe(104);
    },
  );

  test("E4 a key that is not accepted is not even tried where the request is wrong before it", () => {
    const tried = vi.fn(() => true);
    const service = aService({ authenticate: tried });
    service.dispatch({ id: 1.5, method: "searchFiles", params: ["key"] });
    service.dispatch({ id: 1, method: "nothing", params: ["key"] });
    expect(tried).not.toHaveBeenCalled();
  });
});

describe("E5", () => {
  test.each(failures)("E5 code %d has its fixed name", (code, answer) => {
    expect(answer().error).toMatchObject({ code, message: ERROR_NAMES[code] });
  });
});

describe("E6", () => {
  test.each([7, "7", 7.0])("E6 the batch_id may be %j", (batchId) => {
    const answer = ask(aService(), "getBatchContacts", batchId);
    expect(answer.error).toBeNull();
    expect(Object.keys(answer.result as object)).toEqual(["10", "20"]);
  });

  test.each([0, -7, 9007199254740991])("E6 a Batch may have the id %d", (id) => {
    const service = createService({ batches: [{ id, lists: [{ id: 1, contacts: [] }] }] });
    expect(ask(service, "getBatchContacts", id).result).toEqual({ 1: [] });
    expect(ask(service, "getBatchContacts", String(id)).result).toEqual({ 1: [] });
  });

  test.each([
    8,
    "8",
    undefined,
    null,
    "",
    "07",
    "+7",
    " 7",
    "7.0",
    "7e0",
    "seven",
    7.5,
    NaN,
    Infinity,
    1e21,
    2 ** 53,
    true,
    [7],
    { id: 7 },
    7n,
    new Number(7),
    Symbol("7"),
    ...INHERITED_NAMES,
  ])("E6 the batch_id %o is 308", (batchId) => {
    expect(codeOf(ask(aService(), "getBatchContacts", batchId))).toBe(308);
    const error = thrownBy(ServiceError, () => aService().getBatchContacts(untyped(batchId)));
    expect(error.code).toBe(308);
  });

  test("E6 a missing batch_id is 308", () => {
    expect(codeOf(ask(aService(), "getBatchContacts"))).toBe(308);
  });
});

describe("E7", () => {
  test("E7 all parameters of a method may be there, and no more", () => {
    const all = [null, 1, 0, "", ""];
    expect(codeOf(ask(aService(), "searchFiles", ...all))).toBeNull();
    expect(codeOf(ask(aService(), "getBatchContacts", 7, ...all))).toBeNull();
    expect(codeOf(ask(aService(), "searchFiles", ...all, null))).toBe(310);
    expect(codeOf(ask(aService(), "searchFiles", ...all, null, null))).toBe(310);
    expect(codeOf(ask(aService(), "getBatchContacts", 7, ...all, null))).toBe(310);
    expect(codeOf(ask(aService(), "getBatchContacts", 7, ...all, undefined))).toBe(310);
  });

  test("E7 four billion parameters are too many", () => {
    const params: unknown[] = ["key"];
    params.length = 2 ** 32 - 1;
    const answer = aService().dispatch({ id: 1, method: "searchFiles", params });
    expect(codeOf(answer)).toBe(310);
  });

  test("E7 the plain calls have no more parameters either", () => {
    const service = aService();
    const all = [null, 1, 0, "", "", null];
    const call = (method: "searchFiles" | "getBatchContacts", ...given: unknown[]) =>
      thrownBy(ServiceError, () => (service[method] as (...all: unknown[]) => unknown)(...given))
        .code;
    expect(call("searchFiles", ...all)).toBe(310);
    expect(call("getBatchContacts", 7, ...all)).toBe(310);
  });
});

describe("E8", () => {
  test.each([undefined, null, "", 5, true, {}, ["key"], Symbol("key"), new String("key")])(
    "E8 the api key %o is 300",
    (key) => {
      const answer = aService().dispatch({ id: 1, method: "searchFiles", params: [key] });
      expect(codeOf(answer)).toBe(300);
    },
  );

  test("E8 a missing api key is 300", () => {
    expect(codeOf(aService().dispatch({ id: 1, method: "searchFiles", params: [] }))).toBe(300);
  });

  test.each(["key", " ", "0", "__proto__"])(
    "E8 without authenticate every non-empty string passes: %j",
    (key) => {
      expect(
        codeOf(aService().dispatch({ id: 1, method: "searchFiles", params: [key] })),
      ).toBeNull();
    },
  );

  test("E8 with authenticate only the keys it accepts pass", () => {
    const authenticate = vi.fn((key: string) => key === "good");
    const service = aService({ authenticate });
    const codeFor = (key: unknown) =>
      codeOf(service.dispatch({ id: 1, method: "searchFiles", params: [key] }));
    expect(codeFor("good")).toBeNull();
    expect(codeFor("bad")).toBe(300);
    expect(codeFor("Good")).toBe(300);
    expect(authenticate.mock.calls).toEqual([["good"], ["bad"], ["Good"]]);
    expect(codeFor("")).toBe(300);
    expect(authenticate).toHaveBeenCalledTimes(3);
  });

  test.each([1, "yes", {}, Promise.resolve(false), undefined, null, 0])(
    "E8 an authenticate that returns %o lets nobody in",
    (accepted) => {
      const service = aService({ authenticate: () => untyped(accepted) });
      const answer = ask(service, "searchFiles");
      expect(answer.result).toBeNull();
      expect([100, 300]).toContain(codeOf(answer));
    },
  );

  test.each([null, true, "key", {}])(
    "E8 an authenticate option that is %o is refused",
    (authenticate) => {
      const error = thrownBy(InputError, () => aService({ authenticate: untyped(authenticate) }));
      expect(error.path).toBe("options.authenticate");
    },
  );

  test("E8 the api key is not repeated in the answer", () => {
    const service = aService({ authenticate: () => false });
    const text = JSON.stringify(
      service.dispatch({ id: 1, method: "searchFiles", params: ["s3cret"] }),
    );
    expect(text).not.toContain("s3cret");
  });
});

describe("E9", () => {
  test("E9 an unexpected failure is code 100, and onInternalError receives what was thrown", () => {
    const thrown = new Error("a secret in /etc/passwd");
    const onInternalError = vi.fn();
    const answer = ask(failing(thrown, { onInternalError }), "searchFiles");
    expect(answer).toMatchObject({ id: 1, result: null, error: { code: 100 } });
    expect(onInternalError.mock.calls).toEqual([[thrown]]);
  });

  test("E9 it reveals no stack and no path", () => {
    const thrown = new Error("a secret in /etc/passwd");
    const text = JSON.stringify(ask(failing(thrown), "searchFiles"));
    expect(text).not.toMatch(/secret|passwd|\bat |\.ts|node_modules|\//);
  });

  test("E9 an onInternalError that throws changes nothing", () => {
    const onInternalError = vi.fn(() => {
      throw new Error("and this too");
    });
    const answer = ask(failing(new Error("first"), { onInternalError }), "searchFiles");
    expect(codeOf(answer)).toBe(100);
    expect(onInternalError).toHaveBeenCalledOnce();
  });

  test("E9 an expected failure is not reported", () => {
    const onInternalError = vi.fn();
    const service = aService({ onInternalError });
    service.dispatch(null);
    ask(service, "nothing");
    ask(service, "searchFiles", BAD_CRITERIA, -1);
    ask(service, "getBatchContacts", 8);
    thrownBy(ServiceError, () => service.searchFiles(untyped(BAD_CRITERIA)));
    expect(onInternalError).not.toHaveBeenCalled();
  });
});

describe("E10", () => {
  test.each<[params: unknown[]]>([
    [[]],
    [[[["size", "less_than", 100]]]],
    [[null, "2", 1]],
    [[[["size", "less_than", 100], "OR", ["id", "exactly", 3]], 2, 1, "size", "ASC"]],
    [[undefined, undefined, undefined, "size", undefined]],
  ])("E10 searchFiles%j is the same operation as a plain call", (params) => {
    const service = aService();
    const plain = service.searchFiles(...(params as Parameters<Service["searchFiles"]>));
    const { result, error } = ask(service, "searchFiles", ...params);
    expect(error).toBeNull();
    expect(plain).toEqual(result);
  });

  test.each<[params: unknown[]]>([
    [[7]],
    [["7", [["Email", "contains", "a@"]]]],
    [[7, null, 2, 1]],
    [[7, [["Age", "not", null]], 2, "0", "Email", "ASC"]],
  ])("E10 getBatchContacts%j is the same operation as a plain call", (params) => {
    const service = aService();
    const plain = service.getBatchContacts(...(params as Parameters<Service["getBatchContacts"]>));
    const { result, error } = ask(service, "getBatchContacts", ...params);
    expect(error).toBeNull();
    expect(plain).toEqual(result);
  });

  test.each<["searchFiles" | "getBatchContacts", unknown[], number]>([
    ["searchFiles", [BAD_CRITERIA], 311],
    ["searchFiles", [null, -1], 310],
    ["searchFiles", [null, null, "x"], 310],
    ["searchFiles", [null, null, null, "nothing"], 310],
    ["searchFiles", [null, null, null, null, "UP"], 310],
    ["getBatchContacts", [8], 308],
    ["getBatchContacts", [], 308],
    ["getBatchContacts", [7, BAD_CRITERIA], 311],
    ["getBatchContacts", [7, null, 1.5], 310],
    ["getBatchContacts", [7, null, null, null, "nothing"], 310],
  ])("E10 the plain call %s%j throws what the envelope carries: %d", (method, params, code) => {
    const service = aService();
    const thrown = thrownBy(ServiceError, () =>
      (service[method] as (...given: unknown[]) => unknown)(...params),
    );
    const { error } = ask(service, method, ...params);
    expect({ code: thrown.code, message: ERROR_NAMES[thrown.code], data: thrown.data }).toEqual(
      error,
    );
    expect(thrown.code).toBe(code);
    expect(thrown.message).toBe(`${ERROR_NAMES[thrown.code]}: ${thrown.data}`);
  });

  test("E10 a plain call needs no key", () => {
    const authenticate = vi.fn(() => false);
    expect(aService({ authenticate }).searchFiles()).toHaveLength(3);
    expect(authenticate).not.toHaveBeenCalled();
  });
});

describe("E11", () => {
  test.each([...INHERITED_NAMES, "valueOf"])(
    "E11 %s is an ordinary unknown name everywhere",
    (name) => {
      const service = aService();
      expect(codeOf(ask(service, name))).toBe(104);
      expect(codeOf(ask(service, "searchFiles", [[name, "exactly", "x"]]))).toBe(311);
      expect(codeOf(ask(service, "searchFiles", [["name", name, "x"]]))).toBe(311);
      expect(codeOf(ask(service, "searchFiles", null, name))).toBe(310);
      expect(codeOf(ask(service, "searchFiles", null, null, name))).toBe(310);
      expect(codeOf(ask(service, "searchFiles", null, null, null, name))).toBe(310);
      expect(codeOf(ask(service, "searchFiles", null, null, null, "id", name))).toBe(310);
      expect(codeOf(ask(service, "getBatchContacts", name))).toBe(308);
      expect(codeOf(ask(service, "getBatchContacts", 7, [[name, "exactly", null]]))).toBe(311);
      expect(codeOf(ask(service, "getBatchContacts", 7, null, null, null, name))).toBe(310);
      expect(idsOf(ask(service, "searchFiles", [["name", "exactly", name]]))).toEqual([]);
      thrownBy(InputError, () => createService(untyped(withOwn(name, []))));
    },
  );

  test.each([...INHERITED_NAMES, "fields", "length"])(
    "E11 a List Field may have the name %s",
    (name) => {
      const contacts = ["b", "a", "c"].map((value, i) => ({
        send_id: i,
        contact_id: i,
        contact_email: "e",
        fields: untyped(withOwn(name, value)),
      }));
      const lists = [
        { id: 1, fields: [name], contacts },
        { id: 2, contacts: [{ send_id: 9, contact_id: 9, contact_email: "e" }] },
      ];
      for (const fields of [[name], untyped(withOwn(name, "string"))]) {
        const service = createService({
          batches: [
            { id: 1, lists: lists.map((list) => (list.id === 1 ? { ...list, fields } : list)) },
          ],
        });
        const found = service.getBatchContacts(1, [[name, "exactly", "c"]]);
        expect(found["1"]?.map(({ send_id: id }) => id)).toEqual(["2"]);
        expect(service.getBatchContacts(1, [[name, "exactly", null]])["2"]).toHaveLength(1);
        const sorted = service.getBatchContacts(1, null, null, null, name, "ASC")["1"];
        expect(sorted?.map(({ send_id: id }) => id)).toEqual(["1", "0", "2"]);
        for (const contact of sorted ?? []) {
          expect(Object.hasOwn(contact, name)).toBe(false);
          expect(Object.getPrototypeOf(contact)).toBe(Object.prototype);
        }
      }
    },
  );

  test("E11 a `__proto__` member in JSON text lends a request nothing", () => {
    const service = aService();
    const request = '{"id":1,"method":"searchFiles","params":["key"]}';
    const lent = JSON.parse(service.dispatchJson(`{"__proto__":${request}}`)) as Response;
    expect(lent).toMatchObject({ id: null, error: { code: 310 } });
    const beside = service.dispatchJson(`{"__proto__":{"id":9},${request.slice(1)}`);
    expect(JSON.parse(beside)).toMatchObject({ id: 1, error: null });
    const value = '{"id":1,"method":"searchFiles","params":["key",{"__proto__":[]}]}';
    expect(JSON.parse(service.dispatchJson(value))).toMatchObject({ error: { code: 311 } });
  });

  test("E11 nothing leaks into other objects' prototype", () => {
    thrownBy(InputError, () =>
      createService({ files: [untyped(JSON.parse('{"id":1,"__proto__":{"polluted":1}}'))] }),
    );
    aService().dispatchJson(
      '{"id":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    expect({}).not.toHaveProperty("polluted");
  });
});

describe("E12", () => {
  test("E12 unknownOperator treats an unknown operator as exactly", () => {
    const service = aService({ compatibility: { unknownOperator: "exactly" } });
    for (const operator of ["equals", "", "Contains", ...INHERITED_NAMES]) {
      expect(idsOf(ask(service, "searchFiles", [["size", operator, 30]]))).toEqual(["1"]);
      const contacts = ask(service, "getBatchContacts", 7, [["Age", operator, null]]);
      expect(contacts.result).toMatchObject({ 10: [{ contact_id: "3" }], 20: [] });
    }
  });

  test("E12 unknownOperator leaves the known operators and every other check as they are", () => {
    const service = aService({ compatibility: { unknownOperator: "exactly" } });
    expect(idsOf(ask(service, "searchFiles", [["size", "contains", 0]]))).toEqual(["1", "3"]);
    expect(codeOf(ask(service, "searchFiles", [["nothing", "equals", 30]]))).toBe(311);
    expect(codeOf(ask(service, "searchFiles", [["size", "equals", []]]))).toBe(311);
    expect(codeOf(ask(service, "searchFiles", [["size", 5, 30]]))).toBe(311);
    expect(codeOf(ask(service, "searchFiles", [["name", "less_than", 30]]))).toBe(311);
    expect(idsOf(ask(service, "searchFiles", null, 0))).toEqual([]);
  });

  test("E12 zeroLimit treats limit 0 as no limit", () => {
    const service = aService({ compatibility: { zeroLimit: "unlimited" } });
    expect(idsOf(ask(service, "searchFiles", null, 0))).toEqual(["1", "2", "3"]);
    expect(idsOf(ask(service, "searchFiles", null, "0", 1))).toEqual(["2", "3"]);
    expect(idsOf(ask(service, "searchFiles", null, 1))).toEqual(["1"]);
    expect(ask(service, "getBatchContacts", 7, null, 0).result).toEqual(
      ask(service, "getBatchContacts", 7).result,
    );
    expect(service.searchFiles(null, 0)).toHaveLength(3);
    expect(codeOf(ask(service, "searchFiles", [["size", "equals", 30]]))).toBe(311);
  });

  test("E12 the defaults are strict", () => {
    for (const service of [aService(), aService({ compatibility: {} })]) {
      expect(codeOf(ask(service, "searchFiles", [["size", "equals", 30]]))).toBe(311);
      expect(idsOf(ask(service, "searchFiles", null, 0))).toEqual([]);
    }
  });

  test.each([
    [{ unknownOperator: "contains" }, "options.compatibility.unknownOperator"],
    [{ unknownOperator: true }, "options.compatibility.unknownOperator"],
    [{ zeroLimit: "nothing" }, "options.compatibility.zeroLimit"],
    [{ unknownOperators: "exactly" }, "options.compatibility"],
    [5, "options.compatibility"],
  ])("E12 the compatibility option %j is refused", (compatibility, path) => {
    const error = thrownBy(InputError, () => aService({ compatibility: untyped(compatibility) }));
    expect(error.path).toBe(path);
  });
});

describe("E13", () => {
  const rpc = (more: object = {}) => ({
    jsonrpc: "2.0" as const,
    id: 1,
    method: "searchFiles",
    params: ["key", [["id", "exactly", 2]]],
    ...more,
  });

  test("E13 a result is answered with jsonrpc, id and result, and nothing else", () => {
    const service = aService();
    const result = service.searchFiles([["id", "exactly", 2]]);
    expect(service.dispatch(rpc())).toStrictEqual({ jsonrpc: "2.0", id: 1, result });
    expect(Object.keys(service.dispatch(rpc()) ?? {})).toEqual(["jsonrpc", "id", "result"]);
  });

  test.each<[request: object, code: number, message: string]>([
    [{ method: "nothing" }, -32601, "Method not found"],
    [{ method: 5 }, -32601, "Method not found"],
    [{ params: ["key", null, -1] }, -32602, "Invalid params"],
    [{ params: ["key", 0, 0, 0, 0, 0, 0, 0, 0] }, 311, "Invalid Search Parameter Format"],
    [{ params: ["key", null, null, null, null, null, null] }, -32602, "Invalid params"],
    [{ params: [""] }, 300, "Authorisation Failed - Invalid Login"],
    [{ params: [] }, 300, "Authorisation Failed - Invalid Login"],
    [{ params: undefined }, 300, "Authorisation Failed - Invalid Login"],
    [{ method: "getBatchContacts", params: ["key", 8] }, 308, "Unable to Load Batch"],
    [{ params: ["key", BAD_CRITERIA] }, 311, "Invalid Search Parameter Format"],
    [{ params: "key" }, -32600, "Invalid Request"],
    [{ params: null }, -32600, "Invalid Request"],
  ])("E13 %j is answered with an error and no result: %d", (more, code, message) => {
    const answer = aService().dispatch(rpc(more));
    expect(Object.keys(answer ?? {})).toEqual(["jsonrpc", "id", "error"]);
    expect(Object.keys(answer?.error ?? {})).toEqual(["code", "message", "data"]);
    expect(answer).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code, message } });
  });

  test("E13 an unexpected failure is -32603, and onInternalError receives what was thrown", () => {
    const onInternalError = vi.fn();
    const thrown = new Error("broken");
    const answer = failing(thrown, { onInternalError }).dispatch(rpc());
    expect(answer?.error).toEqual({
      code: -32603,
      message: "Internal error",
      data: "the service failed unexpectedly",
    });
    expect(onInternalError.mock.calls).toEqual([[thrown]]);
  });

  test.each([0, "", "a", 1.5, -1, null])("E13 the id is the request's: %j", (id) => {
    expect(aService().dispatch(rpc({ id }))).toMatchObject({ id, result: [{ id: "2" }] });
  });

  test.each([true, {}, [1], NaN, Infinity])(
    "E13 a request with the id %o is not valid: -32600",
    (id) => {
      expect(aService().dispatch(rpc({ id }))).toMatchObject({ id: null, error: { code: -32600 } });
    },
  );

  test("E13 a request without an id gets no answer, and nothing is done", () => {
    const authenticate = vi.fn(() => true);
    const service = aService({ authenticate });
    for (const more of [{}, { method: "nothing" }, { params: [""] }, { params: ["key", 5] }]) {
      const { id, ...notification } = rpc(more);
      expect([id, service.dispatch(notification)]).toEqual([1, undefined]);
      expect(service.dispatchJson(JSON.stringify(notification))).toBe("");
    }
    expect(authenticate).not.toHaveBeenCalled();
  });

  test("E13 a value that is not a request is answered, with or without an id", () => {
    const answer = aService().dispatch({ jsonrpc: "2.0", method: 1, params: "bar" });
    expect(answer).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32600 } });
  });

  test.each([{}, { method: 1 }, { method: null, params: [] }, { method: {}, params: {} }])(
    "E13 %j without an id is no notification but an invalid request",
    (members) => {
      const service = aService();
      const answer = { jsonrpc: "2.0", id: null, error: { code: -32600 } };
      const request = { jsonrpc: "2.0", ...members } as const;
      expect(service.dispatch(request)).toMatchObject(answer);
      expect(service.dispatch([request])).toMatchObject([answer]);
    },
  );

  test("E13 parameters may come by the contract's names", () => {
    const service = aService();
    const ofFiles = { api_key: "key", sort_order: "ASC", sort_by: "size", limit: 2, offset: "1" };
    expect(service.dispatch(rpc({ params: ofFiles }))).toMatchObject({
      result: service.searchFiles(null, 2, 1, "size", "ASC"),
    });
    const search_criteria = [["Email", "contains", "a@"]];
    const ofContacts = { batch_id: 7, api_key: "key", search_criteria };
    expect(service.dispatch(rpc({ method: "getBatchContacts", params: ofContacts }))).toMatchObject(
      { result: service.getBatchContacts(7, untyped(search_criteria)) },
    );
  });

  test.each<[params: object, code: number, data: string]>([
    [{ limit: 1 }, 300, "api_key: must be a non-empty string, not undefined"],
    [
      { api_key: "key", Limit: 1 },
      -32602,
      'params: has no member "Limit"; use "api_key", "search_criteria", "limit", "offset", "sort_by" or "sort_order"',
    ],
    [
      { api_key: "key", search_criteria: 5, Limit: 1 },
      -32602,
      'params: has no member "Limit"; use "api_key", "search_criteria", "limit", "offset", "sort_by" or "sort_order"',
    ],
    [
      { api_key: "key", batch_id: 1 },
      -32602,
      'params: has no member "batch_id"; use "api_key", "search_criteria", "limit", "offset", "sort_by" or "sort_order"',
    ],
    [
      withOwn("__proto__", { api_key: "key" }),
      300,
      "api_key: must be a non-empty string, not undefined",
    ],
    [
      { api_key: "key", limit: -1 },
      -32602,
      "limit: must be a non-negative safe integer or its canonical decimal string, not -1",
    ],
  ])("E13 of named parameters %j are refused: %d", (params, code, data) => {
    expect(aService().dispatch(rpc({ params }))?.error).toMatchObject({ code, data });
  });

  test.each([{ api_key: "key" }, "key"])("E13 only there: the plain form refuses %j", (params) => {
    const answer = aService().dispatch({ id: 1, method: "searchFiles", params });
    expect(answer).toMatchObject({ id: 1, result: null, error: { code: 310 } });
  });

  test.each([undefined, "1.0", "1.1", "2.00", "", 2, "2", null, true, ["2.0"], { version: "2.0" }])(
    "E13 with jsonrpc %j it is no such request: the plain form answers",
    (jsonrpc) => {
      const answer = aService().dispatch({ ...rpc(), jsonrpc });
      expect(Object.keys(answer ?? {})).toEqual(["id", "result", "error"]);
      const batch = aService().dispatch([{ ...rpc(), jsonrpc }]);
      expect(batch).toEqual([answer]);
    },
  );

  test("E13 of a batch each member is answered in its own form and order", () => {
    const { id, ...notification } = rpc();
    const plain = { id: "p", method: "searchFiles", params: ["key", null, 0] };
    const batch = [rpc({ id: "a" }), plain, notification, rpc({ method: "no" }), {}];
    expect(aService().dispatch(batch)).toMatchObject([
      { jsonrpc: "2.0", id: "a", result: [{ id: "2" }] },
      { id: "p", result: [], error: null },
      { jsonrpc: "2.0", id, error: { code: -32601 } },
      { id: null, result: null, error: { code: 310 } },
    ]);
  });

  const unreadable = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };

  test.each<[what: string, make: () => unknown, data: string]>([
    ["a number", () => 7, "request: must be an object, not 7"],
    ["null", () => null, "request: must be an object, not null"],
    ["a string", () => "a", 'request: must be an object, not "a"'],
    ["an array", () => [{ id: 1 }], "request: must be an object, not an array"],
    ["a proxy that throws", unreadable, "request: could not be read"],
  ])("E13 %s in a batch is -32600 in the form of JSON-RPC", (_, make, data) => {
    const refused = {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32600, message: "Invalid Request", data },
    };
    expect(aService().dispatch([make()])).toStrictEqual([refused]);
    expect(aService().dispatch([rpc(), make()])).toMatchObject([{ id: 1 }, refused]);
  });

  test("E13 a batch of notifications gets no answer", () => {
    const { id, ...notification } = rpc();
    expect([id, aService().dispatch([notification, notification])]).toEqual([1, undefined]);
    expect(aService().dispatchJson(JSON.stringify([notification]))).toBe("");
  });

  test("E13 an empty array is not a request", () => {
    const answer = {
      jsonrpc: "2.0",
      id: null,
      error: {
        code: -32600,
        message: "Invalid Request",
        data: "request: a batch must not be empty",
      },
    };
    expect(aService().dispatch([])).toEqual(answer);
    expect(JSON.parse(aService().dispatchJson("[]"))).toEqual(answer);
  });

  test("E13 a batch has at most 100 members, or as many as limits.batch says", () => {
    const batch = (length: number) => Array.from({ length }, (_, id) => rpc({ id }));
    const refused = {
      id: null,
      error: { code: -32600, data: "request: a batch may have at most 100 members, not 101" },
    };
    expect(aService().dispatch(batch(100))).toHaveLength(100);
    expect(aService().dispatch(batch(101))).toMatchObject(refused);
    const limited = aService({ limits: { batch: 1 } });
    expect(limited.dispatch(batch(1))).toHaveLength(1);
    expect(limited.dispatch(batch(2))).toMatchObject({ error: { code: -32600 } });
    expect(limited.dispatch(new Array(2 ** 32 - 1))).toMatchObject({ error: { code: -32600 } });
  });

  test("E13 text that is not JSON is answered as E1 says", () => {
    expect(JSON.parse(aService().dispatchJson('{"jsonrpc":"2.0",'))).toMatchObject({
      id: null,
      result: null,
      error: { code: 310 },
    });
  });
});
