// A Parquet file: how its bytes are read, and what it says of its parts, in the terms of hyparquet.

/** A file with random access, because Parquet is read from its end. */
export interface ParquetFile {
  readonly byteLength: number;
  /** The bytes from `start` to `end`, or to the end of the file. */
  slice(start: number, end?: number): ArrayBuffer | Promise<ArrayBuffer>;
}

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
        readonly statistics?: ParquetStatistics;
      };
    }[];
  }[];
}

/** What a file says of the values of a column. */
export interface ParquetStatistics {
  readonly null_count?: bigint;
  readonly min_value?: unknown;
  readonly max_value?: unknown;
}
