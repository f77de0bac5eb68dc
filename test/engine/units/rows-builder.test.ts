// A collection filled column by column equals the one that createCollection makes from the same
// records.

import fc from "fast-check";
import { expect, test } from "vitest";
import { saveCollection } from "../../../src/arrow/index.ts";
import { collectionOf } from "../../../src/collection/create.ts";
import { RowsBuilder } from "../../../src/engine/columns/columns/rows-builder.ts";
import { Codec } from "../../../src/engine/columns/codec.ts";
import { readSettings } from "../../../src/engine/settings.ts";
import { createCollection, int, string } from "../../../src/index.ts";
import type { TextValue } from "../../../src/schema/field.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";
import { wireSchema } from "../../wire-schema.ts";
import { ADVERSARY_SEED, textsOfOneColumnHash } from "../adversaries.ts";

const Thing = wireSchema({
  id: int(),
  count: int({ nullable: true }),
  name: string(),
  __proto__x: string({ nullable: true }),
  kind: string({ oneOf: ["", "a", "é"] }),
});
const names = ["id", "count", "name", "__proto__x", "kind"] as const;

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 5 }),
  fc.constantFrom(
    "",
    "a",
    "aa",
    "aaaaaaaaaaaaaaaaaaaa",
    "aaaaaaaaaaaaaaaab",
    "\ufeff",
    "\u{1f600}",
    "\uffff",
    "é",
    "0",
  ),
);
const integer = fc
  .oneof(
    fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 32, -(2 ** 32), 2 ** 31),
  )
  .map(String);
const thing = fc.record({
  id: integer,
  count: fc.option(integer),
  name: text,
  __proto__x: fc.option(text),
  kind: fc.constantFrom("", "a", "é"),
});
const codec = new Codec(Thing);
type Row = Readonly<Record<(typeof names)[number], TextValue>>;

const utf8 = new TextEncoder();

/** @param asBytes which values are put in as bytes */
function built(rows: readonly Row[], asBytes: (row: number, column: number) => boolean) {
  const builder = new RowsBuilder(codec);
  for (const [at, row] of rows.entries()) {
    for (const [i, name] of names.entries()) {
      const column = builder.columns[i];
      if (column === undefined) throw new Error("each field has a column");
      const value = row[name];
      // What was set before, and then another way, does not count.
      column.setText(at, name === "kind" ? "a" : "7");
      if (value === null) column.setNull(at);
      else if (!asBytes(at, i)) column.setText(at, value);
      else {
        const bytes = utf8.encode(`x${value}y`);
        expect(column.setBytes(at, bytes, 1, bytes.length - 1)).toBe(true);
      }
    }
    builder.next();
  }
  return collectionOf(codec, readSettings({}), builder.finish());
}

function expectSame(rows: readonly Row[], found: ReturnType<typeof built>): void {
  const expected = createCollection(Thing, rows as never);
  expect(found.size).toBe(rows.length);
  // As text: many records are compared sooner so.
  const answer = (collection: typeof expected, query?: object) =>
    JSON.stringify(collection.query(query));
  expect(answer(found)).toBe(answer(expected));
  expect(Buffer.compare(saveCollection(found), saveCollection(expected))).toBe(0);
  for (const sortBy of names) {
    expect(answer(found, { sortBy }), sortBy).toBe(answer(expected, { sortBy }));
    for (const row of rows.slice(0, 5)) {
      const criteria = [[sortBy, "exactly", row[sortBy]]] as never;
      expect(answer(found, { criteria })).toBe(answer(expected, { criteria }));
    }
  }
}

test("rows that are put in as values or as bytes have the answers of createCollection", () => {
  fc.assert(
    fc.property(fc.array(thing, { maxLength: 40 }), fc.nat(), (rows, pattern) => {
      expectSame(
        rows,
        built(rows, (row, column) => ((pattern >>> ((row + column) % 5)) & 1) === 1),
      );
    }),
    settings(60),
  );
});

test("so have many rows, whose integers are near each other or far apart, and strings have long prefixes", () => {
  for (const spread of [1, 1e6, 7e11]) {
    const rows = Array.from({ length: 1500 }, (_, i): Row => {
      const number = (i * 7919) % 1409;
      const name = `${"p".repeat(number % 40)}${number}`;
      return {
        id: String(number * spread - 1000),
        count: i % 7 === 0 ? null : String(number * spread),
        name,
        __proto__x: i % 3 === 0 ? null : name,
        kind: "a",
      };
    });
    expectSame(
      rows,
      built(rows, (row) => row % 2 === 0),
    );
  }
});

test("what a field does not take is refused as bytes, and leaves no trace", () => {
  const builder = new RowsBuilder(codec);
  const [id, , name, , kind] = builder.columns;
  const refusedInts = [
    "",
    "-",
    "-0",
    "00",
    "01",
    "1.0",
    "1e3",
    " 1",
    "+1",
    "9007199254740992",
    "9007199254740993",
    "99999999999999999",
  ];
  for (const each of refusedInts) {
    const bytes = utf8.encode(each);
    expect(id?.setBytes(0, bytes, 0, bytes.length), each).toBe(false);
  }
  for (const bytes of [
    [0xff],
    [0xc3],
    [0xed, 0xa0, 0x80],
    [0xc0, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
  ]) {
    expect(name?.setBytes(0, Uint8Array.from(bytes), 0, bytes.length), String(bytes)).toBe(false);
  }
  for (let again = 0; again < 2; again++) {
    expect(kind?.setBytes(0, utf8.encode("b"), 0, 1)).toBe(false);
  }
  id?.setText(0, "5");
  name?.setText(0, "gone");
  builder.add(["1", null, "x", null, "a"]);
  const collection = collectionOf(codec, readSettings({}), builder.finish());
  expect(collection.query()).toEqual([
    { id: "1", count: null, name: "x", __proto__x: null, kind: "a" },
  ]);
  expect(
    collection
      .prepare({ sort: ["name", "id"] })
      .indexes()
      .map(({ field }) => field),
  ).toEqual(["name", "id"]);
});

test("strings that were made to collide are told apart", () => {
  using _ = tuned({ hashSeed: () => ADVERSARY_SEED });
  const rows = textsOfOneColumnHash(ADVERSARY_SEED, 300).map((name, i): Row => ({
    id: String(i),
    count: null,
    name,
    __proto__x: name,
    kind: "",
  }));
  expectSame(
    [...rows, ...rows],
    built([...rows, ...rows], () => true),
  );
});
