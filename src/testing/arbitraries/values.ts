// Values of fields. They come from small sets with edge cases, so that records share values, sort keys repeat, and
// values are prefixes of each other.

import * as fc from "fast-check";
import type { Field, FieldValue, JsonValue, Schema, TextValue } from "../../index.ts";
import { periodOf, timeText } from "../reference-time.ts";

/** So few that they repeat, and are prefixes of each other. Counterexamples shrink to the first. */
const COMMON_TEXTS = ["a", "", "ab", "b", "abc", "abcab", "é", "😀", "a😀"];

const CORNER_TEXTS = [
  ...["A", "bc", "0", "1", "10", "-1", "01", "null", " a", "a "],
  // Separators of lists, wildcards of other languages, names that every object inherits.
  ...["a,b", ",", "%", "_", "a%", "*", "?", "'", '"', "\\", "__proto__", "constructor"],
  // Strings that a normalisation, a locale or a change of case would fold or order differently.
  ...["e\u0301", "É", "ß", "ss", "ı", "I", "i", "İ", "ﬁ", "fi", "ä", "z", "AB", "Σ", "ΑΣ", "ας"],
  // The ends of the planes: UTF-16 code units order them differently than code points.
  ...["\u0000", "a\u0000", "a\u0000b", "\u007f", "\u0080", "\ud7ff", "\ue000", "\uffff"],
  ...["\u{10000}", "\u{10ffff}", "😀b", "👍🏽", "\ufeffa", "😀\u0301"],
];

/** Code units order these differently than code points. */
export const AROUND_SURROGATES = [
  ...["\uffff", "\u{10000}", "\ud7ff", "😀", "\ue000", "a😀", "a\uffff", "a"],
];

const LETTERS = Array.from("ababacAée\u0301😀😁\uffff01 ,");

/** The integers at which something changes: the sign, the number of digits, 32 bits, the limit of safe integers. */
const INTEGERS = [
  ...[0, 1, 2, 9, 10, 11, 99, 100, 101, -1, -2, -9, -10, -100, 24, 240, 1024],
  ...[2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32, 1_714_521_600],
  ...[Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1],
  ...[Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER + 1],
];

let madeText: fc.Arbitrary<string> | undefined;

/** Well-formed Unicode strings: edge cases, short words over a few letters, and anything at all. */
export function text(): fc.Arbitrary<string> {
  madeText ??= fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: fc.constantFrom(...COMMON_TEXTS) },
    { weight: 3, arbitrary: fc.constantFrom(...CORNER_TEXTS) },
    { weight: 2, arbitrary: joined(fc.constantFrom(...LETTERS), 8) },
    { weight: 1, arbitrary: joined(anyCharacter(), 6) },
  );
  return madeText;
}

/** Not `fc.string`, which includes Unicode tables: a page with the laws would contain them. */
const joined = (character: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.array(character, { maxLength }).map((characters) => characters.join(""));

const SURROGATES = { first: 0xd800, count: 0x800 };
const CODE_POINTS = 0x110000 - SURROGATES.count;

/** Any code point except surrogates; the simplest is "a". */
function anyCharacter(): fc.Arbitrary<string> {
  return fc.nat({ max: CODE_POINTS - 1 }).map((distance) => {
    const place = (distance + 0x61) % CODE_POINTS;
    return String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count);
  });
}

/** Safe integers: small ones, edge cases, and any. */
export function integer(): fc.Arbitrary<number> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.integer({ min: -3, max: 12 }) },
    { weight: 2, arbitrary: fc.constantFrom(...INTEGERS) },
    { weight: 1, arbitrary: fc.maxSafeInteger() },
  );
}

/** An integer in each of its input forms. */
export function integerInput(): fc.Arbitrary<string | number | bigint> {
  return fc
    .tuple(integer(), fc.constantFrom("number", "number", "string", "bigint"))
    .map(([value, form]) =>
      form === "number" ? value : form === "string" ? String(value) : BigInt(value),
    );
}

/** Finite numbers: integers, halves, edge cases, and any. */
export function float(): fc.Arbitrary<number> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.integer({ min: -12, max: 48 }).map((quarters) => quarters / 4) },
    { weight: 1, arbitrary: fc.constantFrom(...INTEGERS) },
    { weight: 2, arbitrary: fc.constantFrom(-0, -0, 0.1, 1e21, 5e-324, 1.5e300, -1e-7) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.maxSafeInteger(), fc.integer({ min: -1074, max: 970 }))
        .map(([mantissa, exponent]) => mantissa * 2 ** exponent),
    },
  );
}

/** A small JSON value. */
export function jsonValue(): fc.Arbitrary<JsonValue> {
  const scalar = fc.oneof<fc.Arbitrary<JsonValue>[]>(
    fc.constantFrom(null, false, true),
    float(),
    text(),
  );
  // JSON has no −0.
  return compound(scalar).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
}

/** A value, or arrays and objects of such values, at most two deep. */
export function compound<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Compound<Value>> {
  const within = (inner: fc.Arbitrary<Compound<Value>>) =>
    fc.oneof<fc.Arbitrary<Compound<Value>>[]>(
      value,
      fc.array(inner, { maxLength: 3 }),
      // `fromEntries` treats `__proto__` like any other name.
      fc.array(fc.tuple(text(), inner), { maxLength: 3 }).map(Object.fromEntries<Compound<Value>>),
    );
  return within(within(value));
}

type Compound<Value> = Value | Compound<Value>[] | { [name: string]: Compound<Value> };

/** A few elements with repetitions, which several records have in common. */
const stringsOf = (texts: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom("a", "b", "ab") }, texts), {
    maxLength: 4,
  });

/** A value that a field accepts when a record is loaded. */
export type InputValue = FieldValue | bigint;

/** A value that a field accepts when a record is loaded; `texts` is the source for string fields. */
export function fieldValue(
  field: Field,
  texts: fc.Arbitrary<string> = text(),
): fc.Arbitrary<InputValue> {
  const value = valueOfType(field, texts);
  return field.nullable ? fc.option(value, { freq: 4 }) : value;
}

function valueOfType(
  { type, unique, oneOf, ignoreCase, ignoreAccents, precision }: Field,
  texts: fc.Arbitrary<string>,
): fc.Arbitrary<InputValue> {
  switch (type) {
    case "int":
      return unique
        ? fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -9, max: 999 }) }, integerInput())
        : integerInput();
    case "float":
      return fc
        .tuple(float(), fc.constantFrom("number", "number", "text"))
        .map(([value, form]) => (form === "text" ? String(value) : value));
    case "boolean":
      return fc.constantFrom(true, false, true, false, "true", "false");
    case "string":
      if (oneOf !== undefined) return fc.constantFrom(...oneOf);
      return spelled(texts, { ignoreCase, ignoreAccents });
    case "strings":
      return stringsOf(texts);
    case "json":
      return jsonValue().filter((value) => value !== null);
    case "time":
      return timeInput(precision === "microseconds");
  }
}

/** Instants in few days, at the ends of periods, and anywhere. */
const INSTANTS = [
  "2023-12-31T23:59:59.999Z",
  "2024-02-29T00:00:00.000Z",
  "1969-12-31T23:59:59.999Z",
];

/** Instants in each form but Dates, which JSON does not have. */
function timeInput(hasMicroseconds: boolean): fc.Arbitrary<string | number> {
  const instants = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...INSTANTS).map((text) => Date.parse(text)) },
    { weight: 3, arbitrary: fc.nat({ max: 47 }).map((hours) => 1_709_164_800_000 + hours * 3.6e6) },
    { weight: 1, arbitrary: fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }) },
  );
  const forms = fc.constantFrom("text", "text", "number", "offset", "fraction");
  return fc.tuple(instants, forms, fc.nat({ max: 999 })).map(([instant, form, micros]) => {
    const text = new Date(instant).toISOString();
    if (form === "number") return instant;
    if (form === "fraction" && hasMicroseconds)
      return text.replace("Z", `${micros}`.padStart(3, "0"));
    // The same instant, except at both ends of all times.
    const shifted = instant + 5.5 * 3.6e6;
    const isThere = form === "offset" && shifted < 253_402_300_800_000;
    return isThere ? new Date(shifted).toISOString().replace("Z", "+05:30") : text;
  });
}

/** Strings of which several differ in what the field ignores. */
function spelled(
  texts: fc.Arbitrary<string>,
  { ignoreCase, ignoreAccents }: Pick<Field, "ignoreCase" | "ignoreAccents">,
): fc.Arbitrary<string> {
  const inCase = ignoreCase ? inAnyCase(texts) : texts;
  return ignoreAccents ? withAccents(inCase) : inCase;
}

/** What is written after a string, or instead of its first letter: marks alone, composed, and of several bytes. */
const ACCENTED = [
  "\u0301",
  "é",
  "e\u0301",
  "Å",
  "\u212b",
  "ỗ",
  "가",
  "i̇",
  "İ",
  "\u0f71\u0f72",
  "\u{1d15e}",
];

/** Strings of which several differ in accents alone. */
const withAccents = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      texts,
      fc.constantFrom("none", "none", "after", "before", "form"),
      fc.constantFrom(...ACCENTED),
    )
    .map(([text, place, accented]) => {
      if (place === "after") return text + accented;
      if (place === "before") return accented + text;
      return place === "form" ? text.normalize("NFD") : text;
    });

/** Strings of which several differ in case alone. */
const inAnyCase = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(texts, fc.constantFrom("given", "upper", "lower"))
    .map(([text, written]) =>
      written === "given" ? text : written === "upper" ? text.toUpperCase() : text.toLowerCase(),
    );

/** A given value in text form; `undefined` if it was omitted and the field has no default. */
export function textFormFor(field: Field, given: unknown): TextValue | undefined {
  if (given === undefined) {
    const { default: otherwise } = field;
    return typeof otherwise === "string" || otherwise === null ? otherwise : undefined;
  }
  if (given === null) return null;
  if (field.type === "json" || field.type === "strings") return JSON.stringify(given);
  if (field.type === "time") return timeText(given, field);
  return (given as Exclude<InputValue, object | null>).toString();
}

/** The string by which a field compares and counts a value in text form (V11, V17). */
export function comparedForm(
  {
    ignoreCase,
    ignoreAccents,
  }: { readonly ignoreCase?: boolean; readonly ignoreAccents?: boolean },
  textForm: TextValue,
): TextValue {
  if (textForm === null) return null;
  const marked = ignoreAccents === true ? Array.from(textForm.normalize("NFD")) : [];
  const plain =
    ignoreAccents === true
      ? marked
          .filter((character) => !/^\p{Mark}$/u.test(character))
          .join("")
          .normalize("NFC")
      : textForm;
  return ignoreCase === true ? plain.toLowerCase().replaceAll("ς", "σ") : plain;
}

/** Whether a value in text form may be one of the field's: criteria of own schemas take no other (C5a). */
export function canHave(
  field: Pick<Field, "type"> & Partial<Pick<Field, "precision" | "zone">>,
  text: string,
): boolean {
  const { type } = field;
  if (type === "time") return periodOf(text, field) !== undefined;
  if (type === "boolean") return text === "true" || text === "false";
  if (type !== "int" && type !== "float") return true;
  const number = Number(text);
  return (
    String(number) === text && (type === "int" ? Number.isSafeInteger : Number.isFinite)(number)
  );
}

const isOwnText = ({ type }: Field) => type === "string" || type === "time";

/** The form in a record of a value in text form: the string, or the value itself (V1, V10). */
export function storedForm(
  { form }: Pick<Schema, "form">,
  field: Field,
  textForm: TextValue,
): FieldValue {
  if (textForm === null || form !== "values" || isOwnText(field)) return textForm;
  return deeplyFrozen(JSON.parse(textForm) as JsonValue);
}

/** The form in counts by a field of a value; elements of arrays are unchanged. */
export const countedForm = (
  schema: Pick<Schema, "form">,
  field: Field,
  textForm: TextValue,
): FieldValue => (field.type === "strings" ? textForm : storedForm(schema, field, textForm));

function deeplyFrozen(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  for (const each of Object.values<JsonValue>(value)) deeplyFrozen(each);
  return Object.freeze(value);
}
