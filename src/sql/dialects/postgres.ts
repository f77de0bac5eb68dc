// PostgreSQL, 12 and later. Collation "C" is the order of code points in a database of encoding UTF8.

import type { Bound, Dialect } from "../dialect.ts";
import type { Parameter } from "../statement.ts";
import { gatheringView, indexStatement, literal, rowsAsJson, standard } from "./standard.ts";

const types = {
  int: "bigint",
  float: "double precision",
  boolean: "boolean",
  string: 'text COLLATE "C"',
  json: "text",
  listFields: "jsonb",
} as const;

function typeOf(value: Bound): string {
  if (typeof value !== "object") return typeof value === "number" ? "bigint" : "text";
  return typeof value[0] === "number" ? "bigint[]" : "text[]";
}

/** What stands for the table of one server. */
const partOf = (path: readonly string[], server: number) =>
  [...path.slice(0, -1), `${path.at(-1) ?? ""}_${server}`].map(standard.quote).join(".");

function servedBy(server: string, remote: readonly string[]): string {
  const [table = "", schema] = remote.toReversed();
  const options = [
    ...(schema === undefined ? [] : [`schema_name ${literal(schema)}`]),
    `table_name ${literal(table)}`,
  ];
  return `SERVER ${standard.quote(server)} OPTIONS (${options.join(", ")})`;
}

export const postgres: Dialect = {
  ...standard,
  name: "postgres",
  hasNul: false,
  // A cast is not sent to the servers of foreign tables; a column is.
  hasTextColumns: true,
  bind: (value: Bound, parameters: Parameter[]) => `$${parameters.push(value)}::${typeOf(value)}`,
  substring: (text, part) => `strpos(${text}, ${part}) > 0`,
  prefix: (text, part) => `starts_with(${text}, ${part})`,
  suffix: (text, part) => `right(${text}, length(${part})) = ${part}`,
  isIn: (value, list) => `${value} = ANY(${list})`,
  toText: (int) => `CAST(${int} AS text)`,
  toInt: (text) => `CASE WHEN ${text} ~ '^-?[0-9]{1,16}$' THEN CAST(${text} AS bigint) END`,
  toBytes: (text) => `convert_to(${text}, 'UTF8')`,
  setListField: (column, key, text) =>
    `(${column} || jsonb_build_object('${key}', ${text ?? "CAST(NULL AS text)"}))`,
  listField: (column, key) => `(${column} ->> '${key}')`,
  orderBy: (value, type, order) =>
    standard.orderBy(type === "string" ? `${value} COLLATE "C"` : value, type, order),
  declare: ({ kind, nullable }) => types[kind] + (nullable ? "" : " NOT NULL"),
  index: (definition) =>
    indexStatement(definition, ({ value, type, isExpression }) => {
      const collated = type === "string" ? `${value} COLLATE "C"` : value;
      return `${isExpression ? `(${collated})` : collated} NULLS FIRST`;
    }),
  spread: (declared, { name, path, remote, servers, by }) => [
    `CREATE TABLE ${name} (${declared}) PARTITION BY HASH (${standard.quote(by)})`,
    ...servers.map((server, i) => {
      const within = `PARTITION OF ${name} FOR VALUES WITH (MODULUS ${servers.length}, REMAINDER ${i})`;
      return `CREATE FOREIGN TABLE ${partOf(path, i)} ${within} ${servedBy(server, remote)}`;
    }),
  ],
  parts: {
    nameOf: partOf,
    holds: (table, servers, server, column) =>
      `satisfies_hash_partition(${literal(table)}::regclass, ${servers}, ${server}, (r ->> ${column})::bigint)`,
  },
  gather: (declared, { name, path, remote, servers }) => {
    const rows = servers.map(
      (_, i) =>
        `SELECT place AS p, shards AS n, generation AS g, ${i} AS s FROM ${partOf(path, i)}`,
    );
    return [
      ...servers.map(
        (server, i) =>
          `CREATE FOREIGN TABLE ${partOf(path, i)} (${declared}) ${servedBy(server, remote)}`,
      ),
      gatheringView(
        name,
        (digit) => `${digit}::bigint`,
        rows.join(" UNION ALL "),
        "p = s",
        String(servers.length),
      ),
    ];
  },
  insert: ({ name, columns }, rows) => {
    const values = columns.map(
      ({ kind }, i) => `(r ->> ${i})${kind === "string" ? "" : `::${types[kind]}`}`,
    );
    const names = columns.map((column) => standard.quote(column.name));
    return {
      text: `INSERT INTO ${name} (${names.join(", ")}) SELECT ${values.join(", ")} FROM jsonb_array_elements($1::jsonb) AS r`,
      parameters: [rowsAsJson(rows)],
    };
  },
};
