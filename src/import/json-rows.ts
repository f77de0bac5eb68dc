// Loads JSON records from their bytes into columns. It reads only plain ones: an object whose members are
// fields, each once, with values that the fields accept. For any other record it returns the place, so
// that the caller can parse it and report what is wrong, if anything.

import type { RowsBuilder } from "../collection/records/columns/rows-builder.ts";
import { setValue } from "../collection/records/columns/column-builder.ts";
import { toWire, type Field, type WireValue } from "../schema/field.ts";
import {
  BACKSLASH,
  CLOSE_OBJECT,
  codes,
  COLON,
  COMMA,
  endOfRun,
  endOfString,
  endOfValue,
} from "./json-bytes.ts";
import { IN_WORD, OPEN_OBJECT, QUOTE, SPACE } from "./json-bytes.ts";
import { parseElements } from "./json-parse.ts";
import { decodeUtf8 } from "./utf8.ts";

/** A member to look for: a column, or an object of members. */
export interface Member {
  /** Its name and the closing quote. */
  readonly name: Uint8Array;
  readonly value: { readonly position: number; readonly field: Field } | Members;
  /** The last record that had it. */
  seen: number;
}

/** The members of an object. */
export interface Members {
  readonly all: readonly Member[];
  /** Those of the previous object, in order; most objects have the same. */
  readonly last: Member[];
}

export function membersOf(values: ReadonlyMap<string, Member["value"]>): Members {
  const encoder = new TextEncoder();
  const all = Array.from(values, ([name, value]) => {
    return { name: encoder.encode(JSON.stringify(name).slice(1)), value, seen: 0 };
  });
  return { all, last: [] };
}

/** Not a plain record. */
const OTHER = -1;

const NULL = codes("null");

export class JsonRows {
  readonly #builder: RowsBuilder;
  readonly #members: Members;
  /** The value of each column for a record that omits it; `undefined` if it is required. */
  readonly #defaults: readonly (WireValue | undefined)[];
  /** The last record that set each column. */
  readonly #set: Float64Array;
  #record = 0;

  constructor(
    builder: RowsBuilder,
    members: Members,
    defaults: readonly (WireValue | undefined)[],
  ) {
    this.#builder = builder;
    this.#members = members;
    this.#defaults = defaults;
    this.#set = new Float64Array(defaults.length);
  }

  /**
   * Reads consecutive records, separated by commas.
   *
   * @param offset how many bytes come before them, for errors
   * @param placeOf a record, by its number among these
   * @param took is told the number of each record that was taken
   * @param take takes any other record
   */
  readAll(
    bytes: Uint8Array,
    offset: number,
    placeOf: (index: number) => string,
    took: (index: number) => void,
    take: (record: unknown, index: number) => void,
  ): void {
    let at = endOfRun(SPACE, bytes, 0);
    for (let index = 0; at < bytes.length; index++) {
      let end = this.read(bytes, at);
      if (end !== OTHER) took(index);
      else {
        end = endOfValue(bytes, at);
        const record = bytes.subarray(at, end);
        take(parseElements(record, offset + at, () => placeOf(index))[0], index);
      }
      at = endOfRun(SPACE, bytes, end);
      if (bytes[at] === COMMA) at = endOfRun(SPACE, bytes, at + 1);
    }
  }

  /** Whether it could read a record that is all of some bytes, but for space around it. */
  readWhole(bytes: Uint8Array): boolean {
    const end = this.#fill(bytes, endOfRun(SPACE, bytes, 0));
    if (end === OTHER || endOfRun(SPACE, bytes, end) < bytes.length) return false;
    this.#builder.next();
    return true;
  }

  /**
   * Reads a record that begins at a position.
   *
   * @returns the position after it, or −1 if it is not plain; then no row was added
   */
  read(bytes: Uint8Array, start: number): number {
    const end = this.#fill(bytes, start);
    if (end !== OTHER) this.#builder.next();
    return end;
  }

  #fill(bytes: Uint8Array, start: number): number {
    this.#record++;
    if (bytes[start] !== OPEN_OBJECT) return OTHER;
    const end = this.#object(bytes, start + 1, this.#members);
    if (end === OTHER) return OTHER;
    const { columns, rows } = this.#builder;
    for (let i = 0; i < columns.length; i++) {
      if (this.#set[i] === this.#record) continue;
      const value = this.#defaults[i];
      if (value === undefined) return OTHER;
      setValue(columns[i]!, rows, value);
    }
    return end;
  }

  /** @param start the position after the bracket */
  #object(bytes: Uint8Array, start: number, { all, last }: Members): number {
    let i = passSpace(bytes, start);
    if (bytes[i] === CLOSE_OBJECT) return i + 1;
    for (let number = 0; ; number++) {
      if (bytes[i] !== QUOTE) return OTHER;
      let member = last[number];
      if (member === undefined || !isAt(member.name, bytes, i + 1)) {
        member = all.find(({ name }) => isAt(name, bytes, i + 1));
        if (member === undefined) return OTHER;
        last[number] = member;
      }
      // The last of two equal names wins.
      if (member.seen === this.#record) return OTHER;
      member.seen = this.#record;
      const { name, value } = member;
      i = passSpace(bytes, i + 1 + name.length);
      if (bytes[i] !== COLON) return OTHER;
      i = passSpace(bytes, i + 1);
      if ("field" in value) i = this.#value(bytes, i, value.position, value.field);
      else i = bytes[i] === OPEN_OBJECT ? this.#object(bytes, i + 1, value) : OTHER;
      if (i === OTHER) return OTHER;
      i = passSpace(bytes, i);
      if (bytes[i] === CLOSE_OBJECT) return i + 1;
      if (bytes[i] !== COMMA) return OTHER;
      i = passSpace(bytes, i + 1);
    }
  }

  #value(bytes: Uint8Array, start: number, position: number, field: Field): number {
    const row = this.#builder.rows;
    const column = this.#builder.columns[position]!;
    this.#set[position] = this.#record;
    let end = start + 1;
    if (field.type === "json") {
      end = endOfValue(bytes, start);
      return end !== OTHER && this.#parsed(bytes.subarray(start, end), position, field)
        ? end
        : OTHER;
    }
    if (bytes[start] === QUOTE) {
      for (; end < bytes.length; end++) {
        const byte = bytes[end]!;
        if (byte === QUOTE) return column.setBytes(row, bytes, start + 1, end) ? end + 1 : OTHER;
        if (byte < 0x20) return OTHER;
        if (byte === BACKSLASH) break;
      }
      end = endOfString(bytes, start);
      return end !== OTHER && this.#parsed(bytes.subarray(start, end), position, field)
        ? end
        : OTHER;
    }
    if (bytes[start] === NULL[0]) {
      if (!field.nullable || !NULL.every((byte, i) => bytes[start + i] === byte)) return OTHER;
      column.setNull(row);
      return start + NULL.length;
    }
    if (field.type === "string") return OTHER;
    end = endOfRun(IN_WORD, bytes, start);
    if (column.setBytes(row, bytes, start, end)) return end;
    // A float may be written in other ways than JavaScript's.
    if (field.type !== "float") return OTHER;
    return this.#parsed(bytes.subarray(start, end), position, field) ? end : OTHER;
  }

  /** Sets a value from its JSON. @returns whether the field accepts it */
  #parsed(bytes: Uint8Array, position: number, field: Field): boolean {
    const wire = toWire(field, valueOf(bytes));
    if (wire === undefined) return false;
    setValue(this.#builder.columns[position]!, this.#builder.rows, wire);
    return true;
  }
}

/** The value of a text; `undefined` if it is not JSON. */
function valueOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes) ?? "") as unknown;
  } catch {
    return undefined;
  }
}

function passSpace(bytes: Uint8Array, start: number): number {
  return bytes[start]! > 0x20 ? start : endOfRun(SPACE, bytes, start);
}

function isAt(name: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false;
  return true;
}
