// The methods of the service, one row each. Calls by name and live queries use the row.

import { forEachSelected, pageOf } from "../engine/execution/page.ts";
import { explain } from "../engine/explain/explain.ts";
import { observed } from "../engine/observer.ts";
import type { Snapshot } from "../engine/versions/snapshot.ts";
import type { ParsedQuery } from "../engine/query.ts";
import { alternatives, describe, orUndefined, quote } from "../schema/errors.ts";
import { batchSource } from "./batches-member.ts";
import { LIST } from "./lists.ts";
import { ServiceError } from "./errors.ts";
import { checkRows } from "./options.ts";
import { noBatch, pageNames, parsePage, readBatchId, type CallContext } from "./parameters.ts";
import type { ContactRecord } from "./contact.ts";
import type { FileRecord } from "./file.ts";
import type { BatchContacts, MethodCalls, MethodName, ResultOf } from "./request.ts";
import type { ServiceState } from "./state.ts";

/** What a request asks. */
interface Asked {
  readonly snapshot: Snapshot;
  readonly query: ParsedQuery;
  /** The ids of the Lists that the result has. */
  readonly lists: Iterable<string>;
}

interface Method<Name extends MethodName> {
  /** The names of its parameters, in order, without the api key. */
  readonly parameters: readonly string[];
  /**
   * Reads the parameters.
   *
   * @param parameters unchecked, possibly too many
   * @throws ServiceError if one is not valid, or refers to something that does not exist
   */
  readonly read: (
    state: ServiceState,
    parameters: readonly unknown[],
    context: CallContext,
  ) => Asked;
  /** Runs the method. Returns the result and its number of records. @throws DeadlineError */
  readonly answer: (asked: Asked) => { readonly result: ResultOf<Name>; readonly rows: number };
  /** The name of its collection in live queries. */
  readonly watched: (parameters: readonly unknown[]) => string;
}

export const methods: { readonly [Name in MethodName]: Method<Name> } = {
  searchFiles: {
    parameters: pageNames,
    read: ({ files }, parameters, context) => {
      const query = parsePage(files.schema, parameters, 0, context);
      return { snapshot: files.state.snapshot, query, lists: [] };
    },
    answer: ({ snapshot, query }) => {
      // The snapshot of a collection of Files contains only Files.
      const result = pageOf(snapshot, query) as FileRecord[];
      return { result, rows: result.length };
    },
    watched: () => "files",
  },
  getBatchContacts: {
    parameters: ["batch_id", ...pageNames],
    read: ({ batches }, parameters, context) => {
      const id = readBatchId(parameters[0]);
      const batch = batches.get(id);
      if (batch === undefined) throw noBatch(id);
      const { contacts, lists } = batch;
      const query = parsePage(contacts.schema, parameters, 1, context);
      return { snapshot: contacts.state.snapshot, query, lists };
    },
    answer: recordsByList,
    watched: ([batchId]) => batchSource(readBatchId(batchId)),
  },
};

/** The records of the page by List id, each List's in the order of the page. Every List has its key. */
function recordsByList({ snapshot, query, lists }: Asked) {
  const groups: BatchContacts = {};
  for (const id of lists) groups[id] = [];
  let rows = 0;
  let last: string | null = null;
  let group: ContactRecord[] = [];
  forEachSelected(snapshot, query, LIST, (record, list) => {
    rows++;
    // Usually the same as that of the previous record.
    if (list !== last) {
      last = list;
      group = groups[list ?? ""] ?? [];
    }
    // The snapshot of a Batch contains only its Contacts.
    group.push(record as ContactRecord);
  });
  return { result: groups, rows };
}

const methodNames = Object.keys(methods) as MethodName[];

/**
 * The result of a method.
 *
 * @param parameters without the api key
 * @throws ServiceError if one is not valid, or if the result has too many records; DeadlineError
 */
export function answer<Name extends MethodName>(
  name: Name,
  parameters: readonly unknown[],
  state: ServiceState,
  context: CallContext,
): ResultOf<Name> {
  const { options } = context;
  const { observer } = options;
  const { answer, read, watched } = methods[name];
  const run = () => answer(read(state, parameters, context));
  const { result, rows } =
    observer === undefined
      ? run()
      : observed(observer, {
          collection: orUndefined(() => watched(parameters)),
          query: { method: name, parameters },
          run,
          rowsOf: ({ rows }) => rows,
          plan: () => {
            const { snapshot, query } = read(state, parameters, context);
            return explain(snapshot, query, false);
          },
        });
  checkRows(rows, options.maxRows);
  return result;
}

/** The methods as functions, which return the result of `call`. */
export function callsBy<When extends "now" | "later">(
  call: (name: MethodName, parameters: readonly unknown[]) => unknown,
): MethodCalls<When> {
  const calls: Partial<Record<MethodName, (...parameters: unknown[]) => unknown>> = {};
  for (const name of methodNames) calls[name] = (...parameters) => call(name, parameters);
  // One for each method, with the types in `MethodCalls`.
  return calls as MethodCalls<When>;
}

/** The method named in a request (rule E4). */
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

/** Inherited names such as `constructor` are not methods (rule E11). */
function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

/** The names of a method's parameters, in order, and the api key before them. */
const namesOf = (method: MethodName): readonly string[] => [
  "api_key",
  ...methods[method].parameters,
];

/** The maximum number of parameters, including the api key; further ones are not read. */
export const MOST_PARAMETERS = Math.max(...methodNames.map((name) => namesOf(name).length));

const known = new Set(methodNames.flatMap(namesOf));

/** Whether any method has a parameter of this name. */
export const isParameterName = (name: string): boolean => known.has(name);

/** Named parameters, which JSON-RPC 2.0 allows (rule E13). */
export interface NamedParameters {
  readonly values: ReadonlyMap<string, unknown>;
  /** A name that no parameter of any method has, if there was one. */
  readonly unknownName: string | undefined;
}

/** A method, and its parameters as they were sent. */
interface Called {
  readonly method: MethodName;
  readonly params: readonly unknown[] | NamedParameters;
}

/** The api key of a call: the first of its parameters. */
export function apiKeyOf(params: Called["params"]): unknown {
  return "unknownName" in params ? params.values.get("api_key") : params[0];
}

/**
 * The parameters of a call, without the api key.
 *
 * @throws ServiceError 310 if it names a parameter that the operation does not have
 */
export function parametersOf({ method, params }: Called): readonly unknown[] {
  if (!("unknownName" in params)) return params.slice(1);
  const names = namesOf(method);
  const name = [...params.values.keys()].find((each) => !names.includes(each));
  const unknown = name ?? params.unknownName;
  if (unknown !== undefined) {
    const reason = `has no member ${quote(unknown)}; use ${alternatives(names)}`;
    throw new ServiceError(310, `params: ${reason}`);
  }
  return methods[method].parameters.map((each) => params.values.get(each));
}
