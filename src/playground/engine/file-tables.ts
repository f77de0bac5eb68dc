// A table in a file of any format: describes it for the preview, and reads it.

import { getCompressionCodec, setCompressionCodec, tableFromIPC } from "@uwdata/flechette";
import { decompress as unzstd } from "fzstd";
import { parquetMetadataAsync, parquetRead, parquetSchema, type FileMetaData } from "hyparquet";
import { isSavedCollection, openCollection } from "../../arrow/index.ts";
import {
  decompress,
  inferSchema,
  readArrow,
  readParquet,
  readRecords,
  type AnyRecord,
  type ColumnNotice,
  type FoundFormat,
  type Reading,
  type RecordsOptions,
  type Refused,
} from "../../import/index.ts";
import { InputError } from "../../index.ts";
import { wholeOf, zstd } from "./bytes.ts";
import type { TextOptions } from "../messages.ts";
import type { Table } from "./types.ts";

/** What the bytes of a file are read for. */
export type Pass = "check" | "infer" | "read";

/** The bytes of the file for a pass of the load; or some of them, for a look at it. */
export type Bytes = (pass?: Pass) => Iterable<Uint8Array>;

/** Called with how many rows have been read, and of how many. */
export type Tell = (done: number, total: number) => void;

export interface FileTable extends Table {
  /** How its text is read, if it has one. */
  readonly text?: RecordsOptions;
}

interface About {
  readonly name: string;
  /** Its start. */
  readonly head: string;
  /** How many bytes it may have if it is text. */
  readonly maxBytes: number;
  /** What somebody chose. */
  readonly text: TextOptions;
}

/** Formats that are read from their end, recognized by the first bytes or the name of a file. */
const TABLES: readonly (readonly [RegExp, MakeTable])[] = [
  [/^PAR1|\.parquet(?:\.(?:gz|zst))?$/i, parquetTable],
  [/^(?:ARROW1|\uFFFD{4})|\.(?:arrow|ipc|feather|tercet)(?:\.(?:gz|zst))?$/i, arrowTable],
];

type MakeTable = (file: Uint8Array<ArrayBuffer>, tell: Tell) => FileTable | Promise<FileTable>;

/** @throws InputError if it is damaged, or too large */
export async function tableOf(
  file: Blob,
  about: About,
  bytes: Bytes,
  tell: Tell,
): Promise<FileTable> {
  const { name, head } = about;
  const [, make] = TABLES.find(([pattern]) => pattern.test(head) || pattern.test(name)) ?? [];
  return await (make === undefined ? textTable(bytes, about) : make(await wholeOf(file), tell));
}

/** What reads Arrow files: the package without what writes them. */
const flechette = { getCompressionCodec, setCompressionCodec, tableFromIPC };

/** What decompresses pages and columns that the packages of the formats can't. */
const compressors = {
  ZSTD: (bytes: Uint8Array, length: number) => unzstd(bytes, new Uint8Array(length)),
  GZIP: (bytes: Uint8Array, length: number) => {
    const all = new Uint8Array(length);
    let at = 0;
    for (const part of decompress(bytes, { maxBytes: length })) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  },
};

/** What the readers of a file say of its columns: once, however often it is read. */
function noticing() {
  const all = new Set<string>();
  return {
    notices: () => [...all],
    onNotice: ({ column, reason }: ColumnNotice) => void all.add(`Column ${column} ${reason}`),
  };
}

/** Parquet has equal values once, however many there are: its size bounds nothing. */
const MOST_RECORDS = 100_000_000;

async function parquetTable(file: Uint8Array<ArrayBuffer>, tell: Tell): Promise<FileTable> {
  const hyparquet = { parquetMetadataAsync, parquetRead, parquetSchema };
  // Reading reports damage.
  const { row_groups: groups } = await parquetMetadataAsync(file.buffer).catch(() => ({
    row_groups: [],
  }));
  const rows = groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
  if (rows > MOST_RECORDS) {
    throw new InputError("source", `says that it has ${rows} records, more than ${MOST_RECORDS}`);
  }
  const onProgress = (done: number) => tell(done, rows);
  const { notices, onNotice } = noticing();
  const usual = { compressors, onNotice };
  return {
    sample: await firstOf(readParquet<FileMetaData>(hyparquet, file, usual)),
    infer: () => inferSchema(readParquet(hyparquet, file, usual)),
    read: (options) => readParquet(hyparquet, file, { ...options, ...usual, onProgress }),
    notices,
  };
}

async function arrowTable(file: Uint8Array<ArrayBuffer>, tell: Tell): Promise<FileTable> {
  if (!isSavedCollection(file)) {
    const { notices, onNotice } = noticing();
    const usual = { compressors, onNotice };
    return {
      sample: await firstOf(readArrow(flechette, file, usual)),
      infer: () => inferSchema(readArrow(flechette, file, usual)),
      // The whole file is read before its first record, so there is no progress to tell.
      read: (options) => readArrow(flechette, file, { ...options, ...usual }),
      notices,
    };
  }
  const collection = openCollection(file);
  const onProgress = (done: number) => tell(done, collection.size);
  return {
    sample: collection.query({ limit: SAMPLE }),
    infer: () => collection.schema,
    read: (options) => readArrow(flechette, file, { ...options, onProgress }),
    open: (indexes) => openCollection(file, { indexes }),
  };
}

async function textTable(bytes: Bytes, { name, maxBytes, text: given }: About): Promise<FileTable> {
  let found: FoundFormat = {};
  const onFormat = (part: FoundFormat) => {
    found = { ...found, ...part };
  };
  const options = { ...given, name, maxBytes, zstd, detect: true, onFormat };
  const sampled = { ...options, maxBytes: MOST_SAMPLED };
  let sample = await firstOf(readRecords(bytes(), sampled));
  let skipped: readonly Refused[] = [];
  /** Lines that are no records are left out, if they are few. */
  let isSkipping = false;
  if (found.format === "ndjson") {
    const { refused, skipInvalid } = skipping();
    const more = await firstOf(readRecords(bytes(), { ...sampled, skipInvalid }));
    isSkipping = refused.length * FEW <= more.length;
    if (isSkipping) sample = more;
  }
  const skips = () => {
    if (!isSkipping) return {};
    const { refused, skipInvalid } = skipping();
    skipped = refused;
    return { skipInvalid };
  };
  return {
    sample,
    text: options,
    textRead: () => ({ given, found }),
    infer: () => inferSchema(readRecords(bytes("infer"), { ...options, ...skips() })),
    read: (more) => readRecords(bytes("read"), { ...more, ...options, ...skips() }),
    notices: () => noticeOf(skipped),
  };
}

/** One of so many lines may be no record. */
const FEW = 10;

/** At most so many lines are left out. */
const MOST_SKIPPED = 10_000;

/** How many of them are named. */
const MOST_NAMED = 20;

/** Leaves out lines that are not JSON, or no objects. Others are refused as ever: the reader chose their types. */
function skipping() {
  const refused: Refused[] = [];
  return {
    refused,
    skipInvalid: (line: Refused) => {
      const isLine = typeof line.record !== "object" || line.record === null;
      if (!isLine || refused.push(line) > MOST_SKIPPED)
        throw new InputError(line.place, line.reason);
    },
  };
}

function noticeOf(skipped: readonly Refused[]): readonly string[] {
  if (skipped.length === 0) return [];
  const { length } = skipped;
  const said = `${length.toLocaleString("en-US")} ${length === 1 ? "line is" : "lines are"} left out`;
  const named = skipped.slice(0, MOST_NAMED).map(({ place, reason }) => `${place}: ${reason}`);
  return [said, ...named];
}

/** How many records show what the values of a table are. */
const SAMPLE = 1000;

/** A sample of a text has no more bytes than this: the first records may be very long. */
const MOST_SAMPLED = 2 ** 26;

/** A sample has no more values than this: the first records may be very wide. */
const MOST_VALUES = 10_000_000;

/** The first records. Loading reports whatever is wrong with them. */
async function firstOf(records: Reading<AnyRecord>): Promise<readonly AnyRecord[]> {
  const first: AnyRecord[] = [];
  let values = 0;
  try {
    for await (const record of records) {
      values += Object.keys(record).length;
      if (first.push(record) === SAMPLE || values > MOST_VALUES) break;
    }
  } catch {
    return first;
  }
  return first;
}
