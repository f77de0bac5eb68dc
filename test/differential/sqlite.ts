// The semantics of queries as SQL for SQLite, written from the rules and not from the library's code.
//
// What stands for what:
//
// - A collection is a table; `n` is a record's position in insertion order. The columns are numbered,
//   since SQLite takes "A" and "a" for one name.
// - A string field is a TEXT column, an int field an INTEGER column. Criteria other than
//   `greater_than` and `less_than` compare an int field's wire string (C5): `CAST(… AS TEXT)`.
// - `exactly` and `not` are IS and IS NOT, which know NULL as a value. In all other operators NULL
//   makes the comparison unknown, and WHERE selects no row for that (C6).
// - AND binds tighter than OR in SQL as in C3: groups stand without parentheses.
// - TEXT is UTF-8 and compares by bytes (collation BINARY), which is the order of code points (P3).
//   NULL is lower than every value (P4). Ties are ordered by `n`.
//
// `substr`, `length` and LIKE end at U+0000, and `substr` of an empty BLOB is NULL. So a prefix is a
// text that `instr` finds at 1, and a suffix one that it finds before a byte that no UTF-8 has and that
// ends both. `instr`, `||`, `=`, IN and ORDER BY take the whole length.

import initSqlJs, { type Database } from "sql.js";

export type Wire = string | null;

/** A field of the table. */
export interface Column {
  readonly name: string;
  readonly type: "int" | "string";
}

export interface Sort {
  readonly field: string;
  readonly order: "ASC" | "DESC";
}

/** A query in plain form: `undefined` is no sort, no limit. */
export interface PlainQuery {
  readonly criteria: readonly (PlainCriterion | "OR")[];
  readonly sort: Sort | undefined;
  readonly offset: number;
  readonly limit: number | undefined;
}

type Scalar = string | number | null;
export type PlainCriterion = readonly [
  field: string,
  operator: string,
  value: Scalar | readonly Scalar[],
];

/** SQLite in memory, with one table at a time. */
export class Sqlite {
  readonly #database: Database;
  #columns: ReadonlyMap<string, ColumnNames> = new Map();

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open(): Promise<Sqlite> {
    const { Database } = await initSqlJs();
    return new Sqlite(new Database());
  }

  get version(): string {
    return String(this.#database.exec("SELECT sqlite_version()")[0]?.values[0]?.[0]);
  }

  close(): void {
    this.#database.close();
  }

  /** Replaces the table. A row holds the values of the columns in their order. */
  load(columns: readonly Column[], rows: readonly (readonly Wire[])[]): void {
    this.#columns = new Map(columns.map(({ name, type }, i) => [name, { type, value: `c${i}` }]));
    this.#database.run(tableOf(columns, rows));
  }

  /** The positions of the page's records, in its order, and the statement that gave them. */
  select(query: PlainQuery): { readonly positions: number[]; readonly sql: string } {
    const sql = `SELECT n FROM records${this.#where(query.criteria)}${this.#orderBy(query.sort)} ${pageOf(query)}`;
    return { positions: this.#numbers(sql), sql };
  }

  /** How many records the criteria select. */
  count(criteria: PlainQuery["criteria"]): number | undefined {
    return this.#numbers(`SELECT count(*) FROM records${this.#where(criteria)}`)[0];
  }

  #numbers(sql: string): number[] {
    const [result] = this.#database.exec(sql);
    return result === undefined ? [] : result.values.map(([value]) => Number(value));
  }

  #where(criteria: PlainQuery["criteria"]): string {
    if (criteria.length === 0) return "";
    const terms = criteria.map((each, i) => {
      if (each === "OR") return " OR ";
      const isFirst = i === 0 || criteria[i - 1] === "OR";
      return `${isFirst ? "" : " AND "}(${this.#term(each)})`;
    });
    return ` WHERE ${terms.join("")}`;
  }

  #term([name, operator, value]: PlainCriterion): string {
    const column = this.#column(name);
    switch (operator) {
      case "exactly":
        return isList(value) ? impossible(operator) : equals(column, value);
      case "not":
        return isList(value) ? impossible(operator) : `NOT (${equals(column, value)})`;
      case "in":
        return isAmong(column, membersOf(value));
      case "greater_than":
        return `${column.value} > ${String(value)}`;
      case "less_than":
        return `${column.value} < ${String(value)}`;
    }
    if (isList(value) || value === null) return impossible(operator);
    const [text, literal] = [textOf(column), literalOf(String(value))];
    switch (operator) {
      case "contains":
        return `instr(${text}, ${literal}) > 0`;
      case "starts_with":
        return `instr(${text}, ${literal}) = 1`;
      case "ends_with":
        return `instr(${text} || ${END}, ${literal} || ${END}) > 0`;
      default:
        return impossible(operator);
    }
  }

  #orderBy(sort: Sort | undefined): string {
    return sort === undefined
      ? " ORDER BY n"
      : ` ORDER BY ${this.#column(sort.field).value} COLLATE BINARY ${sort.order}, n ASC`;
  }

  #column(name: string): ColumnNames {
    const column = this.#columns.get(name);
    if (column === undefined) throw new Error(`the table has no field ${JSON.stringify(name)}`);
    return column;
  }
}

interface ColumnNames {
  readonly type: Column["type"];
  readonly value: string;
}

/** Statements that make the table anew. A literal each, so that they can be run anywhere. */
function tableOf(columns: readonly Column[], rows: readonly (readonly Wire[])[]): string {
  const declared = columns.map(({ type }, i) => `c${i} ${type === "int" ? "INTEGER" : "TEXT"}`);
  const records = rows.map((values, n) => {
    const literals = values.map((value, i) => {
      if (value === null) return "NULL";
      return columns[i]?.type === "int" ? value : literalOf(value);
    });
    return `(${[n, ...literals].join(", ")})`;
  });
  return [
    "DROP TABLE IF EXISTS records",
    `CREATE TABLE records (${["n INTEGER PRIMARY KEY", ...declared].join(", ")})`,
    ...records.map((record) => `INSERT INTO records VALUES ${record}`),
  ].join(";\n");
}

/** P1, P5. A negative limit is none. */
function pageOf({ limit, offset }: PlainQuery): string {
  return `LIMIT ${limit ?? -1} OFFSET ${offset}`;
}

function equals(column: ColumnNames, value: Scalar): string {
  if (value === null) return `${column.value} IS NULL`;
  return `${textOf(column)} IS ${literalOf(String(value))}`;
}

/** `in`: NULL is never IN a list, so that a `null` among the values is asked for apart. */
function isAmong(column: ColumnNames, members: readonly Scalar[]): string {
  const literals = members
    .filter((member) => member !== null)
    .map((each) => literalOf(String(each)));
  const terms = [`${textOf(column)} IN (${literals.join(", ")})`];
  if (members.includes(null)) terms.push(`${column.value} IS NULL`);
  return terms.join(" OR ");
}

function membersOf(value: PlainCriterion[2]): readonly Scalar[] {
  return isList(value) ? value : String(value).split(",");
}

function isList(value: PlainCriterion[2]): value is readonly Scalar[] {
  return typeof value === "object" && value !== null;
}

function textOf({ type, value }: ColumnNames): string {
  return type === "int" ? `CAST(${value} AS TEXT)` : value;
}

/** A byte that no UTF-8 has. */
const END = "CAST(X'FF' AS TEXT)";

/** Plain text in quotes, any other by its bytes, since a statement ends at U+0000. */
function literalOf(text: string): string {
  if (/^[ -~]*$/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  const bytes = Array.from(new TextEncoder().encode(text), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  return `CAST(X'${bytes.join("")}' AS TEXT)`;
}

function impossible(operator: string): never {
  throw new Error(`no SQL for this value of ${operator}`);
}
