// The laws of JSON-RPC 2.0 (rule E13): https://www.jsonrpc.org/specification

import * as fc from "fast-check";
import { request, validRequest } from "../arbitraries/request.ts";
import { PARAMETERS } from "../operations.ts";
import { jsonRpcError } from "../reference.ts";
import { expect } from "./compare.ts";
import { requestDataOf } from "./generate.ts";
import { defineLaw, type Circumstances, type DefinedLaw } from "./law.ts";
import { membersOf, type Members } from "./members.ts";
import { errorIn, isId, resultText } from "./response.ts";
import type { Subject } from "./subject.ts";
import type { Setting } from "./setting.ts";

/** A JSON-RPC response as JSON, without the reason of an error, whose wording is unspecified. */
function rpcText(response: unknown): string {
  const { jsonrpc, id, error, ...more } = membersOf(response, "the answer");
  expect(jsonrpc === "2.0", () => `jsonrpc is ${fc.stringify(jsonrpc)}`);
  const isError = error !== undefined;
  expect(isError !== "result" in more, () => "not exactly one of result and error");
  const said = isError
    ? `error ${fc.stringify(membersOf(error, "the error").code)}`
    : `result ${resultText(more.result)}`;
  return `id ${fc.stringify(id)}, ${said}`;
}

/** The JSON-RPC response that corresponds to a response in the contract's form. */
function expectedText(response: Members): string {
  const code = errorIn(response)?.code;
  const id = fc.stringify(response.id);
  if (code === undefined) return `id ${id}, result ${resultText(response.result)}`;
  return `id ${id}, error ${fc.stringify(jsonRpcError(code, true).code)}`;
}

function expectText(what: string, found: string, expected: string): void {
  expect(found === expected, () => `${what}: expected ${expected}, got ${found}`);
}

/** The common part of envelopes and JSON-RPC: an id, and a list of parameters. */
function isCommon(given: unknown): given is Members {
  return typeof given === "object" && given !== null && "id" in given && "params" in given
    ? isId(given.id) && Array.isArray(given.params)
    : false;
}

const valid = (setting: Setting, circumstances: Circumstances) =>
  validRequest(requestDataOf(setting, circumstances));

/** The JSON of each response in an array, whose order is unspecified. */
async function textsOf(service: Subject, requests: readonly unknown[]): Promise<string[]> {
  const response = await service.send(requests);
  const responses: readonly unknown[] = Array.isArray(response) ? response : [];
  expect(
    Array.isArray(response) || response === undefined,
    () => "a batch has no array of answers",
  );
  return responses.map(rpcText);
}

export const jsonRpcLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "a JSON-RPC request has the answer of the envelope in the form of JSON-RPC",
    rules: ["E13"],
    needs: ["dispatch"],
    generate: (...given) => fc.record({ request: request(requestDataOf(...given)) }),
    async holds({ service }, { request: given }) {
      if (!isCommon(given)) return;
      const expected = expectedText(await service.dispatch(given));
      const found = rpcText(await service.send({ jsonrpc: "2.0", ...given }));
      expectText("by JSON-RPC", found, expected);
    },
  }),
  defineLaw({
    name: "JSON-RPC parameters may be named, in any order",
    rules: ["E13"],
    needs: ["dispatch"],
    generate: valid,
    async holds({ service }, given) {
      const expected = expectedText(await service.dispatch(given));
      const named = given.params.map(
        (value, i) => [PARAMETERS[given.method][i] ?? "", value] as const,
      );
      const params = Object.fromEntries(named.reverse());
      const found = rpcText(await service.send({ jsonrpc: "2.0", ...given, params }));
      expectText("by name", found, expected);
    },
  }),
  defineLaw({
    name: "a JSON-RPC notification gets no answer",
    rules: ["E13"],
    needs: ["dispatch"],
    generate: valid,
    async holds({ service }, { method, params }) {
      const response = await service.send({ jsonrpc: "2.0", method, params });
      expect(response === undefined, () => `the answer is ${fc.stringify(response)}`);
    },
  }),
  defineLaw({
    name: "a JSON-RPC request whose id is null is answered with id null",
    rules: ["E13"],
    needs: ["dispatch"],
    generate: valid,
    async holds({ service }, given) {
      const expected = rpcText(await service.send({ jsonrpc: "2.0", ...given }));
      const found = rpcText(await service.send({ jsonrpc: "2.0", ...given, id: null }));
      expectText("by id null", found, expected.replace(fc.stringify(given.id), "null"));
    },
  }),
  defineLaw({
    name: "a JSON-RPC parameter that the method does not have is an error after that of the key, and before all others",
    rules: ["E13"],
    needs: ["dispatch"],
    generate: (setting, circumstances) =>
      fc.record({
        request: valid(setting, circumstances),
        name: fc.constantFrom("limits", "Limit", "0", "", "__proto__", "constructor", "toString"),
        bad: fc.option(fc.constantFrom("api_key", "search_criteria", "limit", "sort_by")),
      }),
    async holds({ service }, { request: { id, method, params }, name, bad }) {
      const named = params.map((value, i) => [PARAMETERS[method][i] ?? "", value] as const);
      const faults = bad === null ? [] : [[bad, true] as const];
      // Own members, even if the name is `__proto__`.
      const given = Object.fromEntries<unknown>([...named, ...faults, [name, 1]]);
      const found = rpcText(await service.send({ jsonrpc: "2.0", id, method, params: given }));
      const code = bad === "api_key" ? 300 : 310;
      const expected = `id ${fc.stringify(id)}, error ${fc.stringify(jsonRpcError(code, true).code)}`;
      expectText("by an unknown name", found, expected);
    },
  }),
  defineLaw({
    name: "a JSON-RPC batch has the answers of its members, and none for notifications",
    rules: ["E13"],
    needs: ["dispatch"],
    generate: (...given) =>
      fc.array(fc.record({ request: valid(...given), isNotification: fc.boolean() }), {
        minLength: 1,
        maxLength: 4,
      }),
    async holds({ service }, members) {
      const requests = members.map(({ request: { id, ...more }, isNotification }, i) =>
        isNotification
          ? { jsonrpc: "2.0", ...more }
          : { jsonrpc: "2.0", id: `${id} ${i}`, ...more },
      );
      const expected: string[] = [];
      for (const each of requests) {
        if ("id" in each) expected.push(rpcText(await service.send(each)));
      }
      const found = await textsOf(service, requests);
      expectText("the batch", found.toSorted().join("; "), expected.toSorted().join("; "));
    },
  }),
];
