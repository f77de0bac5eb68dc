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

test("a column of nothing but null has no arrays to pass over", () => {
  const bytes = foreignFile({
    fields: (builder) => [named(builder, { type: types.null }, "n"), ...int8s(builder)],
    records: [
      batch({
        nodes: [
          [3, 3],
          [3, 0],
        ],
      }),
    ],
  });
  const schema = defineSchema({ c: int() });
  expect(openCollection(bytes, { schema }).query()).toEqual([{ c: 1 }, { c: 2 }, { c: 3 }]);
});

test("a column without a name is called by no letter", () => {
  const fields = (builder: Builder) => [
    fieldTable(builder, { type: types.int, detail: intType(builder, 8) }),
  ];
  expect(openCollection(file(fields, {})).at(0)).toEqual({ "": 1 });
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
const int8s = (builder: Builder, name = "c") => [
  named(builder, { type: types.int, detail: intType(builder, 8) }, name),
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
/** Arrays without bits of null. */
const arrays = (...all: readonly (readonly [number, number])[]) => ({
  buffers: all.flatMap((each) => [[0, 0], each] as const),
});
/** Views of texts: their lengths, the numbers of their buffers and where they begin there, of 64 bytes. */
const views = (all: readonly (readonly [number, number, number])[], counts = [1]) => {
  const body = new Uint8Array(48 + 64).fill(0x61);
  const view = new DataView(body.buffer);
  for (const [row, [length, number, from]] of all.entries()) {
    view.setInt32(16 * row, length, true);
    view.setInt32(16 * row + 8, number, true);
    view.setInt32(16 * row + 12, from, true);
  }
  return { body, views: counts, buffers: [...arrays([0, 48]).buffers, [48, 64] as const] };
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
      "texts of no rows, without an offset",
      file(of(types.utf8), { rows: 0, nodes: [[0, 0]], ...arrays([0, 0], [0, 0]) }),
      [],
    ],
    [
      "views of short texts and long ones, of one twice",
      file(
        of(types.utf8View),
        views([
          [12, 0, 0],
          [13, 0, 51],
          [13, 0, 51],
        ]),
      ),
      [`aaaa${"\0".repeat(8)}`, "a".repeat(13), "a".repeat(13)],
    ],
    [
      "nothing but null, of any number of rows",
      file(of(types.null), { nodes: [[3, 3]], buffers: [] }),
      [null, null, null],
    ],
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
      "texts by a dictionary with codes of 32 bits, as they are where nothing is said",
      file(
        (builder) => [named(builder, { type: types.utf8, dictionary: encoding(builder, 7) })],
        { ...arrays([0, 12]), body: new Uint8Array(Int32Array.of(2, 0, 2).buffer) },
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

const LENGTH = "has an array that is not as long as its rows";
const OUT = "has an array that leads out of it";
const STRING = "has a string that leads out of its bytes";
const VIEWS = "has views of missing buffers";
const CODE = "has a code that is not in its dictionary";
type Refused = [what: string, section: string, reason: string, bytes: Uint8Array];

describe("what does not fit is refused, with the part and the reason", () => {
  test.each<Refused>([
    ["fewer values than rows", "batch 0", LENGTH, file(int8s, { nodes: [[2, 0]] })],
    ["more values than rows", "batch 0", LENGTH, file(int8s, { nodes: [[4, 0]] })],
    ["no array", "batch 0", LENGTH, file(int8s, { nodes: [] })],
    [
      "rows below 0",
      "batch 0",
      "claims a negative number of rows",
      file(int8s, { rows: -1, nodes: [[-1, 0]] }),
    ],
    ["a buffer too short", "batch 0", OUT, file(int8s, arrays([0, 2]))],
    ["a buffer beyond the body", "batch 0", OUT, file(int8s, arrays([62, 3]))],
    ["a buffer before the body", "batch 0", OUT, file(int8s, arrays([-1, 3]))],
    [
      "a buffer of a length below 0",
      "batch 0",
      OUT,
      file(int8s, { rows: 0, nodes: [[0, 0]], ...arrays([8, -1]) }),
    ],
    ["no buffer", "batch 0", OUT, file(int8s, { buffers: [] })],
    ["too few bits of null", "batch 0", OUT, file(int8s, { nodes: [[3, 1]] })],
    [
      "arrays in the same bytes",
      "batch 0",
      "has arrays that overlap",
      file((builder) => [...int8s(builder), ...int8s(builder, "d")], {
        nodes: [
          [3, 0],
          [3, 0],
        ],
        ...arrays([0, 60], [0, 60]),
      }),
    ],
    ["too many buffers of views", "batch 0", VIEWS, file(of(types.utf8View), views([], [9]))],
    ["buffers of views below 0", "batch 0", VIEWS, file(of(types.utf8View), views([], [-1]))],
    ...["LZ4", "Zstandard", "another codec"].map((name, codec): Refused => [
      "compressed arrays",
      "batch 0",
      `is compressed by ${name}; write it without compression`,
      file(int8s, { codec }),
    ]),
    [
      "a dictionary of nothing",
      "dictionary 0",
      "has no values",
      file(coded, {}, { dictionaries: [{ ...dictionary, isBare: true }] }),
    ],
    ["no column", "footer", "has no column", foreignFile({ fields: () => [] })],
    ["no schema", "footer", "has no schema", file(int8s, {}, { endianness: undefined })],
    [
      "big-endian numbers",
      "footer",
      "says that numbers are big-endian",
      file(int8s, {}, { endianness: 1 }),
    ],
    [
      "two columns of a name",
      "footer",
      "has a name twice",
      file((builder) => [...int8s(builder), ...int8s(builder)], {}),
    ],
    ["integers of 24 bits", "footer", "has integers of 24 bits", file(ints(24), arrays([0, 9]))],
    ["a struct", "column c", "is of a type that no field has", file(of(types.struct), {})],
    [
      "floating-point numbers of 16 bits",
      "column c",
      "has floating-point numbers of 16 bits",
      file(of(3), {}),
    ],
    ["offsets that go back", "column c", STRING, file(of(types.utf8), texts([0, 2, 1, 3]))],
    ["offsets beyond the bytes", "column c", STRING, file(of(types.utf8), texts([0, 1, 1, 5]))],
    ["offsets before the bytes", "column c", STRING, file(of(types.utf8), texts([-1, 1, 1, 3]))],
    [
      "a byte that is no text",
      "column c",
      "has a string that is not UTF-8",
      file(of(types.utf8), texts([0, 1, 1, 2], [0x61, 0xff, 0x61, 0x61])),
    ],
    [
      "a view beyond its buffer",
      "column c",
      STRING,
      file(of(types.utf8View), views([[13, 0, 52]])),
    ],
    [
      "a view before its buffer",
      "column c",
      STRING,
      file(of(types.utf8View), views([[13, 0, -1]])),
    ],
    ["a view of no buffer", "column c", STRING, file(of(types.utf8View), views([[13, 1, 0]]))],
    ["a view of length −1", "column c", STRING, file(of(types.utf8View), views([[-1, 0, 0]]))],
    ...[3, 255].map((code): Refused => [
      `the code ${code} of a dictionary of three`,
      "column c",
      CODE,
      file(coded, { body: Uint8Array.of(0, code, 0) }, { dictionaries: [dictionary] }),
    ]),
    ["a dictionary that is not there", "column c", CODE, file(coded, {})],
    [
      "a dictionary of another number",
      "column c",
      CODE,
      file(coded, {}, { dictionaries: [{ ...dictionary, id: 8 }] }),
    ],
  ])("%s: %s %s", (_, section, reason, bytes) => {
    expect(thrownBy(FileError, () => openCollection(bytes))).toMatchObject({ section, reason });
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

  const NOWHERE = ["batch 0", "is not where the footer says"] as const;
  const OVERLAP = ["footer", "has blocks that overlap"] as const;
  const NO_MESSAGE = "is not the message that the footer names";

  test.each<[string, readonly [string, string], Change]>([
    ["before the first", NOWHERE, (view, at) => view.setBigInt64(at, 0n, true)],
    ["below 0", NOWHERE, (view, at) => view.setBigInt64(at, -8n, true)],
    ["beyond the end", NOWHERE, (view, at) => view.setBigInt64(at, BigInt(view.byteLength), true)],
    [
      "farther than a number can say",
      ["footer", "is damaged"],
      (view, at) => view.setBigInt64(at, 2n ** 60n, true),
    ],
    ["at no message", ["batch 0", NO_MESSAGE], (view, at) => view.setBigInt64(at, 16n, true)],
    ["with no length", NOWHERE, (view, at) => view.setInt32(at + 8, 4, true)],
    ["with a negative length", OVERLAP, (view, at) => view.setInt32(at + 8, -8, true)],
    [
      "with a body of a negative length",
      OVERLAP,
      (view, at) => view.setBigInt64(at + 16, -1n, true),
    ],
    [
      "with a body that is longer than the file",
      OVERLAP,
      (view, at) => view.setBigInt64(at + 16, BigInt(view.byteLength), true),
    ],
    [
      "with a body that leads out of the file",
      NOWHERE,
      (view, at) => {
        const metadata = view.getInt32(at + 8, true);
        view.setBigInt64(at, BigInt(view.byteLength - metadata), true);
      },
    ],
    ["with no body", ["batch 0", OUT], (view, at) => view.setBigInt64(at + 16, 0n, true)],
  ])("%s is none", (_, [section, reason], change) => {
    const refused = thrownBy(FileError, () => openCollection(changed(change)));
    expect(refused).toMatchObject({ section, reason });
  });

  test("another kind of message is none", () => {
    const parts = { dictionaries: [dictionary] };
    const bytes = Uint8Array.from(file(coded, { body: Uint8Array.of(0, 1, 2) }, parts));
    const [first = 0, second = 0] = blocksOf(bytes);
    bytes.copyWithin(first, second, second + 24);
    expect(thrownBy(FileError, () => openCollection(bytes))).toMatchObject({
      section: expect.stringMatching(/^(dictionary|batch) 0$/) as string,
      reason: NO_MESSAGE,
    });
  });
});

test("a schema in the notes that is no JSON is an error of the schema", () => {
  const schemaMetadata = (builder: Builder) =>
    [[builder.createString("tercet.schema"), builder.createString("{")]] as const;
  const bytes = file(int8s, {}, { schemaMetadata });
  expect(thrownBy(FileError, () => openCollection(bytes)).section).toBe("schema");
});
