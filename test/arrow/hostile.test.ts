// Malicious files: small and well-formed, but made to cost far more than their size. Each is refused
// with a typed error, or opened with work bounded by its length.

import { Builder } from "flatbuffers";
import { describe, expect, test } from "vitest";
import { FileError, openCollection, saveCollection } from "../../src/arrow/index.ts";
import { MAGIC } from "../../src/arrow/format.ts";
import { createCollection, int, string } from "../../src/index.ts";
import { directoryOf, sealed } from "./sealed.ts";
import { counting } from "./work.ts";
import { wireSchema } from "../wire-schema.ts";

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

const COUNT = 400;

test("notes of the footer whose names and texts overlap are not read again and again", () => {
  const builder = new Builder();
  // Each string begins within the one before, and all end at one place: the words are their lengths.
  const words = new Uint32Array(2 * COUNT);
  words.forEach((_, i) => (words[i] = (4 * (words.length - 1 - i)) & 0x7f7f7f7f));
  const vector = builder.createByteVector(new Uint8Array(words.buffer));
  const notes = Array.from({ length: COUNT }, (_, i) => {
    builder.startObject(2);
    builder.addFieldOffset(0, vector - 4 - 4 * i, 0);
    builder.addFieldOffset(1, vector - 4 - 4 * (words.length - 1 - i), 0);
    return builder.endObject();
  });
  builder.startVector(4, COUNT, 4);
  for (const note of notes) builder.addOffset(note);
  const all = builder.endVector();
  builder.startObject(5);
  builder.addFieldOffset(4, all, 0);
  builder.finish(builder.endObject());
  const footer = builder.asUint8Array();
  const length = new Uint8Array(Int32Array.of(footer.length).buffer);
  const magic = new TextEncoder().encode(MAGIC);
  const bytes = Buffer.concat([magic, new Uint8Array(2), footer, length, magic]);
  expect(outcomeOf(bytes, opened)).toMatch(
    /^footer: has offsets that lead to the same bytes again and again/,
  );
});

describe("a file of ours with checksums that fit", () => {
  const Row = wireSchema({ id: int(), text: string({ nullable: true }) });
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
