// Compares the tables of a database with the requirements of collections over them, and of references between these.

import type { CheckedCriteria } from "../criteria/criteria.ts";
import { equalTo } from "../criteria/derived.ts";
import {
  criteriaIn,
  isNested,
  type CriteriaGroup,
  type ParsedCriteria,
  type ParsedCriterion,
} from "../criteria/tree.ts";
import { copyOfAsked } from "../database/copy-asked.ts";
import type { FieldAtPath, OtherField } from "../database/relations/read-question.ts";
import type { Reference } from "../database/relations/references.ts";
import { parseQuery, sortsOf, type CheckedQuery } from "../engine/query.ts";
import { InputError, member, quote } from "../schema/errors.ts";
import { iterate, membersOf } from "../schema/input.ts";
import { fieldOf } from "../schema/names.ts";
import { anything, readOptions } from "../schema/options.ts";
import type { OnRemove } from "../schema/references.ts";
import { checkDescribed } from "./check-table.ts";
import type { Need } from "./index-advice.ts";
import { foreignKey } from "./database-tables.ts";
import { placeOf, readCollections, type Schemas } from "./described-tables.ts";
import { ask } from "./driver.ts";
import { areEqual } from "./joined-table.ts";
import { named } from "./result-columns.ts";
import { columnsIn } from "./records.ts";
import { SqlRelations, type Joined, type SqlDatabaseOptions } from "./sql-database.ts";
import { sharedOptions } from "./table-options.ts";
import type { TableProblem } from "./table-problem.ts";
import { comparedColumn } from "./unique-columns.ts";

/** The queries of each collection that should be fast. */
type QueriesOf<S extends Schemas> = {
  readonly [Name in keyof S]?:
    | readonly CheckedQuery<
        Joined<S, Name>,
        CheckedCriteria<Joined<S, Name>, unknown>,
        never,
        never,
        never,
        never,
        never
      >[]
    | undefined;
};

/** The tables of a database, and the queries that should be fast on them. */
export interface CheckDatabaseTablesOptions<
  S extends Schemas = Schemas,
> extends SqlDatabaseOptions<S> {
  /** Examples of the expected queries by the collections of which they are asked; default: none. */
  readonly queries?: QueriesOf<NoInfer<S>> | undefined;
}

/** A problem of a table of a database. */
export interface DatabaseTableProblem extends TableProblem {
  /** The name of the collection. */
  readonly collection: string;
}

/**
 * Reports what the tables of a database lack: what `checkTable` says of each, indexes of references and for paths and
 * conditions of queries, and foreign keys. It only reads. Cost: that of `checkTable` for each table, and a pass over it for
 * each reference.
 *
 * @returns what is missing, with the statement that adds it; empty if nothing is
 * @throws like `createSqlDatabase`; CriteriaError, QueryError for the first query that is not valid; DriverError
 */
export async function checkDatabaseTables<const S extends Schemas>(
  options: CheckDatabaseTablesOptions<S>,
): Promise<DatabaseTableProblem[]> {
  const { collections, queries, ...shared } = readOptions(options, "options", {
    ...sharedOptions,
    collections: anything,
    queries: anything,
  });
  const tables = readCollections(collections, shared.dialect);
  const relations = new SqlRelations(shared, tables);
  const needs = new Needs(relations, tables.keys());
  for (const [name, given] of Object.entries(membersOf(queries ?? {}, "options.queries"))) {
    const place = member("options.queries", name);
    if (!tables.has(name)) throw new InputError(place, "is not a collection");
    for (const query of iterate(given ?? [], place)) needs.addQuery(name, query);
  }
  const problems: DatabaseTableProblem[] = [];
  for (const name of tables.keys()) {
    const found = await checkDescribed(relations.table(name), needs.of(name), placeOf(name));
    problems.push(...found.map((each) => ({ collection: name, ...each })));
  }
  for (const reference of relations.references) {
    const found = await referenceProblem(reference, relations);
    if (found !== undefined) problems.push({ collection: reference.from, ...found });
  }
  return problems;
}

/** What queries need of each table. */
class Needs {
  readonly #relations: SqlRelations;
  readonly #all: ReadonlyMap<string, Need[]>;

  constructor(relations: SqlRelations, names: Iterable<string>) {
    this.#relations = relations;
    this.#all = new Map(Array.from(names, (name) => [name, []]));
    // Who removes or changes a row looks for those that refer to it.
    for (const reference of relations.references)
      this.#add(reference.from, [this.#equal(reference)]);
  }

  of(name: string): readonly Need[] {
    return this.#all.get(name) ?? [];
  }

  /** @throws CriteriaError, QueryError */
  addQuery(name: string, given: unknown): void {
    const { asked, fields, collection } = this.#relations.question(
      name,
      copyOfAsked(given, "query"),
    );
    const settings = { ...this.#relations.table(name), unknownOperator: "error" } as const;
    const { criteria, sort } = parseQuery(collection.schema, asked, settings);
    const isOwn = sortsOf(sort).every(({ field }) => !fields.some((each) => each.name === field));
    for (const group of criteria.groups) {
      const own = ownCriteria(group, fields);
      // An order by other tables has no index.
      this.#all.get(name)?.push({ group: own, sort: isOwn ? sort : undefined, isOrdered: isOwn });
    }
    this.#addOthers(criteria, fields);
  }

  #add(name: string, group: CriteriaGroup): void {
    this.#all.get(name)?.push({ group, sort: undefined, isOrdered: false });
  }

  /** Adds what criteria on fields of others need. */
  #addOthers({ groups }: ParsedCriteria, fields: readonly OtherField[]): void {
    const byName = new Map(fields.map((each) => [each.name, each]));
    for (const criterion of criteriaIn(groups)) {
      const other = byName.get(criterion.field);
      if (other?.kind === "path") this.#addPath(other, criterion);
      if (other?.kind !== "condition") continue;
      const { reference, fields: further, criteria } = other;
      const parsed = this.#relations.criteriaOf(reference.from, further, criteria);
      const equal = this.#equal(reference);
      for (const group of parsed.groups) {
        this.#add(reference.from, [equal, ...ownCriteria(group, further)]);
      }
      this.#addOthers(parsed, further);
    }
  }

  #addPath({ reference, field, fields: further }: FieldAtPath, criterion: ParsedCriterion): void {
    const [next] = further;
    if (next?.kind === "path") this.#addPath(next, criterion);
    else this.#add(reference.to, [{ ...criterion, field }]);
  }

  /** The criterion that a field refers to a record. */
  #equal({ from, field: name }: Reference): ParsedCriterion {
    const field = fieldOf(this.#relations.table(from).schema, name);
    if (field === undefined) throw new RangeError(`there is no field ${name}`);
    return equalTo({ name, field, value: field.type === "int" ? "1" : "a" });
  }
}

/** The criteria of a group on fields of the table itself. */
const ownCriteria = (group: CriteriaGroup, fields: readonly OtherField[]): CriteriaGroup =>
  group.filter((part) => !isNested(part) && !fields.some(({ name }) => name === part.field));

/** What a foreign key may do when a row is removed. */
const ACTIONS: Readonly<Record<OnRemove, readonly string[]>> = {
  refuse: ["NO ACTION", "RESTRICT"],
  null: ["SET NULL"],
  remove: ["CASCADE"],
};

/** The tables and columns of a reference; `undefined` if one is missing, which is a problem of its table. */
async function columnsOf({ from, field, to, key }: Reference, relations: SqlRelations) {
  try {
    const [here, there] = [await relations.read(from, HERE), await relations.read(to, THERE)];
    return { here, there, own: columnsIn(here)(field), other: columnsIn(there)(key.name) };
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** The aliases of the tables of a reference. */
const HERE = "tercet_t0";
const THERE = "tercet_t1";

/** A reference that names no row, or a foreign key that is missing or does something else. */
async function referenceProblem(
  reference: Reference,
  relations: SqlRelations,
): Promise<TableProblem | undefined> {
  const { from, to, onRemove } = reference;
  const { dialect, run } = relations.table(from);
  const { signal } = new AbortController();
  const both = await columnsOf(reference, relations);
  if (both === undefined) return undefined;
  const { here, there, own, other } = both;
  const [column, referred] = [comparedColumn(own), comparedColumn(other)];
  const isMissing = `${own.value} IS NOT NULL AND ${other.value} IS NULL`;
  const text = `SELECT ${named("1", 0)} FROM ${here.name} AS ${HERE} LEFT JOIN ${there.name} AS ${THERE} ON ${areEqual(own, other, dialect)} WHERE ${isMissing} LIMIT 1`;
  const { query } = { ...dialect, ...dialect.joining };
  const dangling = await ask(run, { text: query(text), parameters: [] }, 1, signal);
  const called = `${quote(column)} refers to`;
  if (dangling.length > 0) {
    const reason = `${called} rows that ${quote(to)} does not have: the schema forbids that, and paths through them are null`;
    return { kind: "wrong", reason, statement: null };
  }
  const declared = foreignKey(
    reference,
    new Map([from, to].map((name) => [name, relations.table(name)])),
    dialect,
  );
  const listing = dialect.catalog.foreignKeys?.(here, there);
  if (declared === undefined || listing === undefined) return undefined;
  if ((await relations.isView(from)) || (await relations.isView(to))) return undefined;
  const rows = await ask(run, listing, 3, signal);
  const isSame = (name: string | null | undefined, known: string) =>
    name == null || name.toLowerCase() === known.toLowerCase();
  const found = rows.find(([name, key]) => isSame(name, column) && isSame(key, referred));
  if (found === undefined) {
    const isAdded = dialect.foreignKeys?.areAdded === true;
    return {
      kind: "wrong",
      reason: `no foreign key keeps the rows of ${quote(to)} to which ${quote(column)} refers, as the schema does`,
      statement: isAdded ? `ALTER TABLE ${here.name} ADD ${declared}` : null,
    };
  }
  const action = found[2] ?? "";
  if (ACTIONS[onRemove].includes(action)) return undefined;
  const reason = `${called} ${quote(to)} with ON DELETE ${action}, where the schema says onRemove: ${quote(onRemove)}`;
  return { kind: "wrong", reason, statement: null };
}
