// What a field gets for a value of a flat format: the converted value if nothing is lost, otherwise the value itself,
// which the field then does not accept.

import { expect, test } from "vitest";
import { inputOf } from "../../src/import/flat-value.ts";
import { boolean, float, int, json, string } from "../../src/index.ts";
import { Unreadable, type Field } from "../../src/schema/field.ts";

const FIELDS: Readonly<Record<string, Field>> = {
  int: int(),
  float: float(),
  boolean: boolean(),
  string: string(),
  json: json(),
};

const when = new Date(Date.UTC(2024, 1, 29, 12, 30));
const never = new Date(NaN);
const unreadable = new Unreadable("?", () => "is unreadable");
const nested = { a: [1n, 2n ** 60n, "x"], when };

/** The values that change, by the type of field; of the other types, each stays as it is. */
const CASES: readonly (readonly [given: unknown, changed: Readonly<Record<string, unknown>>])[] = [
  ["12", { float: 12, json: 12 }],
  ["1.50", { float: 1.5, json: 1.5 }],
  ["5.", { float: 5 }],
  [".5", { float: 0.5 }],
  ["+5", { float: 5 }],
  ["-5e+02", { float: -500, json: -500 }],
  ["1E3", { float: 1000, json: 1000 }],
  ["true", { json: true, boolean: true }],
  ['{"a":[1]}', { json: { a: [1] } }],
  ["", {}],
  ["x", {}],
  ["1x", {}],
  ["x1", {}],
  [".", {}],
  ["1e", {}],
  ["1.5.5", {}],
  ["0x10", {}],
  ["Infinity", {}],
  [7n, { float: 7, string: "7" }],
  [2n ** 53n + 1n, { string: "9007199254740993" }],
  [2n ** 60n, { float: 2 ** 60, string: "1152921504606846976" }],
  [1.5, { string: "1.5" }],
  [NaN, {}],
  [Infinity, {}],
  [true, {}],
  [undefined, {}],
  [null, {}],
  [when, { int: when.getTime(), string: when.toISOString(), json: when.toISOString() }],
  [never, { json: null }],
  [unreadable, {}],
  [nested, { json: { a: [1, "1152921504606846976", "x"], when: when.toISOString() } }],
];

test.each(CASES)("%o", (given, changed) => {
  for (const [type, field] of Object.entries(FIELDS)) {
    const value = inputOf(field, given);
    if (type === "json" && typeof given === "string" && !("json" in changed)) {
      expect(value).toBeInstanceOf(Unreadable);
    } else if (changed[type] === undefined) expect(value).toBe(given);
    else expect(value).toEqual(changed[type]);
  }
});
