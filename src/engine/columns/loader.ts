// Turns input records into rows: each value is checked and converted to text form, missing fields get their defaults,
// and unique fields are checked among the loaded rows (rules V1 to V8). After an error, no row exists.

import {
  describe,
  InputError,
  member,
  TercetError,
  type TercetErrorCode,
} from "../../schema/errors.ts";
import { string } from "../../schema/declare.ts";
import {
  explainDefault,
  explainRefusal,
  isComputed,
  isNext,
  NEEDS_COLLECTION,
  storedOf,
  storedValue,
  textFormOfStored,
  type FieldValue,
  type TextValue,
} from "../../schema/field.ts";
import { isMembers, iterate } from "../../schema/input.ts";
import { NO_IDS, type LastIds } from "./last-ids.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import { defineSchema, type FieldChange } from "../../schema/schema.ts";
import { Codec } from "./codec.ts";
import { EqualStrings } from "./equal-strings.ts";
import { HeapWatch } from "./heap-watch.ts";
import type { Document, DocumentReader, Part, Reading } from "./layout.ts";
import { ObjectRows } from "./object-rows.ts";
import type { Rows } from "./rows.ts";
import { duplicate, uniqueKey, type UniqueConstraint } from "../../schema/unique.ts";
import { UniqueValues } from "./unique-values.ts";

/** The index of a record outside a list, which has the name of its source. */
export const NO_INDEX = -1;

/** How many records are read before the next look at the heap. */
const RECORDS_AT_ONCE = 1 << 13;

/** The place of a record in its source; it is formatted only for an error. */
class Path {
  readonly #source: string;
  index = 0;
  member: string | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  text(name?: string): string {
    const record = this.index === NO_INDEX ? this.#source : `${this.#source}[${this.index}]`;
    const part = this.member === undefined ? record : member(record, this.member);
    return name === undefined ? part : member(part, name);
  }
}

/** A row that is being replaced. */
export interface Replaced {
  readonly rows: Rows;
  readonly row: number;
  /** The row in the form of its replacement. Members that the two share are not read again. */
  readonly document: Document;
}

/** What no two rows may share. */
export interface Uniqueness {
  readonly constraints: readonly UniqueConstraint[];
  /** The place of an added row, for errors. Default: the loader finds it. */
  readonly placeOf?: (row: number) => string;
}

/** Receives rows. */
export interface RowSink {
  /**
   * Adds a row.
   *
   * @param values as records hold them: those of the fields, then of hidden columns; the array is reused after the call
   * @param record of these values, if it was made already
   */
  add(values: readonly FieldValue[], record?: AnyRecord): void;
}

/** Makes frozen records from rows. */
export class RecordSink implements RowSink {
  readonly #codec: Codec;
  readonly #records: AnyRecord[] = [];
  readonly #columns: readonly TextValue[][];

  constructor(codec: Codec) {
    this.#codec = codec;
    this.#columns = codec.columns.map(() => []);
  }

  add(values: readonly FieldValue[], record?: AnyRecord): void {
    const codec = this.#codec;
    const { schema, columns } = codec;
    const row = this.#records.length;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!;
      this.#columns[i]![row] = codec.textFormIn(column, values[column.position]!);
    }
    this.#records[row] = record ?? Object.freeze(schema.makeRecord(values));
  }

  /** Adds a row of another segment with field changes applied. */
  addChanged(rows: Rows, row: number, changes: readonly FieldChange[]): void {
    const codec = this.#codec;
    const { schema, columns } = codec;
    const added = this.#records.length;
    for (let i = 0; i < columns.length; i++) {
      const { name, position } = columns[i]!;
      const change = changes.find((each) => each.position === position);
      this.#columns[i]![added] =
        change === undefined
          ? rows.readerOf(name)(row)
          : codec.textFormIn(columns[i]!, change.stored);
    }
    this.#records[added] = Object.freeze(schema.changeRecord(rows.record(row), changes));
  }

  /** The rows added so far. */
  finish(): ObjectRows {
    const { schema, columns } = this.#codec;
    return new ObjectRows(
      schema,
      this.#records,
      new Map(columns.map(({ name }, i) => [name, this.#columns[i] ?? []])),
    );
  }
}

/** For objects that only keep hidden classes alive. */
export const ANY_CODEC = new Codec(defineSchema({ any: string({ unique: true }) }));

const NO_MEMBERS: readonly unknown[] = [];

/** Reads rows from one or more sources. */
export class Loader implements Reading {
  readonly #codec: Codec;
  readonly #sink: RowSink;
  #rows = 0;
  readonly #unique: Uniqueness;
  /** For each unique field or combination, the values so far. */
  readonly #seen: readonly UniqueValues[];
  /** Where rows come from: from `row` on, the records of a source from `index` on. */
  readonly #sources: { readonly row: number; readonly name: string; readonly index: number }[] = [];
  /** The place of the record being read. */
  #path = new Path("records");
  /** The document of the row being replaced, while the values of that row still apply. */
  #before: Document | undefined;
  /** The values of the record being read, as records hold them: those of the fields, then of hidden columns. */
  readonly #values: (FieldValue | undefined)[];
  readonly #equal = new EqualStrings();
  /** The last number of each counted field; `undefined` if records can't omit them. */
  readonly #lastIds: number[] | undefined;
  readonly #isReplaying: boolean;

  /**
   * @param unique default: the unique fields and combinations of the codec
   * @param lastIds the numbers given so far; `null` if records can't omit the fields that are counted
   * @param isReplaying whether the records were checked before, so that unknown functions need not be called
   */
  constructor(
    codec: Codec,
    sink: RowSink,
    unique: Uniqueness = { constraints: codec.unique },
    lastIds: LastIds | null = NO_IDS,
    isReplaying = false,
  ) {
    this.#isReplaying = isReplaying;
    const { fields, layout } = codec;
    this.#codec = codec;
    this.#sink = sink;
    this.#unique = unique;
    this.#seen = unique.constraints.map(() => new UniqueValues());
    this.#lastIds =
      lastIds === null ? undefined : codec.counted.map(({ name }) => lastIds.get(name) ?? 0);
    const values = fields.length + layout.hidden.length;
    this.#values = new Array<FieldValue | undefined>(values).fill(undefined);
  }

  /**
   * Adds the records of a source.
   *
   * @param name the name of the source in errors; a record is then `name[3]`
   * @param layout of their documents; default: that of the codec
   * @throws InputError with the path of the offending member, or of the record at which the heap is nearly full; the
   *   loader can't be used afterwards
   */
  add(source: unknown, name = "records", layout: DocumentReader = this.#codec.layout): void {
    const path = new Path(name);
    this.#sources.push({ row: this.#rows, name, index: 0 });
    const heap = new HeapWatch();
    try {
      for (const input of iterate(source, name)) {
        this.#add(input, path, layout);
        path.index++;
        if (path.index % RECORDS_AT_ONCE === 0) requireRoom(heap, path);
      }
    } finally {
      heap.close();
    }
  }

  /**
   * Adds one record, which is `name[index]` in errors, or `name` if the index is {@link NO_INDEX}.
   *
   * @param replaced the row that it replaces
   * @param layout of its document; default: that of the codec
   * @returns whether it was added: `false` if it equals the row that it replaces
   * @throws InputError with the path of the offending member; more records can be added afterwards
   */
  addOne(
    input: unknown,
    name: string,
    index: number,
    replaced?: Replaced,
    layout: DocumentReader = this.#codec.layout,
  ): boolean {
    const path = new Path(name);
    path.index = index;
    // Errors must be able to name the record that already has the value of a unique field.
    if (this.#seen.length > 0 && this.#unique.placeOf === undefined) {
      this.#sources.push({ row: this.#rows, name, index });
    }
    return this.#add(input, path, layout, replaced);
  }

  #add(input: unknown, path: Path, layout: DocumentReader, replaced?: Replaced): boolean {
    this.#begin(replaced);
    this.#read(input, path, layout);
    const values = this.#deriveFields(path);
    if (replaced !== undefined && this.#codec.hasValues(replaced.rows, replaced.row, values)) {
      return false;
    }
    const record = this.#codec.computed.length === 0 ? undefined : this.#compute(path);
    this.#requireUnique(values, path);
    this.#rows++;
    this.#sink.add(values, record);
    return true;
  }

  /** Adds the values of computed fields. @returns the record of which they are */
  #compute(path: Path): AnyRecord {
    const { computed, schema } = this.#codec;
    const record = Object.freeze(schema.makeRecord(this.#values as readonly FieldValue[]));
    for (const { position, isKnown, read } of computed) {
      if (isKnown || !this.#isReplaying) this.#values[position] = read(record, path);
    }
    return record;
  }

  /** @throws InputError if an earlier row has the same values; then those of this row are not kept */
  #requireUnique(values: readonly FieldValue[], path: Path): void {
    const { constraints } = this.#unique;
    for (let i = 0; i < constraints.length; i++) {
      const constraint = constraints[i]!;
      const earlier = this.#seen[i]!.add(uniqueKey(constraint, values));
      if (earlier < 0) continue;
      for (let added = i; added >= 0; added--) this.#seen[added]!.takeBack();
      const [{ field, position }] = constraint.places;
      const value = textFormOfStored(field, values[position] ?? null);
      throw duplicate(constraint, path.text(), value, this.#placeOf(earlier));
    }
  }

  #placeOf(row: number): string {
    if (this.#unique.placeOf !== undefined) return this.#unique.placeOf(row);
    const source = this.#sources.findLast((each) => each.row <= row);
    if (source === undefined) throw new RangeError(`no source has row ${row}`);
    const path = new Path(source.name);
    path.index = source.index + row - source.row;
    return path.text();
  }

  /** Starts with the values of the replaced row, or with none. */
  #begin(replaced: Replaced | undefined): void {
    this.#before = replaced?.document;
    if (replaced === undefined) {
      // Takes less time than `fill`, which is a call.
      for (let i = 0; i < this.#values.length; i++) this.#values[i] = undefined;
    } else this.#codec.copyValues(replaced.rows, replaced.row, this.#values);
  }

  #read(input: unknown, path: Path, layout: DocumentReader): void {
    const { deriveFields } = this.#codec;
    this.#path = path;
    try {
      layout.read(deriveFields === undefined ? input : deriveFields(input), this);
    } catch (error) {
      if (error instanceof TercetError) throw error;
      path.member = undefined;
      throw new InputError(path.text(), "could not be read", { cause: error });
    }
    path.member = undefined;
  }

  /** The values that were read, with the defaults of missing fields. */
  #deriveFields(path: Path): readonly FieldValue[] {
    const { fields } = this.#codec;
    const values = this.#values;
    for (let position = 0; position < fields.length; position++) {
      if (values[position] !== undefined || isComputed(fields[position]!)) continue;
      values[position] = this.#default(position, path);
    }
    this.#count(values);
    this.#equal.share(values);
    return values as readonly FieldValue[];
  }

  /** Later records are numbered after the numbers of this one. */
  #count(values: readonly (FieldValue | undefined)[]): void {
    const { counted } = this.#codec;
    const lastIds = this.#lastIds;
    if (lastIds === undefined) return;
    for (let i = 0; i < counted.length; i++) {
      const value = Number(values[counted[i]!.position]);
      if (value > lastIds[i]!) lastIds[i] = value;
    }
  }

  /** The number after the last of a counted field; `undefined` if there is none. */
  #next(position: number): number | undefined {
    const i = this.#codec.counted.findIndex((each) => each.position === position);
    const last = this.#lastIds?.[i];
    return last === undefined ? undefined : last + 1;
  }

  #default(position: number, path: Path): FieldValue {
    const { fields, schema } = this.#codec;
    const field = fields[position]!;
    const { default: otherwise } = field;
    const refuse = (reason: string, code?: TercetErrorCode) =>
      new InputError(path.text(this.#codec.nameOf(position)), reason, { code });
    if (otherwise === undefined) throw refuse("is missing", "missing");
    if (isNext(otherwise)) {
      const id = this.#next(position);
      if (id === undefined) throw refuse(NEEDS_COLLECTION, "missing");
      if (Number.isSafeInteger(id)) return storedValue(schema.form, field, String(id));
      throw refuse(`is omitted, and no number is left after ${Number.MAX_SAFE_INTEGER}`, "limit");
    }
    if (typeof otherwise !== "function") return storedValue(schema.form, field, otherwise);
    const made = otherwise();
    const stored = storedOf(schema.form, field, made);
    if (stored === undefined) throw refuse(explainDefault(field, made));
    return stored;
  }

  take(input: unknown, part: Part, under?: string): readonly unknown[] {
    const path = this.#path;
    path.member = under;
    if (!isMembers(input)) {
      throw new InputError(path.text(), `must be an object, not ${describe(input)}`);
    }
    const before = under === undefined ? this.#before : this.#before?.[under];
    if (input === before) return NO_MEMBERS;
    const names = Object.keys(input);
    // Reads every member once, getters included, which is much faster than reading them by name one at a time. Both
    // list the members of an object in the same order; only a proxy could differ, and then its own values are affected.
    const given: readonly unknown[] = Object.values(input);
    if (given.length !== names.length) {
      throw new InputError(path.text(), "changes while it is read");
    }
    const known = isMembers(before) ? before : undefined;
    const positions = part.positionsOf(names, path);
    if (known !== undefined) this.#forget(part.positionsOf(Object.keys(known), path), positions);
    const {
      fields,
      storedTests,
      schema: { form },
    } = this.#codec;
    let others: unknown[] | undefined;
    for (let i = 0; i < names.length; i++) {
      const value = given[i];
      const position = positions[i]!;
      if (position < 0) {
        if (value === undefined) this.#forgetColumns();
        others ??= [];
        others[~position] = value;
        continue;
      }
      if (value === known?.[names[i]!]) continue;
      if (storedTests[position]?.(value)) {
        // Adding 0 turns −0 into 0.
        this.#values[position] = typeof value === "number" ? value + 0 : value;
        continue;
      }
      const stored = value === undefined ? undefined : storedOf(form, fields[position]!, value);
      if (stored === undefined && value !== undefined) {
        throw new InputError(path.text(names[i]), explainRefusal(fields[position]!, value));
      }
      this.#values[position] = stored;
    }
    path.member = undefined;
    return others ?? NO_MEMBERS;
  }

  /** Clears the values of the replaced row for which the new one has no member. */
  #forget(known: readonly number[], positions: readonly number[]): void {
    for (const position of known) {
      if (positions.includes(position)) continue;
      if (position < 0) this.#forgetColumns();
      else this.#values[position] = undefined;
    }
  }

  /** Clears the fields in columns: their meaning depends on hidden columns. */
  #forgetColumns(): void {
    this.#before = undefined;
    for (const { position } of this.#codec.columns) this.#values[position] = undefined;
  }

  hide(column: number, value: TextValue): void {
    const position = this.#codec.fields.length + column;
    if (this.#before !== undefined && value !== this.#values[position]) this.#forgetColumns();
    this.#values[position] = value;
  }

  refusal(name: string, reason: string, code?: TercetErrorCode): InputError {
    return new InputError(this.#path.text(name), reason, { code });
  }
}

/** @throws InputError if the heap is nearly full */
function requireRoom(heap: HeapWatch, path: Path): void {
  const limit = heap.nearlyFull();
  if (limit === undefined) return;
  const error = new InputError(
    path.text(),
    `can't be loaded, because the heap of ${Math.round(limit / 1e6)} MB is nearly full; use storage: "columns", ` +
      "which hardly needs it, node --max-old-space-size, or importStore",
    { code: "limit" },
  );
  // Until its stack has been read, V8's error holds the objects of its frames, and so what has been loaded.
  void error.stack;
  throw error;
}
