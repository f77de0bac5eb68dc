// The semantics of groups (rules G1 to G3) as the simplest possible code, which shares none with the engine.

import type { FieldType, TextValue, Totals } from "../index.ts";
import { fractionOf, nearest, summaryOf, totalsOf, type Valued } from "./reference-aggregates.ts";
import { compareTextForms, countedOf } from "./reference-page.ts";

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
      const name = JSON.stringify(own.map(String));
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

const isNumber = (type: FieldType) => type === "int" || type === "float";

const valueIn = (text: TextValue, type: FieldType): Found =>
  text === null || !isNumber(type) ? text : Number(text);

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
