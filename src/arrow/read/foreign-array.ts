// Decodes the arrays of other tools' files to values: integers of any width, strings in each of Arrow's
// three forms, plain or dictionary-encoded.

import { FileError } from "../file-error.ts";
import { safeInt64 } from "./flatbuffer.ts";
import type { FooterField, NumberType } from "./footer.ts";
import type { Batch } from "./message.ts";
import type { FieldType } from "../../schema/field.ts";
import { arrowTypes, BOOLEAN } from "../format.ts";
import { ReadBudget } from "../read-budget.ts";

/** A value of an input record. */
export type ForeignValue = string | number | bigint | boolean | null;

/** More numbers of the union `Type`. */
const NULL = 1;
const LARGE_UTF8 = 20;
const UTF8_VIEW = 24;

/** The types with one buffer of values; columns of these types are skipped if nobody needs them. */
const FIXED = [2, 3, 6, 7, 8, 9, 10, 11, 15, 18];
/** Those that also have offsets: Binary, Utf8, LargeBinary, LargeUtf8. */
const VARIABLE = [4, 5, 19, 20];
/** BinaryView and Utf8View. */
const VIEWS = [23, 24];

/** The type of a field for the values of a column; `undefined` if there is none. */
export function typeOf({ type }: Pick<FooterField, "type">): FieldType | undefined {
  if (type === arrowTypes.int) return "int";
  if (type === arrowTypes.float) return "float";
  if (type === BOOLEAN) return "boolean";
  return [arrowTypes.string, LARGE_UTF8, UTF8_VIEW, NULL].includes(type) ? "string" : undefined;
}

/** Skips the arrays of a column. @throws FileError if their number is unknown */
export function skipColumn(field: FooterField, batch: Batch): void {
  const { type, dictionary, children } = field;
  const isFixed = dictionary !== undefined || FIXED.includes(type);
  if (!isFixed && (children > 0 || ![NULL, ...VARIABLE, ...VIEWS].includes(type))) {
    throw new FileError(`column ${field.name}`, "is of a type that can't be skipped");
  }
  batch.nextNode();
  if (type === NULL && dictionary === undefined) return;
  const more = isFixed ? 0 : VIEWS.includes(type) ? batch.nextViewBuffers() : 1;
  batch.skipBuffers(2 + more);
}

/** Whether the values of a column take no bytes, so there may be any number of them. */
export function takesNoBytes({ type, dictionary }: FooterField): boolean {
  return type === NULL && dictionary === undefined;
}

/** The values of a column. @param dictionary the values of its codes, if it is dictionary-encoded */
export function readColumn(
  field: FooterField,
  batch: Batch,
  dictionary: readonly ForeignValue[] | undefined,
): ForeignValue[] {
  if (field.dictionary === undefined) return readValues(field, batch);
  const codes = readIntegers(batch, field.dictionary.codes);
  return codes.map((code) => {
    if (code === null) return null;
    const value = dictionary?.[Number(code)];
    if (value !== undefined) return value;
    throw new FileError(`column ${field.name}`, "has a code that is not in its dictionary");
  });
}

/** The values of a plain array; missing ones are null. */
export function readValues({ name, type, numbers }: FooterField, batch: Batch): ForeignValue[] {
  switch (type) {
    case arrowTypes.int:
      return readIntegers(batch, numbers);
    case BOOLEAN:
      return readBooleans(batch);
    case arrowTypes.float:
      return readFloats(batch, numbers.bits, name);
    case arrowTypes.string:
      return readStrings(batch, 4, name);
    case LARGE_UTF8:
      return readStrings(batch, 8, name);
    case UTF8_VIEW:
      return readViews(batch, name);
    case NULL:
      batch.nextNode();
      return [];
    default:
      throw new FileError(`column ${name}`, "is of a type that no field has");
  }
}

function readIntegers(batch: Batch, numbers: NumberType): (number | bigint | null)[] {
  const isValid = readValidity(batch);
  const buffer = batch.nextBuffer((batch.rows * numbers.bits) / 8);
  const view = new DataView(buffer.buffer);
  const read = integerReader(view, numbers);
  return Array.from({ length: batch.rows }, (_, row) => (isValid(row) ? read(row) : null));
}

function integerReader(
  view: DataView,
  { bits, isSigned }: NumberType,
): (row: number) => number | bigint {
  switch (bits) {
    case 8:
      return isSigned ? (row) => view.getInt8(row) : (row) => view.getUint8(row);
    case 16:
      return isSigned
        ? (row) => view.getInt16(2 * row, true)
        : (row) => view.getUint16(2 * row, true);
    case 32:
      return isSigned
        ? (row) => view.getInt32(4 * row, true)
        : (row) => view.getUint32(4 * row, true);
    case 64:
      return isSigned
        ? (row) => view.getBigInt64(8 * row, true)
        : (row) => view.getBigUint64(8 * row, true);
    default:
      throw new FileError("footer", `has integers of ${bits} bits`);
  }
}

function readBooleans(batch: Batch): (boolean | null)[] {
  const isValid = readValidity(batch);
  const bits = batch.nextBuffer(batch.rows / 8);
  const isSet = (row: number) => ((bits[row >>> 3]! >>> (row & 7)) & 1) === 1;
  return Array.from({ length: batch.rows }, (_, row) => (isValid(row) ? isSet(row) : null));
}

/** An int field may accept those that are integers. */
function readFloats(batch: Batch, bits: number, name: string): (number | null)[] {
  if (bits !== 32 && bits !== 64) {
    throw new FileError(`column ${name}`, `has floating-point numbers of ${bits} bits`);
  }
  const isValid = readValidity(batch);
  const view = new DataView(batch.nextBuffer((batch.rows * bits) / 8).buffer);
  const read = (row: number) =>
    bits === 32 ? view.getFloat32(4 * row, true) : view.getFloat64(8 * row, true);
  return Array.from({ length: batch.rows }, (_, row) => (isValid(row) ? read(row) : null));
}

/** Which rows are not null. */
function readValidity(batch: Batch): (row: number) => boolean {
  const { length, nulls } = batch.nextNode();
  // If no row is null, the bits may be missing.
  const bits = batch.nextBuffer(nulls === 0 ? 0 : length / 8);
  if (nulls === 0) return () => true;
  return (row) => ((bits[row >>> 3]! >>> (row & 7)) & 1) === 1;
}

/** @param size how many bytes an offset has */
function readStrings(batch: Batch, size: 4 | 8, name: string): (string | null)[] {
  const isValid = readValidity(batch);
  // Without rows, even the first offset may be missing.
  const offsets = batch.nextBuffer(batch.rows === 0 ? 0 : (batch.rows + 1) * size);
  const view = new DataView(offsets.buffer);
  const text = batch.nextBuffer(0);
  const at = (row: number) =>
    size === 4 ? view.getInt32(4 * row, true) : safeInt64(view, 8 * row);
  let end = 0;
  return Array.from({ length: batch.rows }, (_, row) => {
    const from = at(row);
    const to = at(row + 1);
    // Ascending offsets make no more text than there are bytes.
    if (from < end || to < from || to > text.length) {
      throw new FileError(`column ${name}`, "has a string that leads out of its bytes");
    }
    end = to;
    return isValid(row) ? decode(text.subarray(from, to), name) : null;
  });
}

/** How many times the bytes of a batch are decoded if strings overlap, such as parts of one text. */
const MOST_TIMES = 16;

/** A view is a string of up to 12 bytes, or the position of a longer one. */
function readViews(batch: Batch, name: string): (string | null)[] {
  const isValid = readValidity(batch);
  const bytes = batch.nextBuffer(batch.rows * 16);
  const view = new DataView(bytes.buffer);
  const buffers = Array.from({ length: batch.nextViewBuffers() }, () => batch.nextBuffer(0));
  // Many views may refer to one long text, which is then decoded once, or to overlapping parts of it.
  const known = new Map<string, string>();
  const budget = new ReadBudget(
    MOST_TIMES * batch.bytes,
    `column ${name}`,
    `has strings that overlap: they have more than ${MOST_TIMES} times the bytes of their batch`,
  );
  return Array.from({ length: batch.rows }, (_, row) => {
    if (!isValid(row)) return null;
    const at = 16 * row;
    const length = view.getInt32(at, true);
    if (length >= 0 && length <= 12) return decode(bytes.subarray(at + 4, at + 4 + length), name);
    const number = view.getInt32(at + 8, true);
    const from = view.getInt32(at + 12, true);
    const key = `${number} ${from} ${length}`;
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const buffer = buffers[number];
    if (buffer === undefined || length < 0 || from < 0 || from + length > buffer.length) {
      throw new FileError(`column ${name}`, "has a string that leads out of its bytes");
    }
    budget.spend(length);
    const text = decode(buffer.subarray(from, from + length), name);
    known.set(key, text);
    return text;
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array, name: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new FileError(`column ${name}`, "has a string that is not UTF-8", { cause: error });
  }
}
