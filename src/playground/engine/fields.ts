// Describes the fields of a collection to the page: how to show them, and which operators they take.

import { operatorsOf } from "../../index.ts";
import type { Collection, Field, FieldType, FieldValue, Schema } from "../../index.ts";
import { OWN_OPERATORS } from "../comparisons.ts";
import { isNumber } from "../groups.ts";
import type { FieldInfo, Row, TimeUnit } from "../messages.ts";
import { textIn } from "../texts.ts";
import type { Hints } from "./hints.ts";
import { formOf, type Times } from "./types.ts";

/** How many records are sampled to see what values look like; fewer of a table of very many columns. */
const SAMPLE = 200;
const SAMPLED_VALUES = 100_000;
const LEAST_SAMPLE = 20;

/** The fields of a collection. Those that the hints name come first. */
export function fieldsOf(
  collection: Collection,
  { leading }: Hints,
  times: Times = new Map(),
): FieldInfo[] {
  const { schema, size } = collection;
  const entries = schema.places.map(({ name, field }) => [name, field] as const);
  const limit = Math.max(LEAST_SAMPLE, Math.floor(SAMPLED_VALUES / Math.max(1, entries.length)));
  const sample: readonly object[] = collection.query({ limit: Math.min(SAMPLE, limit) });
  const ordered = [
    ...leading.flatMap((name) => entries.filter((entry) => entry[0] === name)),
    ...entries.filter(([name]) => !leading.includes(name)),
  ];
  return ordered.map(([name, field]) => {
    const values = field.stored ? sample.map((record) => valueIn(record, name)) : [];
    const info = fieldOf(schema, name, field, values, times, size);
    return { ...info, latest: info.unit && latestOf(collection, name) };
  });
}

/** The same fields of a collection that has changed. */
export const withLatest = (fields: readonly FieldInfo[], collection: Collection): FieldInfo[] =>
  fields.map((field) =>
    field.unit === undefined || field.from !== undefined
      ? field
      : { ...field, latest: latestOf(collection, field.name) },
  );

const latestOf = (collection: Collection, name: string): number | undefined =>
  collection.summary(name).maximum ?? undefined;

/**
 * A field of a schema.
 *
 * @param values some of its values
 * @param size how many records there are
 */
export function fieldOf(
  schema: Schema,
  name: string,
  { type, nullable, stored, ignoreCase }: Field,
  values: readonly FieldValue[],
  times: Times,
  size: number,
): FieldInfo {
  const numbers = values.filter((value) => value !== null).map(Number);
  const unit = isNumber({ type }) ? unitOf(name, type, numbers, times) : undefined;
  const info = {
    ...{ name, type, nullable, stored, ignoreCase, unit },
    operators: operatorsIn(schema, name, type),
    form: formOf(times, name),
    isMeasure: unit === undefined && isMeasure(name, type, numbers),
    decimals: type === "float" ? decimalsOf(numbers) : 0,
    latest: undefined,
  };
  return { ...info, width: widthOf(values, info, size) };
}

/** Strings of your own schemas also have the operators of the page. */
function operatorsIn(schema: Schema, name: string, type: FieldType): FieldInfo["operators"] {
  const known = operatorsOf(schema, name);
  const isText = type === "string" || type === "strings";
  return schema.form === "contract" || known.length === 0 || !isText
    ? known
    : [...known, ...OWN_OPERATORS];
}

/** The values of records as rows. */
export function rowsOf(fields: readonly FieldInfo[], records: readonly object[]): Row[] {
  const names = fields.flatMap(({ name, stored }) => (stored ? [name] : []));
  return records.map((record) => names.map((name) => valueIn(record, name)));
}

/** The value of a record's field; of one that is missing, `null`. */
export const valueIn = (record: object, name: string): FieldValue => {
  const value: unknown = Reflect.get(record, name);
  return isValue(value) ? value : null;
};

const isValue = (value: unknown): value is FieldValue =>
  ["string", "number", "boolean", "object"].includes(typeof value);

/** The words of a name such as `placedAt`, `placed_at` or `Placed at`, in lower case. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

const TIME = /^(?:time|date|datetime|timestamp|stamp|at|ts|created|updated|modified)$/;
const IDENTIFIER =
  /^(?:id|ids|uid|uuid|key|code|zip|zipcode|postcode|postal|plz|phone|fax|sku|isbn|ean|no|nr|index)$/;
const YEAR = /^(?:year|years|yr|jahr|vintage)$/;
const LATITUDE = /^(?:lat|latitude)$/;
const LONGITUDE = /^(?:lon|lng|long|longitude)$/;

/**
 * The unit of a field that is known to be a time, or whose last word says so if its numbers can be timestamps since
 * 1973.
 */
function unitOf(
  name: string,
  type: FieldType,
  numbers: readonly number[],
  times: Times,
): TimeUnit | undefined {
  const time = times.get(name);
  if (time === "never") return undefined;
  if (typeof time === "object") return "milliseconds";
  if (type !== "int") return undefined;
  if (time === "numbers") return unitIn(numbers) ?? "milliseconds";
  return TIME.test(wordsOf(name).at(-1) ?? "") ? unitIn(numbers) : undefined;
}

function unitIn(numbers: readonly number[]): TimeUnit | undefined {
  const known = numbers.filter((value) => value > 0);
  const areIn = (from: number, to: number) => known.every((value) => value >= from && value < to);
  if (known.length === 0) return undefined;
  if (areIn(1e8, 1e11)) return "seconds";
  return areIn(1e11, 1e14) ? "milliseconds" : undefined;
}

/** So many numbers, one after the other, number the records. */
const MANY = 10;

/** Names and values both tell what is no measure. */
function isMeasure(name: string, type: FieldType, numbers: readonly number[]): boolean {
  if (type !== "int" && type !== "float") return false;
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  const areIn = (from: number, to: number) =>
    numbers.length > 0 && numbers.every((value) => value >= from && value <= to);
  if (LATITUDE.test(last)) return !areIn(-90, 90);
  if (LONGITUDE.test(last)) return !areIn(-180, 360);
  if (type === "float") return true;
  if (words.some((word) => YEAR.test(word))) return !areIn(1000, 2999);
  const isRunning = numbers.every((value, i) => i === 0 || value === (numbers[i - 1] ?? NaN) + 1);
  return !IDENTIFIER.test(last) && !(isRunning && numbers.length >= MANY);
}

/** Fractions with more digits are shown each as it is. */
const MOST_DECIMALS = 6;

function decimalsOf(numbers: readonly number[]): number | undefined {
  const digits = numbers.map((value) => /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0);
  const most = Math.max(0, ...digits);
  return most <= MOST_DECIMALS ? most : undefined;
}

/** So many characters are short, however much shorter most values are. */
const SHORT = 24;

/** The length that 95 % of the values do not exceed, or that of the longest if it is short, and what a sum of as many takes with its name. */
function widthOf(
  values: readonly FieldValue[],
  field: Parameters<typeof textIn>[1] & Pick<FieldInfo, "isMeasure">,
  size: number,
): number {
  const lengths = values.map((value) => textIn(value, field).length).sort((a, b) => a - b);
  const [most, longest] = [lengths[Math.floor(lengths.length * 0.95)] ?? 0, lengths.at(-1) ?? 0];
  const usual = longest <= Math.max(SHORT, 1.5 * most) || field.unit !== undefined ? longest : most;
  const isNumber = field.type === "int" || field.type === "float";
  if (!field.isMeasure) return isNumber ? usual + "from".length : usual;
  const digits = Math.log10(Math.max(1, size));
  return usual + Math.ceil((digits * 4) / 3) + "sum ".length;
}
