// The service over an engine: the two operations and the envelope of `createService`, answered by
// promises. What is checked, in which order, and with which words, is the service's; only what is
// answered from is another.

import { anything, readOptions, type OptionReaders } from "../schema/options.ts";
import { Dispatcher, parametersOf, type Exchange, type ResultOf } from "../service/dispatch.ts";
import type { OpenCall } from "../service/dispatch.ts";
import type { Answer } from "../service/envelope.ts";
import { ServiceError } from "../service/errors.ts";
import { Clock } from "../service/limits.ts";
import { commonOptions, commonSettings, type CommonOptions } from "../service/options.ts";
import type {
  AnswerTo,
  GetBatchContactsParameters,
  GetBatchContactsResult,
  SearchFilesParameters,
  SearchFilesResult,
} from "../service/request.ts";
import type { DialectName } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { Drivers } from "./drivers.ts";
import { operationsOver, type Operation } from "./operations.ts";
import { readTextForm, type TextForm } from "./records.ts";
import type { Run } from "./statement.ts";
import { readTables, type ServiceTables } from "./tables.ts";

export interface SqlServiceOptions extends CommonOptions {
  readonly dialect: DialectName;
  /**
   * The caller's driver; or several, of databases that hold a part of the records each. All of them are then asked
   * at once, for `offset + limit` records.
   */
  readonly run: Run | readonly Run[];
  /** The tables, where they are not those of `createTables`. */
  readonly tables?: ServiceTables | undefined;
  /** As {@link compileSql} has it. */
  readonly texts?: TextForm | undefined;
}

/** {@link Service}, answered by promises from the tables of an engine. */
export interface SqlService {
  /**
   * The Files that match, frozen, in a new array.
   *
   * @throws ServiceError 310 or 311; 100 beyond `limits.milliseconds`, or where a driver fails
   */
  searchFiles<
    const C = null,
    const Limit = null,
    const Offset = null,
    const SortBy = null,
    const Order = null,
  >(
    ...parameters: SearchFilesParameters<C, Limit, Offset, SortBy, Order>
  ): Promise<SearchFilesResult>;

  /**
   * The Contacts of a Batch that match, frozen, by List id; every List has its key.
   *
   * @throws ServiceError 308, 310 or 311; 100 beyond `limits.milliseconds`, or where a driver fails
   */
  getBatchContacts<
    const Id = null,
    const C = null,
    const Limit = null,
    const Offset = null,
    const SortBy = null,
    const Order = null,
  >(
    ...parameters: GetBatchContactsParameters<Id, C, Limit, Offset, SortBy, Order>
  ): Promise<GetBatchContactsResult>;

  /** Answers a request envelope, or an array of them one after the other. Never rejects. */
  dispatch<const Request>(request: Request): Promise<AnswerTo<Request>>;

  /** {@link SqlService.dispatch} from JSON text to JSON text. Never rejects. */
  dispatchJson(text: string): Promise<string>;
}

const serviceOptions = {
  dialect: dialectOf,
  run: (given, path) => new Drivers(given, path),
  tables: anything,
  texts: readTextForm,
  ...commonOptions,
} satisfies OptionReaders<Record<keyof SqlServiceOptions, unknown>>;

/**
 * Makes a service over the tables of an engine. No statement is sent before something is asked.
 *
 * @throws InputError with the path of the first option that is not valid
 */
export function createSqlService(options: SqlServiceOptions): SqlService;
export function createSqlService(options: unknown): SqlService {
  const given = readOptions(options, "options", serviceOptions);
  const { dialect, run, texts } = given;
  const operations = operationsOver(run, readTables(dialect, given.tables), dialect, texts);
  const { authenticate, internalError, limits, methodOptions } = commonSettings(given);
  const dispatcher = new Dispatcher({ authenticate, limits, internalError });

  async function ask<Result>(
    operation: Operation<Result>,
    parameters: readonly unknown[],
    clock: Clock,
  ): Promise<Result> {
    try {
      return await clock.wait((signal, deadline) =>
        operation(parameters, { options: methodOptions, signal, deadline }),
      );
    } catch (thrown) {
      throw thrown instanceof ServiceError ? thrown : internalError(thrown);
    }
  }

  const plain =
    <Result>(operation: Operation<Result>) =>
    (...parameters: unknown[]) =>
      ask(operation, parameters, new Clock(limits.milliseconds));

  /** Asks for what each call is to be given, one after the other. */
  async function fetchResults({ calls, clock }: Exchange): Promise<ResultOf> {
    const results = new Map<OpenCall, () => unknown>();
    for (const call of calls) {
      if ("answer" in call || call.accepted !== true) continue;
      try {
        const result = await ask<unknown>(operations[call.method], parametersOf(call), clock);
        results.set(call, () => result);
      } catch (thrown) {
        results.set(call, () => {
          throw thrown;
        });
      }
    }
    return (call) => results.get(call)?.();
  }

  function dispatch<Request>(request: Request): Promise<AnswerTo<Request>>;
  async function dispatch(request: unknown): Promise<Answer> {
    const exchange = await dispatcher.settle(dispatcher.open(request));
    return dispatcher.answer(exchange, await fetchResults(exchange));
  }

  return Object.freeze({
    searchFiles: plain(operations.searchFiles),
    getBatchContacts: plain(operations.getBatchContacts),
    dispatch,
    dispatchJson: async (text: string) => {
      const exchange = await dispatcher.settle(dispatcher.openText(text));
      return dispatcher.wholeText(exchange, await fetchResults(exchange));
    },
  });
}
