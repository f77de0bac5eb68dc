// Live queries of the service: a method's answer, given again whenever a change alters it.

import type { Data } from "../database/data.ts";
import { copyOfAsked } from "../database/live-queries.ts";
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
  const parameters = reading("parameters", (): readonly unknown[] => {
    if (Array.isArray(givenParameters)) {
      return copyOfAsked<readonly unknown[]>(givenParameters, "parameters");
    }
    throw new InputError("parameters", `must be an array, not ${describe(givenParameters)}`);
  });
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
  return data.watch(asked, first);
}
