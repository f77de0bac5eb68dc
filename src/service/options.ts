// The options that all services share, with the limits of a request (rule E14). No limit changes a result.

import { planning } from "../engine/execution/planning.ts";
import { UNLIMITED } from "../engine/query.ts";
import { DEFAULT_MAX_CRITERIA } from "../criteria/parse.ts";
import { report, writeError } from "../engine/on-error.ts";
import {
  callable,
  count,
  oneOf,
  optional,
  readOptions,
  type OptionReaders,
  type OptionsOf,
} from "../schema/options.ts";
import { ServiceError } from "./errors.ts";
import type { MethodOptions } from "./parameters.ts";

/** The limits of a request: non-negative integers. */
export interface ServiceLimits {
  /** The maximum number of criteria in a request; more is error 311. Default 1,000. */
  readonly criteria?: number | undefined;
  /** The maximum number of values of an `in`; more is error 311. Default: no limit. */
  readonly values?: number | undefined;
  /** The maximum number of records in a result; more is error 310. Default: no limit. */
  readonly rows?: number | undefined;
  /**
   * The maximum number of characters in a response of `dispatchJson`; a longer response is error 310. It does not apply
   * to `dispatchChunks`, which never holds a whole response. Default 67,108,864.
   */
  readonly responseLength?: number | undefined;
  /**
   * The maximum time that the service may work on a request, or on a whole batch; exceeding it is error 100. Waiting
   * for `authenticate` and writing pieces do not count. Default: no limit.
   */
  readonly milliseconds?: number | undefined;
  /** The maximum number of members of a JSON-RPC batch; a larger batch is refused as a whole. Default 100. */
  readonly batch?: number | undefined;
}

/** Every limit. Without one: a number that nothing exceeds, or `undefined` for milliseconds. */
export type Limits = OptionsOf<typeof limits>;

/** V8's longest string has 2^29 - 24 characters; the brackets and errors of a batch are added to the limit. */
const LONGEST_RESPONSE = 2 ** 29 - 2 ** 24;

const limits = {
  criteria: optional(count, DEFAULT_MAX_CRITERIA),
  values: optional(count, Number.MAX_SAFE_INTEGER),
  rows: optional(count, UNLIMITED),
  responseLength: optional(count, 64 * 1024 * 1024),
  milliseconds: optional(count),
  batch: optional(count, 100),
} satisfies OptionReaders<Record<keyof ServiceLimits, unknown>>;

/** @throws InputError with the path of the first limit that is not valid, such as `options.limits.rows` */
export function readLimits(input: unknown, path = "options.limits"): Limits {
  const read = readOptions(input ?? {}, path, limits);
  const responseLength = Math.min(read.responseLength, LONGEST_RESPONSE);
  return { ...read, rows: Math.min(read.rows, UNLIMITED), responseLength };
}

/** @throws ServiceError 310 if a result has more records than allowed */
export function checkRows(rows: number, most: number): void {
  if (rows > most) throw requestPage(`has more than ${most} records`);
}

/** The error for a result that is too large, with the advice to request a page. */
export function requestPage(reason: string): ServiceError {
  return new ServiceError(310, `result: ${reason}; request a page of it with limit and offset`);
}

/** The options that services in memory and over SQL share. */
export interface CommonOptions {
  /**
   * Decides whether to accept an api key; only `true` accepts it. It may return a promise for methods that return a
   * promise; for the others, a promise is error 100. **Without it, every non-empty string is accepted.**
   */
  readonly authenticate?: ((apiKey: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Called with unexpected errors, and with exceptions and rejections of subscribers and listeners; callers see at most
   * error 100. Its own exceptions go to `console.error`. Default: `console.error`.
   */
  readonly onInternalError?: ((thrown: unknown) => unknown) | undefined;
  /** The limits of a request. */
  readonly limits?: ServiceLimits | undefined;
  /** Behaviour that some clients of such services depend on. Default: strict. */
  readonly compatibility?:
    | {
        /** Treats an unknown operator as `exactly`. */
        readonly unknownOperator?: "exactly" | undefined;
        /** Treats limit 0 as no limit. */
        readonly zeroLimit?: "unlimited" | undefined;
      }
    | undefined;
}

const compatibility = {
  unknownOperator: optional(oneOf("exactly"), "error"),
  zeroLimit: optional(oneOf("unlimited"), "nothing"),
};

export const commonOptions = {
  authenticate: optional(callable),
  onInternalError: optional(callable, writeError),
  limits: readLimits,
  compatibility: (given, path) => readOptions(given ?? {}, path, compatibility),
} satisfies OptionReaders<Record<keyof CommonOptions, unknown>>;

export type CommonSettings = ReturnType<typeof commonSettings>;

export function commonSettings({
  authenticate,
  onInternalError,
  limits,
  compatibility,
}: OptionsOf<typeof commonOptions>) {
  /** Reports an unexpected error, and returns error 100 instead (rule E9). */
  const internalError = (thrown: unknown): ServiceError => {
    report(onInternalError, thrown);
    return new ServiceError(100, "the service failed unexpectedly");
  };
  const { criteria: maxCriteria, values: maxValues, rows: maxRows } = limits;
  const methodOptions: MethodOptions = {
    maxCriteria,
    maxValues,
    maxRows,
    finder: planning,
    ...compatibility,
  };
  return { authenticate, internalError, limits, methodOptions };
}
