// Services of every kind that can be checked: those that return promises, also over HTTP on
// loopback; those that lack methods; those that are correct but differ from tercet.
//
// TERCET_RUNS sets how many cases each law is run on, TERCET_SEED their seed.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { text as textOf } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createService,
  InputError,
  type Response as Answer,
  type Service,
} from "../../src/index.ts";
import {
  checkService,
  formatReport,
  laws,
  type CheckedData,
  type CheckedService,
  type LawOptions,
  type CheckReport,
} from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { aContact, aFile, untyped } from "../rules/fixtures.ts";
import { brokenServices } from "./broken.ts";
import { named } from "./caught.ts";

const { numRuns, seed = 20261121 } = settings(2);
const options = { seed, numRuns };
const lawOf = named(laws);

const namesOf = ({ laws }: CheckReport, outcome: string) =>
  laws.filter((law) => law.outcome === outcome).map(({ name }) => name);

/** Fails with what the laws say, where one is broken. */
function expectPassed(report: CheckReport): void {
  expect(report.passed, formatReport(report)).toBe(true);
}

/** Methods of a service, as functions that need no `this`. */
interface Methods {
  readonly searchFiles: Service["searchFiles"];
  readonly getBatchContacts: Service["getBatchContacts"];
  readonly dispatch: Service["dispatch"];
  readonly dispatchJson: Service["dispatchJson"];
  readonly update: Service["update"];
}

const methodsOf = (data: object): Methods => createService(data);

/** The methods of those names, and no others. */
const only =
  (...names: (keyof Methods)[]) =>
  (data: CheckedData): CheckedService => {
    const service = methodsOf(data);
    return Object.fromEntries(names.map((name) => [name, service[name]]));
  };

/** An answer with another result, where it has one. */
const withResult = (answer: unknown, change: (result: unknown) => unknown): unknown =>
  typeof answer === "object" && answer !== null && "result" in answer
    ? { ...answer, result: change(answer.result) }
    : answer;

/** The same service, answering by promises. */
const later = (service: CheckedService): CheckedService =>
  Object.fromEntries(
    Object.entries(service)
      .filter(([, method]) => typeof method === "function")
      .map(([name, method]: [string, (...given: unknown[]) => unknown]) => [
        name,
        async (...given: unknown[]) => {
          await setImmediate();
          return method(...given);
        },
      ]),
  );

const someData = {
  files: [3, 1, 2].map((id) => aFile(id, { size: id % 2 })),
  batches: [{ id: 7, lists: [{ id: 1, contacts: [1, 2, 3].map((id) => aContact(id)) }] }],
};

const ON_DATA_OF_ITS_OWN = [
  "every record that was given is there, in the form and the order given",
  "List Fields leave the Contact fields as they are, whatever their names",
  "the data that it is made of is neither changed nor kept",
  "a Batch is an object by the ids of its Lists, whatever these are",
  "data that is not valid is refused",
  "null in the data is a value, and not one that was left out",
  "an integer that is loaded has one spelling",
  "ties keep insertion order among many records, too",
];
const AFTER_UPDATES = [
  "after an update, queries answer from the new records",
  "a Contact that is inserted comes last, whatever its List",
  "the names of a File follow the one that is changed",
];
/** Of the collections beside the operations. */
const ON_COUNTS = [
  "count is how many records a query finds",
  "countBy has the values of the records that a query finds, in order, and how many have each",
  "each count is that of exactly, and together they are that of the criteria",
  "countBy by count has the most frequent first, ties in order, and no more than its limit",
  "the bins of a histogram follow each other, and each record found is counted once",
  "countBy has the totals of a field that it summarizes, and orders the values by any of them",
  "countBy with a prefix counts by so many first characters, of which none is cut in half",
  "the bins of a histogram by the calendar have the records of each step in UTC",
  "a summary of numbers has the totals and quantiles of those that a query finds",
  "a summary counts the records that have a value, and the distinct values",
  "groupBy has the groups of the records that a query finds, and of these what was asked for",
  "countBy and summary find what groupBy finds",
  "a histogram counts what groupBy counts between its edges",
];
const ON_FROZEN = ["records are frozen"];
const ON_VALUES = [
  "a result is the caller's own",
  "a query changes nothing that is passed in, and keeps nothing of it",
];
const ON_TEXT = [
  "an id that is an integer is answered digit for digit, however large",
  "dispatchJson and dispatch agree",
  "text that is not JSON is error 310 with id null",
  "a number is the same, however it is written",
  "a number that no double has is refused, and never rounded",
  "what only some parsers take for JSON is error 310 with id null",
  "of members with one name the last one counts",
  "only a line feed ends a request",
];
const ON_REQUESTS = [
  "a response has the request's id, and a result or an error",
  "an id that is a string is answered as it was sent",
  "half a character in an id is answered as it was sent",
  "an id that is neither an integer nor a string is answered by null: error 310",
  "whatever dispatch is given, it answers with a response",
  "a JSON-RPC request has the answer of the envelope in the form of JSON-RPC",
  "JSON-RPC parameters may be named, in any order",
  "a JSON-RPC notification gets no answer",
  "a JSON-RPC request whose id is null is answered with id null",
  "a JSON-RPC parameter that the method does not have is an error after that of the key, and before all others",
  "a JSON-RPC batch has the answers of its members, and none for notifications",
  "of several failures the first in the order of checks is the answer",
  "a key that is empty, or no text, is error 300",
  "a request with a parameter too many is error 310",
  "dispatch and the plain call agree",
  ...ON_TEXT,
];
const ON_BATCHES = [
  "a Batch is sorted as one collection, its Lists in the order given",
  "every List has its key",
  "a Batch is an object by the ids of its Lists, whatever these are",
  "List Fields leave the Contact fields as they are, whatever their names",
];
const ON_PLAIN_CALLS = [
  "whatever a plain call is given, it throws no other error than 308, 310 or 311",
  "dispatch and the plain call agree",
];

/** The names in the order of the laws, each once. */
const inOrder = (...names: string[]) =>
  laws.map(({ name }) => name).filter((name) => names.includes(name));

describe("a service behind HTTP", () => {
  const services: Service[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const service = services[Number(request.url?.slice(1))];
      response.end(service?.dispatchJson(body));
    });
  });
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  /** Sends text to a service with that data, and gives the answer's text. */
  function sender(data: object): (text: string) => Promise<string> {
    const path = services.push(createService(data)) - 1;
    const { port } = server.address() as AddressInfo;
    return async (body) => {
      const response = await fetch(`http://127.0.0.1:${port}/${path}`, { method: "POST", body });
      return await response.text();
    };
  }

  /** A client as one would write it: each operation is a call that a request is made of. */
  function client(data: object, apiKey = "key"): CheckedService {
    const send = sender(data);
    const dispatch = async (request: unknown): Promise<unknown> => {
      const text = await send(JSON.stringify(request));
      return text === "" ? undefined : JSON.parse(text); // nothing answers a notification
    };
    const call =
      (method: string) =>
      async (...parameters: unknown[]) => {
        const params = [apiKey, ...parameters];
        const answer = (await dispatch({ id: 1, method, params })) as Answer;
        if (answer.error !== null) throw Object.assign(new Error("refused"), answer.error);
        return answer.result;
      };
    return {
      searchFiles: call("searchFiles"),
      getBatchContacts: call("getBatchContacts"),
      dispatch,
    };
  }

  test("that sends and receives text keeps the laws", async () => {
    const report = await checkService((data) => ({ dispatchJson: sender(data) }), options);
    expectPassed(report);
    expect(namesOf(report, "not applicable")).toEqual(
      inOrder(
        ...ON_FROZEN,
        ...ON_VALUES,
        ...AFTER_UPDATES,
        ...ON_COUNTS,
        ...ON_PLAIN_CALLS,
        "dispatchJson and dispatch agree",
      ),
    );
  });

  test("whose client has the operations keeps the laws", async () => {
    const make = async (data: CheckedData) => {
      await setImmediate();
      return client(data);
    };
    const report = await checkService(make, { ...options, json: true });
    expectPassed(report);
    expect(namesOf(report, "not applicable")).toEqual(
      inOrder(...ON_FROZEN, ...AFTER_UPDATES, ...ON_COUNTS, ...ON_TEXT),
    );
  });

  test("that is already there is asked about its own records", async () => {
    const data = { ...someData, authenticate: (key: string) => key === "secret" };
    const report = await checkService(client(data, "secret"), {
      ...options,
      batchIds: [7],
      apiKey: "secret",
      json: true,
    });
    expectPassed(report);
    expect(namesOf(report, "not applicable")).toEqual(
      inOrder(...ON_DATA_OF_ITS_OWN, ...ON_FROZEN, ...AFTER_UPDATES, ...ON_COUNTS, ...ON_TEXT),
    );
  });
});

describe("a service that answers by promises", () => {
  test("in this process keeps every law, frozen records and updates too", async () => {
    const make = (data: CheckedData) => Promise.resolve(later({ ...createService(data) }));
    const report = await checkService(make, options);
    expectPassed(report);
    expect(namesOf(report, "not applicable")).toEqual(ON_COUNTS);
  });

  /** For each law one that breaks it. */
  const asked = [...new Map(brokenServices.map((broken) => [broken.law, broken])).values()].filter(
    ({ law }) => !ON_COUNTS.includes(law),
  );
  test.each(asked)("$mistake: is caught by its law", async ({ law, make }) => {
    const broken = (data: CheckedData) => later({ ...make(data) });
    const asked: LawOptions = { seed, shrink: false };
    await expect(lawOf(law).check(broken, asked)).rejects.toThrow(`failed: ${law}`);
  });

  test("a failure is made smaller, and is seen again from its seed and path", async () => {
    const ties = "ties keep insertion order in both directions";
    const broken = brokenServices.find(({ law }) => law === ties);
    const make = (data: CheckedData) => later({ ...broken?.make(data) });
    const first = await lawOf(ties).report(make, { seed });
    expect(first.reason).toMatch(/^equal, and turned round: \[\S+, \S+\] of \[\S+, \S+\]$/);
    const again = await lawOf(ties).report(make, { seed: first.seed, path: first.path });
    expect(again).toEqual({ ...first, runs: 1, path: again.path, again: again.again });
  });

  test("that rejects with anything makes laws fail, not the check", async () => {
    const fail = () => Promise.reject(new Error("the database is away"));
    for (const service of [{ searchFiles: fail }, { dispatchJson: fail }, fail]) {
      const report = await checkService(service, options);
      expect(report.passed).toBe(false);
      expect(formatReport(report)).toContain("the database is away");
    }
  });
});

describe("checkService, given what nobody would write,", () => {
  const revoked = (): unknown => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const unreadable = Object.defineProperty(new Error(), "message", { get: revoked });
  const fling = (thrown: unknown) => () => {
    throw thrown;
  };

  test.each<[string, unknown]>([
    ["throws what can't be looked at", { searchFiles: fling(revoked()) }],
    ["throws it when it is made", fling(revoked())],
    ["throws an error without a message to read", { searchFiles: fling(unreadable) }],
    ["returns four billion holes", { searchFiles: () => new Array<unknown>(2 ** 32 - 1) }],
    [
      "answers four billion holes",
      { dispatch: () => ({ id: 1, result: new Array<unknown>(2 ** 32 - 1), error: null }) },
    ],
  ])("a service that %s, fails in words", async (_, service) => {
    const report = await checkService(untyped(service), { ...options, batchIds: [7] });
    expect(report.passed).toBe(false);
    for (const { outcome, reason } of report.laws) {
      if (outcome === "failed") expect(reason).toMatch(/./);
    }
  });
});

describe("checkService, given a promise", () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  beforeEach(() => void process.on("unhandledRejection", note));
  afterEach(() => void process.off("unhandledRejection", note));

  const fail = () => Promise.reject(new Error("rejected"));
  const throwing = {
    then: () => {
      throw new Error("then throws");
    },
  };
  const unreadable = Object.defineProperty({}, "then", {
    get: () => {
      throw new Error("then can't be read");
    },
  });
  const silent = { then: () => undefined };
  const callable = Object.assign(() => undefined, silent);
  const late = / was not answered within 1 ms$/;
  test.each<[string, unknown, RegExp]>([
    ["that is rejected", { searchFiles: fail, getBatchContacts: fail }, /^rejected$/],
    ["of a response that is rejected", { dispatch: fail }, /^rejected$/],
    ["of a text that is rejected", { dispatchJson: fail }, /^rejected$/],
    ["of a service that it makes", () => ({ searchFiles: fail }), /^rejected$/],
    ["of a service that is rejected", fail, /^the service could not be made: rejected$/],
    ["whose then throws", { searchFiles: () => throwing }, /^then throws$/],
    ["whose then can't be read", { searchFiles: () => unreadable }, /^then can't be read$/],
    ["that is never settled", { searchFiles: () => silent }, late],
    ["that is a function, and is never settled", { searchFiles: () => callable }, late],
    ["of a service that never comes", () => silent, late],
    ["of a service, whose then throws", () => throwing, /could not be made: then throws$/],
  ])("%s, fails in words, and leaves no rejection unhandled", async (_, service, reason) => {
    const report = await checkService(untyped(service), { seed, numRuns: 1, timeout: 1 });
    expect(report.passed).toBe(false);
    const failed = report.laws.filter(({ outcome }) => outcome === "failed");
    for (const each of failed) expect(each.reason).toMatch(reason);
    await setImmediate();
    expect(unhandled).toEqual([]);
  });
});

describe("a service that has only", () => {
  test.each<[(keyof Methods)[], string[]]>([
    [["dispatch"], [...ON_PLAIN_CALLS, ...ON_TEXT]],
    [
      ["dispatchJson"],
      [...ON_FROZEN, ...ON_VALUES, ...ON_PLAIN_CALLS, "dispatchJson and dispatch agree"],
    ],
    [["dispatch", "dispatchJson"], ON_PLAIN_CALLS],
    [
      ["searchFiles"],
      [...ON_REQUESTS, ...ON_BATCHES, "what is not the id of a Batch is error 308"],
    ],
    [["getBatchContacts"], ON_REQUESTS],
    [["searchFiles", "getBatchContacts"], ON_REQUESTS],
    [["searchFiles", "dispatch"], ON_TEXT],
  ])("%j is asked by these, and laws that need more are not applicable", async (names, lacking) => {
    const report = await checkService(only(...names), options);
    expectPassed(report);
    expect(namesOf(report, "not applicable")).toEqual(
      inOrder(...lacking, ...AFTER_UPDATES, ...ON_COUNTS),
    );
  });

  test.each<(keyof Methods)[]>([["dispatch"], ["dispatchJson"], ["searchFiles", "dispatchJson"]])(
    "%s and %s, as it is, is asked about its own records",
    async (...names) => {
      const service = only(...names)(someData);
      expectPassed(await checkService(service, { ...options, batchIds: [7] }));
    },
  );

  test("dispatch is caught where the operation behind it is wrong", async () => {
    const make = (data: CheckedData): CheckedService => {
      const { dispatch } = methodsOf(data);
      return {
        dispatch: (request: unknown) =>
          withResult(dispatch(request), (result: unknown) =>
            Array.isArray(result) ? result.toReversed() : result,
          ),
      };
    };
    expect(namesOf(await checkService(make, { ...options, shrink: false }), "failed")).toContain(
      "sorting orders: null first, numbers by number, text by code point",
    );
  });

  test("no method at all fails, and the reason names the methods", async () => {
    const report = await checkService({}, options);
    expect(report.laws[0]?.reason).toBe(
      "the service has none of searchFiles, getBatchContacts, dispatch, dispatchJson",
    );
    expect(namesOf(report, "failed")).toHaveLength(laws.length);
  });

  test("getBatchContacts, without a Batch to ask about, fails and says what to name", async () => {
    const { getBatchContacts } = methodsOf(someData);
    const report = await checkService({ getBatchContacts }, options);
    expect(report.passed).toBe(false);
    expect(report.laws[0]?.reason).toContain("name Batches of the service in batchIds");
  });

  test("Files to ask about leaves out the laws of Batches", async () => {
    const report = await checkService(createService(someData), options);
    expectPassed(report);
    expect(namesOf(report, "not applicable")).toEqual(
      inOrder(...ON_DATA_OF_ITS_OWN, ...ON_BATCHES, ...AFTER_UPDATES),
    );
  });
});

describe("a service that is right in another way than tercet keeps the laws:", () => {
  /** The Lists in another order at each call. */
  const turned = (result: unknown, isTurned: boolean): unknown =>
    Array.isArray(result) || typeof result !== "object" || result === null || !isTurned
      ? result
      : Object.fromEntries(Object.entries(result).reverse());

  test("its Lists come in any order of keys", async () => {
    const make = (data: CheckedData): CheckedService => {
      const service = methodsOf(data);
      let calls = 0;
      const dispatch = (request: unknown) =>
        withResult(service.dispatch(request), (result) => turned(result, calls++ % 2 === 0));
      return {
        searchFiles: service.searchFiles,
        getBatchContacts: (...page: Parameters<Service["getBatchContacts"]>) =>
          turned(service.getBatchContacts(...page), calls++ % 2 === 0),
        dispatch,
        dispatchJson: (text) => {
          try {
            if (/\d{16}/.test(text)) return service.dispatchJson(text); // digits would be lost
            const answer = dispatch(JSON.parse(text));
            return answer === undefined ? "" : JSON.stringify(answer);
          } catch {
            return service.dispatchJson(text);
          }
        },
        update: service.update,
      };
    };
    expectPassed(await checkService(make, { seed, numRuns: 8 }));
  });
});

describe("options", () => {
  test.each<[object, string]>([
    [{ numRun: 5 }, 'options: has no member "numRun"; use numRuns, seed, path, shrink, apiKey, '],
    [{ batchIDs: [7] }, 'options: has no member "batchIDs"'],
    [{ numRuns: "5" }, "options.numRuns: must be a positive integer"],
    [{ numRuns: 0 }, "options.numRuns: must be a positive integer"],
    [{ seed: "1" }, "options.seed: must be an integer"],
    [{ path: 1 }, "options.path: must be a string"],
    [{ shrink: "no" }, "options.shrink: must be true or false"],
    [{ apiKey: null }, "options.apiKey: must be a string"],
    [{ batchIds: 7 }, "options.batchIds: must be an array of Batch ids"],
    [{ json: 1 }, "options.json: must be true or false"],
    [{ operations: [] }, 'options.operations: must be an array of some of "searchFiles", '],
    [{ operations: ["countFiles"] }, "options.operations: must be an array of some of"],
    [{ timeout: 0 }, "options.timeout: must be a positive number of milliseconds"],
    [{ timeout: "5" }, "options.timeout: must be a positive number of milliseconds"],
    [{ signal: {} }, "options.signal: must be an AbortSignal"],
    [[], "options: must be an object"],
  ])("%j are refused", async (given, message) => {
    const [law] = laws;
    for (const run of [checkService, law?.report, law?.check]) {
      await expect(run?.(createService, given)).rejects.toThrow(message);
    }
  });

  test.each<[object, string]>([
    [{ law: "no such law" }, 'options.law: there is no law "no such law"'],
    [{ law: ["AND is commutative"] }, "options.law: must be a string"],
    [{ onLaw: {} }, "options.onLaw: must be a function"],
    [{ path: "1" }, "options.path: is a path of one law; name that in options.law"],
  ])("%j are refused where all laws are checked", async (given, message) => {
    const refused: unknown = await checkService(createService, given).catch(
      (thrown: unknown) => thrown,
    );
    expect(refused).toBeInstanceOf(InputError);
    expect(refused).toHaveProperty("message", message);
  });
});
