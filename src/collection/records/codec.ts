// How the records of a collection are written: as they are given, as recipes draft them, and as
// patches carry them. Fields that records do not carry may be nested under a member of their own,
// and a member may name the group that a record belongs to.

import { describe, InputError, quote } from "../../schema/errors.ts";
import type { Field, WireValue } from "../../schema/field.ts";
import { toWireInteger } from "../../schema/integer.ts";
import { suggestion } from "../../schema/nearest.ts";
import type { Place, RecordReader, Schema, WireRecord } from "../../schema/schema.ts";
import type { Rows } from "./rows.ts";

/** The document itself, where nothing is left out. @param before the record as it was */
export type Revise = (document: unknown, before: WireRecord) => unknown;

export interface CodecOptions {
  /** Completes a record before it is checked. */
  readonly complete?: (input: unknown) => unknown;
  /** Leaves out of a changed record what follows from what was changed; before it is completed. */
  readonly revise?: Revise;
  /** The member that holds the fields that are not stored. Default: they stand beside the others. */
  readonly nestUnder?: string;
  readonly groups?: Groups;
}

/** A division of the records, such as the Lists of a Batch. */
export interface Groups {
  /** What a group is called in errors. */
  readonly name: string;
  /** The member of a record that holds the id of its group. */
  readonly member: string;
  readonly all: readonly Group[];
}

export interface Group {
  /** A canonical integer. */
  readonly id: string;
  /** Those of the nested fields that its records have. */
  readonly nested: ReadonlySet<string>;
}

/** Members of an input record that are not fields, in place of a field's position. */
export const NESTED = -1;
export const GROUP = -2;

/** A part of an input record: the members that it may have. */
export class Part {
  readonly #positions: ReadonlyMap<string, number>;
  readonly #whereIs: (name: string) => string | undefined;
  /** The members of the record before and their positions: most records have the same. */
  #names: readonly string[] = [];
  #last: readonly number[] = [];

  /** @param whereIs for the end of an error: where a member stands that is of another part */
  constructor(
    positions: ReadonlyMap<string, number>,
    whereIs: (name: string) => string | undefined = () => undefined,
  ) {
    this.#positions = positions;
    this.#whereIs = whereIs;
  }

  /** The position of each of these members: of a field, NESTED or GROUP. */
  positionsOf(names: readonly string[], path: { text(): string }): readonly number[] {
    if (!isSame(names, this.#names)) {
      this.#last = names.map((name) => {
        const position = this.#positions.get(name);
        if (position !== undefined) return position;
        const hint = this.#whereIs(name) ?? suggestion(name, this.#positions.keys());
        throw new InputError(path.text(), `has the unknown field ${quote(name)}${hint}`);
      });
      this.#names = names;
    }
    return this.#last;
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

export class Codec {
  readonly schema: Schema;
  readonly names: readonly string[];
  readonly fields: readonly Field[];
  /** The fields that records do not carry. */
  readonly unstored: readonly Place[];
  readonly unique: readonly Place[];
  readonly complete: ((input: unknown) => unknown) | undefined;
  readonly revise: Revise;
  readonly nestUnder: string | undefined;
  readonly groups: Groups | undefined;
  /** A whole record, and one whose group is known from elsewhere. */
  readonly whole: Part;
  readonly ungrouped: Part;
  /** What is nested in the records of each group; of all records, where there are no groups. */
  readonly #nested: readonly Part[];
  readonly #readers: readonly RecordReader[];
  /** Where a field is called `__proto__`, documents have no prototype: drafts find its setter there. */
  readonly #hasProto: boolean;

  constructor(schema: Schema, { complete, revise, nestUnder, groups }: CodecOptions = {}) {
    const { places } = schema;
    this.schema = schema;
    this.names = places.map(({ name }) => name);
    this.fields = places.map(({ field }) => field);
    this.#hasProto = this.names.includes("__proto__");
    this.#readers = this.names.map((name) => schema.readerOf(name));
    this.unstored = places.filter(({ field }) => !field.stored);
    this.unique = places.filter(({ field }) => field.unique);
    this.complete = complete;
    this.revise = revise ?? ((document) => document);
    this.nestUnder = nestUnder;
    this.groups = groups;

    const inner = positionsOf(this.unstored);
    const outer = positionsOf(
      nestUnder === undefined ? places : places.filter(({ name }) => !inner.has(name)),
    );
    if (nestUnder !== undefined) outer.set(nestUnder, NESTED);
    const whereIs = (name: string) =>
      nestUnder === undefined || !inner.has(name)
        ? undefined
        : `; it stands under ${quote(nestUnder)}`;
    this.ungrouped = new Part(outer, whereIs);
    this.whole =
      groups === undefined
        ? this.ungrouped
        : new Part(new Map(outer).set(groups.member, GROUP), whereIs);
    this.#nested =
      groups === undefined
        ? [new Part(inner)]
        : groups.all.map(
            ({ nested }) =>
              new Part(positionsOf(this.unstored.filter(({ name }) => nested.has(name)))),
          );
  }

  nameOf(position: number): string {
    return this.names[position] ?? "";
  }

  /** What may be nested in a record of a group. */
  nestedIn(group: number): Part {
    return this.#nested[group] ?? this.whole;
  }

  /** The number of the group that a record names, or an error that says what it may name. */
  groupOf(given: unknown, path: { text(name?: string): string }): number {
    if (this.groups === undefined) return 0;
    const { name, member, all } = this.groups;
    if (given === undefined && all.length === 1) return 0;
    const id = toWireInteger(given);
    const group = all.findIndex((other) => other.id === id);
    if (group >= 0) return group;
    throw new InputError(
      path.text(member),
      given === undefined
        ? `is missing: the record's ${name} must be named`
        : `must be the id of a ${name} that is there, not ${describe(given)}`,
    );
  }

  /** The value that a row has in the field at a position of the schema. */
  valueAt(position: number, { records, columns }: Rows, row: number): WireValue {
    const column = columns.get(this.nameOf(position));
    return column === undefined ? this.#readers[position]!(records[row]!) : (column[row] ?? null);
  }

  /** A row with every field, as predicates read it. */
  flat({ records, columns }: Rows, row: number): WireRecord {
    const record = records[row]!;
    if (this.unstored.length === 0) return record;
    // No prototype: `__proto__` is a field as any other.
    const all = Object.assign(Object.create(null) as Record<string, WireValue>, record);
    for (const { name } of this.unstored) all[name] = columns.get(name)?.[row] ?? null;
    return all;
  }

  /** A row as a whole record would be given, in wire form; frozen only where it is the record itself. */
  write({ records, columns, groups }: Rows, row: number): Readonly<Record<string, unknown>> {
    const record = records[row]!;
    const isWhole = this.groups === undefined && this.unstored.length === 0;
    if (isWhole && !this.#hasProto) return record;
    const group = groups === undefined ? undefined : this.groups?.all[groups[row]!];
    // No prototype: `constructor` is not there where no field is called that.
    const unstored = Object.create(null) as Record<string, WireValue>;
    for (const { name } of this.unstored) {
      if (group?.nested.has(name) !== false) unstored[name] = columns.get(name)?.[row] ?? null;
    }
    const others = this.nestUnder === undefined ? unstored : { [this.nestUnder]: unstored };
    const document: Record<string, unknown> = this.#hasProto
      ? Object.assign(Object.create(null) as Record<string, unknown>, record, others)
      : { ...record, ...others };
    if (group !== undefined) document[this.groups!.member] = group.id;
    return document;
  }
}

function positionsOf(places: readonly Place[]): Map<string, number> {
  return new Map(places.map(({ name, position }) => [name, position]));
}
