// The service: the two operations as plain calls, and behind the request and response envelope.

import type { Patch } from "../collection/patch.ts";
import { readCriteriaOptions } from "../criteria/parse.ts";
import { describe, quote, InputError } from "../schema/errors.ts";
import { isFunction, readMembers, type AnyFunction } from "../schema/input.ts";
import type { Batch, BatchInput } from "./batch.ts";
import type { ServiceChange } from "./changes.ts";
import type { ServiceDraft } from "./draft.ts";
import {
  fail,
  parseMethod,
  readRequest,
  RefusedRequest,
  succeed,
  type Response,
} from "./envelope.ts";
import { ServiceError } from "./errors.ts";
import type { FileInput } from "./file.ts";
import { loadBatches, loadFiles, type Files } from "./load.ts";
import { methods, type MethodName, type MethodOptions } from "./methods.ts";
import type {
  Dispatch,
  GetBatchContactsParameters,
  GetBatchContactsRequest,
  GetBatchContactsResult,
  ServiceRequest,
  SearchFilesParameters,
  SearchFilesRequest,
  SearchFilesResult,
} from "./request.ts";
import { Store, type Subscriber } from "./store.ts";
import { Watches, type Ask } from "./watch.ts";

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
  /** Receives what an unexpected failure or a subscriber threw; the caller sees at most error 100. */
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

export interface Service {
  /**
   * The Files that match, frozen, in a new array.
   *
   * @throws ServiceError 310 or 311
   */
  searchFiles(...parameters: SearchFilesParameters): SearchFilesResult;

  /**
   * The Contacts of a Batch that match, frozen, by List id; every List has its key. `limit` and
   * `offset` count Contacts over all Lists. JavaScript puts the keys of small ids in ascending order.
   *
   * @throws ServiceError 308, 310 or 311
   */
  getBatchContacts(...parameters: GetBatchContactsParameters): GetBatchContactsResult;

  /** Answers a request envelope, whatever it is. Never throws. */
  readonly dispatch: Dispatch;

  /** {@link Service.dispatch} from JSON text to JSON text. Never throws. */
  dispatchJson(text: string): string;

  /** The Files as they are now, to be prepared, explained, or queried as any collection. */
  readonly files: Files;

  /** The Batches by id; each holds the Contacts of all its Lists as one collection. */
  readonly batches: Readonly<Record<string, Batch>>;

  /**
   * Changes what the service answers from, as a whole or not at all. Then tells the subscribers.
   *
   * @param recipe as Immer's are: puts changed collections in the place of the Files and of the
   *   Contacts of Batches; adds and removes Batches, Lists and List Fields
   * @returns what changed
   * @throws InputError where the recipe leaves something else there, makes a collection and puts it
   *   nowhere, or returns a promise; whatever the recipe throws
   */
  update(recipe: (draft: ServiceDraft) => unknown): ServiceChange;

  /**
   * Applies patches of a change, all of them or none, as when one is undone by its
   * `inversePatches` or repeated on another service of the same data. Then tells the subscribers.
   *
   * @returns what changed
   * @throws InputError with the number of the patch that does not fit
   */
  applyPatches(patches: Iterable<Patch>): ServiceChange;

  /**
   * Has a function called after each change, in the order of changes. What it throws goes to
   * `onInternalError`, and concerns nobody else.
   *
   * @returns a function that ends this
   */
  subscribe(subscriber: Subscriber): () => void;

  /**
   * Has a function called with an answer: at once, and after each change that alters it. Told
   * in the order of subscribers; what it throws goes to `onInternalError`.
   * Cost: what asking costs, at each change of the Files or of the Batch that it asks.
   *
   * @param method the operation that is asked
   * @param parameters its parameters; what is done with the array afterwards changes nothing
   * @param listener receives the answer, in arrays of its own
   * @param onError receives the error where a change leaves no answer: when the Batch is removed, or a
   *   List Field that the parameters name. The watch goes on, and when there is an answer again, the
   *   listener is called. Without it the error goes to `onInternalError`.
   * @returns a function that ends this
   * @throws ServiceError where there is no answer now; InputError where a function is none
   */
  watch<Name extends MethodName>(
    method: Name,
    parameters: Readonly<Parameters<Service[Name]>>,
    listener: (answer: ReturnType<Service[Name]>) => void,
    onError?: (error: ServiceError) => void,
  ): () => void;
}

/**
 * Makes a service over Files and Batches. Everything is checked and copied at once; the input is
 * not kept.
 *
 * @throws InputError with the path of the first offending member, such as `files[3].size`
 */
export function createService(options: ServiceOptions = {}): Service {
  const { authenticate, onInternalError, files, batches, methodOptions } = readOptions(options);
  const store = new Store(
    loadFiles(files, methodOptions),
    loadBatches(batches, methodOptions),
    methodOptions,
    (thrown) => void internalError(thrown),
  );

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

  function dispatch(request: SearchFilesRequest): Response<SearchFilesResult>;
  function dispatch(request: GetBatchContactsRequest): Response<GetBatchContactsResult>;
  function dispatch(request: ServiceRequest): Response<SearchFilesResult | GetBatchContactsResult>;
  function dispatch(request: unknown): Response;
  function dispatch(input: unknown): Response {
    const request = readRequest(input);
    if (request instanceof RefusedRequest) return fail(request.id, request.error);
    try {
      const method = methods[parseMethod(request.method)];
      const [apiKey, ...parameters] = request.params;
      authorize(apiKey);
      return succeed(request.id, method(store, parameters, methodOptions));
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

  const ask: Ask = (method, parameters) =>
    plain(() => methods[method](store, parameters, methodOptions));
  const watches = new Watches(store, ask, methodOptions);

  return Object.freeze({
    searchFiles: (...parameters: unknown[]) =>
      plain(() => methods.searchFiles(store, parameters, methodOptions)),
    getBatchContacts: (...parameters: unknown[]) =>
      plain(() => methods.getBatchContacts(store, parameters, methodOptions)),
    dispatch,
    dispatchJson,
    get files() {
      return store.files;
    },
    get batches() {
      return store.batchesById;
    },
    update: (recipe: unknown) => store.update(recipe),
    applyPatches: (patches: unknown) => store.applyPatches(patches),
    subscribe: (subscriber: unknown) => store.subscribe(subscriber),
    watch: (...given: unknown[]) => watches.watch(given),
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
