// The types of the collections of a database.

import type { Schema } from "../schema/schema.ts";

/** Collections by their names. */
export type Collections = Readonly<Record<string, SomeCollection>>;

/** The part of a collection that does not depend on its schema. */
export interface SomeCollection {
  readonly schema: Schema;
  readonly size: number;
  compact(): SomeCollection;
}

/** The schema of a collection. */
export type SchemaOf<C> = C extends { readonly schema: infer S extends Schema } ? S : Schema;
