// The options that services have in common, whatever they answer from: among them what a request may ask (rule E14). No
// limit changes an answer that is given.

import { UNLIMITED } from "../collection/plan/query.ts";
import { DEFAULT_MAX_CRITERIA } from "../criteria/parse.ts";
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
import { begun } from "./promise.ts";

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

/** @throws ServiceError 310 where a result has more records than it may */
export function checkRows(rows: number, most: number): void {
  if (rows > most) throw askForPage(`has more than ${most} records`);
}

/** The error of a result that is too large, which says what to do instead. */
export function askForPage(reason: string): ServiceError {
  return new ServiceError(310, `result: ${reason}; ask for a page of it by limit and offset`);
}

export interface CommonOptions {
  /**
   * Whether an api key is accepted; only `true` accepts. By a promise it may answer to methods alone
   * that answer by a promise; to the others that is error 100. **Without it every non-empty string is
   * accepted.**
   */
  readonly authenticate?: ((apiKey: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Receives what an unexpected failure or a subscriber threw; the caller sees at most error 100. What
   * it throws itself, or rejects, is dropped.
   */
  readonly onInternalError?: ((thrown: unknown) => unknown) | undefined;
  /** What a request may ask of the service. */
  readonly limits?: ServiceLimits | undefined;
  /** What some clients of such services rely on. Strict unless told. */
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

/** How these options are read. */
export const commonOptions = {
  authenticate: optional(callable),
  onInternalError: optional(callable),
  limits: readLimits,
  compatibility: (given, path) => readOptions(given ?? {}, path, compatibility),
} satisfies OptionReaders<Record<keyof CommonOptions, unknown>>;

export type CommonSettings = ReturnType<typeof commonSettings>;

/** What options that were read mean. */
export function commonSettings({
  authenticate,
  onInternalError,
  limits,
  compatibility,
}: OptionsOf<typeof commonOptions>) {
  /** Reports what an unexpected failure threw, and gives the error that hides it (rule E9). */
  const internalError = (thrown: unknown): ServiceError => {
    try {
      begun(onInternalError?.(thrown));
    } catch {
      // The reporter's own failure has nowhere left to go.
    }
    return new ServiceError(100, "the service failed unexpectedly");
  };
  const { criteria: maxCriteria, values: maxValues, rows: maxRows } = limits;
  const methodOptions: MethodOptions = { maxCriteria, maxValues, maxRows, ...compatibility };
  return { authenticate, internalError, limits, methodOptions };
}
