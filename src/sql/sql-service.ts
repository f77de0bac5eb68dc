// The service over an engine: the two operations and the envelope of `createService`, answered by
// promises. What is checked, in which order, and with which words, is the service's; only what is
// answered from is another.

import { anything, readOptions, type OptionReaders } from "../schema/options.ts";
import { Clock } from "../service/clock.ts";
import {
  Dispatcher,
  parametersOf,
  type GiveResult,
  type Message,
  type PendingCall,
} from "../service/dispatch.ts";
import { ServiceError } from "../service/errors.ts";
import { commonOptions, commonSettings, type CommonOptions } from "../service/options.ts";
import { callsBy } from "../service/methods.ts";
import type { AnswerTo, MethodCalls, MethodName } from "../service/request.ts";
import type { Answer } from "../service/response.ts";
import type { DialectName } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { Drivers } from "./drivers.ts";
import { operationsOver } from "./operations.ts";
import { readTextForm } from "./records.ts";
import type { Run, TextForm } from "./statement.ts";
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
export interface SqlService extends MethodCalls<"later"> {
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
  const settings = commonSettings(given);
  const { internalError, limits, methodOptions } = settings;
  const dispatcher = new Dispatcher(settings);

  async function ask(
    method: MethodName,
    parameters: readonly unknown[],
    clock = new Clock(limits.milliseconds),
  ): Promise<unknown> {
    try {
      return await clock.wait<unknown>((signal, deadline) =>
        operations[method](parameters, { options: methodOptions, signal, deadline }),
      );
    } catch (thrown) {
      throw thrown instanceof ServiceError ? thrown : internalError(thrown);
    }
  }

  /** Asks for what each call is to be given, one after the other. */
  async function fetchResults({ calls, clock }: Message): Promise<GiveResult> {
    const results = new Map<PendingCall, () => unknown>();
    for (const call of calls) {
      if ("answer" in call || call.accepted !== true) continue;
      try {
        const result = await ask(call.method, parametersOf(call), clock);
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
    const message = await dispatcher.settle(dispatcher.open(request));
    return dispatcher.answer(message, await fetchResults(message));
  }

  return Object.freeze({
    ...callsBy<"later">((method, parameters) => ask(method, parameters)),
    dispatch,
    dispatchJson: async (text: string) => {
      const message = await dispatcher.settle(dispatcher.openText(text));
      return dispatcher.wholeText(message, await fetchResults(message));
    },
  });
}
