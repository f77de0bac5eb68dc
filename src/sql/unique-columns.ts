// The unique constraints of a table.

import type { Schema } from "../schema/schema.ts";
import type { Dialect } from "./dialect.ts";
import type { NamedColumns, RecordTable } from "./names.ts";

/** The unique constraints of a schema, for CREATE TABLE. */
export function uniqueIn(
  { constraints }: Schema,
  { fields }: RecordTable,
  { hasUnique, quote }: Dialect,
): string[] {
  if (!hasUnique) return [];
  return constraints.map(({ places }) => {
    const columns = places.flatMap(({ name }) => fields.get(name) ?? []);
    return `UNIQUE (${columns.map((each) => quote(comparedColumn(each))).join(", ")})`;
  });
}

/** The compared column of a field: in lower case if the field ignores case. */
export const comparedColumn = ({ field, column, columns }: NamedColumns): string =>
  field.ignoreCase ? (columns[1]?.name ?? column) : column;
