// The laws of the request and response envelope (rules E1 to E8, E10 and E11).

import * as fc from "fast-check";
import { hostileValue } from "../arbitraries/hostile.ts";
import { HALVES } from "../arbitraries/invalid-criteria.ts";
import { invalidRequest, request, validRequest } from "../arbitraries/request.ts";
import { text } from "../arbitraries/values.ts";
import { isOperation, PARAMETERS, type Operation } from "../operations.ts";
import { expect } from "./compare.ts";
import { requestDataOf, several } from "./generate.ts";
import { defineLaw, type Circumstances, type DefinedLaw } from "./law.ts";
import { membersOf, type Members } from "./members.ts";
import {
  codeIn,
  expectResponses,
  expectResponse,
  isId,
  outcomeOf,
  responseText,
  resultText,
  said,
} from "./response.ts";
import type { Subject } from "./subject.ts";
import type { Setting } from "./setting.ts";

const oneRequest = (setting: Setting, circumstances: Circumstances) =>
  fc.record({ request: request(requestDataOf(setting, circumstances)) });

interface PlainCall {
  readonly operation: Operation;
  readonly parameters: readonly unknown[];
}

/** The request as a plain call, if it calls one of these operations with a valid key. */
function plainCall(given: unknown, service: Subject, apiKey: string): PlainCall | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { id, method, params }: Members = { ...given };
  if (!isId(id) || !Array.isArray(params) || params[0] !== apiKey) return undefined;
  if (!isOperation(method) || !service.takesCalls(method)) return undefined;
  return { operation: method, parameters: params.slice(1) };
}

/** Requests that are valid except for one value, which some parsers accept as JSON. */
const NO_JSON = [
  "NaN",
  "-Infinity",
  "undefined",
  "01",
  "1.",
  "+1",
  "[1,]",
  "'a'",
  "1/**/",
  '"\t"',
].map((value) => `{"id":1,"method":"searchFiles","params":["key",null,${value}]}`);

/** Requires the request to be answered, with the id that is sent. */
async function expectSentId(
  service: Subject,
  id: string,
  { method, params }: { readonly method: unknown; readonly params: unknown },
): Promise<void> {
  const response = await service.dispatch({ id, method, params });
  const found = codeIn(response);
  expect(
    response.id === id && found === undefined,
    () => `expected id ${JSON.stringify(id)}, got ${JSON.stringify(response.id)}, ${said(found)}`,
  );
}

function expectNoRequest(response: Members): void {
  const found = codeIn(response);
  expect(
    found === 310 && response.id === null,
    () =>
      `expected error 310 with id null, got ${said(found)} with id ${JSON.stringify(response.id)}`,
  );
}

/** Integers that a double can't represent. */
const longInteger = (): fc.Arbitrary<bigint> =>
  fc
    .oneof(
      fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
      fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
    )
    .filter((integer) => String(Number(integer)) !== String(integer));

/** The digits of the id in the text of a response, which JSON.parse may round. */
function integerIdIn(text: string): unknown {
  const inQuotes = text.replace(/"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g, (all) =>
    all.startsWith('"') ? all : `"${all}"`,
  );
  return membersOf(JSON.parse(inQuotes), "the response").id;
}

export const envelopeLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "a response has the request's id, and a result or an error",
    rules: ["E1", "E2", "E3", "E5"],
    needs: ["dispatch"],
    generate: oneRequest,
    async holds({ service }, { request: given }) {
      const response = await service.dispatch(given);
      const id: unknown =
        typeof given === "object" && given !== null ? ({ ...given } as Members).id : null;
      const expected = isId(id) ? id : null;
      expect(
        response.id === expected,
        () => `id: expected ${JSON.stringify(expected)}, got ${JSON.stringify(response.id)}`,
      );
    },
  }),
  defineLaw({
    name: "an id that is a string is answered as it was sent",
    rules: ["E3"],
    needs: ["dispatch"],
    generate: (setting, circumstances) =>
      fc.record({ id: text(), request: validRequest(requestDataOf(setting, circumstances)) }),
    holds: ({ service }, { id, request }) => expectSentId(service, id, request),
  }),
  defineLaw({
    name: "half a character in an id is answered as it was sent",
    rules: ["E3"],
    needs: ["dispatch"],
    generate: (setting, circumstances) =>
      fc.record({
        id: fc.constantFrom(...HALVES),
        request: validRequest(requestDataOf(setting, circumstances)),
      }),
    holds: ({ service }, { id, request }) => expectSentId(service, id, request),
  }),
  defineLaw({
    name: "an id that is an integer is answered digit for digit, however large",
    rules: ["E3"],
    needs: ["dispatchJson"],
    generate: (setting, circumstances) =>
      fc.record({
        id: longInteger(),
        isJsonRpc: fc.boolean(),
        request: validRequest(requestDataOf(setting, circumstances)),
      }),
    async holds({ service }, { id, isJsonRpc, request: { method, params } }) {
      const others = { ...(isJsonRpc && { jsonrpc: "2.0" }), method, params };
      const sent = `{"id":${id},${JSON.stringify(others).slice(1)}`;
      const text = String(await service.dispatchJson(sent));
      const found = integerIdIn(text);
      expect(found === String(id), () => `expected id ${id}, got ${String(found)}`);
    },
  }),
  defineLaw({
    name: "an id that is neither an integer nor a string is answered by null: error 310",
    rules: ["E3"],
    needs: ["dispatch"],
    generate: (setting, circumstances) =>
      fc.record({
        ids: several(fc.constantFrom<unknown[]>(true, false, null, 1.5, [], [1], {})),
        request: validRequest(requestDataOf(setting, circumstances)),
      }),
    async holds({ service }, { ids, request: { method, params } }) {
      for (const id of ids) {
        expectNoRequest(await service.dispatch({ id, method, params }));
      }
    },
  }),
  defineLaw({
    name: "whatever dispatch is given, it answers with a response",
    rules: ["E1", "E11"],
    needs: ["dispatch"],
    generate: (_, { json }) => {
      const hostile = hostileValue({ json });
      const params = fc.array(hostile, { minLength: 1, maxLength: 6 });
      const members = fc.record({ id: hostile, method: hostile, params: hostile });
      return fc.record({
        requests: fc.array(fc.oneof(hostile, params, members), { minLength: 1 }),
      });
    },
    async holds({ service, setting: { operation, subject } }, { requests }, { apiKey }) {
      for (const each of requests) {
        if (Array.isArray(each)) {
          const params = [apiKey, ...subject, ...each.map(({ make }) => make())];
          await service.dispatch({ id: 1, method: operation, params });
        } else if ("make" in each) {
          expectResponses(await service.send(each.make())); // an array is a batch
        } else {
          const { id, method, params } = each;
          await service.dispatch({ id: id.make(), method: method.make(), params: params.make() });
        }
      }
    },
  }),
  defineLaw({
    name: "of several failures the first in the order of checks is the answer",
    rules: ["E4", "E5", "E6", "E7", "E8"],
    needs: ["dispatch"],
    generate: (...given) => several(invalidRequest(requestDataOf(...given))),
    async holds({ service }, requests) {
      for (const { request: given, code } of requests) {
        const found = codeIn(await service.dispatch(given));
        expect(found === code, () => `expected error ${code}, got ${said(found)}`);
      }
    },
  }),
  defineLaw({
    name: "a key that is empty, or no text, is error 300",
    rules: ["E8"],
    needs: ["dispatch"],
    generate: (setting, circumstances) =>
      fc.record({
        request: validRequest(requestDataOf(setting, circumstances)),
        key: fc.constantFrom<unknown[]>("", null, 0, 1, true, {}, [circumstances.apiKey]),
      }),
    async holds({ service }, { request: { params, ...more }, key }) {
      const found = codeIn(await service.dispatch({ ...more, params: [key, ...params.slice(1)] }));
      expect(found === 300, () => `expected error 300, got ${said(found)}`);
    },
  }),
  defineLaw({
    name: "a request with a parameter too many is error 310",
    rules: ["E7"],
    needs: ["dispatch"],
    generate: (setting, circumstances) =>
      fc.record({
        request: validRequest(requestDataOf(setting, circumstances)),
        more: several(fc.constantFrom<unknown[]>(null, 1, "")),
      }),
    async holds({ service }, { request: { params, ...others }, more }) {
      const most = PARAMETERS[others.method].length;
      const all = [...params, ...Array.from({ length: most - params.length }, () => null)];
      const found = codeIn(await service.dispatch({ ...others, params: [...all, ...more] }));
      expect(found === 310, () => `expected error 310, got ${said(found)}`);
    },
  }),
  defineLaw({
    name: "dispatch and the plain call agree",
    rules: ["E10"],
    needs: ["dispatch", "an operation as a plain call"],
    generate: (...given) => several(request(requestDataOf(...given))),
    async holds({ service }, requests, { apiKey }) {
      for (const given of requests) {
        const call = plainCall(given, service, apiKey);
        if (call === undefined) continue;
        const response = await service.dispatch(given);
        const { code, result } = await outcomeOf(service.call(call.operation, call.parameters));
        const found = codeIn(response);
        expect(code === found, () => `dispatch gives ${said(found)}, the call ${said(code)}`);
        if (code !== undefined) continue;
        const [a, b] = [resultText(response.result), resultText(result)];
        expect(a === b, () => `dispatch gives ${a}, the call ${b}`);
      }
    },
  }),
  defineLaw({
    name: "dispatchJson and dispatch agree",
    rules: ["E1"],
    needs: ["dispatchJson", "dispatch beside dispatchJson"],
    generate: oneRequest,
    async holds({ service }, { request: given }) {
      const text = JSON.stringify(given);
      const expected = responseText(await service.dispatch(JSON.parse(text)));
      const response = await service.dispatchJson(text);
      const found = responseText(expectResponse(JSON.parse(String(response))));
      expect(found === expected, () => `dispatch gives ${expected}, dispatchJson ${found}`);
    },
  }),
  defineLaw({
    name: "text that is not JSON is error 310 with id null",
    rules: ["E1"],
    needs: ["dispatchJson"],
    generate: () =>
      fc.record({ text: fc.constantFrom("", "{", "not JSON", "{'id':1}", ...NO_JSON) }),
    async holds({ service }, { text }) {
      expectNoRequest(expectResponse(JSON.parse(String(await service.dispatchJson(text)))));
    },
  }),
];
