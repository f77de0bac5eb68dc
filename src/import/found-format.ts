// The notices of readers about a detected format.

/** Formats that are read piece by piece. */
export type RecordFormat = "csv" | "ndjson" | "json";

/** A column whose name differs from the header's. */
export interface Renamed {
  /** Its number, from 1. */
  readonly column: number;
  readonly from: string;
  readonly to: string;
}

/** What a reader has detected about a file. */
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
  readonly trim?: boolean;
  readonly ragged?: "pad";
  /** Why the file may have to be read in another way, in sentences that name the options. */
  readonly doubts?: readonly string[];
  /** Columns of CSV whose names were missing, or were those of earlier ones. */
  readonly renamed?: readonly Renamed[];
  /** In JSON that is one object: where the records are, and its other arrays of objects. */
  readonly at?: string;
  readonly arrays?: readonly string[];
}

/** The options of readers that detect a format. */
export interface FormatOptions {
  /** Called with each detected part of the format, before the first record is read. */
  readonly onFormat?: ((found: FoundFormat) => void) | undefined;
}
