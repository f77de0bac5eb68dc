// SQLite, 3.38 and later, in a database with encoding UTF-8. String functions may stop at U+0000; `instr` and functions
// on blobs do not.

import type { Dialect, StoredType, TypeFamily } from "../dialect.ts";
import { familyByName } from "../native-type.ts";
import {
  byteLength,
  DEFERRED,
  directionOf,
  boundRows,
  jsonPath,
  literal,
  quoted,
  referring,
  standard,
} from "./standard.ts";

const types = {
  int: "INTEGER",
  float: "REAL",
  boolean: "INTEGER",
  string: "TEXT",
  strings: "TEXT",
  json: "TEXT",
  listFields: "TEXT",
} as const;
/** A table, and the database it is in. */
const asked = ({ length }: readonly string[]) => Array.from({ length }, () => "?").join(", ");

const of = (path: readonly string[]) => path.toReversed();

/** Whether the key of a table is its rowid: a key of one integer without an index of its own. */
const isRowid = (path: readonly string[]) =>
  `(SELECT count(*) = 1 AND upper(max(k.type)) = 'INTEGER' FROM pragma_table_xinfo(${asked(path)}) AS k WHERE k.pk) AND NOT EXISTS (SELECT 1 FROM pragma_index_list(${asked(path)}) AS k WHERE k.origin = 'pk')`;

/** The results of typeof() for valid values, in columns that may hold any type. */
const STORED: Readonly<Record<StoredType, readonly string[]>> = {
  int: ["integer", "real", "null"],
  float: ["integer", "real", "null"],
  boolean: ["integer", "real", "null"],
  string: ["text", "integer", "real", "null"],
  strings: ["text", "null"],
  json: ["text", "integer", "real", "null"],
};
/**
 * The elements of a JSON array, as rows of `e`. The array is read in a subquery, where no column of json_each() hides one
 * of the table, such as `value` or `key`.
 */
const elementsOf = (array: string) => `(SELECT ${array} AS list) AS a, json_each(a.list) AS e`;

/** Whether a column of any type has a value that its field can't hold. */
const WRONG: Readonly<Partial<Record<StoredType, (column: string) => string>>> = {
  int: (column) => `${column} <> CAST(${column} AS INTEGER)`,
  // Several larger integers share a double.
  float: (column) =>
    `typeof(${column}) = 'integer' AND ${column} NOT BETWEEN ${-(2 ** 53)} AND ${2 ** 53}`,
  boolean: (column) => `${column} NOT IN (0, 1)`,
  strings: (column) =>
    `CASE WHEN NOT json_valid(${column}) THEN 1 WHEN json_type(${column}) <> 'array' THEN 1 ELSE EXISTS (SELECT 1 FROM ${elementsOf(column)} WHERE e.type <> 'text') END`,
  json: (column) => `NOT json_valid(${column})`,
};
/** Like `STORED` for a string column, which stores numbers as strings. */
const TEXTS = ["text", "null"];

/** Parts of a declared type's name that determine its affinity; a column may store any type. */
function familyOf(type: string): TypeFamily {
  const name = type.toUpperCase();
  if (name.includes("INT")) return "integer";
  if (/CHAR|CLOB|TEXT/.test(name)) return "text";
  if (name === "" || name.includes("BLOB")) return "untyped";
  if (/REAL|FLOA|DOUB/.test(name)) return "float";
  const family = familyByName(type);
  return family === "boolean" || family === "decimal" || family === "json" ? family : "other";
}

/** An item of an index, from the statement that created it. */
function memberOf(statement: string, place: number): string {
  const members: string[] = [""];
  let depth = 0;
  for (const [token] of statement.matchAll(
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]?|[^]/g,
  )) {
    if (token === ")") depth--;
    if (token === "," && depth === 1) members.push("");
    else if (depth > 0) members.push((members.pop() ?? "") + token);
    if (token === "(") depth++;
    if (token === ")" && depth === 0) break;
  }
  return (members[place] ?? "")
    .trimEnd()
    .replace(/\s(?:ASC|DESC)$/i, "")
    .trimEnd();
}

const blob = (text: string) => `CAST(${text} AS BLOB)`;

export const sqlite: Dialect = {
  ...standard,
  name: "sqlite",
  types,
  // In double quotes, a name that no column has is a string.
  quoteColumn: quoted("`"),
  decimals: undefined,
  strings: {
    has: (array, list) =>
      `EXISTS (SELECT 1 FROM ${elementsOf(array)} WHERE e.value IN (SELECT value FROM json_each(${list})))`,
    hasAll: (array, list, count) =>
      `(SELECT count(DISTINCT e.value) FROM ${elementsOf(array)} WHERE e.value IN (SELECT value FROM json_each(${list}))) = ${count}`,
    isEmpty: (array) => `json_array_length(${array}) = 0`,
  },
  atPath: (json, names, type) => {
    const path = jsonPath(names);
    if (path === undefined) return undefined;
    const value = `json_extract(${json}, ${path})`;
    const cases: Readonly<Record<StoredType, string | undefined>> = {
      int: `WHEN 'integer' THEN ${value}`,
      float: `WHEN 'integer' THEN CAST(${value} AS REAL) WHEN 'real' THEN ${value}`,
      boolean: `WHEN 'true' THEN 1 WHEN 'false' THEN 0`,
      string: `WHEN 'text' THEN ${value}`,
      strings: `WHEN 'array' THEN ${value}`,
      json: undefined,
    };
    return `CASE json_type(${json}, ${path}) ${cases[type]} END`;
  },
  // Only columns of new tables are stored.
  addGenerated: (type, expression) => `${type} GENERATED ALWAYS AS (${expression}) VIRTUAL`,
  toFloat: (number) => `CAST(${number} AS REAL)`,
  substring: (text, part) => `instr(${text}, ${part}) > 0`,
  // Not `=`: substr() of an empty blob is NULL, and NOT of that would not hold.
  suffix: (text, part, value) => `substr(${blob(text)}, -${byteLength(value)}) IS ${blob(part)}`,
  start: (text, characters) =>
    `CASE WHEN instr(${text}, char(0)) > 0 THEN ${text} ELSE substr(${text}, 1, ${characters}) END`,
  // JSON has large floats as integers, which are compared with doubles digit by digit.
  isIn: (value, list, type) =>
    `${value} IN (SELECT ${type === "float" ? "CAST(value AS REAL)" : "value"} FROM json_each(${list}))`,
  toText: (int) => `CAST(${int} AS TEXT)`,
  toInt: (text) => `CAST(${text} AS INTEGER)`,
  toBytes: blob,
  setListField: (column, key, text) => `json_set(${column}, '$."${key}"', ${text ?? "NULL"})`,
  listField: (column, key) => `json_extract(${column}, '$."${key}"')`,
  indexed: ({ value, type, isExpression, sorted, isCompared }) => {
    const isCollated = type === "string" && isCompared !== undefined && isExpression !== true;
    return `${isExpression ? `(${value})` : value}${isCollated ? " COLLATE BINARY" : ""}${directionOf(sorted)}`;
  },
  foreignKeys: {
    // The name of the other table is never qualified: it is in the same database.
    references: ({ from, to, column, onRemove }) =>
      JSON.stringify(from.slice(0, -1)) === JSON.stringify(to.slice(0, -1))
        ? referring(sqlite.quote(to.at(-1) ?? ""), sqlite.quoteColumn(column), onRemove) + DEFERRED
        : undefined,
    areForward: true,
    areAdded: false,
  },
  catalog: {
    // The catalog has no collations.
    columns: (path) => ({
      text: `SELECT name AS tercet_0, type AS tercet_1, "notnull" OR (pk AND ${isRowid(path)}) AS tercet_2, NULL AS tercet_3, (SELECT max(l.type = 'view') FROM pragma_table_list(?) AS l${path.length > 1 ? " WHERE l.schema = ?" : ""}) AS tercet_4, NULL AS tercet_5, 1 AS tercet_6, NULL AS tercet_7 FROM pragma_table_xinfo(${asked(path)}) ORDER BY cid`,
      parameters: [...of(path), ...of(path), ...of(path), ...of(path)],
    }),
    // A key of one integer is that of the table itself, which is in no list of indexes.
    indexes: (path) => ({
      text: `SELECT l.name AS tercet_0, l."unique" AS tercet_1, m.name AS tercet_2, m."desc" AS tercet_3, 1 - m."desc" AS tercet_4, CASE WHEN m.coll = 'BINARY' THEN 'points' ELSE 'other' END AS tercet_5, CASE WHEN m.name IS NULL THEN (SELECT s.sql FROM ${path.length > 1 ? `${sqlite.quote(path[0] ?? "")}.` : ""}sqlite_schema AS s WHERE s.type = 'index' AND s.name = l.name) END AS tercet_6 FROM pragma_index_list(${asked(path)}) AS l, pragma_index_xinfo(l.name${path.length > 1 ? ", ?" : ""}) AS m WHERE m.key AND NOT l.partial UNION ALL SELECT '', 1, max(name), 0, 1, 'points', NULL FROM pragma_table_xinfo(${asked(path)}) WHERE pk HAVING ${isRowid(path)}`,
      parameters: [...of(path), ...of(path).slice(1), ...of(path), ...of(path), ...of(path)],
    }),
    foreignKeys: ({ path }, to) => ({
      text: `SELECT max("from") AS tercet_0, max("to") AS tercet_1, max(on_delete) AS tercet_2 FROM pragma_foreign_key_list(${asked(path)}) WHERE "table" = ? COLLATE NOCASE GROUP BY id HAVING count(*) = 1`,
      parameters: [...of(path), to.path.at(-1) ?? ""],
    }),
    indexNames: (path) => ({
      text: `SELECT name AS tercet_0 FROM ${path.length > 1 ? `${sqlite.quote(path[0] ?? "")}.` : ""}sqlite_schema`,
      parameters: [],
    }),
    expression: memberOf,
    family: familyOf,
    text: (column, { family, isView }) =>
      `${family === "text" && !isView ? column : `CAST(${column} AS TEXT)`} COLLATE BINARY`,
    likeness: ({ family, isView }) => (family === "text" && !isView ? {} : undefined),
    wholeText: (column) => `CAST(CAST(${column} AS INTEGER) AS TEXT)`,
    numeric: (column, number = column) =>
      `CASE WHEN typeof(${column}) IN ('text', 'blob') THEN 'a ' || typeof(${column}) ELSE ${number} END`,
    fault: (column, type, native) => {
      const others = native.family === "text" && !native.isView ? TEXTS : STORED[type];
      const isOther = `typeof(${column}) NOT IN (${others.map(literal).join(", ")})`;
      const isWrong = WRONG[type]?.(column);
      return isWrong === undefined ? isOther : `${isOther} OR ${isWrong}`;
    },
    isIndexable: () => true,
  },
  ...boundRows(
    "json_each(?)",
    (kind, i) => `json_extract(value, '$[${i}]')${kind === "boolean" ? " = 'true'" : ""}`,
  ),
  // Its planner would scan all rows for each row of the table.
  rows: undefined,
};
