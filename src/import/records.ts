// Records in any format, determined by an option, by the name of the file, or by the first bytes.

import { oneOf, optional } from "../schema/options.ts";
import type { Schema } from "../schema/schema.ts";
import { csvDecoder, type CsvOptions } from "./csv.ts";
import { readFormat } from "./csv-format.ts";
import { LONGEST_RECORD, type Decoder } from "./feed.ts";
import type { ImportOf, RecordForm } from "./form.ts";
import type { RecordFormat } from "./found-format.ts";
import { endOfRun, endOfValue, END_OF_TEXT, OPEN_ARRAY, OPEN_OBJECT, SPACE } from "./json-bytes.ts";
import { readJsonFormat } from "./json-format.ts";
import { jsonDecoder, jsonSink, type JsonOptions } from "./json.ts";
import { ndjsonDecoder } from "./ndjson.ts";
import { readBytes, type ReadingOf } from "./reading.ts";
import type { Sink } from "./sink.ts";
import type { Bytes } from "./source.ts";
import { decodeAnyway, MARK } from "./utf8.ts";

/** The options of `readRecords`. */
export interface RecordsOptions<S extends Schema | undefined = undefined>
  extends CsvOptions<S>, JsonOptions<S> {
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
  geojson: "json",
};

/** The format that the name of a file suggests; `undefined` if it is none of these. */
export function formatOf(name: string): RecordFormat | undefined {
  const ending = /\.([^./\\]+?)(?:\.(?:gz|zst))?$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

/**
 * Reads records in any format, like `readCsv`, `readNdjson` and `readJson`. The format is that of the option or the
 * name; otherwise the first bytes decide: `[` is JSON, `{` is NDJSON or JSON, anything else CSV. A `.tsv` file is CSV
 * with tabs.
 *
 * @throws InputError with the place, like these readers
 */
export function readRecords<Source extends Bytes, S extends Schema | undefined = undefined>(
  source: Source,
  options: RecordsOptions<S> = {},
): ReadingOf<Source, ImportOf<S>> {
  const { name = "" } = options;
  const given = readFormatName(options.format, "options.format");
  const csv = /\.tsv(?:\.(?:gz|zst))?$/i.test(name) ? { delimiter: "\t", ...options } : options;
  const csvFormat = readFormat(csv);
  const jsonFormat = readJsonFormat(options);
  const createDecoder = (form: RecordForm | undefined, sink: Sink) => {
    const json = () => jsonSink(sink, jsonFormat, options);
    const decoders: Readonly<Record<RecordFormat, () => Decoder>> = {
      csv: () => csvDecoder(form, csvFormat, csv, sink),
      ndjson: () => {
        options.onFormat?.({ format: "ndjson" });
        return ndjsonDecoder(json(), jsonFormat);
      },
      json: () => jsonDecoder(json(), jsonFormat, options),
    };
    const named = given ?? formatOf(name);
    // An array within objects is JSON, wherever the objects end.
    const stated = given === "ndjson" && jsonFormat.at !== undefined ? "json" : given;
    if (stated !== undefined || named === "csv") return decoders[stated ?? "csv"]();
    return detecting((head, isEnd) => {
      const found = formatIn(head, isEnd, named);
      const isWithin = found === "ndjson" && jsonFormat.at !== undefined;
      return found && decoders[isWithin ? "json" : found];
    });
  };
  return readBytes(source, options, createDecoder);
}

/** Chooses a decoder once the first bytes have arrived. */
function detecting(
  choose: (head: Uint8Array, isEnd: boolean) => (() => Decoder) | undefined,
): Decoder {
  let decoder: Decoder | undefined;
  return {
    get ending() {
      return decoder?.ending;
    },
    take(bytes, isEnd) {
      decoder ??= choose(bytes, isEnd)?.();
      return decoder?.take(bytes, isEnd) ?? 0;
    },
  };
}

/** How much white space before the first record is examined. */
const MOST_SPACE = 64 * 1024;
const LF = 0x0a;

/**
 * The format given by the first bytes after a byte order mark and space; `undefined` if there are too few.
 *
 * @param named the format that the name suggests
 */
function formatIn(
  head: Uint8Array,
  isEnd: boolean,
  named: "ndjson" | "json" | undefined,
): RecordFormat | undefined {
  const mark = MARK.every((byte, i) => head[i] === byte || i >= head.length) ? 3 : 0;
  const start = endOfRun(SPACE, head, mark);
  const first = head[start];
  // Empty input has no records in any format.
  if (first === undefined && isEnd) return "ndjson";
  if (first === undefined) return head.length > MOST_SPACE ? (named ?? "ndjson") : undefined;
  if (first === OPEN_ARRAY) return "json";
  if (first !== OPEN_OBJECT) return named ?? "csv";
  const end = head.indexOf(LF, start);
  const next = end < 0 ? END_OF_TEXT : endOfRun(SPACE, head, end);
  const isWaiting = next < 0 || next === head.length;
  if (isWaiting && !isEnd) return head.length > LONGEST_RECORD ? (named ?? "ndjson") : undefined;
  const line = head.subarray(start, end < 0 ? head.length : end);
  const after = endOfValue(line, 0);
  const endOfLine = after === END_OF_TEXT ? END_OF_TEXT : endOfRun(SPACE, line, after);
  const isLine = endOfLine === line.length;
  // Several values on one line.
  if (line[endOfLine] === OPEN_OBJECT) return "json";
  // The only line may be one object with an array of records in it.
  if (isWaiting) return named ?? (isLine ? "ndjson" : "json");
  return isLine || (head[next] === OPEN_OBJECT && !isOpen(line)) ? "ndjson" : "json";
}

/** Whether a line of JSON continues on the next one. */
const isOpen = (line: Uint8Array) => /[,:[{]\s*$/.test(decodeAnyway(line.subarray(-20)));
