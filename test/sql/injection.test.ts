// ClickHouse without bound parameters, where values are part of the text of statements: is each read
// back unchanged? test/differential tests awkward texts on all engines.

import { describe, expect, test } from "vitest";
import { clickhouse18 } from "../../src/sql/dialects/clickhouse.ts";
import { naughtyValues } from "./injection.ts";

/** What ClickHouse makes of a literal, by its documentation: https://clickhouse.com/docs/sql-reference/syntax#string */
function readLiteral(sql: string): { readonly value: string; readonly rest: string } {
  const [, body = "", rest = ""] = /^'((?:[^'\\]|\\[^]|'')*)'([^]*)$/.exec(sql) ?? [];
  const escapes: Readonly<Record<string, string>> = { "0": "\0", n: "\n", t: "\t", b: "\b" };
  const value = body.replace(/\\([^])|''/g, (_, character: string | undefined) =>
    character === undefined ? "'" : (escapes[character] ?? character),
  );
  return { value, rest };
}

describe("where ClickHouse binds nothing", () => {
  const written = (value: string) => clickhouse18.bind(value, []);

  test("each character of the planes, alone and beside each special one, is read as itself", () => {
    const specials = ["", "'", "\\", "\0", "`", '"', "n", "x"];
    for (let unit = 0; unit <= 0x2fff; unit++) {
      for (const special of specials) {
        const character = String.fromCharCode(unit);
        for (const text of [special + character, character + special]) {
          const { value, rest } = readLiteral(written(text));
          if (value !== text || rest !== "")
            expect({ value, rest }).toEqual({ value: text, rest: "" });
        }
      }
    }
  });

  test("naughty values, and all pairs of them", () => {
    for (const one of naughtyValues) {
      for (const other of naughtyValues) {
        expect(readLiteral(written(one + other))).toEqual({ value: one + other, rest: "" });
      }
    }
  });

  test("an integer is a signed one, and a list is its literals", () => {
    expect(clickhouse18.bind(9007199254740991, [])).toBe("toInt64(9007199254740991)");
    expect(clickhouse18.bind(["a'b", "\\"], [])).toBe("('a\\'b', '\\\\')");
    expect(clickhouse18.bind([-1, 9007199254740991], [])).toBe("(-1, 9007199254740991)");
  });
});
