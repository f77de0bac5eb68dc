// Loads JSON records from their bytes into columns. It reads only plain ones: an object whose members are fields, each
// once, with values that the fields accept. For any other record it returns the position, so that the caller can parse
// the record and report what is wrong, if anything.

import type { RowsBuilder } from "../engine/columns/columns/rows-builder.ts";
import { setValue, type ColumnBuilder } from "../engine/columns/columns/column-builder.ts";
import { orUndefined } from "../schema/errors.ts";
import { isExact, parseExactly } from "../schema/exact-json.ts";
import { isText, toTextForm, type Field, type TextValue } from "../schema/field.ts";
import { isNested } from "./flat-value.ts";
import { BACKSLASH, CLOSE_OBJECT, codes, COLON, COMMA, OPEN_OBJECT } from "./json-bytes.ts";
import { endOfRun, endOfValue, QUOTE, SPACE } from "./json-bytes.ts";
import { parseElements } from "./json-parse.ts";
import { decodeUtf8, isAt } from "./utf8.ts";

/** The place with a number that the source gives a record: of its line, of its row, in its array. */
export type PlaceOf = (number: number) => string;

/** A column that members of records are put into. */
export interface JsonColumn {
  readonly position: number;
  readonly field: Field;
  /** The path of its value in a record: a name, and perhaps a name within that member. */
  readonly path: readonly [string] | readonly [string, string];
}

/** A member to look for: a column, or an object of members. */
interface Member {
  /** Its name and the closing quote. */
  readonly name: Uint8Array;
  readonly value: JsonColumn | Members;
  /** The last record that had it. */
  seen: number;
}

interface Members {
  readonly all: Member[];
  /** Those of the previous object, in order; most objects have the same members. */
  readonly last: Member[];
}

function membersOf(columns: Iterable<JsonColumn>): Members {
  const encoder = new TextEncoder();
  const outer: Members = { all: [], last: [] };
  const nested = new Map<string, Members>();
  const add = ({ all }: Members, name: string, value: Member["value"]) =>
    all.push({ name: encoder.encode(JSON.stringify(name).slice(1)), value, seen: 0 });
  for (const column of columns) {
    const [name, within] = column.path;
    if (within === undefined) add(outer, name, column);
    else {
      let inner = nested.get(name);
      if (inner === undefined) {
        nested.set(name, (inner = { all: [], last: [] }));
        add(outer, name, inner);
      }
      add(inner, within, column);
    }
  }
  return outer;
}

/** Consecutive records, separated by commas. */
export interface Stretch {
  readonly bytes: Uint8Array;
  /** How many bytes precede them, for errors. */
  readonly offset: number;
  /** The number of the first one. */
  readonly first: number;
  /** Whether NaN and infinities are null. */
  readonly isLenient?: boolean;
}

/** Not a plain record. */
const OTHER = -1;

const NULL = codes("null");

/** The bytes of a string that need no unescaping. */
const IN_TEXT = new Uint8Array(256).fill(1, 0x20);
IN_TEXT[QUOTE] = IN_TEXT[BACKSLASH] = 0;

export class JsonRows {
  readonly #builder: RowsBuilder;
  readonly #members: Members;
  /** The value of each column for a record that omits it; `undefined` if the field is required. */
  readonly #defaults: readonly (TextValue | undefined)[];
  /** The last record that set each column. */
  readonly #set: Float64Array;
  /** Called with the number of each plain record. */
  readonly #took: (number: number, placeOf: PlaceOf) => void;
  /** The input of a field for a value. */
  readonly #inputOf: (field: Field, value: unknown) => unknown;
  #record = 0;

  constructor(
    builder: RowsBuilder,
    columns: Iterable<JsonColumn>,
    defaults: readonly (TextValue | undefined)[],
    took: (number: number, placeOf: PlaceOf) => void = () => undefined,
    inputOf: (field: Field, value: unknown) => unknown = (_, value) => value,
  ) {
    this.#builder = builder;
    this.#inputOf = inputOf;
    this.#took = took;
    this.#members = membersOf(columns);
    this.#defaults = defaults;
    this.#set = new Float64Array(defaults.length);
  }

  /** @param take takes the records that are not plain */
  readAll(
    { bytes, offset, first, isLenient }: Stretch,
    placeOf: PlaceOf,
    take: (record: unknown, number: number, placeOf: PlaceOf) => void,
  ): void {
    let at = endOfRun(SPACE, bytes, 0);
    for (let number = first; at < bytes.length; number++) {
      let end = this.#fill(bytes, at);
      if (end !== OTHER) {
        this.#builder.next();
        this.#took(number, placeOf);
      } else {
        end = endOfValue(bytes, at);
        const record = bytes.subarray(at, end);
        const [value] = parseElements(record, offset + at, () => placeOf(number), isLenient);
        take(value, number, placeOf);
      }
      at = endOfRun(SPACE, bytes, end);
      if (bytes[at] === COMMA) at = endOfRun(SPACE, bytes, at + 1);
    }
  }

  /**
   * Reads a single record that spans all of some bytes, apart from surrounding white space. Returns whether it could.
   */
  readWhole(bytes: Uint8Array, number: number, placeOf: PlaceOf): boolean {
    const end = this.#fill(bytes, endOfRun(SPACE, bytes, 0));
    if (end === OTHER || endOfRun(SPACE, bytes, end) < bytes.length) return false;
    this.#builder.next();
    this.#took(number, placeOf);
    return true;
  }

  /** Reads a record. @returns the position after it, or −1 if it is not plain */
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
    const { type } = field;
    this.#set[position] = this.#record;
    if (!isNested(type)) {
      if (bytes[start] === QUOTE) {
        let end = start + 1;
        while (end < bytes.length && IN_TEXT[bytes[end]!] === 1) end++;
        if (bytes[end] === QUOTE)
          return column.setBytes(row, bytes, start + 1, end) ? end + 1 : OTHER;
        if (bytes[end] !== BACKSLASH) return OTHER;
      } else if (bytes[start] === NULL[0]) {
        if (!field.nullable || !NULL.every((byte, i) => bytes[start + i] === byte)) return OTHER;
        column.setNull(row);
        return start + NULL.length;
      }
    }
    const end = endOfValue(bytes, start);
    if (end === OTHER) return OTHER;
    if (!isNested(type) && bytes[start] !== QUOTE) {
      if (!isText(type) && column.setBytes(row, bytes, start, end)) return end;
      // A float may be written differently than in JavaScript, and a string or a time may be given as a number.
      if (type !== "float" && !isText(type)) return OTHER;
    }
    const value = this.#inputOf(field, valueOf(bytes.subarray(start, end)));
    return setInput(column, row, field, value) ? end : OTHER;
  }
}

/** Sets a value as it was given. Returns whether the field accepts it. */
export function setInput(column: ColumnBuilder, row: number, field: Field, value: unknown) {
  const textForm = toTextForm(field, value);
  if (textForm === undefined) return false;
  setValue(column, row, textForm);
  return true;
}

/** The value of a text; `undefined` if it is not JSON. */
const valueOf = (bytes: Uint8Array) =>
  orUndefined(() => parseExactly(decodeUtf8(bytes) ?? "", isExact));

function passSpace(bytes: Uint8Array, start: number): number {
  return bytes[start]! > 0x20 ? start : endOfRun(SPACE, bytes, start);
}
