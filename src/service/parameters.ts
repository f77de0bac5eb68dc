// The parameters of methods, checked from left to right.

import type { Deadline } from "../engine/algorithms/deadline.ts";
import { parseParameters, UNLIMITED, type ParsedQuery } from "../engine/query.ts";
import { QueryError, type QueryParameter } from "../engine/query-error.ts";
import type { CollectionSettings } from "../engine/settings.ts";
import { CriteriaError } from "../criteria/criteria-error.ts";
import { describe } from "../schema/errors.ts";
import { toIntegerText } from "../schema/numbers.ts";
import type { Schema } from "../schema/schema.ts";
import { ServiceError } from "./errors.ts";

export interface MethodOptions extends CollectionSettings {
  /** The meaning of limit 0 (rule E12). */
  readonly zeroLimit: "nothing" | "unlimited";
  /** The maximum number of records in a result (rule E14). */
  readonly maxRows: number;
}

/** The limits of a call, and its deadline. */
export interface CallContext {
  readonly options: MethodOptions;
  readonly deadline: Deadline | undefined;
}

const wireNames = {
  criteria: "search_criteria",
  limit: "limit",
  offset: "offset",
  sortBy: "sort_by",
  sortOrder: "sort_order",
} as const satisfies Readonly<Partial<Record<QueryParameter, string>>>;

/** The methods sort by one field, and have no cursors. */
const isNamed = (parameter: QueryParameter | null): parameter is keyof typeof wireNames =>
  parameter !== null && Object.hasOwn(wireNames, parameter);

export const pageNames = Object.values(wireNames);

/**
 * Checks the parameters of a page, which are a method's last (rules C8, P6, E7).
 *
 * @param first the position of the criteria among the parameters
 */
export function parsePage(
  schema: Schema,
  parameters: readonly unknown[],
  first: number,
  { options, deadline }: CallContext,
): ParsedQuery {
  try {
    const end = first + pageNames.length;
    const query = parseParameters(schema, options, ...parameters.slice(first, end));
    deadline?.check();
    if (parameters.length > end) {
      throw new ServiceError(310, "there are more parameters than the method takes");
    }
    const isUnlimited = options.zeroLimit === "unlimited" && query.limit === 0;
    // One record more than allowed is enough to detect too many.
    const asked = isUnlimited ? UNLIMITED : query.limit;
    const { criteria, sort, offset } = query;
    const limit = Math.min(asked, options.maxRows + 1);
    return { criteria, sort, offset, limit, afterKey: -1, deadline, select: undefined };
  } catch (error) {
    if (error instanceof CriteriaError) throw new ServiceError(311, error.message);
    if (error instanceof QueryError) {
      const { parameter } = error;
      const name = isNamed(parameter) ? wireNames[parameter] : "parameters";
      throw new ServiceError(310, `${name}: ${error.reason}`);
    }
    throw error;
  }
}

/** @throws ServiceError 308 if it can't be an id (rule E6) */
export function readBatchId(batchId: unknown): string {
  const id = typeof batchId === "bigint" ? undefined : toIntegerText(batchId);
  if (id !== undefined) return id;
  throw new ServiceError(
    308,
    `batch_id: must be an integer or its canonical decimal string, not ${describe(batchId)}`,
  );
}

export function noBatch(id: string): ServiceError {
  return new ServiceError(308, `batch_id: there is no Batch ${id}`);
}
