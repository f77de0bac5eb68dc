// How the Contacts of a Batch are given: the values of List Fields nested under `fields`, and the id of
// the List under `list`. The collection holds the first as fields that records do not carry, the
// second in a column that is of no field.

import {
  Part,
  type Document,
  type DocumentReader,
  type Layout,
  type Reading,
} from "../collection/records/layout.ts";
import type { ColumnName } from "../collection/records/rows.ts";
import { describe, quote } from "../schema/errors.ts";
import type { FieldValue } from "../schema/field.ts";
import { toWireInteger } from "../schema/numbers.ts";
import type { Schema, AnyRecord } from "../schema/schema.ts";
import { LIST_FIELDS_MEMBER, LIST_MEMBER, type List } from "./contact.ts";

/** The column of the ids of Contacts' Lists. */
export const LIST = Symbol("list");

export class ContactLayout implements Layout {
  readonly hidden = [LIST];
  readonly parts: ReadonlySet<string> = new Set([LIST_FIELDS_MEMBER]);
  /** For each List its fields, and the part of a document that holds them. */
  readonly #lists: ReadonlyMap<string, { readonly names: readonly string[]; readonly part: Part }>;
  /** A Contact with its List. */
  readonly whole: Part;
  /** A Contact whose List is known from where it stands. */
  readonly #withoutList: Part;

  constructor({ places }: Schema, lists: readonly List[]) {
    const contactFields = places.filter(({ field }) => field.stored);
    const byName = new Map(places.map((place) => [place.name, place]));
    // A field that is unknown beside those of Contacts is a List Field.
    const whereIs = (name: string) =>
      byName.has(name) ? `; it stands under ${quote(LIST_FIELDS_MEMBER)}` : undefined;
    this.whole = new Part(contactFields, [LIST_FIELDS_MEMBER, LIST_MEMBER], whereIs);
    this.#withoutList = new Part(contactFields, [LIST_FIELDS_MEMBER], whereIs);
    this.#lists = new Map(
      lists.map(({ id, fields }) => {
        const names = [...fields.keys()];
        return [id, { names, part: new Part(names.flatMap((name) => byName.get(name) ?? [])) }];
      }),
    );
  }

  /** The layout of Contacts that stand in a List, and do not name it. */
  within(list: string): DocumentReader {
    return new ListReader(this, list);
  }

  /** Reads a Contact of a List. */
  readIn(list: string, document: unknown, reading: Reading): void {
    const [fields] = reading.take(document, this.#withoutList);
    this.#readList(list, fields, reading);
  }

  read(document: unknown, reading: Reading): void {
    const [fields, given] = reading.take(document, this.whole);
    this.#readList(this.#listOf(given, reading), fields, reading);
  }

  #readList(list: string, fields: unknown, reading: Reading): void {
    reading.hide(0, list);
    const part = this.#lists.get(list)?.part;
    if (fields !== undefined && part !== undefined) reading.take(fields, part, LIST_FIELDS_MEMBER);
  }

  #listOf(given: unknown, reading: Reading): string {
    const [only] = this.#lists.size === 1 ? this.#lists.keys() : [];
    if (given === undefined && only !== undefined) return only;
    const id = toWireInteger(given);
    if (id !== undefined && this.#lists.has(id)) return id;
    throw reading.refusal(
      LIST_MEMBER,
      given === undefined
        ? "is missing: the record's List must be named"
        : `must be the id of a List that is there, not ${describe(given)}`,
    );
  }

  write(record: AnyRecord, valueOf: (column: ColumnName) => FieldValue): Document {
    const list = valueOf(LIST);
    // No prototype: `constructor` is not there where no List Field is called that.
    const fields = Object.create(null) as Record<string, FieldValue>;
    for (const name of this.#lists.get(typeof list === "string" ? list : "")?.names ?? [])
      fields[name] = valueOf(name);
    return { ...record, [LIST_FIELDS_MEMBER]: fields, [LIST_MEMBER]: list };
  }
}

/** Reads the Contacts of a List. No closure: code that V8 made fast for one is lost with it. */
class ListReader implements DocumentReader {
  readonly #layout: ContactLayout;
  readonly #list: string;

  constructor(layout: ContactLayout, list: string) {
    this.#layout = layout;
    this.#list = list;
  }

  read(document: unknown, reading: Reading): void {
    this.#layout.readIn(this.#list, document, reading);
  }
}
