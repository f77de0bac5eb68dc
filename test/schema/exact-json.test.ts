// Numbers of JSON text are never rounded silently, and the size of a JSON value is bounded.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inferSchema, loadCollection, readCsv } from "../../src/import/index.ts";
import { readJson, readNdjson, type AnyRecord } from "../../src/import/index.ts";
import type { SyncReading } from "../../src/import/index.ts";
import { decimal, noFacts, observe } from "../../src/import/value-types.ts";
import { createCollection, defineSchema, float, InputError, int, json } from "../../src/index.ts";
import type { Schema } from "../../src/index.ts";
import { settings } from "../property.ts";
import { comesBack, isExact, LongNumber, parseExactly } from "../../src/schema/exact-json.ts";

describe("parseExactly", () => {
  test("gives what JSON.parse gives, where no number is rounded", () => {
    const deep = fc.json({ maxDepth: 4, stringUnit: "grapheme" });
    const spaced = fc.tuple(deep, fc.constantFrom(undefined, 1, "\t"));
    fc.assert(
      fc.property(spaced, fc.constantFrom(comesBack, isExact), ([text, space], isHeld) => {
        const value = JSON.parse(text) as unknown;
        // The number before it makes the text one that may have long numbers.
        const long = `[1234567890123456,${JSON.stringify(value, undefined, space)}]`;
        expect(parseExactly(long, isHeld)).toStrictEqual(JSON.parse(long));
      }),
    );
    const names = '{"__proto__":[1234567890123456],"a":1,"\\u0061":2,"b":{},"c":[],"":"\\\\\\""}';
    expect(parseExactly(names, comesBack)).toStrictEqual(JSON.parse(names));
  });

  test("keeps the digits of every integer, as a number or as they are written", () => {
    const digits = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
    fc.assert(
      fc.property(digits, fc.constantFrom(comesBack, isExact), (integer, isHeld) => {
        const value = parseExactly(`{"a":[${integer}]}`, isHeld) as { a: unknown[] };
        const [read] = value.a;
        const isExact = typeof read === "number" && BigInt(read) === integer;
        expect(isExact || inFull(String(read)) === String(integer)).toBe(true);
      }),
    );
  });

  test("refuses what JSON.parse refuses", () => {
    for (const text of ["01234567890123456", "[1234567890123456,]", "1234567890123456."]) {
      expect(() => parseExactly(text, comesBack)).toThrow(SyntaxError);
    }
  });

  test("a text of long digits costs no more than linear time", () => {
    const text = "9".repeat(1_000_000);
    expect(parseExactly(text, comesBack)).toBeInstanceOf(LongNumber);
    expect(parseExactly(`1${"0".repeat(1_000_000)}1.5`, comesBack)).toBeInstanceOf(LongNumber);
  });
});

/** An integer that JavaScript writes with an exponent, with all its digits: `1.5e+21` is 1500 and so on. */
function inFull(written: string): string {
  const [digits = "", exponent = "0"] = written.split("e+");
  const [whole = "", fraction = ""] = digits.split(".");
  return whole + fraction + "0".repeat(Math.max(0, Number(exponent) - fraction.length));
}

describe("records of JSON", () => {
  const Any = defineSchema({ id: int(), value: json() });
  const Float = defineSchema({ id: int(), value: float() });
  const places = (digits: string) => [digits, `[${digits}]`, `{"a":{"b":[1,${digits}]}}`];
  const readers = {
    json: (line: string, more: object) => [...readJson(`[${line}]`, more)],
    ndjson: (line: string, more: object) => [...readNdjson(`${line}\n`, more)],
  };
  const LONG = [
    ...["9007199254740993", "-1234567890123456789", `1${"0".repeat(30)}1`, "1e400", "1e-400"],
    ...["0.1234567890123456789012", "-2.000000000000000017", "12345678901234.567e-3"],
  ];

  test.each(Object.entries(readers))(
    "%s has the digits of a number that would be rounded, wherever it stands",
    (_, read) => {
      for (const digits of LONG) {
        for (const value of places(digits)) {
          const line = `{"id":1,"value":${value}}`;
          const expected = [
            { id: 1, value: JSON.parse(value.replace(digits, `"${digits}"`)) as unknown },
          ];
          expect(read(line, {})).toEqual(expected);
          expect(read(line, { schema: Any })).toEqual(expected);
          const loading = readJson(`[${line}]`, { schema: Any });
          expect(loadCollection(Any, loading).query()).toEqual(expected);
        }
      }
    },
  );

  test("an int field refuses it, and a float is the nearest number", () => {
    const Int = defineSchema({ value: int() });
    for (const digits of LONG) {
      const text = `[{"value":${digits}}]`;
      expect(() => [...readJson(text, { schema: Int })]).toThrow("which would be rounded");
      expect(() => loadCollection(Int, readJson(text, { schema: Int }))).toThrow(InputError);
    }
    const Nearest = defineSchema({ value: float() });
    const text = '[{"value":0.1234567890123456789012}]';
    const expected = [{ value: 0.12345678901234568 }];
    expect([...readJson(text, { schema: Nearest })]).toEqual(expected);
    expect(loadCollection(Nearest, readJson(text, { schema: Nearest })).query()).toEqual(expected);
    expect(() => [...readJson('[{"value":1e400}]', { schema: Nearest })]).toThrow(InputError);
  });

  test("a number that a double holds is accepted, however it is written", () => {
    for (const written of [
      "1.0e16",
      "1e21",
      "1e+22",
      "10000000000000000",
      "12345678901234567168",
    ]) {
      const line = `{"id":1,"value":${written}}`;
      for (const read of [readers.json, readers.ndjson]) {
        expect(read(line, {})).toEqual([{ id: 1, value: Number(written) }]);
        expect(read(line, { schema: Any })).toEqual([{ id: 1, value: Number(written) }]);
        expect(read(line, { schema: Float })).toEqual([{ id: 1, value: Number(written) }]);
      }
      const schema = inferSchema(readJson(`[${line}]`));
      expect(loadCollection(schema, readJson(`[${line}]`, { schema })).at(0)).toEqual({
        id: 1,
        value: Number(written),
      });
    }
  });

  test("a conversion sees every digit", () => {
    const line = '{"id":1,"value":9007199254740993}';
    expect(() => [...readNdjson(line, { schema: Float })]).toThrow("9007199254740993, which would");
    expect([...readNdjson(line, { schema: Any, convert: { value: String } })]).toEqual([
      { id: 1, value: "9007199254740993" },
    ]);
    const seen: unknown[] = [];
    const convert = { value: (value: unknown) => seen.push(value) };
    const values = ["9007199254740993", "1e400", "[0.1234567890123456789012]", "0.5"];
    const lines = values.map((value) => `{"value":${value}}\n`).join("");
    expect([...readNdjson(lines, { convert })]).toHaveLength(4);
    expect(seen).toEqual([9007199254740993n, "1e400", ["0.1234567890123456789012"], 0.5]);
  });

  test("a column of CSV with such JSON keeps its text", () => {
    const schema = inferSchema(readCsv('id,a\n1,"{""b"":9007199254740993}"\n'));
    expect(schema.fields.a?.type).toBe("string");
  });
});

describe("a column of any decimal numbers, in any format", () => {
  const digits = fc.stringMatching(/^\d{1,25}$/);
  const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);
  const numbers = fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.oneof(
        digits.map((each) => each.replace(/^0+(?=\d)/, "")),
        fc.constant("0"),
      ),
      fc.option(digits),
      fc.option(
        fc.oneof(
          fc.integer({ min: -30, max: 30 }),
          fc.constantFrom(-400, -324, -308, 308, 309, 400, 9999),
        ),
      ),
      fc.constantFrom("e", "E"),
    )
    .map(([sign, whole, fraction, exponent, e]) => {
      const after = exponent === null ? "" : `${e}${exponent > 0 ? "+" : ""}${exponent}`;
      return `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${after}`;
    });
  const column = fc.array(
    fc.oneof(numbers, doubles, fc.constantFrom("9007199254740993", "1.10", "-0", "1E5")),
    { minLength: 1, maxLength: 4 },
  );

  /** The digits without zeros at their ends, and the exponent. */
  function exactly(text: string): string {
    const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
    const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
    const significant = (whole + fraction).replace(/^0+/, "");
    const short = significant.replace(/0+$/, "");
    if (short === "") return "0";
    const shift = Number(exponent) - fraction.length + significant.length - short.length;
    return `${mantissa.startsWith("-") ? "-" : ""}${short}e${shift}`;
  }

  /** Whether a number is the one that a text says, and printed with as many digits says the same. */
  function isSame(text: string, value: number): boolean {
    if (!Number.isFinite(value) || value !== Number(text)) return false;
    const [mantissa = ""] = exactly(text).split("e");
    const digits = Math.max(1, mantissa.replace("-", "").length);
    return [String(value), value.toPrecision(digits)].some(
      (printed) => exactly(printed) === exactly(text),
    );
  }

  const formats: Readonly<Record<string, (texts: readonly string[]) => readonly unknown[]>> = {
    csv: (texts) => loaded((more) => readCsv(`a,b\n${lines(texts, ",")}`, more)),
    tsv: (texts) => loaded((more) => readCsv(`a\tb\n${lines(texts, "\t")}`, { ...more, ...TAB })),
    json: (texts) => loaded((more) => readJson(`[${objects(texts).join()}]`, more)),
    ndjson: (texts) => loaded((more) => readNdjson(objects(texts).join("\n"), more)),
    "json without a schema": (texts) =>
      [...readJson(`[${objects(texts).join()}]`)].map((record) => record.b),
  };
  const TAB = { delimiter: "\t" };
  const lines = (texts: readonly string[], delimiter: string) =>
    texts.map((each) => `x${delimiter}${each}\n`).join("");
  const objects = (texts: readonly string[]) => texts.map((each) => `{"a":"x","b":${each}}`);
  function loaded(read: (more: { schema?: Schema }) => SyncReading<AnyRecord>) {
    const schema = inferSchema(read({}));
    return loadCollection(schema, read({ schema }))
      .query()
      .map((record) => record.b);
  }

  test("has the same numbers, or is text with the very digits", () => {
    fc.assert(
      fc.property(column, fc.constantFrom(...Object.keys(formats)), (texts, name) => {
        const values = formats[name]?.(texts) ?? [];
        expect(values.length).toBe(texts.length);
        for (const [i, text] of texts.entries()) {
          const value = values[i];
          const isKept = value === text || isSame(text, Number(value));
          expect([name, text, isKept]).toEqual([name, text, true]);
        }
        // A number that is a double for certain makes no column text.
        const areShort = texts.every((text) => /^-?(?:0|[1-9]\d{0,9})(?:\.\d{1,5})?$/.test(text));
        if (areShort && !texts.includes("-0"))
          expect(values.every((value) => typeof value === "number")).toBe(true);
      }),
      settings(1000),
    );
  });

  test("of a declared type", () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), { minLength: 1 }),
        fc.integer({ min: -5, max: 30 }),
        (unscaled, scale) => {
          const type = decimal(25, scale);
          const facts = noFacts();
          for (const value of unscaled) observe(type, facts, value);
          const isText = type.fieldType(facts) === "string";
          const toInput = type.toInput?.(facts, undefined) ?? String;
          for (const value of unscaled) {
            const read = toInput(value);
            const text = `${value}e${-scale}`;
            expect(typeof read).toBe(isText ? "string" : "number");
            if (isText) expect(exactly(String(read))).toBe(exactly(text));
            else expect(isSame(text, Number(read))).toBe(true);
          }
        },
      ),
      settings(300),
    );
  });
});

describe("a JSON value of absurd size", () => {
  const Any = defineSchema({ value: json() });
  const refusalOf = (value: unknown) => {
    try {
      createCollection(Any, [{ value: value as never }]);
      return undefined;
    } catch (thrown) {
      return thrown;
    }
  };
  const sparse = (length: number) => Object.assign([] as unknown[], { length });
  const bomb = () => {
    let value: unknown = [1];
    for (let depth = 0; depth < 100; depth++) value = [value, value];
    return value;
  };
  const endless = (each: unknown) =>
    new Proxy([] as unknown[], {
      get: (_, name): unknown => (name === "length" ? 2 ** 32 - 1 : each),
    });

  test.each<[what: string, make: () => unknown]>([
    ["an array without elements", () => sparse(400_000_000)],
    ["the longest array", () => sparse(2 ** 32 - 1)],
    ["an array without most elements", () => Object.assign(sparse(2 ** 32 - 1), { 0: 1 })],
    ["such an array within others", () => ({ a: [[sparse(2 ** 32 - 1)]] })],
    ["arrays that hold each other twice", bomb],
    ["a proxy of great length", () => endless(1)],
    ["the same string very often", () => Array.from({ length: 1000 }, () => "x".repeat(1_000_000))],
    ["a typed array", () => new Uint8Array(10)],
    [
      "something like an array",
      () =>
        new (class {
          length = 2 ** 32;
        })(),
    ],
    [
      "a getter that throws",
      () => ({
        get a() {
          throw new Error("no");
        },
      }),
    ],
  ])("%s is an InputError", (_, make) => {
    expect(refusalOf(make())).toBeInstanceOf(InputError);
  });

  test("a value of a million members is accepted", () => {
    const value = Array.from({ length: 1_000_000 }, (_, i) => i);
    // As text: comparing a million members one by one takes seconds.
    const found = createCollection(Any, [{ value }]).at(0);
    expect(JSON.stringify(found) === JSON.stringify({ value })).toBe(true);
  });
});
