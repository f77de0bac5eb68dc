// What a request may ask of the service (rule E14). No limit changes an answer that is given.

import { UNLIMITED } from "../collection/plan/query.ts";
import { DEFAULT_MAX_CRITERIA } from "../criteria/parse.ts";
import { count, optional, readOptions, type OptionReaders } from "../schema/options.ts";
import { ServiceError } from "./errors.ts";

/** Non-negative integers. */
export interface ServiceLimits {
  /** How many criteria a request may have; more is error 311. Default 1,000. */
  readonly criteria?: number | undefined;
  /** How many values an `in` may have; more is error 311. Default: as many as are sent. */
  readonly values?: number | undefined;
  /** How many records a result may have; more is error 310. Default: as many as there are. */
  readonly rows?: number | undefined;
  /**
   * How many characters `dispatchJson` may answer to a text; a longer answer is error 310. It does
   * not concern `dispatchChunks`, which never holds an answer as a whole. Default 67,108,864.
   */
  readonly responseLength?: number | undefined;
  /**
   * How long the service may work on a request, a batch as a whole; longer is error 100. The time
   * in which it waits for `authenticate`, or writes pieces, does not count. Default: no limit.
   */
  readonly milliseconds?: number | undefined;
  /** How many members a JSON-RPC batch may have; more is refused as a whole. Default 100. */
  readonly batch?: number | undefined;
}

/** Every limit; where there is none, a number that nothing exceeds, or no milliseconds. */
export interface Limits {
  readonly criteria: number;
  readonly values: number;
  readonly rows: number;
  readonly responseLength: number;
  readonly milliseconds: number | undefined;
  readonly batch: number;
}

/** V8's longest string has 2^29 - 24 characters; errors of a batch and its brackets come on top. */
const LONGEST_RESPONSE = 2 ** 29 - 2 ** 24;

const limits: OptionReaders<Limits> = {
  criteria: optional(count, DEFAULT_MAX_CRITERIA),
  values: optional(count, Number.MAX_SAFE_INTEGER),
  rows: optional(count, UNLIMITED),
  responseLength: optional(count, 64 * 1024 * 1024),
  milliseconds: optional(count),
  batch: optional(count, 100),
};

/** @throws InputError with the path of the first limit that is not valid, such as `options.limits.rows` */
export function readLimits(input: unknown, path = "options.limits"): Limits {
  const read = readOptions(input ?? {}, path, limits);
  const responseLength = Math.min(read.responseLength, LONGEST_RESPONSE);
  return { ...read, rows: Math.min(read.rows, UNLIMITED), responseLength };
}

/** @throws ServiceError 310 where a result has more records than it may */
export function checkRows(rows: number, most: number): void {
  if (rows > most) throw askForPage(`has more than ${most} records`);
}

/** The error of a result that is too large, which says what to do instead. */
export function askForPage(reason: string): ServiceError {
  return new ServiceError(310, `result: ${reason}; ask for a page of it by limit and offset`);
}
