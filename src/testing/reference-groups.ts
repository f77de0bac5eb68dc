// The semantics of groups (rules G1 to G3) as the simplest possible code, which shares none with the engine.

import type { Field, FieldType, Schema, TextValue, Totals } from "../index.ts";
import { countedForm } from "./arbitraries/values.ts";
import { fractionOf, nearest, summaryOf, totalsOf, type Valued } from "./reference-aggregates.ts";
import { check, compareTextForms, countedOf, page, STRICT } from "./reference-page.ts";

/** A key: a field, and what of its values is the key; `null` stays `null`. */
export interface ReferenceKey {
  readonly field: string;
  readonly type: FieldType;
  /** Default: the value itself, as a number in a field of numbers. */
  readonly cut?: ((value: string | number) => string | number) | undefined;
}

/** What is found of a group: how many records it has, or an aggregate of a field. */
export type ReferenceMeasure =
  | "count"
  | readonly [aggregate: string, field: string, type: FieldType, share?: number | undefined];

/** A key or what was found, as a number or in text form. */
export type Found = string | number | null;

/** A group: its keys and what was found of it. */
export interface ReferenceGroup {
  readonly keys: readonly Found[];
  readonly found: readonly Found[];
}

/** The groups of some records, in the order of their keys. */
export function referenceGroups(
  rows: readonly Valued[],
  keys: readonly ReferenceKey[],
  measures: readonly ReferenceMeasure[],
): ReferenceGroup[] {
  const groups = new Map<string, { keys: Found[]; rows: Valued[] }>();
  for (const row of rows) {
    for (const own of combinations(keys.map((key) => keysOf(row, key)))) {
      const name = JSON.stringify(own.map(textOf));
      const group = groups.get(name) ?? { keys: own, rows: [] };
      group.rows.push(row);
      groups.set(name, group);
    }
  }
  return Array.from(groups.values(), (group) => ({
    keys: group.keys,
    found: measures.map((measure) => findOf(group.rows, measure)),
  })).sort((a, b) => compareLists(a.keys, b.keys));
}

/** The keys of a record; several of an array. */
function keysOf({ values }: Valued, { field, type, cut }: ReferenceKey): Found[] {
  return countedOf(values.get(field) ?? null, type).map((text) => {
    const value = valueIn(text, type);
    return value === null || cut === undefined ? value : cut(value);
  });
}

const isNumeric = (type: FieldType | undefined) => type === "int" || type === "float";

const valueIn = (text: TextValue, type: FieldType): Found =>
  text === null || !isNumeric(type) ? text : Number(text);

const combinations = (lists: readonly Found[][]): Found[][] =>
  lists.reduce<Found[][]>(
    (before, list) => before.flatMap((some) => list.map((each) => [...some, each])),
    [[]],
  );

/** Null is the lowest. */
export function compareFound(a: Found, b: Found): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : 1;
  return compareTextForms(String(a), String(b), "string");
}

function compareLists(a: readonly Found[], b: readonly Found[]): number {
  const orders = a.map((each, i) => compareFound(each, b[i] ?? null));
  return orders.find((order) => order !== 0) ?? 0;
}

function findOf(rows: readonly Valued[], measure: ReferenceMeasure): Found {
  if (measure === "count") return rows.length;
  const [aggregate, field, type, share] = measure;
  const found = rows
    .flatMap(({ values }) => valueIn(values.get(field) ?? null, type) ?? [])
    .sort(compareFound);
  if (aggregate === "count") return found.length;
  if (aggregate === "distinct") return new Set(found).size;
  if (aggregate === "minimum") return found[0] ?? null;
  if (aggregate === "maximum") return found.at(-1) ?? null;
  const numbers = found.map(Number);
  if (aggregate === "variance") return varianceOf(numbers);
  if (aggregate === "deviation") {
    const variance = varianceOf(numbers);
    return variance === null ? null : Math.sqrt(variance);
  }
  if (aggregate === "quantile") {
    const summary = summaryOf(rows, field, type, [share ?? 0]);
    return "quantiles" in summary ? (summary.quantiles[0] ?? null) : null;
  }
  const totals: Totals = totalsOf(numbers);
  return aggregate === "sum" ? totals.sum : totals.mean;
}

/** The variance of a sample: exact, and rounded once. */
function varianceOf(numbers: readonly number[]): number | null {
  const { length } = numbers;
  if (length < 2) return null;
  const n = BigInt(length);
  const fractions = numbers.map(fractionOf);
  const sum = fractions.reduce((a, b) => a + b, 0n);
  const squares = fractions.reduce((total, each) => total + each * each, 0n);
  return nearest(n * squares - sum * sum, length * (length - 1), 2);
}

/** A key of a query, valid. */
export interface AskedKey {
  readonly field: string;
  readonly as?: string | undefined;
  readonly prefix?: number | undefined;
  readonly step?: string | undefined;
  readonly unit?: string | undefined;
  readonly zone?: string | undefined;
  readonly width?: number | undefined;
  readonly origin?: number | undefined;
  readonly edges?: readonly number[] | undefined;
}

/** A measure of a query, valid. */
export type AskedMeasure = string | readonly [aggregate: string, field: string, share?: number];

/** A query of groups, valid. */
export interface AskedGroups {
  readonly by: string | AskedKey | readonly (string | AskedKey)[];
  readonly measures?: Readonly<Record<string, AskedMeasure>> | undefined;
  readonly summarize?: readonly string[] | undefined;
  readonly having?: unknown;
  readonly sort?: readonly (readonly [name: string, order: string])[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A member of the groups: a key or a measure. */
interface Member {
  readonly name: string;
  /** What criteria on it compare. */
  readonly type: FieldType;
  /** As the result has it. */
  readonly formOf: (found: Found) => unknown;
}

/**
 * The result of a query of groups over the selected records (G1 to G3).
 *
 * @throws ServiceError if a field can't be counted by, or for criteria on measures that are not valid
 */
export function groupsAsked(
  schema: Schema,
  rows: readonly Valued[],
  { by, measures, summarize, having, sort = [], limit, offset = 0 }: AskedGroups,
): object[] {
  const fieldOf = (name: string): Field => {
    const field = schema.fields[name];
    check(field !== undefined && field.type !== "json", 310, "the field is one to count by");
    return field;
  };
  const given = (Array.isArray(by) ? by : [by]) as readonly (string | AskedKey)[];
  const asked = given.map((key): AskedKey => (typeof key === "string" ? { field: key } : key));
  const keys = asked.map((key) => {
    const field = fieldOf(key.field);
    return { field: key.field, type: field.type, cut: cutOf(key, field) };
  });
  const found: [name: string, measure: AskedMeasure][] = Object.entries(
    measures ?? (summarize === undefined ? { count: "count" } : {}),
  );
  const statistics = ["sum", "minimum", "maximum", "mean"] as const;
  const totals = (summarize ?? []).flatMap((name) =>
    statistics.map((each): [string, AskedMeasure] => [name, [each, name]]),
  );

  const members: Member[] = [
    ...asked.map((key, i): Member => {
      const { cut, type } = keys[i] ?? {};
      const isNumber = cut !== undefined && (isNumeric(type) || isRepeating(key));
      return memberOf(schema, key.as ?? key.field, fieldOf(key.field), isNumber);
    }),
    ...found.map(([name, measure]): Member => {
      if (typeof measure === "string") return { name, type: "int", formOf: (each) => each };
      const [aggregate, field] = measure;
      const isValue = aggregate === "minimum" || aggregate === "maximum";
      const isNumber = !isValue || isNumeric(fieldOf(field).type);
      return memberOf(schema, name, fieldOf(field), isNumber);
    }),
  ];
  const groups = referenceGroups(
    rows,
    keys,
    [...found, ...totals].map(([, measure]): ReferenceMeasure => {
      if (typeof measure === "string") return "count";
      const [aggregate, field, share] = measure;
      return [aggregate, field, fieldOf(field).type, share];
    }),
  ).map((group) => [...group.keys, ...group.found]);

  const columns = members.map(({ name }) => name);
  const listed = groups.filter((group) => {
    const values = members.map(({ name }, i) => [name, textOf(group[i] ?? null)] as const);
    const fields = new Map(members.slice(keys.length).map((each) => [each.name, each]));
    const row = { values: new Map(values) };
    return page({ fields, rows: [row] }, [having], { ...STRICT, isOwn: true }).length > 0;
  });
  listed.sort((a, b) => {
    const orders = sort.map(([name, order]) => {
      const i = columns.indexOf(name);
      const compared = compareFound(a[i] ?? null, b[i] ?? null);
      return order === "ASC" ? compared : -compared;
    });
    return orders.find((order) => order !== 0) ?? 0;
  });
  return listed.slice(offset, offset + (limit ?? Infinity)).map((group) => {
    const own = members.map(({ name, formOf }, i) => [name, formOf(group[i] ?? null)] as const);
    const ofFields = (summarize ?? []).map((name, i) => {
      const at = members.length + i * statistics.length;
      return [
        name,
        Object.fromEntries(statistics.map((each, j) => [each, group[at + j]])),
      ] as const;
    });
    return Object.fromEntries<unknown>([...own, ...ofFields]);
  });
}

const textOf = (found: Found): TextValue => (found === null ? null : String(found));

/** @param isNumber whether it is a number, whatever the form of records */
function memberOf(schema: Schema, name: string, field: Field, isNumber: boolean): Member {
  if (isNumber) return { name, type: "float", formOf: (each) => each };
  const { type } = field;
  const isOwn = type === "boolean" || type === "time";
  const compared = isOwn ? type : isNumeric(type) ? "float" : "string";
  return { name, type: compared, formOf: (each) => countedForm(schema, field, textOf(each)) };
}

/** G1: what of a value is the key; `undefined`: all of it. */
function cutOf(key: AskedKey, { type, precision }: Field) {
  const { prefix, step, unit, zone = "UTC", width, origin = 0, edges } = key;
  if (prefix !== undefined) {
    return (value: string | number) => Array.from(String(value)).slice(0, prefix).join("");
  }
  if (width !== undefined) {
    const startOf = (range: number) => origin + range * width;
    return (value: string | number) => {
      const range = Math.floor((Number(value) - origin) / width);
      // The quotient is rounded: of the ranges beside it, one may contain the value.
      const starts = [range + 1, range, range - 1].map(startOf);
      return starts.find((start) => start <= Number(value)) ?? startOf(range);
    };
  }
  if (edges !== undefined) {
    return (value: string | number) => edges.findLast((edge) => edge <= Number(value)) ?? -Infinity;
  }
  if (step === undefined) return undefined;
  check(zone === "UTC", 310, "the reference has one zone, UTC");
  if (type === "time") {
    const fraction = precision === "microseconds" ? "000Z" : "Z";
    return (value: string | number) => {
      const part = partOf(step, Date.parse(`${String(value).slice(0, 23)}Z`), 1);
      return isRepeating(key) ? part : new Date(part).toISOString().replace("Z", fraction);
    };
  }
  const scale = unit === "seconds" ? 1000 : 1;
  return (value: string | number) => partOf(step, Math.floor(Number(value) * scale), scale);
}

/** Whether keys are parts of the calendar that repeat, which are numbers. */
const isRepeating = ({ step }: AskedKey) => step === "weekday" || step === "hourOfDay";

/** The start of a step of the calendar in UTC, in the unit of the times, or what repeats. */
function partOf(step: string, milliseconds: number, scale: number): number {
  const date = new Date(milliseconds);
  const weekday = (date.getUTCDay() + 6) % 7;
  if (step === "weekday") return weekday + 1;
  if (step === "hourOfDay") return date.getUTCHours();
  if (step === "minute" || step === "hour") {
    const [minute, hour] = [date.getUTCMinutes(), date.getUTCHours()];
    return date.setUTCHours(hour, step === "minute" ? minute : 0, 0, 0) / scale;
  }
  date.setUTCHours(0, 0, 0, 0);
  const [month, day] = [date.getUTCMonth(), date.getUTCDate()];
  if (step === "week") date.setUTCDate(day - weekday);
  else if (step === "month") date.setUTCDate(1);
  else if (step === "quarter") date.setUTCMonth(month - (month % 3), 1);
  else if (step === "year") date.setUTCMonth(0, 1);
  return date.getTime() / scale;
}
