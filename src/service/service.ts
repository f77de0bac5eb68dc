// The service: the two operations as plain calls, and behind the request and response envelope.

import { indexOptions, indexSettings } from "../collection/settings.ts";
import { buildDue, type BuildReport } from "../collection/snapshot/build-indexes.ts";
import type { IndexBuilding } from "../collection/index/indexes.ts";
import type { Patch } from "../collection/change/patch.ts";
import { anything, optional, readOptions, type OptionReaders } from "../schema/options.ts";
import type { Batch, BatchInput } from "./batch.ts";
import type { CollectionSettings } from "../collection/settings.ts";
import { Data, dataOf, hold, type Subscriber } from "../database/data.ts";
import type { AnyDatabase } from "../database/database.ts";
import { describe, InputError } from "../schema/errors.ts";
import type { DatabaseChange as ServiceChange } from "../database/changes.ts";
import { BatchesGroup } from "./batches-group.ts";
import { Clock } from "./clock.ts";
import { Dispatcher, parametersOf, type GiveResult } from "./dispatch.ts";
import type { ServiceDraft } from "./draft/batch-draft.ts";
import { ServiceError } from "./errors.ts";
import type { FileInput } from "./file.ts";
import { loadBatches, loadFiles, type Files } from "./load.ts";
import { answer, callsBy } from "./methods.ts";
import { commonOptions, commonSettings, type CommonOptions } from "./options.ts";
import type { AnswerTo, MethodCalls, MethodName, ParametersOf, ResultOf } from "./request.ts";
import type { Answer } from "./response.ts";
import { FilesGroup, ServiceData, type ServiceState } from "./state.ts";
import { watch } from "./watch.ts";

export interface ServiceOptions extends CommonOptions {
  /** The Files. Default: none. */
  readonly files?: Iterable<FileInput> | undefined;
  /** The Batches: as input, or as another service has them, or `tercet/import` loads them. Default: none. */
  readonly batches?: Iterable<BatchInput | Batch> | undefined;
  /**
   * A database to which the Files and Batches are added: they change together with its collections, and last
   * in its store. What subscribers and listeners throw goes to the `onError` of the database. One opened
   * from a store has the service's data already. Default: one without other collections.
   */
  readonly database?: AnyDatabase | undefined;
  /**
   * When indexes are built that nobody named: `"auto"`, by the request that is next to use one, once
   * it pays; `"deferred"`, by {@link Service.buildDue}; `"none"`, never. Default `"auto"`, and
   * `"deferred"` where `limits.milliseconds` is given: no request then spends its time on building.
   */
  readonly indexes?: IndexBuilding | undefined;
  /** How many bytes the indexes of all Files and Batches may take that nobody named. Default: any number. */
  readonly indexBytes?: number | undefined;
}

export interface Service extends MethodCalls<"now"> {
  /**
   * Answers a request envelope, whatever it is: to a request by JSON-RPC 2.0 in its form, to an array
   * of requests by an array. Never throws.
   *
   * @returns the answer; `undefined` to notifications of JSON-RPC, which get none
   */
  dispatch<const Request>(request: Request): AnswerTo<Request>;

  /** {@link Service.dispatch}, with an `authenticate` that may answer by a promise. Never rejects. */
  dispatchAsync<const Request>(request: Request): Promise<AnswerTo<Request>>;

  /**
   * {@link Service.dispatch} from JSON text to JSON text. Never throws.
   *
   * @returns at most `limits.responseLength` characters; `""` where there is no answer
   */
  dispatchJson(text: string): string;

  /** {@link Service.dispatchJson}, with an `authenticate` that may answer by a promise. Never rejects. */
  dispatchJsonAsync(text: string): Promise<string>;

  /**
   * The text that `dispatchJson` answers, in pieces of about 64 Ki characters, of any length. Each is
   * made when it is asked for, from the data as they were at the call. Memory: that of a piece, and a
   * reference for each record of the result.
   *
   * Errors are answers as ever. Should the writing itself fail, halfway through an answer, the
   * iterator throws a ServiceError: the server must then break the connection off.
   */
  dispatchChunks(text: string): IterableIterator<string>;

  /**
   * {@link Service.dispatchChunks}, with an `authenticate` that may answer by a promise. It begins
   * when the first piece is asked for.
   */
  dispatchChunksAsync(text: string): AsyncIterableIterator<string>;

  /** The Files as they are now, to be prepared, explained, or queried as any collection. */
  readonly files: Files;

  /** The Batches by id; each holds the Contacts of all its Lists as one collection. */
  readonly batches: Readonly<Record<string, Batch>>;

  /**
   * Builds the indexes that requests would have built, had they had the time: see the option
   * `indexes`. What is not finished goes on at the next call.
   *
   * @param options `milliseconds`: ends soon after so long, a few at most. Default: when all are built
   * @throws InputError where an option is not valid
   */
  buildDue(options?: { readonly milliseconds?: number | undefined }): BuildReport;

  /**
   * Changes what the service answers from, as a whole or not at all. Then tells the subscribers,
   * unless the recipe changes nothing: values that are equal, in whatever form, are no change.
   * Cost: that of the changes of the collections, and of what the subscribers do. Patches are made
   * when they are first read, of the records that changed.
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
  watch<Name extends MethodName, const P extends readonly unknown[] = []>(
    method: Name,
    parameters: ParametersOf<Name, P>,
    listener: (answer: ResultOf<Name>) => void,
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
  return serviceWithData(options).service;
}

/** @internal {@link createService}, and the data of what it makes. */
export function serviceWithData(options: ServiceOptions): {
  readonly service: Service;
  readonly data: Data;
} {
  const { database: over, ...others } = readOptions(options, "options", serviceOptions);
  const { files, batches, indexBytes, ...given } = others;
  const settings = commonSettings(given);
  const { internalError, limits, methodOptions: checked } = settings;
  const { milliseconds } = limits;
  const { indexes = milliseconds === undefined ? "auto" : "deferred" } = given;
  const methodOptions = { ...checked, ...indexSettings({ indexes, indexBytes }) };
  const report = (thrown: unknown) => void internalError(thrown);
  const database = over ?? new Data("service", [], report);
  const data = serviceDataIn(database, { files, batches }, methodOptions);
  const dispatcher = new Dispatcher(settings);

  function plain(name: MethodName, parameters: readonly unknown[]): unknown {
    try {
      return new Clock(limits.milliseconds).run((deadline) =>
        answer(name, parameters, data, { options: methodOptions, deadline }),
      );
    } catch (thrown) {
      throw thrown instanceof ServiceError ? thrown : internalError(thrown);
    }
  }

  /** Answers calls from a state. */
  function resultsOf(state: ServiceState): GiveResult {
    return (call, deadline) =>
      answer(call.method, parametersOf(call), state, { options: methodOptions, deadline });
  }
  const current = resultsOf(data);
  /** From a state that stays as it is now, for an answer that is written bit by bit. */
  const captured = () => resultsOf(data.capture());

  function dispatch<Request>(request: Request): AnswerTo<Request>;
  function dispatch(request: unknown): Answer {
    return dispatcher.answer(dispatcher.open(request), current);
  }

  function dispatchAsync<Request>(request: Request): Promise<AnswerTo<Request>>;
  async function dispatchAsync(request: unknown): Promise<Answer> {
    return dispatcher.answer(await dispatcher.settle(dispatcher.open(request)), current);
  }

  async function dispatchJsonAsync(text: string): Promise<string> {
    return dispatcher.wholeText(await dispatcher.settle(dispatcher.openText(text)), current);
  }

  async function* dispatchChunksAsync(text: string): AsyncGenerator<string, void> {
    const message = await dispatcher.settle(dispatcher.openText(text));
    for (const piece of dispatcher.pieces(message, captured())) yield piece;
  }

  const service: Service = Object.freeze({
    ...callsBy<"now">(plain),
    dispatch,
    dispatchAsync,
    dispatchJson: (text: string) => dispatcher.wholeText(dispatcher.openText(text), current),
    dispatchJsonAsync,
    dispatchChunks: (text: string) => dispatcher.pieces(dispatcher.openText(text), captured()),
    dispatchChunksAsync,
    get files() {
      return data.files;
    },
    get batches() {
      return data.batchesById;
    },
    buildDue: (options: unknown = {}) => {
      const snapshots = Array.from(database.parts(), ({ collection }) => collection.state.snapshot);
      return buildDue(snapshots, options);
    },
    update: (recipe: unknown) => database.update(recipe),
    applyPatches: (patches: unknown) => database.applyPatches(patches),
    subscribe: (subscriber: unknown) => database.subscribe(subscriber),
    watch: (...given: unknown[]) => watch(database, plain, methodOptions, given),
  });
  hold(service, database);
  return { service, data: database };
}

function readDatabase(given: unknown, path: string): Data {
  const data = dataOf(given);
  if (data !== undefined) return data;
  throw new InputError(path, `must be made by createDatabase(), not ${describe(given)}`);
}

/**
 * The Files and Batches of a database, which gets them unless it has them.
 *
 * @throws InputError where it has them and others are given, or is in a store without them
 */
function serviceDataIn(
  data: Data,
  given: { readonly files: unknown; readonly batches: unknown },
  options: CollectionSettings,
): ServiceData {
  const [files, batches] = [data.groups.get("files"), data.groups.get("batches")];
  if (files instanceof FilesGroup && batches instanceof BatchesGroup) {
    for (const name of ["files", "batches"] as const) {
      if (given[name] === undefined) continue;
      throw new InputError(
        `options.${name}`,
        "must be left out: the database has a service's data",
      );
    }
    return new ServiceData(data, files, batches);
  }
  const ofFiles = new FilesGroup(loadFiles(given.files ?? [], options));
  const ofBatches = new BatchesGroup(loadBatches(given.batches ?? [], options), options);
  data.add(ofFiles);
  data.add(ofBatches);
  return new ServiceData(data, ofFiles, ofBatches);
}

/** How the options are read: a misspelt `authenticate` must not leave the door open. */
const serviceOptions = {
  files: anything,
  batches: anything,
  database: optional(readDatabase),
  ...commonOptions,
  ...indexOptions,
} satisfies OptionReaders<Record<keyof ServiceOptions, unknown>>;
