// Malicious files: small and well-formed, but made to cost far more than their size. Each is refused
// with a typed error, or opened with work bounded by its length.

import type { Builder, Offset } from "flatbuffers";
import { describe, expect, test } from "vitest";
import { FileError, openCollection, saveCollection } from "../../src/arrow/index.ts";
import { openColumns } from "../../src/arrow/read/foreign.ts";
import { createCollection, defineSchema, int, string } from "../../src/index.ts";
import {
  emptyDeltas,
  fieldTable,
  foreignFile,
  intType,
  offsets,
  overlapping,
  types,
  type FileParts,
} from "./foreign-file.ts";
import { directoryOf, sealed } from "./sealed.ts";
import { counting } from "./work.ts";

/** No file takes more work than so much for each of its bytes, and for being opened at all. */
const WORK_PER_BYTE = 20;
const WORK_FOR_ANY = 20_000;

/** What opening a file comes to: a FileError or the number of rows. */
function outcomeOf(bytes: Uint8Array, open: (bytes: Uint8Array) => number): string | number {
  const { result, work } = counting(() => {
    try {
      return open(bytes);
    } catch (error) {
      if (error instanceof FileError) return error.message;
      throw error;
    }
  });
  expect(work).toBeLessThan(WORK_FOR_ANY + WORK_PER_BYTE * bytes.length);
  return result;
}

const opened = (bytes: Uint8Array) => openCollection(bytes).size;
/** With a schema whose columns the file has not: all are passed over. */
const passedOver = (bytes: Uint8Array) =>
  openCollection(bytes, { schema: defineSchema({ other: int({ default: 0 }) }, { form: "wire" }) })
    .size;
/** Nothing is kept of the rows, as an import does not. */
const counted = (bytes: Uint8Array) =>
  [
    ...openColumns({ size: bytes.length, read: (from, to) => bytes.subarray(from, to) }).batches(
      () => true,
    ),
  ]
    .map(({ rows }) => rows)
    .reduce((sum, rows) => sum + rows, 0);

const COUNT = 400;

/** One column of strings, so that what is beside it is looked at. */
const oneColumn = (builder: Builder) => [
  fieldTable(builder, { name: builder.createString("text"), type: types.utf8 }),
];

describe("offsets that lead to the same bytes", () => {
  const long = "n".repeat(20_000);
  const again = /^footer: has offsets that lead to the same bytes again and again/;
  const parts: Readonly<Record<string, [FileParts, string | RegExp]>> = {
    "one name for all fields": [
      {
        fields: (builder) => {
          const name = builder.createString(long);
          return Array.from({ length: COUNT }, () =>
            fieldTable(builder, { name, type: types.utf8 }),
          );
        },
      },
      "footer: has a name twice",
    ],
    "one field for all": [
      {
        fields: (builder) => new Array<Offset>(COUNT).fill(oneColumn(builder)[0] ?? 0),
      },
      "footer: has a name twice",
    ],
    "names that overlap": [
      {
        fields: (builder) =>
          overlapping(builder, 4 * COUNT).map((name) =>
            fieldTable(builder, { name, type: types.utf8 }),
          ),
      },
      again,
    ],
    "one text for all the schema notes": [
      {
        fields: oneColumn,
        schemaMetadata: (builder) => {
          const value = builder.createString(long);
          return Array.from({ length: COUNT }, (_, i) => [builder.createString(String(i)), value]);
        },
      },
      again,
    ],
    "names and values that overlap in what the footer notes": [
      {
        fields: oneColumn,
        metadata: (builder) => {
          const texts = overlapping(builder, 2 * COUNT);
          return texts.map((text, i) => [text, texts.at(-1 - i) ?? 0]);
        },
      },
      again,
    ],
  };
  test.each(Object.entries(parts))("%s", (_, [file, message]) => {
    for (const open of [opened, passedOver, counted]) {
      const outcome = outcomeOf(foreignFile(file), open);
      if (typeof message === "string") expect(outcome).toBe(message);
      else expect(outcome).toMatch(message);
    }
  });
});

test("fields that share their children: these are counted, and not read", () => {
  const bytes = foreignFile({
    fields: (builder) => {
      const detail = intType(builder, 32);
      const child = fieldTable(builder, { type: types.utf8, detail });
      const children = offsets(builder, new Array<Offset>(COUNT).fill(child));
      return Array.from({ length: COUNT }, (_, i) => {
        const name = builder.createString(String(i));
        return fieldTable(builder, { name, type: types.struct, detail, children });
      });
    },
    records: [{ rows: 1, nodes: [[1, 0]], body: new Uint8Array(8) }],
  });
  expect(outcomeOf(bytes, opened)).toBe("column 0: is of a type that no field has");
  expect(outcomeOf(bytes, passedOver)).toBe("column 0: is of a type that can't be skipped");
});

test("deltas of a dictionary, each of nothing", () => {
  expect(outcomeOf(emptyDeltas(), opened)).toBe(3);
});

describe("values that no byte stands for", () => {
  const tooMany = /^batches: have more than \d+ values that take no bytes/;
  const nulls = (columns: number, rows: number, body = 0): Uint8Array =>
    foreignFile({
      fields: (builder) =>
        Array.from({ length: columns }, (_, i) =>
          fieldTable(builder, { name: builder.createString(`n${i}`), type: types.null }),
        ),
      records: [
        {
          rows,
          nodes: Array.from({ length: columns }, () => [rows, rows] as const),
          body: new Uint8Array(body),
        },
      ],
    });

  test("a file of nothing but null may have as many as fit in a little memory", () => {
    expect(outcomeOf(nulls(1, 1000), opened)).toBe(1000);
    expect(openCollection(nulls(2, 3)).query()).toEqual(new Array(3).fill({ n0: null, n1: null }));
  });

  test("but no more: not by bytes that nothing reads, by columns, by batches or by rows alone", () => {
    const body = 1 << 16;
    for (const open of [opened, counted]) {
      expect(outcomeOf(nulls(1, 8 * (1 << 20), body), open)).toMatch(tooMany);
      expect(outcomeOf(nulls(100, 8 * body, body), open)).toMatch(tooMany);
    }
    expect(outcomeOf(nulls(1, 8 * (1 << 20), body), passedOver)).toMatch(tooMany);
    const batch = { rows: 8 * body, nodes: [[8 * body, 8 * body] as const] };
    const many = foreignFile({
      fields: (builder) => [
        fieldTable(builder, { name: builder.createString("n"), type: types.null }),
      ],
      records: [batch, batch, batch, batch],
    });
    expect(outcomeOf(many, counted)).toMatch(tooMany);
  });

  test("nor by fields that a schema within the file has beside its columns", () => {
    const fields = Array.from({ length: 2000 }, (_, i) => ({
      name: `f${i}`,
      type: "string",
      nullable: true,
      searchable: true,
      stored: true,
      unique: false,
      default: null,
    }));
    const rows = 1 << 10;
    const bytes = foreignFile({
      fields: (builder) => [
        fieldTable(builder, {
          name: builder.createString("f0"),
          type: types.int,
          detail: intType(builder, 8),
        }),
      ],
      schemaMetadata: (builder) => [
        [builder.createString("tercet.schema"), builder.createString(JSON.stringify(fields))],
      ],
      records: [
        {
          rows,
          nodes: [[rows, 0]],
          buffers: [
            [0, 0],
            [0, rows],
          ],
          body: new Uint8Array(rows),
        },
      ],
    });
    expect(outcomeOf(bytes, opened)).toMatch(tooMany);
  });
});

describe("arrays that overlap", () => {
  test("of many columns that are read from the same bytes", () => {
    const rows = 4096;
    const bytes = foreignFile({
      fields: (builder) => {
        const detail = intType(builder, 8);
        return Array.from({ length: COUNT }, (_, i) => {
          const name = builder.createString(String(i));
          return fieldTable(builder, { name, type: types.int, detail });
        });
      },
      records: [
        {
          rows,
          nodes: Array.from({ length: COUNT }, () => [rows, 0] as const),
          buffers: Array.from(
            { length: 2 * COUNT },
            (_, i) => [0, i % 2 === 0 ? 0 : rows] as const,
          ),
          body: new Uint8Array(rows),
        },
      ],
    });
    expect(outcomeOf(bytes, opened)).toBe("batch 0: has arrays that overlap");
    expect(outcomeOf(bytes, counted)).toBe("batch 0: has arrays that overlap");
  });

  test("of views that show parts of one text", () => {
    const rows = 1000;
    const text = 16_000;
    const body = new Uint8Array(16 * rows + text).fill(0x61);
    const view = new DataView(body.buffer);
    for (let row = 0; row < rows; row++) {
      view.setInt32(16 * row, text - row, true);
      view.setInt32(16 * row + 8, 0, true);
      view.setInt32(16 * row + 12, row, true);
    }
    const bytes = foreignFile({
      fields: (builder) => [
        fieldTable(builder, { name: builder.createString("v"), type: types.utf8View }),
      ],
      records: [
        {
          rows,
          nodes: [[rows, 0]],
          buffers: [
            [0, 0],
            [0, 16 * rows],
            [16 * rows, text],
          ],
          views: [1],
          body,
        },
      ],
    });
    expect(outcomeOf(bytes, opened)).toMatch(/^column v: has strings that overlap/);
  });
});

describe("a file of ours with checksums that fit", () => {
  const Row = defineSchema({ id: int(), text: string({ nullable: true }) }, { form: "wire" });
  const ROWS = 5000;
  const rows = Array.from({ length: ROWS }, (_, id) => ({ id, text: `${id % 7}` }));
  const saved = saveCollection(createCollection(Row, rows), { orders: "all" });
  const directory = directoryOf(saved);
  const fields = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      ...(directory.schema as { fields: object[] }).fields[1],
      name: `f${i}`,
    }));

  test("columns that lie in the same bytes are refused", () => {
    const column = directory.columns[1];
    const bytes = sealed(saved, directory, (same) => ({
      ...(same as object),
      schema: fields(COUNT),
      columns: fields(COUNT).map(({ name }) => ({ ...column, name })),
    }));
    expect(outcomeOf(bytes, opened)).toBe("directory: has sections that overlap");
  });

  test("twice as many columns and dictionaries are twice the work to find each other", () => {
    const file = (count: number) =>
      sealed(saved, directory, (same) => ({
        ...(same as object),
        rows: 0,
        schema: fields(count),
        columns: fields(count).map(({ name }, i) => ({
          name,
          hidden: false,
          dictionary: count - 1 - i,
          codes: { offset: 0, length: 0 },
        })),
        dictionaries: Array.from({ length: count }, (_, i) => ({
          type: "string",
          values: 1,
          ascii: true,
          offsets: { offset: 8 * i, length: 8 },
          bytes: { offset: 0, length: 0 },
        })),
      }));
    const workOf = (bytes: Uint8Array) => counting(() => openCollection(bytes)).work;
    expect(workOf(file(2 * COUNT))).toBeLessThan(2.2 * workOf(file(COUNT)));
  });

  describe("whose rows share a long text", () => {
    const long = "long".repeat(5000);
    const shared = createCollection(
      Row,
      // Of more than 4,096 values not all stay decoded.
      Array.from({ length: 5000 }, (_, id) => ({ id, text: id < 4500 ? `${id}` : long })),
      { indexes: "none" },
    );

    test("the text is in memory once or twice, not once for each row that is held", () => {
      const bytes = saveCollection(shared);
      expect(outcomeOf(bytes, (bytes) => openCollection(bytes).query().length)).toBe(5000);
    });

    test("and its trigrams are verified once", () => {
      const bytes = saveCollection(shared.prepare({ contains: ["text"] }));
      const { work } = counting(() => openCollection(bytes, { verify: true }));
      expect(work).toBeLessThan(bytes.length);
    });
  });
});
