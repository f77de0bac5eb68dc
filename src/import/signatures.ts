// The signatures of other file formats, so that readers of text can name them in errors.

/** A file format, and advice for the error. */
interface Signature {
  readonly what: string;
  readonly advice: string;
  readonly bytes: string;
}

const UNPACK = "decompress it first";
const EXPORT = "export it as CSV, JSON or Parquet";

const SIGNATURES: readonly Signature[] = [
  {
    bytes: "PK\x03\x04",
    what: "a ZIP archive, as Excel workbooks (.xlsx) are",
    advice: "save the sheet as CSV, or unpack the archive",
  },
  { bytes: "\xd0\xcf\x11\xe0", what: "an Excel workbook (.xls)", advice: "save the sheet as CSV" },
  { bytes: "SQLite format 3\0", what: "an SQLite database", advice: "export the table as CSV" },
  { bytes: "PAR1", what: "a Parquet file", advice: "readParquet reads it" },
  { bytes: "ARROW1", what: "an Arrow file", advice: "readArrow reads it" },
  { bytes: "\xff\xff\xff\xff", what: "an Arrow stream", advice: "readArrow reads it" },
  { bytes: "BZh", what: "compressed with bzip2", advice: UNPACK },
  { bytes: "\xfd7zXZ\0", what: "compressed with xz", advice: UNPACK },
  { bytes: "7z\xbc\xaf\x27\x1c", what: "a 7-Zip archive", advice: UNPACK },
  { bytes: "\x04\x22\x4d\x18", what: "compressed with LZ4", advice: UNPACK },
  { bytes: "%PDF-", what: "a PDF", advice: "export its table as CSV" },
  { bytes: "Obj\x01", what: "an Avro file", advice: EXPORT },
  { bytes: "ORC\x0a", what: "an ORC file", advice: EXPORT },
  { bytes: "\x89HDF", what: "an HDF5 file", advice: EXPORT },
];

/** The length of the longest signature. */
export const SIGNATURE_BYTES = 16;

const isAtStart = (bytes: Uint8Array, signature: string) =>
  bytes.length >= signature.length &&
  Array.from(signature).every((each, i) => bytes[i] === each.charCodeAt(0));

export const isGzip = (bytes: Uint8Array): boolean => isAtStart(bytes, "\x1f\x8b");
export const isZstd = (bytes: Uint8Array): boolean =>
  isAtStart(bytes, "\x28\xb5\x2f\xfd") ||
  // A skippable frame, of which there are sixteen kinds.
  (isAtStart(bytes.subarray(1), "\x2a\x4d\x18") && (bytes[0] ?? 0) >> 4 === 5);

/** Whether bytes begin like a compressed file that the readers accept. */
export const isCompressed = (head: Uint8Array): boolean => isGzip(head) || isZstd(head);

/** The format of bytes that are not text, as the end of an error; `undefined` if they may be text. */
export function notText(bytes: Uint8Array): string | undefined {
  const found = SIGNATURES.find((each) => isAtStart(bytes, each.bytes));
  return found && `is ${found.what}, not text; ${found.advice}`;
}

/** The encoding that a byte order mark names, other than UTF-8; `undefined` if there is none. */
export const markedEncoding = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined =>
  isAtStart(bytes, "\xff\xfe") ? "utf-16le" : isAtStart(bytes, "\xfe\xff") ? "utf-16be" : undefined;
