// The options of the tables of a database.

import { referencesBetween, type Reference } from "../database/relations/references.ts";
import { InputError, member, quote } from "../schema/errors.ts";
import { membersOf, reading } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import type { Dialect } from "./dialect.ts";
import {
  readTableOptions,
  type DescribedTable,
  type SqlCollectionOptions,
} from "./table-options.ts";

/** Schemas by the names of their collections. */
export type Schemas = Readonly<Record<string, Schema>>;

/** The table of a collection of a database. */
export interface SqlTable<S extends Schema = Schema> extends Pick<
  SqlCollectionOptions<S>,
  "schema" | "columns" | "position" | "order"
> {
  /** The table, or a view. Default: the name of the collection. */
  readonly table?: SqlCollectionOptions<S>["table"] | undefined;
}

/** The names of the members of a database. */
const RESERVED = ["query", "page", "count", "groupBy"];

const COLLECTIONS = "options.collections";

/** The path of the options of a collection. */
export const placeOf = (name: string): string => member(COLLECTIONS, name);

/**
 * Reads the tables of collections, by the names of these.
 *
 * @throws SchemaError, InputError with the path of the first option that is not valid
 */
export function readCollections(
  given: unknown,
  dialect: Dialect,
): ReadonlyMap<string, DescribedTable> {
  const entries = reading(COLLECTIONS, () => Object.entries(membersOf(given, COLLECTIONS)));
  return new Map(
    entries.map(([name, options]) => {
      const where = placeOf(name);
      if (RESERVED.includes(name)) {
        const reason = `${quote(name)} is reserved by the database; choose another name`;
        throw new InputError(where, reason);
      }
      const own = reading(where, () => ({ ...membersOf(options, where) }));
      return [name, readTableOptions({ table: name, ...own }, where, dialect)];
    }),
  );
}

/** @throws InputError if a field refers to no unique field of its kind */
export function referencesOf(tables: ReadonlyMap<string, DescribedTable>): readonly Reference[] {
  const schemas = new Map(Array.from(tables, ([name, { schema }]) => [name, schema]));
  return referencesBetween(schemas, COLLECTIONS);
}
