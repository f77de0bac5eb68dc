// The options that services have in common, whatever they answer from.

import type { AnyFunction } from "../schema/input.ts";
import {
  callable,
  oneOf,
  optional,
  readOptions,
  type OptionReaders,
  type OptionsOf,
} from "../schema/options.ts";
import { ServiceError } from "./errors.ts";
import { readLimits, type Limits, type ServiceLimits } from "./limits.ts";
import type { MethodOptions } from "./parameters.ts";
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

export interface CommonSettings {
  readonly authenticate: AnyFunction | undefined;
  /** Reports what an unexpected failure threw, and gives the error that hides it (rule E9). */
  readonly internalError: (thrown: unknown) => ServiceError;
  readonly limits: Limits;
  readonly methodOptions: MethodOptions;
}

/** What options that were read mean. */
export function commonSettings({
  authenticate,
  onInternalError,
  limits,
  compatibility,
}: OptionsOf<typeof commonOptions>): CommonSettings {
  return {
    authenticate,
    internalError: reporterOf(onInternalError),
    limits,
    methodOptions: {
      maxCriteria: limits.criteria,
      maxValues: limits.values,
      maxRows: limits.rows,
      ...compatibility,
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
