// What readers of text report of the format that they have found.

/** Formats that are read piece by piece. */
export type RecordFormat = "csv" | "ndjson" | "json";

/** A column that got another name than it has in the header. */
export interface Renamed {
  /** Its number, from 1. */
  readonly column: number;
  readonly from: string;
  readonly to: string;
}

/** What a reader has found out about a text, beyond what it was told. */
export interface FoundFormat {
  readonly format?: RecordFormat;
  readonly encoding?: string;
  /** Of CSV. */
  readonly delimiter?: string;
  readonly header?: boolean;
  readonly quote?: string | false;
  readonly escape?: string;
  readonly comment?: string;
  readonly skipLines?: number;
  /** Columns of CSV whose names were missing, or were those of earlier ones. */
  readonly renamed?: readonly Renamed[];
  /** Where the records of JSON are that is one object, and the other arrays of objects in it. */
  readonly at?: string;
  readonly arrays?: readonly string[];
}

/** The options of readers that detect a format. */
export interface FormatOptions {
  /** Called with what is found out, once for each part of it, before the first record is read. */
  readonly onFormat?: (found: FoundFormat) => void;
}
