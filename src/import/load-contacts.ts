// Loads Contacts from rows into a Batch stored as columns.

import { collectionOf } from "../collection/create.ts";
import { FieldIndex } from "../engine/indexes/field-index.ts";
import { ColumnRows } from "../engine/columns/column-rows.ts";
import type { ColumnName } from "../engine/columns/rows.ts";
import { readSettings, type CollectionSettings } from "../engine/settings.ts";
import { InputError } from "../schema/errors.ts";
import { Batch, loadBatch } from "../service/batch.ts";
import {
  Contact,
  LIST_FIELDS_MEMBER,
  LIST_MEMBER,
  type BatchContactInput,
} from "../service/contact.ts";
import { LIST, readLists, toId } from "../service/lists.ts";
import { RecordForm, type ListFields } from "./form.ts";
import { formRows } from "./form-rows.ts";
import { SyncRecords } from "./reading.ts";
import { readRecords, type RecordsOptions } from "./records.ts";
import type { Sink } from "./sink.ts";
import type { SyncBytes } from "./source.ts";
import { toBatch, type ToBatchOptions } from "./to-batch.ts";
import { indexOfCodes, reordered } from "../engine/indexes/memory-index.ts";

/** The options of {@link loadContacts}. */
export interface LoadContactsOptions
  extends Omit<RecordsOptions<typeof Contact>, "schema">, ToBatchOptions {}

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
  const reading: unknown = readRecords(source, { ...options, schema: Contact });
  if (!(reading instanceof SyncRecords))
    throw new InputError("source", "must be synchronous bytes");
  const id = toId(options.id, "options.id");
  const otherwise = toId(list, "options.list");
  const tableOf = (fields: ListFields) => {
    const form = new RecordForm(Contact, fields, otherwise);
    return { fields, rows: formRows(form, reading.refusing) };
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
    return table === undefined || table.rows.size() === 0
      ? loadBatch(toBatch(records, options), "batch", settings)
      : batchOf(id, table.rows.finish(), table.fields, settings);
  });
}

/** The Batch of a table: its Lists in the order of their first mention, each with its Contacts. */
function batchOf(id: string, table: ColumnRows, fields: ListFields, settings: CollectionSettings) {
  const indexOf = (name: string) => {
    const index = table.indexOf(name);
    if (index === undefined) throw new RangeError(`the table has no column ${name}`);
    return index;
  };
  const { values, codes, order: byCode, starts } = indexOf(LIST_MEMBER);
  const mentioned = [...new Set(codes)];
  const ids = mentioned.map((code) => values.at(code) ?? "");
  const lists = readLists(
    ids.map((list) => ({ id: list, fields })),
    "batch.lists",
  );
  const order = new Uint32Array(table.size);
  const listsOfRows = new Uint32Array(table.size);
  const sorted = [null, ...ids.toSorted()];
  const codeOf = new Map(sorted.map((id, code) => [id, code]));
  let row = 0;
  for (const [i, code] of mentioned.entries()) {
    const run = byCode.subarray(starts[code], starts[code + 1]);
    order.set(run, row);
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
  const rows = new ColumnRows(codec.schema, table.size, indexes);
  return new Batch(id, lists, collectionOf(codec, settings, rows));
}
