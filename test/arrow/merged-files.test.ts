// Files merged column by column contain the live rows of all, in the order of their keys, like a saved file.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FileError, openCollection, saveCollection } from "../../src/arrow/index.ts";
import { openTable } from "../../src/arrow/read/file.ts";
import { ownDirectory, requireSource, summaryOf } from "../../src/arrow/read/open.ts";
import { mergedPieces } from "../../src/arrow/write/merge-files.ts";
import type { MergedFile } from "../../src/arrow/write/merge-order.ts";
import { orderLimits } from "../../src/arrow/write/merge-rows.ts";
import { joined } from "../../src/arrow/write/output.ts";
import { piecesOf } from "../../src/arrow/write/save.ts";
import { createCollection, type Collection, type Schema } from "../../src/index.ts";
import { documentsOf } from "../../src/database/changes.ts";
import { DeadRows } from "../../src/engine/versions/dead-rows.ts";
import { Segment } from "../../src/engine/versions/segment.ts";
import { Snapshot } from "../../src/engine/versions/snapshot.ts";
import { settings } from "../property.ts";
import { directoryOf, sealed } from "./sealed.ts";
import { tuned } from "../tuned.ts";
import {
  columnsOf,
  Nasty,
  NASTY_INTEGERS,
  NASTY_TEXTS,
  nastyCollection,
  nastyRecords,
  Tagged,
  taggedCollection,
} from "./fixtures.ts";

/** The files of a collection's segments as they were before rows of them died. */
function filesOf<S extends Schema>({ state }: Collection<S>): [MergedFile, ...MergedFile[]] {
  const { codec, options, snapshot } = state;
  const [first, ...others] = snapshot.segments.map(({ schema, rows, keys, indexes, dead }) => {
    const segment = Segment.of(schema, rows, keys, options);
    for (const field of indexes.names.trigram) segment.indexes.build("trigram", field);
    const whole = {
      codec,
      options,
      snapshot: new Snapshot([segment], snapshot.nextKey, snapshot.lastIds),
    };
    const source = requireSource(joined(piecesOf(whole, { orders: "used", trigrams: "used" })));
    const table = openTable(source, ownDirectory(source).directory, { inPieces: true });
    return { table, dead: dead.difference(DeadRows.EMPTY) };
  });
  if (first === undefined) throw new Error("there is no segment");
  return [first, ...others];
}

const changes = fc.array(
  fc.record({
    what: fc.constantFrom("insert", "update", "remove"),
    from: fc.nat({ max: 1_000_003 }),
    count: fc.integer({ min: 1, max: 60 }),
    text: fc.option(fc.constantFrom(...NASTY_TEXTS)),
    number: fc.option(fc.constantFrom(...NASTY_INTEGERS)),
  }),
  { maxLength: 5 },
);

test("any changes: they hold the records of the collection, under their keys, in columns as if it was saved", () => {
  using _ = tuned({ fewRows: 0, sizeRatio: 1, manyRows: 20, manyValues: 8 });
  let merges = 0;
  const records = nastyRecords(600);
  fc.assert(
    fc.property(changes, fc.nat({ max: 100 }), (steps, first) => {
      let collection = createCollection(Nasty, records.slice(0, first));
      // Postings that are read from a file, and others that the segments of changes lack.
      if (first > 50) collection = collection.prepare({ sort: ["number"], contains: ["hidden"] });
      let next = first;
      for (const { what, from, count, text, number } of steps) {
        const some = [["id", "greater_than", from]] as const;
        if (what === "insert") {
          collection = collection.insert(records.slice(next, next + count));
          next += count;
        } else if (what === "remove")
          collection = collection.remove([...some, ["positive", "less_than", count]]);
        else
          collection = collection.update(
            [...some],
            (each) => void Object.assign(each, { text, number }),
          );
      }
      const files = filesOf(collection);
      merges += files.length > 1 ? 1 : 0;
      const bytes = joined(mergedPieces(files, ["a note"]));
      const opened = openCollection(bytes, { schema: Nasty, verify: true });
      expect(summaryOf(bytes).note).toEqual(["a note"]);
      expect([...documentsOf(opened.state)]).toEqual([...documentsOf(collection.state)]);
      expect(opened.state.snapshot.nextKey).toBe(collection.state.snapshot.nextKey);
      const saved = openCollection(saveCollection(collection), { verify: true });
      expect(columnsOf(opened)).toEqual(columnsOf(saved));
    }),
    settings(60),
  );
  expect(merges).toBeGreaterThan(5);
});

test("fields of strings: they hold the same arrays, and of their elements those that are in use", () => {
  using _ = tuned({ fewRows: 0, sizeRatio: 1, manyRows: 20, manyValues: 8 });
  const records = [...taggedCollection(300)];
  fc.assert(
    fc.property(fc.nat({ max: 100 }), fc.nat({ max: 100 }), fc.nat({ max: 1e6 }), (a, b, least) => {
      const collection = createCollection(Tagged, records.slice(0, a))
        .insert(records.slice(a, a + b))
        .remove([["id", "less_than", least]])
        .insert(records.slice(a + b, a + b + 10));
      const bytes = joined(mergedPieces(filesOf(collection), undefined));
      const opened = openCollection(bytes, { schema: Tagged, verify: true });
      expect([...opened]).toEqual([...collection]);
      const saved = openCollection(saveCollection(collection), { verify: true });
      expect(columnsOf(opened)).toEqual(columnsOf(saved));
      // Columns of equal values share one only if they do in each file.
      const sizes = (from: Uint8Array) =>
        new Set(
          ownDirectory(requireSource(from)).directory.dictionaries.map((each) => each.values),
        );
      expect(sizes(bytes)).toEqual(sizes(saveCollection(collection)));
    }),
    settings(60),
  );
});

test("orders that are made in parts, by codes and by rows, are those of all at once", () => {
  using _ = tuned({ fewRows: 0, manyRows: 0, manyValues: 0 });
  const collection = nastyCollection(90).insert(nastyRecords(130).slice(90));
  const whole = joined(mergedPieces(filesOf(collection), undefined));
  const before = { ...orderLimits };
  try {
    for (const limits of [{ codes: 7 }, { rows: 7 }, { codes: 3, rows: 2 }]) {
      Object.assign(orderLimits, before, limits);
      expect(joined(mergedPieces(filesOf(collection), undefined))).toEqual(whole);
    }
  } finally {
    Object.assign(orderLimits, before);
  }
});

test("a code that leads out of its dictionary is an error", () => {
  const source = requireSource(saveCollection(createCollection(Nasty, nastyRecords(10))));
  const { directory } = ownDirectory(source);
  const other = requireSource(saveCollection(createCollection(Nasty, nastyRecords(3))));
  const [small, large] = [ownDirectory(other).directory, directory].map((each, i) =>
    openTable(i === 0 ? other : source, each, { inPieces: true }),
  );
  if (small === undefined || large === undefined) throw new Error("there are two");
  const columns = large.columns.map((column, i) => ({
    ...column,
    dictionary: small.columns[i]?.dictionary ?? column.dictionary,
  }));
  const files = [{ table: { ...large, columns }, dead: new Uint32Array() }] as const;
  expect(() => joined(mergedPieces(files, undefined))).toThrow(FileError);
});

test("a file whose unique codes are not those of its values is an error when it is merged", () => {
  using _ = tuned({ fewRows: 0, manyRows: 0, manyValues: 0 });
  const bytes = saveCollection(createCollection(Nasty, nastyRecords(30))).slice();
  const directory = directoryOf(bytes);
  const { codes = { offset: 0 } } = directory.columns.find(({ name }) => name === "id") ?? {};
  bytes[codes.offset + 4] = bytes[codes.offset + 9] ?? 0;
  const source = requireSource(sealed(bytes, directory));
  const table = openTable(source, ownDirectory(source).directory, { inPieces: true });
  expect(() => joined(mergedPieces([{ table, dead: new Uint32Array() }], undefined))).toThrow(
    "codes of id: do not have all values of the dictionary",
  );
});
