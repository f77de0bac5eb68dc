// Records in any format, determined by an option, by the name of the file, or by the first byte.

import { oneOf, optional } from "../schema/options.ts";
import type { Schema } from "../schema/schema.ts";
import { converting } from "./convert.ts";
import { csvDecoder, readFormat, type CsvOptions } from "./csv.ts";
import type { Decoder } from "./feed.ts";
import type { ImportOf, RecordForm } from "./form.ts";
import { endOfRun, OPEN_ARRAY, OPEN_OBJECT, SPACE } from "./json-bytes.ts";
import { unrounded } from "./json-parse.ts";
import { jsonDecoder } from "./json.ts";
import { ndjsonDecoder } from "./ndjson.ts";
import { readBytes, type ReadingOf } from "./reading.ts";
import type { Sink } from "./sink.ts";
import type { Bytes } from "./source.ts";
import { MARK } from "./utf8.ts";

/** Formats that are read piece by piece. */
export type RecordFormat = "csv" | "ndjson" | "json";

export interface RecordsOptions<S extends Schema | undefined = undefined> extends CsvOptions<S> {
  readonly format?: RecordFormat | undefined;
  /** The name of the file, such as `people.csv.gz`, to infer the format if none is given. */
  readonly name?: string | undefined;
}

const readFormatName = optional<RecordFormat>(oneOf("csv", "ndjson", "json"));

const endings: Readonly<Record<string, RecordFormat>> = {
  csv: "csv",
  tsv: "csv",
  ndjson: "ndjson",
  jsonl: "ndjson",
  json: "json",
};

/** The format that the name of a file suggests; `undefined` if it is none of these. */
export function formatOf(name: string): RecordFormat | undefined {
  const ending = /\.([^./\\]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

/**
 * Reads records in any format, like `readCsv`, `readNdjson` and `readJson`. If neither an option nor
 * the name determines it, `[` begins JSON, `{` NDJSON, and anything else CSV. A `.tsv` file is CSV with
 * tabs.
 *
 * @throws InputError with the place, like these readers
 */
export function readRecords<Source extends Bytes, S extends Schema | undefined = undefined>(
  source: Source,
  options: RecordsOptions<S> = {},
): ReadingOf<Source, ImportOf<S>> {
  const { name = "", format: given = formatOf(name) } = options;
  const format = readFormatName(given, "options.format");
  const csv = { delimiter: delimiterOf(name), ...options };
  const csvFormat = readFormat(csv);
  const createDecoder = (form: RecordForm | undefined, sink: Sink) => {
    const decoders: Readonly<Record<RecordFormat, () => Decoder>> = {
      csv: () => csvDecoder(form, csvFormat, csv, sink),
      ndjson: () => ndjsonDecoder(converting(sink, options)),
      json: () => jsonDecoder(converting(sink, options)),
    };
    return format === undefined ? detecting(decoders) : decoders[format]();
  };
  return readBytes(source, options, createDecoder, unrounded);
}

export function delimiterOf(name: string): string {
  return /\.tsv(\.gz)?$/i.test(name) ? "\t" : ",";
}

/** Chooses a decoder once the first bytes have arrived. */
function detecting(decoders: Readonly<Record<RecordFormat, () => Decoder>>): Decoder {
  let decoder: Decoder | undefined;
  return {
    get ending() {
      return decoder?.ending;
    },
    take(bytes, isEnd) {
      const format = decoder === undefined ? formatIn(bytes, isEnd) : undefined;
      if (format !== undefined) decoder = decoders[format]();
      return decoder?.take(bytes, isEnd) ?? 0;
    },
  };
}

/** How much space before the first record is examined. */
const MOST_SPACE = 64 * 1024;

/** The format given by the first byte after a byte order mark and space; `undefined` if there is none yet. */
export function formatIn(head: Uint8Array, isEnd: boolean): RecordFormat | undefined {
  const start = MARK.every((byte, i) => head[i] === byte || i >= head.length) ? 3 : 0;
  const first = head[endOfRun(SPACE, head, start)];
  // Empty input has no records in any format.
  if (first === undefined) return isEnd || head.length > MOST_SPACE ? "ndjson" : undefined;
  return first === OPEN_ARRAY ? "json" : first === OPEN_OBJECT ? "ndjson" : "csv";
}
