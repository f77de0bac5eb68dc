// Loads Contacts from rows into a Batch stored as columns.

import { readSettings } from "../collection/settings.ts";
import { loadBatch, type Batch } from "../service/batch.ts";
import { Contact, type BatchContactInput } from "../service/contact.ts";
import { toId } from "../service/lists.ts";
import { ContactRows } from "./contact-rows.ts";
import type { CreateFiller } from "./sink.ts";
import { formOf, SyncRecords } from "./reading.ts";
import { decodersFor, type RecordsOptions } from "./records.ts";
import { decode, type SyncBytes } from "./source.ts";
import { toBatch, type ToBatchOptions } from "./to-batch.ts";

/** The options of {@link loadContacts}. */
export type LoadContactsOptions = Omit<RecordsOptions<typeof Contact>, "schema"> & ToBatchOptions;

/**
 * Loads Contacts from rows, each with its List, into the Batch that {@link toBatch} makes of them, for
 * `createService`. CSV goes from its bytes into columns: it takes a fraction of the memory, and a Contact
 * is made only when it is returned. Other formats are first read as records.
 *
 * @param source synchronous bytes
 * @throws InputError with the place, such as `line 17.send_id`
 */
export function loadContacts(source: SyncBytes, options: LoadContactsOptions): Batch {
  const { list = 1, listFields, skipInvalid, onProgress } = options;
  const form = formOf({ ...options, schema: Contact });
  const id = toId(options.id, "options.id");
  const rowsOptions = { list: toId(list, "options.list"), listFields, skipInvalid };
  const createDecoder = decodersFor(options);
  let rows: ContactRows | undefined;
  const createFiller: CreateFiller = (...csv) => (rows = new ContactRows(rowsOptions, ...csv));
  const decoder = createDecoder(form, { createFiller, json: undefined });
  const open = () => decode(source, decoder, onProgress);
  // The form of Contacts has checked them.
  const records = [...new SyncRecords(open, form, options)] as BatchContactInput[];
  const settings = readSettings({});
  return rows?.finish(id, settings) ?? loadBatch(toBatch(records, options), "batch", settings);
}
