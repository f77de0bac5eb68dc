// From input records to rows: each value is checked and put in wire form, left-out fields get their
// defaults, and unique fields are held unique (rules V1 to V8). Nothing is half-loaded: an error
// leaves the rows unmade.

import { describe, member, quote, RecordError, TercetError } from "../schema/errors.ts";
import { explainRefusal, toWire, type Field, type WireValue } from "../schema/field.ts";
import type { Schema, WireRecord } from "../schema/schema.ts";
import type { Rows } from "./rows.ts";

/** A part of an input record: the members that it may have, and where they stand. */
interface Part {
  readonly fields: ReadonlyMap<string, number>;
  /** The member under which another part is nested, and that part. */
  readonly nested?: { readonly name: string; readonly part: Part } | undefined;
}

/** How the records of one source look. */
export interface SourceOptions {
  /** What the source is called in errors; a record is then `path[3]`. Default `"records"`. */
  readonly path?: string;
  /** The member of an input record that holds the fields that are not stored. Default: none does. */
  readonly nestUnder?: string;
  /** Of the fields that are not stored, those that this source has. Default: all. */
  readonly nested?: Iterable<string>;
}

/** Collects the rows of a collection from one source or several. */
export class Loader {
  readonly #names: readonly string[];
  readonly #fields: readonly Field[];
  readonly #storedNames: readonly string[];
  readonly #unique: readonly { position: number; seen: Map<WireValue, string> }[];
  readonly #records: WireRecord[] = [];
  readonly #columns: readonly { name: string; position: number; values: WireValue[] }[];

  constructor(schema: Schema) {
    const entries = Object.entries(schema.fields);
    this.#names = entries.map(([name]) => name);
    this.#fields = entries.map(([, field]) => field);
    this.#storedNames = entries.filter(([, field]) => field.stored).map(([name]) => name);
    this.#unique = this.#fields.flatMap(({ unique }, position) =>
      unique ? [{ position, seen: new Map<WireValue, string>() }] : [],
    );
    this.#columns = this.#fields.flatMap(({ stored }, position) =>
      stored ? [] : [{ name: this.#name(position), position, values: [] }],
    );
  }

  /** How many records were added. */
  get size(): number {
    return this.#records.length;
  }

  /**
   * Adds the records of a source.
   *
   * @throws RecordError with the path of the offending member; the loader is then spent
   */
  add(source: unknown, options: SourceOptions = {}): void {
    const path = options.path ?? "records";
    const part = this.#partOf(options);
    let index = 0;
    for (const input of iterate(source, path)) {
      this.#addRecord(input, part, `${path}[${index}]`);
      index++;
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
    if (nestUnder === undefined) return this.#part(this.#names);
    const unstored = new Set(this.#columns.map(({ name }) => name));
    const own = nested === undefined ? unstored : new Set(nested);
    return {
      ...this.#part(this.#storedNames),
      nested: { name: nestUnder, part: this.#part([...unstored].filter((name) => own.has(name))) },
    };
  }

  #part(names: readonly string[]): Part {
    return { fields: new Map(names.map((name) => [name, this.#names.indexOf(name)])) };
  }

  #name(position: number): string {
    return this.#names[position] ?? "";
  }

  #addRecord(input: unknown, part: Part, path: string): void {
    const values = new Array<WireValue | undefined>(this.#names.length).fill(undefined);
    try {
      this.#read(input, part, values, path);
    } catch (error) {
      if (error instanceof TercetError) throw error;
      throw new RecordError(path, "could not be read", { cause: error });
    }
    const wire = this.#fields.map((field, position) => {
      const value = values[position];
      if (value !== undefined) return value;
      if (field.default !== undefined) return field.default;
      throw new RecordError(member(path, this.#name(position)), "is missing");
    });
    for (const { position, seen } of this.#unique) {
      const value = wire[position] ?? null;
      const place = member(path, this.#name(position));
      const earlier = seen.get(value);
      if (earlier !== undefined) {
        throw new RecordError(place, `${describe(value)} is already that of ${earlier}`);
      }
      seen.set(value, path);
    }
    for (const { position, values: column } of this.#columns) column.push(wire[position] ?? null);
    const stored: [string, WireValue][] = [];
    for (let i = 0; i < wire.length; i++) {
      if (this.#fields[i]?.stored === true) stored.push([this.#name(i), wire[i] ?? null]);
    }
    this.#records.push(Object.freeze(Object.fromEntries(stored)));
  }

  #read(input: unknown, part: Part, values: (WireValue | undefined)[], path: string): void {
    const members = membersOf(input, path);
    for (const name of Object.keys(members)) {
      const value = members[name];
      if (value === undefined) continue;
      const position = part.fields.get(name);
      if (position === undefined) {
        if (part.nested?.name !== name) {
          throw new RecordError(path, `has the unknown field ${quote(name)}`);
        }
        this.#read(value, part.nested.part, values, member(path, name));
        continue;
      }
      const field = this.#fields[position];
      if (field === undefined) continue;
      const wire = toWire(field, value);
      if (wire === undefined) {
        throw new RecordError(member(path, name), explainRefusal(field, value));
      }
      values[position] = wire;
    }
  }
}

/** The value as an object whose members can be read, or an error that says what it is instead. */
export function membersOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (!isMembers(value)) throw new RecordError(path, `must be an object, not ${describe(value)}`);
  return value;
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as something to iterate over, or an error that says what it is instead. */
export function iterate(value: unknown, path: string): Iterable<unknown> {
  if (!isIterable(value)) throw new RecordError(path, `must be iterable, not ${describe(value)}`);
  return value;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.iterator in value &&
    typeof value[Symbol.iterator] === "function"
  );
}
