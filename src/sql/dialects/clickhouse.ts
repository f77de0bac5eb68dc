// ClickHouse, 21.12 and later. Its placeholders have names, `p1` and so on: the driver gives the n-th
// parameter the name `pn`.

import type {
  Parameter,
  ColumnKind,
  Cell,
  Dialect,
  ListFieldValues,
  NumberForm,
} from "../dialect.ts";
import { namedAll, pathOf } from "../names.ts";
import { asLines, gatheringView, inLine, standard } from "./standard.ts";

const types = {
  int: "Int64",
  float: "Float64",
  boolean: "Bool",
  string: "String",
  json: "String",
  listFields: "Map(String, Nullable(String))",
} as const;

function typeOf(value: Parameter, form: NumberForm): string {
  if (typeof value === "object") return `Array(${typeOf(value[0] ?? "", form)})`;
  return typeof value === "string" ? types.string : types[form === "int" ? form : "float"];
}

const escaped = (text: string, quote: string) =>
  quote +
  text.replace(/[\\'`\0]/g, (character) => (character === "\0" ? "\\0" : `\\${character}`)) +
  quote;

function distributed(servers: readonly string[], remote: readonly string[], key = ""): string {
  const [table = "", database] = remote.toReversed();
  const place = database === undefined ? "currentDatabase()" : escaped(database, "'");
  return `ENGINE = Distributed(${escaped(servers[0] ?? "", "'")}, ${place}, ${escaped(table, "'")}${key})`;
}

export const clickhouse: Dialect = {
  ...standard,
  name: "clickhouse",
  types,
  hasTransactions: false,
  quote: (name) => escaped(name, "`"),
  bind: (value, parameters, form = "int") => {
    // Its driver refuses numbers that it takes for integers and that are not safe.
    const isFloat = form !== "int" && typeof value === "number";
    return `{p${parameters.push(isFloat ? String(value) : value)}:${typeOf(value, form)}}`;
  },
  toFloat: (number) => `toFloat64(${number})`,
  // Without toNullable, it is 0 if there are no values.
  extreme: (which, value) => `${which}(toNullable(${value}))`,
  substring: (text, part) => `position(${text}, ${part}) > 0`,
  prefix: (text, part) => `startsWith(${text}, ${part})`,
  suffix: (text, part) => `endsWith(${text}, ${part})`,
  isIn: (value, list) => `${value} IN ${list}`,
  // If other servers hold the rows, the query runs once, on the server that is asked. Each of the others would find
  // only rows of its own, so ClickHouse refuses that.
  isSelected: (value, query) => `${value} GLOBAL IN (${query})`,
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
  // Where a join finds nothing it gives no NULL.
  beside: (page, columns, table, values) => {
    const nothing = (count: number) => new Array<string>(count).fill("NULL");
    const alone = [...nothing(columns), namedAll(values, columns)].join(", ");
    const others = namedAll(nothing(values.length), columns);
    return `SELECT *, ${others} FROM (${page}) UNION ALL SELECT ${alone} FROM ${table}`;
  },
  declare({ kind, nullable }) {
    return nullable ? `Nullable(${this.types[kind]})` : this.types[kind];
  },
  generated: (type, expression) => `${type} MATERIALIZED ${expression}`,
  keyOf: ({ key }) => `) ENGINE = MergeTree ORDER BY (${key.map(clickhouse.quote).join(", ")})`,
  spread: (declared, { name, remote, servers, by }) => {
    const columns = by.map(clickhouse.quote).join(", ");
    const key = by.length === 1 ? columns : `cityHash64(${columns})`;
    return [`CREATE TABLE ${name} (${declared}) ${distributed(servers, remote, `, ${key}`)}`];
  },
  gather: (declared, { name, path, remote, servers }) => {
    const all = pathOf({ path }, "all").map(clickhouse.quote).join(".");
    const rows = `SELECT place AS p, shards AS n, generation AS g FROM ${all}`;
    return [
      `CREATE TABLE ${all} (${declared}) ${distributed(servers, remote)}`,
      // The servers have no places in a cluster, and only its configuration says how many they are.
      gatheringView(name, (digit) => `toInt64(${digit})`, rows, "1 = 1", "max(n)"),
    ];
  },
  catalog: {
    // Written out: the oldest binds no parameters.
    columns: (path) => {
      const [table = "", database] = path.toReversed().map((part) => escaped(part, "'"));
      return {
        text: `SELECT name AS tercet_0, type AS tercet_1, if(type LIKE '%Nullable(%', 0, 1) AS tercet_2, 'points' AS tercet_3, 0 AS tercet_4, NULL AS tercet_5, 0 AS tercet_6 FROM system.columns WHERE table = ${table} AND database = ${database ?? "currentDatabase()"}`,
        parameters: [],
      };
    },
    // A point in time is written in UTC, whatever the time zone of the column.
    text: (column, { family }) =>
      family === "text"
        ? column
        : family === "timestamp"
          ? `concat(replaceOne(toString(toTimeZone(${column}, 'UTC')), ' ', 'T'), 'Z')`
          : `toString(${column})`,
    fault: (column, type) =>
      type === "json"
        ? `NOT isValidJSON(assumeNotNull(ifNull(toString(${column}), 'null')))`
        : undefined,
  },
  // No `indexed`: it reads columns, and skips by the key of the table.
  // Each statement makes a file for each column, which the server merges later.
  mostRows: 16_000,
  insert: insertLines(
    (values) => {
      const members = Object.entries(values).map((pair) => pair.map(quotedInLine).join(":"));
      return `{${members.join(",")}}`;
    },
    (text) => text,
  ),
};

/** What follows FORMAT is data, which no parser of SQL sees. Its numbers and booleans are written as they are. */
function insertLines(
  listFields: (values: ListFieldValues) => string,
  booleanOf: (text: string) => string,
): Dialect["insert"] {
  const write = (kind: ColumnKind, cell: NonNullable<Cell>): string => {
    if (typeof cell === "object") return listFields(cell);
    if (kind === "boolean") return booleanOf(cell);
    return kind === "string" || kind === "json" ? inLine(cell) : cell;
  };
  return ({ name, columns }, rows) => {
    const names = columns.map((column) => clickhouse.quote(column.name)).join(", ");
    const lines = asLines(rows, (cell, i) => write(columns[i]?.kind ?? "string", cell));
    const text = `INSERT INTO ${name} (${names}) FORMAT TabSeparated\n${lines}`;
    return { text, parameters: [] };
  };
}

/** A text within a map or an array of a line. */
const quotedInLine = (text: string) => `'${inLine(text).replaceAll("'", "\\'")}'`;

/**
 * ClickHouse as it was in 2018, which binds no parameters: values stand in the text, escaped. It has no maps
 * either: List Fields are an array in which `v` and the value follow `k` and the key, or `n` for `null`. The
 * first of a key counts. Its changes of rows happen some time after they were asked for.
 */
export const clickhouse18: Dialect = {
  ...clickhouse,
  name: "clickhouse18",
  types: { ...types, boolean: "UInt8", listFields: "Array(String)" },
  bind: (value, _parameters, form = "int") =>
    typeof value === "object"
      ? `(${value.map(literalOf).join(", ")})`
      : typeof value === "number"
        ? `to${typeOf(value, form)}(${isSubnormal(value) ? `${value * SCALE} / ${SCALE}` : value})`
        : literalOf(value),
  listField: (column, key) => {
    const value = `${column}[indexOf(${column}, 'k${key}') + 1]`;
    return `if(startsWith(${value}, 'v'), substring(${value}, 2), NULL)`;
  },
  setListField: (column, key, text) =>
    `arrayConcat(['k${key}', ${text === null ? "'n'" : `concat('v', ${text})`}], ${column})`,
  update: (table, assignments, where) =>
    `ALTER TABLE ${table} UPDATE ${assignments} WHERE ${where}`,
  remove: (table, where) => `ALTER TABLE ${table} DELETE WHERE ${where}`,
  insert: insertLines(
    (values) => {
      const members = Object.entries(values).flatMap(([key, value]) => [`k${key}`, `v${value}`]);
      return `[${members.map(quotedInLine).join(",")}]`;
    },
    (text) => (text === "true" ? "1" : "0"),
  ),
};

/** ClickHouse of 2018 reads none of these, but divides to them. */
const isSubnormal = (value: number) => value !== 0 && Math.abs(value) < 2 ** -1022;

/** A multiple of a subnormal number by it is a normal one, and exact. */
const SCALE = 2 ** 60;

/** A positive integer is unsigned, and a large one does not go where others are signed; among others in a list it does. */
const literalOf = (value: string | number) =>
  typeof value === "number" ? String(value) : escaped(value, "'");
