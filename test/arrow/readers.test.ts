// Do other tools read what we save, value by value? And do we read what they save?

import { tableFromIPC as readByFlechette } from "@uwdata/flechette";
import { Table, tableFromIPC, tableToIPC, vectorFromArray } from "apache-arrow";
import * as apache from "apache-arrow";
import polars from "nodejs-polars";
import { describe, expect, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { defineSchema, int, string } from "../../src/index.ts";
import { columnsOf, Nasty, NASTY_INTEGERS, NASTY_TEXTS, nastyCollection } from "./fixtures.ts";

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

describe("we open what others save", () => {
  const texts = [...NASTY_TEXTS, null];
  const numbers = [...NASTY_INTEGERS, null].map((text) => (text === null ? null : BigInt(text)));
  const long = texts.map((text, i) => ({ text, number: numbers[i % numbers.length] ?? null }));

  const vectors = {
    utf8: vectorFromArray(texts, new apache.Utf8()),
    large: vectorFromArray(texts, new apache.LargeUtf8()),
    coded: vectorFromArray(
      [...texts].reverse().reverse(),
      new apache.Dictionary(new apache.Utf8(), new apache.Int16()),
    ),
    int64: vectorFromArray(
      long.map(({ number }) => number),
      new apache.Int64(),
    ),
    int32: vectorFromArray(
      texts.map((_, i) => (i === 4 ? null : i - 7)),
      new apache.Int32(),
    ),
    uint8: vectorFromArray(
      texts.map((_, i) => (i === 5 ? null : 250 + i - 20)),
      new apache.Uint8(),
    ),
  };

  test("apache-arrow: columns of each type, in one batch or several", () => {
    const table = new Table(vectors);
    const several = table.slice(0, 5).concat(table.slice(5, 9)).concat(table.slice(9));
    for (const each of [table, several]) {
      const opened = openCollection(tableToIPC(each, "file"));
      for (const [name, vector] of Object.entries(vectors)) {
        const values = columnsOf(opened).get(name)?.map(unmarked);
        expect(values).toEqual([...vector].map(wire));
      }
      expect(opened.schema.fields).toMatchObject({
        utf8: { type: "string" },
        int64: { type: "int" },
      });
    }
  });

  test("polars: views of strings, categories, integers of any width", () => {
    const { utf8, large, int64, int32, uint8 } = vectors;
    const table = tableToIPC(new Table({ utf8, large, int64, int32, uint8 }), "file");
    const frame = polars
      .readIPC(Buffer.from(table))
      .withColumns(polars.col("utf8").cast(polars.Categorical).alias("category"));
    const opened = columnsOf(openCollection(frame.writeIPC()));
    expect(opened.get("category")).toEqual(texts);
    expect(opened.get("utf8")).toEqual(texts);
    for (const [name, vector] of Object.entries({ int64, int32, uint8 })) {
      expect(opened.get(name)).toEqual([...vector].map(wire));
    }
  });

  test("what we saved and apache-arrow wrote again, without our sections, has its schema still", () => {
    const collection = nastyCollection(300);
    const again = tableToIPC(tableFromIPC(saveCollection(collection)), "file");
    const opened = openCollection(again, { schema: Nasty });
    expect(columnsOf(opened)).toEqual(columnsOf(collection));
    expect(columnsOf(openCollection(again))).toEqual(columnsOf(collection));
    expect(openCollection(again).schema.fields).toEqual(Nasty.fields);
  });

  test("with a schema, columns that it does not name are passed over, and its values are checked", () => {
    const bytes = tableToIPC(
      new Table({ ...vectors, when: vectorFromArray(texts.map(() => new Date(0))) }),
      "file",
    );
    const Some = defineSchema(
      { utf8: string({ nullable: true }), more: int({ default: 7 }) },
      { form: "wire" },
    );
    const opened = openCollection(bytes, { schema: Some });
    expect(opened.query({ limit: 2 })).toEqual([
      { utf8: "", more: "7" },
      { utf8: "a", more: "7" },
    ]);
    const floats = vectorFromArray([1, 2, 0.5], new apache.Float64());
    const Whole = defineSchema({ floats: int() }, { form: "wire" });
    const open = (values: apache.Vector) => () =>
      openCollection(tableToIPC(new Table({ floats: values }), "file"), { schema: Whole });
    expect([...open(floats.slice(0, 2))()]).toEqual([{ floats: "1" }, { floats: "2" }]);
    expect(open(floats)).toThrow("records[2].floats: must be an integer");
    const Strict = defineSchema({ utf8: string() }, { form: "wire" });
    expect(() => openCollection(bytes, { schema: Strict })).toThrow(
      `records[${texts.length - 1}].utf8: may not be null`,
    );
    expect(() => openCollection(bytes)).toThrow("column when: is of a type that no field has");
  });

  test("a column of nothing but null may be null, though apache-arrow says that it may not", () => {
    const nothing = vectorFromArray([null, null], new apache.Null());
    const opened = openCollection(tableToIPC(new Table({ nothing }), "file"));
    expect(opened.query()).toEqual([{ nothing: null }, { nothing: null }]);
  });
});
