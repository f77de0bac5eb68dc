// The tests that hold exactly for the values within bounds: of text forms, and of values as records of one's own schemas
// hold them, which are numbers, booleans, strings and arrays of strings.

import {
  comparisonText,
  isNumeric,
  isText,
  textFormOfStored,
  type Field,
  type FieldValue,
  type TextValue,
} from "../schema/field.ts";
import { isFolded } from "../schema/folding.ts";
import { parseNumber, toFloatText, toIntegerText } from "../schema/numbers.ts";
import { compareCodePoints } from "../schema/order.ts";
import { containsElements, hasElements, NO_ELEMENTS } from "../schema/strings.ts";
import type { Bounds, ElementBounds, IntervalBounds, Limit } from "./bounds.ts";

/** Whether a criterion holds for the text form of its field's value. */
export type ValueTest = (value: TextValue) => boolean;

/** Whether a criterion holds for a value. */
export type TestOfValue = (value: FieldValue) => boolean;

/** The test of text forms that holds exactly for those within the bounds. C6: null is within few. */
export function testOfTexts(bounds: Bounds): ValueTest {
  switch (bounds.kind) {
    case "complement": {
      const test = testOfTexts(bounds.of);
      return (value) => !test(value);
    }
    case "values": {
      const { values, inside } = bounds;
      const [only] = values;
      if (only !== undefined && values.length === 1) {
        return inside ? (value) => value === only : (value) => value !== only;
      }
      const set = new Set(values);
      return (value) => set.has(value) === inside;
    }
    case "prefix":
      return (value) => value?.startsWith(bounds.text) === true;
    case "suffix":
      return (value) => value?.endsWith(bounds.text) === true;
    case "substring":
      return (value) => value?.includes(bounds.text) === true;
    case "elements": {
      const has = hasElements(bounds.elements, bounds.areAll);
      return (value) => value !== null && has(value);
    }
    case "interval":
      return every(bounds.limits, limitOfTexts);
  }
}

function limitOfTexts(limit: Limit): ValueTest {
  const { bound } = limit;
  if (typeof bound === "string") {
    const test = stringTest(limit, bound);
    return (text) => text !== null && test(text);
  }
  const test = numberTest(limit, bound);
  return (text) => text !== null && test(parseNumber(text));
}

/** The test of a field's values that holds exactly for those within the bounds. */
export function testOfValues(field: Field, bounds: Bounds): TestOfValue {
  switch (bounds.kind) {
    case "complement": {
      const test = testOfValues(field, bounds.of);
      return (value) => !test(value);
    }
    case "values": {
      const test = equality(field, bounds.values);
      return bounds.inside ? test : (value) => !test(value);
    }
    case "prefix":
      return textTest(field, (text) => text.startsWith(bounds.text));
    case "suffix":
      return textTest(field, (text) => text.endsWith(bounds.text));
    case "substring":
      return textTest(field, (text) => text.includes(bounds.text));
    case "elements":
      return elementTest(bounds);
    case "interval":
      return every(bounds.limits, (limit) => {
        const { bound } = limit;
        if (typeof bound === "number") return numberTest(limit, bound);
        return textTest(field, stringTest(limit, bound));
      });
  }
}

/** The test that a value is within all limits. */
function every<Value>(
  limits: IntervalBounds["limits"],
  testOf: (limit: Limit) => (value: Value) => boolean,
): (value: Value) => boolean {
  const first = testOf(limits[0]);
  if (limits.length === 1) return first;
  const second = testOf(limits[1]);
  return (value) => first(value) && second(value);
}

function equality(field: Field, texts: readonly TextValue[]): TestOfValue {
  const [only] = texts;
  // C17: the only array that criteria name.
  if (only === NO_ELEMENTS && field.type === "strings") {
    return (value) => Array.isArray(value) && value.length === 0;
  }
  if (only !== undefined && texts.length === 1 && !isFolded(field)) {
    const wanted = valueOf(field, only);
    return wanted === undefined ? () => false : (value) => value === wanted;
  }
  const values = new Set<unknown>();
  for (const text of texts) values.add(valueOf(field, text));
  if (!isFolded(field)) return (value) => values.has(value);
  return (value) => values.has(typeof value === "string" ? comparisonText(field, value) : value);
}

/** The value that has a text form; `undefined` if no value of the field has it. */
function valueOf({ type }: Field, text: TextValue): FieldValue | undefined {
  if (text === null) return null;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  if (!isNumeric(type)) return text;
  const isCanonical = (type === "int" ? toIntegerText : toFloatText)(text) !== undefined;
  return isCanonical ? parseNumber(text) : undefined;
}

function textTest(field: Field, test: (text: string) => boolean): TestOfValue {
  if (!isText(field.type)) {
    return (value) => {
      const text = textFormOfStored(field, value);
      return text !== null && test(text);
    };
  }
  if (!isFolded(field)) return (value) => typeof value === "string" && test(value);
  return (value) => typeof value === "string" && test(comparisonText(field, value));
}

function stringTest({ comparison }: Limit, bound: string): (text: string) => boolean {
  switch (comparison) {
    case "<":
      return (text) => compareCodePoints(text, bound) < 0;
    case "<=":
      return (text) => compareCodePoints(text, bound) <= 0;
    case ">":
      return (text) => compareCodePoints(text, bound) > 0;
    case ">=":
      return (text) => compareCodePoints(text, bound) >= 0;
  }
}

/** Written out for each comparison because scans spend their time in it. */
function numberTest({ comparison }: Limit, bound: number): TestOfValue {
  switch (comparison) {
    case "<":
      return (value) => typeof value === "number" && value < bound;
    case "<=":
      return (value) => typeof value === "number" && value <= bound;
    case ">":
      return (value) => typeof value === "number" && value > bound;
    case ">=":
      return (value) => typeof value === "number" && value >= bound;
  }
}

function elementTest({ elements, areAll }: ElementBounds): TestOfValue {
  const has = containsElements(elements, areAll);
  return (value) => Array.isArray(value) && has(value);
}
