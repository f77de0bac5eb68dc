// `tercet sql` prints the statements that `createSqlService` would send to an engine, and those that create its tables.
// It sends nothing.

import {
  createSqlService,
  createTables,
  type DialectName,
  type ServiceIndexes,
  type Statement,
} from "../sql/index.ts";
import { UsageError } from "./errors.ts";
import { listFieldsOf, type ContactFlags } from "./formats.ts";
import { send } from "./output.ts";
import { pageOf } from "./asked.ts";
import type { PageFlags } from "./ask-flags.ts";

export interface SqlOptions extends PageFlags, Pick<ContactFlags, "listField"> {
  readonly dialect?: string;
  /** The id of the Batch whose Contacts to query. */
  readonly batch?: string;
}

/** Prints the statement for a page of Files, or of the Contacts of a Batch, and its parameters as JSON. */
export async function printQuery(options: SqlOptions): Promise<void> {
  if (options.batch === undefined && options.listField !== undefined) {
    throw new UsageError("--list-field: needs --batch; Files have no List Fields");
  }
  const statement = await statementFor(options, pageOf(options));
  await send(process.stdout, `${statement.text}\n${JSON.stringify(statement.parameters)}\n`);
}

/** The last statement of the service, which queries the Lists of a Batch before its Contacts. */
async function statementFor(options: SqlOptions, page: readonly unknown[]): Promise<Statement> {
  const { batch } = options;
  const fields = JSON.stringify(Object.entries(listFieldsOf(options) ?? {}));
  // The Batch and its List, as a database would return them.
  const lists = [
    [null, ""],
    [1, fields],
  ];
  let asked: Statement | undefined;
  let isForLists = batch !== undefined;
  const service = createSqlService({
    dialect: dialectOf(options),
    // The service is told that the statement was not sent.
    onInternalError: () => undefined,
    run: (text, parameters) => {
      if (!isForLists) asked = { text, parameters };
      isForLists = false;
      return asked === undefined ? Promise.resolve(lists) : Promise.reject(new Error("not sent"));
    },
  });
  try {
    // The service checks the parameters, which are as typed.
    if (batch === undefined) await service.searchFiles(...(page as []));
    else await service.getBatchContacts(batch, ...(page as []));
  } catch (thrown) {
    if (asked === undefined) throw thrown;
  }
  if (asked === undefined)
    throw new UsageError("--limit: must be at least 1, since 0 selects no rows");
  return asked;
}

export interface TablesOptions {
  readonly dialect?: string;
  readonly filesIndex?: readonly string[];
  readonly contactsIndex?: readonly string[];
}

/** Prints the statements that create the tables of a service. */
export async function printTables(options: TablesOptions): Promise<void> {
  const indexes = { files: options.filesIndex, contacts: options.contactsIndex };
  // createTables checks the names of the fields.
  const made = { dialect: dialectOf(options), indexes: indexes as ServiceIndexes };
  for (const { text } of createTables(made)) await send(process.stdout, `${text};\n`);
}

function dialectOf({ dialect }: { readonly dialect?: string }): DialectName {
  if (dialect === undefined)
    throw new UsageError("--dialect: must name an engine, such as postgres");
  // The library checks the name.
  return dialect as DialectName;
}
