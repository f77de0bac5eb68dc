// The directory of a file reads back as it was written, and each rule that a foreign directory breaks is an error. Each
// rule is tested with the last value that keeps it and the first that breaks it.

import { describe, expect, test } from "vitest";
import {
  codeBytesFor,
  DIRECTORY,
  FORMAT_VERSION,
  WIDE_VERSION,
  readDirectory,
  writeDirectory,
  type Directory,
} from "../../src/arrow/directory.ts";
import { FileError } from "../../src/arrow/index.ts";
import { TRIGRAM_STARTS } from "../../src/arrow/trigrams.ts";
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
  trigrams: next(4 * TRIGRAM_STARTS),
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
const tags = {
  name: "tags",
  hidden: false,
  dictionary: 0,
  arrays: {
    values: 7,
    samples: next(4 * 7),
    offsets: next(4 * (ROWS + 1)),
    elements: next(2 * 33),
    elementBytes: 2,
  },
  codes: next(ROWS),
  codeBytes: 1,
  order: next(4 * ROWS),
  starts: next(4 * 8),
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
  columns: [text, number, tags],
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
const withArrays = (others: object) =>
  withOther({ columns: [{ ...tags, arrays: { ...tags.arrays, ...others } }] });
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
  test.each<[string, string, () => unknown]>([
    ["if it is not there", "is missing", () => read({})],
    ["if it is not JSON", "is not JSON", () => read({ [DIRECTORY]: "{" })],
    ["if it is no object", "must hold objects, not an array", () => read({ [DIRECTORY]: "[]" })],
    ["if it is null", "must hold objects, not null", () => read({ [DIRECTORY]: "null" })],
    [
      "if its version is another",
      "has version 4; this release of tercet reads versions 2 and 3",
      withOther({ version: WIDE_VERSION + 1 }),
    ],
    [
      "if it has no version",
      "has version undefined; this release of tercet reads versions 2 and 3",
      withOther({ version: undefined }),
    ],
    ["if a count is negative", "has -1 for nextKey", withOther({ nextKey: -1 })],
    ["if a count is no integer", "has 0.5 for checksum", withOther({ checksum: 0.5 })],
    ["if a count is a text", 'has "10" for rows', withOther({ rows: "10" })],
    [
      "if there are more rows than the engine numbers",
      "has 2147483648 for rows",
      withOther({ rows: LAST_ROWS + 1, columns: [], keys: undefined }),
    ],
    [
      "if the columns are no list",
      "has an object for columns",
      withOther({ columns: { length: 0 } }),
    ],
    [
      "if the dictionaries are no list",
      "has null for dictionaries",
      withOther({ dictionaries: null, columns: [] }),
    ],
    ["if a column is no object", "must hold objects, not 5", withOther({ columns: [5] })],
    ["if a column has no name", "has a column without a name", withColumn({ name: undefined })],
    ["if a name is a number", "has a column without a name", withColumn({ name: 5 })],
    [
      "if a column's dictionary is not there",
      "has no dictionary 2 for a column",
      withColumn({ dictionary: 2 }),
    ],
    [
      "if a dictionary has another type",
      'has a dictionary of the type "int64"',
      withDictionary({ type: "int64" }),
    ],
    [
      "if a dictionary has no values",
      "has a dictionary without its placeholder",
      withDictionary({ values: 0 }),
    ],
    [
      "if a text dictionary has no offsets",
      "must hold objects, not undefined",
      withDictionary({ offsets: undefined }),
    ],
    [
      "if offsets are too short",
      "has 1203 bytes of offsets, not 1204",
      withDictionary({ offsets: shorter(texts.offsets) }),
    ],
    [
      "if offsets are too long",
      "has 1205 bytes of offsets, not 1204",
      withDictionary({ offsets: longer(texts.offsets) }),
    ],
    [
      "if numbers have other than 8 bytes each",
      "has 39 bytes of bytes, not 40",
      withOther({ dictionaries: [texts, { ...numbers, bytes: shorter(numbers.bytes) }] }),
    ],
    [
      "if codes are too short",
      "has 19 bytes of codes, not 20",
      withColumn({ codes: shorter(text.codes) }),
    ],
    [
      "if codes are too long",
      "has 21 bytes of codes, not 20",
      withColumn({ codes: longer(text.codes) }),
    ],
    [
      "if an order is too short",
      "has 39 bytes of order, not 40",
      withColumn({ order: shorter(text.order) }),
    ],
    [
      "if starts are too long",
      "has 1205 bytes of starts, not 1204",
      withColumn({ starts: longer(text.starts) }),
    ],
    [
      "if trigrams are too short",
      "has 1048579 bytes of trigrams, not 1048580",
      withColumn({ trigrams: shorter(text.trigrams) }),
    ],
    [
      "if arrays are no object",
      "must hold objects, not 7",
      withOther({ columns: [{ ...tags, arrays: 7 }] }),
    ],
    ["if there is no array", "has arrays without their placeholder", withArrays({ values: 0 })],
    ["if arrays have no count", "has undefined for values", withArrays({ values: undefined })],
    [
      "if samples are too short",
      "has 27 bytes of samples, not 28",
      withArrays({ samples: shorter(tags.arrays.samples) }),
    ],
    [
      "if offsets of arrays are too long",
      "has 45 bytes of offsets, not 44",
      withArrays({ offsets: longer(tags.arrays.offsets) }),
    ],
    [
      "if an element is half a code",
      "has 65 bytes of elements",
      withArrays({ elements: shorter(tags.arrays.elements) }),
    ],
    [
      "if there are codes for other arrays",
      "has 10 bytes of codes, not 20",
      withArrays({ values: 257, samples: { offset: 0, length: 4 * 257 } }),
    ],
    ["if keys are too short", "has 79 bytes of keys, not 80", withOther({ keys: shorter(keys) })],
    ["if keys are null", "must hold objects, not null", withOther({ keys: null })],
    [
      "if a section has no length",
      "has undefined for length",
      withColumn({ codes: { offset: 0 } }),
    ],
    [
      "if a section is not at a multiple of 8",
      "has postings at an invalid position",
      withColumn({ postings: { offset: 4, length: 1 } }),
    ],
    [
      "if a section reaches into the checksums",
      "has postings at an invalid position",
      withColumn({ postings: { offset: end - 8, length: 9 } }),
    ],
    [
      "if the checksums reach into the footer",
      "has checksums at an invalid position",
      () => read(writeDirectory(directory), END - 1),
    ],
    [
      "if there are checksums for too few pages",
      "has checksums that do not match its pages",
      withOther({ checksums: { ...checksums, length: checksums.length - 4 } }),
    ],
    [
      "if there are checksums for too many pages",
      "has checksums that do not match its pages",
      () =>
        read(
          writeDirectory({
            ...directory,
            checksums: { ...checksums, length: checksums.length + 4 },
          }),
          END + 4,
        ),
    ],
    [
      "if sections overlap",
      "has sections that overlap",
      withColumn({ postings: { offset: 0, length: end - 100 } }),
    ],
  ])("%s: it %s", (_, reason, broken) => {
    expect(thrownBy(FileError, broken)).toMatchObject({ section: "directory", reason });
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
