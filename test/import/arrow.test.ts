// Arrow files and streams of other programs, read by flechette: columns of each type, without losing a digit.

import * as flechette from "@uwdata/flechette";
import * as apache from "apache-arrow";
import { vectorFromArray } from "apache-arrow";
import polars from "nodejs-polars";
import { describe, expect, test } from "vitest";
import { FileError, openCollection, saveCollection } from "../../src/arrow/index.ts";
import { inferSchema, loadCollection, readArrow } from "../../src/import/index.ts";
import {
  boolean,
  createCollection,
  defineSchema,
  float,
  InputError,
  int,
  json,
  string,
} from "../../src/index.ts";
import type { ColumnNotice, Refused } from "../../src/import/index.ts";
import { NASTY_TEXTS } from "../arrow/fixtures.ts";
import { like } from "../likeness.ts";
import { Person } from "./nasty.ts";

/** A file and a stream of these columns, the stream in two batches. */
function filesOf(columns: Record<string, apache.Vector>): Uint8Array[] {
  const table = new apache.Table(columns);
  const several = table.slice(0, 1).concat(table.slice(1));
  return [apache.tableToIPC(table, "file"), apache.tableToIPC(several, "stream")];
}

/** What is inferred of a column, and its values as records have them. */
function read(values: apache.Vector) {
  const [found] = filesOf({ values }).map((bytes) => {
    const schema = inferSchema(readArrow(flechette, bytes));
    const records = loadCollection(schema, readArrow(flechette, bytes, { schema })).query();
    const { type, nullable } = schema.fields.values ?? {};
    return { type, nullable, values: records.map((record) => record.values) };
  });
  return found;
}

const big = 2n ** 60n;
const day = 86_400_000;

describe("a column is inferred and read", () => {
  test.each<[string, apache.Vector, string, unknown[]]>([
    ["int8", vectorFromArray([1, -128], new apache.Int8()), "int", [1, -128]],
    ["uint32", vectorFromArray([0, 2 ** 32 - 1], new apache.Uint32()), "int", [0, 2 ** 32 - 1]],
    ["int64", vectorFromArray([1n, -5n], new apache.Int64()), "int", [1, -5]],
    [
      "int64 beyond 2^53",
      vectorFromArray([big, 1n], new apache.Int64()),
      "string",
      [`${big}`, "1"],
    ],
    ["float64", vectorFromArray([0.5, 1e300], new apache.Float64()), "float", [0.5, 1e300]],
    ["float32", vectorFromArray([0.5, -1], new apache.Float32()), "float", [0.5, -1]],
    ["bool", vectorFromArray([true, false], new apache.Bool()), "boolean", [true, false]],
    ["utf8", vectorFromArray(["", "é\u{1f600}"], new apache.Utf8()), "string", ["", "é\u{1f600}"]],
    ["large utf8", vectorFromArray(["a", "b"], new apache.LargeUtf8()), "string", ["a", "b"]],
    [
      "dictionary",
      vectorFromArray(["a", "a"], new apache.Dictionary(new apache.Utf8(), new apache.Int16())),
      "string",
      ["a", "a"],
    ],
    [
      "date",
      vectorFromArray([new Date(19_782 * day), new Date(-day)], new apache.DateDay()),
      "string",
      ["2024-02-29", "1969-12-31"],
    ],
    [
      "time in microseconds",
      vectorFromArray([1n, 86_399_999_999n], new apache.TimeMicrosecond()),
      "string",
      ["00:00:00.000001", "23:59:59.999999"],
    ],
    [
      "time in seconds",
      vectorFromArray([0, 3661], new apache.TimeSecond()),
      "string",
      ["00:00:00", "01:01:01"],
    ],
    [
      "decimal",
      vectorFromArray(
        [Uint32Array.of(1050, 0, 0, 0), Uint32Array.of(-5, -1, -1, -1)],
        new apache.Decimal(2, 38),
      ),
      "float",
      [10.5, -0.05],
    ],
    [
      "list",
      vectorFromArray(
        [[1, 2], []],
        new apache.List(new apache.Field("item", new apache.Int32(), true)),
      ),
      "json",
      [[1, 2], []],
    ],
    [
      "struct with a timestamp and an integer beyond 2^53",
      vectorFromArray(
        [
          { at: big, n: big },
          { at: 0n, n: 1n },
        ],
        new apache.Struct([
          new apache.Field("n", new apache.Int64(), true),
          new apache.Field("at", new apache.Int64(), true),
        ]),
      ),
      "json",
      [
        { n: `${big}`, at: `${big}` },
        { n: 1, at: 0 },
      ],
    ],
  ])("%s", (_, vector, type, values) => {
    expect(read(vector)).toEqual({ type, nullable: false, values });
  });

  test("with null where a value has none", () => {
    const nothing = vectorFromArray([null, null], new apache.Null());
    expect(read(nothing)).toEqual({ type: "string", nullable: true, values: [null, null] });
    const some = vectorFromArray([null, 5], new apache.Int32());
    expect(read(some)).toEqual({ type: "int", nullable: true, values: [null, 5] });
  });

  test.each([
    [flechette.TimeUnit.SECOND, -1n, "1969-12-31T23:59:59"],
    [flechette.TimeUnit.MILLISECOND, 1n, "1970-01-01T00:00:00.001"],
    [flechette.TimeUnit.MICROSECOND, -1n, "1969-12-31T23:59:59.999999"],
    [flechette.TimeUnit.NANOSECOND, 1_700_000_000_123_456_789n, "2023-11-14T22:13:20.123456789"],
  ])("timestamps with the digits of unit %i", (unit, value, text) => {
    for (const [zone, end] of [
      [null, ""],
      ["UTC", "Z"],
    ] as const) {
      const type = flechette.timestamp(unit, zone);
      const column = flechette.columnFromValues([0], type);
      // Its builder takes milliseconds: the value is written in its place.
      const values = column.data[0]?.values;
      if (values instanceof BigInt64Array) values[0] = value;
      const bytes = flechette.tableToIPC(flechette.tableFromColumns({ at: column }), {
        format: "stream",
      });
      const [record] = readArrow(flechette, bytes ?? new Uint8Array(0));
      expect(record).toEqual({ at: text + end });
    }
  });
});

test("polars: views of strings, categories, integers of any width", () => {
  const texts = [...NASTY_TEXTS, null];
  const table = new apache.Table({ utf8: vectorFromArray(texts, new apache.Utf8()) });
  const frame = polars
    .readIPC(Buffer.from(apache.tableToIPC(table, "file")))
    .withColumns(polars.col("utf8").cast(polars.Categorical).alias("category"));
  const records = [...readArrow(flechette, frame.writeIPC())];
  const unmarked = texts.map((text) => text?.replace(/^\uFEFF/u, "") ?? null);
  expect(records.map(({ utf8 }) => utf8)).toEqual(unmarked);
  expect(records.map(({ category }) => category)).toEqual(unmarked);
});

test("columns that no field holds are left out with a notice, and are unknown to a schema", () => {
  const union = flechette.union(
    flechette.UnionMode.Dense,
    [flechette.int32(), flechette.utf8()],
    undefined,
    () => 0,
  );
  const bytes = flechette.tableToIPC(
    flechette.tableFromColumns({
      id: flechette.columnFromArray(Int32Array.of(1, 2)),
      any: flechette.columnFromArray([1, 2], union),
    }),
    { format: "stream" },
  );
  const notices: ColumnNotice[] = [];
  const options = { onNotice: (notice: ColumnNotice) => notices.push(notice) };
  const schema = inferSchema(readArrow(flechette, bytes ?? new Uint8Array(0), options));
  expect(Object.keys(schema.fields)).toEqual(["id"]);
  expect(notices).toEqual([
    { column: "any", reason: "is left out: it is a union, which no field can hold" },
  ]);
  for (const given of [{}, { schema }]) {
    const read = readArrow(flechette, bytes ?? new Uint8Array(0), given);
    expect([...read]).toEqual([{ id: 1 }, { id: 2 }]);
  }
});

test("columns are mapped, and rows refused with their number", () => {
  const file = flechette.tableToIPC(
    flechette.tableFromArrays({
      nr: Float64Array.of(1, 2.5, 3),
      label: ["a", "b", "c"],
      other: Int32Array.of(1, 2, 3),
    }),
    { format: "file" },
  );
  const columns = { nr: "id", label: "name" };
  const refused: Refused[] = [];
  const reading = readArrow(flechette, file ?? new Uint8Array(0), {
    schema: Person,
    columns,
    otherColumns: "ignore",
    skipInvalid: (each) => refused.push(each),
  });
  expect(Array.from(reading, ({ id, name }) => [id, name, reading.place])).toEqual([
    [1, "a", "row 1"],
    [3, "c", "row 3"],
  ]);
  expect(refused.map(({ place, reason }) => [place, reason.slice(0, 22)])).toEqual([
    ["row 2", "id: must be an integer"],
  ]);
  expect(() => [
    ...readArrow(flechette, file ?? new Uint8Array(0), { schema: Person, columns }),
  ]).toThrow(like(new InputError("columns", 'the column "other" is not a field')));
});

test("a saved collection is read as it is, with a U+FEFF that other readers drop", () => {
  const Row = defineSchema({
    id: int({ unique: true }),
    text: string({ ignoreCase: true, nullable: true }),
    share: float(),
    is: boolean(),
    more: json({ nullable: true }),
  });
  const records = [
    { id: 1, text: "\uFEFFÄ", share: 0.5, is: true, more: { a: [1] } },
    { id: 2, text: null, share: 2, is: false, more: null },
  ];
  const saved = saveCollection(createCollection(Row, records as never));
  expect([...readArrow(flechette, saved)]).toEqual(records);
  const schema = inferSchema(readArrow(flechette, saved));
  expect(schema.fields).toEqual(Row.fields);
});

test("openCollection says what reads a file of another program", () => {
  const [file = new Uint8Array(0)] = filesOf({ id: vectorFromArray([1], new apache.Int32()) });
  expect(() => openCollection(file)).toThrow(
    new FileError(
      "file",
      "is an Arrow file written by another program; read it with readArrow of tercet/import",
      { code: "unsupported" },
    ),
  );
});

test("what is damaged, something else or too large is an error of the source", () => {
  const [file = new Uint8Array(0), stream = new Uint8Array(0)] = filesOf({
    id: vectorFromArray([1, 2, 3], new apache.Int32()),
  });
  const cut = [file.subarray(0, 40), stream.subarray(0, stream.length / 2), Buffer.from("id\n1\n")];
  for (const bytes of cut) {
    expect(() => [...readArrow(flechette, bytes)]).toThrow(/^source: can't be read as Arrow: /);
  }
  const most = { maxBytes: file.length };
  expect([...readArrow(flechette, file, most)]).toHaveLength(3);
  expect(() => readArrow(flechette, file, { maxBytes: file.length - 1 })).toThrow(
    `source: has ${file.length} bytes, more than options.maxBytes ${file.length - 1}`,
  );
});
