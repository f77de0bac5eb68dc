// A Parquet file that is open: its columns, the facts of their values, and its rows. The package that decodes it is
// passed in. Its conversion of decimals and times is disabled, since it would round them.

import { InputError, member } from "../schema/errors.ts";
import { DEEPEST } from "../schema/json.ts";
import { distinctNames } from "./columns.ts";
import { decodeBlock, decodeHadoop } from "./lz4.ts";
import { withCheckedPages, type ParquetFile, type ParquetMetadata } from "./parquet-pages.ts";
import { parsers, physical, withValidTypes } from "./parquet-schema.ts";
import type { ParquetNode, ParquetParsers } from "./parquet-schema.ts";
import { typeOfNode } from "./parquet-types.ts";
import { isUnsupported, noFacts, observe, unsupported } from "./value-types.ts";
import type { Facts, NonFinite, ValueType } from "./value-types.ts";

/** The part of `hyparquet` 1.33 or later that tercet uses. */
export interface Hyparquet<Metadata extends ParquetMetadata = ParquetMetadata> {
  parquetMetadataAsync(file: ParquetFile): Promise<Metadata>;
  parquetSchema(metadata: Pick<Metadata, "schema">): { readonly children: readonly ParquetNode[] };
  parquetRead(
    options: {
      file: ParquetFile;
      metadata: Metadata;
      columns: string[];
      utf8: false;
      parsers: ParquetParsers;
      compressors: Compressors;
      rowStart: number;
      rowEnd: number;
    } & (
      | { rowFormat: "array"; onComplete: (rows: unknown[][]) => void }
      | { onChunk: (chunk: { readonly columnData: ArrayLike<unknown> }) => void }
    ),
  ): Promise<void>;
}

/** Functions that decompress pages, by Parquet's names for codecs: `GZIP`, `ZSTD`. */
export type Compressors = Readonly<
  Record<string, (page: Uint8Array, length: number) => Uint8Array>
>;

/** A column of a Parquet file. */
export interface TableColumn {
  readonly name: string;
  readonly type: ValueType;
  /** Whether a value may be null, by the declaration of the column. */
  readonly isNullable: boolean;
}

export interface ParquetTable {
  readonly rows: number;
  /** The names of the columns in the file. */
  readonly givenNames: readonly string[];
  readonly columns: readonly TableColumn[];
  /** Facts about the values of a column. The values are read, because footers may be wrong. */
  factsOf(column: TableColumn): Promise<Facts>;
  /**
   * Reads the rows of the file, many at a time: a value for each of the columns.
   *
   * @param texts the names of binary columns that contain text
   */
  rowsOf(
    columns: readonly TableColumn[],
    texts: ReadonlySet<string>,
  ): AsyncGenerator<unknown[][], void>;
}

/** How many values are held at once, besides those of the pages that they are in. */
const VALUES = 1_000_000;
const FEWEST_ROWS = 1000;

/** @throws InputError if the file is damaged, encrypted, or of another format */
export async function openParquet<Metadata extends ParquetMetadata>(
  hyparquet: Hyparquet<Metadata>,
  file: ParquetFile,
  given: { readonly nonFinite: NonFinite; readonly compressors: Compressors },
): Promise<ParquetTable> {
  const compressors = { ...OWN_CODECS, ...given.compressors };
  const { given: read, nodes } = await opened();
  const givenNames = nodes.map(({ element }) => element.name);
  const names = distinctNames(givenNames.map((name) => name || undefined));
  const leaves = nodes.flatMap((node, i) => leafPaths(node, [names[i]!]));
  // hyparquet looks columns up by name.
  const metadata: Metadata = {
    ...read,
    row_groups: read.row_groups.map((group) => ({
      ...group,
      columns: group.columns.map(({ meta_data: data, ...chunk }, i) => ({
        ...chunk,
        meta_data: data && { ...data, path_in_schema: leaves[i] ?? [] },
      })),
    })),
  };
  const encrypted = new Set(
    metadata.row_groups.flatMap(({ columns }) =>
      columns.flatMap(({ meta_data: data }, i) =>
        data === undefined ? (leaves[i]?.[0] ?? []) : [],
      ),
    ),
  );
  let rows = 0;
  const groups = metadata.row_groups.map(({ num_rows: count = 0n }) => {
    const from = rows;
    rows += Number(count);
    return { from, to: rows };
  });
  if (metadata.num_rows > rows) {
    const reason = `its footer has ${metadata.num_rows} rows, but its row groups have ${rows}`;
    throw damaged(new Error(reason));
  }
  const flat = names.filter((_, i) => {
    const { type, repetition_type: repetition } = nodes[i]!.element;
    return type !== undefined && repetition !== "REPEATED";
  });
  const pages = withCheckedPages(file, metadata, new Set(flat));
  const all = nodes.map((node, i): TableColumn => {
    const name = names[i]!;
    const { repetition_type: repetition } = node.element;
    const type = encrypted.has(name) ? unsupported("encrypted") : typeOfNode(node, given.nonFinite);
    return { name, type, isNullable: repetition !== "REQUIRED" };
  });

  async function opened() {
    try {
      const read = await hyparquet.parquetMetadataAsync(file);
      const given = { ...read, schema: withValidTypes(read.schema) };
      const nodes = hyparquet.parquetSchema(given).children;
      if (nodes.some((node) => isDeeper(node, DEEPEST))) {
        throw new InputError("source", `has columns that are nested more than ${DEEPEST} deep`);
      }
      return { given, nodes };
    } catch (thrown) {
      const end = new Uint8Array(await file.slice(Math.max(0, file.byteLength - 4)));
      const isEncrypted = String.fromCharCode(...end) === "PARE";
      throw isEncrypted
        ? new InputError("source", "is an encrypted Parquet file; decrypt it first")
        : damaged(thrown);
    }
  }

  const withTexts = (texts: ReadonlySet<string>): Metadata => ({
    ...metadata,
    schema: physical(metadata.schema, names, texts),
    row_groups: metadata.row_groups.map((group) => ({
      ...group,
      columns: group.columns.filter(({ meta_data: data }) => data !== undefined),
    })),
  });
  const common = { file: pages, utf8: false, compressors } as const;

  async function factsOf({ name, type, isNullable }: TableColumn): Promise<Facts> {
    const facts = noFacts();
    if (isUnsupported(type) || (!isNullable && type.observe === undefined)) return facts;
    requireCodecs(metadata, [name], compressors);
    const known = withTexts(new Set());
    for (const { from, to } of groups) {
      let left = to - from;
      await reading(() =>
        hyparquet.parquetRead({
          ...common,
          metadata: known,
          columns: [name],
          // Of texts, only whether there is one matters.
          parsers: { stringFromBytes: (bytes) => bytes },
          rowStart: from,
          rowEnd: to,
          onChunk({ columnData: values }) {
            for (let i = 0; i < values.length && left > 0; i++, left--) {
              observe(type, facts, values[i]);
            }
          },
        }),
      );
      if (left > 0) throw damaged(new Error(FEWER));
    }
    return facts;
  }

  async function* rowsOf(columns: readonly TableColumn[], texts: ReadonlySet<string>) {
    const names = columns.map(({ name }) => name);
    requireCodecs(metadata, names, compressors);
    const known = withTexts(texts);
    const step = Math.max(FEWEST_ROWS, Math.floor(VALUES / Math.max(1, names.length)));
    for (const { from, to } of groups) {
      // A page is decoded again for each step that needs it, and no page is part of two groups.
      for (let rowStart = from; rowStart < to; rowStart += step) {
        const rowEnd = Math.min(to, rowStart + step);
        let found: unknown[][] = [];
        await reading(() =>
          hyparquet.parquetRead({
            ...common,
            metadata: known,
            columns: names,
            parsers,
            rowStart,
            rowEnd,
            // Not objects, because a column may be named `__proto__`.
            rowFormat: "array",
            onComplete: (all) => (found = all),
          }),
        );
        if (found.length < rowEnd - rowStart) throw damaged(new Error(FEWER));
        yield found;
      }
    }
  }

  return { rows, givenNames, columns: all, factsOf, rowsOf };
}

const FEWER = "it has fewer rows than its footer says";

async function reading(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (thrown) {
    throw damaged(thrown);
  }
}

function damaged(thrown: unknown): InputError {
  if (thrown instanceof InputError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new InputError("source", `can't be read as Parquet: ${reason}`, { cause: thrown });
}

/** The path of each part of a column that has values. Below the column, the names are those of {@link physical}. */
const leafPaths = ({ children = [] }: Partial<ParquetNode>, path: string[]): string[][] =>
  children.length === 0
    ? [path]
    : children.flatMap((child, i) => leafPaths(child, [...path, String(i)]));

const isDeeper = ({ children = [] }: Partial<ParquetNode>, depth: number): boolean =>
  depth < 0 || children.some((child) => isDeeper(child, depth - 1));

/** The codecs that are built in, besides Snappy. */
const OWN_CODECS: Compressors = { LZ4: decodeHadoop, LZ4_RAW: decodeBlock };

/** @throws InputError that names the codec of a column, if it is not supported */
function requireCodecs(
  { row_groups: groups }: ParquetMetadata,
  columns: readonly string[],
  compressors: Compressors,
): void {
  const known = ["SNAPPY", ...Object.keys(compressors)];
  for (const { meta_data: data } of groups.flatMap((group) => group.columns)) {
    if (data === undefined || !columns.includes(data.path_in_schema[0] ?? "")) continue;
    if (data.codec === "UNCOMPRESSED" || known.includes(data.codec)) continue;
    throw new InputError(
      member("columns", data.path_in_schema[0] ?? ""),
      `is compressed with ${data.codec}, which is not supported; these codecs are: ${known.join(", ")}`,
      { code: "unsupported" },
    );
  }
}
