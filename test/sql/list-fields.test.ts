// The column of List Fields: the key of each in it, and the declarations in the table of Lists.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ListFieldType } from "../../src/service/contact.ts";
import { listFieldKey, readListFields, writeListFields } from "../../src/sql/list-fields.ts";
import { RowError } from "../../src/sql/records.ts";
import { settings } from "../property.ts";
import { thrownBy } from "../rules/fixtures.ts";

const UNITS = ["a", "Z", "0", "_", " ", "%", "2", "D", "u", "E", "-", ".", "é", "😀", "\0"];

describe("the key of a List Field", () => {
  test.each([
    ["First Name", "First Name"],
    ["_9", "_9"],
    ["größe", "größe"],
    ["\u{a0}", "\u{a0}"],
    ["😀", "😀"],
    ["a-", "a%2D"],
    ["-a", "%2Da"],
    ["a.b[0]", "a%2Eb%5B0%5D"],
    ["100%", "100%25"],
    ["'\"`\\$?:", "%27%22%60%5C%24%3F%3A"],
    ["\t\n", "%09%0A"],
    ["\u{7f}\u{9f}", "%7F%9F"],
    ["\ud83d", "%uD83D"],
    ["", "%"],
  ])("of %j is %j", (name, key) => {
    expect(listFieldKey(name)).toBe(key);
  });

  test("is that of no other, and has no character that means anything to an engine", () => {
    const names = fc.uniqueArray(fc.string({ unit: fc.constantFrom(...UNITS) }));
    fc.assert(
      fc.property(names, (names) => {
        const keys = names.map(listFieldKey);
        expect(new Set(keys).size).toBe(keys.length);
        for (const key of keys) expect(key).toMatch(/^[A-Za-z0-9 _%\u{a0}-\u{10ffff}]+$/u);
      }),
      settings(300),
    );
  });
});

describe("the List Fields of a List", () => {
  test("are read as they were written, in their order", () => {
    const fields = new Map<string, ListFieldType>([
      ["b", "int"],
      ["2", "string"],
      ["__proto__", "string"],
    ]);
    const text = writeListFields({ id: "1", fields });
    expect([...readListFields(text)]).toEqual([...fields]);
  });

  test.each([
    ["nothing", null, "JSON"],
    ["no JSON", "[[", "JSON"],
    ["an object", '{"Age":"int"}', "iterable"],
    ["another type", '[["Age","float"]]', 'list.Age: must be "int" or "string"'],
    ["a name twice", '[["Age","int"],["Age","int"]]', "list.Age: occurs twice"],
    ["the name of a Contact field", '[["send_id","int"]]', "list.send_id: is already the name"],
  ])("are not read from %s", (_what, text, cause) => {
    const error = thrownBy(RowError, () => readListFields(text));
    expect(error.message).toContain(
      "the table of Lists must hold List Fields as pairs of a name and a type",
    );
    expect(String(error.cause)).toContain(cause);
  });
});
