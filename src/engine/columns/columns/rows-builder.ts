// Builds rows stored as columns, row by row, without making records.

import { isFolded } from "../../../schema/folding.ts";
import {
  comparisonText,
  isNumeric,
  textTestOf,
  type Field,
  type FieldValue,
} from "../../../schema/field.ts";
import { FieldIndex, type Codes } from "../../indexes/field-index.ts";
import { codesTypeFor, indexOfCodes } from "../../indexes/memory-index.ts";
import type { Codec } from "../codec.ts";
import type { RowSink } from "../loader.ts";
import type { ColumnName } from "../rows.ts";
import { setValue, type ColumnBuilder } from "./column-builder.ts";
import { ColumnRows } from "../column-rows.ts";
import { NumberColumn } from "./number-column.ts";
import { StringColumn } from "./string-column.ts";

const FIRST_CAPACITY = 1 << 10;

export class RowsBuilder implements RowSink {
  readonly #codec: Codec;
  /**
   * One for each field, in schema order; then one for each hidden column, and for the spelling of each field that
   * ignores case.
   */
  columns: ColumnBuilder[];
  /**
   * For each column that equalled an earlier one before the builder was restarted, the position of that one. Until they
   * differ they share its builder, which is set only once for both.
   */
  readonly #leaders = new Map<number, number>();
  /** For each field that ignores case, its column and that of its spelling. */
  readonly #folded: readonly {
    readonly field: Field;
    readonly position: number;
    readonly spelling: number;
  }[];
  /** The fields of the values of an added row; `undefined` for hidden columns. */
  readonly #given: readonly { readonly field: Field | undefined }[];
  #rows = 0;
  #capacity = 0;

  constructor(codec: Codec) {
    this.#codec = codec;
    const { schema, layout } = codec;
    this.columns = emptyColumns(codec);
    this.#given = [...schema.places, ...layout.hidden.map(() => ({ field: undefined }))];
    const folded = schema.places.filter(({ field }) => isFolded(field));
    const before = schema.places.length + layout.hidden.length;
    this.#folded = folded.map(({ field, position }, i) => ({
      field,
      position,
      spelling: before + i,
    }));
    this.makeRoom(1);
  }

  /** How many rows there are: the number of the one being filled. */
  get rows(): number {
    return this.#rows;
  }

  /** How many bytes of memory they take. */
  get bytes(): number {
    let bytes = 0;
    for (const column of new Set(this.columns)) bytes += column.bytes;
    return bytes;
  }

  /** Makes room for rows after those that there are. There is always room for one. */
  makeRoom(rows: number): void {
    while (this.#capacity < this.#rows + rows) this.#grow();
  }

  /** The column whose builder a column shares, if any. */
  leaderOf(position: number): number | undefined {
    return this.#leaders.get(position);
  }

  /** Gives a column a builder of its own, because its next value differs. */
  separate(position: number): void {
    const column = this.columns[position];
    if (column instanceof StringColumn && this.#leaders.delete(position)) {
      this.columns[position] = column.copy(String(this.#codec.names[position]));
    }
  }

  /** Ends rows, after each of their columns was set. */
  next(rows = 1): void {
    this.#rows += rows;
    this.makeRoom(1);
  }

  add(values: readonly FieldValue[]): void {
    for (const position of this.#leaders.keys()) this.separate(position);
    const { columns } = this;
    const given = this.#given;
    for (let i = 0; i < given.length; i++) {
      setValue(columns[i]!, this.#rows, this.#codec.textFormIn(given[i]!, values[i] ?? null));
    }
    for (const { field, position, spelling } of this.#folded) {
      const value = this.#codec.textFormIn(given[position]!, values[position] ?? null);
      setValue(columns[spelling]!, this.#rows, value);
      setValue(columns[position]!, this.#rows, comparisonText(field, value));
    }
    this.next();
  }

  /**
   * The rows. The builder can't be used afterwards, unless it is started again. Uniqueness of unique fields is not
   * checked.
   *
   * @param codec one with the same fields as the builder's; default: the builder's
   */
  finish({ schema, layout }: Codec = this.#codec): ColumnRows {
    const { columns } = this;
    // Columns with equal values share one index. They are compared before `finish` empties any of them.
    const twins = columns.map(
      (column, i) =>
        this.#leaders.get(i) ?? columns.findIndex((other, j) => j < i && areSame(column, other)),
    );
    this.#leaders.clear();
    for (const [i, leader] of twins.entries()) {
      const column = columns[i];
      if (leader < 0 || !(column instanceof StringColumn)) continue;
      if (column.takesAny) this.#leaders.set(i, leader);
    }
    const indexes = new Map<ColumnName, FieldIndex>();
    const built: FieldIndex[] = [];
    for (const [i, name] of [
      ...schema.places.map(({ name }) => name),
      ...layout.hidden,
      ...schema.spellings.values(),
    ].entries()) {
      const index = built[twins[i]!] ?? this.#index(columns[i]!);
      built.push(index);
      indexes.set(name, index);
    }
    return new ColumnRows(schema, this.#rows, indexes);
  }

  /**
   * Begins with no rows, and with room for as many as there were.
   *
   * @param isShared whether columns that were equal share a builder; whoever sets them then asks for their leaders
   */
  restart(isShared: boolean): void {
    this.columns = emptyColumns(this.#codec, this.columns);
    this.#rows = 0;
    if (!isShared) this.#leaders.clear();
    for (const [position, leader] of this.#leaders) {
      this.columns[position] = this.columns[leader]!;
    }
    for (const column of new Set(this.columns)) column.grow(this.#capacity);
  }

  #index(column: ColumnBuilder): FieldIndex {
    const { values, codes } = column.finish(this.#rows);
    return indexOfCodes(column.type, values, narrowed(codes, values.length));
  }

  #grow(): void {
    this.#capacity = Math.max(FIRST_CAPACITY, 2 * this.#capacity);
    for (const column of new Set(this.columns)) column.grow(this.#capacity);
  }
}

/** @param before those that have had other rows, after which the new ones are sized */
function emptyColumns(
  { schema, layout }: Codec,
  before: readonly ColumnBuilder[] = [],
): ColumnBuilder[] {
  const { places, spellings } = schema;
  return [
    ...places.map(({ name, field }, i) =>
      isNumeric(field.type)
        ? new NumberColumn(field.type)
        : new StringColumn(name, textTestOf(field), before[i]),
    ),
    ...[...layout.hidden, ...spellings.values()].map(
      (name, i) => new StringColumn(String(name), undefined, before[places.length + i]),
    ),
  ];
}

function areSame(a: ColumnBuilder, b: ColumnBuilder): boolean {
  return a instanceof StringColumn && b instanceof StringColumn && a.isSame(b);
}

/** The codes of rows in a new array, the narrowest that can hold them. */
function narrowed(codes: Uint32Array, values: number): Codes {
  return new (codesTypeFor(values))(codes);
}
