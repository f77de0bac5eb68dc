// The tests of criteria over values as they are: numbers, booleans, strings and arrays of strings, as records of one's
// own schemas hold them. They hold exactly where the tests over text forms do, whose bounds they are made from.

import {
  comparisonText,
  isNumeric,
  textFormOfStored,
  type Field,
  type FieldValue,
  type TextValue,
} from "../schema/field.ts";
import { parseNumber, toFloatText, toIntegerText } from "../schema/numbers.ts";
import { compareCodePoints } from "../schema/order.ts";
import type { Bounds, Comparison } from "./operators.ts";

/** Whether a criterion holds for a value. */
export type TestOfValue = (value: FieldValue) => boolean;

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
      return elementTest(bounds.elements);
    case "<":
    case "<=":
    case ">":
    case ">=": {
      const { kind, bound } = bounds;
      if (typeof bound === "number") return numberTest(kind, bound);
      return textTest(field, stringTest(kind, bound));
    }
  }
}

function equality(field: Field, texts: readonly TextValue[]): TestOfValue {
  const [only] = texts;
  if (only !== undefined && texts.length === 1 && !field.ignoreCase) {
    const wanted = valueOf(field, only);
    return wanted === undefined ? () => false : (value) => value === wanted;
  }
  const values = new Set<unknown>();
  for (const text of texts) values.add(valueOf(field, text));
  if (!field.ignoreCase) return (value) => values.has(value);
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
  if (field.type !== "string") {
    return (value) => {
      const text = textFormOfStored(field, value);
      return text !== null && test(text);
    };
  }
  if (!field.ignoreCase) return (value) => typeof value === "string" && test(value);
  return (value) => typeof value === "string" && test(comparisonText(field, value));
}

function stringTest(kind: Comparison, bound: string): (text: string) => boolean {
  switch (kind) {
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

function numberTest(kind: Comparison, bound: number): TestOfValue {
  switch (kind) {
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

function elementTest(elements: readonly string[]): TestOfValue {
  const [only] = elements;
  if (elements.length === 1 && only !== undefined) {
    return (value) => Array.isArray(value) && value.includes(only);
  }
  const set = new Set<unknown>(elements);
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const each of value) if (set.has(each)) return true;
    return false;
  };
}
