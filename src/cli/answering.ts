// What answers the questions of a command: a collection, or a database that has a collection and the records to which
// its own refer.

import { joinedSchema, InputError } from "../index.ts";
import type { Collection, Database, Schema } from "../index.ts";
import { UsageError } from "./errors.ts";

/** The methods of a collection that commands call. */
export type Answering = Pick<
  Collection,
  | ("schema" | "size" | "query" | "page" | "count" | "countBy" | "histogram" | "summary")
  | ("groupBy" | "explain" | "explainCount" | "explainGroupBy")
>;

/**
 * The schema of a collection of a database with the fields at the paths among some names.
 *
 * @throws UsageError that names a path that leads nowhere, and what is known there
 */
export function schemaWithPaths(database: Database, name: string, names: Iterable<string>): Schema {
  const schema = database[name]?.schema;
  const referring = schema?.places.filter(({ field }) => field.references !== undefined) ?? [];
  const paths = [...names].filter(
    (each) =>
      !Object.hasOwn(schema?.fields ?? {}, each) &&
      referring.some((field) => each.startsWith(`${field.name}.`)),
  );
  try {
    return joinedSchema(database, name, paths);
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    const [, at] = /^paths\[(\d+)\]$/.exec(thrown.path) ?? [];
    throw new UsageError(`${paths[Number(at)]}: ${thrown.reason}`);
  }
}

/** A collection of a database with fields of others, which the database answers. */
export function answeringOf(database: Database, name: string, schema: Schema): Answering {
  const current = (ask: object): unknown => database.live(name, ask as never).current;
  const answering: Readonly<Record<keyof Answering, unknown>> = {
    schema,
    size: database[name]?.size,
    query: (query: never) => database.query(name, query),
    page: (query: never) => database.page(name, query),
    count: (criteria: never) => database.count(name, criteria),
    countBy: (countBy: string, criteria: unknown, options: object) =>
      current({ countBy, criteria, ...options }),
    histogram: (histogram: string, options: object) => current({ histogram, ...options }),
    summary: (summary: string, criteria: unknown, options: object) =>
      current({ summary, criteria, ...options }),
    groupBy: (query: never) => database.groupBy(name, query),
    explain: (query: never, options: { readonly analyze?: boolean }) =>
      database.explain(name, query, options),
    explainCount: (criteria: never) => database.explainCount(name, criteria),
    explainGroupBy: (query: never) => database.explainGroupBy(name, query),
  };
  // Generic methods, whose arguments the database checks.
  return answering as Answering;
}
