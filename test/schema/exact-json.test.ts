// Numbers of JSON text are never rounded silently, and the size of a JSON value is bounded.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  inferSchema,
  loadCollection,
  readCsv,
  readJson,
  readNdjson,
} from "../../src/import/index.ts";
import { createCollection, defineSchema, float, InputError, int, json } from "../../src/index.ts";
import {
  comesBack,
  isFloatOrExact,
  LongNumber,
  parseExactly,
} from "../../src/schema/exact-json.ts";

describe("parseExactly", () => {
  test("gives what JSON.parse gives, where no number is rounded", () => {
    const deep = fc.json({ maxDepth: 4, stringUnit: "grapheme" });
    const spaced = fc.tuple(deep, fc.constantFrom(undefined, 1, "\t"));
    fc.assert(
      fc.property(spaced, fc.constantFrom(comesBack, isFloatOrExact), ([text, space], isHeld) => {
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
      fc.property(digits, fc.constantFrom(comesBack, isFloatOrExact), (integer, isHeld) => {
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
    load: (line: string, more: object) => [
      ...loadCollection(Any, readJson(`[${line}]`, { schema: Any, ...more })),
    ],
  };

  test.each(Object.entries(readers))(
    "%s refuses an integer that a number can't hold, wherever it stands",
    (_, read) => {
      for (const digits of ["9007199254740993", "-1234567890123456789", `1${"0".repeat(30)}1`]) {
        for (const value of places(digits)) {
          const line = `{"id":1,"value":${value}}`;
          expect(() => read(line, { schema: Any })).toThrow(InputError);
          if (read !== readers.load) expect(() => read(line, {})).toThrow(/\.value.*2\^53/);
        }
      }
    },
  );

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
  });

  test("a column of CSV with such JSON keeps its text", () => {
    const schema = inferSchema(readCsv('id,a\n1,"{""b"":9007199254740993}"\n'));
    expect(schema.fields.a?.type).toBe("string");
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
