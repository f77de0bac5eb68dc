// The unique constraints of a table.

import type { Schema } from "../schema/schema.ts";
import type { NamedColumns, RecordTable } from "./names.ts";

/** The columns of each unique constraint of a schema. */
export const uniqueIn = ({ constraints }: Schema, { fields }: RecordTable): string[][] =>
  constraints.map(({ places }) =>
    places.flatMap(({ name }) => fields.get(name) ?? []).map(comparedColumn),
  );

/** The compared column of a field: in lower case if the field ignores case. */
export const comparedColumn = ({ field, column, columns }: NamedColumns): string =>
  field.ignoreCase ? (columns[1]?.name ?? column) : column;
