// The defaults for dialects.

import type { SortOrder } from "../../engine/query.ts";
import type { OnRemove } from "../../schema/references.ts";
import type {
  Parameter,
  Cell,
  ColumnDefinition,
  ColumnKind,
  Dialect,
  IndexColumn,
} from "../dialect.ts";
import { named, namedAll } from "../result-columns.ts";

/** A quoted name; quotes within it are doubled. */
export const quoted = (quote: string) => (name: string) =>
  quote + name.replaceAll(quote, quote + quote) + quote;

const doubled = quoted("'");

/**
 * A single-quoted string literal, for declarations, which have no parameters. Backslashes are literal in any setting.
 */
export const literal = (text: string) =>
  text.includes("\\") ? `E${doubled(text.replaceAll("\\", "\\\\"))}` : doubled(text);

/** A list as JSON: one parameter, however long it is. */
export const asJson = (value: Parameter): string | number =>
  typeof value === "object" ? JSON.stringify(value) : value;

/** How many bytes a string takes in UTF-8. */
export const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** How many code points a string has. */
export const pointLength = (text: string) => Array.from(text).length;

/** Rows as JSON, each an array of strings and nulls; List Fields are nested JSON. */
function rowsAsJson(rows: readonly (readonly Cell[])[]): string {
  const cellOf = (cell: Cell) => (typeof cell === "object" && cell ? JSON.stringify(cell) : cell);
  return JSON.stringify(rows.map((cells) => cells.map(cellOf)));
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\0": "\\0",
};

/** A string as written between the tabs of a line, for PostgreSQL and ClickHouse. */
export const inLine = (text: string) =>
  /[\\\n\r\t\0]/.test(text) ? text.replace(/[\\\n\r\t\0]/g, (each) => ESCAPES[each] ?? each) : text;

/** Rows as lines of cells between tabs; `null` is `\N`. */
export const asLines = (
  rows: readonly (readonly Cell[])[],
  write: (cell: NonNullable<Cell>, place: number) => string,
) =>
  rows
    .map((cells) => {
      const written = cells.map((cell, i) => (cell === null ? "\\N" : write(cell, i)));
      return `${written.join("\t")}\n`;
    })
    .join("");

/**
 * A path in SQL/JSON, as a literal; `undefined` if a name in it would need escapes, which engines read differently. A
 * name in quotes is that of a member, even if it is a number.
 */
export function jsonPath(path: readonly string[]): string | undefined {
  // oxlint-disable-next-line no-control-regex -- JSON has these in escapes
  if (path.some((name) => /["\\\u0000-\u001f]/.test(name))) return undefined;
  return doubled(`$${path.map((name) => `."${name}"`).join("")}`);
}

export const standard = {
  hasNul: true,
  hasTextColumns: false,
  hasTransactions: true,
  hasUnique: true,
  mostRows: 1000,
  bind: (value, parameters) => {
    parameters.push(asJson(value));
    return "?";
  },
  booleans: ["0", "1"],
  decimals: "float",
  quote: quoted('"'),
  quoteColumn: quoted('"'),
  isSelected: (value, query) => `${value} IN (${query})`,
  toFloat: (number) => `CAST(${number} AS DOUBLE)`,
  start: (text, characters) => `left(${text}, ${characters})`,
  ordered: (value) => value,
  extreme: (which, value) => `${which}(${value})`,
  // Omits the position of nulls, so that indexes declared without it are used.
  orderBy: (ordered, _type, order, isNotNull) => `${ordered} ${order}${nullsOf(order, isNotNull)}`,
  withValue: (page, columns, value) =>
    `SELECT page.*, ${named(value, columns)} FROM (SELECT 1 AS one) AS one_row LEFT JOIN (${page}) AS page ON 1 = 1`,
  query: (select) => select,
  correlates: true,
  update: (table, assignments, where, rows) =>
    `UPDATE ${table} SET ${assignments}${rows === undefined ? "" : ` FROM ${besides(table, rows)}`} WHERE ${where}`,
  remove: (table, where) => `DELETE FROM ${table} WHERE ${where}`,
  generated: (type, expression) => `${type} GENERATED ALWAYS AS (${expression}) STORED`,
  declare(this: Dialect, { kind, nullable }) {
    return this.types[kind] + (nullable ? "" : " NOT NULL");
  },
  isKey: () => true,
  keyOf(this: Dialect, { key }) {
    if (key.length === 0) return ")";
    return `, PRIMARY KEY (${key.map(this.quoteColumn).join(", ")}))`;
  },
} satisfies Partial<Dialect>;

/**
 * Rows that are bound as JSON.
 *
 * @param source the FROM item with one row for each
 * @param cell the value of a column in such a row
 */
export function boundRows(
  source: string | ((columns: readonly ColumnDefinition[]) => string),
  cell: (kind: ColumnKind, i: number) => string,
) {
  const rows = (
    columns: readonly ColumnDefinition[],
    cells: readonly (readonly Cell[])[],
    first?: number,
  ) => {
    const values = namedAll(
      columns.map(({ kind }, i) => cell(kind, i)),
      first,
    );
    const from = typeof source === "string" ? source : source(columns);
    return { text: `SELECT ${values} FROM ${from}`, parameters: [rowsAsJson(cells)] };
  };
  const insert: Dialect["insert"] = function (this: Dialect, { name, columns }, cells) {
    const names = columns.map((column) => this.quoteColumn(column.name)).join(", ");
    const { text, parameters } = rows(columns, cells);
    return { text: `INSERT INTO ${name} (${names}) ${text}`, parameters };
  };
  return { rows, insert };
}

/** What happens to the rows that refer to a removed one, or to one whose value changes. */
const ON_REMOVE: Readonly<Record<OnRemove, string>> = {
  refuse: "",
  null: " ON DELETE SET NULL ON UPDATE SET NULL",
  remove: " ON DELETE CASCADE",
};

/** The reference to a column, by an engine that acts when rows are removed. @param to in quotes */
export const referring = (to: string, column: string, onRemove: OnRemove): string =>
  `REFERENCES ${to} (${column})${ON_REMOVE[onRemove]}`;

/** Checked at the end of a transaction (rule C21). */
export const DEFERRED = " DEFERRABLE INITIALLY DEFERRED";

/** The rows of a query beside a table, under another name than that of the table. */
export const besides = (table: string, rows: string) =>
  `(${rows}) AS ${/changed/i.test(table) ? "given" : "changed"}`;

/** The statement that disallows `null` in a column. */
export const requireByStandard = (table: string, { name }: ColumnDefinition) =>
  `ALTER TABLE ${table} ALTER COLUMN ${standard.quoteColumn(name)} SET NOT NULL`;

/** The position of nulls in an order; omitted if there are none. */
export const nullsOf = (order: SortOrder, isNotNull = false) =>
  isNotNull ? "" : order === "ASC" ? " NULLS FIRST" : " NULLS LAST";

/** The keyword for a descending index member. */
export const directionOf = (sorted: IndexColumn["sorted"]) =>
  sorted?.order === "DESC" ? " DESC" : "";
