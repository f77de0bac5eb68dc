// From a string to its position, compared with indexOf.

import fc from "fast-check";
import { expect, test } from "vitest";
import { StringTable } from "../../../src/engine/indexes/string-table.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";
import { ADVERSARY_SEED, stringsOfOneHash } from "../adversaries.ts";
import { stringTableOf } from "./built.ts";

function tableOf(...given: Parameters<typeof StringTable.building>): StringTable {
  const table = stringTableOf(...given);
  if (table === null) throw new Error("there is no table");
  return table;
}

const texts = fc.oneof(fc.string({ maxLength: 4 }), fc.string({ unit: "binary" }));

test("finds every string at its position, and no other string", () => {
  fc.assert(
    fc.property(fc.uniqueArray(texts, { maxLength: 80 }), fc.array(texts), (distinct, others) => {
      const table = tableOf(distinct);
      for (const text of [...distinct, ...others]) {
        expect(table.find(text)).toBe(distinct.indexOf(text));
      }
    }),
    settings(200),
  );
});

test("an element that is null is left out", () => {
  const table = tableOf([null, "a", null, ""]);
  expect(["a", "", "null", "b"].map((text) => table.find(text))).toEqual([1, 3, -1, -1]);
  expect(tableOf([]).find("")).toBe(-1);
});

test("positions may be added in any order, and more than once", () => {
  const values = Array.from({ length: 500 }, (_, i) => `value ${i}`);
  const twice = Uint16Array.from({ length: 1000 }, (_, i) => (i * 7919) % 500);
  const table = tableOf(values, twice);
  for (const [position, text] of values.entries()) expect(table.find(text)).toBe(position);
  expect(table.find("value 500")).toBe(-1);

  const often = tableOf(
    ["a", "b", "c"],
    Uint8Array.from({ length: 100 }, (_, i) => i % 3),
  );
  expect(["a", "b", "c", "d"].map((text) => often.find(text))).toEqual([0, 1, 2, -1]);
});

test("finds strings again, those between which it remembers only one included", () => {
  const alike = (i: number) => `same start ${i} same middle ${i} same end`;
  const values = Array.from({ length: 3000 }, (_, i) => alike(i));
  const table = tableOf(values);
  for (let round = 0; round < 2; round++) {
    for (const [position, text] of values.entries()) {
      expect(table.find(text)).toBe(position);
      expect(table.find(text)).toBe(position);
      expect(table.find(`${text} `)).toBe(-1);
      expect(table.find(text)).toBe(position);
    }
  }
});

test("at least half of its slots stay free, so that a search ends", () => {
  for (let size = 0; size < 40; size++) {
    const values = Array.from({ length: size }, (_, i) => String(i));
    const slots = tableOf(values).bytes / Uint32Array.BYTES_PER_ELEMENT;
    expect(slots).toBeGreaterThanOrEqual(Math.max(4, 2 * size));
    expect(slots).toBeLessThanOrEqual(Math.max(4, 4 * size));
  }
});

test("strings that are alike are told apart", () => {
  const alike = {
    "the beginning": (i: number) => `https://example.com/files/${i}`,
    "the end": (i: number) => `${i}@example.com`,
    "the low bits of their characters": (i: number) =>
      String.fromCharCode(256 * (i & 0x7f), 256 * ((i >> 7) & 0x7f), 256 * (i >> 14)),
  };
  for (const [what, text] of Object.entries(alike)) {
    const values = Array.from({ length: 2_000 }, (_, i) => text(i));
    const table = tableOf(values);
    expect(
      values.every((value, position) => table.find(value) === position),
      what,
    ).toBe(true);
    expect(table.find(text(2_000)), what).toBe(-1);
  }
});

test("strings that were made to collide have no table, and a search among many ends soon", () => {
  using _ = tuned({ hashSeed: () => ADVERSARY_SEED });
  const colliding = stringsOfOneHash(9);
  const alike = colliding.slice(0, 256);
  const table = tableOf(alike);
  expect(alike.every((text, position) => table.find(text) === position)).toBe(true);
  expect(table.find(colliding[256] ?? "")).toBe(-1);
  expect(stringTableOf(colliding)).toBeNull();
  expect(stringTableOf(colliding.slice(0, 257))).toBeNull();
});
