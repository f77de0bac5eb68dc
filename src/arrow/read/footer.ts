// Reads the footer of any Arrow file: its columns, the positions of its messages, and the metadata.

import { readFrom, type ByteSource } from "../byte-source.ts";
import { FileError } from "../file-error.ts";
import { FlatTable, safeInt64 } from "./flatbuffer.ts";
import { arrowTypes, MAGIC, padded, type Block } from "../format.ts";

/** A field of Arrow's schema. */
export interface FooterField {
  readonly name: string;
  readonly nullable: boolean;
  /** The number of its type in the union `Type`. */
  readonly type: number;
  /** The type of its numbers, if they are integers or floating-point numbers. */
  readonly numbers: NumberType;
  /** How many child fields it claims to have. */
  readonly children: number;
  readonly dictionary: FooterDictionary | undefined;
}

/** A type of numbers. */
export interface NumberType {
  readonly bits: number;
  /** Only integers can be unsigned. */
  readonly isSigned: boolean;
}

/** How a column is dictionary-encoded. */
export interface FooterDictionary {
  readonly id: number;
  readonly codes: NumberType;
}

export interface Footer {
  readonly fields: readonly FooterField[];
  /** The metadata of the schema, and those of the footer. */
  readonly schemaMetadata: ReadonlyMap<string, string>;
  readonly metadata: ReadonlyMap<string, string>;
  readonly dictionaries: readonly Block[];
  readonly records: readonly Block[];
  /** Where the footer begins. */
  readonly start: number;
  /** All bytes from there to the end of the file. */
  readonly bytes: Uint8Array;
}

/** The footer's length as int32, and the magic. */
const TAIL = 4 + MAGIC.length;

/** @throws FileError */
export function readFooter(source: ByteSource): Footer {
  const { size } = source;
  const magic = new TextEncoder().encode(MAGIC);
  if (size < padded(magic.length) + TAIL || !startsWith(readFrom(source, 0, 8, "file"), magic)) {
    throw new FileError("file", "does not begin as an Arrow file does");
  }
  const tail = readFrom(source, size - TAIL, size, "file");
  if (!startsWith(tail.subarray(4), magic)) {
    throw new FileError("file", "does not end as an Arrow file does: perhaps its end is missing");
  }
  const length = new DataView(tail.buffer, tail.byteOffset).getInt32(0, true);
  const start = size - TAIL - length;
  if (length <= 0 || start < padded(magic.length)) {
    throw new FileError("footer", "has a length that can't be");
  }
  return reading("footer", () => {
    const bytes = readFrom(source, start, size, "footer");
    const table = FlatTable.root(bytes.subarray(0, length), "footer");
    const schema = table.table(1);
    if (schema === undefined) throw new FileError("footer", "has no schema");
    if (schema.int16(0) !== 0) throw new FileError("footer", "says that numbers are big-endian");
    return {
      fields: fieldsOf(schema),
      schemaMetadata: keyValues(schema, 2),
      metadata: keyValues(table, 4),
      dictionaries: table.structs(2, 24, blockAt),
      records: table.structs(3, 24, blockAt),
      start,
      bytes,
    };
  });
}

/** Returns the result of `read`; if it meets an invalid offset or text, the section is damaged. */
export function reading<T>(section: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    throw new FileError(section, "is damaged", { cause: error });
  }
}

/** @throws FileError at the first duplicate name: no more fields are read than have different names */
function fieldsOf(schema: FlatTable): FooterField[] {
  const names = new Set<string>();
  return schema.tables(1, (table) => {
    const field = fieldOf(table);
    if (names.has(field.name)) throw new FileError("footer", "has a name twice");
    names.add(field.name);
    return field;
  });
}

function fieldOf(table: FlatTable): FooterField {
  const type = table.int8(2);
  const encoding = table.table(4);
  return {
    name: table.string(0) ?? "",
    nullable: table.int8(1) !== 0,
    type,
    numbers: numbersOf(type, table.table(3)),
    children: table.count(5),
    dictionary: encoding && {
      id: encoding.int64(0),
      // By default, codes have 32 bits.
      codes: integersOf(encoding.table(1)) ?? { bits: 32, isSigned: true },
    },
  };
}

const NO_NUMBERS: NumberType = { bits: 0, isSigned: true };

function numbersOf(type: number, detail: FlatTable | undefined): NumberType {
  if (type === arrowTypes.int) return integersOf(detail) ?? NO_NUMBERS;
  if (type !== arrowTypes.float || detail === undefined) return NO_NUMBERS;
  return { bits: 16 * 2 ** detail.int16(0), isSigned: true };
}

function integersOf(type: FlatTable | undefined): NumberType | undefined {
  return type && { bits: type.int32(0), isSigned: type.int8(1) !== 0 };
}

function blockAt(view: DataView, at: number): Block {
  return {
    offset: safeInt64(view, at),
    metadataLength: view.getInt32(at + 8, true),
    bodyLength: safeInt64(view, at + 16),
  };
}

function keyValues(table: FlatTable, field: number): Map<string, string> {
  return new Map(
    table.tables(field, (pair): [string, string] => [pair.string(0) ?? "", pair.string(1) ?? ""]),
  );
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}
