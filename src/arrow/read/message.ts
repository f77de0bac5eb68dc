// Reads the messages of any Arrow file: dictionaries and record batches, each with the arrays of its
// body.

import { readFrom, type ByteSource } from "../byte-source.ts";
import { FileError } from "../file-error.ts";
import { FlatTable, safeInt64 } from "./flatbuffer.ts";
import { reading } from "./footer.ts";
import { CONTINUATION, headers, type ArrayNode, type Block, type Stretch } from "../format.ts";
import { ReadBudget } from "../read-budget.ts";

/** The codecs of Arrow's `CompressionType`. */
const CODECS = ["LZ4", "Zstandard"];

/** The arrays of a message. The caller takes them in order and knows how many each column has. */
export class Batch {
  readonly rows: number;
  readonly #section: string;
  readonly #body: Uint8Array;
  /** Buffers are consecutive: all together, no more is read than there is. */
  readonly #budget: ReadBudget;
  readonly #nodes: readonly ArrayNode[];
  readonly #buffers: readonly Stretch[];
  readonly #variadic: readonly number[];
  #node = 0;
  #buffer = 0;
  #view = 0;

  constructor(section: string, table: FlatTable, body: Uint8Array) {
    const compression = table.table(3);
    if (compression !== undefined) {
      const codec = CODECS[compression.int8(0)] ?? "another codec";
      throw new FileError(section, `is compressed by ${codec}; write it without compression`, {
        code: "unsupported",
      });
    }
    this.#section = section;
    this.#body = body;
    this.#budget = new ReadBudget(body.length, section, "has arrays that overlap");
    this.rows = table.int64(0);
    if (this.rows < 0) throw new FileError(section, "claims a negative number of rows");
    this.#nodes = table.structs(1, 16, (view, at) => {
      return { length: safeInt64(view, at), nulls: safeInt64(view, at + 8) };
    });
    this.#buffers = table.structs(2, 16, (view, at) => {
      return { offset: safeInt64(view, at), length: safeInt64(view, at + 8) };
    });
    this.#variadic = table.int64s(4);
  }

  /** How many bytes all its arrays have. */
  get bytes(): number {
    return this.#body.length;
  }

  /** The node of the next array, which must have as many values as there are rows. */
  nextNode(): ArrayNode {
    const node = this.#nodes[this.#node++];
    if (node?.length === this.rows) return node;
    throw new FileError(this.#section, "has an array that is not as long as its rows");
  }

  /** The bytes of the next buffer, in their own memory. @param least how many it must have */
  nextBuffer(least: number): Uint8Array {
    const buffer = this.#buffers[this.#buffer++] ?? { offset: 0, length: 0 };
    const { offset, length } = buffer;
    if (offset < 0 || length < 0 || offset + length > this.#body.length || length < least) {
      throw new FileError(this.#section, "has an array that leads out of it");
    }
    this.#budget.spend(length);
    return this.#body.slice(offset, offset + length);
  }

  /** Skips buffers. */
  skipBuffers(count: number): void {
    this.#buffer += count;
  }

  /** How many buffers of text the next column of views has. */
  nextViewBuffers(): number {
    const count = this.#variadic[this.#view++] ?? 0;
    if (count >= 0 && count <= this.#buffers.length) return count;
    throw new FileError(this.#section, "has views of missing buffers");
  }
}

/** A dictionary's values, or more of them. */
export interface DictionaryBatch {
  readonly id: number;
  readonly isDelta: boolean;
  readonly batch: Batch;
}

/** @throws FileError */
export function readDictionaryBatch(
  source: ByteSource,
  block: Block,
  section: string,
): DictionaryBatch {
  const { table, body } = readMessage(source, block, headers.dictionary, section);
  return reading(section, () => {
    const data = table.table(1);
    if (data === undefined) throw new FileError(section, "has no values");
    return {
      id: table.int64(0),
      isDelta: table.int8(2) !== 0,
      batch: new Batch(section, data, body),
    };
  });
}

/** @throws FileError */
export function readRecordBatch(source: ByteSource, block: Block, section: string): Batch {
  const { table, body } = readMessage(source, block, headers.records, section);
  return reading(section, () => new Batch(section, table, body));
}

function readMessage(
  source: ByteSource,
  { offset, metadataLength, bodyLength }: Block,
  header: number,
  section: string,
): { table: FlatTable; body: Uint8Array } {
  const bodyStart = offset + metadataLength;
  if (offset < 8 || metadataLength < 8 || bodyLength < 0 || bodyStart + bodyLength > source.size) {
    throw new FileError(section, "is not where the footer says");
  }
  return reading(section, () => {
    const bytes = readFrom(source, offset, bodyStart, section);
    // Files from before version 0.15 have only the length.
    const isMarked =
      new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === CONTINUATION;
    const message = FlatTable.root(bytes.subarray(isMarked ? 8 : 4), section);
    const table = message.table(2);
    if (message.int8(1) !== header || table === undefined) {
      throw new FileError(section, "is not the message that the footer names");
    }
    return { table, body: readFrom(source, bodyStart, bodyStart + bodyLength, section) };
  });
}

/**
 * Checks that blocks do not overlap: then no more is read than the file has.
 *
 * @throws FileError
 */
export function requireApart(blocks: readonly Block[], size: number): void {
  const total = blocks.reduce((sum, block) => sum + block.metadataLength + block.bodyLength, 0);
  const areCounts = blocks.every((block) => block.metadataLength >= 0 && block.bodyLength >= 0);
  if (!areCounts || total > size) throw new FileError("footer", "has blocks that overlap");
}
