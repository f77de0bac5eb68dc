// Collections over tables of one database, with questions that cross them (rule C20), as the database in memory has them.

import type { ParsedCriteria } from "../criteria/tree.ts";
import type { Reference } from "../database/relations/references.ts";
import { copyOfAsked } from "../database/copy-asked.ts";
import type { AsyncQuestions } from "../database/relations/async-questions.ts";
import type { JoinedSchema } from "../database/relations/joined-schema.ts";
import { requireCollection } from "../database/relations/questions.ts";
import {
  keep,
  QuestionReader,
  sourcesOf,
  type OtherField,
} from "../database/relations/read-question.ts";
import { parseQuery } from "../engine/query.ts";
import { anything, readOptions, type OptionsOf } from "../schema/options.ts";
import { checkTellable } from "./condition.ts";
import {
  placeOf,
  readCollections,
  referencesOf,
  type Schemas,
  type SqlTable,
} from "./described-tables.ts";
import type { DialectName, Run, TextForm } from "./dialect.ts";
import { aliasAt, joinedTable, schemaWith, type JoinedTables } from "./joined-table.ts";
import type { AskedTable } from "./names.ts";
import type { Refer } from "./columns.ts";
import { tableAsItIs, type NativeColumns } from "./native.ts";
import { columnsIn } from "./records.ts";
import {
  queriesOf,
  queriesOn,
  type AnySqlCollection,
  type SqlCollection,
} from "./sql-collection.ts";
import {
  fetchColumns,
  sharedOptions,
  type Described,
  type DescribedTable,
  type SqlCollectionOptions,
} from "./table-options.ts";
import type { AbortOptions } from "./waiting.ts";

/** The tables of a database, and how to query them. */
export interface SqlDatabaseOptions<S extends Schemas = Schemas> extends Pick<
  SqlCollectionOptions,
  "maxCriteria" | "maxValues"
> {
  readonly dialect: DialectName;
  /** The caller's driver. */
  readonly run: Run;
  /** The tables by the names of their collections, to which references refer. */
  readonly collections: { readonly [Name in keyof S]: SqlTable<S[Name]> };
  /** See {@link CompileOptions.texts}. */
  readonly texts?: TextForm | undefined;
}

/** The tables of some schemas, as far as questions know them. */
type WithSchemas<S extends Schemas> = { readonly [K in keyof S]: { readonly schema: S[K] } };

/** The schema of a collection with the fields to which paths lead. */
export type Joined<S extends Schemas, Name extends keyof S> = JoinedSchema<WithSchemas<S>, Name>;

/**
 * Collections over tables, by their names, and the questions that cross them: the fields of a question may be those of
 * the records to which others refer, such as `"customer.country"`, and criteria may be conditions on the records that
 * refer to a record, such as `["orders", "some", criteria]`. The errors are those of {@link SqlCollection}, and an
 * InputError if there is no collection with the name.
 */
export type SqlDatabase<S extends Schemas = Schemas> = SqlDatabaseMethods<S> & {
  readonly [Name in keyof S]: SqlCollection<S[Name]>;
};

/** The questions of a database, by the name of a collection. */
export type SqlDatabaseMethods<S extends Schemas = Schemas> = AsyncQuestions<
  WithSchemas<S>,
  AbortOptions
>;

/** How many combinations of fields of others are kept ready. */
const MOST_JOINS = 16;

/**
 * Makes collections over existing tables of one database. No statement is sent before the first query; the first one
 * that concerns a table also reads the types of its columns.
 *
 * @throws SchemaError if a schema is not one; InputError with the path of the first option that is not valid, or of a
 *   collection of which a field refers to no unique field of its kind
 */
export function createSqlDatabase<const S extends Schemas>(
  options: SqlDatabaseOptions<S>,
): SqlDatabase<S>;
export function createSqlDatabase(options: unknown): object {
  const { collections: given, ...shared } = readOptions(options, "options", {
    ...sharedOptions,
    collections: anything,
  });
  const tables = readCollections(given, shared.dialect);
  const relations = new SqlRelations(shared, tables);
  const names = [...tables.keys()];
  type Method = keyof SqlDatabaseMethods;
  const method =
    (which: Method) =>
    async (name: unknown, given?: unknown, waiting?: unknown): Promise<unknown> => {
      const known = requireCollection(names, name);
      // A copy, because the names in it are read first.
      const isCount = which === "count";
      const asked = copyOfAsked(isCount ? { criteria: given } : given, "query");
      const { collection, asked: read } = relations.question(known, asked);
      const { criteria } = isCount ? (read as { readonly criteria: unknown }) : {};
      return await collection[which](isCount ? criteria : read, waiting);
    };
  const collections = names.map((name) => [name, relations.collection(name)] as const);
  return Object.freeze({
    ...Object.fromEntries(collections),
    query: method("query"),
    page: method("page"),
    count: method("count"),
    groupBy: method("groupBy"),
  });
}

type Shared = OptionsOf<typeof sharedOptions>;

/** The tables of a database, and what was asked of them. */
export class SqlRelations {
  readonly references: readonly Reference[];
  readonly #shared: Shared;
  readonly #tables: ReadonlyMap<string, DescribedTable>;
  /** The tables before their columns were read. */
  readonly #unread: JoinedTables;
  readonly #reader: QuestionReader;
  readonly #collections = new Map<string, AnySqlCollection>();
  readonly #natives = new Map<string, Promise<NativeColumns>>();
  /** Most recently used last. */
  readonly #joins = new Map<string, AnySqlCollection>();

  /** @throws InputError if a field refers to no unique field of its kind */
  constructor(shared: Shared, tables: ReadonlyMap<string, DescribedTable>) {
    this.#shared = shared;
    this.#tables = tables;
    this.#unread = {
      dialect: shared.dialect,
      tableOf: (name, alias) => this.#aliased(name, alias),
      criteriaOf: (...given) => this.criteriaOf(...given),
    };
    const references = referencesOf(tables);
    this.references = references;
    const schemaOf = (name: string) => this.table(name).schema;
    this.#reader = new QuestionReader({
      references,
      schemaOf,
      checkCriteria: (name, fields, criteria) => {
        const parsed = this.criteriaOf(name, fields, criteria);
        checkTellable(parsed, columnsIn(joinedTable(this.#unread, name, fields)));
      },
    });
    for (const name of tables.keys()) {
      const fetch = () => this.#nativeOf(name);
      this.#collections.set(name, queriesOn(this.table(name), fetch, placeOf(name)));
    }
  }

  collection(name: string): AnySqlCollection {
    const collection = this.#collections.get(name);
    if (collection === undefined) throw new RangeError(`there is no collection ${name}`);
    return collection;
  }

  /**
   * A question, the fields of others that it names, and the collection that has them.
   *
   * @throws CriteriaError if a condition on another collection is not valid
   */
  question(name: string, given: unknown) {
    const { asked, fields } = this.#reader.read(name, given);
    const collection = fields.length === 0 ? this.collection(name) : this.#join(name, fields);
    return { asked, fields, collection };
  }

  /** The table of a collection, behind an alias if one is given, with the types of its columns. */
  async read(name: string, alias?: string): Promise<AskedTable> {
    const unread = alias === undefined ? this.table(name).table : this.#aliased(name, alias);
    return tableAsItIs(unread, await this.#nativeOf(name), this.#shared.dialect, placeOf(name));
  }

  /** @throws DriverError */
  async isView(name: string): Promise<boolean> {
    return (await this.#nativeOf(name)).isView;
  }

  table(name: string): Described {
    const table = this.#tables.get(name);
    if (table === undefined) throw new RangeError(`there is no collection ${name}`);
    return { ...this.#shared, ...table };
  }

  /** Parses criteria on a collection with fields of others. @throws CriteriaError */
  criteriaOf(name: string, fields: readonly OtherField[], criteria: unknown): ParsedCriteria {
    const { schema } = fields.length === 0 ? this.table(name) : this.#join(name, fields);
    return parseQuery(schema, { criteria }, { ...this.table(name), unknownOperator: "error" })
      .criteria;
  }

  /** The columns of a table, which are read once. */
  #nativeOf(name: string): Promise<NativeColumns> {
    const known = this.#natives.get(name);
    if (known !== undefined) return known;
    const fetched = fetchColumns(this.table(name), new AbortController().signal);
    this.#natives.set(name, fetched);
    fetched.catch(() => this.#natives.delete(name));
    return fetched;
  }

  /** A collection with fields of others. */
  #join(name: string, fields: readonly OtherField[]): AnySqlCollection {
    const key = JSON.stringify([name, ...fields.map((field) => field.name)]);
    const join = this.#joins.get(key) ?? this.#joined(name, fields);
    keep(this.#joins, key, join, MOST_JOINS);
    return join;
  }

  #joined(name: string, fields: readonly OtherField[]): AnySqlCollection {
    const described = this.table(name);
    const schema = schemaWith(described.schema, fields);
    const { dialect } = described;
    const joining = { ...dialect, ...dialect.joining };
    return queriesOf(
      { ...described, schema, dialect: joining },
      joinedTable(this.#unread, name, fields),
      columnsBehind(aliasAt(0), dialect.quoteColumn),
      async () => {
        const names = [...new Set(sourcesOf(name, fields))];
        const natives = await Promise.all(
          names.map(async (each) => [each, await this.#nativeOf(each)] as const),
        );
        const byName = new Map(natives);
        const tableOf = (each: string, alias: string) => {
          const unread = this.#aliased(each, alias);
          const native = byName.get(each);
          return native === undefined
            ? unread
            : tableAsItIs(unread, native, dialect, placeOf(each));
        };
        return joinedTable({ ...this.#unread, dialect, tableOf }, name, fields);
      },
    );
  }

  #aliased(name: string, alias: string): AskedTable {
    const { table, columnsBy, dialect } = this.table(name);
    return { ...table, fields: columnsBy(columnsBehind(alias, dialect.quoteColumn)) };
  }
}

/** Names columns behind the alias of their table. */
const columnsBehind =
  (alias: string, quoteColumn: (name: string) => string): Refer =>
  (column) =>
    `${alias}.${quoteColumn(column)}`;
