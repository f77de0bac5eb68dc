// Describes the fields of a collection to the page: how to show them, and which operators they take.

import { operatorsOf, type Collection, type FieldValue } from "../../index.ts";
import type { FieldInfo, Row, TimeUnit } from "../messages.ts";
import type { Hints } from "./hints.ts";
import type { Times } from "./types.ts";

/** How many records are sampled to see what values look like. */
const SAMPLE = 200;

/** The fields of a collection. Those that the hints name come first. */
export function fieldsOf(
  collection: Collection,
  { leading }: Hints,
  times: Times = new Map(),
): FieldInfo[] {
  const { schema } = collection;
  const entries = Object.entries(schema.fields);
  const sample = collection.query({ limit: SAMPLE }) as unknown as Members[];
  const ordered = [
    ...leading.flatMap((name) => entries.filter((entry) => entry[0] === name)),
    ...entries.filter(([name]) => !leading.includes(name)),
  ];
  return ordered.map(([name, field]) => {
    const { type, nullable, stored, ignoreCase } = field;
    const values = stored ? sample.map((record) => record[name] ?? null) : [];
    return {
      name,
      type,
      nullable,
      stored,
      operators: operatorsOf(schema, name),
      ignoreCase,
      unit: type === "int" ? unitOf(name, values.map(Number), times) : undefined,
      form: times.get(name),
      width: widthOf(values),
    };
  });
}

type Members = Readonly<Record<string, FieldValue>>;

/** The values of records as rows. */
export function rowsOf(fields: readonly FieldInfo[], records: readonly unknown[]): Row[] {
  const names = fields.flatMap(({ name, stored }) => (stored ? [name] : []));
  return (records as readonly Members[]).map((record) => names.map((name) => record[name] ?? null));
}

/**
 * The unit of a field that is known to be a time, or whose name says so if its numbers can be timestamps since
 * 1973.
 */
function unitOf(name: string, values: readonly number[], times: Times): TimeUnit | undefined {
  if (times.get(name) !== undefined) return "milliseconds";
  if (times.has(name)) return unitIn(values) ?? "milliseconds";
  return /(?:time|date|stamp|_at)$/i.test(name) ? unitIn(values) : undefined;
}

function unitIn(values: readonly number[]): TimeUnit | undefined {
  const known = values.filter((value) => value > 0);
  const areIn = (from: number, to: number) => known.every((value) => value >= from && value < to);
  if (areIn(1e8, 1e11)) return "seconds";
  return areIn(1e11, 1e14) ? "milliseconds" : undefined;
}

/** The length that 95 % of the values do not exceed. */
function widthOf(values: readonly FieldValue[]): number {
  const lengths = values.map((value) => textOf(value).length).sort((a, b) => a - b);
  return lengths[Math.floor(lengths.length * 0.95)] ?? 0;
}

function textOf(value: FieldValue): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
