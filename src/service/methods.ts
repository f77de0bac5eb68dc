// The two operations: their parameters, checked from left to right, and their results.

import type { CollectionSettings } from "../collection/settings.ts";
import type { Deadline } from "../collection/algorithms/deadline.ts";
import {
  parseParameters,
  QueryError,
  UNLIMITED,
  type ParsedQuery,
  type QueryParameter,
} from "../collection/plan/query.ts";
import { CriteriaError } from "../criteria/parse.ts";
import { alternatives, describe, quote } from "../schema/errors.ts";
import { toWireInteger } from "../schema/integer.ts";
import type { Schema } from "../schema/schema.ts";
import { forEachSelected, pageOf } from "../collection/execute/page.ts";
import type { WireRecord } from "../schema/schema.ts";
import type { Batch } from "./batch.ts";
import { LIST } from "./contact-layout.ts";
import type { ContactRecord } from "./contact.ts";
import { ServiceError } from "./errors.ts";
import type { FileRecord } from "./file.ts";
import type { ServiceState } from "./state.ts";

export interface MethodOptions extends CollectionSettings {
  /** What a limit of 0 means (rule E12). */
  readonly zeroLimit: "nothing" | "unlimited";
  /** How many records a result may have (rule E14). */
  readonly maxRows: number;
}

/** What a request may ask, and by when it must be answered. */
export interface Allowance {
  readonly options: MethodOptions;
  readonly deadline: Deadline | undefined;
}

/** What an operation answers from, and by when it must. */
export interface MethodContext extends Allowance {
  readonly state: ServiceState;
}

/** The Contacts of a page by List id; every List of the Batch has its key. */
export type BatchContacts = Record<string, ContactRecord[]>;

/** An operation: its positional parameters, without the api key, to its result. */
type Method<Result> = (context: MethodContext, parameters: readonly unknown[]) => Result;

const searchFiles: Method<FileRecord[]> = (context, parameters) => {
  const { files } = context.state;
  const query = parsePage(files.schema, parameters, context);
  const found = pageOf(files.state.snapshot, query) as FileRecord[];
  checkRows(found.length, context);
  return found;
};

const getBatchContacts: Method<BatchContacts> = (context, parameters) => {
  const [batchId, ...page] = parameters;
  const id = readBatchId(batchId);
  const batch = context.state.batches.get(id);
  if (batch === undefined) throw noBatch(id);
  const query = parsePage(batch.contacts.schema, page, context);
  return groupByList(batch, query, context);
};

/** The operations by name. Each throws a ServiceError where a parameter is not valid. */
export const methods = Object.freeze({ searchFiles, getBatchContacts });

export type MethodName = keyof typeof methods;

export const methodNames: readonly string[] = Object.freeze(Object.keys(methods));

/** Whether it names an operation; inherited names such as `constructor` do not (rule E11). */
export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

const wireNames = {
  criteria: "search_criteria",
  limit: "limit",
  offset: "offset",
  sortBy: "sort_by",
  sortOrder: "sort_order",
} as const satisfies Readonly<Record<QueryParameter, string>>;

const pageNames = Object.values(wireNames);

/** The names of the parameters of each operation, in their order. */
const parameterNames: Readonly<Record<MethodName, readonly string[]>> = {
  searchFiles: ["api_key", ...pageNames],
  getBatchContacts: ["api_key", "batch_id", ...pageNames],
};

/** The most parameters that an operation has, api key included: what has to be read of a request. */
export const MOST_PARAMETERS = 2 + pageNames.length;

/** Whether a parameter of any operation has that name. */
export function isParameterName(name: string): boolean {
  return parameterNames.getBatchContacts.includes(name);
}

/** Parameters that came by name. */
export interface NamedParameters {
  readonly values: ReadonlyMap<string, unknown>;
  /** A name that no operation's parameter has, if there was one. */
  readonly unknownName: string | undefined;
}

/** The parameters of an operation in their order, api key included. */
export function inOrder(
  method: MethodName,
  params: readonly unknown[] | NamedParameters,
): readonly unknown[] {
  if (!("unknownName" in params)) return params;
  return parameterNames[method].map((name) => params.values.get(name));
}
/** Refuses parameters that came by names which the operation's parameters do not have. */
export function checkNames(method: MethodName, params: readonly unknown[] | NamedParameters): void {
  if (!("unknownName" in params)) return;
  const known = parameterNames[method];
  const name = [...params.values.keys()].find((each) => !known.includes(each));
  const unknownName = name ?? params.unknownName;
  if (unknownName === undefined) return;
  const reason = `has no member ${quote(unknownName)}; use ${alternatives(known)}`;
  throw new ServiceError(310, `params: ${reason}`);
}

/** Checks the parameters that both operations share (rules C8, P6, E7). */
export function parsePage(
  schema: Schema,
  parameters: readonly unknown[],
  { options, deadline }: Allowance,
): ParsedQuery {
  try {
    const [criteria, limit, offset, sortBy, sortOrder] = parameters;
    const query = parseParameters(schema, options, criteria, limit, offset, sortBy, sortOrder);
    deadline?.check();
    if (parameters.length > pageNames.length) {
      throw new ServiceError(310, "there are more parameters than the method has");
    }
    const isUnlimited = options.zeroLimit === "unlimited" && query.limit === 0;
    // One record more than the result may have is enough to see that it has too many.
    const asked = isUnlimited ? UNLIMITED : query.limit;
    const { criteria: parsed, sort, offset: skipped } = query;
    const most = Math.min(asked, options.maxRows + 1);
    return { criteria: parsed, sort, offset: skipped, limit: most, deadline };
  } catch (error) {
    if (error instanceof CriteriaError) throw new ServiceError(311, error.message);
    if (error instanceof QueryError) {
      const name = error.parameter === null ? "parameters" : wireNames[error.parameter];
      throw new ServiceError(310, `${name}: ${error.reason}`);
    }
    throw error;
  }
}

/** @throws ServiceError 308 where it can't be one (rule E6) */
export function readBatchId(batchId: unknown): string {
  const id = typeof batchId === "bigint" ? undefined : toWireInteger(batchId);
  if (id !== undefined) return id;
  throw new ServiceError(
    308,
    `batch_id: must be an integer or its canonical decimal string, not ${describe(batchId)}`,
  );
}

export function noBatch(id: string): ServiceError {
  return new ServiceError(308, `batch_id: there is no Batch ${id}`);
}

/** Groups the records of a page, in its order, by their Lists. */
function groupByList(
  { contacts, lists }: Batch,
  query: ParsedQuery,
  context: MethodContext,
): BatchContacts {
  const groups: Record<string, WireRecord[]> = {};
  for (const id of lists) groups[id] = [];
  let rows = 0;
  let last: string | null = null;
  let group: WireRecord[] = [];
  forEachSelected(contacts.state.snapshot, query, LIST, (record, list) => {
    rows++;
    // Most often that of the record before.
    if (list !== last) {
      last = list;
      group = groups[list ?? ""] ?? [];
    }
    group.push(record);
  });
  checkRows(rows, context);
  return groups as BatchContacts;
}

/** @throws ServiceError 310 where a result has more records than it may */
export function checkRows(
  rows: number,
  { options: { maxRows } }: Pick<Allowance, "options">,
): void {
  if (rows > maxRows) throw askForPage(`has more than ${maxRows} records`);
}

/** The error of a result that is too large, which says what to do instead. */
export function askForPage(reason: string): ServiceError {
  return new ServiceError(310, `result: ${reason}; ask for a page of it by limit and offset`);
}
