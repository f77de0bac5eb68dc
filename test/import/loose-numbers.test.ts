// Numbers as people, spreadsheets and shops write them.

import fc from "fast-check";
import { expect, test } from "vitest";
import { inferSchema, isMissing, looseNumber, readCsv } from "../../src/import/index.ts";
import { defineSchema, float } from "../../src/index.ts";

test.each<[string, number | null | undefined]>([
  ["1,234", 1234],
  ["1,234,567.50", 1_234_567.5],
  ["12,34", undefined],
  ["$1.50", 1.5],
  ["-$1.50", -1.5],
  ["$-1.50", -1.5],
  ["1.50 €", 1.5],
  ["EUR 1,000", 1000],
  ["1 000 CHF", 1000],
  ["12 %", 0.12],
  ["0.7%", 0.007],
  [" 5", 5],
  ["1\u00a0234", 1234],
  ["1'234", 1234],
  ["(5)", -5],
  ["6.02e23", 6.02e23],
  ["2.02e20", 2.02e20],
  [".5", 0.5],
  ["5.", 5],
  ["+7", 7],
  ["-0", 0],
  ["NA", null],
  ["n/a", null],
  ["-", null],
  ["NULL", null],
  ["  ", null],
  ["$", undefined],
  ["abc", undefined],
  ["1e999", undefined],
  ["1.2.3", undefined],
  ["2024-01-01", undefined],
  ["1".repeat(100), undefined],
  ["__proto__", undefined],
  ["US$5", 5],
  ["HK$ 1,000", 1000],
  ["($5)", -5],
  ["-5 €", -5],
  ["--5", undefined],
  ["+-5", undefined],
  ["-$-5", undefined],
  ["(-5)", undefined],
  ["(+5)", undefined],
  ["-(5)", undefined],
  ["5-", undefined],
  ["AB12", undefined],
  ["12 %%", undefined],
])("%j says %j", (text, number) => {
  expect(looseNumber(text)).toBe(number);
});

test("with a decimal comma", () => {
  const read = (text: string) => looseNumber(text, { decimal: "," });
  expect(["1.234,5", "0,5", "12,5 %", "NA", "1,234.5"].map(read)).toEqual([
    ...[1234.5, 0.5, 0.125, null, undefined],
  ]);
});

test("what JavaScript and spreadsheets write of a number says that number", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(looseNumber(String(number))).toBe(number + 0);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), (cents) => {
      const text = (cents / 100).toLocaleString("en-US", { minimumFractionDigits: 2 });
      expect(looseNumber(text)).toBe(cents / 100 + 0);
    }),
  );
});

test("as a conversion of a reader", () => {
  const csv = 'price\n"$1,234.50"\nNA\n12\n';
  expect(inferSchema(readCsv(csv)).fields.price?.type).toBe("string");
  const schema = defineSchema({ price: float({ nullable: true }) });
  const convert = { price: (text: unknown) => looseNumber(String(text)) };
  expect([...readCsv(csv, { schema, convert })]).toEqual([
    { price: 1234.5 },
    { price: null },
    { price: 12 },
  ]);
  expect(isMissing("N/A")).toBe(true);
});
