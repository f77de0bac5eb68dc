// The service: the two operations as plain calls, and behind the request and response envelope.

import type { Collection } from "../collection/collection.ts";
import type { SortOrder } from "../collection/query.ts";
import { readCriteriaOptions } from "../criteria/parse.ts";
import { describe, quote, InputError } from "../schema/errors.ts";
import { readMembers } from "../schema/input.ts";
import type { FieldName } from "../schema/schema.ts";
import type { ContactCriteria } from "./contact.ts";
import {
  fail,
  parseMethod,
  readRequest,
  RefusedRequest,
  succeed,
  type Response,
} from "./envelope.ts";
import { ServiceError } from "./errors.ts";
import type { File, FileCriteria, FileInput, FileRecord } from "./file.ts";
import { loadBatches, loadFiles, type Batch, type BatchInput } from "./load.ts";
import { methods, type BatchContacts, type MethodOptions, type ServiceState } from "./methods.ts";

export interface ServiceOptions {
  /** The Files. Default: none. */
  readonly files?: Iterable<FileInput> | undefined;
  /** The Batches. Default: none. */
  readonly batches?: Iterable<BatchInput> | undefined;
  /**
   * Whether an api key is accepted; only `true` accepts. It must answer at once, not by a promise.
   * **Without it every non-empty string is accepted.**
   */
  readonly authenticate?: ((apiKey: string) => boolean) | undefined;
  /** Receives what an unexpected failure threw; the caller sees only error 100. */
  readonly onInternalError?: ((thrown: unknown) => void) | undefined;
  /** How many criteria a request may have. Default 1,000. */
  readonly maxCriteria?: number | undefined;
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

/** A page parameter that counts as omitted; so does `""`. */
type Omitted = null | undefined;

export interface Service {
  /**
   * The Files that match, frozen, in a new array.
   *
   * @throws ServiceError 310 or 311
   */
  searchFiles(
    searchCriteria?: FileCriteria | null,
    limit?: number | string | Omitted,
    offset?: number | string | Omitted,
    sortBy?: FieldName<typeof File> | "" | Omitted,
    sortOrder?: SortOrder | "" | Omitted,
  ): FileRecord[];

  /**
   * The Contacts of a Batch that match, frozen, by List id; every List has its key. `limit` and
   * `offset` count Contacts over all Lists. JavaScript puts the keys of small ids in ascending order.
   *
   * @throws ServiceError 308, 310 or 311
   */
  getBatchContacts(
    batchId: number | string,
    searchCriteria?: ContactCriteria | null,
    limit?: number | string | Omitted,
    offset?: number | string | Omitted,
    sortBy?: string | null,
    sortOrder?: SortOrder | "" | Omitted,
  ): BatchContacts;

  /** Answers a request envelope, whatever it is. Never throws. */
  dispatch(request: unknown): Response;

  /** {@link Service.dispatch} from JSON text to JSON text. Never throws. */
  dispatchJson(text: string): string;

  /** The Files, to be prepared, explained, or queried as any collection. */
  readonly files: Collection<typeof File>;

  /** The Batches by id; each holds the Contacts of all its Lists as one collection. */
  readonly batches: Readonly<Record<string, Batch>>;
}

/**
 * Makes a service over Files and Batches. Everything is checked and copied at once; the input is
 * not kept.
 *
 * @throws InputError with the path of the first offending member, such as `files[3].size`
 */
export function createService(options: ServiceOptions = {}): Service {
  const { authenticate, onInternalError, files, batches, methodOptions } = readOptions(options);
  const state: ServiceState = {
    files: loadFiles(files, methodOptions),
    batches: loadBatches(batches, methodOptions),
  };

  /** Reports what an unexpected failure threw, and hides it behind code 100 (rule E9). */
  function internalError(thrown: unknown): ServiceError {
    try {
      onInternalError?.(thrown);
    } catch {
      // The reporter's own failure has nowhere left to go.
    }
    return new ServiceError(100, "the service failed unexpectedly");
  }

  const toServiceError = (thrown: unknown): ServiceError =>
    thrown instanceof ServiceError ? thrown : internalError(thrown);

  function authorize(apiKey: unknown): void {
    if (typeof apiKey !== "string" || apiKey === "") {
      throw new ServiceError(300, `api_key: must be a non-empty string, not ${describe(apiKey)}`);
    }
    if (authenticate === undefined) return;
    let accepted: unknown;
    try {
      accepted = authenticate(apiKey);
    } catch (thrown) {
      throw internalError(thrown);
    }
    if (typeof accepted !== "boolean") {
      // A promise is truthy: taking it for a yes would let everybody in.
      throw internalError(new TypeError("authenticate must return true or false"));
    }
    if (!accepted) throw new ServiceError(300, "api_key: is not accepted");
  }

  function dispatch(input: unknown): Response {
    const request = readRequest(input);
    if (request instanceof RefusedRequest) return fail(request.id, request.error);
    try {
      const method = methods[parseMethod(request.method)];
      const [apiKey, ...parameters] = request.params;
      authorize(apiKey);
      return succeed(request.id, method(state, parameters, methodOptions));
    } catch (thrown) {
      return fail(request.id, toServiceError(thrown));
    }
  }

  function dispatchJson(text: string): string {
    let request: unknown;
    try {
      request = JSON.parse(text);
    } catch {
      return JSON.stringify(fail(null, new ServiceError(310, "request: must be JSON")));
    }
    const response = dispatch(request);
    try {
      return JSON.stringify(response);
    } catch (thrown) {
      // A result may be longer than the longest string that the engine can make.
      return JSON.stringify(fail(response.id, internalError(thrown)));
    }
  }

  function plain<Result>(run: () => Result): Result {
    try {
      return run();
    } catch (thrown) {
      throw toServiceError(thrown);
    }
  }

  return Object.freeze({
    searchFiles: (...parameters: unknown[]) =>
      plain(() => methods.searchFiles(state, parameters, methodOptions)),
    getBatchContacts: (...parameters: unknown[]) =>
      plain(() => methods.getBatchContacts(state, parameters, methodOptions)),
    dispatch,
    dispatchJson,
    files: state.files,
    // No prototype: `constructor` is not the id of a Batch.
    batches: Object.freeze(
      Object.setPrototypeOf(Object.fromEntries(state.batches), null) as Record<string, Batch>,
    ),
  });
}

const OPTION_NAMES = [
  "files",
  "batches",
  "authenticate",
  "onInternalError",
  "maxCriteria",
  "compatibility",
] as const satisfies readonly (keyof ServiceOptions)[];

interface Settings {
  readonly files: unknown;
  readonly batches: unknown;
  readonly authenticate: AnyFunction | undefined;
  readonly onInternalError: AnyFunction | undefined;
  readonly methodOptions: MethodOptions;
}

/** Checks the options: a misspelt `authenticate` must not leave the door open. */
function readOptions(input: unknown): Settings {
  const given = readMembers(input, "options", OPTION_NAMES);
  const compatibility = readMembers(given.compatibility ?? {}, "options.compatibility", [
    "unknownOperator",
    "zeroLimit",
  ]);
  const unknownOperator = oneOrNone(compatibility.unknownOperator, "exactly", "unknownOperator");
  const zeroLimit = oneOrNone(compatibility.zeroLimit, "unlimited", "zeroLimit");
  return {
    files: given.files ?? [],
    batches: given.batches ?? [],
    authenticate: functionOrNone(given.authenticate, "authenticate"),
    onInternalError: functionOrNone(given.onInternalError, "onInternalError"),
    methodOptions: {
      ...readCriteriaOptions({ maxCriteria: given.maxCriteria, unknownOperator }),
      zeroLimit: zeroLimit ?? "nothing",
    },
  };
}

function functionOrNone(given: unknown, name: string): AnyFunction | undefined {
  if (given === undefined || isFunction(given)) return given;
  throw new InputError(`options.${name}`, `must be a function, not ${describe(given)}`);
}

type AnyFunction = (...given: unknown[]) => unknown;

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === "function";
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
