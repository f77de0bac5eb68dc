// From unknown input to a parsed query: criteria, sort, offset and limit, each checked.

import { distinct } from "../../criteria/distinct.ts";
import type { CheckedCriteria, Criteria } from "../../criteria/criteria.ts";
import { readCriteria, type CriteriaOptions, type ParsedCriteria } from "../../criteria/parse.ts";
import { describe, InputError, quote, TercetError } from "../../schema/errors.ts";
import { isCount, takeMembers } from "../../schema/input.ts";
import { isCanonicalInteger } from "../../schema/numbers.ts";
import { sortableField, type Schema, type SortableName } from "../../schema/schema.ts";
import type { Deadline } from "../algorithms/deadline.ts";

/**
 * What to select, in which order, and which page of it; `C` is the type of its criteria. The other types
 * are those of other values that its members may have, checked at run time.
 */
export interface Query<
  S extends Schema = Schema,
  C = Criteria<S> | null | undefined,
  SortBy = never,
  Order = never,
  Limit = never,
  Offset = never,
> {
  /** Omitted or `null`: every record. */
  readonly criteria?: C;
  /** The field to sort by. Omitted, `null` or `""`: insertion order. */
  readonly sortBy?: SortableName<S> | SortBy | null | undefined;
  /** Default `"DESC"`. Ties keep insertion order in both. */
  readonly sortOrder?: SortOrder | Order | null | undefined;
  /** The largest number of records. Omitted, `null` or `""`: all. */
  readonly limit?: number | string | Limit | null | undefined;
  /** How many records to skip. Omitted, `null` or `""`: none. */
  readonly offset?: number | string | Offset | null | undefined;
}

/**
 * A query for methods that infer the types of its members. The compiler checks literals; values that may
 * be anything, such as `unknown`, are checked at run time.
 */
export type CheckedQuery<S extends Schema, C, SortBy, Order, Limit, Offset> = Query<
  S,
  CheckedCriteria<S, C>,
  Vague<SortBy>,
  Vague<Order>,
  Vague<Limit>,
  Vague<Offset>
>;

/** The type, if it includes any text, like `unknown`; otherwise `never`. */
export type Vague<T> = string extends T ? T : never;

export type SortOrder = "ASC" | "DESC";

/**
 * More rows than an array can hold: it stands for no limit, and for any offset or limit above. It is the
 * largest small integer of V8, so that these members are small integers in every query: with `Infinity`
 * in some, each read of `limit` took a microsecond in code that V8 never optimized.
 */
export const UNLIMITED = 2 ** 31 - 1;

/** A valid query. Each has all members, in this order: V8 reads objects of one shape fastest. */
export interface ParsedQuery {
  readonly criteria: ParsedCriteria;
  readonly sort: { readonly field: string; readonly order: SortOrder } | undefined;
  readonly offset: number;
  /** {@link UNLIMITED} if there is none. */
  readonly limit: number;
  /** When it must be answered; undefined if there is no limit. */
  readonly deadline: Deadline | undefined;
}

/** The parameters of a query, in the order in which they are checked. */
export type QueryParameter = "criteria" | "limit" | "offset" | "sortBy" | "sortOrder";

/** The unchecked parameters of a query. */
export type Members = Readonly<Partial<Record<QueryParameter, unknown>>>;

const PARAMETERS = [
  "criteria",
  "limit",
  "offset",
  "sortBy",
  "sortOrder",
] as const satisfies readonly QueryParameter[];

/** An invalid limit, offset, sort field or sort order, or a query that is not an object. */
export class QueryError extends TercetError {
  override readonly name = "QueryError";
  /** The parameter at fault, or `null` if it is the whole query. */
  readonly parameter: QueryParameter | null;
  readonly reason: string;

  constructor(parameter: QueryParameter | null, reason: string, options?: ErrorOptions) {
    super(`${parameter ?? "query"}: ${reason}`, options);
    this.parameter = parameter;
    this.reason = reason;
  }
}

/**
 * Checks a query given as an object. Reads each member once.
 *
 * @throws CriteriaError, QueryError
 */
export function parseQuery(
  schema: Schema,
  query: unknown,
  options: Required<CriteriaOptions>,
): ParsedQuery {
  if (query === undefined) return parseParameters(schema, options);
  const { criteria, limit, offset, sortBy, sortOrder } = parametersOf(query);
  return parseParameters(schema, options, criteria, limit, offset, sortBy, sortOrder);
}

// By name, like every query: copying whatever members there are takes longer.
const take = ({ criteria, limit, offset, sortBy, sortOrder }: Members) => ({
  criteria,
  limit,
  offset,
  sortBy,
  sortOrder,
});

/** The parameters of a query given as an object, each read once. @throws QueryError */
export function parametersOf(query: unknown): Members {
  try {
    return takeMembers(query, "query", PARAMETERS, take);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // With its cause, if it has one.
    throw new QueryError(null, error.reason, error);
  }
}

/**
 * Checks the values of a query's parameters in order; the first invalid one throws.
 *
 * @throws CriteriaError, QueryError
 */
export function parseParameters(
  schema: Schema,
  options: Required<CriteriaOptions>,
  criteria?: unknown,
  limit?: unknown,
  offset?: unknown,
  sortBy?: unknown,
  sortOrder?: unknown,
): ParsedQuery {
  const parsedCriteria = distinct(readCriteria(schema, criteria, options));
  const parsedLimit = parseLimit(limit);
  const parsedOffset = parseOffset(offset);
  return {
    criteria: parsedCriteria,
    sort: parseSort(schema, sortBy, sortOrder),
    offset: parsedOffset,
    limit: parsedLimit,
    deadline: undefined,
  };
}

/** @throws QueryError */
export function parseLimit(value: unknown): number {
  return parseCount("limit", value) ?? UNLIMITED;
}

/** @throws QueryError */
export function parseOffset(value: unknown): number {
  return parseCount("offset", value) ?? 0;
}

/** @throws QueryError */
export function parseSort(
  schema: Schema,
  sortBy: unknown,
  sortOrder: unknown,
): ParsedQuery["sort"] {
  const field = parseSortBy(schema, sortBy);
  const order = parseSortOrder(sortOrder);
  return field === undefined ? undefined : { field, order };
}

/** Whether a parameter counts as omitted (rule P5). */
function isOmitted(value: unknown): value is undefined | null | "" {
  return value === undefined || value === null || value === "";
}

function parseCount(parameter: "limit" | "offset", value: unknown): number | undefined {
  if (isOmitted(value)) return undefined;
  const count = typeof value === "string" && isCanonicalInteger(value) ? Number(value) : value;
  if (isCount(count)) return Math.min(count + 0, UNLIMITED);
  throw new QueryError(
    parameter,
    `must be a non-negative safe integer or its canonical decimal string, not ${describe(value)}`,
  );
}

function parseSortBy(schema: Schema, value: unknown): string | undefined {
  if (isOmitted(value)) return undefined;
  if (typeof value !== "string") {
    throw new QueryError("sortBy", `must be a field name, not ${describe(value)}`);
  }
  return sortableField(schema, value, (reason) => new QueryError("sortBy", reason))[0];
}

function parseSortOrder(value: unknown): SortOrder {
  if (isOmitted(value)) return "DESC";
  if (value !== "ASC" && value !== "DESC") {
    throw new QueryError("sortOrder", `must be "ASC" or "DESC", not ${describe(value)}`);
  }
  return value;
}
