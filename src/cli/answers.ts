// Records to print, and the fields of those that are counts or measures.

import { boolean, defineSchema, float, int, json, string, strings, time } from "../index.ts";
import type { Field, FieldType, Schema } from "../index.ts";
import { writeJson } from "../import/index.ts";
import type { AnyRecord } from "./output.ts";
import type { Page } from "./tables.ts";

/** Records to print. */
export interface Answer extends Page {
  readonly schema: Schema;
  /** The line below their table. Pages of records have their own. */
  readonly foot?: string;
  /** For a page at a cursor: the cursors of the pages before and after it; `null` if there is none. */
  readonly previous?: string | null;
  readonly next?: string | null;
}

export function answerOf(
  fields: Readonly<Record<string, Field>>,
  rows: readonly object[],
  foot: string,
) {
  return answerIn(defineSchema(fields), rows, foot);
}

export function answerIn(schema: Schema, rows: readonly object[], foot: string): Answer {
  // The schema was made for these rows.
  const records = rows as readonly AnyRecord[];
  return { schema, records, json: () => writeJson(records, { schema }), foot };
}

/** The columns for the totals of a field. */
export function totalsOf(end: Field): Readonly<Record<string, Field>> {
  const number = float({ nullable: true });
  return { sum: number, minimum: end, maximum: end, mean: number };
}

export const makers: Readonly<Record<FieldType, (options: { readonly nullable: true }) => Field>> =
  {
    ...{ int, float, boolean, string, strings, json, time },
  };

/** A field for values of another field, which is known to exist, or for its elements. */
export function likeField({ fields }: Schema, name: string): Field {
  const type = fields[name]?.type ?? "string";
  return makers[type === "strings" ? "string" : type]({ nullable: true });
}
