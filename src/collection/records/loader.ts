// From input records to rows: each value is checked and put in wire form, left-out fields get their
// defaults, and unique fields are held unique (rules V1 to V8). Nothing is half-loaded: an error
// leaves the rows unmade.

import { describe, InputError, member, TercetError } from "../../schema/errors.ts";
import { explainRefusal, toWire, type WireValue } from "../../schema/field.ts";
import { isMembers, iterate } from "../../schema/input.ts";
import type { WireRecord } from "../../schema/schema.ts";
import { GROUP, NESTED, type Codec, type Part } from "./codec.ts";
import type { Rows } from "./rows.ts";

/** The place of a record in its source; its text is made only for an error. */
class Path {
  readonly #source: string;
  index = 0;
  member: string | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  text(name?: string): string {
    const record = `${this.#source}[${this.index}]`;
    const part = this.member === undefined ? record : member(record, this.member);
    return name === undefined ? part : member(part, name);
  }
}

/** A row among others. */
export interface RowPlace {
  readonly rows: Rows;
  readonly row: number;
}

/** Collects rows from one source or several. */
export class Loader {
  readonly #codec: Codec;
  readonly #records: WireRecord[] = [];
  readonly #columns: readonly WireValue[][];
  readonly #groups: number[] | undefined;
  /** For each unique field the values so far, with where they stand. */
  readonly #seen: readonly Map<WireValue, string>[];
  /** The row that the record replaces which is being read. */
  #replaced: RowPlace | undefined;
  /** The values of the record that is being read, in the order of the fields. */
  readonly #values: (WireValue | undefined)[];

  constructor(codec: Codec) {
    this.#codec = codec;
    this.#columns = codec.unstored.map(() => []);
    this.#groups = codec.groups === undefined ? undefined : [];
    this.#seen = codec.unique.map(() => new Map());
    this.#values = new Array<WireValue | undefined>(codec.fields.length).fill(undefined);
  }

  /**
   * Adds the records of a source.
   *
   * @param name what the source is called in errors; a record is then `name[3]`
   * @param group the group of them all; where there are groups and none is given, each names its own
   * @throws InputError with the path of the offending member; the loader is then spent
   */
  add(source: unknown, name = "records", group?: number): void {
    const path = new Path(name);
    for (const input of iterate(source, name)) {
      this.#add(input, path, group);
      path.index++;
    }
  }

  /**
   * Adds one record, which is `name[index]` in errors.
   *
   * @param replaced the row that it replaces: its values need no check again
   */
  addOne(input: unknown, name: string, index: number, replaced: RowPlace | undefined): void {
    const path = new Path(name);
    path.index = index;
    this.#replaced = replaced;
    this.#add(input, path, undefined);
  }

  /** The rows added so far. */
  finish(): Rows {
    const { unstored } = this.#codec;
    return {
      records: this.#records,
      columns: new Map(unstored.map(({ name }, i) => [name, this.#columns[i] ?? []])),
      groups: this.#groups,
    };
  }

  #add(input: unknown, path: Path, given: number | undefined): void {
    const { schema, unique, unstored } = this.#codec;
    const values = this.#values;
    values.fill(undefined);
    path.member = undefined;
    let group: number;
    try {
      group = this.#readRecord(input, path, given);
    } catch (error) {
      if (error instanceof TercetError) throw error;
      path.member = undefined;
      throw new InputError(path.text(), "could not be read", { cause: error });
    }
    const wire = this.#complete(values, path);
    for (let i = 0; i < unique.length; i++) {
      const { name, position } = unique[i]!;
      const seen = this.#seen[i]!;
      const value = wire[position] ?? null;
      const earlier = seen.get(value);
      if (earlier !== undefined) {
        throw new InputError(path.text(name), `${describe(value)} is already that of ${earlier}`);
      }
      seen.set(value, path.text());
    }
    const row = this.#records.length;
    for (let i = 0; i < unstored.length; i++) {
      this.#columns[i]![row] = wire[unstored[i]!.position]!;
    }
    if (this.#groups !== undefined) this.#groups[row] = group;
    this.#records[row] = Object.freeze(schema.makeRecord(wire));
  }

  #complete(values: (WireValue | undefined)[], path: Path): readonly WireValue[] {
    const { fields } = this.#codec;
    for (let position = 0; position < values.length; position++) {
      if (values[position] !== undefined) continue;
      const otherwise = fields[position]!.default;
      if (otherwise === undefined) {
        throw new InputError(path.text(this.#codec.nameOf(position)), "is missing");
      }
      values[position] = otherwise;
    }
    return values as readonly WireValue[];
  }

  /** Reads the values of a record; returns the number of its group. */
  #readRecord(input: unknown, path: Path, given: number | undefined): number {
    const codec = this.#codec;
    const record = codec.complete === undefined ? input : codec.complete(input);
    const others = this.#read(record, given === undefined ? codec.whole : codec.ungrouped, path);
    const group = given ?? codec.groupOf(others?.group, path);
    if (others?.nested !== undefined) {
      path.member = codec.nestUnder;
      this.#read(others.nested, codec.nestedIn(group), path);
      path.member = undefined;
    }
    return group;
  }

  /** Reads the values of a part of a record; returns its members that are not fields, if any. */
  #read(input: unknown, part: Part, path: Path): { nested?: unknown; group?: unknown } | undefined {
    if (!isMembers(input)) {
      throw new InputError(path.text(), `must be an object, not ${describe(input)}`);
    }
    const names = Object.keys(input);
    // Reads every member once, getters included, and much faster than one by one by its name. Both
    // list one object's members in one order; only a proxy could do otherwise, with its own values.
    const given: readonly unknown[] = Object.values(input);
    if (given.length !== names.length) {
      throw new InputError(path.text(), "changes while it is read");
    }
    const positions = part.positionsOf(names, path);
    const { fields } = this.#codec;
    let others: { nested?: unknown; group?: unknown } | undefined;
    for (let i = 0; i < names.length; i++) {
      const value = given[i];
      if (value === undefined) continue;
      const position = positions[i]!;
      if (position < 0) {
        others ??= {};
        if (position === NESTED) others.nested = value;
        if (position === GROUP) others.group = value;
        continue;
      }
      const wire = this.#wireOf(position, value);
      if (wire === undefined) {
        throw new InputError(path.text(names[i]), explainRefusal(fields[position]!, value));
      }
      this.#values[position] = wire;
    }
    return others;
  }

  #wireOf(position: number, value: unknown): WireValue | undefined {
    const codec = this.#codec;
    if (this.#replaced !== undefined) {
      const { rows, row } = this.#replaced;
      const before = codec.valueAt(position, rows, row);
      if (value === before) return before;
    }
    const field = codec.fields[position]!;
    return value === "0" && field.type === "int" ? value : toWire(field, value);
  }
}
