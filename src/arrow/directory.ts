// The directory of a file: the position of each section of each column, and the checksums. It is JSON in the footer's
// metadata. It is validated here as far as possible without reading the sections; their content is checked where it is
// used.

import { codesTypeFor } from "../engine/indexes/memory-index.ts";
import { describe } from "../schema/errors.ts";
import type { Storage } from "../schema/field.ts";
import { isCount, isMembers } from "../schema/input.ts";
import { FileError } from "./file-error.ts";
import type { Metadata, ByteRange } from "./format.ts";
import { ReadBudget } from "./read-budget.ts";
import { NARROW, WIDE } from "./offsets.ts";
import { TRIGRAM_STARTS } from "./trigrams.ts";

/** The name of tercet's entry in the footer's metadata. */
export const DIRECTORY = "tercet";

/** Raised whenever the format changes incompatibly: no later version is read. */
export const FORMAT_VERSION = 2;

/** The version of files with offsets of 64 bits. Others are written for older releases, too. */
export const WIDE_VERSION = 3;

/** The size of a page in bytes; each page has a checksum. */
export const PAGE_BYTES = 4096;

/** The maximum number of rows that the engine can number. */
const MOST_ROWS = 2 ** 31 - 1;

export interface DictionaryEntry {
  readonly type: Storage;
  /** How many values there are, including the placeholder for null. */
  readonly values: number;
  /** For strings: whether all characters are ASCII. */
  readonly ascii: boolean;
  /** For strings: the start of each in `bytes`, and the end of the last. */
  readonly offsets: ByteRange | undefined;
  /** How many bytes an offset has: 8, or 4 unless it is given. */
  readonly offsetBytes?: number | undefined;
  /** The strings as UTF-8, or the numbers as int64 or float64. */
  readonly bytes: ByteRange;
}

export interface ColumnEntry {
  readonly name: string;
  /** Whether it belongs to no field: other data that a collection stores for its rows. */
  readonly hidden: boolean;
  /** The number of the dictionary with its values; for arrays, with their elements. */
  readonly dictionary: number;
  /** For a strings field: its arrays, which take the place of values. */
  readonly arrays?: ArraysEntry | undefined;
  /** For each row the code of its value. */
  readonly codes: ByteRange;
  /** How many bytes a code has. */
  readonly codeBytes: number;
  /** The rows in code order, as uint32; and the start of each code's rows, also for a column without the order. */
  readonly order: ByteRange | undefined;
  readonly starts: ByteRange | undefined;
  /** The start of each trigram's postings; and the postings: see `trigrams.ts`. */
  readonly trigrams?: ByteRange | undefined;
  /** How many bytes a start of postings has: 8, or 4 unless it is given. */
  readonly startBytes?: number | undefined;
  readonly postings?: ByteRange | undefined;
}

/** A column of arrays: an Arrow list, and the distinct arrays in it. */
export interface ArraysEntry {
  /** How many distinct arrays there are, including the placeholder for null. */
  readonly values: number;
  /** For each of them, a row that has it, as uint32. */
  readonly samples: ByteRange;
  /** The start of each row's array in `elements`, as int32, and the end of the last. */
  readonly offsets: ByteRange;
  /** The codes of the elements. */
  readonly elements: ByteRange;
  /** How many bytes an element code has. */
  readonly elementBytes: number;
}

export interface Directory {
  readonly rows: number;
  /** Greater than any key ever used. */
  readonly nextKey: number;
  /** The last number of each field whose default is `next`; `undefined` if there are none, or they are unknown. */
  readonly lastIds?: readonly (readonly [field: string, last: number])[] | undefined;
  /** The schema, as `schema-json.ts` writes it. */
  readonly schema: unknown;
  /** A note of the program that saved the file, as JSON. */
  readonly note?: unknown;
  readonly dictionaries: readonly DictionaryEntry[];
  readonly columns: readonly ColumnEntry[];
  /** The keys of the rows, as float64, if they differ from the row numbers. */
  readonly keys: ByteRange | undefined;
  /** The checksums of the pages from the start of the file up to this section, as uint32. */
  readonly checksums: ByteRange;
  /** The checksum of the checksums. */
  readonly checksum: number;
}

/** How many bytes a code needs for this many values. */
export function codeBytesFor(values: number): number {
  return codesTypeFor(values).BYTES_PER_ELEMENT;
}

export function writeDirectory(directory: Directory): Metadata {
  const { dictionaries, columns } = directory;
  const isWide =
    dictionaries.some(({ offsetBytes }) => offsetBytes === WIDE) ||
    columns.some(({ startBytes }) => startBytes === WIDE);
  const version = isWide ? WIDE_VERSION : FORMAT_VERSION;
  return { [DIRECTORY]: JSON.stringify({ version, ...directory }) };
}

/**
 * Reads the directory from the metadata of a tercet file's footer.
 *
 * @param end where the sections end and the footer begins
 * @throws FileError
 */
export function readDirectory(metadata: ReadonlyMap<string, string>, end: number): Directory {
  const text = metadata.get(DIRECTORY);
  if (text === undefined) throw new FileError("directory", "is missing");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new FileError("directory", "is not JSON", { cause: error });
  }
  const outer = new Members(json, "directory", end, new ReadBudget(end, "directory", OVERLAP));
  const version = outer.value("version");
  if (version !== FORMAT_VERSION && version !== WIDE_VERSION) {
    throw new FileError(
      "directory",
      `has version ${describe(version)}; this release of tercet reads versions ${FORMAT_VERSION} and ${WIDE_VERSION}`,
      { code: "unsupported" },
    );
  }
  const checksums = outer.range("checksums");
  if (checksums.length !== 4 * Math.ceil(checksums.offset / PAGE_BYTES)) {
    throw new FileError("directory", "has checksums that do not match its pages");
  }
  // All sections are consecutive, in the part that has checksums.
  const budget = new ReadBudget(checksums.offset, "directory", OVERLAP);
  const members = new Members(json, "directory", checksums.offset, budget);
  const rows = members.count("rows", MOST_ROWS);
  const dictionaries = members.list("dictionaries").map((entry) => readDictionary(entry));
  return {
    rows,
    nextKey: members.count("nextKey"),
    lastIds: members.counts("lastIds"),
    schema: members.value("schema"),
    note: members.value("note"),
    dictionaries,
    columns: members.list("columns").map((entry) => readColumn(entry, rows, dictionaries)),
    keys: members.optional("keys", rows * 8),
    checksums,
    checksum: members.count("checksum"),
  };
}

function readDictionary(members: Members): DictionaryEntry {
  const type = members.value("type");
  if (type !== "int" && type !== "float" && type !== "string") {
    throw new FileError("directory", `has a dictionary of the type ${describe(type)}`);
  }
  const values = members.count("values", MOST_ROWS);
  if (values === 0) throw new FileError("directory", "has a dictionary without its placeholder");
  const offsetBytes = members.width("offsetBytes");
  return {
    type,
    values,
    ascii: members.value("ascii") === true,
    offsets:
      type === "string"
        ? members.range("offsets", (values + 1) * (offsetBytes ?? NARROW))
        : undefined,
    offsetBytes,
    bytes: members.range("bytes", type === "string" ? undefined : values * 8),
  };
}

function readColumn(
  members: Members,
  rows: number,
  dictionaries: readonly DictionaryEntry[],
): ColumnEntry {
  const name = members.value("name");
  if (typeof name !== "string") throw new FileError("directory", "has a column without a name");
  const dictionary = members.count("dictionary");
  const own = dictionaries[dictionary];
  if (own === undefined) {
    throw new FileError("directory", `has no dictionary ${dictionary} for a column`);
  }
  const arrays = members.within("arrays");
  const arraysEntry = arrays && readArrays(arrays, rows, own);
  const { values } = arraysEntry ?? own;
  const codeBytes = codeBytesFor(values);
  const startBytes = members.width("startBytes");
  return {
    name,
    hidden: members.value("hidden") === true,
    dictionary,
    arrays: arraysEntry,
    codes: members.range("codes", rows * codeBytes),
    codeBytes,
    order: members.optional("order", rows * 4),
    starts: members.optional("starts", (values + 1) * 4),
    trigrams: members.optional("trigrams", TRIGRAM_STARTS * (startBytes ?? NARROW)),
    startBytes,
    postings: members.optional("postings"),
  };
}

function readArrays(members: Members, rows: number, dictionary: DictionaryEntry): ArraysEntry {
  const values = members.count("values", MOST_ROWS);
  if (values === 0) throw new FileError("directory", "has arrays without their placeholder");
  const elementBytes = codeBytesFor(dictionary.values);
  const elements = members.range("elements");
  if (elements.length % elementBytes !== 0) {
    throw new FileError("directory", `has ${elements.length} bytes of elements`);
  }
  return {
    values,
    samples: members.range("samples", values * 4),
    offsets: members.range("offsets", (rows + 1) * 4),
    elements,
    elementBytes,
  };
}

const OVERLAP = "has sections that overlap";

/** The members of an unvalidated object. */
class Members {
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #section: string;
  readonly #end: number;
  /** Shared by all sections. */
  readonly #budget: ReadBudget;

  constructor(value: unknown, section: string, end: number, budget: ReadBudget) {
    if (!isMembers(value)) {
      throw new FileError(section, `must hold objects, not ${describe(value)}`);
    }
    this.#members = value;
    this.#section = section;
    this.#end = end;
    this.#budget = budget;
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
  }

  count(name: string, most = Number.MAX_SAFE_INTEGER): number {
    const value = this.value(name);
    if (isCount(value) && value <= most) return value;
    throw new FileError(this.#section, `has ${describe(value)} for ${name}`);
  }

  /** Counts by name, if the member exists. */
  counts(name: string): readonly (readonly [string, number])[] | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const isPair = (each: unknown): each is readonly [string, number] =>
      Array.isArray(each) && typeof each[0] === "string" && isCount(each[1]);
    if (Array.isArray(value) && value.every(isPair)) return value;
    throw new FileError(this.#section, `has ${describe(value)} for ${name}`);
  }

  /** How many bytes an offset has, unless it has 4. */
  width(name: string): typeof WIDE | undefined {
    const value = this.value(name);
    if (value === undefined || value === WIDE) return value;
    throw new FileError(this.#section, `has ${describe(value)} for ${name}`);
  }

  list(name: string): Members[] {
    const value = this.value(name);
    if (Array.isArray(value)) {
      return value.map((each: unknown) => this.#of(each));
    }
    throw new FileError(this.#section, `has ${describe(value)} for ${name}`);
  }

  /** A range of the file. @param length its required length, if known */
  range(name: string, length?: number): ByteRange {
    const members = this.#of(this.value(name));
    const range = { offset: members.count("offset"), length: members.count("length") };
    if (range.offset % 8 !== 0 || range.offset + range.length > this.#end) {
      throw new FileError(this.#section, `has ${name} at an invalid position`);
    }
    if (length !== undefined && range.length !== length) {
      throw new FileError(this.#section, `has ${range.length} bytes of ${name}, not ${length}`);
    }
    this.#budget.spend(range.length);
    return range;
  }

  #of(value: unknown): Members {
    return new Members(value, this.#section, this.#end, this.#budget);
  }

  /** The members of an object member, if it exists. */
  within(name: string): Members | undefined {
    const value = this.value(name);
    return value === undefined ? undefined : this.#of(value);
  }

  optional(name: string, length?: number): ByteRange | undefined {
    return this.value(name) === undefined ? undefined : this.range(name, length);
  }
}
