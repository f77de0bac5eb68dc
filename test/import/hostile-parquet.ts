// Makes a Parquet file with one row, whose only page has a header chosen by the test.

import * as writer from "hyparquet-writer";

export interface HostilePage {
  readonly kind: "data" | "dictionary" | "newer";
  /** How many values it says that it has. */
  readonly values: number;
  readonly nulls?: number;
  /** How many bytes it says that it has. Default: those up to the end. */
  readonly size?: number;
  /** Whether the column has lists, and so any number of values. */
  readonly isList?: boolean;
  /** Fields that come first, as bytes. */
  readonly junk?: readonly number[];
}

/** As Thrift's compact protocol writes an integer. */
function integer(value: number): number[] {
  const bytes: number[] = [];
  for (let left = ((value << 1) ^ (value >> 31)) >>> 0; ; left >>>= 7) {
    if (left < 128) return [...bytes, left];
    bytes.push((left & 127) | 128);
  }
}

/** A field that comes so many numbers after the last one. */
const field = (step: number, value: number) => [(step << 4) | 5, ...integer(value)];

/** The number of a kind of page, and how a header goes on with what it says of one. */
const KINDS = {
  data: [0, 5],
  dictionary: [2, 7],
  newer: [3, 8],
} as const;

export function parquetWithPage({ kind, junk = [], ...page }: HostilePage): Uint8Array {
  const { values, nulls = 0, isList = false } = page;
  const room = "x".repeat(200);
  const bytes = new Uint8Array(
    writer.parquetWriteBuffer({
      columnData: [
        isList ? { name: "n", data: [[room]] } : { name: "n", data: [room], type: "STRING" },
      ],
      ...(isList ? { schema: listOfTexts } : {}),
      codec: "UNCOMPRESSED",
      statistics: false,
    }),
  );
  // The pages come after the first four bytes, which name the format; the footer follows, whose length is
  // before the name at the end.
  const from = 4;
  const footer = new DataView(bytes.buffer).getUint32(bytes.length - 8, true);
  const to = bytes.length - 8 - footer;
  const [number, at] = KINDS[kind];
  const said = [...field(1, values), ...field(1, nulls)];
  const headerOf = (size: number) => [
    ...junk,
    // Numbered anew, because there may be others before it.
    ...[0x05, ...integer(1), ...integer(number)],
    ...field(1, size),
    ...field(1, size),
    ...[((at - 3) << 4) | 12, ...said, 0],
    0,
  ];
  const size = page.size ?? to - from - headerOf(100).length;
  bytes.fill(0, from, to);
  bytes.set(headerOf(size), from);
  return bytes;
}

const listOfTexts: writer.SchemaElement[] = [
  { name: "root", num_children: 1 },
  { name: "n", repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST" },
  { name: "list", repetition_type: "REPEATED", num_children: 1 },
  { name: "element", repetition_type: "OPTIONAL", type: "BYTE_ARRAY", converted_type: "UTF8" },
];
