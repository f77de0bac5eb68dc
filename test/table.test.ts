// Tables: the alignment of their columns in a terminal.

import { describe, expect, test } from "vitest";
import { align, widthOf } from "../src/cli/table.ts";

test("columns stand below each other, words to the left and numbers to the right", () => {
  const rows = [
    ["name", "size"],
    ["a.txt", "12"],
    ["", "5000"],
  ];
  expect([...align(rows, [false, true])].map((row) => row.join("|"))).toEqual([
    "name |size",
    "a.txt|  12",
    "     |5000",
  ]);
  expect([...align([])]).toEqual([]);
});

describe("a text is as wide as a terminal shows it", () => {
  test.each([
    ["plain.txt", 9],
    ["cut…short", 9],
    ["日本語。txt", 11],
    ["ｆｕｌｌ", 8],
    ["한국", 4],
    // As macOS writes it: a letter and a mark.
    ["re\u0301sume\u0301", 6],
    ["👍🏽 ok", 5],
    ["👩‍👩‍👧", 2],
    ["\u2764\ufe0f", 2],
    ["zero\u200bwidth", 9],
    ["", 0],
  ])("%s", (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });

  test("and so are columns of such texts", () => {
    const rows = [
      ["日本", "|"],
      ["re\u0301", "|"],
      ["abcd", "|"],
    ];
    expect([...align(rows)].map((row) => row.join(""))).toEqual(["日本|", "re\u0301  |", "abcd|"]);
  });
});
