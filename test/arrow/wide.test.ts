// Do files with offsets of 64 bits hold what others do? Low limits make them of a few records.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FileError, openCollection, saveCollection } from "../../src/arrow/index.ts";
import { FORMAT_VERSION, WIDE_VERSION, type Directory } from "../../src/arrow/directory.ts";
import { openTable } from "../../src/arrow/read/file.ts";
import { ownDirectory, requireSource } from "../../src/arrow/read/open.ts";
import { salvage } from "../../src/arrow/read/salvage.ts";
import { readFooter } from "../../src/arrow/read/footer.ts";
import { WIDE } from "../../src/arrow/offsets.ts";
import { mergedPieces } from "../../src/arrow/write/merge-files.ts";
import { joined } from "../../src/arrow/write/output.ts";
import {
  createCollection,
  defineSchema,
  string,
  type Collection,
  type Schema,
} from "../../src/index.ts";
import { documentsOf } from "../../src/database/changes.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import {
  columnsOf,
  Nasty,
  NASTY_TEXTS,
  nastyCollection,
  nastyRecords,
  taggedCollection,
} from "./fixtures.ts";
import { directoryOf, sealed } from "./sealed.ts";
import { wide } from "./wide.ts";

const versionOf = (bytes: Uint8Array): unknown => {
  const { metadata } = readFooter(requireSource(bytes));
  return (JSON.parse(metadata.get("tercet") ?? "{}") as { version: unknown }).version;
};
const widths = ({ dictionaries, columns }: Directory) => [
  dictionaries.filter(({ offsetBytes }) => offsetBytes === WIDE).length,
  columns.filter(({ startBytes }) => startBytes === WIDE).length,
];

const searched = (count: number) =>
  nastyCollection(count).prepare({ contains: ["hidden"], sort: ["number"] });

const cases: readonly (readonly [string, Collection<Schema, unknown>])[] = [
  ["no records", nastyCollection(0)],
  ["records of any values", searched(300)],
  ["records of arrays", taggedCollection(300)],
];

describe.each(cases)("a file of %s", (_, collection) => {
  test("is that of narrow offsets in everything but their widths", () => {
    using _small = tuned({ smallSection: 16, fewValues: 8 });
    const narrow = saveCollection(collection);
    expect(versionOf(narrow)).toBe(FORMAT_VERSION);
    expect(widths(directoryOf(narrow))).toEqual([0, 0]);
    const isLarge = collection.size > 0;
    let bytes: Uint8Array;
    {
      using _limits = wide();
      bytes = saveCollection(collection);
      expect(versionOf(bytes)).toBe(isLarge ? WIDE_VERSION : FORMAT_VERSION);
      if (isLarge) expect(widths(directoryOf(bytes))[0]).toBeGreaterThan(0);
      const opened = openCollection(bytes, { verify: true });
      expect([...opened]).toEqual([...collection]);
      expect(columnsOf(opened)).toEqual(columnsOf(collection));
      expect(saveCollection(opened)).toEqual(bytes);
      // What was changed is merged with what the file has.
      const changed = opened.remove([["id", "less_than", 9000]]);
      expect([...openCollection(saveCollection(changed), { verify: true })]).toEqual([...changed]);
    }
    // Memory would hold it now, and offsets need 32 bits only.
    expect(saveCollection(openCollection(bytes))).toEqual(narrow);
  });
});

const Texts = defineSchema({ text: string({ nullable: true }) });

test("searches in pieces find what those in memory do", () => {
  using _ = tuned({ smallSection: 16, fewValues: 4, fewRows: 0 });
  const collection = searched(400);
  using _limits = wide();
  const bytes = saveCollection(collection);
  const text = fc.oneof(fc.constantFrom(...NASTY_TEXTS), fc.string({ maxLength: 3 }));
  const operator = fc.constantFrom(
    "contains",
    "ends_with",
    "starts_with",
    "exactly",
    "greater_than",
  );
  fc.assert(
    fc.property(operator, text, fc.constantFrom("text", "hidden"), (operator, value, field) => {
      const criteria = [[field, operator, value]] as never;
      const opened = openCollection(bytes);
      expect(opened.count(criteria)).toBe(collection.count(criteria));
      expect(opened.query({ criteria })).toEqual(collection.query({ criteria }));
    }),
    settings(200),
  );
});

test("files of both widths are merged", () => {
  using _ = tuned({ smallSection: 16, fewValues: 8, manyRows: 20, manyValues: 8 });
  const fileOf = (collection: Collection<typeof Nasty>) => {
    const source = requireSource(saveCollection(collection));
    return {
      table: openTable(source, ownDirectory(source).directory, { inPieces: true }),
      dead: Uint32Array.of(2),
    };
  };
  const records = nastyRecords(300);
  const prepared = (from: number, to: number) =>
    createCollection(Nasty, records.slice(from, to)).prepare({ contains: ["hidden"] });
  const narrow = fileOf(prepared(0, 150));
  const order = (rows: number) => ({
    rows: 2 * rows,
    files: [0, 1],
    from: [0, 3],
    to: [rows, rows + 3],
  });
  const merge = (other: typeof narrow) =>
    joined(mergedPieces([narrow, other], undefined, { order: order(140) }));
  const expected = merge(fileOf(prepared(150, 300)));
  using _limits = wide();
  const other = fileOf(prepared(150, 300));
  const bytes = merge(other);
  expect(versionOf(bytes)).toBe(WIDE_VERSION);
  expect(widths(directoryOf(bytes))[1]).toBe(1);
  const opened = openCollection(bytes, { verify: true });
  expect([...documentsOf(opened.state)]).toEqual([...documentsOf(openCollection(expected).state)]);
  expect(columnsOf(opened)).toEqual(columnsOf(openCollection(expected)));
});

test("the readable rows of a damaged file are salvaged", () => {
  using _limits = wide();
  const records = Array.from({ length: 3000 }, (_, i) => ({ text: `text ${i}` }));
  const collection = createCollection(Texts, records);
  const bytes = saveCollection(collection);
  const { offset = 0 } = directoryOf(bytes).dictionaries[0]?.offsets ?? {};
  const damaged = bytes.slice();
  damaged[offset + 9000] = 255 - (damaged[offset + 9000] ?? 0);
  const rows = [...salvage(requireSource(damaged), collection.state.codec)];
  const lost = rows.filter((row) => row === undefined).length;
  expect(lost).toBeGreaterThan(100);
  expect(lost).toBeLessThan(1100);
  expect(rows).toHaveLength(3000);
});

describe("offsets of 64 bits that are not valid are errors", () => {
  const HIGH = 4;
  test.each([
    ["below the last", 3, 0, 0],
    ["beyond the section", 9, 0, 5000],
    ["beyond 32 bits", 9, HIGH, 1],
    ["beyond 2^53", 9, HIGH, 0x7fffffff],
    ["negative", 9, HIGH, -1],
    ["at the end", 21, 0, 7],
    ["at the start", 0, 0, 1],
  ])("%s", (_, position, half, value) => {
    using _small = tuned({ smallSection: 16 });
    using _limits = wide();
    const records = Array.from({ length: 20 }, (_, i) => ({ text: `text ${100 + i}` }));
    const bytes = saveCollection(createCollection(Texts, records)).slice();
    const directory = directoryOf(bytes);
    const { offset = 0 } = directory.dictionaries[0]?.offsets ?? {};
    new DataView(bytes.buffer).setInt32(offset + 8 * position + half, value, true);
    const hostile = sealed(bytes, directory);
    for (const memory of [30, 1e6]) {
      using _memory = wide(20, 100, memory);
      expect(() => openCollection(hostile, { verify: true })).toThrow(FileError);
    }
    // Whatever reads it in pieces either does not come across it, or throws that error.
    const attempt = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        expect(error).toBeInstanceOf(FileError);
      }
    };
    attempt(() => [...openCollection(hostile)]);
    attempt(() => openCollection(hostile).count([["text", "contains", "t 11"]]));
    attempt(() => saveCollection(openCollection(hostile)));
    const source = requireSource(hostile);
    const table = openTable(source, ownDirectory(source).directory, { inPieces: true });
    attempt(() => joined(mergedPieces([{ table, dead: new Uint32Array() }], undefined)));
  });

  test("of another width", () => {
    using _limits = wide();
    const bytes = saveCollection(
      createCollection(Texts, [{ text: "more than twenty characters" }]),
    );
    const directory = directoryOf(bytes);
    const [first] = directory.dictionaries;
    const hostile = (offsetBytes: unknown) =>
      sealed(bytes, directory, (before) => ({
        ...(before as Directory),
        dictionaries: [{ ...first, offsetBytes }],
      }));
    expect(() => openCollection(hostile(4))).toThrow("has 4 for offsetBytes");
    expect(() => openCollection(hostile(undefined))).toThrow("has 24 bytes of offsets, not 12");
  });
});
