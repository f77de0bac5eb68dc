// Checks the page headers of a Parquet file before hyparquet reads the pages. It allocates as many values as a page
// claims to have, and a few bytes may claim any number.

import { InputError, member } from "../schema/errors.ts";

/** A file with random access, because Parquet is read from its end. */
export interface ParquetFile {
  readonly byteLength: number;
  /** The bytes from `start` to `end`, or to the end of the file. */
  slice(start: number, end?: number): ArrayBuffer | Promise<ArrayBuffer>;
}

/** The part of a Parquet file's footer that tercet reads, as hyparquet returns it. */
export interface ParquetMetadata {
  readonly num_rows: bigint;
  readonly schema: readonly object[];
  readonly row_groups: readonly {
    readonly num_rows?: bigint;
    readonly columns: readonly {
      readonly meta_data?: {
        readonly codec: string;
        readonly path_in_schema: readonly string[];
        /** Where the pages are. */
        readonly data_page_offset?: bigint;
        readonly dictionary_page_offset?: bigint;
        readonly total_compressed_size?: bigint;
      };
    }[];
  }[];
}

/** More values than in the pages of any common writer, whose lists still fit into memory. */
const MOST_VALUES = 2 ** 24;

/** The pages of a column in one part of the file. */
interface Chunk {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** How many rows the part of the file has. */
  readonly rows: number;
  /** Whether the pages have exactly that many values; otherwise they have at least that many. */
  readonly isFlat: boolean;
}

/**
 * A file whose pages are checked as they are read.
 *
 * @param flat the columns that have one value a row
 */
export function withCheckedPages(
  file: ParquetFile,
  { row_groups: groups }: ParquetMetadata,
  flat: ReadonlySet<string>,
): ParquetFile {
  const chunks: Chunk[] = [];
  for (const { columns, num_rows: rows } of groups) {
    for (const { meta_data: data } of columns) {
      const { path_in_schema: [name = ""] = [], total_compressed_size: length } = data ?? {};
      const first = data?.dictionary_page_offset ?? 0n;
      const from = Number(first === 0n ? data?.data_page_offset : first);
      chunks.push({
        name,
        from,
        to: from + Number(length),
        rows: Number(rows ?? 0n),
        isFlat: rows !== undefined && flat.has(name),
      });
    }
  }
  return {
    byteLength: file.byteLength,
    async slice(start, end = file.byteLength) {
      const bytes = await file.slice(start, end);
      for (const chunk of chunks) {
        if (chunk.from < start || !(chunk.to <= end)) continue;
        checkPages(new DataView(bytes, chunk.from - start, chunk.to - chunk.from), chunk);
      }
      return bytes;
    },
  };
}

/** By the number of a kind of page, the number of the header field with its details. */
const KINDS: readonly (number | undefined)[] = [5, undefined, 7, 8];
const [DICTIONARY, NEWER] = [7, 8];

/** @throws InputError that names the column; another error if a header is damaged */
function checkPages(view: DataView, { name, rows, isFlat }: Chunk): void {
  const reader = { view, offset: 0 };
  let left = isFlat ? rows : Infinity;
  let seen = 0;
  while (left > 0 && reader.offset < view.byteLength - 1) {
    const header = readStruct(reader);
    const [, kind, , size] = header;
    const at = KINDS[Number(kind)] ?? 0;
    const more = header[at];
    const [, values = 0, nulls = 0] = typeof more === "object" ? more.map(Number) : [];
    const most = Math.min(MOST_VALUES, at === DICTIONARY ? Infinity : left);
    const refuse = (what: string) => {
      throw new InputError(member("columns", name), `has a page that says it has ${what}`);
    };
    if (!(values >= 0 && values <= most)) refuse(`${values} values, not up to ${most}`);
    if (at === NEWER && !(nulls >= 0 && nulls <= values)) {
      refuse(`${nulls} nulls among ${values} values`);
    }
    if (at !== DICTIONARY) {
      left -= values;
      seen += values;
    }
    if (!(Number(size) >= 0)) throw new RangeError("a page has no size");
    reader.offset += Number(size);
  }
  // Otherwise a file of a few bytes could take days to read.
  if (seen < rows) {
    const reason = `has ${seen} values, but the footer has ${rows} rows`;
    throw new InputError(member("columns", name), reason);
  }
}

interface Reader {
  readonly view: DataView;
  offset: number;
}

/** The fields of a struct by number: numbers and structs; for others, only their presence. */
type Struct = readonly (number | Struct | undefined)[];

/** Reads a struct as the compact protocol of Thrift writes it. */
function readStruct(reader: Reader): Struct {
  const fields: (number | Struct | undefined)[] = [];
  for (let number = 0; ;) {
    const head = reader.view.getUint8(reader.offset++);
    if ((head & 15) === 0) return fields;
    const step = head >> 4;
    number = step === 0 ? readInteger(reader) : number + step;
    fields[number] = readValue(reader, head & 15);
  }
}

function readValue(reader: Reader, type: number): number | Struct | undefined {
  switch (type) {
    // True and false are types.
    case 1:
    case 2:
      return undefined;
    case 3:
      reader.offset++;
      return undefined;
    case 4:
    case 5:
    case 6:
      return readInteger(reader);
    case 7:
      reader.offset += 8;
      return undefined;
    case 8: {
      const length = readUnsigned(reader);
      if (length < 0) throw new RangeError("a string has no length");
      reader.offset += length;
      return undefined;
    }
    case 9: {
      const head = reader.view.getUint8(reader.offset++);
      const length = head >> 4 === 15 ? readUnsigned(reader) : head >> 4;
      const of = head & 15;
      for (let i = 0; i < length; i++) readValue(reader, of <= 2 ? 3 : of);
      return undefined;
    }
    case 12:
      return readStruct(reader);
    default:
      throw new RangeError(`a header has a field of the unknown type ${type}`);
  }
}

/** A 32-bit number, whose sign hyparquet does not check. */
function readUnsigned(reader: Reader): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = reader.view.getUint8(reader.offset++);
    value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
}

function readInteger(reader: Reader): number {
  const value = readUnsigned(reader);
  return (value >>> 1) ^ -(value & 1);
}
