// From unknown input to a parsed query: criteria, sort, offset and limit, each checked.

import { distinct } from "../criteria/distinct.ts";
import type { CheckedCriteria, Criteria } from "../criteria/criteria.ts";
import { readCriteria, type CriteriaSettings } from "../criteria/parse.ts";
import type { ParsedCriteria } from "../criteria/tree.ts";
import { describe, InputError, quote, TercetError, type Refuse } from "../schema/errors.ts";
import { checkMembers, isCount, readMembers } from "../schema/input.ts";
import { isCanonicalInteger } from "../schema/numbers.ts";
import { sortableField, type SortableName } from "../schema/names.ts";
import type { Schema } from "../schema/schema.ts";
import { beginQuery, Deadline } from "./algorithms/deadline.ts";
import { QueryError, type QueryParameter } from "./query-error.ts";
import { readProjection, type CheckedSelect, type Projection } from "./projection.ts";

/**
 * What to select, in which order, and which page of it; `C` is the type of its criteria. The other type parameters
 * allow other values of its members, which are then checked at run time.
 */
export interface Query<
  S extends Schema = Schema,
  C = Criteria<S> | null | undefined,
  SortBy = never,
  Order = never,
  Limit = never,
  Offset = never,
  Sorting = never,
> {
  /** Omitted or `null`: every record. */
  readonly criteria?: C;
  /**
   * The fields to sort by, each with its order: each field orders the ties of the fields before it. Ties in all fields
   * keep insertion order. A field may be named once. Use either this or `sortBy` and `sortOrder`.
   */
  readonly sort?: readonly SortPair<S, SortBy, Order>[] | Sorting | null | undefined;
  /** The field to sort by. Omitted, `null` or `""`: insertion order. */
  readonly sortBy?: SortableName<S> | SortBy | null | undefined;
  /** Default `"DESC"`. Ties keep insertion order in both. */
  readonly sortOrder?: SortOrder | Order | null | undefined;
  /** The largest number of records. Omitted, `null` or `""`: all. */
  readonly limit?: number | string | Limit | null | undefined;
  /** How many records to skip. Omitted, `null` or `""`: none. */
  readonly offset?: number | string | Offset | null | undefined;
}

/** A field to sort by, and its order; the other type parameters allow other values of these. */
export type SortPair<S extends Schema = Schema, SortBy = never, Order = never> = readonly [
  field: SortableName<S> | SortBy,
  order: SortOrder | Order,
];

/**
 * A query for methods that infer the types of its members. The compiler checks literals; values of wider types, such as
 * `unknown`, are checked at run time.
 */
export type CheckedQuery<S extends Schema, C, SortBy, Order, Limit, Offset, Sorting> = Query<
  S,
  CheckedCriteria<S, C>,
  Vague<SortBy>,
  Vague<Order>,
  Vague<Limit>,
  Vague<Offset>,
  Vague<Sorting>
>;

/** The choice of fields in a query whose type is inferred. */
export interface Selecting<S extends Schema, Select> {
  /**
   * The names of the fields that the records have, in this order, such as `["id", "title"]`. Omitted or `null`: every
   * stored field.
   */
  readonly select?: (Select & CheckedSelect<S, Select>) | null | undefined;
}

/** The type, if it includes any string, like `unknown`; otherwise `never`. */
export type Vague<T> = string extends T ? T : never;

/** {@link CheckedQuery} for a page after another one. */
export type CheckedPageQuery<S extends Schema, C, SortBy, Order, Limit, Sorting> = CheckedQuery<
  S,
  C,
  SortBy,
  Order,
  Limit,
  never,
  Sorting
> & {
  /** A page has no offset. */
  readonly offset?: undefined;
} & PagePosition;

/** Where a page is in the order of its query. At most one of `after`, `before` and `last` may be given. */
export interface PagePosition {
  /** The `next` of an earlier page of this query: the records after that page. Omitted or `null`: the first records. */
  readonly after?: string | null | undefined;
  /** The `previous` of a later page of this query: the last records before that page. */
  readonly before?: string | null | undefined;
  /** Whether to return the last records. Default `false`. */
  readonly last?: boolean | null | undefined;
  /** Whether the page has the cursor of each record. Default `false`. */
  readonly cursors?: boolean | null | undefined;
}

/** Some records in the order of a query, and cursors to those on either side. */
export interface Page<Row> {
  readonly records: Row[];
  /**
   * The cursor for `before` of the page before this one, a short string that is safe in URLs. `null` if the page has no
   * records, if it is the first page, or if it was asked for from the end and no record precedes it.
   */
  readonly previous: string | null;
  /** The cursor for `after` of the next page; `null` likewise, if no record follows. */
  readonly next: string | null;
  /** The cursor of each record, for `after` and `before`, if the query asked for `cursors`. */
  readonly cursors?: readonly string[];
}

/** Where a page is, as parsed. */
export interface PageRequest {
  /** Whether it has the last records before the cursor, or the last of all. */
  readonly isBackwards: boolean;
  /** Not checked; `undefined`: the page is at an end of the order. */
  readonly cursor: unknown;
  readonly hasCursors: boolean;
}

/** Whether values ascend or descend. Ties keep insertion order in both. */
export type SortOrder = "ASC" | "DESC";

/**
 * More rows than an array can hold: stands for no limit, and for any larger offset or limit. It is the largest small
 * integer of V8, so that these members are small integers in every query: with `Infinity` in some, each read of `limit`
 * took a microsecond in code that V8 never optimized.
 */
export const UNLIMITED = 2 ** 31 - 1;

/** A field to sort by. */
export interface Sort {
  readonly field: string;
  readonly order: SortOrder;
  /** Orders rows with equal values; `undefined`: insertion order. */
  readonly ties: Sort | undefined;
}

/** A sort and those that order its ties, in this order. */
export function sortsOf(sort: Sort | undefined): readonly Sort[] {
  return sort === undefined ? [] : [sort, ...sortsOf(sort.ties)];
}

/** A valid query. All queries have all members, in this order, because V8 reads objects of one shape fastest. */
export interface ParsedQuery {
  readonly criteria: ParsedCriteria;
  readonly sort: Sort | undefined;
  readonly offset: number;
  /** {@link UNLIMITED} if there is none. */
  readonly limit: number;
  /** In a query without a sort, the key after which its rows start; −1 if there is none. */
  readonly afterKey: number;
  /** When it must have its result; `undefined` if there is no time limit. */
  readonly deadline: Deadline | undefined;
  /** The fields of its records; `undefined`: all that are stored. */
  readonly select: Projection | undefined;
}

export const EVERY_ROW: ParsedQuery = {
  criteria: { groups: [[]] },
  sort: undefined,
  offset: 0,
  limit: UNLIMITED,
  afterKey: -1,
  deadline: undefined,
  select: undefined,
};

/** The unchecked parameters of a query. */
export type Members = Readonly<Partial<Record<QueryParameter, unknown>>>;

const PARAMETERS = [
  "criteria",
  "limit",
  "offset",
  "sortBy",
  "sortOrder",
  "sort",
  "select",
] as const satisfies readonly QueryParameter[];

const PAGE_PARAMETERS = [
  "criteria",
  "limit",
  "sortBy",
  "sortOrder",
  "sort",
  "select",
  "after",
  "before",
  "last",
  "cursors",
] as const satisfies readonly QueryParameter[];

/** How queries are read, and how long they may take. */
export interface QueryOptions extends CriteriaSettings {
  readonly milliseconds?: number | undefined;
}

/** The deadline of a query that begins now; `undefined` if there is no time limit. */
export function deadlineOf({
  milliseconds,
}: Pick<QueryOptions, "milliseconds">): Deadline | undefined {
  beginQuery();
  return milliseconds === undefined ? undefined : new Deadline(milliseconds);
}

/**
 * Checks a query given as an object. Reads each member once.
 *
 * @throws CriteriaError, QueryError
 */
export function parseQuery(schema: Schema, query: unknown, options: QueryOptions): ParsedQuery {
  if (query === undefined) return parseParameters(schema, options);
  const { criteria, limit, offset, sortBy, sortOrder, sort, select } = parametersOf(query);
  return parseParameters(schema, options, criteria, limit, offset, sortBy, sortOrder, sort, select);
}

/**
 * Checks the query of a page, which may have a cursor.
 *
 * @returns the query, which has no offset, and where the page is
 * @throws CriteriaError, QueryError
 */
export function parsePageQuery(
  schema: Schema,
  query: unknown,
  options: QueryOptions,
): readonly [query: ParsedQuery, request: PageRequest] {
  const given = pageParametersOf(query ?? {});
  const { criteria, limit, sortBy, sortOrder, sort, select } = given;
  const parsed = parseParameters(
    schema,
    options,
    criteria,
    limit,
    null,
    sortBy,
    sortOrder,
    sort,
    select,
  );
  return [parsed, parseRequest(given)];
}

/** @throws QueryError */
function parseRequest({ after, before, last, cursors }: Members): PageRequest {
  const isLast = parseFlag("last", last);
  const cursor = before ?? after ?? undefined;
  if ((before ?? undefined) !== undefined && (after ?? undefined) !== undefined) {
    throw new QueryError("before", "must be omitted if after is given");
  }
  if (isLast && cursor !== undefined) {
    throw new QueryError("last", "must be omitted if after or before is given");
  }
  const isBackwards = isLast || (before ?? undefined) !== undefined;
  return { isBackwards, cursor, hasCursors: parseFlag("cursors", cursors) };
}

function parseFlag(parameter: QueryParameter, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  throw new QueryError(parameter, `must be true or false, not ${describe(value)}`);
}

/** The parameters of a query given as an object, each read once. @throws QueryError */
export function parametersOf(query: unknown): Members {
  try {
    checkMembers(query, "query", PARAMETERS);
    // By name, which is faster than copying whatever members there are.
    const { criteria, limit, offset, sortBy, sortOrder, sort, select } = query;
    return { criteria, limit, offset, sortBy, sortOrder, sort, select };
  } catch (error) {
    throw queryErrorOf(error);
  }
}

/** The parameters of a page query, which may have a cursor. @throws QueryError */
function pageParametersOf(query: unknown): Members {
  try {
    return readMembers(query, "query", PAGE_PARAMETERS);
  } catch (error) {
    throw queryErrorOf(error);
  }
}

/** The error that an unreadable query throws. */
function queryErrorOf(error: unknown): TercetError {
  if (error instanceof InputError) return new QueryError(null, error.reason, error);
  if (error instanceof TercetError) return error;
  // A getter or a proxy threw.
  return new QueryError(null, "could not be read", { cause: error });
}

/**
 * Checks the values of a query's parameters in order; throws at the first invalid one.
 *
 * @throws CriteriaError, QueryError
 */
export function parseParameters(
  schema: Schema,
  options: QueryOptions,
  criteria?: unknown,
  limit?: unknown,
  offset?: unknown,
  sortBy?: unknown,
  sortOrder?: unknown,
  sort?: unknown,
  select?: unknown,
): ParsedQuery {
  const deadline = deadlineOf(options);
  const parsedCriteria = distinct(readCriteria(schema, criteria, options));
  const parsedLimit = parseCount("limit", limit, UNLIMITED);
  const parsedOffset = parseCount("offset", offset, 0);
  return {
    criteria: parsedCriteria,
    sort: parseSort(schema, sortBy, sortOrder, sort),
    offset: parsedOffset,
    limit: parsedLimit,
    afterKey: -1,
    deadline,
    select: readProjection(schema, select, (...reason) => new QueryError("select", ...reason)),
  };
}

/** Every record that some criteria select, in no particular order and without a deadline. @throws CriteriaError */
export function parseSelection(
  schema: Schema,
  criteria: unknown,
  options: QueryOptions,
): ParsedQuery {
  beginQuery();
  return {
    criteria: distinct(readCriteria(schema, criteria, options)),
    sort: undefined,
    offset: 0,
    limit: UNLIMITED,
    afterKey: -1,
    deadline: undefined,
    select: undefined,
  };
}

/** @throws QueryError */
export function parseSort(
  schema: Schema,
  sortBy: unknown,
  sortOrder: unknown,
  sort: unknown,
): ParsedQuery["sort"] {
  const field = parseSortBy(schema, sortBy);
  const order = parseSortOrder(sortOrder);
  if (sort === undefined || sort === null) {
    return field === undefined ? undefined : { field, order, ties: undefined };
  }
  if (isOmitted(sortBy) && isOmitted(sortOrder)) return parsePairs(schema, sort);
  throw new QueryError("sort", "must be omitted if sortBy or sortOrder is given");
}

/** Reads each element once. @throws QueryError */
function parsePairs(schema: Schema, input: unknown): ParsedQuery["sort"] {
  try {
    if (!Array.isArray(input)) throw noPairs(`must be an array of [field, order] pairs`, input);
    const list: readonly unknown[] = input;
    const { length } = list;
    const most = schema.places.length;
    if (length > most) {
      throw new QueryError(
        "sort",
        `may have at most ${most} elements, as many as there are fields`,
        { code: "limit" },
      );
    }
    const orders = new Map<string, SortOrder>();
    for (let i = 0; i < length; i++) {
      const [field, order] = parsePair(schema, list[i], `element ${i}`);
      if (orders.has(field)) {
        throw new QueryError("sort", `element ${i} repeats ${quote(field)}`);
      }
      orders.set(field, order);
    }
    const last = [...orders].reverse();
    return last.reduce<Sort | undefined>(
      (ties, [field, order]) => ({ field, order, ties }),
      undefined,
    );
  } catch (error) {
    if (error instanceof QueryError) throw error;
    // A getter or a proxy threw.
    throw new QueryError("sort", "could not be read", { cause: error });
  }
}

/** A field to sort by and its order. @throws QueryError */
export function parsePair(schema: Schema, input: unknown, place: string): [string, SortOrder] {
  if (!Array.isArray(input)) throw noPairs(`${place} must be a pair [field, order]`, input);
  const pair: readonly unknown[] = input;
  const { length } = pair;
  if (length !== 2) {
    throw new QueryError("sort", `${place} must have two elements [field, order], not ${length}`);
  }
  const name = pair[0];
  const order = pair[1];
  const refuse: Refuse = (reason, options) =>
    new QueryError("sort", `${place}: ${reason}`, options);
  const [field] = sortableField(schema, name, refuse);
  if (order === "ASC" || order === "DESC") return [field, order];
  throw refuse(`the order must be "ASC" or "DESC", not ${describe(order)}`);
}

function noPairs(expected: string, given: unknown): QueryError {
  return new QueryError("sort", `${expected}, not ${describe(given)}`);
}

/** Whether a parameter counts as omitted (rule P5). */
function isOmitted(value: unknown): value is undefined | null | "" {
  return value === undefined || value === null || value === "";
}

function parseCount(parameter: "limit" | "offset", value: unknown, omitted: number): number {
  if (isOmitted(value)) return omitted;
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
  return sortableField(schema, value, (...reason) => new QueryError("sortBy", ...reason))[0];
}

function parseSortOrder(value: unknown): SortOrder {
  if (isOmitted(value)) return "DESC";
  if (value !== "ASC" && value !== "DESC") {
    throw new QueryError("sortOrder", `must be "ASC" or "DESC", not ${describe(value)}`);
  }
  return value;
}
