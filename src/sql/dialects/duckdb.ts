// DuckDB, 1.1 and later.

import type { Bound, Dialect } from "../dialect.ts";
import type { Parameter } from "../statement.ts";
import { asJson, rowsAsJson, standard } from "./standard.ts";

const types = {
  int: "BIGINT",
  float: "DOUBLE",
  boolean: "BOOLEAN",
  string: "VARCHAR",
  json: "VARCHAR",
  listFields: "MAP(VARCHAR, VARCHAR)",
} as const;

export const duckdb: Dialect = {
  ...standard,
  name: "duckdb",
  bind: (value: Bound, parameters: Parameter[]) =>
    `CAST($${parameters.push(asJson(value))} AS ${typeof value === "number" ? "BIGINT" : "VARCHAR"})`,
  substring: (text, part) => `contains(${text}, ${part})`,
  prefix: (text, part) => `starts_with(${text}, ${part})`,
  suffix: (text, part) => `ends_with(${text}, ${part})`,
  isIn: (value, list, type) =>
    `${value} IN (SELECT unnest(from_json(${list}, '["${types[type]}"]')))`,
  toText: (int) => `CAST(${int} AS VARCHAR)`,
  toInt: (text) => `TRY_CAST(${text} AS BIGINT)`,
  toBytes: (text) => `encode(${text})`,
  setListField: (column, key, text) =>
    `map_concat(${column}, MAP {'${key}': ${text ?? "CAST(NULL AS VARCHAR)"}})`,
  listField: (column, key) => `${column}['${key}']`,
  declare: ({ kind, nullable }) => types[kind] + (nullable ? "" : " NOT NULL"),
  generated: (type, expression) => `${type} GENERATED ALWAYS AS (${expression}) VIRTUAL`,
  keyOf: () => ({ within: "", after: "" }),
  // Its indexes answer equality alone, and cost more than they save where rows come and go.
  index: () => undefined,
  insert: ({ name, columns }, rows) => {
    const values = columns.map(({ kind }, i) =>
      kind === "listFields"
        ? `from_json(r[${i + 1}], '"${types.listFields}"')`
        : kind === "int"
          ? `CAST(r[${i + 1}] AS BIGINT)`
          : `r[${i + 1}]`,
    );
    const names = columns.map((column) => standard.quote(column.name));
    return {
      text: `INSERT INTO ${name} (${names.join(", ")}) SELECT ${values.join(", ")} FROM (SELECT unnest(from_json(CAST($1 AS VARCHAR), '[["VARCHAR"]]')) AS r)`,
      parameters: [rowsAsJson(rows)],
    };
  },
};
