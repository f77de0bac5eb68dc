// The methods of the service, a row each. What asks one, by name or as a live query, reads the row.

import { alternatives, describe, quote } from "../schema/errors.ts";
import { sourceOf } from "./batches-group.ts";
import { ServiceError } from "./errors.ts";
import { checkRows } from "./limits.ts";
import { noBatch, parsePage, readBatchId, type CallContext } from "./parameters.ts";
import type { MethodCalls, MethodName, ResultOf } from "./request.ts";
import { recordList, recordsByList, type Shape, type Source } from "./shapes.ts";
import type { ServiceState } from "./state.ts";

interface Method {
  /** The names of the parameters that come before those of a page. */
  readonly parameters: readonly string[];
  /**
   * What it answers from.
   *
   * @param parameters all of them, none of which was checked
   * @throws ServiceError where they name what is not there
   */
  readonly source: (state: ServiceState, parameters: readonly unknown[]) => Source;
  readonly shape: Shape;
  /** What live queries call the collection that it asks. */
  readonly watched: (parameters: readonly unknown[]) => string;
}

export const methods: Readonly<Record<MethodName, Method>> = {
  searchFiles: {
    parameters: [],
    source: ({ files }) => ({ records: files, lists: [] }),
    shape: recordList,
    watched: () => "files",
  },
  getBatchContacts: {
    parameters: ["batch_id"],
    source: ({ batches }, [batchId]) => {
      const id = readBatchId(batchId);
      const batch = batches.get(id);
      if (batch === undefined) throw noBatch(id);
      return { records: batch.contacts, lists: batch.lists };
    },
    shape: recordsByList,
    watched: ([batchId]) => sourceOf(readBatchId(batchId)),
  },
};

const methodNames = Object.keys(methods) as MethodName[];

/**
 * What a method gives.
 *
 * @param parameters without the api key
 * @throws ServiceError where one is not valid, or the result has too many records; DeadlineError
 */
export function answer<Name extends MethodName>(
  name: Name,
  parameters: readonly unknown[],
  state: ServiceState,
  context: CallContext,
): ResultOf<Name> {
  const method = methods[name];
  const source = method.source(state, parameters);
  const { schema } = source.records;
  const query = parsePage(schema, parameters, method.parameters.length, context);
  const { result, rows } = method.shape(source, query);
  checkRows(rows, context.options.maxRows);
  // The records of a source are of the type that the result of its method says.
  return result as ResultOf<Name>;
}

/** The methods as functions, each of which asks for what `call` gives. */
export function callsBy<When extends "now" | "later">(
  call: (name: MethodName, parameters: readonly unknown[]) => unknown,
): MethodCalls<When> {
  const calls: Partial<Record<MethodName, (...parameters: unknown[]) => unknown>> = {};
  for (const name of methodNames) calls[name] = (...parameters) => call(name, parameters);
  // One for each method, which are those that `MethodCalls` types.
  return calls as MethodCalls<When>;
}

/** The method that a request names (rule E4). */
export function parseMethod(method: unknown): MethodName {
  if (typeof method !== "string") {
    throw new ServiceError(107, `method: must be a string, not ${describe(method)}`);
  }
  if (isMethodName(method)) return method;
  throw new ServiceError(
    104,
    `method: there is no method ${quote(method)}; use ${alternatives(methodNames)}`,
  );
}

/** Inherited names such as `constructor` are none (rule E11). */
function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}
