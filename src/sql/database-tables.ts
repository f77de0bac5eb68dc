// The statements that create the tables of a database, in which references are foreign keys (rule C21).

import type { Reference } from "../database/relations/references.ts";
import { InputError, member } from "../schema/errors.ts";
import { membersOf } from "../schema/input.ts";
import { anything, readOptions } from "../schema/options.ts";
import type { FieldName } from "../schema/names.ts";
import { readCollections, referencesOf, type Schemas, type SqlTable } from "./described-tables.ts";
import type { Dialect, DialectName, Statement } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { int, type RecordTable } from "./names.ts";
import { requireCompared } from "./columns.ts";
import type { DescribedTable } from "./table-options.ts";
import { newTable, statements, type Several } from "./tables.ts";
import { comparedColumn } from "./unique-columns.ts";

/** The fields of each collection to index. */
type IndexesOf<S extends Schemas> = {
  readonly [Name in keyof S]?: readonly Several<FieldName<S[Name]>>[] | undefined;
};

/** The options of `createDatabaseTables`. */
export interface CreateDatabaseTablesOptions<S extends Schemas = Schemas> {
  readonly dialect: DialectName;
  /** The tables by the names of their collections, as for `createSqlDatabase`. */
  readonly collections: { readonly [Name in keyof S]: SqlTable<S[Name]> };
  /** The fields of each collection to index, as in {@link CreateTableOptions}. */
  readonly indexes?: IndexesOf<NoInfer<S>> | undefined;
}

/**
 * The statements that create the tables of a database, in the order in which they can be run. `position` is the primary
 * key, or the fields of `order` are. References are foreign keys with the action of their `onRemove`, except in
 * ClickHouse, between strings in MariaDB, and between tables of a cycle in DuckDB, which has no actions. SQLite heeds them
 * after `PRAGMA foreign_keys = ON`.
 *
 * @throws SchemaError if a schema is not one; InputError with the path of the first option that is not valid, or of a
 *   collection of which a field refers to no unique field of its kind
 */
export function createDatabaseTables<const S extends Schemas>(
  options: CreateDatabaseTablesOptions<S>,
): Iterable<Statement>;
export function createDatabaseTables(options: unknown): Iterable<Statement> {
  const { dialect, collections, indexes } = readOptions(options, "options", {
    dialect: dialectOf,
    collections: anything,
    indexes: anything,
  });
  const described = readCollections(collections, dialect);
  const references = referencesOf(described);
  const indexed = membersOf(indexes ?? {}, "options.indexes");
  for (const name of Object.keys(indexed)) {
    if (!described.has(name)) {
      throw new InputError(member("options.indexes", name), "is not a collection");
    }
  }
  const tables: Tables = new Map(
    Array.from(described, ([name, each]) => [name, { ...each, made: recordTable(each, dialect) }]),
  );
  const { areForward = false, areAdded = false } = dialect.foreignKeys ?? {};
  const made = new Set<string>();
  const created: (string | undefined)[] = [];
  const added: string[] = [];
  for (const [name, { schema, made: table }] of inOrder(tables, references)) {
    const declared: string[] = [];
    for (const reference of references) {
      const key = reference.from === name ? foreignKey(reference, tables, dialect) : undefined;
      if (key === undefined) continue;
      const isOwn = reference.to === name;
      if (areForward || made.has(reference.to) || (isOwn && areAdded)) declared.push(key);
      else if (areAdded) added.push(`ALTER TABLE ${table.name} ADD ${key}`);
    }
    made.add(name);
    const own = Object.hasOwn(indexed, name) ? indexed[name] : undefined;
    const path = member("options.indexes", name);
    created.push(...newTable(schema, dialect, table, declared, own, path));
  }
  return statements([...created, ...added]);
}

/** The tables by the names of their collections. */
type Tables = ReadonlyMap<string, DescribedTable & { readonly made: RecordTable }>;

/** The table with its key. */
function recordTable({ table, position, order }: DescribedTable, dialect: Dialect): RecordTable {
  const columns = [...table.fields.values()].flatMap((field) => field.columns);
  if (position !== undefined) {
    return { ...table, position, columns: [int(position), ...columns], key: [position] };
  }
  const fields = order.flatMap((name) => table.fields.get(name) ?? []).map(requireCompared);
  const isKey = fields.every(({ field }) => !field.nullable && dialect.isKey(field.type));
  return { ...table, order: fields, columns, key: isKey ? fields.map(comparedColumn) : [] };
}

/** The declaration of a foreign key; `undefined` if the engine has none for the reference. */
export function foreignKey(
  { from, field, to, key, onRemove }: Reference,
  tables: ReadonlyMap<string, DescribedTable>,
  dialect: Dialect,
): string | undefined {
  const [here, there] = [tables.get(from)?.table, tables.get(to)?.table];
  const [own, other] = [here?.fields.get(field), there?.fields.get(key.name)];
  if (own === undefined || other === undefined) throw new RangeError(`there is no field ${field}`);
  const [column, referred] = [own, other].map((each) => comparedColumn(requireCompared(each)));
  // The engine would have to change a value that it computes.
  if (own.columns[0]?.generated !== undefined) return undefined;
  const references = dialect.foreignKeys?.references({
    ...{ from: here?.path ?? [], to: there?.path ?? [], column: referred ?? "" },
    ...{ type: own.field.type, onRemove },
  });
  return references && `FOREIGN KEY (${dialect.quoteColumn(column ?? "")}) ${references}`;
}

/** The tables, those to which others refer first as far as that is possible. */
function* inOrder(tables: Tables, references: readonly Reference[]) {
  const rest = new Map(tables);
  while (rest.size > 0) {
    const isReady = (name: string) =>
      references.every(({ from, to }) => from !== name || to === name || !rest.has(to));
    const next = [...rest].find(([name]) => isReady(name)) ?? [...rest][0];
    if (next === undefined) return;
    rest.delete(next[0]);
    yield next;
  }
}
