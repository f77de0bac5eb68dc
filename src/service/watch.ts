// Live queries of the service: a method's answer, given again whenever a change alters it.

import type { Data } from "../database/data.ts";
import { LiveQuery } from "../database/live-queries.ts";
import type { CriteriaOptions } from "../criteria/parse.ts";
import { describe, InputError } from "../schema/errors.ts";
import { reading } from "../schema/input.ts";
import { callable, optional } from "../schema/options.ts";
import { ServiceError } from "./errors.ts";
import { methods, parseMethod } from "./methods.ts";
import type { MethodName } from "./request.ts";

/** Answers a method from the state of the moment, or throws a ServiceError. */
export type Ask = (method: MethodName, parameters: readonly unknown[]) => unknown;

/** @returns a function that ends it */
export function watch(
  data: Data,
  ask: Ask,
  options: Required<CriteriaOptions>,
  [givenMethod, givenParameters, givenListener, givenOnError]: readonly unknown[],
): () => void {
  const method = parseMethod(givenMethod);
  const parameters = reading("parameters", () => {
    if (Array.isArray(givenParameters)) return copy(givenParameters, DEPTH);
    throw new InputError("parameters", `must be an array, not ${describe(givenParameters)}`);
  }) as readonly unknown[];
  const listener = callable(givenListener, "listener");
  const onError = optional(callable)(givenOnError, "onError");
  const first = ask(method, parameters);
  const row = methods[method];
  const asked = {
    source: row.watched(parameters),
    criteria: parameters[row.parameters.length],
    options,
    ask: () => ask(method, parameters),
    listener,
    onError,
    isRefusal: (thrown: unknown) => thrown instanceof ServiceError,
  };
  const stop = data.watch(new LiveQuery(asked, first));
  data.call(() => listener(first));
  return stop;
}

/** Parameters hold criteria, each of which holds lists of values. */
const DEPTH = 4;

/** A copy of an array, and of the arrays within it: what the caller changes later changes nothing. */
function copy(value: unknown, depth: number): unknown {
  if (depth === 0 || !Array.isArray(value)) return value;
  return Array.from(value, (each) => copy(each, depth - 1));
}
