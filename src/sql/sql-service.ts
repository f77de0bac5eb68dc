// The service over an engine: the two operations and the envelope of `createService`, as promises. It shares the
// service's checks, including their order and messages. All parameters are checked before the first statement, except
// List Fields, which are in the table of Lists.

import { EVERY_ROW, type ParsedQuery } from "../engine/query.ts";
import { InputError, orUndefined } from "../schema/errors.ts";
import { string } from "../schema/declare.ts";
import { type TextValue } from "../schema/field.ts";
import { anything, flag, optional, readOptions, type OptionReaders } from "../schema/options.ts";
import { fieldOf } from "../schema/names.ts";
import { Clock } from "../service/clock.ts";
import { Contact, type ContactRecord } from "../service/contact.ts";
import {
  dispatcherOf,
  type GiveResult,
  type Message,
  type PendingCall,
} from "../service/dispatch.ts";
import { ServiceError } from "../service/errors.ts";
import { File, type FileRecord } from "../service/file.ts";
import { Lists } from "../service/lists.ts";
import { callsBy, parametersOf } from "../service/methods.ts";
import {
  checkRows,
  commonOptions,
  commonSettings,
  type CommonOptions,
} from "../service/options.ts";
import { noBatch, parsePage, readBatchId, type CallContext } from "../service/parameters.ts";
import type { AnswerTo, BatchContacts, MethodCalls, MethodName } from "../service/request.ts";
import type { Writing } from "./condition.ts";
import type { Dialect, DialectName, Run, TextForm } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { ConsistencyError, patiently } from "./consistency.ts";
import { ask as askDriver, readRun } from "./driver.ts";
import { listFieldKey, readListFields } from "./list-fields.ts";
import { columnIn, named } from "./result-columns.ts";
import { readTables, type ServiceTables, type Tables } from "./names.ts";
import { readTextForm, selectedOf, sourceOf, type Source } from "./records.ts";
import { deepPageStatement, pageStatement, pageWithValue } from "./select.ts";

/** The options of `createSqlService`. */
export interface SqlServiceOptions extends CommonOptions {
  readonly dialect: DialectName;
  /** The caller's driver. */
  readonly run: Run;
  /** The tables, if they were not made by `createTables`. */
  readonly tables?: ServiceTables | undefined;
  /** See {@link CompileOptions.texts}. */
  readonly texts?: TextForm | undefined;
  /**
   * Whether `createTables` made indexes of substrings. `contains` and `ends_with` then use them for three or more
   * characters. Default `false`.
   */
  readonly substrings?: boolean | undefined;
}

/** The methods of a {@link Service}, as promises, over the tables of an engine. */
export interface SqlService extends MethodCalls<"later"> {
  /** Runs a request, or an array of requests in sequence. Never rejects. */
  dispatch<const Request>(request: Request): Promise<AnswerTo<Request>>;

  /** {@link SqlService.dispatch} from JSON text to JSON text. Never rejects. */
  dispatchJson(text: string): Promise<string>;
}

const serviceOptions = {
  dialect: dialectOf,
  run: readRun,
  tables: anything,
  texts: readTextForm,
  substrings: optional(flag, false),
  ...commonOptions,
} satisfies OptionReaders<Record<keyof SqlServiceOptions, unknown>>;

/**
 * Makes a service over the tables of an engine. No statement is sent before the first request.
 *
 * @throws InputError with the path of the first option that is not valid
 */
export function createSqlService(options: SqlServiceOptions): SqlService {
  const given = readOptions(options, "options", serviceOptions);
  const { run, texts } = given;
  const { substrings } = given.dialect;
  if (given.substrings && substrings === undefined) {
    throw new InputError("options.substrings", `need PostgreSQL, not ${given.dialect.name}`);
  }
  const dialect = given.substrings ? { ...given.dialect, ...substrings } : given.dialect;
  const tables = readTables(dialect, given.tables);
  const operations = operationsOver(run, tables, dialect, texts);
  const settings = commonSettings(given);
  const { internalError, limits, methodOptions } = settings;
  const dispatcher = dispatcherOf(settings);

  async function ask(
    method: MethodName,
    parameters: () => readonly unknown[],
    clock = new Clock(limits.milliseconds),
  ): Promise<unknown> {
    try {
      return await clock.wait<unknown>((signal, deadline) =>
        patiently<unknown>(signal, async () => {
          const waiting = { options: methodOptions, signal, deadline };
          return operations[method](parameters(), waiting);
        }),
      );
    } catch (thrown) {
      throw thrown instanceof ServiceError ? thrown : internalError(thrown);
    }
  }

  /** Runs the calls in sequence. */
  async function fetchResults({ calls, clock }: Message): Promise<GiveResult> {
    const results = new Map<PendingCall, PromiseSettledResult<unknown>>();
    for (const call of calls) {
      if ("answer" in call || call.accepted !== true) continue;
      const asked = ask(call.method, () => parametersOf(call), clock);
      for (const settled of await Promise.allSettled([asked])) results.set(call, settled);
    }
    return (call) => {
      const settled = results.get(call);
      if (settled?.status === "rejected") throw settled.reason;
      return settled?.value;
    };
  }

  return Object.freeze<SqlService>({
    ...callsBy<"later">((method, parameters) => ask(method, () => parameters)),
    dispatch: async (request: unknown) => {
      const message = await dispatcher.settle(dispatcher.open(request));
      // The envelope guarantees what `AnswerTo` says.
      return dispatcher.answer(message, await fetchResults(message)) as never;
    },
    dispatchJson: async (text: string) => {
      const message = await dispatcher.settle(dispatcher.openText(text));
      return dispatcher.wholeText(message, await fetchResults(message));
    },
  });
}

/** The limits of a call, its deadline, and its signal. */
interface Waiting extends CallContext {
  readonly signal: AbortSignal;
}

/** The operations on the tables, without the api key. */
function operationsOver(
  run: Run,
  { files, contacts, lists }: Tables,
  dialect: Dialect,
  texts: TextForm,
) {
  const inLists = (column: string) => columnIn(lists.name, column, dialect);
  const inContacts = (column: string) => columnIn(contacts.name, column, dialect);
  const fileRecords = sourceOf(File, files, dialect, texts);
  const contactRecords = sourceOf(Contact, contacts, dialect, texts);
  const listPlace = contactRecords.selected.length;
  const known = new Map<string, DeclaredLists>();
  const idOf =
    (batch: string) =>
    ({ parameters }: Writing) =>
      dialect.bind(Number(batch), parameters);
  const ofBatch = (column: string, batch: string) => (writing: Writing) =>
    `${column} = ${idOf(batch)(writing)}`;
  const listFields = { field: string(), value: inLists(lists.fields) };
  const listRows = (batch: string): Source => ({
    ...contactRecords,
    table: lists.name,
    position: inLists(lists.position),
    selected: [inLists(lists.list), selectedOf(listFields, contactRecords)].map(named),
    within: ofBatch(inLists(lists.batch), batch),
  });
  /** The version of a Batch's Lists, which is in the row of the Batch itself. */
  const versionOf = (batch: string) => (writing: Writing) =>
    `(SELECT ${listFields.value} FROM ${lists.name} WHERE ${ofBatch(inLists(lists.batch), batch)(writing)} AND ${inLists(lists.list)} IS NULL)`;

  async function askForLists(batch: string, signal: AbortSignal): Promise<DeclaredLists> {
    const rows = await askDriver(run, pageStatement(listRows(batch), EVERY_ROW), 2, signal);
    if (rows.length === 0) throw noBatch(batch);
    const text = JSON.stringify(rows);
    const kept = known.get(batch);
    if (kept?.text === text) return kept;
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= MOST_KNOWN) known.delete(oldest);
    // The row without a List id is that of the Batch itself.
    const version = rows.find(([id]) => id === null)?.[1] ?? null;
    const given = rows.flatMap(([id = null, fields = null]) =>
      id === null ? [] : [{ id, fields: readListFields(fields) }],
    );
    const declared = { text, version, lists: new Lists(given) };
    known.set(batch, declared);
    return declared;
  }

  /** The Contacts of a Batch, and the expressions of its List Fields. */
  const contactRows = (batch: string, { codec: { schema } }: Lists): Source => ({
    ...contactRecords,
    selected: [...contactRecords.selected, named(inContacts(contacts.list), listPlace)],
    within: ofBatch(inContacts(contacts.batch), batch),
    columnsOf: (name) => {
      const field = fieldOf(schema, name);
      if (field === undefined || contacts.fields.has(name)) return contactRecords.columnsOf(name);
      const text = dialect.listField(inContacts(contacts.listFields), listFieldKey(name));
      const isInt = field.type === "int";
      return {
        field: { ...field, type: isInt ? "int" : "string" },
        text,
        value: isInt ? dialect.toInt(text) : text,
      };
    },
  });

  async function contactsOf(
    batch: string,
    { lists: declared, version }: DeclaredLists,
    query: ParsedQuery,
    { signal, options }: Waiting,
  ): Promise<BatchContacts> {
    const groups: Record<string, ContactRecord[]> = {};
    for (const id of declared.ids) groups[id] = [];
    if (query.limit === 0) return groups;
    const page = pageWithValue(contactRows(batch, declared), query, versionOf(batch));
    const { rows, value } = page.read(await askDriver(run, page.statement, page.columns, signal));
    if (value === null || value !== version) throw changedLists(batch);
    checkRows(rows.length, options.maxRows);
    for (const values of rows) {
      const group = groups[values[listPlace] ?? ""];
      if (group === undefined) throw changedLists(batch);
      group.push(contactRecords.make(values) as ContactRecord);
    }
    return groups;
  }

  return {
    async searchFiles(parameters: readonly unknown[], waiting: Waiting): Promise<FileRecord[]> {
      const query = parsePage(File, parameters, 0, waiting);
      if (query.limit === 0) return [];
      const { signal, options } = waiting;
      const statement = deepPageStatement(fileRecords, query);
      const rows = await askDriver(run, statement, fileRecords.selected.length, signal);
      checkRows(rows.length, options.maxRows);
      return rows.map((values) => fileRecords.make(values)) as FileRecord[];
    },

    async getBatchContacts(parameters: readonly unknown[], waiting: Waiting) {
      const batch = readBatchId(parameters[0]);
      const kept = known.get(batch);
      const query =
        kept && orUndefined(() => parsePage(kept.lists.codec.schema, parameters, 1, waiting));
      try {
        // A cached version is used only together with a page of the same version.
        if (kept !== undefined && query !== undefined && query.limit > 0) {
          return await contactsOf(batch, kept, query, waiting);
        }
        const declared = await askForLists(batch, waiting.signal);
        const asked = parsePage(declared.lists.codec.schema, parameters, 1, waiting);
        return await contactsOf(batch, declared, asked, waiting);
      } catch (thrown) {
        if (thrown instanceof ConsistencyError) known.delete(batch);
        throw thrown;
      }
    },
  };
}

/** The tables changed between the statement for the Lists of a Batch and the one for its Contacts. */
const changedLists = (batch: string) =>
  new ConsistencyError(`the Lists of Batch ${batch} do not match the Lists of its Contacts`);

/** The Lists of a Batch when they were last read. */
interface DeclaredLists {
  readonly text: string;
  readonly version: TextValue;
  readonly lists: Lists;
}

/** How many Batches have their Lists cached: reading them takes a statement, and making their schema takes longer. */
const MOST_KNOWN = 1000;
