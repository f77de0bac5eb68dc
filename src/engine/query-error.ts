// The error of an invalid query: apart from what reads queries, like that of criteria.

import { TercetError, type TercetErrorCode, type TercetErrorOptions } from "../schema/errors.ts";

/** The parameters of a query, in the order in which they are checked. */
export type QueryParameter =
  | "criteria"
  | "limit"
  | "offset"
  | "sortBy"
  | "sortOrder"
  | "sort"
  | "select"
  | "after"
  | "before"
  | "last"
  | "cursors";

/** An invalid limit, offset, sort field or sort order, or a query that is not an object. */
export class QueryError extends TercetError {
  override readonly name = "QueryError";
  declare readonly code: TercetErrorCode;
  /** The parameter at fault, or `null` if it is the whole query. */
  readonly parameter: QueryParameter | null;
  readonly reason: string;

  constructor(parameter: QueryParameter | null, reason: string, options?: TercetErrorOptions) {
    super(`${parameter ?? "query"}: ${reason}`, options);
    this.parameter = parameter;
    this.reason = reason;
  }
}
