// From input records to rows: each value is checked and put in wire form, left-out fields get their
// defaults, and unique fields are held unique (rules V1 to V8). Nothing is half-loaded: an error
// leaves the rows unmade.

import { describe, member, quote, InputError, TercetError } from "../schema/errors.ts";
import { explainRefusal, toWire, type Field, type WireValue } from "../schema/field.ts";
import { isMembers, iterate } from "../schema/input.ts";
import type { Schema, WireRecord } from "../schema/schema.ts";
import type { Rows } from "./rows.ts";

/** How the records of one source look. */
export interface SourceOptions {
  /** What the source is called in errors; a record is then `path[3]`. Default `"records"`. */
  readonly path?: string;
  /** The member of an input record that holds the fields that are not stored. Default: none does. */
  readonly nestUnder?: string;
  /** Of the fields that are not stored, those that this source has. Default: all. */
  readonly nested?: Iterable<string>;
}

/** A member that holds another part of the record, in place of a field's position. */
const NESTED = -1;

/** A part of an input record: the members that it may have. */
class Part {
  /** The position of each field, or NESTED. */
  readonly #positions: ReadonlyMap<string, number>;
  readonly nested: Part | undefined;
  /** The members of the record before and their positions: most records have the same. */
  #names: readonly string[] = [];
  #last: readonly number[] = [];

  constructor(positions: ReadonlyMap<string, number>, nested?: Part) {
    this.#positions = positions;
    this.nested = nested;
  }

  /** The position of each of these members. */
  positionsOf(names: readonly string[], path: Path): readonly number[] {
    if (!isSame(names, this.#names)) {
      this.#last = names.map((name) => {
        const position = this.#positions.get(name);
        if (position !== undefined) return position;
        throw new InputError(path.text(), `has the unknown field ${quote(name)}`);
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

/** Collects the rows of a collection from one source or several. */
export class Loader {
  readonly #names: readonly string[];
  readonly #fields: readonly Field[];
  readonly #stored: readonly number[];
  readonly #create: (values: readonly WireValue[]) => WireRecord;
  readonly #unique: readonly { position: number; seen: Map<WireValue, string> }[];
  readonly #records: WireRecord[] = [];
  readonly #columns: readonly { name: string; position: number; values: WireValue[] }[];
  /** The values of the record that is being read, in the order of the fields. */
  readonly #values: (WireValue | undefined)[];

  constructor(schema: Schema) {
    const entries = Object.entries(schema.fields);
    const positions = (stored: boolean) =>
      entries.flatMap(([, field], position) => (field.stored === stored ? [position] : []));
    this.#names = entries.map(([name]) => name);
    this.#fields = entries.map(([, field]) => field);
    this.#stored = positions(true);
    this.#create = schema.create;
    this.#unique = this.#fields.flatMap(({ unique }, position) =>
      unique ? [{ position, seen: new Map<WireValue, string>() }] : [],
    );
    this.#columns = positions(false).map((position) => ({
      name: this.#name(position),
      position,
      values: [],
    }));
    this.#values = new Array<WireValue | undefined>(entries.length).fill(undefined);
  }

  /** How many records were added. */
  get size(): number {
    return this.#records.length;
  }

  /**
   * Adds the records of a source.
   *
   * @throws InputError with the path of the offending member; the loader is then spent
   */
  add(source: unknown, options: SourceOptions = {}): void {
    const path = new Path(options.path ?? "records");
    const part = this.#partOf(options);
    for (const input of iterate(source, options.path ?? "records")) {
      this.#add(input, part, path, options.nestUnder);
      path.index++;
    }
  }

  /** The rows added so far. */
  finish(): Rows {
    return {
      records: this.#records,
      columns: new Map(this.#columns.map(({ name, values }) => [name, values])),
    };
  }

  #partOf({ nestUnder, nested }: SourceOptions): Part {
    const positionsOf = (positions: readonly number[]) =>
      new Map(positions.map((position) => [this.#name(position), position]));
    if (nestUnder === undefined) return new Part(positionsOf([...this.#names.keys()]));
    const unstored = this.#columns.map(({ position }) => position);
    const own = nested === undefined ? undefined : new Set(nested);
    const inner = unstored.filter((position) => own?.has(this.#name(position)) ?? true);
    return new Part(positionsOf(this.#stored).set(nestUnder, NESTED), new Part(positionsOf(inner)));
  }

  #name(position: number): string {
    return this.#names[position] ?? "";
  }

  #add(input: unknown, part: Part, path: Path, nestUnder: string | undefined): void {
    const values = this.#values;
    values.fill(undefined);
    path.member = undefined;
    try {
      this.#read(input, part, path, nestUnder);
    } catch (error) {
      if (error instanceof TercetError) throw error;
      throw new InputError(path.text(), "could not be read", { cause: error });
    }
    path.member = undefined;
    const wire = this.#complete(values, path);
    for (const { position, seen } of this.#unique) {
      const value = wire[position] ?? null;
      const earlier = seen.get(value);
      if (earlier !== undefined) {
        throw new InputError(
          path.text(this.#name(position)),
          `${describe(value)} is already that of ${earlier}`,
        );
      }
      seen.set(value, path.text());
    }
    const row = this.#records.length;
    const columns = this.#columns;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!;
      column.values[row] = wire[column.position]!;
    }
    this.#records[row] = Object.freeze(this.#create(wire));
  }

  #complete(values: (WireValue | undefined)[], path: Path): readonly WireValue[] {
    for (let position = 0; position < values.length; position++) {
      if (values[position] !== undefined) continue;
      const otherwise = this.#fields[position]!.default;
      if (otherwise === undefined)
        throw new InputError(path.text(this.#name(position)), "is missing");
      values[position] = otherwise;
    }
    return values as readonly WireValue[];
  }

  #read(input: unknown, part: Part, path: Path, nestUnder: string | undefined): void {
    if (!isMembers(input)) {
      throw new InputError(path.text(), `must be an object, not ${describe(input)}`);
    }
    const names = Object.keys(input);
    // Reads every member once, getters included, and much faster than one by one by its name.
    const given: readonly unknown[] = Object.values(input);
    if (given.length !== names.length)
      throw new InputError(path.text(), "changes while it is read");
    const positions = part.positionsOf(names, path);
    for (let i = 0; i < names.length; i++) {
      const value = given[i];
      if (value === undefined) continue;
      const position = positions[i]!;
      if (position === NESTED) {
        if (part.nested === undefined) continue;
        path.member = nestUnder;
        this.#read(value, part.nested, path, undefined);
        path.member = undefined;
        continue;
      }
      const field = this.#fields[position]!;
      const wire = value === "0" && field.type === "int" ? value : toWire(field, value);
      if (wire === undefined) {
        throw new InputError(path.text(names[i]), explainRefusal(field, value));
      }
      this.#values[position] = wire;
    }
  }
}
