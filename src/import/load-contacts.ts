// Loads Contacts from rows into a Batch stored as columns.

import { collectionOf } from "../collection/create.ts";
import { FieldIndex } from "../engine/indexes/field-index.ts";
import { ColumnRows } from "../engine/columns/column-rows.ts";
import type { ColumnName } from "../engine/columns/rows.ts";
import { readSettings } from "../engine/settings.ts";
import { InputError } from "../schema/errors.ts";
import { Batch, loadBatch } from "../service/batch.ts";
import {
  Contact,
  LIST_FIELDS_MEMBER,
  LIST_MEMBER,
  type BatchContactInput,
} from "../service/contact.ts";
import { LIST, readLists, toId, type Lists } from "../service/lists.ts";
import { RecordForm, type ListFields } from "./form.ts";
import { formRows, type Overflow } from "./form-rows.ts";
import { SyncRecords } from "./reading.ts";
import { readRecords, type RecordsOptions } from "./records.ts";
import { Runs, spillOption, type Spill } from "./spill.ts";
import type { Sink } from "./sink.ts";
import type { SyncBytes } from "./source.ts";
import { toBatch, type ToBatchOptions } from "./to-batch.ts";
import { indexOfCodes, reordered } from "../engine/indexes/memory-index.ts";

/** The options of {@link loadContacts}. */
export interface LoadContactsOptions
  extends Omit<RecordsOptions<typeof Contact>, "schema">, ToBatchOptions {
  /** As for `loadCollection`. */
  readonly spill?: Spill | undefined;
}

/**
 * Loads Contacts from rows, each with its List, into a Batch for `createService`, with the Lists that the Contacts
 * name, in the order of their first mention. It takes a fraction of the memory of `createBatch`; Contacts are made
 * when returned. JSON without `listFields` is first read as records.
 *
 * @param source synchronous bytes
 * @throws InputError with the place, such as `line 17.send_id`
 */
export function loadContacts(source: SyncBytes, options: LoadContactsOptions): Batch {
  const { list = 1, listFields } = options;
  const spill = spillOption.spill(options.spill, "options.spill");
  const reading: unknown = readRecords(source, { ...options, schema: Contact });
  if (!(reading instanceof SyncRecords))
    throw new InputError("source", "must be synchronous bytes");
  const id = toId(options.id, "options.id");
  const otherwise = toId(list, "options.list");
  const tableOf = (fields: ListFields) => {
    const form = new RecordForm(Contact, fields, otherwise);
    const runs = spill && new ListRuns(spill, fields);
    const rows = formRows(form, reading.refusing, undefined, runs);
    return { fields, rows, runs };
  };
  let table = listFields && tableOf(listFields);
  const records: BatchContactInput[] = [];
  const sink: Sink = {
    json: table?.rows.json,
    createFiller(columns, format) {
      const names = columns.flatMap(({ path: [name, inner] }) =>
        name === LIST_FIELDS_MEMBER && inner !== undefined ? [inner] : [],
      );
      table ??= tableOf(Object.fromEntries(names.map((name) => [name, "string"])));
      return table.rows.createFiller(columns, format);
    },
    take(value, number, placeOf) {
      if (table !== undefined) table.rows.take(value, number, placeOf);
      else if (reading.refusing.takes(value, () => placeOf(number))) {
        records.push(value as BatchContactInput);
      }
    },
  };
  return reading.pour(sink, () => {
    const settings = readSettings({});
    if (table === undefined || table.rows.size() === 0) {
      return loadBatch(toBatch(records, options), "batch", settings);
    }
    const { fields, rows, runs } = table;
    const listed =
      runs !== undefined && rows.areOut() ? runs.merged() : byLists(rows.finish(), fields);
    const { lists } = listed;
    return new Batch(id, lists, collectionOf(lists.codec, settings, listed.rows));
  });
}

/** Contacts, List after List. */
interface Listed {
  readonly lists: Lists;
  readonly rows: ColumnRows;
}

/** A List of a run, and its rows there. */
interface ListRange {
  readonly run: number;
  readonly from: number;
  readonly to: number;
}

/** Runs of Contacts. Each is grouped by List, and so is the result of merging them. */
class ListRuns implements Overflow {
  readonly #runs: Runs;
  readonly #fields: ListFields;
  /** By the ids of the Lists, in the order of their first mention. */
  readonly #ranges = new Map<string, ListRange[]>();

  constructor(spill: Spill, fields: ListFields) {
    this.#runs = new Runs(spill);
    this.#fields = fields;
  }

  get bytes(): number {
    return this.#runs.bytes;
  }

  get isForAll(): boolean {
    return this.#runs.isForAll;
  }

  take(table: ColumnRows): void {
    const { lists, rows, sizes } = byLists(table, this.#fields);
    let from = 0;
    for (const [i, id] of lists.ids.entries()) {
      const to = from + (sizes[i] ?? 0);
      const range = { run: this.#runs.count, from, to };
      const known = this.#ranges.get(id);
      if (known === undefined) this.#ranges.set(id, [range]);
      else known.push(range);
      from = to;
    }
    this.#runs.add(lists.codec, rows);
  }

  merged(): Listed {
    const lists = listsOf([...this.#ranges.keys()], this.#fields);
    const all = [...this.#ranges.values()].flat();
    const order = {
      rows: all.reduce((sum, { from, to }) => sum + to - from, 0),
      files: all.map(({ run }) => run),
      from: all.map(({ from }) => from),
      to: all.map(({ to }) => to),
    };
    const rows = this.#runs.merged(lists.codec, { note: lists.toJSON(), order });
    return { lists, rows };
  }
}

const listsOf = (ids: readonly string[], fields: ListFields): Lists =>
  readLists(
    ids.map((id) => ({ id, fields })),
    "batch.lists",
  );

/** The rows of a table List after List, in the order of their first mention, and how many each has. */
function byLists(
  table: ColumnRows,
  fields: ListFields,
): Listed & { readonly sizes: readonly number[] } {
  const indexOf = (name: string) => {
    const index = table.indexOf(name);
    if (index === undefined) throw new RangeError(`the table has no column ${name}`);
    return index;
  };
  const { values, codes, order: byCode, starts } = indexOf(LIST_MEMBER);
  const mentioned = [...new Set(codes)];
  const ids = mentioned.map((code) => values.at(code) ?? "");
  const lists = listsOf(ids, fields);
  const order = new Uint32Array(table.size);
  const listsOfRows = new Uint32Array(table.size);
  const sorted = [null, ...ids.toSorted()];
  const codeOf = new Map(sorted.map((id, code) => [id, code]));
  const sizes: number[] = [];
  let row = 0;
  for (const [i, code] of mentioned.entries()) {
    const run = byCode.subarray(starts[code], starts[code + 1]);
    order.set(run, row);
    sizes.push(run.length);
    listsOfRows.fill(codeOf.get(ids[i] ?? null) ?? 0, row, (row += run.length));
  }
  const listIndex = indexOfCodes("string", sorted, listsOfRows);

  const isOrdered = order.every((from, to) => from === to);
  // Columns of equal values share one index.
  const ordered = new Map<FieldIndex, FieldIndex>();
  const inOrder = (index: FieldIndex) => {
    if (isOrdered) return index;
    const made = ordered.get(index) ?? reordered(index, order);
    ordered.set(index, made);
    return made;
  };
  const { codec } = lists;
  const indexes = new Map<ColumnName, FieldIndex>([[LIST, listIndex]]);
  for (const { name, field } of codec.schema.places) {
    const index = indexOf(field.stored ? name : `${LIST_FIELDS_MEMBER}.${name}`);
    indexes.set(name, inOrder(index));
  }
  return { lists, rows: new ColumnRows(codec.schema, table.size, indexes), sizes };
}
