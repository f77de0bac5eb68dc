// Compares an existing table with the requirements of a collection over it: the columns and their types, no null where
// none is allowed, a key, and indexes for the expected queries.

import { foldingInWords } from "../schema/folding.ts";
import { EVERY_ROW, parseQuery, type CheckedQuery } from "../engine/query.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import type { Taken } from "../criteria/operator.ts";
import { operatorsOf } from "../criteria/operators-of.ts";
import { describe } from "../schema/errors.ts";
import { isNumeric, type FieldType } from "../schema/field.ts";
import { isCompared } from "../schema/kinds.ts";
import { iterate, membersOf, reading } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import type { ColumnDefinition, Parameter, Statement } from "./dialect.ts";
import { ask } from "./driver.ts";
import { adviceOn, indexesOf, type Need } from "./index-advice.ts";
import type { TableProblem } from "./table-problem.ts";
import { namedAll } from "./result-columns.ts";
import type { AskedTable } from "./names.ts";
import type { NamedColumns } from "./columns.ts";
import {
  columnsFound,
  faultOf,
  tableAsItIs,
  type FoundColumn,
  type NativeColumns,
} from "./native.ts";
import { groupsStatement } from "./group-by.ts";
import { columnsIn, selectedOf, sourceOf } from "./records.ts";
import {
  distinctStatement,
  extremesStatement,
  orderOf,
  pageStatement,
  rangesStatement,
  valuesStatement,
} from "./select.ts";
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
 * value. Cost: three short statements to the engine's catalog; one without rows for each operator, sort and group of each
 * field; a pass over the table if a type allows values that a field
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
  const { schema } = described;
  const asked = Array.from(iterate(queries ?? [], "options.queries"), (query) =>
    parseQuery(schema, query, { ...described, unknownOperator: "error" }),
  );
  const needs = asked.flatMap(({ criteria, sort }) =>
    criteria.groups.map((group): Need => ({ group, sort, isOrdered: true })),
  );
  return await checkDescribed(described, needs);
}

/** @param where the path of the table's options */
export async function checkDescribed(
  described: Described,
  needs: readonly Need[],
  where?: string,
): Promise<TableProblem[]> {
  const { schema, dialect, table, run } = described;
  const { signal } = new AbortController();
  const native = await fetchColumns(described, signal);
  if (native.size === 0) return [wrong(`there is no table ${table.path.join(".")}`)];
  const found = columnsFound(table, native, where);
  const problems = found.flatMap((each) => columnProblem(described, native, each) ?? []);
  if (found.some(({ fault }) => fault !== undefined)) return problems;
  problems.push(...missingFolded(described, native));
  const asItIs = tableAsItIs(table, native, dialect, where);
  problems.push(...(await faultyValues(described, found, signal)));
  problems.push(...(await failures(described, asItIs, native, signal)));
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
  for (const need of needs) advice.query(need);
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
    return wrong(fault ?? "", isAddable ? addColumn({ dialect, table }, column) : null);
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

/** Fields without the column of their folded values: they can be returned, but not used for searching or sorting. */
function* missingFolded({ dialect, table }: Described, native: NativeColumns) {
  for (const [name, { column, field, missing }] of table.fields) {
    if (missing === undefined) continue;
    const folded = `${column}_folded`;
    const { ignored, expression } = foldingInWords(field);
    const reason = `the field ${JSON.stringify(name)} ignores ${ignored} and has no column of the values that are compared: criteria and sorts that name it are refused; fill one by ${expression} of JavaScript, and name it as ${missing}.folded`;
    const isAddable = !native.isView && native.get(folded) === undefined;
    yield wrong(
      reason,
      isAddable ? addColumn({ dialect, table }, { name: folded, kind: "string" }) : null,
    );
  }
}

/** The statement that adds a column of a field that may be null. */
function addColumn(
  { dialect, table }: Pick<Described, "dialect" | "table">,
  { name, kind, generated }: Omit<ColumnDefinition, "nullable">,
): string | null {
  const type = dialect.declare({ name, kind, nullable: true });
  const { addGenerated = (own, from) => dialect.generated(own, from) } = dialect;
  if (generated !== undefined && addGenerated === null) return null;
  const declared = generated === undefined ? type : addGenerated?.(type, generated);
  return `ALTER TABLE ${table.name} ADD COLUMN ${dialect.quoteColumn(name)} ${declared}`;
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
    const fault = faultOf(columns, columns.returned, type, dialect, parameters);
    return fault === undefined ? [] : [{ column, name, type: columns.declared, fault }];
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

/** Criteria, sorts and groups that fail: each is sent once, without rows. */
async function failures(
  { schema, dialect, texts, run, order, ...limits }: Described,
  table: AskedTable,
  native: NativeColumns,
  signal: AbortSignal,
): Promise<TableProblem[]> {
  const columnsOf = columnsIn(table);
  const key = order.map((name) => orderOf(columnsOf(name), "ASC", dialect)).join(", ");
  const source = sourceOf(schema, table, dialect, texts, key === "" ? undefined : key);
  const queried = (query: object) =>
    pageStatement(
      source,
      parseQuery(schema, { ...query, limit: 0 }, { ...limits, unknownOperator: "error" }),
    );
  const problems: TableProblem[] = [];
  for (const { name, field } of schema.places) {
    const { type } = field;
    if (type === "json" || table.fields.get(name)?.missing !== undefined) continue;
    const columns = columnsOf(name);
    const tries: [what: string, statement: Statement][] = [];
    for (const { name: operator, takes } of operatorsOf(schema, name)) {
      if (takes === "text" && columns.text === undefined) continue;
      const [one, other] = exampleOf(columns, native);
      const several = [one, other];
      const values: Readonly<Record<Taken, unknown>> = {
        value: type === "strings" ? [] : one,
        ...{ text: one, bound: one, element: one, values: several, elements: several },
        range: [one, one],
      };
      tries.push([operator, queried({ criteria: [[name, operator, values[takes]]] })]);
    }
    if (type !== "strings") {
      for (const sortOrder of ["ASC", "DESC"]) {
        tries.push([`a sort ${sortOrder}`, queried({ sortBy: name, sortOrder })]);
      }
    }
    const { criteria } = EVERY_ROW;
    tries.push(["countBy", withoutRows(valuesStatement(source, criteria, columns))]);
    const key = { write: () => selectedOf(columns, source) };
    const needs = isCompared(type) ? "extremes" : "each";
    const grouped = groupsStatement(source, criteria, [key], [{ columns, needs }]);
    tries.push(["groupBy", withoutRows(grouped)]);
    tries.push(["summary", withoutRows(distinctStatement(source, criteria, columns))]);
    if (isNumeric(type)) {
      tries.push(["histogram", withoutRows(extremesStatement(source, [columns]))]);
      tries.push(["histogram", withoutRows(rangesStatement(source, criteria, columns, [0]))]);
    }
    for (const [what, statement] of tries) {
      try {
        await ask(run, statement, 0, signal);
      } catch (thrown) {
        const answers = dialect.query(`SELECT ${namedAll(["1"])}`);
        // A server that is gone answers nothing.
        await ask(run, { text: answers, parameters: [] }, 1, signal);
        const reason = thrown instanceof Error ? thrown.message : describe(thrown);
        problems.push(wrong(`${what} of the field ${JSON.stringify(name)} fails: ${reason}`));
      }
    }
  }
  return problems;
}

const EPOCH = "1970-01-01T00:00:00.000Z";

/** Two values that a column may have: of its own type, if that has strings of a form. */
function exampleOf({ field, declared, own, column }: NamedColumns, native: NativeColumns) {
  if (field.type === "boolean") return [true, false];
  if (declared === "time") return [EPOCH, "2000"];
  if (isNumeric(field.type)) return [1, 0];
  const labels = native.get(column)?.labels ?? [];
  const uuid = "00000000-0000-0000-0000-000000000000";
  const known = [own?.lowest ?? "a", uuid, ...labels].find((text) => own?.isCanonical(text));
  return [known ?? "a", "b"];
}

const withoutRows = ({ text, parameters }: Statement): Statement => ({
  text: `${text} LIMIT 0`,
  parameters,
});

/** The values allowed in the columns of a field. */
const HELD: Readonly<Record<FieldType, string>> = {
  int: "it takes integers from -(2^53 - 1) to 2^53 - 1",
  float: "it takes finite numbers, and of integers those from -2^53 to 2^53",
  boolean: "it takes booleans, 0 and 1",
  string: "it takes strings, those of its `oneOf` if it has one, and dates of the years 1 to 9999",
  strings: "it takes arrays of strings",
  json: "it takes JSON",
  time: "it takes instants as time fields write them, such as 2024-03-05T10:30:00.000Z",
};
