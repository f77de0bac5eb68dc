// The options that all services share, with the limits of a request (rule E14). No limit changes a result.

import { UNLIMITED } from "../engine/query.ts";
import { DEFAULT_MAX_CRITERIA } from "../criteria/parse.ts";
import { report, writeError } from "../database/on-error.ts";
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

/** Non-negative integers. */
export interface ServiceLimits {
  /** How many criteria a request may have; more is error 311. Default 1,000. */
  readonly criteria?: number | undefined;
  /** How many values an `in` may have; more is error 311. Default: no limit. */
  readonly values?: number | undefined;
  /** How many records a result may have; more is error 310. Default: no limit. */
  readonly rows?: number | undefined;
  /**
   * How many characters a response of `dispatchJson` may have; a longer response is error 310. It does not apply to
   * `dispatchChunks`, which never holds a whole response. Default 67,108,864.
   */
  readonly responseLength?: number | undefined;
  /**
   * How long the service may work on a request, or on a whole batch; longer is error 100. Waiting for `authenticate`
   * and writing pieces do not count. Default: no limit.
   */
  readonly milliseconds?: number | undefined;
  /** How many members a JSON-RPC batch may have; a larger batch is refused as a whole. Default 100. */
  readonly batch?: number | undefined;
}

/** Every limit. If there is none, a number that nothing exceeds, or no milliseconds. */
export type Limits = OptionsOf<typeof limits>;

/** V8's longest string has 2^29 - 24 characters; errors of a batch and its brackets come on top. */
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
  if (rows > most) throw askForPage(`has more than ${most} records`);
}

/** The error for a result that is too large. It says what to do instead. */
export function askForPage(reason: string): ServiceError {
  return new ServiceError(310, `result: ${reason}; ask for a page of it by limit and offset`);
}

/** The options that services in memory and over SQL share. */
export interface CommonOptions {
  /**
   * Whether to accept an api key; only `true` accepts it. It may return a promise for methods that return a
   * promise; for the others, a promise is error 100. **Without it, every non-empty string is accepted.**
   */
  readonly authenticate?: ((apiKey: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Called with unexpected errors, and with errors that subscribers and listeners throw or reject with; callers see
   * at most error 100. Errors that it throws itself go to `console.error`. Default: `console.error`.
   */
  readonly onInternalError?: ((thrown: unknown) => unknown) | undefined;
  /** The limits of a request. */
  readonly limits?: ServiceLimits | undefined;
  /** Behaviour that some clients of such services rely on. Default: strict. */
  readonly compatibility?:
    | {
        /** Treat an unknown operator as `exactly`. */
        readonly unknownOperator?: "exactly" | undefined;
        /** Treat limit 0 as no limit. */
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
  /** Reports an unexpected error, and returns error 100 in its place (rule E9). */
  const internalError = (thrown: unknown): ServiceError => {
    report(onInternalError, thrown);
    return new ServiceError(100, "the service failed unexpectedly");
  };
  const { criteria: maxCriteria, values: maxValues, rows: maxRows } = limits;
  const methodOptions: MethodOptions = { maxCriteria, maxValues, maxRows, ...compatibility };
  return { authenticate, internalError, limits, methodOptions };
}
