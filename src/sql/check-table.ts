// Compares a table that is there with what a collection over it needs: columns and their types, no null where there
// may be none, a key, and indexes for the queries that it will be asked.

import { parseQuery, type CheckedQuery, type Sort } from "../collection/plan/query.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import type { ParsedCriterion } from "../criteria/parse.ts";
import type { WireValue } from "../schema/field.ts";
import { iterate, membersOf, reading } from "../schema/input.ts";
import type { Schema } from "../schema/schema.ts";
import type { IndexColumn } from "./dialect.ts";
import { fieldsIn, tableAsItIs, type NativeColumns } from "./native.ts";
import { columnsIn } from "./records.ts";
import { nameOf, type NamedColumns, type AskedTable } from "./names.ts";
import {
  askForColumns,
  readDescribed,
  type Described,
  type SqlCollectionOptions,
} from "./sql-collection.ts";
import type { Statement } from "./statement.ts";
import { indexStatement } from "./tables.ts";

/** The queries that a table is to be fast for. */
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
): Promise<TableProblem[]>;
export async function checkTable(options: unknown): Promise<TableProblem[]> {
  const { queries, ...others } = reading("options", () => ({ ...membersOf(options, "options") }));
  const described = readDescribed(others);
  const { schema, dialect, table, drivers } = described;
  const asked = Array.from(iterate(queries ?? [], "options.queries"), (query) =>
    parseQuery(schema, query, { ...described, unknownOperator: "error" }),
  );
  const { signal } = new AbortController();
  const native = await askForColumns(described, signal);
  if (native.size === 0) {
    return [
      { kind: "wrong", reason: `there is no table ${table.path.join(".")}`, statement: null },
    ];
  }
  const { problems, isUsable } = columnProblems(described, native);
  if (!isUsable) return problems;
  const asItIs = tableAsItIs(schema, table, native, dialect);
  problems.push(...convertedColumns(described, asItIs, native));
  const question = native.isView ? undefined : dialect.catalog.indexes?.(table.path, table.name);
  const [rows = []] = question === undefined ? [] : await drivers.rows(question, 6, signal);
  const advice = new Advice(
    described,
    asItIs,
    question === undefined ? undefined : indexesOf(rows),
  );
  if (!advice.hasKey()) {
    const isUnique = await isKeyUnique(described, asItIs, signal);
    problems.push(...advice.key(isUnique));
  }
  for (const { criteria, sort } of asked) {
    for (const group of criteria.groups) problems.push(...advice.query(group, sort));
  }
  // Queries that are alike lack the same.
  return [...new Map(problems.map((each) => [each.statement ?? each.reason, each])).values()];
}

/** Columns that are not there, of other types, or perhaps null. */
function columnProblems(
  { schema, dialect, table, position }: Described,
  native: NativeColumns,
): { readonly problems: TableProblem[]; readonly isUsable: boolean } {
  const { catalog } = dialect;
  const problems: TableProblem[] = [];
  let isUsable = true;
  const add = (reason: string, statement: string | undefined) => {
    const mend = native.isView ? undefined : statement;
    problems.push({ kind: "wrong", reason, statement: mend ?? null });
  };
  const fail = (...problem: Parameters<typeof add>) => {
    isUsable = false;
    add(...problem);
  };
  for (const { place, columns, type, fault } of fieldsIn(schema, table, native)) {
    const { nullable, type: kind } = place.field;
    const column = { name: columns.column, kind, nullable };
    if (type === undefined) {
      const declared = dialect.declare({ ...column, nullable: true });
      fail(fault ?? "", `ALTER TABLE ${table.name} ADD COLUMN ${columns.value} ${declared}`);
    } else if (fault !== undefined) {
      fail(fault, catalog.retype?.(table.name, column));
    } else if (!nullable && !type.isNotNull && !native.isView) {
      const reason = `${called(columns.column)} may be null, and the field ${called(place.name, "")} not: an answer with such a row fails`;
      add(reason, catalog.require?.(table.name, column));
    }
  }
  if (position === undefined) return { problems, isUsable };
  const column = { name: position, kind: "int", nullable: false } as const;
  const type = native.get(position);
  if (type === undefined) {
    fail(`${table.path.join(".")} has no column ${called(position, "")}`, undefined);
  } else if (type.family !== "integer" && type.type !== "") {
    const reason = `${called(position)} is of the type ${type.type}, not of integers`;
    fail(reason, catalog.retype?.(table.name, column));
  }
  return { problems, isUsable };
}

const called = (name: string, what = "the column ") => what + JSON.stringify(name);

/** Columns whose values are converted before they are compared, so that no index on them is used. */
function* convertedColumns(
  { schema, dialect, table: { fields: own, name } }: Described,
  table: AskedTable,
  native: NativeColumns,
): Generator<TableProblem, void> {
  if (native.isView || dialect.catalog.retype === undefined) return;
  for (const {
    name: field,
    field: { type: kind, nullable },
  } of schema.places) {
    const columns = table.fields.get(field);
    const type = columns && native.get(columns.column);
    if (columns === undefined || type === undefined) continue;
    const isConverted = columns.value !== own.get(field)?.value;
    // Of these the engine does not say how they compare.
    if (!isConverted || (type.collation === null && type.family === "text")) continue;
    const what =
      type.family === "text"
        ? "has a collation that takes texts for equal"
        : `is of the type ${type.type}`;
    const reason = `${called(columns.column)} ${what}: its values are converted before they are compared, without an index`;
    const column = { name: columns.column, kind, nullable };
    yield { kind: "slow", reason, statement: dialect.catalog.retype(name, column) };
  }
}

/** A member of an index. */
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

/** A column that rows are ordered by. */
type Ordered = Pick<NamedColumns, "column" | "value" | "field"> & {
  readonly isNotNull: boolean;
  readonly order: "ASC" | "DESC";
  /** Whether an index on the column, ordered by code point, may be used. */
  readonly isPlain: boolean;
  /** Whether the column's own collation is by code point. */
  readonly isOwn?: boolean;
};

/** What indexes a table has, and lacks. */
class Advice {
  readonly #described: Described;
  readonly #table: AskedTable;
  readonly #key: readonly Ordered[];
  readonly #indexes: readonly Index[] | undefined;

  /** @param indexes `undefined` where there can be none */
  constructor(described: Described, table: AskedTable, indexes: readonly Index[] | undefined) {
    this.#described = described;
    this.#table = table;
    this.#indexes = indexes;
    const { position, order, dialect } = described;
    this.#key =
      position === undefined
        ? order.map((name) => this.#ordered(name, "ASC"))
        : [
            {
              column: position,
              value: dialect.quote(position),
              field: { type: "int", nullable: false },
              ...({ isNotNull: true, order: "ASC", isPlain: true } as const),
            },
          ];
  }

  /** Whether an index tells that no two rows have the same key. */
  hasKey(): boolean {
    return this.#isUnique(this.#key.map(({ column }) => column));
  }

  *key(isUnique: boolean): Generator<TableProblem, void> {
    const columns = this.#key.map(({ column }) => JSON.stringify(column)).join(", ");
    if (!isUnique) {
      const reason = `two rows have the same ${columns}: which of them comes first is not told, and pages may overlap`;
      yield { kind: "wrong", reason, statement: null };
    } else if (this.#indexes !== undefined) {
      const reason = `no index tells that ${columns} is unique, or has rows in this order`;
      yield { kind: "slow", reason, statement: this.#statement([], this.#key, true) };
    }
  }

  /** What index would answer a group of criteria in the order of a sort. */
  *query(group: readonly ParsedCriterion[], sort: Sort | undefined): Generator<TableProblem, void> {
    if (this.#indexes === undefined) return;
    const equal = new Map<string, NamedColumns>();
    const ranges = new Map<string, NamedColumns>();
    for (const { field, bounds } of group) {
      const columns = this.#table.fields.get(field);
      if (columns === undefined || !this.#isPlain(columns)) continue;
      const isAmong = bounds.kind === "values" && bounds.inside;
      // Rows of several values are in an index one value after the other.
      if (isAmong && bounds.values.length === 1) equal.set(columns.column, columns);
      else if (isAmong || "bound" in bounds) ranges.set(columns.column, columns);
    }
    // One row is in any order.
    if (this.#key.every(({ column }) => equal.has(column))) return;
    if (this.#isUnique([...equal.keys()])) return;
    const sorts: Ordered[] = [];
    for (let by = sort; by !== undefined; by = by.ties) {
      const ordered = this.#ordered(by.field, by.order);
      if (!equal.has(ordered.column)) sorts.push(ordered);
    }
    // Without a sort, a range of one column leaves fewer rows than their order saves.
    const [range] = sorts.length === 0 ? ranges.values() : [];
    const isTold = (column: string) =>
      equal.has(column) || sorts.some((other) => other.column === column);
    const key = this.#key.filter(({ column }) => !isTold(column));
    const order = range === undefined ? [...sorts, ...key] : [{ ...asc(range), isPlain: true }];
    if (order.some(({ isPlain }) => !isPlain)) return;
    const isThere = this.#indexes.some((index) => serves(index, [...equal.keys()], order));
    if (isThere || (equal.size === 0 && sorts.length === 0 && range === undefined)) return;
    const columns = [...equal.values(), ...order].map(({ column }) => JSON.stringify(column));
    const reason = `no index has ${columns.join(", ")} in this order`;
    yield { kind: "slow", reason, statement: this.#statement([...equal.values()], order, false) };
  }

  /** Whether the column itself is compared. */
  #isPlain({ value, necessary, column }: NamedColumns): boolean {
    return necessary !== undefined || value.startsWith(this.#described.dialect.quote(column));
  }

  #ordered(name: string, order: "ASC" | "DESC"): Ordered {
    const { column, value, field, isNotNull = false, ordered } = columnsIn(this.#table)(name);
    const plain = this.#described.dialect.quote(column);
    // What is converted first is in no index, whatever its collation.
    const isPlain = value.startsWith(plain) && !isPrefixed(this.#described, field);
    const isOwn = ordered === plain;
    return { column, value: plain, field, isNotNull, order, isPlain, isOwn };
  }

  #isUnique(columns: readonly string[]): boolean {
    return (
      this.#indexes?.some(
        ({ isUnique, members }) =>
          isUnique && members.every(({ column }) => column !== null && columns.includes(column)),
      ) ?? false
    );
  }

  #statement(
    equal: readonly NamedColumns[],
    order: readonly Ordered[],
    isUnique: boolean,
  ): string | null {
    const { dialect } = this.#described;
    const compared = equal.map(({ column, field }): IndexColumn => {
      const value = dialect.quote(column);
      return { value, type: field.type, isExpression: false, isCompared: true };
    });
    const sorted = order.map(({ value, field: { type }, ...sorted }): IndexColumn => ({
      ...{ value, type, isExpression: false, isCompared: false, sorted },
    }));
    const names = [...equal, ...order].map(({ column }) => column);
    const { name: table, path } = this.#table;
    const name = [path.at(-1), ...names].join("_");
    return indexStatement(dialect, table, name, [...compared, ...sorted], isUnique) ?? null;
  }
}

const asc = ({ column, value, field, isNotNull = false }: NamedColumns) =>
  ({ column, value, field, isNotNull, order: "ASC" }) as const;

/** MariaDB has the first characters of texts in its indexes, which tell no order. */
const isPrefixed = ({ dialect }: Described, { type }: NamedColumns["field"]) =>
  dialect.name === "mariadb" && type === "string";

/** Whether an index has the rows of some values of columns together, in an order. */
function serves({ members }: Index, equal: readonly string[], order: readonly Ordered[]): boolean {
  const first = members.slice(0, equal.length);
  if (!equal.every((column) => first.some((member) => member.column === column))) return false;
  const rest = members.slice(equal.length);
  return [false, true].some((isBackward) =>
    order.every(({ column, field, isNotNull, order: wanted }, i) => {
      const member = rest[i];
      if (member?.column !== column) return false;
      const isDescending = wanted === "DESC";
      const isTurned = member.isDescending !== isDescending;
      const isNullsRight = isNotNull || (member.isNullFirst === isDescending) === isTurned;
      return (
        isTurned === isBackward && isNullsRight && (field.type !== "string" || member.isByPoint)
      );
    }),
  );
}

/** Whether no two rows have the same key now. */
async function isKeyUnique(
  { drivers, order, position, dialect }: Described,
  { fields, name }: AskedTable,
  signal: AbortSignal,
): Promise<boolean> {
  const key =
    position === undefined
      ? order.map((field) => fields.get(field)?.value ?? "")
      : [dialect.quote(position)];
  const text = `SELECT count(*) AS ${nameOf(0)} FROM ${name} GROUP BY ${key.join(", ")} HAVING count(*) > 1 LIMIT 1`;
  const statement: Statement = { text: dialect.query(text), parameters: [] };
  const [rows = []] = await drivers.rows(statement, 1, signal);
  return rows.length === 0;
}
