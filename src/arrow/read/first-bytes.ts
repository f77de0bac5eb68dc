// Identifies other file formats by their first bytes, and names what reads them.

const KINDS: readonly (readonly [begins: string, kind: string])[] = [
  ["PAR1", "a Parquet file: readParquet() of tercet/import reads it"],
  ["PK\u0003\u0004", "a zip archive: unpack it first"],
  ["\u001f\u008b", "gzip: unpack it first"],
  ["SQLite format 3\0", "a SQLite database: query it by tercet/sql"],
  ["\u00ff\u00ff\u00ff\u00ff", "an Arrow stream: readArrow() of tercet/import reads it"],
];

/** The end of an error about a file that starts with these bytes; an empty string if they are not recognized. */
export function kindOf(first: Uint8Array): string {
  if (first.length === 0) return ": it is empty";
  const text = String.fromCharCode(...first);
  const kind = KINDS.find(([begins]) => text.startsWith(begins))?.[1] ?? textKindOf(first);
  return kind === undefined ? "" : `: it is ${kind}`;
}

function textKindOf(first: Uint8Array): string | undefined {
  if (first.some((byte) => byte < 0x20 && !isSpace(byte))) return undefined;
  return /^\s*[[{]/.test(new TextDecoder().decode(first))
    ? "JSON: the readers of tercet/import read it"
    : "text: if it is CSV, readCsv() of tercet/import reads it";
}

/** A tab, or the end of a line. */
const isSpace = (byte: number) => byte === 9 || byte === 10 || byte === 13;
