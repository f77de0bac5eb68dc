// The two operations: their parameters, checked from left to right, and their results.

import {
  parseParameters,
  QueryError,
  UNLIMITED,
  type ParsedQuery,
  type QueryParameter,
} from "../collection/query.ts";
import { CriteriaError, type CriteriaOptions } from "../criteria/parse.ts";
import { describe } from "../schema/errors.ts";
import { toWireInteger } from "../schema/integer.ts";
import type { Schema } from "../schema/schema.ts";
import type { Batch } from "./batch.ts";
import type { ContactRecord } from "./contact.ts";
import { ServiceError } from "./errors.ts";
import type { FileRecord } from "./file.ts";
import type { ServiceState } from "./draft.ts";

export interface MethodOptions extends Required<CriteriaOptions> {
  /** What a limit of 0 means (rule E12). */
  readonly zeroLimit: "nothing" | "unlimited";
}

/** The Contacts of a page by List id; every List of the Batch has its key. */
export type BatchContacts = Record<string, ContactRecord[]>;

/** An operation: its positional parameters, without the api key, to its result. */
type Method<Result> = (
  state: ServiceState,
  parameters: readonly unknown[],
  options: MethodOptions,
) => Result;

const searchFiles: Method<FileRecord[]> = ({ files }, parameters, options) =>
  files.page(parsePage(files.schema, parameters, options));

const getBatchContacts: Method<BatchContacts> = ({ batches }, parameters, options) => {
  const [batchId, ...page] = parameters;
  const batch = findBatch(batches, batchId);
  return groupByList(batch, parsePage(batch.contacts.schema, page, options));
};

/** The operations by name. Each throws a ServiceError where a parameter is not valid. */
export const methods = Object.freeze({ searchFiles, getBatchContacts });

export type MethodName = keyof typeof methods;

/** Whether it names an operation; inherited names such as `constructor` do not (rule E11). */
export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

const PAGE_PARAMETERS = 5;

/** The most parameters that an operation has, api key included: what has to be read of a request. */
export const MOST_PARAMETERS = 2 + PAGE_PARAMETERS;

const wireNames: Readonly<Record<QueryParameter, string>> = {
  criteria: "search_criteria",
  limit: "limit",
  offset: "offset",
  sortBy: "sort_by",
  sortOrder: "sort_order",
};

/** Checks the parameters that both operations share (rules C8, P6, E7). */
function parsePage(
  schema: Schema,
  parameters: readonly unknown[],
  options: MethodOptions,
): ParsedQuery {
  try {
    const [criteria, limit, offset, sortBy, sortOrder] = parameters;
    const query = parseParameters(schema, options, criteria, limit, offset, sortBy, sortOrder);
    if (parameters.length > PAGE_PARAMETERS) {
      throw new ServiceError(310, "there are more parameters than the method has");
    }
    return options.zeroLimit === "unlimited" && query.limit === 0
      ? { ...query, limit: UNLIMITED }
      : query;
  } catch (error) {
    if (error instanceof CriteriaError) throw new ServiceError(311, error.message);
    if (error instanceof QueryError) {
      const name = error.parameter === null ? "parameters" : wireNames[error.parameter];
      throw new ServiceError(310, `${name}: ${error.reason}`);
    }
    throw error;
  }
}

function findBatch(batches: ServiceState["batches"], batchId: unknown): Batch {
  const id = typeof batchId === "bigint" ? undefined : toWireInteger(batchId);
  if (id === undefined) {
    throw new ServiceError(308, `batch_id: must be an integer, not ${describe(batchId)}`);
  }
  const batch = batches.get(id);
  if (batch === undefined) throw new ServiceError(308, `batch_id: there is no Batch ${id}`);
  return batch;
}

/** Groups the records of a page, in its order, by their Lists. */
function groupByList({ contacts, lists }: Batch, query: ParsedQuery): BatchContacts {
  const groups = lists.map((): ContactRecord[] => []);
  contacts.forEachSelected(query, (record, list) => groups[list]?.push(record));
  return Object.fromEntries(lists.map((id, list) => [id, groups[list] ?? []]));
}
