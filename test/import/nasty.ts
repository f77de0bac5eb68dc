// Records that tend to break formats: names and values with a meaning in a language, JavaScript or a format, prefixes
// of each other, halves of line ends, characters of every length.

import fc from "fast-check";
import { int, string } from "../../src/index.ts";
import { wireSchema } from "../wire-schema.ts";

const NAMES = [
  "a",
  "0",
  "2024",
  "__proto__",
  "constructor",
  "fields",
  "list",
  "",
  " ",
  "a,b",
  'a"b',
];
const VALUES = [
  "",
  " ",
  "0",
  "-1",
  "null",
  "\\N",
  ",",
  ";",
  '"',
  '""',
  '","',
  "\n",
  "\r\n",
  "\r",
  'a\n"b',
  "a",
  "ab",
  "a,b",
  "=1+2",
  "é",
  "€",
  "🎉",
  "\ufeff",
  "\ufeffa",
  "\u2028",
  "\u0000",
  "__proto__",
];

export const nastyName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.string({ unit: "grapheme", maxLength: 3 }),
);

export const nastyValue: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.array(fc.constantFrom(...VALUES), { maxLength: 4 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 5 }).map((text) => text.toWellFormed()),
);

/** Records that all have the same members. */
export const nastyRecords: fc.Arbitrary<Record<string, string | null>[]> = fc
  .uniqueArray(nastyName, { minLength: 1, maxLength: 4 })
  .chain((names) =>
    fc.array(
      fc
        .array(fc.option(nastyValue), { minLength: names.length, maxLength: names.length })
        .map((values) => Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]))),
      { maxLength: 8 },
    ),
  );

/** Whether CSV can hold the records: null in the only column would be a blank line. */
export const fitsCsv = (
  records: readonly Readonly<Record<string, string | null>>[],
  nullText = "",
): boolean =>
  nullText !== "" ||
  records.every(
    (record) => Object.values(record).join("\0") !== "" || Object.values(record)[0] !== null,
  );

/** A schema, and its records in wire form. */
export const Person = wireSchema({
  id: int(),
  age: int({ nullable: true }),
  name: string(),
  note: string({ nullable: true }),
});
const integer = fc
  .integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })
  .map(String);
export const person = fc.record({
  id: integer,
  age: fc.option(integer),
  name: nastyValue,
  note: fc.option(nastyValue),
});

/** Sizes of pieces: mostly small. */
export const pieceSize = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.integer({ min: 10, max: 300 }),
);
