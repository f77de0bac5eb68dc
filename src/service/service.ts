// The service: two operations, as plain calls and as requests.

import { observerOf, observerOptions, type QueryReportOptions } from "../engine/observer.ts";
import type { IndexBuilding } from "../engine/indexes/index-names.ts";
import {
  indexOptions,
  indexSettings,
  storageOption,
  type CollectionSettings,
  type RecordStorage,
} from "../engine/settings.ts";
import { DatabaseState, stateOf, register } from "../database/database-state.ts";
import {
  changing,
  type AnyDatabase,
  type Changing,
  type Database,
  type DatabaseDraft,
} from "../database/database.ts";
import type { Collections } from "../database/collections.ts";
import { copyOfAsked } from "../database/copy-asked.ts";
import { LiveQuery, type Asked, type Listening } from "../database/live-query.ts";
import { describe, InputError, notMadeBy } from "../schema/errors.ts";
import { reading } from "../schema/input.ts";
import {
  anything,
  callable,
  optional,
  readOptions,
  type OptionReaders,
} from "../schema/options.ts";
import type { Batch, BatchInput } from "./batch.ts";
import { BatchesMember } from "./batches-member.ts";
import { Clock } from "./clock.ts";
import { dispatcherOf, type GiveResult } from "./dispatch.ts";
import type { ServiceDraft } from "./draft.ts";
import { ServiceError } from "./errors.ts";
import type { FileInput } from "./file.ts";
import { answer, callsBy, methods, parametersOf, parseMethod } from "./methods.ts";
import { commonOptions, commonSettings, type CommonOptions } from "./options.ts";
import type { MethodOptions } from "./parameters.ts";
import type { AnswerTo, MethodCalls, MethodName, ParametersOf, ResultOf } from "./request.ts";
import { FilesMember, loadBatches, loadFiles, type Files, type ServiceState } from "./state.ts";

/** The options of `createService`. */
export interface ServiceOptions extends CommonOptions, QueryReportOptions {
  /** The Files. Default: none. */
  readonly files?: Iterable<FileInput> | undefined;
  /** The Batches: as input, from another service, or loaded by `tercet/import`. Default: none. */
  readonly batches?: Iterable<BatchInput | Batch> | undefined;
  /**
   * A database to which the Files and Batches are added: they change together with its collections, and are saved in
   * its store. Errors that subscribers and listeners throw go to the database's `onError`. A database opened from a
   * store already has the service's data. Default: a new one.
   */
  readonly database?: AnyDatabase | undefined;
  /**
   * When to build indexes automatically: `"auto"`, by the next request that uses one, once it would pay for itself;
   * `"deferred"`, in {@link Service.buildDue}; `"none"`, never. With `limits.milliseconds`, `"auto"` builds after the
   * response, in the time left. Default `"auto"`.
   */
  readonly indexes?: IndexBuilding | undefined;
  /**
   * The maximum bytes of automatically built indexes over all Files and Batches: the least recently used one makes room
   * for the next. Default: no limit.
   */
  readonly indexBytes?: number | undefined;
  /**
   * How Files and Contacts that are given as objects are stored: `"columns"` takes a fraction of the memory, and makes
   * a record when it is returned. Default `"objects"`.
   */
  readonly storage?: RecordStorage | undefined;
}

/**
 * The two operations over Files and Batches: as plain calls, as request envelopes, and with changes and live queries.
 *
 * @typeParam Draft the draft of recipes: over a database, its collections together with Files and Batches
 */
export interface Service<Draft extends ServiceDraft = ServiceDraft>
  extends MethodCalls<"now">, Changing<Draft> {
  /**
   * Runs a request, or an array of requests, in the contract's form or that of JSON-RPC 2.0. Never throws.
   *
   * @returns the response; `undefined` for JSON-RPC notifications
   */
  dispatch<const Request>(request: Request): AnswerTo<Request>;

  /** {@link Service.dispatch}, with an `authenticate` that may return a promise. Never rejects. */
  dispatchAsync<const Request>(request: Request): Promise<AnswerTo<Request>>;

  /**
   * {@link Service.dispatch} from JSON text to JSON text. Never throws.
   *
   * @returns at most `limits.responseLength` characters; `""` if there is no response
   */
  dispatchJson(text: string): string;

  /** {@link Service.dispatchJson}, with an `authenticate` that may return a promise. Never rejects. */
  dispatchJsonAsync(text: string): Promise<string>;

  /**
   * The response of `dispatchJson`, of any length, in pieces of about 64 Ki characters. Each piece is made when it is
   * requested, from the data at the time of the call. Memory: that of a piece, and a reference for each record of the
   * result.
   *
   * If writing fails halfway, the iterator throws a ServiceError, and the server must abort the connection.
   */
  dispatchChunks(text: string): IterableIterator<string>;

  /**
   * {@link Service.dispatchChunks}, with an `authenticate` that may return a promise. Starts when the first piece is
   * requested.
   */
  dispatchChunksAsync(text: string): AsyncIterableIterator<string>;

  /** The current Files: prepare, explain, or query them like any collection. */
  readonly files: Files;

  /** The current Batches by id, each with the Contacts of all its Lists as one collection. */
  readonly batches: Readonly<Record<string, Batch>>;

  /**
   * Calls a listener with the result: immediately, and after each change that alters it. Errors that the listener
   * throws go to `onInternalError`. Cost: that of the query, at each change that may alter the result.
   *
   * @param method the operation to call
   * @param parameters its parameters; later changes to the array have no effect
   * @param listener called with the result, in new arrays
   * @param onError called with a ServiceError if there is no result after a change, such as the removal of the Batch,
   *   or if it took longer than `limits.milliseconds`; the watch continues. Default: `onInternalError`
   * @returns a function that ends the watch
   * @throws ServiceError if there is no result now; InputError if a listener is not a function
   */
  watch<Name extends MethodName, const P extends readonly unknown[] = []>(
    method: Name,
    parameters: ParametersOf<Name, P>,
    listener: (answer: ResultOf<Name>) => void,
    onError?: (error: ServiceError) => void,
  ): () => void;
}

/**
 * Makes a service over Files and Batches. It checks and copies everything immediately, and keeps no reference to the
 * input.
 *
 * @throws InputError with the path of the first offending member, such as `files[3].size`
 */
export function createService<C extends Collections>(
  options: ServiceOptions & { readonly database: Database<C> },
): Service<ServiceDraft & DatabaseDraft<C>>;
export function createService(options?: ServiceOptions): Service;
export function createService(options: ServiceOptions = {}): Service {
  return serviceWithData(options).service;
}

/** @internal {@link createService}, with the data of the service. */
export function serviceWithData(options: ServiceOptions): {
  readonly service: Service;
  readonly data: DatabaseState;
} {
  const { database: over, ...others } = readOptions(options, "options", serviceOptions);
  const { files, batches, indexBytes, storage, onQuery, slowerThan, ...given } = others;
  const settings = commonSettings(given);
  const { internalError, limits, methodOptions: checked } = settings;
  const { milliseconds } = limits;
  const indexes = indexSettings({ indexes: given.indexes, indexBytes });
  const report = (thrown: unknown) => void internalError(thrown);
  const observer = observerOf({ onQuery, slowerThan }, report);
  const methodOptions = { ...checked, ...indexes, storage, observer };
  const data = over ?? new DatabaseState("service", [], report, milliseconds);
  const members = membersIn(data, { files, batches }, methodOptions);
  const state: ServiceState = {
    get files() {
      return members.files.collection;
    },
    get batches() {
      return members.batches.batches;
    },
  };
  const dispatcher = dispatcherOf(settings);

  function plain(name: MethodName, parameters: readonly unknown[]): unknown {
    const clock = new Clock(milliseconds);
    try {
      const result = clock.run((deadline) =>
        answer(name, parameters, state, { options: methodOptions, deadline }),
      );
      clock.spendRest(internalError);
      return result;
    } catch (thrown) {
      throw thrown instanceof ServiceError ? thrown : internalError(thrown);
    }
  }

  function resultsOf(asked: ServiceState): GiveResult {
    return (call, deadline) =>
      answer(call.method, parametersOf(call), asked, { options: methodOptions, deadline });
  }
  const current = resultsOf(state);
  /** The results of one version of the data, for a response that is written in pieces. Cost: linear in the Batches. */
  const captured = () => resultsOf({ files: state.files, batches: new Map(state.batches) });

  const service = Object.freeze<Service>({
    ...callsBy<"now">(plain),
    ...changing(data),
    // The envelope guarantees what `AnswerTo` says about a request's type.
    dispatch: (request: unknown) => dispatcher.answer(dispatcher.open(request), current) as never,
    dispatchAsync: async (request: unknown) =>
      dispatcher.answer(await dispatcher.settle(dispatcher.open(request)), current) as never,
    dispatchJson: (text: string) => dispatcher.wholeText(dispatcher.openText(text), current),
    dispatchJsonAsync: async (text: string) =>
      dispatcher.wholeText(await dispatcher.settle(dispatcher.openText(text)), current),
    dispatchChunks: (text: string) => dispatcher.pieces(dispatcher.openText(text), captured()),
    async *dispatchChunksAsync(text: string) {
      const message = await dispatcher.settle(dispatcher.openText(text));
      for (const piece of dispatcher.pieces(message, captured())) yield piece;
    },
    get files() {
      return state.files;
    },
    get batches() {
      return members.batches.byId;
    },
    watch: (...asked: unknown[]) => {
      const read = liveQuery(plain, methodOptions, asked);
      return data.subscribers.watch(new LiveQuery(read), read);
    },
  });
  register(service, data);
  return { service, data };
}

/** The live query of a method. */
function liveQuery(
  ask: (method: MethodName, parameters: readonly unknown[]) => unknown,
  options: MethodOptions,
  [givenMethod, givenParameters, givenListener, givenOnError]: readonly unknown[],
): Asked & Listening {
  const method = parseMethod(givenMethod);
  const parameters = reading("parameters", (): readonly unknown[] => {
    if (Array.isArray(givenParameters)) {
      return copyOfAsked<readonly unknown[]>(givenParameters, "parameters");
    }
    throw new InputError("parameters", `must be an array, not ${describe(givenParameters)}`);
  });
  const { watched, parameters: names } = methods[method];
  return {
    listener: callable(givenListener, "listener"),
    onError: optional(callable)(givenOnError, "onError"),
    source: watched(parameters),
    criteria: parameters[names.indexOf("search_criteria")],
    options,
    ask: () => ask(method, parameters),
    isResult: (thrown: unknown) => thrown instanceof ServiceError && thrown.code !== 100,
  };
}

function readDatabase(given: unknown, path: string): DatabaseState {
  const data = stateOf(given);
  if (data !== undefined) return data;
  throw new InputError(path, notMadeBy("createDatabase()", given));
}

/**
 * The Files and Batches of a database; they are added if it has none.
 *
 * @throws InputError if it has them and others are given, or if it is in a store without them
 */
function membersIn(
  data: DatabaseState,
  given: { readonly files: unknown; readonly batches: unknown },
  options: CollectionSettings,
): { readonly files: FilesMember; readonly batches: BatchesMember } {
  const [files, batches] = [data.members.get("files"), data.members.get("batches")];
  if (files instanceof FilesMember && batches instanceof BatchesMember) {
    const extra = (["files", "batches"] as const).find((name) => given[name] !== undefined);
    if (extra === undefined) return { files, batches };
    throw new InputError(
      `options.${extra}`,
      "must be omitted: the database already has Files and Batches, as one from a store always does; add to them with update()",
    );
  }
  const made = {
    files: new FilesMember(loadFiles(given.files ?? [], { ...options, name: "files" })),
    batches: new BatchesMember(loadBatches(given.batches ?? [], options), options),
  };
  data.add(made.files);
  data.add(made.batches);
  return made;
}

/**
 * The readers of the options. They throw for unknown options, since a misspelt `authenticate` would accept every key.
 */
const serviceOptions = {
  files: anything,
  batches: anything,
  database: optional(readDatabase),
  ...commonOptions,
  ...indexOptions,
  ...storageOption,
  ...observerOptions,
} satisfies OptionReaders<Record<keyof ServiceOptions, unknown>>;
