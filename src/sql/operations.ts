// The two operations over the tables of a service. Their parameters are checked by what checks those of
// the service in memory, before any statement is sent; but of List Fields, which the table of Lists knows.

import type { WireValue } from "../schema/field.ts";
import { fieldOf } from "../schema/schema.ts";
import { Contact, type ContactRecord } from "../service/contact.ts";
import { File, type FileRecord } from "../service/file.ts";
import { Lists, type List } from "../service/lists.ts";
import {
  checkRows,
  noBatch,
  parsePage,
  readBatchId,
  type Allowance,
  type BatchContacts,
  type MethodName,
} from "../service/methods.ts";
import { columnsIn, selectRecords, type TextForm } from "./records.ts";
import type { Dialect } from "./dialect.ts";
import type { Drivers } from "./drivers.ts";
import { listFieldKey, readListFields } from "./list-fields.ts";
import { nameOf, type FieldColumns } from "./names.ts";
import type { PageSource } from "./page.ts";
import type { Parameter, Statement } from "./statement.ts";
import type { Tables } from "./tables.ts";

/** What may be asked, by when, and what tells that nobody waits any more. */
export interface Waiting extends Allowance {
  readonly signal: AbortSignal;
}

/** An operation: its parameters, without the api key, to its result. */
export type Operation<Result> = (
  parameters: readonly unknown[],
  waiting: Waiting,
) => Promise<Result>;

interface Operations extends Readonly<Record<MethodName, Operation<unknown>>> {
  readonly searchFiles: Operation<FileRecord[]>;
  readonly getBatchContacts: Operation<BatchContacts>;
}

/** The operations over tables that drivers ask. */
export function operationsOver(
  drivers: Drivers,
  { files, contacts, lists }: Tables,
  dialect: Dialect,
  texts: TextForm,
): Operations {
  const fileRecords = selectRecords(File, files, dialect, texts);
  const contactRecords = selectRecords(Contact, contacts, dialect, texts);
  const listPlace = contactRecords.selected.length;
  const quotedListFields = dialect.quote(contacts.listFields);
  const declarations = new Declarations();

  const filePages: PageSource = {
    table: files.name,
    position: dialect.quote(files.position),
    selected: fileRecords.selected,
  };
  const contactPages = (batch: string): PageSource => ({
    table: contacts.name,
    position: dialect.quote(contacts.position),
    selected: [
      ...contactRecords.selected,
      `${dialect.quote(contacts.list)} AS ${nameOf(listPlace)}`,
    ],
    within: ({ parameters }) =>
      `${dialect.quote(contacts.batch)} = ${dialect.bind(Number(batch), parameters)}`,
  });

  function listsStatement(batch: string): Statement {
    const parameters: Parameter[] = [];
    const [id, fields, position, of] = [lists.list, lists.fields, lists.position, lists.batch].map(
      (name) => dialect.quote(name),
    );
    const value = texts === "bytes" ? dialect.toBytes(fields ?? "") : fields;
    const text = `SELECT ${id} AS ${nameOf(0)}, ${value} AS ${nameOf(1)} FROM ${lists.name} WHERE ${of} = ${dialect.bind(Number(batch), parameters)} ORDER BY ${position}`;
    return { text, parameters };
  }

  async function listsOf(batch: string, signal: AbortSignal): Promise<Lists> {
    const answers = await drivers.rows(listsStatement(batch), 2, signal);
    // A Batch that is spread over several databases has its Lists in each.
    const rows = answers.find(({ length }) => length > 0);
    if (rows === undefined) throw noBatch(batch);
    return declarations.of(rows);
  }

  /** The columns of Contact fields, and what stands for those of the List Fields of a Batch. */
  const contactColumns = ({ codec: { schema } }: Lists) => {
    const own = columnsIn(contacts);
    return (name: string): FieldColumns => {
      const field = fieldOf(schema, name);
      if (field === undefined || contacts.fields.has(name)) return own(name);
      const text = dialect.listField(quotedListFields, listFieldKey(name));
      return { field, text, value: field.type === "int" ? dialect.toInt(text) : text };
    };
  };

  return {
    async searchFiles(parameters, { signal, ...allowance }) {
      const query = parsePage(File, parameters, allowance);
      const writing = { dialect, texts, columnsOf: columnsIn(files) };
      const rows = await drivers.page(filePages, query, writing, signal);
      checkRows(rows.length, allowance);
      return rows.map((values) => fileRecords.make(values)) as FileRecord[];
    },

    async getBatchContacts([batchId, ...page], { signal, ...allowance }) {
      const batch = readBatchId(batchId);
      const declared = await listsOf(batch, signal);
      const query = parsePage(declared.codec.schema, page, allowance);
      const writing = { dialect, texts, columnsOf: contactColumns(declared) };
      const rows = await drivers.page(contactPages(batch), query, writing, signal);
      checkRows(rows.length, allowance);
      const groups: Record<string, ContactRecord[]> = {};
      for (const id of declared.ids) groups[id] = [];
      for (const values of rows) {
        groups[values[listPlace] ?? ""]?.push(contactRecords.make(values) as ContactRecord);
      }
      return groups;
    },
  };
}

/** How many declarations of Lists are kept: making a record type of List Fields takes longer than a query of them. */
const MOST_DECLARATIONS = 100;

/** Lists by the rows that declare them, so that what is kept can't be out of date. */
class Declarations {
  readonly #known = new Map<string, Lists>();

  of(rows: readonly (readonly WireValue[])[]): Lists {
    const text = JSON.stringify(rows);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= MOST_DECLARATIONS) this.#known.delete(oldest);
    const declared = Lists.of(listsIn(rows));
    this.#known.set(text, declared);
    return declared;
  }
}

function* listsIn(rows: readonly (readonly WireValue[])[]): Generator<List, void> {
  for (const [id, fields] of rows) {
    if (id !== null && id !== undefined) yield { id, fields: readListFields(fields ?? null) };
  }
}
