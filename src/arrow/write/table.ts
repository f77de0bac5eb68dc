// Writes encoded columns as an Arrow file, piece by piece: one dictionary for each set of values, one
// record batch with the codes of all columns, then our own sections, and the footer with their
// directory. The README describes the layout.
//
// Arrow describes values before they come. Whoever merges files learns only while writing them how many there are: such
// descriptions are written as zeros, and replaced at the end.

import { CodeCounts } from "./code-counts.ts";
import type { LastIds } from "../../engine/columns/last-ids.ts";
import type { ByteArray, EncodedValues, TextOffsets } from "../../engine/indexes/values.ts";
import type { Storage } from "../../schema/field.ts";
import type { WrittenType } from "../column-types.ts";
import { checksumOf } from "../checksum.ts";
import {
  codeBytesFor,
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
  type Arrays,
  type ArrowField,
} from "./metadata.ts";
import { narrowLimits, WIDE, wideBytes, type Offsets } from "../offsets.ts";
import { Output, type LazyBytes, type Replacement } from "./output.ts";
import { sealOf } from "../seal.ts";
import { WrittenIntegers } from "./integers.ts";
import { MemoryScratch, ScratchSpace } from "./scratch.ts";
import type { Steps } from "../../engine/algorithms/steps.ts";
import type { Codes } from "../../engine/indexes/field-index.ts";

/** A dictionary to be written. */
export interface WrittenDictionary {
  readonly type: Storage;
  /** What other programs have instead of strings. */
  readonly as: WrittenType | undefined;
  /** How many values there are, including the placeholder for null; `undefined` until they are written. */
  readonly values: number | undefined;
  /** For strings: whether offsets have 64 bits. Known with `values`. */
  readonly isLarge: boolean;
  /** Its bytes, made when they are written and not kept. */
  readonly read: () => Steps<EncodedValues | LazyValues>;
}

/** Values whose bytes are made in pieces. The other members are known once these were written. */
export interface LazyValues {
  readonly ascii: boolean;
  /** If they are made in pieces, too, they have as many bits as is known then. */
  readonly offsets: TextOffsets | LazyBytes | undefined;
  readonly bytes: LazyBytes;
}

/** Codes that are made when they are written. */
export interface LazyCodes {
  readonly length: number;
  /** Known once they were written, unless `validity` is empty. */
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
  readonly ordered?: (() => Steps<WrittenOrder | undefined>) | undefined;
  readonly name: string;
  /** Whether it belongs to no field. */
  readonly hidden: boolean;
  readonly nullable: boolean;
  /** The number of its dictionary. */
  readonly dictionary: number;
  /** For a strings field: its arrays, whose elements are in the dictionary. */
  readonly arrays?: WrittenArrays | undefined;
  /** The postings of trigrams, made when they are written and not kept. */
  readonly trigrams?: (() => Steps<LazyTrigrams | undefined>) | undefined;
}

/** Postings whose bytes are made in pieces. */
export interface LazyTrigrams {
  /** The start of each trigram's postings, once all were written. */
  readonly starts: () => Offsets;
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
  /** How many elements. If these are made in pieces, it is known afterwards. */
  readonly count: number;
}

/** Columns of the same rows. */
export interface WrittenTable {
  readonly rows: number;
  readonly nextKey: number;
  readonly lastIds: LastIds;
  /** As float64. */
  readonly keys: Uint8Array | LazyBytes | undefined;
  /** The schema, as `schema-json.ts` writes it. */
  readonly schema: unknown;
  /** The note of the file, as JSON. */
  readonly note?: unknown;
  readonly dictionaries: readonly WrittenDictionary[];
  readonly columns: readonly WrittenColumn[];
  /** Whether the file is only merged with others: it then lacks what merging does not use. Default: false. */
  readonly isTemporary?: boolean;
  /** Where numbers are kept that are written later. Default: in memory. */
  readonly space?: ScratchSpace;
}

/**
 * The file of a table, in pieces. A piece may be a view of the table's own arrays.
 *
 * @param afterValues called once all dictionaries are written
 * @returns what is to be replaced in the file; nothing if all lengths were known
 */
export function* writeTable(
  table: WrittenTable,
  afterValues?: () => Steps<void> | void,
): Generator<Uint8Array, readonly Replacement[]> {
  const { isTemporary = false, space = new ScratchSpace(new MemoryScratch()) } = table;
  const out = new Output();
  const fields = () => table.columns.map((column) => fieldOf(column, table));
  yield* out.write(new TextEncoder().encode(MAGIC));
  yield* out.align();
  const start = out.position;
  const isKnown = table.dictionaries.every(({ values }) => values !== undefined);
  const placeholder = schemaMessage(fields());
  yield* isKnown ? out.write(placeholder) : out.reserve(placeholder.length);

  const dictionaries: DictionaryEntry[] = [];
  const dictionaryBlocks: Block[] = [];
  for (const [id, dictionary] of table.dictionaries.entries()) {
    const { type, as, values } = dictionary;
    const lazy = yield* inPieces(dictionary.read());
    const offsets = lazy.offsets && offsetBytes(lazy.offsets, dictionary.isLarge);
    const starts = lazy.offsets && "pieces" in lazy.offsets ? undefined : lazy.offsets;
    const integers =
      as !== undefined && !isTemporary ? new WrittenIntegers(as, starts, space) : undefined;
    const bytes = lazily(lazy.bytes);
    const own = [...(offsets === undefined ? [] : [offsets]), integers?.reading(bytes) ?? bytes];
    // Arrow's message names the integers, and not the strings beside them.
    const shown = integers === undefined ? own : [integers.bytes(values)];
    const sections = integers === undefined ? [NO_BYTES, ...own] : [NO_BYTES, ...shown, ...own];
    const [places = []] = yield* writeMessage(
      out,
      ({ buffers, ...arrays }) =>
        dictionaryMessage(id, dictionary.values ?? 1, {
          ...arrays,
          buffers: buffers.slice(0, 1 + shown.length),
        }),
      () => [{ length: dictionary.values ?? 1, nulls: 0 }],
      [sections],
      dictionaryBlocks,
    );
    dictionaries.push({
      type,
      values: dictionary.values ?? 1,
      ascii: lazy.ascii,
      offsets: offsets && places[sections.length - 2],
      offsetBytes: dictionary.isLarge ? WIDE : undefined,
      bytes: places[sections.length - 1] ?? NOWHERE,
    });
  }
  if (!isKnown) out.replace(start, schemaMessage(fields()));
  const after = afterValues?.();
  if (after !== undefined) yield* inPieces(after);

  const counts = table.columns.map(({ arrays, dictionary }) => {
    const bytes = codeBytesFor(table.dictionaries[dictionary]?.values ?? 0);
    const isCounted =
      arrays === undefined && !isTemporary && CodeCounts.areWorth(table.rows, bytes);
    return isCounted ? new CodeCounts() : undefined;
  });
  const parts = table.columns.map((column, i) => partsOf(column, counts[i], isTemporary));
  const recordBlocks: Block[] = [];
  const inBatch = yield* writeMessage(
    out,
    (arrays) => recordsMessage(table.rows, arrays),
    () => parts.flatMap(({ nodes }) => nodes()),
    parts.map(({ sections }) => sections),
    recordBlocks,
  );
  yield* out.write(endOfMessages());

  const columns: ColumnEntry[] = [];
  for (const [i, column] of table.columns.entries()) {
    const { name, hidden, dictionary, codes } = column;
    const ordered = column.ordered && (yield* inPieces(column.ordered()));
    const places = inBatch[i] ?? [];
    const trigrams = column.trigrams && (yield* inPieces(column.trigrams()));
    const { values = 0 } = table.dictionaries[dictionary] ?? {};
    const codeBytes = codeBytesFor(values);
    const starts = ordered?.starts ?? counts[i]?.starts(values);
    const own = { name, hidden, dictionary };
    const place =
      column.arrays === undefined
        ? { codes: places[1] ?? NOWHERE, codeBytes }
        : {
            codes: yield* out.writeSection(bytesOfCodes(codes)),
            codeBytes: codeBytesFor(column.arrays.values),
            arrays: {
              values: column.arrays.values,
              samples: yield* out.writeSection(bytesOf(column.arrays.samples)),
              offsets: places[1] ?? NOWHERE,
              elements: places[3] ?? NOWHERE,
              elementBytes: codeBytes,
            },
          };
    columns.push({
      ...own,
      ...place,
      order: ordered && (yield* out.writeSection(bytesOf(ordered.order))),
      starts: starts && (yield* out.writeSection(bytesOf(starts))),
      ...(trigrams && (yield* writeTrigrams(out, trigrams))),
    });
  }
  const keys = table.keys && (yield* out.writeSection(table.keys));
  const checksums = bytesOf(out.checksums());
  const directory = writeDirectory({
    rows: table.rows,
    nextKey: table.nextKey,
    lastIds: table.lastIds.size === 0 ? undefined : [...table.lastIds],
    schema: table.schema,
    note: table.note,
    dictionaries,
    columns,
    keys,
    checksums: yield* out.writeSection(checksums),
    checksum: checksumOf(checksums),
  });
  const end = footer(fields(), dictionaryBlocks, recordBlocks, directory);
  yield* out.write(sealOf(end));
  yield* out.write(end);
  return out.replacements;
}

/** Writes postings, and then their starts: the bits of these depend on how many bytes there are. */
function* writeTrigrams(
  out: Output,
  { bytes, starts: given }: LazyTrigrams,
): Generator<Uint8Array, Pick<ColumnEntry, "trigrams" | "postings" | "startBytes">> {
  const postings = yield* out.writeSection(bytes);
  const isWide = postings.length > narrowLimits.postings;
  const starts = given();
  const trigrams = yield* out.writeSection(
    isWide ? wideBytes(starts) : bytesOf(Uint32Array.from(starts)),
  );
  return { trigrams, startBytes: isWide ? WIDE : undefined, postings };
}

/**
 * Writes a message and its body, and records its block.
 *
 * @param nodes read once the body is written
 * @param groups the arrays in Arrow's order, in groups; within each, those that are to be later come last
 * @returns the position of each array
 */
function* writeMessage(
  out: Output,
  message: (arrays: Arrays) => Uint8Array,
  nodes: () => readonly ArrayNode[],
  groups: readonly (readonly (Uint8Array | LazyBytes)[])[],
  blocks: Block[],
): Generator<Uint8Array, ByteRange[][]> {
  const offset = out.position;
  const isKnown = groups.every((group) => group.every(({ length }) => length !== undefined));
  // Their metadata take the same space, whatever the lengths are.
  let at = 0;
  const expected = groups.flatMap((group) => {
    const own: ByteRange[] = [];
    for (const [i, { length = 8 }] of asWritten(group)) {
      own[i] = { offset: at, length };
      at += padded(length);
    }
    return own;
  });
  const first = message({ nodes: nodes(), buffers: expected, bodyLength: at });
  yield* isKnown ? out.write(first) : out.reserve(first.length);
  const start = out.position;
  const places: ByteRange[][] = [];
  for (const group of groups) {
    const own: ByteRange[] = [];
    for (const [i, bytes] of asWritten(group)) own[i] = yield* out.writeSection(bytes);
    places.push(own);
  }
  const bodyLength = out.position - start;
  blocks.push({ offset, metadataLength: first.length, bodyLength });
  if (!isKnown) {
    const buffers = places.flat().map((place) => ({ ...place, offset: place.offset - start }));
    out.replace(offset, message({ nodes: nodes(), buffers, bodyLength }));
  }
  return places;
}

/** The arrays of a group in the order in which they are written, each with its number. */
function asWritten(group: readonly (Uint8Array | LazyBytes)[]) {
  const isLater = (bytes: Uint8Array | LazyBytes) => "pieces" in bytes && bytes.isLater === true;
  return [...group.entries()].sort(([, a], [, b]) => Number(isLater(a)) - Number(isLater(b)));
}

const NO_BYTES = new Uint8Array(0);
const NO_NULLS = { nulls: 0, validity: NO_BYTES };
const NO_DICTIONARY: Omit<WrittenDictionary, "read"> = {
  type: "string",
  as: undefined,
  isLarge: false,
  values: 0,
};
const NOWHERE: ByteRange = { offset: 0, length: 0 };

function fieldOf(column: WrittenColumn, { dictionaries }: WrittenTable): ArrowField {
  const { name, nullable, dictionary } = column;
  const isList = column.arrays !== undefined;
  const { values = 0, ...of } = dictionaries[dictionary] ?? NO_DICTIONARY;
  const { type, as, isLarge } = of;
  const codeBytes = codeBytesFor(values);
  return { name, nullable, type, as, isLarge, isList, dictionary, codeBytes };
}

/** The content of a column in the record batch: codes, or lists of the codes of elements. */
function partsOf(
  { codes, arrays }: WrittenColumn,
  counts: CodeCounts | undefined,
  isTemporary: boolean,
): {
  readonly nodes: () => ArrayNode[];
  readonly sections: readonly (Uint8Array | LazyBytes)[];
} {
  const { length } = codes;
  const lazy =
    "validity" in codes ? codes : { length, ...(isTemporary ? NO_NULLS : validityOf(codes)) };
  const { validity } = lazy;
  const node = () => ({ length: lazy.length, nulls: lazy.nulls });
  if (arrays === undefined) {
    const bytes = bytesOfCodes(codes);
    return { nodes: () => [node()], sections: [validity, counts?.counting(bytes) ?? bytes] };
  }
  const { offsets, elements } = arrays;
  return {
    nodes: () => [node(), { length: arrays.count, nulls: 0 }],
    sections: [validity, bytesOf(offsets), NO_BYTES, bytesOf(elements)],
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

/** @param isLarge whether offsets are to have 64 bits */
function offsetBytes(offsets: TextOffsets | LazyBytes, isLarge: boolean): Uint8Array | LazyBytes {
  if ("pieces" in offsets) return offsets;
  if (isLarge) return wideBytes(offsets);
  return bytesOf(offsets instanceof Int32Array ? offsets : Int32Array.from(offsets));
}

/** How many bytes are a piece of those that are not in memory. */
const READ_AT_ONCE = 1 << 20;

/** Bytes in memory, or pieces of those that are read. */
function lazily(bytes: ByteArray | LazyBytes): Uint8Array | LazyBytes {
  if (bytes instanceof Uint8Array || "pieces" in bytes) return bytes;
  function* pieces(all: ByteArray): Generator<Uint8Array> {
    for (let at = 0; at < all.length; at += READ_AT_ONCE) {
      yield all.subarray(at, Math.min(all.length, at + READ_AT_ONCE));
    }
  }
  return { length: bytes.length, pieces: () => pieces(bytes) };
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
  if (first < 0) return NO_NULLS;
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
