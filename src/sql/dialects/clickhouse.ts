// ClickHouse, 21.12 and later. Its placeholders are named `p1`, `p2` and so on: the driver passes the n-th parameter
// under the name `pn`.

import { parseStrings } from "../../schema/strings.ts";
import type { Parameter, ColumnKind, Cell, Dialect, NumberForm, StoredType } from "../dialect.ts";
import { named } from "../result-columns.ts";
import { asLines, inLine, standard } from "./standard.ts";

const types = {
  int: "Int64",
  float: "Float64",
  boolean: "Bool",
  string: "String",
  strings: "Array(String)",
  json: "String",
  listFields: "Map(String, Nullable(String))",
} as const;

/** The array in a column with its JSON; empty if it is null. */
const arrayIn = (text: string) => `JSONExtract(ifNull(${text}, '[]'), 'Array(String)')`;

function typeOf(value: Parameter, form: NumberForm): string {
  if (typeof value === "object") return `Array(${typeOf(value[0] ?? "", form)})`;
  return typeof value === "string" ? types.string : types[form === "int" ? form : "float"];
}

const escaped = (text: string, quote: string) =>
  quote +
  text.replace(/[\\'`\0]/g, (character) => (character === "\0" ? "\\0" : `\\${character}`)) +
  quote;

const quote = (name: string) => escaped(name, "`");

function distributed(servers: readonly string[], remote: readonly string[], key: string): string {
  const [table = "", database] = remote.toReversed();
  const place = database === undefined ? "currentDatabase()" : escaped(database, "'");
  return `ENGINE = Distributed(${escaped(servers[0] ?? "", "'")}, ${place}, ${escaped(table, "'")}, ${key})`;
}

export const clickhouse: Dialect = {
  ...standard,
  name: "clickhouse",
  types,
  hasTransactions: false,
  hasUnique: false,
  quote,
  quoteColumn: quote,
  bind: (value, parameters, form = "int") => {
    // Its driver does not accept unsafe integers.
    const isFloat = form !== "int" && typeof value === "number";
    return `{p${parameters.push(isFloat ? String(value) : value)}:${typeOf(value, form)}}`;
  },
  toFloat: (number) => `toFloat64(${number})`,
  // Without toNullable, it is 0 if there are no values.
  extreme: (which, value) => `${which}(toNullable(${value}))`,
  substring: (text, part) => `position(${text}, ${part}) > 0`,
  prefix: (text, part) => `startsWith(${text}, ${part})`,
  suffix: (text, part) => `endsWith(${text}, ${part})`,
  start: (text, characters) => `substringUTF8(${text}, 1, ${characters})`,
  isIn: (value, list) => `${value} IN ${list}`,
  // If other servers have the rows, the query runs once, on the coordinating server. Each of the others would find only
  // its own rows, so ClickHouse rejects that.
  isSelected: (value, query) => `${value} GLOBAL IN (${query})`,
  strings: {
    has: (array, list) => `hasAny(${array}, ${list})`,
    hasAll: (array, list) => `hasAll(${array}, ${list})`,
    isEmpty: (array) => `empty(${array})`,
    toJson: (array) => `toJSONString(${array})`,
  },
  stringsInTexts: {
    has: (text, list) => `hasAny(${arrayIn(text)}, ${list})`,
    hasAll: (text, list) => `hasAll(${arrayIn(text)}, ${list})`,
    isEmpty: (text) => `(${text} IS NOT NULL AND empty(${arrayIn(text)}))`,
  },
  toText: (int) => `toString(${int})`,
  toInt: (text) => `toInt64OrNull(${text})`,
  toBytes: (text) => text,
  setListField: (column, key, text) =>
    `mapUpdate(${column}, map('${key}', CAST(${text ?? "NULL"} AS Nullable(String))))`,
  update: (table, assignments, where) =>
    `ALTER TABLE ${table} UPDATE ${assignments} WHERE ${where} SETTINGS mutations_sync = 2`,
  remove: (table, where) =>
    `ALTER TABLE ${table} DELETE WHERE ${where} SETTINGS mutations_sync = 2`,
  listField: (column, key) => `${column}['${key}']`,
  // An unmatched join yields a default value rather than NULL by default.
  joining: { query: (select) => `${select} SETTINGS join_use_nulls = 1` },
  correlates: false,
  // An unmatched join yields a default value rather than NULL.
  withValue: (page, columns, value) => {
    const alone = [...new Array<string>(columns).fill("NULL"), named(value, columns)].join(", ");
    return `SELECT *, ${named("NULL", columns)} FROM (${page}) UNION ALL SELECT ${alone}`;
  },
  declare({ kind, nullable }) {
    return nullable ? `Nullable(${this.types[kind]})` : this.types[kind];
  },
  generated: (type, expression) => `${type} MATERIALIZED ${expression}`,
  atPath: (json, names, type, nullable) => {
    const given = [`ifNull(${json}, 'null')`, ...names.map((name) => escaped(name, "'"))].join(
      ", ",
    );
    if (type === "strings" && !nullable) return `JSONExtract(${given}, 'Array(String)')`;
    const byType: Readonly<Record<StoredType, readonly [held: string, read: string]>> = {
      int: ["'Int64', 'UInt64'", "Int"],
      float: ["'Int64', 'UInt64', 'Double'", "Float"],
      boolean: ["'Bool'", "Bool"],
      string: ["'String'", "String"],
      // The column of a nullable field has JSON.
      strings: ["'Array'", "Raw"],
      json: ["'Object'", "Raw"],
    };
    const [held, read] = byType[type];
    return `if(toString(JSONType(${given})) IN (${held}), JSONExtract${read}(${given}), NULL)`;
  },
  keyOf: ({ key }) => `) ENGINE = MergeTree ORDER BY (${key.map(quote).join(", ")})`,
  spread: (declared, { name, remote, servers, by }) => {
    const columns = by.map(quote).join(", ");
    const key = by.length === 1 ? columns : `cityHash64(${columns})`;
    return [`CREATE TABLE ${name} (${declared}) ${distributed(servers, remote, key)}`];
  },
  // It can't change rows through the tables of a cluster.
  onServers: (table, cluster) => `${table} ON CLUSTER ${quote(cluster)}`,
  catalog: {
    columns: (path) => {
      const [table = "", database] = path.toReversed().map((part) => escaped(part, "'"));
      return {
        text: `SELECT name AS tercet_0, type AS tercet_1, if(type LIKE '%Nullable(%', 0, 1) AS tercet_2, 'points' AS tercet_3, 0 AS tercet_4, NULL AS tercet_5, 0 AS tercet_6, NULL AS tercet_7 FROM system.columns WHERE table = ${table} AND database = ${database ?? "currentDatabase()"}`,
        parameters: [],
      };
    },
    // Points in time are written in UTC, whatever the time zone of the column.
    text: (column, { family }) =>
      family === "text"
        ? column
        : family === "timestamp"
          ? `concat(replaceOne(toString(toTimeZone(${column}, 'UTC')), ' ', 'T'), 'Z')`
          : `toString(${column})`,
    fault: (column, type, { family }) => {
      const text = (missing: string) => `assumeNotNull(ifNull(toString(${column}), '${missing}'))`;
      if (type === "json") return `NOT isValidJSON(${text("null")})`;
      if (type !== "strings" || family === "strings") return undefined;
      const list = text("[]");
      return `NOT isValidJSON(${list}) OR JSONType(${list}) <> 'Array' OR arrayExists(e -> JSONType(e) <> 'String', JSONExtractArrayRaw(${list}))`;
    },
  },
  // No `indexed`: it reads columns, and skips by the key of the table. Each statement creates one file per column,
  // which the server merges later.
  mostRows: 16_000,
  insert: ({ name, columns }, rows) => {
    const names = columns.map((column) => quote(column.name)).join(", ");
    const lines = asLines(rows, (cell, i) => inColumn(columns[i]?.kind ?? "string", cell));
    // The data after FORMAT is not parsed as SQL.
    return { text: `INSERT INTO ${name} (${names}) FORMAT TabSeparated\n${lines}`, parameters: [] };
  },
};

/** A value as written on a line. Numbers and booleans are written unchanged. */
function inColumn(kind: ColumnKind, cell: NonNullable<Cell>): string {
  if (typeof cell === "object") {
    const members = Object.entries(cell).map((pair) => pair.map(quotedInLine).join(":"));
    return `{${members.join(",")}}`;
  }
  if (kind === "strings") return `[${parseStrings(cell).map(quotedInLine).join(",")}]`;
  return kind === "string" || kind === "json" ? inLine(cell) : cell;
}

/** A string within a map or an array on a line. */
const quotedInLine = (text: string) => `'${inLine(text).replaceAll("'", "\\'")}'`;
