// Strings fields in a file: Arrow lists, from which each distinct array is read. Each of their rules is broken alone,
// with matching checksums, as in `rules.test.ts`.

import { tableFromIPC } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { FileError, openCollection, saveCollection } from "../../src/arrow/index.ts";
import type { ByteRange } from "../../src/arrow/format.ts";
import { verifyFile } from "../../src/arrow/read/open.ts";
import { createCollection, defineSchema, int, string, strings } from "../../src/index.ts";
import { thrownBy } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";
import { directoryOf, sealed } from "./sealed.ts";
import { counting } from "./work.ts";

const Row = defineSchema({ id: int(), tags: strings({ nullable: true }), note: string() });
const TAGS = [["b", "a"], null, [], ["a"], ["a", "a", "é"], ["b", "a"], ["a"], ["\u0001"]];
const collection = createCollection(
  Row,
  TAGS.map((tags, id) => ({ id, tags, note: "a" })),
);
const saved = saveCollection(collection, { orders: "all" });
const directory = directoryOf(saved);
const records = [...collection];
const { arrays, codes } = directory.columns[1] ?? {};

/** Numbers of a section of a copy of the file. */
type Break = (of: (range: ByteRange | undefined) => Int32Array, bytes: Uint8Array) => void;

function broken(breaking: Break): Uint8Array {
  const bytes = Uint8Array.from(saved);
  const numbers = ({ offset, length }: ByteRange = { offset: 0, length: 0 }) =>
    new Int32Array(bytes.buffer, offset, length / 4);
  breaking(numbers, bytes);
  return sealed(bytes, directory);
}

const at = (range: ByteRange | undefined, i: number) => (range?.offset ?? 0) + i;

/** By the message, where each of them is found in any way that the column is read. */
const BREAKS: Readonly<Record<string, Readonly<Record<string, Break>>>> = {
  "do not begin and end where their elements do": {
    "a first offset that is not 0": (of) => (of(arrays?.offsets)[0] = 1),
    "elements after the last array": (of) => (of(arrays?.offsets)[TAGS.length] = 9),
  },
  "have an offset below the last": {
    "an array that ends before it begins": (of) => (of(arrays?.offsets)[1] = 7),
    "an offset below 0": (of) => (of(arrays?.offsets)[3] = -1),
  },
  "have an element that is not in the dictionary": {
    "an element beyond the dictionary": (_, bytes) => (bytes[at(arrays?.elements, 2)] = 5),
    "null among the elements": (_, bytes) => (bytes[at(arrays?.elements, 2)] = 0),
  },
  "lead out of the rows": {
    "an array of a row that is not there": (of) => (of(arrays?.samples)[2] = TAGS.length),
    "an array of a row below 0": (of) => (of(arrays?.samples)[2] = -1),
  },
  "are not in order at 3": {
    "an array twice": (of) => of(arrays?.samples).copyWithin(3, 2, 3),
  },
};

describe.each(Object.entries(BREAKS))("arrays of tags: %s", (reason, breaks) => {
  test.each(Object.entries(breaks))("with %s", (_, breaking) => {
    const bytes = broken(breaking);
    const open = () => openCollection(bytes, { schema: Row });
    for (const meet of [
      () => openCollection(bytes, { verify: true }),
      () => verifyFile(bytes),
      () => open().query(),
      () => open().countBy("tags"),
      () => open().query({ criteria: [["tags", "has", "b"]] }),
    ]) {
      expect(thrownBy(FileError, meet).message).toBe(`arrays of tags: ${reason}`);
    }
  });

  test.each(Object.entries(breaks))(
    "read in pieces, with %s: an error or the records",
    (_, bad) => {
      using _tuned = tuned({ smallSection: 0 });
      const opened = openCollection(broken(bad), { schema: Row });
      for (let row = 0; row < TAGS.length; row++) {
        try {
          // A repeated array is that of another row.
          if (reason !== "are not in order at 3") expect(opened.at(row)).toEqual(records[row]);
        } catch (error) {
          if (!(error instanceof FileError)) throw error;
          expect(error.section).toBe("arrays of tags");
        }
      }
    },
  );
});

test.each<[string, string, Break]>([
  ["another array", "do not match the codes", (_, bytes) => (bytes[at(arrays?.elements, 1)] = 1)],
  ["null with elements", "do not match the codes", (_, bytes) => (bytes[at(codes, 0)] = 0)],
  ["the empty array of null", "belong to other rows", (of) => (of(arrays?.samples)[5] = 1)],
])("verifying finds %s: arrays of tags %s", (_, reason, breaking) => {
  const bytes = broken(breaking);
  for (const verify of [() => verifyFile(bytes), () => openCollection(bytes, { verify: true })]) {
    expect(thrownBy(FileError, verify).message).toBe(`arrays of tags: ${reason}`);
  }
});

test("a column of lists is not one of values, nor the other way round", () => {
  const [id, tags, note] = directory.columns;
  for (const columns of [
    [id, { ...note, name: "tags" }, note],
    [id, tags, { ...tags, name: "note" }],
  ]) {
    const bytes = sealed(saved, directory, (same) => ({ ...(same as object), columns }));
    const { message } = thrownBy(FileError, () => openCollection(bytes));
    expect(message).toMatch(/whose type does not match its field|sections that overlap/);
  }
});

test("other tools see lists of strings, whose strings are a dictionary that columns share", () => {
  const { fields } = tableFromIPC(saved).schema;
  const described = fields.map((field) => field.toString());
  expect(described).toMatchInlineSnapshot(`
    [
      "id: Dictionary<Uint8, Int64>",
      "tags: List<Dictionary<Uint8, Utf8>>",
      "note: Dictionary<Uint8, Utf8>",
    ]
  `);
  const Two = defineSchema({ a: strings(), b: strings(), c: string() });
  const two = createCollection(Two, [
    { a: ["x", "y"], b: ["y", "x"], c: "x" },
    { a: [], b: [], c: "y" },
  ]);
  expect(directoryOf(saveCollection(two)).dictionaries).toHaveLength(1);
});

test("a long string that many arrays repeat is not compared again and again", () => {
  const long = "long".repeat(5000);
  const many = createCollection(
    defineSchema({ tags: strings() }),
    Array.from({ length: 1000 }, (_, i) => ({ tags: [long, `${i}`, long] })),
  );
  const bytes = saveCollection(many);
  const { work } = counting(() => openCollection(bytes, { verify: true }));
  expect(work).toBeLessThan(20 * bytes.length);
});

test("an array that is too long for memory is an error", () => {
  const Long = defineSchema({ tags: strings() });
  const repeated = Array.from({ length: 1000 }, () => "x");
  const bytes = saveCollection(
    createCollection(Long, [{ tags: ["y".repeat(600_000)] }, { tags: repeated }]),
  );
  const known = directoryOf(bytes);
  const { offset = 0 } = known.columns[0]?.arrays?.elements ?? {};
  // Each "x" becomes the long string.
  const crafted = sealed(bytes.fill(2, offset, offset + 1001), known);
  const opened = openCollection(crafted, { schema: Long });
  expect(opened.at(0)?.tags).toHaveLength(1);
  expect(thrownBy(FileError, () => opened.at(1))).toMatchObject({
    code: "limit",
    reason: "contain an array that is too long for memory",
  });
});
