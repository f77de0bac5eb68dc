// Loads Contacts from the bytes of CSV rows into the columns of a Batch. A row that is not plain, or has
// an invalid value, becomes a record, which is checked like any other.

import { collectionOf } from "../collection/collection.ts";
import { RowsBuilder } from "../collection/records/columns/rows-builder.ts";
import { setValue } from "../collection/records/columns/column-builder.ts";
import type { CollectionSettings } from "../collection/settings.ts";
import { isCanonicalInteger } from "../schema/numbers.ts";
import { Batch } from "../service/batch.ts";
import {
  Contact,
  LIST_FIELDS_MEMBER,
  LIST_MEMBER,
  type ListFieldType,
} from "../service/contact.ts";
import { readLists } from "../service/lists.ts";
import type { ReadColumn } from "./sink.ts";
import type { CsvFormat, CsvRow } from "./csv-rows.ts";
import { lineWith, type RowFiller } from "./sink.ts";
import { RowCells } from "./row-cells.ts";
import { RecordForm, type AnyRecord, type ListFields } from "./form.ts";
import { Refusing, type SkipInvalid } from "./reading.ts";
import { decodeAnyway } from "./utf8.ts";

interface ContactRowsOptions {
  /** The List for Contacts that name none. */
  readonly list: string;
  readonly listFields: ListFields | undefined;
  readonly skipInvalid: SkipInvalid;
}

export class ContactRows implements RowFiller {
  readonly #otherwise: string;
  readonly #fields: ListFields;
  readonly #form: RecordForm;
  readonly #refusing: Refusing;
  readonly #builder: RowsBuilder;
  readonly #cells: RowCells;
  /** The number of the value that names the List, or −1. */
  readonly #listCell: number;
  /** The Lists by their ids, each with its number in the order of first mention. */
  readonly #lists = new Map<string, number>();
  #listOf = new Uint32Array(1 << 10);
  #lastList = new Uint8Array(0);
  #lastId = "";

  constructor(
    { list, listFields, skipInvalid }: ContactRowsOptions,
    columns: readonly ReadColumn[],
    format: CsvFormat,
  ) {
    this.#otherwise = list;
    this.#fields = listFields ?? Object.fromEntries(columns.flatMap(listFieldOf));
    this.#form = new RecordForm(Contact, this.#fields);
    this.#refusing = new Refusing(this.#form, skipInvalid);
    const { codec } = this.#listsOf([list]);
    this.#builder = new RowsBuilder(codec);
    this.#listCell = columns.find(({ path: [name] }) => name === LIST_MEMBER)?.index ?? -1;
    const positions = columns.flatMap(({ index, path: [name, inner] }) => {
      const position = name === LIST_MEMBER ? -1 : codec.names.indexOf(inner ?? name);
      return position < 0 ? [] : [{ index, position }];
    });
    this.#cells = new RowCells(this.#builder, codec.fields, positions, format);
  }

  fill(row: CsvRow): boolean {
    const list = this.#listIn(row);
    if (list === undefined || !this.#cells.set(row)) return false;
    const { rows, columns } = this.#builder;
    columns.at(-1)?.setText(rows, list);
    this.#end(list);
    return true;
  }

  take(value: unknown, line: number): void {
    if (!this.#refusing.takes(value, () => lineWith(line))) return;
    const record = value as AnyRecord;
    const values = this.#form.valuesOf(record);
    const at = this.#form.columns.findIndex(({ name }) => name === LIST_MEMBER);
    const list = values[at] ?? this.#otherwise;
    this.#builder.columns.at(-1)?.setText(this.#builder.rows, list);
    const fields = [...values.slice(0, at), ...values.slice(at + 1)];
    for (const [i, each] of fields.entries()) {
      setValue(this.#builder.columns[i]!, this.#builder.rows, each);
    }
    this.#end(list);
  }

  /** The Batch of the rows; `undefined` if there were none. */
  finish(id: string, settings: CollectionSettings): Batch | undefined {
    if (this.#builder.rows === 0) return undefined;
    const lists = this.#listsOf([...this.#lists.keys()]);
    const { codec } = lists;
    const rows = this.#builder.finish(codec, this.#order());
    return new Batch(id, lists, collectionOf(codec, settings, rows));
  }

  /** Ends a complete row. */
  #end(list: string): void {
    let number = this.#lists.get(list);
    if (number === undefined) this.#lists.set(list, (number = this.#lists.size));
    const { rows } = this.#builder;
    if (rows === this.#listOf.length) {
      const more = new Uint32Array(2 * rows);
      more.set(this.#listOf);
      this.#listOf = more;
    }
    this.#listOf[rows] = number;
    this.#builder.next();
  }

  /** The id of the List that a row names; `undefined` if it is not valid. */
  #listIn(row: CsvRow): string | undefined {
    if (this.#listCell < 0) return this.#otherwise;
    const from = row.from(this.#listCell);
    const to = row.to(this.#listCell);
    if (from === to) return this.#otherwise;
    const last = this.#lastList;
    let i = 0;
    if (to - from === last.length) while (i < last.length && row.bytes[from + i] === last[i]) i++;
    if (i === to - from) return this.#lastId;
    const given = row.bytes.slice(from, to);
    const text = decodeAnyway(given);
    if (row.isNull(this.#listCell) || !isCanonicalInteger(text)) return undefined;
    this.#lastList = given;
    this.#lastId = text;
    return text;
  }

  /** The Lists, checked. */
  #listsOf(ids: readonly string[]) {
    return readLists(
      ids.map((id) => ({ id, fields: this.#fields })),
      "batch.lists",
    );
  }

  /** The rows ordered by List; `undefined` if they already are. */
  #order(): Uint32Array | undefined {
    const listOf = this.#listOf.subarray(0, this.#builder.rows);
    const starts = new Uint32Array(this.#lists.size + 1);
    let isOrdered = true;
    for (let row = 0; row < listOf.length; row++) {
      starts[listOf[row]! + 1]!++;
      if (row > 0 && listOf[row]! < listOf[row - 1]!) isOrdered = false;
    }
    if (isOrdered) return undefined;
    for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    const order = new Uint32Array(listOf.length);
    for (let row = 0; row < listOf.length; row++) order[starts[listOf[row]!]!++] = row;
    return order;
  }
}

/** The List Field of a column, a string unless declared otherwise. */
function listFieldOf({ path: [name, inner] }: ReadColumn): [string, ListFieldType][] {
  return name === LIST_FIELDS_MEMBER && inner !== undefined ? [[inner, "string"]] : [];
}
