// How laws read errors and responses, which may be anything: what they must look like is checked.

import { expect } from "./compare.ts";
import { membersOf, type CheckedService, type Members } from "./subject.ts";

const ERROR_NAMES: ReadonlyMap<number, string> = new Map([
  [100, "Internal Server Error"],
  [104, "Method Not Found"],
  [107, "Invalid Method Name"],
  [300, "Authorisation Failed - Invalid Login"],
  [308, "Unable to Load Batch"],
  [310, "Invalid Method Parameters"],
  [311, "Invalid Search Parameter Format"],
]);

const isCode = (code: unknown): code is number => typeof code === "number" && ERROR_NAMES.has(code);

/** The code of the error that a plain call throws; what carries no such code is thrown on. */
export function codeThrownBy(call: () => unknown): number | undefined {
  try {
    call();
  } catch (thrown) {
    const { code } = membersOf(thrown, "what is thrown");
    if (isCode(code)) return code;
    throw thrown;
  }
  return undefined;
}

export function expectCode(what: string, call: () => unknown, code: number): void {
  const thrown = codeThrownBy(call);
  expect(thrown === code, () => `${what}: expected error ${code}, got ${said(thrown)}`);
}

export const said = (code: unknown) =>
  code === undefined ? "a result" : `error ${JSON.stringify(code)}`;

/** The answer to a request: an object with the three members in their order (E1, E2). */
export function dispatch(service: CheckedService, given: unknown): Members {
  if (service.dispatch === undefined) throw new Error("there is no dispatch");
  const response: unknown = Reflect.apply(service.dispatch, service, [given]);
  return expectResponse(response);
}

export function expectResponse(given: unknown): Members {
  const response = membersOf(given, "the response");
  const members = Object.keys(response).join(", ");
  expect(members === "id, result, error", () => `a response has ${members}`);
  if (response.error === null) {
    expect(response.result !== null, () => "neither a result nor an error");
    expect(Number.isInteger(response.id), () => "a result without an id");
    return response;
  }
  const { code, message, data } = membersOf(response.error, "the error");
  expect(response.result === null, () => "both a result and an error");
  expect(isCode(code), () => `there is no error ${JSON.stringify(code)}`);
  expect(
    message === ERROR_NAMES.get(code),
    () => `error ${JSON.stringify(code)}: ${JSON.stringify(message)}`,
  );
  expect(typeof data === "string", () => "the reason is no text");
  return response;
}

/** The code in a response; `undefined` where it has a result. */
export function codeIn({ error }: Members): unknown {
  return error === null ? undefined : membersOf(error, "the error").code;
}
