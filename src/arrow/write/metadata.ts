// The metadata of an Arrow file written by tercet: schema, messages and footer, as flatbuffers.
//
// Source: Schema.fbs, Message.fbs and File.fbs of the Apache Arrow columnar format, version 1.5.

import { Builder, type Offset } from "flatbuffers";
import type { Storage } from "../../schema/field.ts";
import type { WrittenType } from "../column-types.ts";
import {
  arrowTypes,
  CONTINUATION,
  headers,
  LARGE_STRING,
  LIST,
  MAGIC,
  padded,
  writtenTypes,
  type ArrayNode,
  type Block,
  type Metadata,
  type ByteRange,
} from "../format.ts";

/** Version 5 of the metadata, used by all files since Arrow 1.0. */
const VERSION = 4;

/** The precision of float64. */
const DOUBLE = 2;

/** The units of times by their digits of a second. */
const unitOf = (digits: number): number => (digits === 3 ? 1 : 2);

/** A column in Arrow's schema: encoded by an ordered dictionary, or lists of such values. */
export interface ArrowField {
  readonly name: string;
  readonly type: Storage;
  /** What is written instead of strings. */
  readonly as: WrittenType | undefined;
  /** Of strings, whether their offsets have 64 bits. */
  readonly isLarge: boolean;
  readonly isList: boolean;
  readonly nullable: boolean;
  /** The number of its dictionary, which others may share. */
  readonly dictionary: number;
  /** How many bytes a code has. */
  readonly codeBytes: number;
}

/** Arrays of a message's body. */
export interface Arrays {
  readonly nodes: readonly ArrayNode[];
  readonly buffers: readonly ByteRange[];
  readonly bodyLength: number;
}

/** The first message of a file. */
export function schemaMessage(fields: readonly ArrowField[]): Uint8Array {
  const builder = new Builder();
  return message(builder, headers.schema, schema(builder, fields), 0);
}

/** The message before the values of a dictionary. */
export function dictionaryMessage(id: number, values: number, arrays: Arrays): Uint8Array {
  const builder = new Builder();
  const data = recordBatch(builder, values, arrays);
  builder.startObject(3);
  builder.addFieldInt64(0, BigInt(id), 0n);
  builder.addFieldOffset(1, data, 0);
  return message(builder, headers.dictionary, builder.endObject(), arrays.bodyLength);
}

/** The message before the codes of all columns. */
export function recordsMessage(rows: number, arrays: Arrays): Uint8Array {
  const builder = new Builder();
  return message(builder, headers.records, recordBatch(builder, rows, arrays), arrays.bodyLength);
}

/** The end of the messages, for tools that read the file from its beginning. */
export function endOfMessages(): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setUint32(0, CONTINUATION, true);
  return bytes;
}

/** The end of the file: the footer, its length, and the magic. */
export function footer(
  fields: readonly ArrowField[],
  dictionaries: readonly Block[],
  records: readonly Block[],
  metadata: Metadata,
): Uint8Array {
  const builder = new Builder();
  const schemaOffset = schema(builder, fields);
  const dictionaryBlocks = blocks(builder, dictionaries);
  const recordBlocks = blocks(builder, records);
  const own = keyValues(builder, metadata);
  builder.startObject(5);
  builder.addFieldInt16(0, VERSION, 0);
  builder.addFieldOffset(1, schemaOffset, 0);
  builder.addFieldOffset(2, dictionaryBlocks, 0);
  builder.addFieldOffset(3, recordBlocks, 0);
  builder.addFieldOffset(4, own, 0);
  builder.finish(builder.endObject());
  const table = builder.asUint8Array();
  const bytes = new Uint8Array(table.length + 4 + MAGIC.length);
  bytes.set(table);
  new DataView(bytes.buffer).setInt32(table.length, table.length, true);
  bytes.set(new TextEncoder().encode(MAGIC), table.length + 4);
  return bytes;
}

/** The table after its length, padded so that what follows begins at a multiple of 8. */
function message(builder: Builder, type: number, header: Offset, bodyLength: number): Uint8Array {
  builder.startObject(5);
  builder.addFieldInt16(0, VERSION, 0);
  builder.addFieldInt8(1, type, 0);
  builder.addFieldOffset(2, header, 0);
  // Whatever the length is, the message takes the same space: no length is left out.
  builder.addFieldInt64(3, BigInt(bodyLength), -1n);
  builder.finish(builder.endObject());
  const table = builder.asUint8Array();
  const length = padded(table.length);
  const bytes = new Uint8Array(8 + length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, length, true);
  bytes.set(table, 8);
  return bytes;
}

function schema(builder: Builder, fields: readonly ArrowField[]): Offset {
  const vector = offsets(
    builder,
    fields.map((field) => fieldTable(builder, field)),
  );
  builder.startObject(4);
  builder.addFieldOffset(1, vector, 0);
  return builder.endObject();
}

function fieldTable(builder: Builder, field: ArrowField): Offset {
  const { isList } = field;
  const item = { ...field, name: "item", nullable: false, isList: false };
  // Readers in C++ require the vector, even if it is empty.
  const children = offsets(builder, isList ? [fieldTable(builder, item)] : []);
  const name = builder.createString(field.name);
  const type = isList ? emptyTable(builder) : valueType(builder, field);
  const encoding = isList ? 0 : encodingTable(builder, field);
  builder.startObject(7);
  builder.addFieldOffset(0, name, 0);
  builder.addFieldInt8(1, field.nullable ? 1 : 0, 0);
  builder.addFieldInt8(2, isList ? LIST : typeNumber(field), 0);
  builder.addFieldOffset(3, type, 0);
  builder.addFieldOffset(4, encoding, 0);
  builder.addFieldOffset(5, children, 0);
  return builder.endObject();
}

function typeNumber({ type, isLarge, as }: ArrowField): number {
  if (as !== undefined) return writtenTypes[as.kind];
  return isLarge ? LARGE_STRING : arrowTypes[type];
}

function encodingTable(builder: Builder, { dictionary, codeBytes, as }: ArrowField): Offset {
  const codeType = intType(builder, 8 * codeBytes, false);
  builder.startObject(4);
  builder.addFieldInt64(0, BigInt(dictionary), 0n);
  builder.addFieldOffset(1, codeType, 0);
  builder.addFieldInt8(2, as === undefined || as.isOrdered ? 1 : 0, 0); // isOrdered
  return builder.endObject();
}

function intType(builder: Builder, bits: number, isSigned: boolean): Offset {
  builder.startObject(2);
  builder.addFieldInt32(0, bits, 0);
  builder.addFieldInt8(1, isSigned ? 1 : 0, 0);
  return builder.endObject();
}

function valueType(builder: Builder, { type, as }: ArrowField): Offset {
  if (as !== undefined) return writtenType(builder, as);
  if (type === "int") return intType(builder, 64, true);
  if (type === "string") return emptyTable(builder);
  builder.startObject(1);
  builder.addFieldInt16(0, DOUBLE, 0); // precision
  return builder.endObject();
}

function writtenType(builder: Builder, { kind, digits, precision, isUtc }: WrittenType): Offset {
  if (kind === "decimal") {
    builder.startObject(3);
    builder.addFieldInt32(0, precision, 0);
    builder.addFieldInt32(1, digits, 0);
    // The default of the bits is 128.
    return builder.endObject();
  }
  if (kind === "date") {
    builder.startObject(1);
    // The unit: days, which is not the default.
    builder.addFieldInt16(0, 0, 1);
    return builder.endObject();
  }
  const zone = isUtc ? builder.createString("UTC") : 0;
  builder.startObject(2);
  builder.addFieldInt16(0, unitOf(digits), 0);
  builder.addFieldOffset(1, zone, 0);
  return builder.endObject();
}

/** A type without members, as Utf8, LargeUtf8 and List are. */
function emptyTable(builder: Builder): Offset {
  builder.startObject(0);
  return builder.endObject();
}

function recordBatch(builder: Builder, length: number, { nodes, buffers }: Arrays): Offset {
  const nodeVector = pairs(
    builder,
    nodes.map((node) => [node.length, node.nulls]),
  );
  const bufferVector = pairs(
    builder,
    buffers.map((buffer) => [buffer.offset, buffer.length]),
  );
  builder.startObject(5);
  builder.addFieldInt64(0, BigInt(length), 0n);
  builder.addFieldOffset(1, nodeVector, 0);
  builder.addFieldOffset(2, bufferVector, 0);
  return builder.endObject();
}

/** A vector of structs of two numbers each. Flatbuffers are written from their end. */
function pairs(builder: Builder, all: readonly (readonly [number, number])[]): Offset {
  builder.startVector(16, all.length, 8);
  for (const [first, second] of [...all].reverse()) {
    builder.prep(8, 16);
    builder.writeInt64(BigInt(second));
    builder.writeInt64(BigInt(first));
  }
  return builder.endVector();
}

function blocks(builder: Builder, all: readonly Block[]): Offset {
  builder.startVector(24, all.length, 8);
  for (const { offset, metadataLength, bodyLength } of [...all].reverse()) {
    builder.prep(8, 24);
    builder.writeInt64(BigInt(bodyLength));
    builder.pad(4);
    builder.writeInt32(metadataLength);
    builder.writeInt64(BigInt(offset));
  }
  return builder.endVector();
}

function keyValues(builder: Builder, metadata: Metadata): Offset {
  const tables = Object.entries(metadata).map(([key, value]) => {
    const keyText = builder.createString(key);
    const valueText = builder.createString(value);
    builder.startObject(2);
    builder.addFieldOffset(0, keyText, 0);
    builder.addFieldOffset(1, valueText, 0);
    return builder.endObject();
  });
  return offsets(builder, tables);
}

function offsets(builder: Builder, all: readonly Offset[]): Offset {
  builder.startVector(4, all.length, 4);
  for (const offset of [...all].reverse()) builder.addOffset(offset);
  return builder.endVector();
}
