// The error of invalid criteria: apart from their parser, since pages that have a database in a worker need only this.

import { TercetError, type TercetErrorCode, type TercetErrorOptions } from "../schema/errors.ts";

/**
 * Criteria are invalid. `path` leads to the offending element: its position in the list, or that of its group followed
 * by the position in the group, and so on; it is empty if the list itself is invalid. `position` is the first element
 * of `path`, or `null`; `reason` says what is wrong.
 */
export class CriteriaError extends TercetError {
  override readonly name = "CriteriaError";
  declare readonly code: TercetErrorCode;
  readonly position: number | null;
  readonly path: readonly number[];
  readonly reason: string;

  constructor(path: readonly number[], reason: string, options?: TercetErrorOptions) {
    super(`criteria${path.map((position) => `[${position}]`).join("")}: ${reason}`, options);
    this.position = path[0] ?? null;
    this.path = Object.freeze([...path]);
    this.reason = reason;
  }
}
