// Loads JSON records from their bytes into columns. It reads only plain ones: an object whose members are
// fields, each once, with values that the fields accept. For any other record it returns the place, so
// that the caller can parse it and report what is wrong, if anything.

import type { RowsBuilder } from "../collection/records/columns/rows-builder.ts";
import { setValue, type ColumnBuilder } from "../collection/records/columns/column-builder.ts";
import { toWire, type Field, type WireValue } from "../schema/field.ts";
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, codes, COLON, COMMA } from "./json-bytes.ts";
import { endOfRun, OPEN_ARRAY, OPEN_OBJECT, QUOTE, SPACE, tableOf } from "./json-bytes.ts";
import { decodeUtf8 } from "./utf8.ts";

/** A member of a record: a column, or an object of members. */
export type Member =
  | { readonly position: number; readonly field: Field }
  | { readonly members: ReadonlyMap<string, Member> };

/** A member to look for. */
interface Target {
  /** Its name and the closing quote. */
  readonly name: Uint8Array;
  readonly position: number;
  readonly field: Field | undefined;
  readonly column: ColumnBuilder | undefined;
  readonly inner: Targets | undefined;
  /** The last record that had it. */
  seen: number;
}

/** The members of an object. */
interface Targets {
  readonly all: readonly Target[];
  /** Those of the previous object, in order; most objects have the same. */
  readonly last: Target[];
}

/** Not a plain record. */
const OTHER = -1;

const NULL = codes("null");
const NUMBER = tableOf(codes("-0123456789"));
/** The bytes of numbers and words. */
const IN_WORD = tableOf(codes(",]} \t\n\r")).map((each) => 1 - each);

export class JsonRows {
  readonly #builder: RowsBuilder;
  readonly #targets: Targets;
  /** The value of each column for a record that omits it; `undefined` if it is required. */
  readonly #defaults: readonly (WireValue | undefined)[];
  /** The last record that set each column. */
  readonly #set: Float64Array;
  #record = 0;

  constructor(
    builder: RowsBuilder,
    members: ReadonlyMap<string, Member>,
    defaults: readonly (WireValue | undefined)[],
  ) {
    this.#builder = builder;
    this.#targets = targetsOf(members, builder.columns);
    this.#defaults = defaults;
    this.#set = new Float64Array(defaults.length);
  }

  /**
   * Reads a record that begins at a position.
   *
   * @returns the position after it, or −1 if it is not plain; then no row was added
   */
  read(bytes: Uint8Array, start: number): number {
    this.#record++;
    if (bytes[start] !== OPEN_OBJECT) return OTHER;
    const end = this.#object(bytes, start + 1, this.#targets);
    if (end === OTHER) return OTHER;
    const { columns, rows } = this.#builder;
    for (let i = 0; i < columns.length; i++) {
      if (this.#set[i] === this.#record) continue;
      const value = this.#defaults[i];
      if (value === undefined) return OTHER;
      setValue(columns[i]!, rows, value);
    }
    this.#builder.next();
    return end;
  }

  /** @param start the position after the bracket */
  #object(bytes: Uint8Array, start: number, targets: Targets): number {
    let i = passSpace(bytes, start);
    if (bytes[i] === CLOSE_OBJECT) return i + 1;
    for (let number = 0; ; number++) {
      if (bytes[i] !== QUOTE) return OTHER;
      let target = targets.last[number];
      if (target === undefined || !isAt(target.name, bytes, i + 1)) {
        target = targets.all.find(({ name }) => isAt(name, bytes, i + 1));
        if (target === undefined) return OTHER;
        targets.last[number] = target;
      }
      // The last of two equal names wins.
      if (target.seen === this.#record) return OTHER;
      target.seen = this.#record;
      i = passSpace(bytes, i + 1 + target.name.length);
      if (bytes[i] !== COLON) return OTHER;
      i = passSpace(bytes, i + 1);
      if (target.inner === undefined) i = this.#value(bytes, i, target);
      else i = bytes[i] === OPEN_OBJECT ? this.#object(bytes, i + 1, target.inner) : OTHER;
      if (i === OTHER) return OTHER;
      i = passSpace(bytes, i);
      if (bytes[i] === CLOSE_OBJECT) return i + 1;
      if (bytes[i] !== COMMA) return OTHER;
      i = passSpace(bytes, i + 1);
    }
  }

  #value(bytes: Uint8Array, start: number, { column, field, position }: Target): number {
    if (column === undefined || field === undefined) return OTHER;
    const row = this.#builder.rows;
    this.#set[position] = this.#record;
    let end = start + 1;
    if (bytes[start] === QUOTE) {
      for (; end < bytes.length; end++) {
        const byte = bytes[end]!;
        if (byte === QUOTE) return column.setBytes(row, bytes, start + 1, end) ? end + 1 : OTHER;
        if (byte < 0x20) return OTHER;
        if (byte === BACKSLASH) break;
      }
      end = endOfString(bytes, start);
      const value = end === OTHER ? undefined : valueOf(bytes.subarray(start, end));
      const wire = toWire(field, value);
      if (wire === undefined || wire === null) return OTHER;
      column.setText(row, wire);
      return end;
    }
    if (bytes[start] === NULL[0]) {
      if (!field.nullable || !NULL.every((byte, i) => bytes[start + i] === byte)) return OTHER;
      column.setNull(row);
      return start + NULL.length;
    }
    if (field.type !== "int") return OTHER;
    end = endOfRun(NUMBER, bytes, start);
    const isWhole = end < bytes.length && IN_WORD[bytes[end]!] === 0;
    return isWhole && column.setBytes(row, bytes, start, end) ? end : OTHER;
  }
}

/** Where the value at a position ends. A scanner has seen that its strings and brackets end. */
export function endOfValue(bytes: Uint8Array, start: number): number {
  let depth = 0;
  let i = start;
  do {
    const byte = bytes[i];
    if (byte === QUOTE) {
      const end = endOfString(bytes, i);
      if (end === OTHER) return bytes.length;
      i = end;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth++;
      i++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--;
      i++;
    } else i = depth === 0 ? endOfRun(IN_WORD, bytes, i + 1) : i + 1;
  } while (depth > 0 && i < bytes.length);
  return i;
}

/** The position after a string; −1 if it does not end. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === QUOTE) return i + 1;
    if (bytes[i] === BACKSLASH) i++;
  }
  return OTHER;
}

/** The value of a text; `undefined` if it is not JSON. */
function valueOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(bytes) ?? "") as unknown;
  } catch {
    return undefined;
  }
}

function targetsOf(
  members: ReadonlyMap<string, Member>,
  columns: readonly ColumnBuilder[],
): Targets {
  const encoder = new TextEncoder();
  const all = Array.from(members, ([key, member]): Target => {
    const name = encoder.encode(JSON.stringify(key).slice(1));
    return "members" in member
      ? {
          name,
          position: OTHER,
          field: undefined,
          column: undefined,
          inner: targetsOf(member.members, columns),
          seen: 0,
        }
      : { name, ...member, column: columns[member.position], inner: undefined, seen: 0 };
  });
  return { all, last: [] };
}

function passSpace(bytes: Uint8Array, start: number): number {
  return bytes[start]! > 0x20 ? start : endOfRun(SPACE, bytes, start);
}

function isAt(name: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false;
  return true;
}
