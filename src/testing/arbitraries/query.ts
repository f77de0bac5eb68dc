// Queries that are valid for a schema, with every way to omit a parameter.

import * as fc from "fast-check";
import type { Query, Schema } from "../../index.ts";
import { criteria, type DrawnFrom } from "./criteria.ts";

/**
 * Queries that are valid for a schema.
 *
 * @param options `records`: the source of the criteria's values, and of the length of pages
 */
export function query<const S extends Schema>(
  schema: S,
  options?: DrawnFrom,
): fc.Arbitrary<Query<S>>;
// Includes `""` for an omitted parameter, which is legal although no type includes it.
export function query(schema: Schema, options: DrawnFrom = {}): fc.Arbitrary<unknown> {
  const records = [...(options.records ?? [])];
  const count = pageCount(records.length);
  const sortable = sortableNames(schema);
  const drawn = {
    criteria: fc.oneof(
      { weight: 9, arbitrary: criteria(schema, { records }) },
      { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
    ),
    limit: count,
    offset: count,
  };
  const byOne = fc.record(
    {
      ...drawn,
      sortBy: fc.oneof(
        ...(sortable.length === 0 ? [] : [{ weight: 4, arbitrary: fc.constantFrom(...sortable) }]),
        { weight: 1, arbitrary: fc.constantFrom("", null, undefined) },
      ),
      sortOrder: fc.constantFrom("ASC", "DESC", "ASC", "DESC", "", null, undefined),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  // The two methods sort by one field.
  if (schema.form === "contract") return byOne;
  const bySeveral = fc.record(
    { ...drawn, sort: sortPairs(schema) },
    { requiredKeys: [], noNullPrototype: true },
  );
  return fc.oneof(byOne, bySeveral);
}

/** Fields to sort by, each with its order (P9). */
export function sortPairs(schema: Schema): fc.Arbitrary<(readonly [string, "ASC" | "DESC"])[]> {
  const names = sortableNames(schema);
  if (names.length === 0) return fc.constant([]);
  const name = fc.constantFrom(...names);
  const pair = fc.tuple(name, fc.constantFrom("ASC" as const, "DESC" as const));
  return fc.uniqueArray(pair, { selector: ([field]) => field, maxLength: 4 });
}

export function sortableNames(schema: Schema): string[] {
  return countableNames(schema).filter((name) => schema.fields[name]?.type !== "strings");
}

export function countableNames({ fields }: Schema): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.type !== "json");
}

/** A limit or an offset, most often one within this many records. */
function pageCount(size: number): fc.Arbitrary<number | string | null | undefined> {
  const within = fc.nat({ max: size + 1 });
  return fc.oneof(
    { weight: 6, arbitrary: within },
    { weight: 2, arbitrary: within.map(String) },
    { weight: 1, arbitrary: fc.constantFrom(0, "0", Number.MAX_SAFE_INTEGER, "9007199254740991") },
    { weight: 2, arbitrary: fc.constantFrom("", null, undefined) },
  );
}
