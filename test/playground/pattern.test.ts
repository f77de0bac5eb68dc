// Regular expressions of linear cost, compared with those of the engine.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { patternOf } from "../../src/playground/engine/pattern.ts";
import { settings } from "../property.ts";

/** Expressions without nested repetition of long parts, which the engine can run. */
const atom = fc.constantFrom(
  ...[
    "a",
    "b",
    "é",
    "😀",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "\\W",
    "[ab]",
    "[^a]",
    "[a-c\\d]",
    "[\\]\\-^]",
  ],
  ...["\\.", "\\b", "\\B", "^", "$", "\\u0061", "\\x62", "\\u{1f600}", "\\p{L}", "\\P{Lu}", "\\n"],
);
const times = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?");
const { expression } = fc.letrec<{ expression: string; sequence: string; term: string }>((tie) => ({
  expression: fc.array(tie("sequence"), { minLength: 1, maxLength: 2 }).map((all) => all.join("|")),
  sequence: fc.array(tie("term"), { maxLength: 3 }).map((all) => all.join("")),
  term: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    fc
      .tuple(atom, times)
      .map(([one, often]) => (/^(?:\\[bB]|[\^$])$/.test(one) ? one : one + often)),
    fc
      .tuple(fc.constantFrom("(", "(?:"), tie("expression"), times)
      .map(([open, inner, often]) => `${open}${inner})${often}`),
  ),
}));
const text = fc.string({
  unit: fc.constantFrom("a", "b", "c", "A", "É", "é", "1", " ", ".", "\n", "😀", "]", "-"),
  maxLength: 8,
});

test("finds what the engine finds", () => {
  fc.assert(
    fc.property(expression, fc.array(text, { maxLength: 5 }), (source, texts) => {
      const [own, engine] = [patternOf(source), new RegExp(source, "u")];
      // V8 has a place between the halves of a character, where `\B` holds.
      const sound = texts.filter((each) => !source.includes("\\B") || !each.includes("😀"));
      for (const each of sound) expect([each, own(each)]).toEqual([each, engine.test(each)]);
    }),
    settings(3000),
  );
});

test("ignores case where it is told to", () => {
  const isFound = patternOf("(?i)^STRASSE [é-ü]$");
  expect(["strasse É", "Strasse ü", "strasse z"].map(isFound)).toEqual([true, true, false]);
});

test("its cost is linear, where that of backtracking is exponential, and few states are kept", () => {
  for (const source of [
    "(a*)*b",
    "(a|aa)+$",
    "(.*)(.*)(.*)(.*)x",
    "(?:a?){300}a{300}b",
    `${"(".repeat(99)}a{1}${"){1}".repeat(99)}b`,
  ]) {
    expect(patternOf(source)(`${"a".repeat(20_000)}c`)).toBe(false);
  }
  const distinct = Array.from({ length: 60_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join(
    "",
  );
  expect(patternOf("[^x]y$")(`${distinct}y`)).toBe(true);
});

describe("what can’t be had is refused with its place", () => {
  test.each([
    ["(a", "“)” is missing at character 3"],
    ["a)", "“)” has no “(” at character 2"],
    ["*a", "“*” stands alone; for the character itself write \\* at character 1"],
    ["a**", "“*” stands alone; for the character itself write \\* at character 3"],
    ["[a", "“]” is missing at character 4"],
    ["[b-a]", "a range has no order at character 5"],
    ["a{2,1}", "a quantifier has no order at character 7"],
    ["a{x}", "“{” needs a number; for the character itself write \\{ at character 2"],
    ["(a)\\1", "“\\1” can’t be used at character 5"],
    ["(?=a)", "lookaround and names of groups can’t be used at character 3"],
    ["(?i)\\q", "“\\q” can’t be used at character 6"],
    ["\\p{Nothing}", "there is no property of characters “Nothing” at character 12"],
    ["\\u{110000}", "there is no such character at character 11"],
    ["\\", "“\\” stands at the end at character 3"],
    ["(".repeat(101), "it has too many groups within groups"],
    ["((a{100}){100}){100}", "it is too long, or repeats too much"],
  ])("%s", (source, reason) => {
    expect(() => patternOf(source)).toThrow(new Error(reason));
  });
});
