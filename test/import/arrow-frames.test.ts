// The framing of Arrow files and streams: compressed, truncated, without an end, big-endian.

import * as flechette from "@uwdata/flechette";
import fc from "fast-check";
import { Builder } from "flatbuffers";
import { describe, expect, test } from "vitest";
import { inferSchema, readArrow } from "../../src/import/index.ts";
import { settings } from "../property.ts";

const column = fc.array(fc.option(fc.string()), { minLength: 1, maxLength: 30 });
type Texts = readonly (string | null)[];

function bytesOf(texts: Texts, format: "file" | "stream", codec?: 0 | 1): Uint8Array {
  const table = flechette.tableFromArrays({ t: [...texts] }, { types: { t: flechette.utf8() } });
  return flechette.tableToIPC(table, { format, ...(codec !== undefined && { codec }) }) ?? NONE;
}

const NONE = new Uint8Array(0);
const recordsOf = (texts: Texts) => texts.map((t) => ({ t: t?.replace(/^\uFEFF/u, "") ?? null }));

/** Bytes as a frame of LZ4 that does not compress them. */
function stored(bytes: Uint8Array): Uint8Array {
  const head = [4, 0x22, 0x4d, 0x18, 0x60, 0x40, 0];
  const frame = new Uint8Array(head.length + 4 + bytes.length + 4);
  frame.set(head);
  new DataView(frame.buffer).setUint32(head.length, 0x8000_0000 + bytes.length, true);
  frame.set(bytes, head.length + 4);
  return frame;
}

test("of a stream that is cut off, whole records are read or none", () => {
  fc.assert(
    fc.property(column, (texts) => {
      const stream = bytesOf(texts, "stream");
      for (let end = 0; end < stream.length; end++) {
        try {
          const records = [...readArrow(flechette, stream.subarray(0, end))];
          // A stream may end without saying so, after its schema or its records.
          expect([[], recordsOf(texts)]).toContainEqual(records);
        } catch (error) {
          expect(String(error)).toMatch(/^InputError: source: can't be read as Arrow: /);
        }
      }
      expect([...readArrow(flechette, stream.subarray(0, -8))]).toEqual(recordsOf(texts));
    }),
    settings(10),
  );
});

test("a file that is cut off is an error", () => {
  const file = bytesOf(["a", null], "file");
  for (let end = 0; end < file.length; end++) {
    expect(() => [...readArrow(flechette, file.subarray(0, end))]).toThrow(
      /^source: can't be read as Arrow: /,
    );
  }
});

/** A stream whose only message is a schema of a byte order. */
function streamOf(endianness: 0 | 1): Uint8Array {
  const builder = new Builder();
  builder.startObject(4);
  builder.addFieldInt16(0, endianness, -1);
  const schema = builder.endObject();
  builder.startObject(5);
  builder.addFieldInt8(1, 1, 0);
  builder.addFieldOffset(2, schema, 0);
  builder.finish(builder.endObject());
  const message = builder.asUint8Array();
  const bytes = new Uint8Array(8 + message.length + 8).fill(255, 0, 4);
  new DataView(bytes.buffer).setInt32(4, message.length, true);
  bytes.set(message, 8);
  bytes.fill(255, bytes.length - 8, bytes.length - 4);
  return bytes;
}

test("big-endian is an error that says so", () => {
  expect([...readArrow(flechette, streamOf(0))]).toEqual([]);
  expect(() => [...readArrow(flechette, streamOf(1))]).toThrow(
    "source: is big-endian Arrow; write it little-endian to read it",
  );
});

describe("compressed columns", () => {
  test("LZ4 needs no function, and Zstandard that of the caller or of flechette", () => {
    const before = flechette.getCompressionCodec(0);
    for (const codec of [0, 1] as const) {
      const encode = (bytes: Uint8Array) => (codec === 0 ? stored(bytes) : bytes);
      const texts = Array.from({ length: 500 }, (_, i) => `text ${i}`);
      flechette.setCompressionCodec(codec, { encode, decode: (bytes) => bytes });
      const bytes = bytesOf(texts, "stream", codec);
      flechette.setCompressionCodec(codec, null as never);
      const compressors = codec === 0 ? {} : { ZSTD: (bytes: Uint8Array) => bytes };
      expect([...readArrow(flechette, bytes, { compressors })]).toEqual(recordsOf(texts));
      expect(flechette.getCompressionCodec(codec)).toBe(null);
    }
    expect(flechette.getCompressionCodec(0)).toBe(before);
  });
});

test("columns of one name get others, with a notice", () => {
  const bytes = bytesOf(["a"], "stream");
  const table = flechette.tableFromIPC(bytes);
  const twice = {
    numRows: 1,
    schema: { fields: ["t", "t", "", "t_2"].map((name) => ({ name, type: flechette.utf8() })) },
    getChildAt: () => table.getChildAt(0),
  };
  const notices: string[] = [];
  const schema = inferSchema(
    readArrow({ ...flechette, tableFromIPC: () => twice }, bytes, {
      onNotice: ({ column, reason }) => notices.push(`${column} ${reason}`),
    }),
  );
  expect(Object.keys(schema.fields)).toEqual(["t", "t_3", "column_3", "t_2"]);
  expect(notices).toEqual([
    't_3 has the name "t", which an earlier column has',
    "column_3 has no name",
  ]);
});
