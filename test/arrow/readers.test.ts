// Do other tools read what we save, value by value?

import { tableFromIPC as readByFlechette } from "@uwdata/flechette";
import { tableFromIPC } from "apache-arrow";
import * as apache from "apache-arrow";
import polars from "nodejs-polars";
import { describe, expect, test } from "vitest";
import { saveCollection } from "../../src/arrow/index.ts";
import { columnsOf, nastyCollection } from "./fixtures.ts";

/** As the two readers in JavaScript decode it: they take U+FEFF at the beginning for a mark of order. */
function unmarked(value: string | null): string | null {
  return value?.startsWith("\ufeff") === true ? value.slice(1) : value;
}

/** A value as tercet writes it. */
function wire(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "bigint" || typeof value === "number" ? String(value) : null;
}

describe.each([0, 1, 3, 30, 300, 3000])(
  "what we save of %i records is read value by value",
  (count) => {
    const collection = nastyCollection(count);
    const expected = columnsOf(collection);
    const bytes = saveCollection(collection, { orders: "all" });

    test("by apache-arrow", () => {
      const table = tableFromIPC(bytes);
      expect(table.schema.fields.map(({ name }) => name)).toEqual([...expected.keys()]);
      for (const [name, values] of expected) {
        expect([...(table.getChild(name) ?? [])].map(wire)).toEqual(values.map(unmarked));
      }
    });

    test("by flechette", () => {
      const table = readByFlechette(bytes, { useBigInt: true });
      expect(table.names).toEqual([...expected.keys()]);
      for (const [name, values] of expected) {
        expect(Array.from(table.getChild(name), wire)).toEqual(values.map(unmarked));
      }
    });

    test("by polars", () => {
      const frame = polars.readIPC(Buffer.from(bytes));
      expect(frame.columns).toEqual([...expected.keys()]);
      for (const [name, values] of expected) {
        expect(frame.getColumn(name).toArray().map(wire)).toEqual(values);
      }
    });

    test("and its dictionaries are in order, shared where they are equal", () => {
      const { fields } = tableFromIPC(bytes).schema;
      const dictionaries = new Map(
        fields.flatMap(({ name, type }): [string, apache.Dictionary][] =>
          apache.DataType.isDictionary(type) ? [[name, type]] : [],
        ),
      );
      expect([...dictionaries.keys()]).toEqual([...expected.keys()]);
      expect([...dictionaries.values()].every(({ isOrdered }) => isOrdered)).toBe(true);
      expect(dictionaries.get("text")?.id).toBe(dictionaries.get("again")?.id);
    });
  },
);
