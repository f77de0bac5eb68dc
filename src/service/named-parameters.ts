// Parameters that come by their names, as JSON-RPC 2.0 allows (rule E13).

import { alternatives, quote } from "../schema/errors.ts";
import { ServiceError } from "./errors.ts";
import { methods } from "./methods.ts";
import { pageNames } from "./parameters.ts";
import type { MethodName } from "./request.ts";

export interface NamedParameters {
  readonly values: ReadonlyMap<string, unknown>;
  /** A name that no method's parameter has, if there was one. */
  readonly unknownName: string | undefined;
}

/** The names of the parameters of a method, in their order. */
const namesOf = (method: MethodName): readonly string[] => [
  "api_key",
  ...methods[method].parameters,
  ...pageNames,
];

const all = Object.values(methods);

/** The most parameters that a method has, api key included: what has to be read of a request. */
export const MOST_PARAMETERS =
  1 + Math.max(...all.map(({ parameters }) => parameters.length)) + pageNames.length;

const known = new Set<string>([
  "api_key",
  ...all.flatMap(({ parameters }) => parameters),
  ...pageNames,
]);

/** Whether a parameter of any method has that name. */
export function isParameterName(name: string): boolean {
  return known.has(name);
}

/** The parameters of a method in their order, api key included. */
export function inOrder(
  method: MethodName,
  params: readonly unknown[] | NamedParameters,
): readonly unknown[] {
  if (!("unknownName" in params)) return params;
  return namesOf(method).map((name) => params.values.get(name));
}

/** Refuses parameters that came by names which the method's parameters do not have. */
export function checkNames(method: MethodName, params: readonly unknown[] | NamedParameters): void {
  if (!("unknownName" in params)) return;
  const names = namesOf(method);
  const name = [...params.values.keys()].find((each) => !names.includes(each));
  const unknownName = name ?? params.unknownName;
  if (unknownName === undefined) return;
  const reason = `has no member ${quote(unknownName)}; use ${alternatives(names)}`;
  throw new ServiceError(310, `params: ${reason}`);
}
