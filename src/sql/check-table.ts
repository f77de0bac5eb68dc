// Compares an existing table with the requirements of a collection over it: the columns and their types, no null where
// none is allowed, a key, and indexes for the expected queries.

import { parseQuery, type CheckedQuery } from "../engine/query.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import type { FieldType } from "../schema/field.ts";
import { iterate, membersOf, reading } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import type { ColumnDefinition, Parameter } from "./dialect.ts";
import { ask } from "./driver.ts";
import { adviceOn, indexesOf } from "./index-advice.ts";
import type { TableProblem } from "./table-problem.ts";
import { namedAll } from "./names.ts";
import {
  columnsFound,
  faultOf,
  tableAsItIs,
  type FoundColumn,
  type NativeColumns,
} from "./native.ts";
import {
  fetchColumns,
  readDescribed,
  type Described,
  type SqlCollectionOptions,
} from "./table-options.ts";

/** The queries that should be fast on a table. */
export interface CheckTableOptions<S extends Schema = Schema> extends SqlCollectionOptions<S> {
  /** Examples of the expected queries; only the kinds of their values matter. Default: none. */
  readonly queries?:
    | readonly CheckedQuery<S, CheckedCriteria<S, unknown>, never, never, never, never, never>[]
    | undefined;
}

/**
 * Reports what a table lacks for a collection over it. It only reads, and none of the proposed statements changes a
 * value. Cost: two short statements to the engine's catalog; a pass over the table if a type allows values that a field
 * does not, and one for each unique order, field or combination without a unique index.
 *
 * @returns what is missing, with the statement that adds it; empty if nothing is
 * @throws SchemaError, InputError as `createSqlCollection`; CriteriaError, QueryError for the first query that is not
 *   valid; DriverError
 */
export async function checkTable<const S extends Schema>(
  options: CheckTableOptions<S>,
): Promise<TableProblem[]> {
  const { queries, ...others } = reading("options", () => ({ ...membersOf(options, "options") }));
  const described = readDescribed(others);
  const { schema, dialect, table, run } = described;
  const asked = Array.from(iterate(queries ?? [], "options.queries"), (query) =>
    parseQuery(schema, query, { ...described, unknownOperator: "error" }),
  );
  const { signal } = new AbortController();
  const native = await fetchColumns(described, signal);
  if (native.size === 0) return [wrong(`there is no table ${table.path.join(".")}`)];
  const found = columnsFound(table, native);
  const problems = found.flatMap((each) => columnProblem(described, native, each) ?? []);
  if (found.some(({ fault }) => fault !== undefined)) return problems;
  problems.push(...missingLower(described, native));
  const asItIs = tableAsItIs(table, native, dialect);
  problems.push(...(await faultyValues(described, found, signal)));
  const question = native.isView ? undefined : dialect.catalog.indexes?.(table.path, table.name);
  const rows = question === undefined ? [] : await ask(run, question, 7, signal);
  const indexes = question && indexesOf(rows, dialect);
  const taken = native.isView ? undefined : dialect.catalog.indexNames?.(table.path, table.name);
  const names = taken === undefined ? [] : await ask(run, taken, 1, signal);
  const advice = adviceOn(
    described,
    asItIs,
    native,
    indexes,
    names.map(([name]) => name ?? ""),
  );
  if (!advice.hasKey) {
    const same = await ask(run, advice.sameKeys, 1, signal);
    problems.push(...advice.key(same.length === 0));
  }
  for (const each of schema.constraints) {
    const constraint = advice.constraint(each);
    if (constraint === undefined) continue;
    const same = await ask(run, constraint.same, 1, signal);
    problems.push(constraint.problem(same.length === 0));
  }
  for (const { criteria, sort } of asked) {
    for (const group of criteria.groups) advice.query(group, sort);
  }
  problems.push(...advice.missing());
  // Two fields may lack the same column.
  return [...new Map(problems.map((each) => [each.statement ?? each.reason, each])).values()];
}

const wrong = (reason: string, statement: string | null = null): TableProblem => ({
  ...{ kind: "wrong", reason, statement },
});

const called = (column: string) => `the column ${JSON.stringify(column)}`;

/** A column that is missing, of another type, or nullable. */
function columnProblem(
  { dialect, table }: Described,
  { isView }: NativeColumns,
  { column, field, type, fault }: FoundColumn,
): TableProblem | undefined {
  const { catalog } = dialect;
  if (type === undefined) {
    const isAddable = !isView && field !== undefined;
    return wrong(
      fault ?? "",
      isAddable ? addColumn({ dialect, table }, column.name, column.kind) : null,
    );
  }
  // No statement is proposed that changes a type, since that could round or truncate values.
  if (fault !== undefined) return wrong(fault);
  const isPosition = table.position === column.name && field === undefined;
  if (column.nullable || type.isNotNull || isView || !(isPosition || field)) return undefined;
  const reason = isPosition
    ? `${called(column.name)} may be null, and a position not: rows without one have no order`
    : `${called(column.name)} may be null, and the field ${JSON.stringify(field?.[0])} not: an answer with such a row fails`;
  return wrong(reason, catalog.require?.(table.name, column));
}

/** Fields that ignore case without a lower-case column: they can be returned, but not used for searching or sorting. */
function* missingLower({ dialect, table }: Described, native: NativeColumns) {
  for (const [name, { column, missing }] of table.fields) {
    if (missing === undefined) continue;
    const lower = `${column}_lower`;
    const reason = `the field ${JSON.stringify(name)} ignores case and has no column in lower case: criteria and sorts that name it are refused; fill one by text.toLowerCase().replaceAll("ς", "σ") of JavaScript, and name it as ${missing}.lower`;
    const isAddable = !native.isView && native.get(lower) === undefined;
    yield wrong(reason, isAddable ? addColumn({ dialect, table }, lower, "string") : null);
  }
}

/** The statement that adds a column of a field that may be null. */
function addColumn(
  { dialect, table }: Pick<Described, "dialect" | "table">,
  name: string,
  kind: ColumnDefinition["kind"],
): string {
  const declared = dialect.declare({ name, kind, nullable: true });
  return `ALTER TABLE ${table.name} ADD COLUMN ${dialect.quote(name)} ${declared}`;
}

/** Columns with values that their fields can't have, found by one pass over the table. */
async function faultyValues(
  { dialect, table, run }: Described,
  found: readonly FoundColumn[],
  signal: AbortSignal,
): Promise<TableProblem[]> {
  const parameters: Parameter[] = [];
  const suspects = found.flatMap(({ column, field, type }) => {
    if (type === undefined || field === undefined) return [];
    const [name, columns] = field;
    const fault = faultOf(columns.field, columns.returned, type, dialect, parameters);
    return fault === undefined ? [] : [{ column, name, type: columns.field.type, fault }];
  });
  if (suspects.length === 0) return [];
  const faults = suspects.map(({ fault }) => `max(CASE WHEN ${fault} THEN 1 ELSE 0 END)`);
  const text = dialect.query(`SELECT ${namedAll(faults)} FROM ${table.name}`);
  const [has = []] = await ask(run, { text, parameters }, faults.length, signal);
  return suspects
    .filter((_, i) => has[i] === "1")
    .map(({ column, name, type }) =>
      wrong(
        `${called(column.name)} has values that the ${type} field ${JSON.stringify(name)} can't have: answers with such rows fail, or are wrong; ${HELD[type]}`,
      ),
    );
}

/** The values allowed in the columns of a field. */
const HELD: Readonly<Record<FieldType, string>> = {
  int: "it takes integers from -(2^53 - 1) to 2^53 - 1",
  float: "it takes finite numbers, and of integers those from -2^53 to 2^53",
  boolean: "it takes booleans, 0 and 1",
  string: "it takes strings, those of its `oneOf` if it has one, and dates of the years 1 to 9999",
  strings: "it takes arrays of strings",
  json: "it takes JSON",
};
