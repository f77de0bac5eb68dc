// Batches: Contacts spread over Lists, in arrays or made as they are read.

import type { BatchInput, ListFieldType, ListInput } from "../index.ts";
import {
  contactsOf,
  type ContactOptions,
  type Stretch,
  type SyntheticContact,
} from "./contacts.ts";
import { listKind } from "./lists.ts";
import { readCount, readId, readLists, readOptions, readSeed } from "./options.ts";

/** The options of `generateBatch`. */
export interface BatchOptions extends ContactOptions {
  /** The number of Contacts over all Lists. */
  readonly count: number;
  /**
   * The number of Lists. The first is the largest; if there are more Lists than Contacts, some are empty. Default 1.
   */
  readonly lists?: number | undefined;
  /** The Batch id. Default 1. */
  readonly id?: number | string | bigint | undefined;
}

/** A List in wire form. */
export interface SyntheticList<Contacts extends Iterable<SyntheticContact>> extends ListInput {
  readonly id: string;
  readonly fields: Readonly<Record<string, ListFieldType>>;
  readonly contacts: Contacts;
}

/** A Batch in wire form. If its Contacts are in arrays, `JSON.stringify` writes all of it. */
export interface SyntheticBatch<
  Contacts extends Iterable<SyntheticContact> = readonly SyntheticContact[],
> extends BatchInput {
  readonly id: string;
  readonly lists: readonly SyntheticList<Contacts>[];
}

/**
 * A Batch whose Contacts are in arrays: about 3 µs and half a kilobyte each. The first List has the List Fields
 * Email, First Name and Last Name; other Lists may have others. No Contact is in two Lists.
 *
 * @throws InputError if an option is not valid
 */
export function generateBatch(options: BatchOptions): SyntheticBatch {
  return batchOf(options, (stretch) => [...contactsOf(stretch)]);
}

/**
 * The same Batch as {@link generateBatch}, but each iteration makes its Contacts again. They take no
 * memory, so the Batch may be larger than memory. `JSON.stringify` omits the Contacts.
 *
 * @throws InputError if an option is not valid
 */
export function generateLazyBatch(
  options: BatchOptions,
): SyntheticBatch<Iterable<SyntheticContact>> {
  return batchOf(options, (stretch) => ({ [Symbol.iterator]: () => contactsOf(stretch) }));
}

const FIRST_LIST_ID = 101;

function batchOf<Contacts extends Iterable<SyntheticContact>>(
  options: BatchOptions,
  contactsIn: (stretch: Stretch) => Contacts,
): SyntheticBatch<Contacts> {
  const given = readOptions(options, ["count", "lists", "seed", "id"]);
  const count = readCount(given.count);
  const listCount = readLists(given.lists);
  const seed = readSeed(given.seed);
  const id = readId(given.id);
  const lists: SyntheticList<Contacts>[] = [];
  let start = 0;
  for (let list = 0; list < listCount; list++) {
    const rest = count - start;
    // Taking more than half of the rest makes each List smaller than the one before it.
    const size = list === listCount - 1 ? rest : Math.ceil(rest * 0.55);
    lists.push({
      id: String(FIRST_LIST_ID + list),
      fields: listKind(list).fields,
      contacts: contactsIn({ seed, list, start, count: size }),
    });
    start += size;
  }
  return { id, lists };
}
