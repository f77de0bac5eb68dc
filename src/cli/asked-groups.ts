// The query of groups that the options of a command describe.

import { defineSchema, float, int, string } from "../index.ts";
import type { Field, Query, Schema } from "../index.ts";
import type { Answering } from "./answering.ts";
import { answerIn, likeField, type Answer } from "./answers.ts";
import { isField, listedIn, pairsOf, type AskFlags } from "./ask-flags.ts";
import { refuseOptions, UsageError } from "./errors.ts";
import { parseJson } from "./input.ts";

/** The groups of records, with a column for each key and measure. */
export function groupsIn(collection: Answering, { by, measures, query }: AskedGroups): Answer {
  // As typed, since the collection checks it.
  const found: readonly object[] = collection.groupBy(query as never);

  // The collection accepted the keys.
  const keys = (Array.isArray(by) ? by : [by]) as readonly (string | TypedKey)[];
  const columns = [
    ...keys.map((key): readonly [string, Field] => {
      if (typeof key === "string") return [key, likeField(collection.schema, key)];
      const { field, as = field, step, width, edges } = key;
      if (edges !== undefined) return [as, string({ nullable: true })];
      // Steps of a time field begin at a time.
      const isInstant = collection.schema.fields[field]?.type === "time" && !isOrdinal(step);
      const isNumber = (step ?? width) !== undefined && !isInstant;
      return [as, isNumber ? float({ nullable: true }) : likeField(collection.schema, field)];
    }),
    ...measures.map(([name, found]): readonly [string, Field] => {
      const [aggregate, field = ""] = typeof found === "string" ? [found] : found;
      if (aggregate === "count" || aggregate === "distinct") return [name, int()];
      const isValue = aggregate === "minimum" || aggregate === "maximum";
      return [name, isValue ? likeField(collection.schema, field) : float({ nullable: true })];
    }),
  ];
  const names = columns.map(([name]) => name);
  const schema = defineSchema(Object.fromEntries(columns), { order: names });
  // No format has a number for what is below all edges.
  const rows = found.map((row) =>
    Object.fromEntries(
      Object.entries<unknown>({ ...row }).map(([name, value]) => [
        name,
        typeof value === "number" && schema.fields[name]?.type === "string" ? String(value) : value,
      ]),
    ),
  );
  return answerIn(
    schema,
    rows,
    `${rows.length} groups by ${names.slice(0, keys.length).join(", ")}`,
  );
}

const isOrdinal = (step: unknown) => step === "weekday" || step === "hourOfDay";

/** A query of groups, and the parts of it that determine the columns of the result. */
interface AskedGroups {
  readonly by: unknown;
  readonly measures: readonly (readonly [name: string, measure: TypedMeasure])[];
  readonly query: object;
}

/** Keys as typed: fields with commas between, each with a step of the calendar or without one; or JSON. */
export function keysOf(typed: string, flags: AskFlags, schema?: Schema): unknown {
  const isJson = /^\s*[[{]/.test(typed);
  const keys = isJson ? [] : listedIn(schema, typed).map((each) => keyOf(each, flags, schema));
  if (keys.every((key) => typeof key === "string")) {
    refuseOptions(flags, ["unit", "zone"], "needs a key with a step, such as placed:month");
  }
  return isJson ? parseJson(typed, "--group-by") : keys;
}

function keyOf(typed: string, { unit, zone }: AskFlags, schema: Schema | undefined) {
  const [, field, step] = isField(schema, typed) ? [] : (/^(.+):(\w+)$/s.exec(typed) ?? []);
  return field === undefined ? typed : { field, step, unit, zone };
}

export function groupQuery(
  typed: string,
  schema: Schema,
  { criteria, limit, offset }: Query,
  flags: AskFlags,
): AskedGroups {
  const { measure = [], having, sort = [], sortBy, order = "DESC" } = flags;
  const by = keysOf(typed, flags, schema);
  const measures = measure.length === 0 ? [["count", "count"] as const] : measure.map(measureOf);
  const named = new Map<string, TypedMeasure>(measures);
  if (named.size < measures.length) throw new UsageError("--measure: gives two measures one name");
  const query = {
    by,
    measures: Object.fromEntries(named),
    criteria,
    having: having === undefined ? undefined : parseJson(having, "--having"),
    sort: sortBy === undefined ? pairsOf(sort) : [[sortBy, order]],
    limit: limit == null ? undefined : Number(limit),
    offset: offset == null ? undefined : Number(offset),
  };
  return { by, measures, query };
}

/** A key of a query of groups, in JSON. */
interface TypedKey {
  readonly field: string;
  readonly as?: string;
  readonly step?: unknown;
  readonly width?: unknown;
  readonly edges?: unknown;
}

type TypedMeasure = "count" | readonly [aggregate: string, field: string, share?: number];

/** A measure as typed, such as `paid=sum:total` or `most=quantile:total:0.9`, and its name. */
export function measureOf(typed: string): readonly [name: string, measure: TypedMeasure] {
  const [, name = "", aggregate = "", rest] = /^([^=]+)=([^:]+)(?::(.+))?$/s.exec(typed) ?? [];
  if (aggregate === "count" && rest === undefined) return [name, "count"];
  if (rest === undefined) {
    throw new UsageError(
      `--measure: must be NAME=count or NAME=AGGREGATE:FIELD, such as paid=sum:total, not ${JSON.stringify(typed)}`,
    );
  }
  if (aggregate !== "quantile") return [name, [aggregate, rest]];
  const [, field = rest, share] = /^(.+):([^:]+)$/s.exec(rest) ?? [];
  return [name, [aggregate, field, Number(share)]];
}
