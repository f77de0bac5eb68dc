// Arrow files of other tools, assembled from parts that need not fit: offsets in the footer may lead
// to the same place, messages may claim anything, and the whole is a well-formed flatbuffer.

import { Builder, type Offset } from "flatbuffers";
import { CONTINUATION, headers, MAGIC, padded, type Block } from "../../src/arrow/format.ts";

/** The numbers of types in Arrow's union `Type`. */
export const types = { null: 1, int: 2, utf8: 5, largeUtf8: 20, utf8View: 24, struct: 13 };

/** A field's table. Its parts are offsets, so that several fields may share them. */
export interface FieldParts {
  readonly name?: Offset;
  readonly nullable?: boolean;
  readonly type: number;
  /** The type's own table. Default: an empty one. */
  readonly detail?: Offset;
  readonly dictionary?: Offset;
  readonly children?: Offset;
}

/** A dictionary or record batch. */
export interface Message {
  readonly rows: number;
  /** For each array how many values it has, and how many of them are null. */
  readonly nodes?: readonly (readonly [number, number])[];
  /** Where each buffer begins in the body, and how long it is. */
  readonly buffers?: readonly (readonly [number, number])[];
  /** How many buffers of text each column of views has. */
  readonly views?: readonly number[];
  readonly body?: Uint8Array;
  /** Of a dictionary: its number, and whether its values are more of it. */
  readonly id?: number;
  readonly isDelta?: boolean;
  /** Whether a dictionary says nothing of its values. */
  readonly isBare?: boolean;
  /** The number of the codec that the body is said to be compressed by. */
  readonly codec?: number;
}

export interface FileParts {
  readonly fields: (builder: Builder) => readonly Offset[];
  /** What the schema notes, and what the footer notes: pairs of a name and a value. */
  readonly schemaMetadata?: (builder: Builder) => readonly (readonly [Offset, Offset])[];
  readonly metadata?: (builder: Builder) => readonly (readonly [Offset, Offset])[];
  readonly dictionaries?: readonly Message[];
  readonly records?: readonly Message[];
  /** Which of two orders the bytes of numbers are said to have; 0 is little-endian. Without, there is no schema. */
  readonly endianness?: number | undefined;
}

export function foreignFile(parts: FileParts): Uint8Array {
  const { fields, schemaMetadata, metadata, dictionaries = [], records = [] } = parts;
  const { endianness } = { endianness: 0, ...parts };
  const pieces: Uint8Array[] = [bytesOf(MAGIC, 8)];
  let size = 8;
  const write = (message: Message, header: number): Block => {
    const { body = new Uint8Array(0) } = message;
    const head = headOf(message, header);
    const block = { offset: size, metadataLength: head.length, bodyLength: padded(body.length) };
    pieces.push(head, body, new Uint8Array(block.bodyLength - body.length));
    size += head.length + block.bodyLength;
    return block;
  };
  const dictionaryBlocks = dictionaries.map((each) => write(each, headers.dictionary));
  const recordBlocks = records.map((each) => write(each, headers.records));
  const builder = new Builder();
  const vector = offsets(builder, fields(builder));
  const noted = keyValues(builder, schemaMetadata?.(builder));
  const own = keyValues(builder, metadata?.(builder));
  const blocks = [dictionaryBlocks, recordBlocks].map((all) => blockVector(builder, all));
  const schema = table(builder, 4, (add) => {
    builder.addFieldInt16(0, endianness ?? 0, 0);
    add.offset(1, vector);
    add.offset(2, noted);
  });
  const footer = table(builder, 5, (add) => {
    if (endianness !== undefined) add.offset(1, schema);
    add.offset(2, blocks[0]);
    add.offset(3, blocks[1]);
    add.offset(4, own);
  });
  builder.finish(footer);
  const end = builder.asUint8Array();
  const length = new Uint8Array(4);
  new DataView(length.buffer).setInt32(0, end.length, true);
  return Buffer.concat([...pieces, end, length, bytesOf(MAGIC, MAGIC.length)]);
}

export function fieldTable(builder: Builder, parts: FieldParts): Offset {
  const detail = parts.detail ?? table(builder, 0, () => undefined);
  return table(builder, 7, (add) => {
    add.offset(0, parts.name);
    builder.addFieldInt8(1, parts.nullable === false ? 0 : 1, 0);
    builder.addFieldInt8(2, parts.type, 0);
    add.offset(3, detail);
    add.offset(4, parts.dictionary);
    add.offset(5, parts.children);
  });
}

export function intType(builder: Builder, bits: number): Offset {
  return table(builder, 2, () => {
    builder.addFieldInt32(0, bits, 0);
    builder.addFieldInt8(1, 1, 0);
  });
}

/** How a column is coded: by which dictionary, with codes of how many bits, which may be left out. */
export function encoding(builder: Builder, id: number, bits?: number): Offset {
  const codes = bits === undefined ? undefined : intType(builder, bits);
  return table(builder, 3, (add) => {
    builder.addFieldInt64(0, BigInt(id), 0n);
    add.offset(1, codes);
  });
}

/** A vector of offsets, which may be equal. */
export function offsets(builder: Builder, all: readonly Offset[]): Offset {
  builder.startVector(4, all.length, 4);
  for (const offset of [...all].reverse()) builder.addOffset(offset);
  return builder.endVector();
}

/** Strings that are different and overlap: each begins within the one before, and all end at one place. */
export function overlapping(builder: Builder, count: number): Offset[] {
  const words = new Uint32Array(count);
  // Each is the length of the string that begins there, and text of the strings before: ASCII.
  words.forEach((_, i) => (words[i] = (4 * (count - 1 - i)) & 0x7f7f7f7f));
  const vector = builder.createByteVector(new Uint8Array(words.buffer));
  return Array.from(words, (_, i) => vector - 4 - 4 * i);
}

function keyValues(
  builder: Builder,
  pairs: readonly (readonly [Offset, Offset])[] | undefined,
): Offset | undefined {
  if (pairs === undefined) return undefined;
  const tables = pairs.map(([key, value]) =>
    table(builder, 2, (add) => {
      add.offset(0, key);
      add.offset(1, value);
    }),
  );
  return offsets(builder, tables);
}

interface Adding {
  offset(field: number, offset: Offset | undefined): void;
}

function table(builder: Builder, fields: number, fill: (add: Adding) => void): Offset {
  builder.startObject(fields);
  fill({
    offset: (field, offset) => {
      if (offset !== undefined) builder.addFieldOffset(field, offset, 0);
    },
  });
  return builder.endObject();
}

/** A file of three rows, coded by a dictionary of many values that has many deltas, each of nothing. */
export function emptyDeltas(values = 20_000, deltas = 400): Uint8Array {
  return foreignFile({
    fields: (builder) => [
      fieldTable(builder, {
        name: builder.createString("coded"),
        type: types.int,
        detail: intType(builder, 8),
        dictionary: encoding(builder, 7, 8),
      }),
    ],
    dictionaries: [
      {
        id: 7,
        rows: values,
        nodes: [[values, 0]],
        buffers: [
          [0, 0],
          [0, values],
        ],
        body: new Uint8Array(values),
      },
      ...Array.from({ length: deltas }, () => ({
        id: 7,
        isDelta: true,
        rows: 0,
        nodes: [[0, 0] as const],
      })),
    ],
    records: [
      {
        rows: 3,
        nodes: [[3, 0]],
        buffers: [
          [0, 0],
          [0, 3],
        ],
        body: new Uint8Array(8),
      },
    ],
  });
}

/** Of two numbers of 64 bits each, or of a block. */
function blockVector(builder: Builder, all: readonly Block[]): Offset {
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

function numbers(builder: Builder, width: number, all: readonly (readonly number[])[]): Offset {
  builder.startVector(8 * width, all.length, 8);
  for (const each of [...all].reverse()) {
    builder.prep(8, 8 * width);
    for (const number of [...each].reverse()) builder.writeInt64(BigInt(number));
  }
  return builder.endVector();
}

/** A message without its body, as long as a multiple of 8. */
function headOf(message: Message, header: number): Uint8Array {
  const {
    rows,
    nodes = [],
    buffers = [],
    views,
    body,
    id = 0,
    isDelta = false,
    isBare = false,
    codec,
  } = message;
  const builder = new Builder();
  const nodeVector = numbers(builder, 2, nodes);
  const bufferVector = numbers(builder, 2, buffers);
  const viewVector =
    views &&
    numbers(
      builder,
      1,
      views.map((count) => [count]),
    );
  const compression =
    codec === undefined
      ? undefined
      : table(builder, 2, () => {
          builder.addFieldInt8(0, codec, 0);
        });
  const batch = table(builder, 5, (add) => {
    builder.addFieldInt64(0, BigInt(rows), 0n);
    add.offset(1, nodeVector);
    add.offset(2, bufferVector);
    add.offset(3, compression);
    add.offset(4, viewVector);
  });
  const own =
    header === headers.records
      ? batch
      : table(builder, 3, (add) => {
          builder.addFieldInt64(0, BigInt(id), 0n);
          if (!isBare) add.offset(1, batch);
          builder.addFieldInt8(2, isDelta ? 1 : 0, 0);
        });
  const all = table(builder, 5, (add) => {
    builder.addFieldInt16(0, 4, 0);
    builder.addFieldInt8(1, header, 0);
    add.offset(2, own);
    builder.addFieldInt64(3, BigInt(padded(body?.length ?? 0)), 0n);
  });
  builder.finish(all);
  const flat = builder.asUint8Array();
  const bytes = new Uint8Array(8 + padded(flat.length));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setInt32(4, padded(flat.length), true);
  bytes.set(flat, 8);
  return bytes;
}

function bytesOf(text: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(new TextEncoder().encode(text));
  return bytes;
}
