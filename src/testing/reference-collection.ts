// The semantics of a collection in code: it reads every record for every question. What a query selects,
// and in which order, is in reference-page.ts; how data becomes records, in reference-data.ts.

import type { Collection, CountByOptions, InputOf, Schema, WireValue } from "../index.ts";
import { heldForm } from "./arbitraries/values.ts";
import { loadRecords } from "./reference-data.ts";
import { check, compareWire, page, STRICT } from "./reference-page.ts";

/** The methods of a collection that have a reference. */
export type ReferenceCollection<S extends Schema = Schema> = Pick<
  Collection<S>,
  "schema" | "query" | "count" | "countBy"
>;

interface Asked {
  readonly criteria?: unknown;
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly sortBy?: unknown;
  readonly sortOrder?: unknown;
  readonly sort?: unknown;
}

/**
 * A collection that answers as `createCollection`'s must. It refuses questions with a `ServiceError` of code
 * 310 or 311.
 *
 * @throws InputError if a record is not valid
 */
export function referenceCollection<S extends Schema>(
  schema: S,
  records: Iterable<InputOf<S>> = [],
): ReferenceCollection<S> {
  const table = loadRecords(schema, records);
  const isOwn = schema.form !== "contract";
  const rowsOf = ({ criteria, limit, offset, sortBy, sortOrder, sort }: Asked) => {
    const parameters = [criteria, limit, offset, sortBy, sortOrder, ...(isOwn ? [sort] : [])];
    return page(table, parameters, { ...STRICT, isOwn });
  };

  // The records have the schema's stored fields in its form, as the type says: the data was loaded so.
  const query = (asked: Asked = {}) => rowsOf(asked).map(({ record }) => record as never);

  const count = (criteria?: unknown) => rowsOf({ criteria }).length;

  const countBy = (
    name: string,
    criteria?: unknown,
    { order = "value", limit = Infinity }: CountByOptions = {},
  ) => {
    const field = schema.fields[name];
    check(field !== undefined && field.type !== "json", 310, "the field is one to sort by");
    const counts = new Map<WireValue, number>();
    for (const { values } of rowsOf({ criteria })) {
      const value = values.get(name) ?? null;
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const found = [...counts].sort(([a], [b]) => compareWire(a, b, field.type));
    if (order === "count") found.sort(([, a], [, b]) => b - a);
    // The value has the type that the field's values have in a record.
    return found
      .slice(0, limit)
      .map(([value, count]) => ({ value: heldForm(schema, field, value) as never, count }));
  };

  return Object.freeze({ schema, query, count, countBy });
}
