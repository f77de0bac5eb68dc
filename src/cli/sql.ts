// `tercet sql`: what an engine would be asked, as `createSqlService` asks it, and the tables that it would
// be asked of. Nothing is sent anywhere.

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
import { pageOf, type PageFlags } from "./search.ts";

export interface SqlOptions extends PageFlags, Pick<ContactFlags, "listField"> {
  readonly dialect?: string;
  /** The id of the Batch whose Contacts are asked for. */
  readonly batch?: string;
}

/** Prints the statement for a page of Files, or of the Contacts of a Batch, and its parameters as JSON. */
export async function printQuery(options: SqlOptions): Promise<void> {
  if (options.batch === undefined && options.listField !== undefined) {
    throw new UsageError("--list-field: needs --batch, for Files have none");
  }
  const statement = await statementFor(options, pageOf(options));
  await send(process.stdout, `${statement.text}\n${JSON.stringify(statement.parameters)}\n`);
}

/** What the service asks last: the Lists of a Batch are asked for before its Contacts. */
async function statementFor(options: SqlOptions, page: readonly unknown[]): Promise<Statement> {
  const { batch } = options;
  const fields = JSON.stringify(Object.entries(listFieldsOf(options) ?? {}));
  // The Batch and its List, as tables would have them.
  const lists = [
    [null, "", 0, 0, 1, 0, null],
    [1, fields, 1, 0, 1, 0, null],
  ];
  let asked: Statement | undefined;
  let isForLists = batch !== undefined;
  const service = createSqlService({
    dialect: dialectOf(options),
    run: (text, parameters) => {
      if (!isForLists) asked = { text, parameters };
      isForLists = false;
      return asked === undefined ? Promise.resolve(lists) : Promise.reject(new Error("not sent"));
    },
  });
  try {
    // The parameters are what was typed; the service checks them.
    if (batch === undefined) await service.searchFiles(...(page as []));
    else await service.getBatchContacts(batch, ...(page as []));
  } catch (thrown) {
    if (asked === undefined) throw thrown;
  }
  if (asked === undefined) throw new UsageError("--limit: 0 asks an engine for nothing");
  return asked;
}

export interface TablesOptions {
  readonly dialect?: string;
  readonly filesIndex?: readonly string[];
  readonly contactsIndex?: readonly string[];
}

/** Prints the statements that make the tables of a service. */
export async function printTables(options: TablesOptions): Promise<void> {
  const indexes = { files: options.filesIndex, contacts: options.contactsIndex };
  const statements = createTables({
    dialect: dialectOf(options),
    // Whether these are fields is for createTables to say.
    indexes: indexes as ServiceIndexes,
  });
  for (const { text } of statements) await send(process.stdout, `${text};\n`);
}

function dialectOf({ dialect }: { readonly dialect?: string }): DialectName {
  if (dialect === undefined) throw new UsageError("--dialect: says which engine, such as postgres");
  // Whether there is one of that name is for the library to say.
  return dialect as DialectName;
}
