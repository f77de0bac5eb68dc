// The two operations over the tables of a service. Their parameters are checked by what checks those of
// the service in memory, before any statement is sent; but of List Fields, which the table of Lists knows.

import { EVERY_ROW, type ParsedQuery } from "../collection/plan/query.ts";
import { string, type WireValue } from "../schema/field.ts";
import { fieldOf, type Schema } from "../schema/schema.ts";
import { Contact, type ContactRecord, type List } from "../service/contact.ts";
import { File, type FileRecord } from "../service/file.ts";
import { Lists } from "../service/lists.ts";
import { ServiceError } from "../service/errors.ts";
import { checkRows } from "../service/limits.ts";
import { noBatch, parsePage, readBatchId, type CallContext } from "../service/parameters.ts";
import type { BatchContacts, MethodName, ResultOf } from "../service/request.ts";
import type { Writing } from "./condition.ts";
import type { Dialect } from "./dialect.ts";
import { patiently, type Drivers } from "./drivers.ts";
import { listFieldKey, readListFields } from "./list-fields.ts";
import { selectedOf, sourceOf, type Source } from "./records.ts";
import { ConsistencyError } from "./shard.ts";
import type { TextForm } from "./statement.ts";
import type { Tables } from "./tables.ts";

/** What may be asked, by when, and what tells that nobody waits any more. */
export interface Waiting extends CallContext {
  readonly signal: AbortSignal;
}

/** An operation: its parameters, without the api key, to its result. */
export type Operation<Result> = (
  parameters: readonly unknown[],
  waiting: Waiting,
) => Promise<Result>;

type Operations = { readonly [Name in MethodName]: Operation<ResultOf<Name>> };

/** The operations over tables that drivers ask. */
export function operationsOver(
  drivers: Drivers,
  { files, contacts, lists, shard }: Tables,
  dialect: Dialect,
  texts: TextForm,
): Operations {
  const { quote } = dialect;
  const fileRecords = sourceOf(File, files, dialect, texts);
  const contactRecords = sourceOf(Contact, contacts, dialect, texts);
  const listPlace = contactRecords.selected.length;
  const known = new KnownLists();
  const ofBatch = (column: string, batch: string) => (writing: Pick<Writing, "parameters">) =>
    `${quote(column)} = ${dialect.bind(Number(batch), writing.parameters)}`;
  const listFields = { field: string(), value: quote(lists.fields) };
  const listRows = (batch: string): Source => ({
    ...contactRecords,
    table: lists.name,
    position: quote(lists.position),
    selected: [quote(lists.list), selectedOf(listFields, contactRecords)],
    within: ofBatch(lists.batch, batch),
  });
  /** The version of a Batch's Lists, which is in the row of the Batch itself. */
  const versionOf = (batch: string) => (writing: Writing) =>
    `(SELECT ${listFields.value} FROM ${lists.name} WHERE ${ofBatch(lists.batch, batch)(writing)} AND ${quote(lists.list)} IS NULL)`;

  async function askForLists(batch: string, signal: AbortSignal): Promise<DeclaredLists> {
    const { answers } = await drivers.ask(listRows(batch), EVERY_ROW, { shard }, signal);
    // A Batch that is spread over several databases has its Lists in each.
    const [rows, ...others] = answers
      .map((answer) => answer.rows.map(([id, fields]) => [id, fields]))
      .filter(({ length }) => length > 0);
    if (rows === undefined) throw noBatch(batch);
    const text = JSON.stringify(rows);
    if (others.some((other) => JSON.stringify(other) !== text)) throw changedLists(batch);
    return known.declare(batch, text, rows);
  }

  /** The Contacts of a Batch, and what stands for the columns of its List Fields. */
  const contactRows = (batch: string, { codec: { schema } }: Lists): Source => ({
    ...contactRecords,
    selected: [...contactRecords.selected, quote(contacts.list)],
    within: ofBatch(contacts.batch, batch),
    columnsOf: (name) => {
      const field = fieldOf(schema, name);
      if (field === undefined || contacts.fields.has(name)) return contactRecords.columnsOf(name);
      const text = dialect.listField(quote(contacts.listFields), listFieldKey(name));
      return { field, text, value: field.type === "int" ? dialect.toInt(text) : text };
    },
  });

  /** Each driver is asked for all that comes before a page: no more than a result may have. */
  function parse(
    schema: Schema,
    parameters: readonly unknown[],
    first: number,
    context: CallContext,
  ): ParsedQuery {
    const query = parsePage(schema, parameters, first, context);
    const { maxRows } = context.options;
    if (drivers.count > 1 && query.offset > maxRows) {
      const reason = `must be at most ${maxRows}, not ${query.offset}: several databases are asked for all that comes before a page`;
      throw new ServiceError(310, `offset: ${reason}`);
    }
    return query;
  }

  async function contactsOf(
    batch: string,
    { lists: declared, version }: DeclaredLists,
    query: ParsedQuery,
    { signal, options }: Waiting,
  ): Promise<BatchContacts> {
    const groups: Record<string, ContactRecord[]> = {};
    for (const id of declared.ids) groups[id] = [];
    if (query.limit === 0) return groups;
    const asides = { shard, version: versionOf(batch) };
    const asked = contactRows(batch, declared);
    const { rows, versions } = await drivers.page(asked, query, asides, signal);
    const told = versions.filter((each) => each !== null && each !== "");
    if (told.length === 0 || told.some((each) => each !== version)) throw changedLists(batch);
    checkRows(rows.length, options.maxRows);
    for (const values of rows) {
      const group = groups[values[listPlace] ?? ""];
      if (group === undefined) throw changedLists(batch);
      group.push(contactRecords.make(values) as ContactRecord);
    }
    return groups;
  }

  return {
    async searchFiles(parameters, context) {
      const query = parse(File, parameters, 0, context);
      if (query.limit === 0) return [];
      const { signal, options } = context;
      const { rows } = await patiently(signal, () =>
        drivers.page(fileRecords, query, { shard }, signal),
      );
      checkRows(rows.length, options.maxRows);
      return rows.map((values) => fileRecords.make(values)) as FileRecord[];
    },

    getBatchContacts(parameters, waiting) {
      const batch = readBatchId(parameters[0]);
      const { signal } = waiting;
      return patiently(signal, async () => {
        const kept = known.of(batch);
        const query = kept && attempt(() => parse(kept.lists.codec.schema, parameters, 1, waiting));
        try {
          // What is kept does not stand by itself: it refuses nothing, and needs a page that has its version.
          if (kept !== undefined && query !== undefined && query.limit > 0) {
            return await contactsOf(batch, kept, query, waiting);
          }
          const declared = await askForLists(batch, signal);
          const asked = parse(declared.lists.codec.schema, parameters, 1, waiting);
          return await contactsOf(batch, declared, asked, waiting);
        } catch (thrown) {
          if (thrown instanceof ConsistencyError) known.forget(batch);
          throw thrown;
        }
      });
    },
  };
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A change came between the question for the Lists of a Batch and the one for its Contacts. */
const changedLists = (batch: string) =>
  new ConsistencyError(`the Lists of Batch ${batch} are not those that its Contacts are of`, true);

/** The Lists of a Batch as they were declared when it was asked for them. */
interface DeclaredLists {
  readonly text: string;
  readonly version: WireValue;
  readonly lists: Lists;
}

/** Of how many Batches they are kept: asking for them costs a statement, and making a record type of them more. */
const MOST_KNOWN = 1000;

class KnownLists {
  readonly #known = new Map<string, DeclaredLists>();

  of(batch: string): DeclaredLists | undefined {
    return this.#known.get(batch);
  }

  forget(batch: string): void {
    this.#known.delete(batch);
  }

  declare(batch: string, text: string, rows: readonly ListRow[]): DeclaredLists {
    const known = this.#known.get(batch);
    if (known?.text === text) return known;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= MOST_KNOWN) this.#known.delete(oldest);
    const own = rows.find(([id]) => id === null);
    const declared = { text, version: own?.[1] ?? null, lists: Lists.of(listsIn(rows)) };
    this.#known.set(batch, declared);
    return declared;
  }
}

/** The id of a List, and its List Fields; without an id, those of the Batch itself. */
type ListRow = readonly (WireValue | undefined)[];

function* listsIn(rows: readonly ListRow[]): Generator<List, void> {
  for (const [id, fields] of rows) {
    if (id !== null && id !== undefined) yield { id, fields: readListFields(fields ?? null) };
  }
}
