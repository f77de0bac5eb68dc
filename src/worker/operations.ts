// Changes as data. A page records what its recipe does to a draft; the worker repeats that on the draft of its database.

import { requireCollection } from "../database/relations/questions.ts";
import { describe, InputError } from "../schema/errors.ts";
import { isFunction, isMembers } from "../schema/input.ts";

/** A method of a collection, with its arguments; or patches of the database, which no collection can be called. */
export type Operation =
  | readonly [collection: string, method: string, ...given: readonly unknown[]]
  | readonly ["applyPatches", patches: readonly unknown[]];

const methods = ["insert", "update", "upsert", "remove"] as const;
export type Method = (typeof methods)[number];

const isMethod = (given: unknown): given is Method => methods.some((method) => method === given);

/**
 * Repeats operations on a draft of a database.
 *
 * @param given operations, unchecked
 * @throws InputError, CriteriaError
 */
export function repeat(draft: unknown, given: unknown): void {
  if (!isMembers(draft)) throw new TypeError("there is no draft");
  if (!Array.isArray(given)) throw new InputError("operations", "must be a list");
  const names = Object.keys(draft);
  for (const [i, each] of (given as unknown[]).entries()) {
    const path = `operations[${i}]`;
    if (!Array.isArray(each)) throw new InputError(path, `must be a list, not ${describe(each)}`);
    const [name, method, ...parameters] = each as unknown[];
    if (name === "applyPatches") {
      call(draft, name, [method]);
      continue;
    }
    const known = requireCollection(names, name);
    if (!isMethod(method)) {
      throw new InputError(`${path}[1]`, `must be a method, not ${describe(method)}`);
    }
    Reflect.set(draft, known, call(draft[known], method, parameters));
  }
}

function call(holder: unknown, name: string, given: readonly unknown[]): unknown {
  const method: unknown = Reflect.get(Object(holder) as object, name);
  if (!isFunction(method)) throw new TypeError(`there is no ${name}`);
  return Reflect.apply(method, holder, given);
}
