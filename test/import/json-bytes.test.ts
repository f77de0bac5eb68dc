// JSON as bytes: where a value ends, and where a text stops being JSON.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endOfValue, nameOf, END_OF_TEXT } from "../../src/import/json-bytes.ts";
import { faultOf } from "../../src/import/json-fault.ts";
import { settings } from "../property.ts";
import { isJson } from "./pieces.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const lengthOf = (text: string) => encode(text).length;

const space = fc.constantFrom("", "", "", " ", "\n", "\t\r", "  ");
const strings = fc
  .array(
    fc.constantFrom(
      "a",
      "é",
      "\u{1f600}",
      " ",
      ",",
      "]",
      "}",
      "[{",
      '\\"',
      "\\\\",
      "\\/",
      "\\n",
      "\\u00e9",
    ),
  )
  .map((parts) => `"${parts.join("")}"`);
const words = fc.constantFrom(
  ...[
    "true",
    "false",
    "null",
    "0",
    "-0",
    "7",
    "10",
    "-12",
    "0.5",
    "12.75",
    "1e3",
    "1E+3",
    "0e-10",
    "-1.5e07",
  ],
);

/** Texts of JSON, with space anywhere. */
const { value: values } = fc.letrec<{ value: string }>((tie) => {
  const spaced = fc.tuple(space, tie("value"), space).map((parts) => parts.join(""));
  const member = fc
    .tuple(space, strings, space, spaced)
    .map(([before, name, after, value]) => `${before}${name}${after}:${value}`);
  const list = (open: string, close: string, each: fc.Arbitrary<string>) =>
    fc
      .tuple(space, fc.array(each, { maxLength: 3 }))
      .map(([blank, all]) => open + (all.length === 0 ? blank : all.join(",")) + close);
  return {
    value: fc.oneof(
      { maxDepth: 3 },
      words,
      strings,
      list("[", "]", spaced),
      list("{", "}", member),
    ),
  };
});

describe("a text of JSON", () => {
  test("has no fault, with space around it", () => {
    fc.assert(
      fc.property(space, values, space, (before, value, after) => {
        expect(faultOf(encode(before + value + after))).toBeUndefined();
      }),
      settings(200),
    );
  });

  test("is at fault where it is cut, and nowhere else", () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = encode(value);
        for (let cut = 0; cut < bytes.length; cut++) {
          const start = bytes.subarray(0, cut);
          const fault = faultOf(start);
          if (isJson(new TextDecoder().decode(start))) expect(fault).toBeUndefined();
          else expect(fault).toMatchObject({ at: cut, what: "end" });
        }
      }),
      settings(100),
    );
  });

  test("is at fault at a byte that is legal nowhere", () => {
    fc.assert(
      fc.property(values, fc.nat(), (value, pick) => {
        const bytes = encode(value);
        const at = pick % bytes.length;
        bytes[at] = 0x01;
        expect(faultOf(bytes)).toMatchObject({ at, what: "control character" });
      }),
      settings(200),
    );
  });

  test("says in which element of an array the fault is", () => {
    fc.assert(
      fc.property(fc.array(values, { maxLength: 4 }), values, (before, rest) => {
        const start = `[${before.map((each) => `${each},`).join("")}`;
        expect(faultOf(encode(`${start}?,${rest}]`))).toEqual({
          at: lengthOf(start),
          what: "'?'",
          element: before.length,
        });
      }),
      settings(100),
    );
  });

  test.each([
    ["", 0],
    [" ", 1],
    ["[1,]", 3],
    ["[,1]", 1],
    ["[1 2]", 3],
    ["[1}", 2],
    ['{"a":1]', 6],
    ['{"a"}', 4],
    ['{"a" 1}', 5],
    ["{a:1}", 1],
    ['{"a":1,}', 7],
    ["{,}", 1],
    ["{]", 1],
    ["[}", 1],
    ["1 1", 2],
    ["]", 0],
    ["01", 1],
    ["-a", 1],
    ["1.e", 2],
    [".5", 0],
    ["+1", 0],
    ["1e+", 3],
    ["1ex", 2],
    ["1.5.5", 3],
    ["truE", 3],
    ["trues", 4],
    ["nul", 3],
    ["nothing", 1],
    ["falsy", 4],
    ['"\n"', 1],
    ['"\\x"', 2],
    ['"\\u00g0"', 5],
    ['"\\u00"', 5],
    ["'a'", 0],
    ["[[1],[2]", 8],
    ["undefined", 0],
  ])("%j is at fault at byte %d", (text, at) => {
    expect(faultOf(encode(text))?.at).toBe(at);
  });
});

describe("a value in a longer text", () => {
  test("ends where it ends, whatever follows", () => {
    fc.assert(
      fc.property(values, fc.constantFrom(",", "]", "}", " ", "\n", "\t", "\r"), (value, next) => {
        const before = '{"';
        const bytes = encode(`${before}${value}${next}"`);
        expect(endOfValue(bytes, before.length)).toBe(before.length + lengthOf(value));
      }),
      settings(200),
    );
  });

  test("has no end if it is a string, an object or an array that is cut", () => {
    fc.assert(
      fc.property(
        values.filter((value) => /^["[{]/.test(value)),
        (value) => {
          const bytes = encode(value);
          expect(endOfValue(bytes, 0)).toBe(bytes.length);
          for (let cut = 1; cut < bytes.length; cut++) {
            expect(endOfValue(bytes.subarray(0, cut), 0)).toBe(END_OF_TEXT);
          }
        },
      ),
      settings(100),
    );
  });
});

test.each([
  [END_OF_TEXT, "end"],
  [0x00, "control character"],
  [0x1f, "control character"],
  [0x20, "' '"],
  [0x7e, "'~'"],
  [0x7f, "character beyond ASCII"],
  [0xc3, "character beyond ASCII"],
])("the byte %d is called %s", (byte, name) => {
  expect(nameOf(byte)).toBe(name);
});
