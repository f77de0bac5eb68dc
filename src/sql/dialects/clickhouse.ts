// ClickHouse, 21.12 and later. Its placeholders have names, `p1` and so on: the driver gives the n-th
// parameter the name `pn`.

import type { FieldType } from "../../schema/field.ts";
import type {
  Bound,
  Cell,
  ColumnDefinition,
  Dialect,
  ListFieldValues,
  TableDefinition,
} from "../dialect.ts";
import type { Parameter, Statement } from "../statement.ts";
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
  changesOnShards: true,
  namesClusters: true,
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
  spread: (declared, { name, remote, servers, by }) => {
    const [table = "", database] = remote.toReversed();
    const place = database === undefined ? "currentDatabase()" : escaped(database, "'");
    return [
      `CREATE TABLE ${name} (${declared}) ENGINE = Distributed(${escaped(servers[0] ?? "", "'")}, ${place}, ${escaped(table, "'")}, ${clickhouse.quote(by)})`,
    ];
  },
  // It reads columns, and skips by the key of the table.
  index: () => undefined,
  insert: (table, rows) => insertLines(table, rows, (values) => values),
};

/** What follows FORMAT is data, which no parser of SQL sees. */
function insertLines(
  { name, columns }: TableDefinition,
  rows: readonly (readonly Cell[])[],
  listFields: (values: ListFieldValues) => unknown,
): Statement {
  const lines = rows.map((cells) => {
    const members = columns.map(
      (column, i) => `${JSON.stringify(column.name)}:${valueOf(column, cells[i] ?? null)}`,
    );
    return `{${members.join(",")}}`;
  });
  const names = columns.map((column) => clickhouse.quote(column.name));
  return {
    text: `INSERT INTO ${name} (${names.join(", ")}) FORMAT JSONEachRow ${lines.join("\n")}`,
    parameters: [],
  };

  function valueOf({ kind }: ColumnDefinition, cell: Cell): string {
    if (typeof cell === "object") return JSON.stringify(cell === null ? null : listFields(cell));
    // An integer is written as a number.
    return kind === "int" ? cell : JSON.stringify(cell);
  }
}

/**
 * ClickHouse as it was in 2018, which binds no parameters: values stand in the text, escaped. It has no maps
 * either: List Fields are an array in which `v` and the value follow `k` and the key, or `n` for `null`. The
 * first of a key counts. Its changes of rows happen some time after they were asked for.
 */
export const clickhouse18: Dialect = {
  ...clickhouse,
  name: "clickhouse18",
  bind: (value: Bound) =>
    typeof value === "object"
      ? `(${value.map(literalOf).join(", ")})`
      : typeof value === "number"
        ? `toInt64(${value})`
        : literalOf(value),
  listField: (column, key) => {
    const value = `${column}[indexOf(${column}, 'k${key}') + 1]`;
    return `if(startsWith(${value}, 'v'), substring(${value}, 2), NULL)`;
  },
  setListField: (column, key, text) =>
    `arrayConcat(['k${key}', ${text === null ? "'n'" : `concat('v', ${text})`}], ${column})`,
  declare: ({ kind, nullable }) =>
    kind === "listFields" ? "Array(String)" : typeName(kind, nullable),
  update: (table, assignments, where) =>
    `ALTER TABLE ${table} UPDATE ${assignments} WHERE ${where}`,
  remove: (table, where) => `ALTER TABLE ${table} DELETE WHERE ${where}`,
  insert: (table, rows) =>
    insertLines(table, rows, (values) =>
      Object.entries(values).flatMap(([key, value]) => [`k${key}`, `v${value}`]),
    ),
};

/** A positive integer is unsigned, and a large one does not go where others are signed; among others in a list it does. */
const literalOf = (value: string | number) =>
  typeof value === "number" ? String(value) : escaped(value, "'");
