// How laws read results, errors and responses. These may be anything, so their form is checked.

import { errorNames, type ErrorCode } from "../../index.ts";
import { lacksResponse } from "./caller.ts";
import { expect } from "./compare.ts";
import { membersOf, type Members } from "./members.ts";

const isCode = (code: unknown): code is ErrorCode =>
  typeof code === "number" && Object.hasOwn(errorNames, code);

/** The outcome of a plain call: the result, or the code of the error that it throws. */
export interface Outcome {
  readonly result?: unknown;
  readonly code?: ErrorCode;
}

/** The outcome of a plain call; rethrows an error without such a code. */
export async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { result: await call };
  } catch (thrown) {
    if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) throw thrown;
    const { code } = thrown;
    if (isCode(code)) return { code };
    throw thrown;
  }
}

/** Makes a call that a collection must refuse with an error of any kind. */
export async function expectRefused(what: string, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (thrown) {
    if (lacksResponse(thrown)) throw thrown;
    return;
  }
  throw new Error(`${what}: expected an error, got a result`);
}

export async function expectCode(
  what: string,
  call: Promise<unknown>,
  code: ErrorCode,
): Promise<void> {
  const found = (await outcomeOf(call)).code;
  expect(found === code, () => `${what}: expected error ${code}, got ${said(found)}`);
}

export const said = (code: unknown) =>
  code === undefined ? "a result" : `error ${JSON.stringify(code)}`;

/** Whether an id is valid, so that a caller can match a response to its request (E3). */
export const isId = (id: unknown): boolean =>
  typeof id === "string" || typeof id === "bigint" || Number.isInteger(id);

/** A response, by the envelope or by JSON-RPC, or an array of them (E13). */
export function expectResponses(given: unknown): void {
  for (const each of Array.isArray(given) ? (given as unknown[]) : [given]) {
    const { jsonrpc, error, ...more } = membersOf(each, "the response");
    if (jsonrpc === undefined) expectResponse(each);
    else expect((error !== undefined) !== "result" in more, () => "both a result and an error");
  }
}

export function expectResponse(given: unknown): Members {
  const response = membersOf(given, "the response");
  const members = Object.keys(response).join(", ");
  expect(members === "id, result, error", () => `a response has ${members}`);
  if (errorIn(response) === undefined) {
    expect(response.result !== null, () => "neither a result nor an error");
    expect(isId(response.id), () => "a result without an id");
  } else {
    expect(response.result === null, () => "both a result and an error");
  }
  return response;
}

/** The error of a response; `undefined` if it has none. */
export function errorIn(
  response: Members,
): { readonly code: ErrorCode; readonly data: string } | undefined {
  if (response.error === null) return undefined;
  const { code, message, data } = membersOf(response.error, "the error");
  expect(isCode(code), () => `there is no error ${JSON.stringify(code)}`);
  expect(message === errorNames[code], () => `error ${code}: ${JSON.stringify(message)}`);
  expect(typeof data === "string", () => "the reason is not a text");
  return { code, data };
}

/** The code in a response; `undefined` if it has a result. */
export function codeIn(response: Members): ErrorCode | undefined {
  return errorIn(response)?.code;
}

/** A result as JSON. Lists are sorted by id, since the order of keys is unspecified (P7). */
export function resultText(result: unknown): string {
  if (typeof result !== "object" || result === null || Array.isArray(result)) {
    return JSON.stringify(result);
  }
  const lists = Object.entries(result).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
  const members = lists.map(([id, list]) => `${JSON.stringify(id)}:${JSON.stringify(list)}`);
  return `{${members.join(",")}}`;
}

/** A response as JSON, ignoring the order of keys where it is unspecified. */
export function responseText(response: Members): string {
  const { id, result } = response;
  const error = errorIn(response) ?? null;
  return `id ${JSON.stringify(id)}, result ${resultText(result)}, error ${JSON.stringify(error)}`;
}
