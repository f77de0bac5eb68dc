// Files of other tools: values of each type of Arrow that a field takes, and messages that do not fit their
// columns, each an error that names the part.

import * as apache from "apache-arrow";
import type { Builder, Offset } from "flatbuffers";
import { describe, expect, test } from "vitest";
import { FileError, openCollection } from "../../src/arrow/index.ts";
import { boolean, defineSchema, float, int, string } from "../../src/index.ts";
import { thrownBy } from "../rules/fixtures.ts";
import {
  encoding,
  fieldTable,
  foreignFile,
  intType,
  types,
  type FieldParts,
  type FileParts,
  type Message,
} from "./foreign-file.ts";

const { vectorFromArray, Table, tableToIPC } = apache;

/** Of more rows than a byte has bits, with null here and there. */
const sparse = <Value>(values: readonly Value[]) =>
  Array.from({ length: 21 }, (_, i) => (i % 4 === 2 ? null : (values[i % values.length] ?? null)));

const BIG = 2n ** 53n - 1n;
const TYPES: Readonly<Record<string, [apache.DataType, readonly unknown[]]>> = {
  booleans: [new apache.Bool(), sparse([true, false, false])],
  int8: [new apache.Int8(), sparse([0, -128, 127])],
  int16: [new apache.Int16(), sparse([0, -32_768, 32_767])],
  int32: [new apache.Int32(), sparse([0, -(2 ** 31), 2 ** 31 - 1])],
  int64: [new apache.Int64(), sparse([0n, -BIG, BIG])],
  uint8: [new apache.Uint8(), sparse([0, 128, 255])],
  uint16: [new apache.Uint16(), sparse([0, 32_768, 65_535])],
  uint32: [new apache.Uint32(), sparse([0, 2 ** 31, 2 ** 32 - 1])],
  uint64: [new apache.Uint64(), sparse([0n, 1n, BIG])],
  float32: [new apache.Float32(), sparse([0, -1.5, 2 ** 100])],
  float64: [new apache.Float64(), sparse([0, -1e-300, 0.1])],
  utf8: [new apache.Utf8(), sparse(["", "é", "\u{1f600}x"])],
  large: [new apache.LargeUtf8(), sparse(["", "é", "\u{1f600}x"])],
  coded: [new apache.Dictionary(new apache.Utf8(), new apache.Int8()), sparse(["b", "a", ""])],
};

const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

test.each(Object.entries(TYPES))(
  "%s have their values, in one batch or several",
  (name, [type, values]) => {
    const whole = new Table({ [name]: vectorFromArray(values, type) });
    const pieces = whole.slice(0, 3).concat(whole.slice(3, 3), whole.slice(3));
    for (const table of [whole, pieces]) {
      const opened = openCollection(tableToIPC(table, "file"));
      expect(opened.query().map((record) => record[name])).toEqual(values.map(plain));
    }
  },
);

test("columns that a schema lacks are passed over, whatever their types are", () => {
  const vectors = Object.entries(TYPES).map(([name, [type, values]]) => [
    name,
    vectorFromArray(values, type),
  ]);
  const all = new Table({
    ...(Object.fromEntries(vectors) as Record<string, apache.Vector>),
    last: vectorFromArray(sparse(["z"]), new apache.Utf8()),
  });
  const bytes = tableToIPC(all, "file");
  const schema = defineSchema({ last: string({ nullable: true }) });
  expect(openCollection(bytes, { schema }).query()).toEqual(
    sparse(["z"]).map((last) => ({ last })),
  );
});

test("values go into the field of a schema, or are an error with the row", () => {
  const bytes = tableToIPC(
    new Table({ n: vectorFromArray([1, 2, 300], new apache.Float64()) }),
    "file",
  );
  expect(openCollection(bytes, { schema: defineSchema({ n: int() }) }).at(2)).toEqual({ n: 300 });
  expect(openCollection(bytes, { schema: defineSchema({ n: float() }) }).at(2)).toEqual({ n: 300 });
  expect(() => openCollection(bytes, { schema: defineSchema({ n: boolean() }) })).toThrow(
    "records[0].n: ",
  );
});

const named = (builder: Builder, parts: Omit<FieldParts, "name">, name = "c") =>
  fieldTable(builder, { ...parts, name: builder.createString(name) });
const int8s = (builder: Builder) => [
  named(builder, { type: types.int, detail: intType(builder, 8) }),
];
const ints = (bits: number) => (builder: Builder) => [
  named(builder, { type: types.int, detail: intType(builder, bits) }),
];
const coded = (builder: Builder) => [
  named(builder, { type: types.utf8, dictionary: encoding(builder, 7, 8) }),
];
const of = (type: number) => (builder: Builder) => [named(builder, { type })];
const BODY = Uint8Array.from({ length: 64 }, (_, i) => i + 1);
const batch = (message: Partial<Message>): Message => ({
  rows: 3,
  nodes: [[3, 0]],
  buffers: [
    [0, 0],
    [0, 3],
  ],
  body: BODY,
  ...message,
});
const file = (
  fields: (builder: Builder) => readonly Offset[],
  message: Partial<Message>,
  more: Partial<FileParts> = {},
) => foreignFile({ fields, records: [batch(message)], ...more });
/** Offsets of texts, and their bytes. */
const texts = (offsets: readonly number[], bytes: readonly number[] = [0x61, 0x62, 0x63, 0x64]) => {
  const body = new Uint8Array(32);
  new Int32Array(body.buffer, 0, offsets.length).set(offsets);
  body.set(bytes, 16);
  const buffers = [
    [0, 0],
    [0, 4 * offsets.length],
    [16, bytes.length],
  ] as const;
  return { body, buffers };
};
const dictionary: Message = { rows: 3, nodes: [[3, 0]], id: 7, ...texts([0, 1, 1, 3]) };

describe("what fits", () => {
  test.each<[string, Uint8Array, readonly unknown[]]>([
    ["integers", file(int8s, {}), [1, 2, 3]],
    [
      "fewer of them than bytes",
      file(int8s, {
        rows: 2,
        nodes: [[2, 0]],
        buffers: [
          [0, 0],
          [8, 2],
        ],
      }),
      [9, 10],
    ],
    [
      "null by its bit",
      file(int8s, {
        nodes: [[3, 2]],
        buffers: [
          [0, 1],
          [8, 3],
        ],
      }),
      [9, null, null],
    ],
    [
      "no rows",
      file(int8s, {
        rows: 0,
        nodes: [[0, 0]],
        buffers: [
          [0, 0],
          [0, 0],
        ],
      }),
      [],
    ],
    ["texts", file(of(types.utf8), texts([0, 1, 1, 3])), ["a", "", "bc"]],
    [
      "texts by a dictionary",
      file(
        coded,
        {
          buffers: [
            [0, 0],
            [0, 3],
          ],
          body: Uint8Array.of(2, 0, 2),
        },
        { dictionaries: [dictionary] },
      ),
      ["bc", "a", "bc"],
    ],
    [
      "a dictionary with more of it",
      file(
        coded,
        {
          buffers: [
            [0, 0],
            [0, 3],
          ],
          body: Uint8Array.of(3, 0, 5),
        },
        { dictionaries: [dictionary, { ...dictionary, isDelta: true }] },
      ),
      ["a", "a", "bc"],
    ],
  ])("%s", (_, bytes, values) => {
    expect(
      openCollection(bytes)
        .query()
        .map(({ c }) => c),
    ).toEqual(values);
  });
});

describe("what does not fit is refused, with the part", () => {
  test.each<[string, string, Uint8Array]>([
    ["batch 0", "fewer values than rows", file(int8s, { nodes: [[2, 0]] })],
    ["batch 0", "more values than rows", file(int8s, { nodes: [[4, 0]] })],
    ["batch 0", "no array", file(int8s, { nodes: [] })],
    ["batch 0", "a negative number of rows", file(int8s, { rows: -1, nodes: [[-1, 0]] })],
    [
      "batch 0",
      "a buffer that is too short",
      file(int8s, {
        buffers: [
          [0, 0],
          [0, 2],
        ],
      }),
    ],
    [
      "batch 0",
      "a buffer that leads out of the body",
      file(int8s, {
        buffers: [
          [0, 0],
          [62, 3],
        ],
      }),
    ],
    [
      "batch 0",
      "a buffer before the body",
      file(int8s, {
        buffers: [
          [0, 0],
          [-1, 3],
        ],
      }),
    ],
    [
      "batch 0",
      "a buffer of a negative length",
      file(int8s, {
        rows: 0,
        nodes: [[0, 0]],
        buffers: [
          [0, 0],
          [8, -1],
        ],
      }),
    ],
    ["batch 0", "no buffer", file(int8s, { buffers: [] })],
    [
      "batch 0",
      "bits of null that are too few",
      file(int8s, {
        nodes: [[3, 1]],
        buffers: [
          [0, 0],
          [0, 3],
        ],
      }),
    ],
    ["batch 0", "views of buffers that are not there", file(of(types.utf8View), { views: [9] })],
    ["batch 0", "a negative number of buffers of views", file(of(types.utf8View), { views: [-1] })],
    ["footer", "no column", foreignFile({ fields: () => [] })],
    [
      "footer",
      "integers of 24 bits",
      file(ints(24), {
        buffers: [
          [0, 0],
          [0, 9],
        ],
      }),
    ],
    ["column c", "a type that no field has", file(of(types.struct), {})],
    ["column c", "floating-point numbers of 16 bits", file(of(3), {})],
    ["column c", "texts whose offsets go back", file(of(types.utf8), texts([0, 2, 1, 3]))],
    ["column c", "texts that lead out of their bytes", file(of(types.utf8), texts([0, 1, 1, 5]))],
    ["column c", "texts before their bytes", file(of(types.utf8), texts([-1, 1, 1, 3]))],
    [
      "column c",
      "texts that are not UTF-8",
      file(of(types.utf8), texts([0, 1, 1, 2], [0x61, 0xff, 0x61, 0x61])),
    ],
  ])("%s: %s", (section, _, bytes) => {
    expect(thrownBy(FileError, () => openCollection(bytes)).section).toBe(section);
  });

  test.each<[string, Uint8Array]>([
    [
      "codes beyond the dictionary",
      file(coded, { body: Uint8Array.of(0, 3, 0) }, { dictionaries: [dictionary] }),
    ],
    [
      "codes below 0",
      file(coded, { body: Uint8Array.of(0, 255, 0) }, { dictionaries: [dictionary] }),
    ],
    ["a dictionary that is not there", file(coded, {})],
    [
      "a dictionary of another number",
      file(coded, {}, { dictionaries: [{ ...dictionary, id: 8 }] }),
    ],
  ])("%s", (_, bytes) => {
    expect(() => openCollection(bytes)).toThrow(FileError);
  });
});

describe("where the footer says that a message is", () => {
  /** The blocks of a file: each says where a message begins, and how long its parts are. */
  function blocksOf(bytes: Uint8Array): number[] {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const found: number[] = [];
    for (let at = bytes.length - 34; at > 0; at--) {
      const offset = view.getBigInt64(at, true);
      const metadata = view.getInt32(at + 8, true);
      const isMessage =
        offset >= 8n && offset < at && view.getUint32(Number(offset), true) === 0xffffffff;
      if (isMessage && metadata === view.getInt32(Number(offset) + 4, true) + 8) found.push(at);
    }
    return found;
  }

  type Change = (view: DataView, at: number) => void;
  const changed = (change: Change) => {
    const bytes = Uint8Array.from(file(int8s, {}));
    const [at = 0, ...others] = blocksOf(bytes);
    expect(others).toEqual([]);
    change(new DataView(bytes.buffer), at);
    return bytes;
  };

  test.each<[string, Change]>([
    ["before the first", (view, at) => view.setBigInt64(at, 0n, true)],
    ["below 0", (view, at) => view.setBigInt64(at, -8n, true)],
    ["beyond the end", (view, at) => view.setBigInt64(at, BigInt(view.byteLength), true)],
    ["farther than a number can say", (view, at) => view.setBigInt64(at, 2n ** 60n, true)],
    ["at no message", (view, at) => view.setBigInt64(at, 16n, true)],
    ["with no length", (view, at) => view.setInt32(at + 8, 4, true)],
    ["with a negative length", (view, at) => view.setInt32(at + 8, -8, true)],
    ["with a body of a negative length", (view, at) => view.setBigInt64(at + 16, -1n, true)],
    [
      "with a body that is too long",
      (view, at) => view.setBigInt64(at + 16, BigInt(view.byteLength), true),
    ],
    ["with no body", (view, at) => view.setBigInt64(at + 16, 0n, true)],
  ])("%s is none", (_, change) => {
    const section = thrownBy(FileError, () => openCollection(changed(change))).section;
    expect(["footer", "batch 0"]).toContain(section);
  });

  test("another kind of message is none", () => {
    const parts = { dictionaries: [dictionary] };
    const bytes = Uint8Array.from(file(coded, { body: Uint8Array.of(0, 1, 2) }, parts));
    const [first = 0, second = 0] = blocksOf(bytes);
    bytes.copyWithin(first, second, second + 24);
    expect(() => openCollection(bytes)).toThrow(FileError);
  });
});

test("a schema in the notes that is no JSON is an error of the schema", () => {
  const schemaMetadata = (builder: Builder) =>
    [[builder.createString("tercet.schema"), builder.createString("{")]] as const;
  const bytes = file(int8s, {}, { schemaMetadata });
  expect(thrownBy(FileError, () => openCollection(bytes)).section).toBe("schema");
});
