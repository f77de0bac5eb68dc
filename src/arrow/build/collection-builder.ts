// A collection that is made of columns, filled row by row: no record is made. It is the one that
// `openCollection` opens from the file of these columns.

import { Collection } from "../../collection/collection.ts";
import type { Codec } from "../../collection/records/codec.ts";
import type { RowSink } from "../../collection/records/loader.ts";
import type { CollectionSettings } from "../../collection/settings.ts";
import type { InputOf, Schema } from "../../schema/schema.ts";
import type { WireValue } from "../../schema/field.ts";
import { columnNames } from "../column-names.ts";
import { codeBytesFor } from "../directory.ts";
import { openWith } from "../open.ts";
import { writeSchema } from "../schema-json.ts";
import { joined, writeTable, type WrittenColumn, type WrittenDictionary } from "../write.ts";
import { setValue, type ColumnBuilder } from "./column-builder.ts";
import { IntegerColumn } from "./integer-column.ts";
import { StringColumn } from "./string-column.ts";

const FIRST_ROOM = 1 << 10;

export class CollectionBuilder<S extends Schema> implements RowSink {
  readonly #codec: Codec<S>;
  /** One for each field, in the order of the schema, then those that are of no field. */
  readonly columns: readonly ColumnBuilder[];
  #rows = 0;
  #room = 0;

  constructor(codec: Codec<S>) {
    this.#codec = codec;
    const { schema, layout } = codec;
    this.columns = [
      ...schema.places.map(({ name, field }) =>
        field.type === "int" ? new IntegerColumn() : new StringColumn(name, field),
      ),
      ...layout.hidden.map((name) => new StringColumn(String(name), { oneOf: undefined })),
    ];
    this.#makeRoom();
  }

  /** How many rows there are: the number of the one that is being filled. */
  get rows(): number {
    return this.#rows;
  }

  /** Ends a row, when each column was set. */
  next(): void {
    if (++this.#rows === this.#room) this.#makeRoom();
  }

  add(values: readonly WireValue[]): void {
    const { columns } = this;
    for (let i = 0; i < columns.length; i++) setValue(columns[i]!, this.#rows, values[i] ?? null);
    this.next();
  }

  /**
   * The collection. The builder is then spent.
   *
   * @param codec of the same fields as that by which it was made; default: that one
   * @param order the rows in the order that they are to have; default: that in which they were added
   * @throws FileError where the distinct strings of a field take more than 2 GiB
   */
  finish<Input = InputOf<S>>(
    settings: CollectionSettings,
    codec = this.#codec,
    order?: Uint32Array,
  ): Collection<S, Input> {
    return openWith<S, Input>(joined([...this.pieces(codec, order)]), { codec, settings });
  }

  /** The bytes of the collection's file. The builder is then spent. */
  pieces(codec: Codec = this.#codec, order?: Uint32Array): Iterable<Uint8Array> {
    const { schema } = codec;
    const twins = this.columns.map((column, i) =>
      this.columns.findIndex((other, j) => j < i && areSame(column, other)),
    );
    const dictionaries: WrittenDictionary[] = [];
    const columns: WrittenColumn[] = [];
    for (const [i, name] of columnNames(codec).entries()) {
      const field = schema.places[i]?.field;
      const twin = columns[twins[i]!];
      const { dictionary, codes } = twin ?? this.#written(this.columns[i]!, dictionaries, order);
      const nullable = field?.nullable ?? true;
      columns.push({ name, hidden: field === undefined, nullable, dictionary, codes });
    }
    return writeTable({
      rows: this.#rows,
      nextKey: this.#rows,
      keys: undefined,
      schema: writeSchema(schema),
      dictionaries,
      columns,
    });
  }

  #written(
    column: ColumnBuilder,
    dictionaries: WrittenDictionary[],
    order: Uint32Array | undefined,
  ): Pick<WrittenColumn, "dictionary" | "codes"> {
    const { values, dictionary, codes } = column.finish(this.#rows);
    const { type } = column;
    const dictionaryNumber = dictionaries.push({ type, values, read: () => dictionary }) - 1;
    return { dictionary: dictionaryNumber, codes: narrowed(codes, values, order) };
  }

  #makeRoom(): void {
    this.#room = Math.max(FIRST_ROOM, 2 * this.#room);
    for (const column of this.columns) column.grow(this.#room);
  }
}

function areSame(a: ColumnBuilder, b: ColumnBuilder): boolean {
  return a instanceof StringColumn && b instanceof StringColumn && a.isSame(b);
}

/** The codes of the rows in an order, in the narrowest array that holds them. */
function narrowed(
  codes: Uint32Array,
  values: number,
  order: Uint32Array | undefined,
): Uint8Array | Uint16Array | Uint32Array {
  const bytes = codeBytesFor(values);
  const make = bytes === 1 ? Uint8Array : bytes === 2 ? Uint16Array : Uint32Array;
  if (order === undefined) return new make(codes);
  const ordered = new make(codes.length);
  for (let row = 0; row < order.length; row++) ordered[row] = codes[order[row]!]!;
  return ordered;
}
