// The unique constraints of a table.

import { isFolded } from "../schema/folding.ts";
import type { Schema } from "../schema/schema.ts";
import type { NamedColumns } from "./columns.ts";
import type { RecordTable } from "./names.ts";

/** The columns of each unique constraint of a schema. */
export const uniqueIn = ({ constraints }: Schema, { fields }: RecordTable): string[][] =>
  constraints.map(({ places }) =>
    places.flatMap(({ name }) => fields.get(name) ?? []).map(comparedColumn),
  );

/** The compared column of a field: the folded one if the field ignores case or accents. */
export const comparedColumn = ({ field, column, columns }: NamedColumns): string =>
  isFolded(field) ? (columns[1]?.name ?? column) : column;
