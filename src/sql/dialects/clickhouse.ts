// ClickHouse, 21.12 and later. Its placeholders have names, `p1` and so on: the driver gives the n-th
// parameter the name `pn`.

import type { FieldType } from "../../schema/field.ts";
import type { Bound, Cell, ColumnDefinition, Dialect } from "../dialect.ts";
import type { Parameter } from "../statement.ts";
import { standard } from "./standard.ts";

const types = { int: "Int64", string: "String" } as const;

function typeOf(value: Bound): string {
  if (typeof value !== "object") return typeof value === "number" ? types.int : types.string;
  return `Array(${typeof value[0] === "number" ? types.int : types.string})`;
}

const escaped = (text: string, quote: string) =>
  quote +
  text.replace(/[\\'`\0]/g, (character) => (character === "\0" ? "\\0" : `\\${character}`)) +
  quote;

const typeName = (type: FieldType, nullable: boolean) =>
  nullable ? `Nullable(${types[type]})` : types[type];

export const clickhouse: Dialect = {
  ...standard,
  name: "clickhouse",
  quote: (name) => escaped(name, "`"),
  bind: (value: Bound, parameters: Parameter[]) => `{p${parameters.push(value)}:${typeOf(value)}}`,
  contains: (text, part) => `position(${text}, ${part}) > 0`,
  startsWith: (text, part) => `startsWith(${text}, ${part})`,
  endsWith: (text, part) => `endsWith(${text}, ${part})`,
  isIn: (value, list) => `${value} IN ${list}`,
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
  declare: ({ kind, nullable }) =>
    kind === "listFields" ? "Map(String, Nullable(String))" : typeName(kind, nullable),
  generated: (type, expression) => `${type} MATERIALIZED ${expression}`,
  keyOf: ({ key }) => ({
    within: "",
    after: ` ENGINE = MergeTree ORDER BY (${key.map((name) => clickhouse.quote(name)).join(", ")})`,
  }),
  // It reads columns, and skips by the key of the table.
  index: () => undefined,
  // What follows FORMAT is data, which no parser of SQL sees.
  insert: ({ name, columns }, rows) => {
    const lines = rows.map((cells) => lineOf(columns, cells));
    const names = columns.map((column) => clickhouse.quote(column.name));
    return {
      text: `INSERT INTO ${name} (${names.join(", ")}) FORMAT JSONEachRow ${lines.join("\n")}`,
      parameters: [],
    };
  },
};

function lineOf(columns: readonly ColumnDefinition[], cells: readonly Cell[]): string {
  const members = columns.map(({ name, kind }, i) => {
    const cell = cells[i] ?? null;
    // An integer is written as a number.
    const value =
      kind === "int" ? (typeof cell === "string" ? cell : "null") : JSON.stringify(cell);
    return `${JSON.stringify(name)}:${value}`;
  });
  return `{${members.join(",")}}`;
}

/**
 * ClickHouse as it was in 2018, which binds no parameters and has no maps: values stand in the text, escaped; List
 * Fields are in two arrays.
 */
export const clickhouse18: Dialect = {
  ...clickhouse,
  name: "clickhouse18",
  bind: (value: Bound) =>
    typeof value === "object" ? `(${value.map(literalOf).join(", ")})` : literalOf(value),
};

const literalOf = (value: string | number) =>
  typeof value === "number" ? String(value) : escaped(value, "'");
