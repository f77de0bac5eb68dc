// Writes encoded columns as an Arrow file, piece by piece: one dictionary for each set of values, one
// record batch with the codes of all columns, then our own sections, and the footer with their
// directory. The README describes the layout.

import type { EncodedValues } from "../../engine/indexes/values.ts";
import type { Storage } from "../../schema/field.ts";
import { checksumOf } from "../checksum.ts";
import {
  codeBytesFor,
  PAGE_BYTES,
  writeDirectory,
  type ColumnEntry,
  type DictionaryEntry,
} from "../directory.ts";
import { MAGIC, padded, type ArrayNode, type Block, type ByteRange } from "../format.ts";
import {
  dictionaryMessage,
  endOfMessages,
  footer,
  recordsMessage,
  schemaMessage,
  type ArrowField,
} from "./metadata.ts";
import { sealOf } from "../seal.ts";
import type { TrigramBytes } from "../trigrams.ts";
import type { Steps } from "../../engine/algorithms/steps.ts";
import type { Codes } from "../../engine/indexes/field-index.ts";

/** A dictionary to be written. */
export interface WrittenDictionary {
  readonly type: Storage;
  /** How many values there are, including the placeholder for null. */
  readonly values: number;
  /** Its bytes, made when they are written and not kept. */
  readonly read: () => Steps<EncodedValues | LazyValues>;
}

/** Values whose bytes are made in pieces. */
export interface LazyValues {
  readonly ascii: boolean;
  readonly offsets: LazyBytes | undefined;
  readonly bytes: LazyBytes;
}

/** Bytes that are made in pieces when they are written. */
export interface LazyBytes {
  readonly length: number;
  readonly pieces: () => Iterable<Uint8Array>;
}

/** Codes that are made when they are written, and their metadata, which comes before them. */
export interface LazyCodes {
  readonly length: number;
  readonly nulls: number;
  /** A bit for each row, set if it is not null; empty if no row is null. */
  readonly validity: Uint8Array | LazyBytes;
  readonly bytes: LazyBytes;
}

/** An order to be written: of it first the rows, then the starts. */
export interface WrittenOrder {
  readonly order: Uint32Array | LazyBytes;
  readonly starts: Uint32Array | LazyBytes;
}

/** A column to be written. */
export interface WrittenColumn {
  /** For each row, the position of its value. */
  readonly codes: Codes | LazyCodes;
  /** Made when it is written and not kept. */
  readonly ordered?: (() => Steps<WrittenOrder>) | undefined;
  readonly name: string;
  /** Whether it belongs to no field. */
  readonly hidden: boolean;
  readonly nullable: boolean;
  /** The number of its dictionary. */
  readonly dictionary: number;
  /** For a strings field: its arrays, whose elements are in the dictionary. */
  readonly arrays?: WrittenArrays | undefined;
  /** The postings of trigrams, made when they are written and not kept. */
  readonly trigrams?: (() => Steps<TrigramBytes | LazyTrigrams | undefined>) | undefined;
}

/** Postings whose bytes are made in pieces. */
export interface LazyTrigrams {
  readonly starts: Uint32Array;
  readonly bytes: LazyBytes;
}

/** Arrays to be written, with codes of elements. */
export interface WrittenArrays {
  /** How many distinct arrays, including null. */
  readonly values: number;
  /** For each distinct array a row that has it; of null any row. */
  readonly samples: Uint32Array | LazyBytes;
  /** The start of each row's array in `elements`, and the end of the last. */
  readonly offsets: Int32Array | LazyBytes;
  readonly elements: Codes | LazyBytes;
  /** How many elements. */
  readonly count: number;
}

/** Columns of the same rows. */
export interface WrittenTable {
  readonly rows: number;
  readonly nextKey: number;
  /** As float64. */
  readonly keys: Uint8Array | LazyBytes | undefined;
  /** The schema, as `schema-json.ts` writes it. */
  readonly schema: unknown;
  /** The note of the file, as JSON. */
  readonly note?: unknown;
  readonly dictionaries: readonly WrittenDictionary[];
  readonly columns: readonly WrittenColumn[];
}

/** The file of a table, in pieces. A piece may be a view of the table's own arrays. */
export function* writeTable(table: WrittenTable): Generator<Uint8Array, void> {
  const out = new Output();
  const fields = table.columns.map((column) => fieldOf(column, table));
  yield* out.write(new TextEncoder().encode(MAGIC));
  yield* out.align();
  yield* out.write(schemaMessage(fields));

  const dictionaries: DictionaryEntry[] = [];
  const dictionaryBlocks: Block[] = [];
  for (const [id, { type, values, read }] of table.dictionaries.entries()) {
    const { ascii, offsets, bytes } = yield* inPieces(read());
    const buffers = [NO_BYTES, ...(offsets === undefined ? [] : [bytesOf(offsets)]), bytes];
    const body = new Body([{ length: values, nulls: 0 }], buffers);
    const message = dictionaryMessage(id, values, body);
    const places = yield* out.writeMessage(message, body, dictionaryBlocks);
    dictionaries.push({
      type,
      values,
      ascii,
      offsets: offsets && places[1],
      bytes: places[buffers.length - 1] ?? NOWHERE,
    });
  }

  const parts = table.columns.map((column) => partsOf(column));
  const records = new Body(
    parts.flatMap(({ nodes }) => nodes),
    parts.flatMap(({ arrays }) => arrays),
  );
  const recordBlocks: Block[] = [];
  const message = recordsMessage(table.rows, records);
  const places = yield* out.writeMessage(message, records, recordBlocks);
  yield* out.write(endOfMessages());

  const columns: ColumnEntry[] = [];
  let next = 0;
  for (const [i, column] of table.columns.entries()) {
    const { name, hidden, dictionary, codes } = column;
    const ordered = column.ordered && (yield* inPieces(column.ordered()));
    const inBatch = places.slice(next, (next += parts[i]?.arrays.length ?? 0));
    const trigrams = column.trigrams && (yield* inPieces(column.trigrams()));
    const codeBytes = codeBytesFor(table.dictionaries[dictionary]?.values ?? 0);
    const own = { name, hidden, dictionary };
    const place =
      column.arrays === undefined
        ? { codes: inBatch[1] ?? NOWHERE, codeBytes }
        : {
            codes: yield* out.writeSection(bytesOfCodes(codes)),
            codeBytes: codeBytesFor(column.arrays.values),
            arrays: {
              values: column.arrays.values,
              samples: yield* out.writeSection(bytesOf(column.arrays.samples)),
              offsets: inBatch[1] ?? NOWHERE,
              elements: inBatch[3] ?? NOWHERE,
              elementBytes: codeBytes,
            },
          };
    columns.push({
      ...own,
      ...place,
      order: ordered && (yield* out.writeSection(bytesOf(ordered.order))),
      starts: ordered && (yield* out.writeSection(bytesOf(ordered.starts))),
      trigrams: trigrams && (yield* out.writeSection(bytesOf(trigrams.starts))),
      postings: trigrams && (yield* out.writeSection(trigrams.bytes)),
    });
  }
  const keys = table.keys && (yield* out.writeSection(table.keys));
  const checksums = bytesOf(out.checksums());
  const directory = writeDirectory({
    rows: table.rows,
    nextKey: table.nextKey,
    schema: table.schema,
    note: table.note,
    dictionaries,
    columns,
    keys,
    checksums: yield* out.writeSection(checksums),
    checksum: checksumOf(checksums),
  });
  const end = footer(fields, dictionaryBlocks, recordBlocks, directory);
  yield* out.write(sealOf(end));
  yield* out.write(end);
}

const NO_BYTES = new Uint8Array(0);
const NOWHERE: ByteRange = { offset: 0, length: 0 };

function fieldOf(column: WrittenColumn, { dictionaries }: WrittenTable): ArrowField {
  const { name, nullable, dictionary } = column;
  const isList = column.arrays !== undefined;
  const { type, values } = dictionaries[dictionary] ?? { type: "string", values: 0 };
  return { name, nullable, type, isList, dictionary, codeBytes: codeBytesFor(values) };
}

/** The content of a column in the record batch: codes, or lists of the codes of elements. */
function partsOf({ codes, arrays }: WrittenColumn): Pick<Body, "nodes" | "arrays"> {
  const { nulls, validity } = "validity" in codes ? codes : validityOf(codes);
  const node = { length: codes.length, nulls };
  if (arrays === undefined) return { nodes: [node], arrays: [validity, bytesOfCodes(codes)] };
  const { offsets, elements, count } = arrays;
  return {
    nodes: [node, { length: count, nulls: 0 }],
    arrays: [validity, bytesOf(offsets), NO_BYTES, bytesOf(elements)],
  };
}

/**
 * The bytes of a typed array, in this machine's order. On every JavaScript platform that is little-endian, as in Arrow.
 */
function bytesOf(array: ArrayBufferView): Uint8Array;
function bytesOf(array: ArrayBufferView | LazyBytes): Uint8Array | LazyBytes;
function bytesOf(array: ArrayBufferView | LazyBytes): Uint8Array | LazyBytes {
  if ("pieces" in array) return array;
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

const bytesOfCodes = (codes: WrittenColumn["codes"]): Uint8Array | LazyBytes =>
  "bytes" in codes ? codes.bytes : bytesOf(codes);

/** Steps as empty pieces. */
export function* inPieces<Result>(steps: Steps<Result>): Generator<Uint8Array, Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield NO_BYTES;
  }
}

/** Arrow's validity: one bit per row, set if it is not null; no bits if no row is null. */
function validityOf(codes: Codes): Pick<LazyCodes, "nulls" | "validity"> {
  const first = codes.indexOf(0);
  if (first < 0) return { nulls: 0, validity: NO_BYTES };
  const validity = new Uint8Array((codes.length + 7) >>> 3);
  let nulls = 0;
  for (let byte = 0; byte < validity.length; byte++) {
    const end = Math.min(codes.length, 8 * byte + 8);
    let bits = 0;
    for (let row = 8 * byte; row < end; row++) {
      if (codes[row] === 0) nulls++;
      else bits |= 1 << (row & 7);
    }
    validity[byte] = bits;
  }
  return { nulls, validity };
}

/** The arrays of a message, each of which begins at a multiple of 8. */
class Body {
  readonly nodes: readonly ArrayNode[];
  readonly arrays: readonly (Uint8Array | LazyBytes)[];
  readonly buffers: readonly ByteRange[];
  readonly bodyLength: number;

  constructor(nodes: readonly ArrayNode[], arrays: readonly (Uint8Array | LazyBytes)[]) {
    this.nodes = nodes;
    this.arrays = arrays;
    let offset = 0;
    this.buffers = arrays.map(({ length }) => {
      const buffer = { offset, length };
      offset += padded(length);
      return buffer;
    });
    this.bodyLength = offset;
  }
}

/** Checking more bytes at once would take milliseconds. */
const PIECE_BYTES = 1 << 20;

/** The progress of writing: the length so far, and the checksums of its pages. */
class Output {
  #position = 0;
  readonly #checksums: number[] = [];
  /** The incomplete page, of which `#position % PAGE_BYTES` bytes are written. */
  readonly #page = new Uint8Array(PAGE_BYTES);

  *write(bytes: Uint8Array): Generator<Uint8Array, void> {
    // Its maker has done a step of its work.
    if (bytes.length === 0) yield bytes;
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      yield this.#take(bytes.subarray(from, from + PIECE_BYTES));
    }
  }

  /** Returns the bytes after recording them as the next of the file. */
  #take(bytes: Uint8Array): Uint8Array {
    for (let from = 0; from < bytes.length;) {
      const filled = this.#position % PAGE_BYTES;
      const to = Math.min(bytes.length, from + PAGE_BYTES - filled);
      const part = bytes.subarray(from, to);
      if (part.length === PAGE_BYTES) this.#checksums.push(checksumOf(part));
      else {
        this.#page.set(part, filled);
        if (filled + part.length === PAGE_BYTES) this.#checksums.push(checksumOf(this.#page));
      }
      this.#position += part.length;
      from = to;
    }
    return bytes;
  }

  /** Continues to the next multiple of 8. */
  *align(): Generator<Uint8Array, void> {
    yield* this.write(new Uint8Array(padded(this.#position) - this.#position));
  }

  /** Writes bytes, starting at a multiple of 8; returns their position. */
  *writeSection(bytes: Uint8Array | LazyBytes): Generator<Uint8Array, ByteRange> {
    yield* this.align();
    const offset = this.#position;
    for (const piece of "pieces" in bytes ? bytes.pieces() : [bytes]) yield* this.write(piece);
    yield* this.align();
    return { offset, length: bytes.length };
  }

  /** Writes a message and its body, records its block, and returns the position of each array. */
  *writeMessage(
    message: Uint8Array,
    { arrays, bodyLength }: Body,
    blocks: Block[],
  ): Generator<Uint8Array, ByteRange[]> {
    blocks.push({ offset: this.#position, metadataLength: message.length, bodyLength });
    yield* this.write(message);
    const places: ByteRange[] = [];
    for (const array of arrays) places.push(yield* this.writeSection(array));
    return places;
  }

  /** The checksums of all pages, including the written part of the last. */
  checksums(): Uint32Array {
    const filled = this.#position % PAGE_BYTES;
    const last = filled === 0 ? [] : [checksumOf(this.#page.subarray(0, filled))];
    return Uint32Array.from([...this.#checksums, ...last]);
  }
}

/** Pieces in one array. */
export function joined(pieces: Iterable<Uint8Array>): Uint8Array {
  const all = [...pieces];
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of all) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
