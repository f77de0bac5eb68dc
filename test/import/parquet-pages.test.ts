// A page of a Parquet file that claims too many values is refused before memory is allocated for it.

import * as hyparquet from "hyparquet";
import * as writer from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { readParquet, type ParquetFile } from "../../src/import/index.ts";
import { InputError } from "../../src/index.ts";
import { parquetWithPage } from "./hostile-parquet.ts";

const reasonOf = async (bytes: ParquetFile | Uint8Array) => {
  const error: unknown = await readParquet(hyparquet, bytes)
    .collect()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InputError);
  return error as InputError;
};

describe("a page is refused", () => {
  const most = 2 ** 31 - 1;
  test.each([
    ["values", { kind: "data", values: most }, `${most} values, not up to 1`],
    ["values, as newer writers say it", { kind: "newer", values: most }, `${most} values`],
    ["values below none", { kind: "data", values: -1 }, "-1 values, not up to 1"],
    ["two values of one row", { kind: "newer", values: 2 }, "2 values, not up to 1"],
    ["nulls", { kind: "newer", values: 1, nulls: most }, `${most} nulls among 1 values`],
    [
      "nulls below none",
      { kind: "newer", values: 1, nulls: -most },
      `-${most} nulls among 1 values`,
    ],
    ["values in a dictionary", { kind: "dictionary", values: most }, "values, not up to 16777216"],
    ["values of lists", { kind: "data", values: most, isList: true }, "values, not up to 16777216"],
  ] as const)("with too many %s", async (_, page, reason) => {
    const error = await reasonOf(parquetWithPage(page));
    expect(error.path).toBe("columns.n");
    expect(error.reason).toContain(reason);
  });

  test("whatever else its header has", async () => {
    const junk = [
      [0x11], // true
      [0x12], // false
      [0x13, 200], // a byte
      [0x16, 0x80, 0x80, 0x01], // a long integer
      [0x17, 1, 2, 3, 4, 5, 6, 7, 8], // a double
      [0x18, 3, 1, 2, 3], // three bytes
      [0x19, 0x25, 2, 4], // two integers
      [0x19, 0x21, 1, 2], // two booleans
      [0x1c, 0x15, 2, 0], // a struct
    ].flat();
    const error = await reasonOf(parquetWithPage({ kind: "data", values: 9, junk }));
    expect(error).toMatchObject({ path: "columns.n" });
    expect(error.reason).toContain("9 values");
  });

  test.each([
    ["a field of an unknown type", [0x1f]],
    ["a text of no length", [0x18, 0xff, 0xff, 0xff, 0xff, 0x0f]],
    ["a list that never ends", [0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x07]],
  ])("with %s in its header", async (_, junk) => {
    const error = await reasonOf(parquetWithPage({ kind: "data", values: 1, junk }));
    expect(error).toMatchObject({ path: "source" });
  });

  test("that goes back", async () => {
    const error = await reasonOf(parquetWithPage({ kind: "data", values: 0, size: -20 }));
    expect(error).toMatchObject({ path: "source" });
  });
});

test("a file of several pages, columns and parts is read, also by ranges", async () => {
  const length = 25_000;
  const rows = Array.from({ length }, (_, i) => [i, i % 3 === 0 ? null : `n${i % 7}`, [i, i]]);
  const column = (at: number) => rows.map((row) => row[at]);
  const bytes = writer.parquetWriteBuffer({
    columnData: [
      { name: "id", data: column(0), type: "INT32" },
      { name: "name", data: column(1), type: "STRING" },
      { name: "list", data: column(2), type: "JSON" },
    ],
    rowGroupSize: 10_000,
    pageSize: 1000,
  });
  const asked: number[] = [];
  const file: ParquetFile = {
    byteLength: bytes.byteLength,
    slice: (start, end) => {
      asked.push(start);
      return Promise.resolve(bytes.slice(start, end));
    },
  };
  const read = await readParquet(hyparquet, file).collect();
  expect(read).toEqual(rows.map(([id, name, list]) => ({ id, name, list })));
  expect(asked.length).toBeGreaterThan(3);
});
