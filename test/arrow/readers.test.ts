// Do other tools read our files, value by value?

import { tableFromIPC as readByFlechette } from "@uwdata/flechette";
import { tableFromIPC } from "apache-arrow";
import * as apache from "apache-arrow";
import polars from "nodejs-polars";
import { describe, expect, test } from "vitest";
import { saveCollection } from "../../src/arrow/index.ts";
import { openTable } from "../../src/arrow/read/file.ts";
import { ownDirectory, requireSource } from "../../src/arrow/read/open.ts";
import { mergedPieces } from "../../src/arrow/write/merge-files.ts";
import { joined } from "../../src/arrow/write/output.ts";
import type { Collection, Schema } from "../../src/index.ts";
import { columnsOf, nastyCollection, taggedCollection } from "./fixtures.ts";
import { wide } from "./wide.ts";

/** As the two readers in JavaScript decode a text: they take U+FEFF at the beginning for a mark of order. */
const unmarked = (text: string) => text.replace(/^\ufeff/, "");

/** A value as a reader has it, from its text form. */
function decoded(
  textForm: string | null,
  isArray: boolean,
  decode = (text: string) => text,
): unknown {
  if (textForm === null || !isArray) return textForm === null ? null : decode(textForm);
  return (JSON.parse(textForm) as string[]).map(decode);
}

/** The texts of numbers, and arrays of whatever has elements. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  return typeof value === "object" && value !== null ? Array.from(value as never[]) : value;
}

function saved(collection: Collection<Schema, unknown>): Uint8Array {
  return saveCollection(collection, { orders: "all" });
}

function savedWide(collection: Collection<Schema, unknown>): Uint8Array {
  using _ = wide();
  return saved(collection);
}

/** From a file without the rows of even numbers, and one without the others. */
function merged(collection: Collection<Schema, unknown>): Uint8Array {
  const source = requireSource(saved(collection));
  const table = openTable(source, ownDirectory(source).directory, { inPieces: true });
  const all = Uint32Array.from({ length: table.rows }, (_, row) => row);
  const [odd, even] = [1, 0].map((rest) => ({
    table,
    dead: all.filter((row) => row % 2 !== rest),
  }));
  return odd === undefined || even === undefined
    ? Uint8Array.of()
    : joined(mergedPieces([odd, even], undefined));
}

/** The fields that Arrow has as lists. */
const ARRAYS = ["tags", "again", "labels", "none"];

const cases = [0, 1, 3, 30, 300, 3000].flatMap((count) => [
  [count, "values", nastyCollection(count), [] as string[], saved] as const,
  [count, "arrays of strings", taggedCollection(count), ARRAYS, saved] as const,
]);
const others = [
  ["with offsets of 64 bits", savedWide] as const,
  ["merged from two files", merged] as const,
].flatMap(([how, save]) => [
  [300, `values ${how}`, nastyCollection(300), [] as string[], save] as const,
  [300, `arrays of strings ${how}`, taggedCollection(300), ARRAYS, save] as const,
]);

describe.each([...cases, ...others])(
  "what we save of %i records of %s is read value by value",
  (_count, _kind, collection, arrays, save) => {
    const expected = columnsOf<Schema, unknown>(collection);
    const bytes = save(collection);

    test("by apache-arrow", () => {
      const table = tableFromIPC(bytes);
      expect(table.schema.fields.map(({ name }) => name)).toEqual([...expected.keys()]);
      for (const [name, values] of expected) {
        const all = values.map((each) => decoded(each, arrays.includes(name), unmarked));
        expect([...(table.getChild(name) ?? [])].map(plain)).toEqual(all);
      }
    });

    test("by flechette", () => {
      const table = readByFlechette(bytes, { useBigInt: true });
      expect(table.names).toEqual([...expected.keys()]);
      for (const [name, values] of expected) {
        const all = values.map((each) => decoded(each, arrays.includes(name), unmarked));
        expect(Array.from(table.getChild(name), plain)).toEqual(all);
      }
    });

    test("by polars", () => {
      const frame = polars.readIPC(Buffer.from(bytes));
      expect(frame.columns).toEqual([...expected.keys()]);
      for (const [name, values] of expected) {
        const all = values.map((each) => decoded(each, arrays.includes(name)));
        expect(frame.getColumn(name).toArray().map(plain)).toEqual(all);
      }
    });

    test("and its dictionaries are in order, shared where they are equal", () => {
      const { fields } = tableFromIPC(bytes).schema;
      const dictionaries = new Map(
        fields.flatMap(({ name, type }): [string, apache.Dictionary][] => {
          const coded: unknown = apache.DataType.isList(type) ? type.valueType : type;
          return apache.DataType.isDictionary(coded) ? [[name, coded]] : [];
        }),
      );
      expect([...dictionaries.keys()]).toEqual([...expected.keys()]);
      expect([...dictionaries.values()].every(({ isOrdered }) => isOrdered)).toBe(true);
      // Of many records, `tags` have the same elements as `again`, if not the same arrays.
      const isFew = arrays.length > 0 && (expected.get("id")?.length ?? 0) < 300;
      const first = dictionaries.get(arrays.length > 0 ? "tags" : "text")?.id;
      if (!isFew) expect(dictionaries.get("again")?.id).toBe(first);
    });
  },
);
