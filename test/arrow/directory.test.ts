// The directory of a file: what is read is what was written, and each rule that a stranger's directory breaks
// is an error of the directory. Each rule is tried with the last value that keeps it and the first that breaks it.

import { describe, expect, test } from "vitest";
import {
  codeBytesFor,
  DIRECTORY,
  FORMAT_VERSION,
  readDirectory,
  writeDirectory,
  type Directory,
} from "../../src/arrow/directory.ts";
import { FileError } from "../../src/arrow/index.ts";
import { TRIGRAM_STARTS_BYTES } from "../../src/arrow/trigrams.ts";
import { thrownBy } from "../rules/fixtures.ts";

/** Sections one after the other, each at a multiple of 8. */
function sections() {
  let end = 0;
  return (length: number) => {
    const offset = end;
    end = Math.ceil((end + length) / 8) * 8;
    return { offset, length };
  };
}

const ROWS = 10;
const next = sections();
const TEXTS = 300;
const texts = {
  type: "string",
  values: TEXTS,
  ascii: true,
  offsets: next(4 * (TEXTS + 1)),
  bytes: next(1000),
} as const;
const numbers = {
  type: "float",
  values: 5,
  ascii: false,
  offsets: undefined,
  bytes: next(40),
} as const;
const text = {
  name: "text",
  hidden: false,
  dictionary: 0,
  codes: next(2 * ROWS),
  codeBytes: 2,
  order: next(4 * ROWS),
  starts: next(4 * (TEXTS + 1)),
  trigrams: next(TRIGRAM_STARTS_BYTES),
  postings: next(77),
} as const;
const number = {
  name: "number",
  hidden: true,
  dictionary: 1,
  codes: next(ROWS),
  codeBytes: 1,
  order: undefined,
  starts: undefined,
} as const;
const keys = next(8 * ROWS);
const { offset: end } = next(0);
const checksums = { offset: end, length: 4 * Math.ceil(end / 4096) };
const END = end + checksums.length;

const directory: Directory = {
  rows: ROWS,
  nextKey: 12,
  schema: { any: 1 },
  note: ["note"],
  dictionaries: [texts, numbers],
  columns: [text, number],
  keys,
  checksums,
  checksum: 99,
};

const read = (metadata: Readonly<Record<string, string>>, end = END) =>
  readDirectory(new Map(Object.entries(metadata)), end);

/** The directory with other members, `version` included. */
const withOther = (others: object) => () =>
  read({ [DIRECTORY]: JSON.stringify({ version: FORMAT_VERSION, ...directory, ...others }) });
const withColumn = (others: object) => withOther({ columns: [{ ...text, ...others }, number] });
const withDictionary = (others: object) =>
  withOther({ dictionaries: [{ ...texts, ...others }, numbers], columns: [] });

test("is read as it was written", () => {
  expect(read(writeDirectory(directory))).toEqual(directory);
  const least = { ...directory, keys: undefined, note: undefined };
  expect(read(writeDirectory(least))).toEqual(least);
});

test("a code has as many bytes as its values need", () => {
  expect([1, 256, 257, 65_536, 65_537].map(codeBytesFor)).toEqual([1, 1, 2, 2, 4]);
});

const shorter = ({ offset, length }: { offset: number; length: number }) => ({
  offset,
  length: length - 1,
});
const longer = ({ offset, length }: { offset: number; length: number }) => ({
  offset,
  length: length + 1,
});
const LAST_ROWS = 2 ** 31 - 1;

describe("is refused", () => {
  test.each<[string, () => unknown]>([
    ["if it is not there", () => read({})],
    ["if it is not JSON", () => read({ [DIRECTORY]: "{" })],
    ["if it is no object", () => read({ [DIRECTORY]: "[]" })],
    ["if it is null", () => read({ [DIRECTORY]: "null" })],
    ["if its version is another", withOther({ version: FORMAT_VERSION + 1 })],
    ["if it has no version", withOther({ version: undefined })],
    ["if a count is negative", withOther({ nextKey: -1 })],
    ["if a count is no integer", withOther({ checksum: 0.5 })],
    ["if a count is a text", withOther({ rows: "10" })],
    [
      "if there are more rows than the engine numbers",
      withOther({ rows: LAST_ROWS + 1, columns: [], keys: undefined }),
    ],
    ["if the columns are no list", withOther({ columns: { length: 0 } })],
    ["if the dictionaries are no list", withOther({ dictionaries: null, columns: [] })],
    ["if a column is no object", withOther({ columns: [5] })],
    ["if a column has no name", withColumn({ name: undefined })],
    ["if a name is a number", withColumn({ name: 5 })],
    ["if a column's dictionary is not there", withColumn({ dictionary: 2 })],
    ["if a dictionary has another type", withDictionary({ type: "int64" })],
    ["if a dictionary has no values", withDictionary({ values: 0 })],
    ["if a text dictionary has no offsets", withDictionary({ offsets: undefined })],
    ["if offsets are too short", withDictionary({ offsets: shorter(texts.offsets) })],
    ["if offsets are too long", withDictionary({ offsets: longer(texts.offsets) })],
    [
      "if numbers have other than 8 bytes each",
      withOther({ dictionaries: [texts, { ...numbers, bytes: shorter(numbers.bytes) }] }),
    ],
    ["if codes are too short", withColumn({ codes: shorter(text.codes) })],
    ["if codes are too long", withColumn({ codes: longer(text.codes) })],
    ["if an order is too short", withColumn({ order: shorter(text.order) })],
    ["if starts are too long", withColumn({ starts: longer(text.starts) })],
    ["if trigrams are too short", withColumn({ trigrams: shorter(text.trigrams) })],
    ["if keys are too short", withOther({ keys: shorter(keys) })],
    ["if keys are null", withOther({ keys: null })],
    ["if a section has no length", withColumn({ codes: { offset: 0 } })],
    ["if a section is not at a multiple of 8", withColumn({ postings: { offset: 4, length: 1 } })],
    [
      "if a section reaches into the checksums",
      withColumn({ postings: { offset: end - 8, length: 9 } }),
    ],
    ["if the checksums reach into the footer", () => read(writeDirectory(directory), END - 1)],
    [
      "if there are checksums for too few pages",
      withOther({ checksums: { ...checksums, length: checksums.length - 4 } }),
    ],
    [
      "if there are checksums for too many pages",
      () =>
        read(
          writeDirectory({
            ...directory,
            checksums: { ...checksums, length: checksums.length + 4 },
          }),
          END + 4,
        ),
    ],
    ["if sections overlap", withColumn({ postings: { offset: 0, length: end - 100 } })],
  ])("%s", (_, broken) => {
    expect(thrownBy(FileError, broken).section).toBe("directory");
  });

  test("for a member that every object inherits, as for one that is not there", () => {
    const inherited = JSON.stringify({ version: FORMAT_VERSION, ...directory }).replace(
      '"columns"',
      '"__proto__"',
    );
    expect(thrownBy(FileError, () => read({ [DIRECTORY]: inherited })).section).toBe("directory");
  });
});

describe("is read", () => {
  test.each<[string, () => unknown]>([
    [
      "with as many rows as the engine numbers",
      withOther({ rows: LAST_ROWS, columns: [], keys: undefined }),
    ],
    [
      "with a dictionary of nothing but its placeholder",
      withDictionary({ values: 1, offsets: { offset: 0, length: 8 } }),
    ],
    ["with a section of nothing at the end", withColumn({ postings: { offset: end, length: 0 } })],
    [
      "with a section up to the checksums",
      withColumn({ postings: { offset: end - 8, length: 8 } }),
    ],
  ])("%s", (_, open) => {
    expect(open).not.toThrow();
  });
});
