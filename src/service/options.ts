// The options that services have in common, whatever they answer from.

import { describe, quote, InputError } from "../schema/errors.ts";
import { isFunction, readMembers, type AnyFunction } from "../schema/input.ts";
import { ServiceError } from "./errors.ts";
import { readLimits, type Limits, type ServiceLimits } from "./limits.ts";
import type { MethodOptions } from "./methods.ts";
import { begun } from "./promise.ts";

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

export interface CommonSettings {
  readonly authenticate: AnyFunction | undefined;
  /** Reports what an unexpected failure threw, and gives the error that hides it (rule E9). */
  readonly internalError: (thrown: unknown) => ServiceError;
  readonly limits: Limits;
  readonly methodOptions: MethodOptions;
}

/** @throws InputError with the path of the first option that is not valid */
export function readCommonOptions(
  given: Readonly<Partial<Record<keyof CommonOptions, unknown>>>,
): CommonSettings {
  const compatibility = readMembers(given.compatibility ?? {}, "options.compatibility", [
    "unknownOperator",
    "zeroLimit",
  ]);
  const unknownOperator = oneOrNone(compatibility.unknownOperator, "exactly", "unknownOperator");
  const zeroLimit = oneOrNone(compatibility.zeroLimit, "unlimited", "zeroLimit");
  const limits = readLimits(given.limits);
  return {
    authenticate: functionOrNone(given.authenticate, "authenticate"),
    internalError: reporterOf(functionOrNone(given.onInternalError, "onInternalError")),
    limits,
    methodOptions: {
      maxCriteria: limits.criteria,
      maxValues: limits.values,
      maxRows: limits.rows,
      unknownOperator: unknownOperator ?? "error",
      zeroLimit: zeroLimit ?? "nothing",
    },
  };
}

function reporterOf(onInternalError: AnyFunction | undefined): CommonSettings["internalError"] {
  return (thrown) => {
    try {
      begun(onInternalError?.(thrown));
    } catch {
      // The reporter's own failure has nowhere left to go.
    }
    return new ServiceError(100, "the service failed unexpectedly");
  };
}

function functionOrNone(given: unknown, name: string): AnyFunction | undefined {
  if (given === undefined || isFunction(given)) return given;
  throw new InputError(`options.${name}`, `must be a function, not ${describe(given)}`);
}

function oneOrNone<Value extends string>(
  given: unknown,
  legal: Value,
  name: string,
): Value | undefined {
  if (given === undefined) return undefined;
  if (given === legal) return legal;
  throw new InputError(
    `options.compatibility.${name}`,
    `must be ${quote(legal)}, not ${describe(given)}`,
  );
}
