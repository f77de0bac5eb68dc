// The result of a query according to the reference of tercet/testing: over records in wire form, of any schema.

import { compileCriteria, type Query, type Schema } from "../src/index.ts";
import { textFormFor } from "../src/testing/arbitraries/values.ts";
import { page, STRICT } from "../src/testing/reference-page.ts";
import { untyped } from "./rules/fixtures.ts";

type Plain = Readonly<Record<string, string | null>>;

interface Asked extends Pick<Query, "limit" | "offset" | "sort" | "sortBy" | "sortOrder"> {
  readonly criteria?: unknown;
}

/** A record as it was given, in wire form (rules V1, V2, V6). */
export function textFormOf(schema: Schema, given: object): Plain {
  const members = new Map<string, unknown>(Object.entries(given));
  return Object.fromEntries(
    Object.entries(schema.fields).map(([name, field]) => [
      name,
      textFormFor(field, members.get(name)) ?? null,
    ]),
  );
}

/** A record in wire form as input: arrays of strings have no wire form there. */
function inputOf(schema: Schema, textForm: Plain): object {
  const values = Object.entries(textForm).map(([name, value]) => {
    const isArray = schema.fields[name]?.type === "strings" && value !== null;
    return [name, isArray ? (JSON.parse(value) as unknown) : value] as const;
  });
  return Object.fromEntries(values);
}

/** The records that the reference selects, in its order, and of these its page. */
export function referencePage<Record extends Plain>(
  schema: Schema,
  records: readonly Record[],
  { criteria, limit, offset, sortBy, sortOrder, sort }: Asked,
): Record[] {
  const fields = new Map(Object.entries(schema.fields));
  const rows = records.map((record) => ({ values: new Map(Object.entries(record)), record }));
  const isOwn = schema.form !== "contract";
  const asked = [criteria, limit, offset, sortBy, sortOrder, ...(isOwn ? [sort] : [])];
  const found = page({ fields, rows }, asked, { ...STRICT, isOwn });
  return found.map(({ record }) => record);
}

/** The records that the predicate selects; their order and the page are the reference's. */
export function predicatePage<Record extends Plain>(
  schema: Schema,
  records: readonly Record[],
  { criteria, ...page }: Asked,
): Record[] {
  const predicate = compileCriteria(schema, untyped(criteria));
  return referencePage(
    schema,
    records.filter((record) => predicate(untyped(inputOf(schema, record)))),
    page,
  );
}
