// Compares an existing table with what a collection over it needs: the columns and their types, no
// null where none is allowed, a key, and indexes for the expected queries.

import { parseQuery, type CheckedQuery, type Sort } from "../collection/plan/query.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import type { ParsedCriterion } from "../criteria/parse.ts";
import type { WireValue } from "../schema/field.ts";
import { iterate, membersOf, reading } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import type { ColumnDefinition, IndexColumn } from "./dialect.ts";
import { namedAll, type AskedTable, type NamedColumns } from "./names.ts";
import { columnsFound, tableAsItIs, type FoundColumn, type NativeColumns } from "./native.ts";
import { columnsIn } from "./records.ts";
import {
  askForColumns,
  readDescribed,
  type Described,
  type SqlCollectionOptions,
} from "./sql-collection.ts";
import { indexStatement } from "./tables.ts";

/** The queries that should be fast on a table. */
export interface CheckTableOptions<S extends Schema = Schema> extends SqlCollectionOptions<S> {
  /** Queries such as will be asked; of their values only the kind counts. Default: none. */
  readonly queries?:
    | readonly CheckedQuery<S, CheckedCriteria<S, unknown>, never, never, never, never, never>[]
    | undefined;
}

/** What a table lacks. */
export interface TableProblem {
  /** `wrong`: answers fail, or could be wrong. `slow`: they take longer than they have to. */
  readonly kind: "wrong" | "slow";
  /** What it is, with the names of columns. */
  readonly reason: string;
  /** The statement that mends it, for whoever owns the table; `null` where no statement does. */
  readonly statement: string | null;
}

/**
 * Tells what a table lacks for a collection over it. It sends questions only, and changes nothing.
 * Cost: two short statements to the engine's catalog; where no index tells that the order key is unique, a pass over
 * the table.
 *
 * @returns what is missing, with the statement that adds it; nothing where all is well
 * @throws SchemaError, InputError as `createSqlCollection`; CriteriaError, QueryError for the first query that is not
 *   valid; DriverError
 */
export async function checkTable<const S extends Schema>(
  options: CheckTableOptions<S>,
): Promise<TableProblem[]> {
  const { queries, ...others } = reading("options", () => ({ ...membersOf(options, "options") }));
  const described = readDescribed(others);
  const { schema, dialect, table, drivers } = described;
  const asked = Array.from(iterate(queries ?? [], "options.queries"), (query) =>
    parseQuery(schema, query, { ...described, unknownOperator: "error" }),
  );
  const { signal } = new AbortController();
  const native = await askForColumns(described, signal);
  if (native.size === 0) return [wrong(`there is no table ${table.path.join(".")}`)];
  const found = columnsFound(table, native);
  const problems = found.flatMap((each) => columnProblem(described, native, each) ?? []);
  if (found.some(({ fault }) => fault !== undefined)) return problems;
  problems.push(...missingLower(described, native));
  const asItIs = tableAsItIs(table, native, dialect);
  problems.push(...convertedColumns(described, asItIs, native));
  const question = native.isView ? undefined : dialect.catalog.indexes?.(table.path, table.name);
  const [rows = []] = question === undefined ? [] : await drivers.rows(question, 6, signal);
  const advice = adviceOn(described, asItIs, question && indexesOf(rows));
  if (!advice.hasKey) {
    const [same = []] = await drivers.rows(advice.sameKeys, 1, signal);
    problems.push(...advice.key(same.length === 0));
  }
  for (const { criteria, sort } of asked) {
    for (const group of criteria.groups) problems.push(...advice.query(group, sort));
  }
  // Queries that are alike lack the same.
  return [...new Map(problems.map((each) => [each.statement ?? each.reason, each])).values()];
}

const wrong = (reason: string, statement: string | null = null): TableProblem => ({
  ...{ kind: "wrong", reason, statement },
});

const called = (column: string) => `the column ${JSON.stringify(column)}`;

/** That a column is not there, of another type, or perhaps null. */
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
  if (fault !== undefined) {
    return wrong(fault, isView ? null : catalog.retype?.(table.name, column));
  }
  if (field === undefined || column.nullable || type.isNotNull || isView) return undefined;
  const reason = `${called(column.name)} may be null, and the field ${JSON.stringify(field[0])} not: an answer with such a row fails`;
  return wrong(reason, catalog.require?.(table.name, column));
}

/** Fields that ignore case without a column in lower case: they are returned, but not searched or sorted by. */
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

/** Columns whose values are converted before they are compared, so that no index on them is used. */
function* convertedColumns(
  { dialect: { catalog }, table: { fields: own, name } }: Described,
  { fields }: AskedTable,
  native: NativeColumns,
): Generator<TableProblem, void> {
  if (native.isView || catalog.retype === undefined) return;
  for (const [field, { value, column, columns }] of fields) {
    const type = native.get(column);
    const [declared] = columns;
    if (type === undefined || declared === undefined || value === own.get(field)?.value) continue;
    const isText = type.family === "text";
    // The engine does not say how these texts compare.
    if (isText && type.collation === null) continue;
    const what = isText
      ? "has a collation that takes texts for equal"
      : `is of the type ${type.type}`;
    const reason = `${called(column)} ${what}: its values are converted before they are compared, without an index`;
    yield { kind: "slow", reason, statement: catalog.retype(name, declared) };
  }
}

interface Member {
  readonly column: string | null;
  readonly isDescending: boolean;
  readonly isNullFirst: boolean;
  readonly isByPoint: boolean;
}

interface Index {
  readonly isUnique: boolean;
  readonly members: Member[];
}

function indexesOf(rows: readonly (readonly WireValue[])[]): Index[] {
  const indexes = new Map<WireValue, Index>();
  for (const [name = null, unique, column = null, descending, nulls, collation] of rows) {
    const index: Index = indexes.get(name) ?? { isUnique: unique === "1", members: [] };
    indexes.set(name, index);
    index.members.push({
      column,
      isDescending: descending === "1",
      isNullFirst: nulls === "1",
      isByPoint: collation === null || collation === "points",
    });
  }
  return [...indexes.values()];
}

/** A column that rows are ordered by, as an index has it. */
interface Ordered extends Required<NonNullable<IndexColumn["sorted"]>> {
  readonly column: string;
  readonly type: IndexColumn["type"];
  /** What is compared. */
  readonly value: string;
  /** Whether the column itself is, so that an index on it may be used; and such an index tells an order. */
  readonly isCompared: boolean;
  readonly isPlain: boolean;
}

/** What indexes a table has, and lacks. @param indexes `undefined` where there can be none */
function adviceOn(
  { position, order: keyFields, dialect }: Described,
  table: AskedTable,
  indexes: readonly Index[] | undefined,
) {
  const ordered = (columns: NamedColumns, order: Ordered["order"] = "ASC"): Ordered => {
    const { column, value, necessary, field, isNotNull = false } = columns;
    const { type } = field;
    const isItself = value.startsWith(dialect.quote(column));
    // What is converted first is in no index, whatever its collation. MariaDB has the first characters of texts in its
    // indexes, which tell no order.
    const isPlain = isItself && !(dialect.name === "mariadb" && type === "string");
    const isCompared = isItself || necessary !== undefined;
    return { column, value, type, isNotNull, order, isCompared, isPlain };
  };
  const isPosition = { type: "int", order: "ASC", isNotNull: true, isCompared: true } as const;
  const key: readonly Ordered[] =
    position === undefined
      ? keyFields.map((name) => ordered(columnsIn(table)(name)))
      : [{ ...isPosition, column: position, value: dialect.quote(position), isPlain: true }];

  const isUnique = (columns: readonly string[]): boolean =>
    indexes?.some(
      ({ isUnique, members }) =>
        isUnique && members.every(({ column }) => column !== null && columns.includes(column)),
    ) ?? false;

  const missing = (
    reason: string,
    equal: readonly Ordered[],
    order: readonly Ordered[],
    isUnique: boolean,
  ): TableProblem => {
    const all = [...equal, ...order];
    const columns = all.map(({ column, type, order, isNotNull }, i): IndexColumn => {
      const of = { value: dialect.quote(column), type };
      const isCompared = i < equal.length;
      return { ...of, isCompared, sorted: isCompared ? undefined : { order, isNotNull } };
    });
    const name = all.map(({ column }) => column).join("_");
    const statement = indexStatement(dialect, table, name, columns, isUnique) ?? null;
    return { kind: "slow", reason, statement };
  };

  const keyColumns = key.map(({ column }) => column);
  const keyName = named(keyColumns);
  const keyValues = key.map(({ value }) => value).join(", ");
  return {
    hasKey: isUnique(keyColumns),

    sameKeys: {
      text: dialect.query(
        `SELECT ${namedAll(["count(*)"])} FROM ${table.name} GROUP BY ${keyValues} HAVING count(*) > 1 LIMIT 1`,
      ),
      parameters: [],
    },

    /** @param isUnique whether no two rows have the same key now */
    key(isUnique: boolean): TableProblem[] {
      const reason = `two rows have the same ${keyName}: which of them comes first is not told, and pages may overlap`;
      if (!isUnique) return [wrong(reason)];
      if (indexes === undefined) return [];
      return [
        missing(
          `no index tells that ${keyName} is unique, or has rows in this order`,
          [],
          key,
          true,
        ),
      ];
    },

    /** What index would answer a group of criteria in the order of a sort. */
    query(group: readonly ParsedCriterion[], sort: Sort | undefined): TableProblem[] {
      const equal = new Map<string, Ordered>();
      const ranges: Ordered[] = [];
      for (const { field, bounds } of group) {
        const columns = table.fields.get(field);
        const compared = columns && ordered(columns);
        if (compared?.isCompared !== true) continue;
        const isAmong = bounds.kind === "values" && bounds.inside;
        // Rows of several values are in an index one value after the other.
        if (isAmong && bounds.values.length === 1) equal.set(compared.column, compared);
        else if (isAmong || "bound" in bounds) ranges.push({ ...compared, isPlain: true });
      }
      // One row is in any order.
      const isOne = keyColumns.every((column) => equal.has(column)) || isUnique([...equal.keys()]);
      if (indexes === undefined || isOne) return [];
      const sorts: Ordered[] = [];
      for (let by = sort; by !== undefined; by = by.ties) {
        // Refused until there is a column to sort by.
        if (table.fields.get(by.field)?.missing !== undefined) return [];
        const sorted = ordered(columnsIn(table)(by.field), by.order);
        if (!equal.has(sorted.column)) sorts.push(sorted);
      }
      // Without a sort, a range of one column leaves fewer rows than their order saves.
      const [range] = sorts.length === 0 ? ranges : [];
      if (equal.size === 0 && sorts.length === 0 && range === undefined) return [];
      const told = [...equal.keys(), ...sorts.map(({ column }) => column)];
      const rest = key.filter(({ column }) => !told.includes(column));
      const order = range === undefined ? [...sorts, ...rest] : [range];
      const isServed = indexes.some((index) => serves(index, [...equal.keys()], order));
      if (isServed || order.some(({ isPlain }) => !isPlain)) return [];
      const columns = named([...equal.values(), ...order].map(({ column }) => column));
      return [missing(`no index has ${columns} in this order`, [...equal.values()], order, false)];
    },
  };
}

const named = (columns: readonly string[]) =>
  columns.map((column) => JSON.stringify(column)).join(", ");

/** Whether an index has the rows of some values of columns together, in an order. */
function serves({ members }: Index, equal: readonly string[], order: readonly Ordered[]): boolean {
  const first = members.slice(0, equal.length);
  if (!equal.every((column) => first.some((member) => member.column === column))) return false;
  const rest = members.slice(equal.length);
  return [false, true].some((isBackward) =>
    order.every(({ column, type, isNotNull, order: wanted }, i) => {
      const member = rest[i];
      if (member?.column !== column) return false;
      const isDescending = wanted === "DESC";
      const isTurned = member.isDescending !== isDescending;
      const isNullsRight = isNotNull || (member.isNullFirst === isDescending) === isTurned;
      return isTurned === isBackward && isNullsRight && (type !== "string" || member.isByPoint);
    }),
  );
}
