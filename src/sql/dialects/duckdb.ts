// DuckDB, 1.1 and later.

import type { Dialect, Parameter, StoredType } from "../dialect.ts";
import { ownForm } from "./duckdb-types.ts";
import { asJson, boundRows, jsonPath, referring, requireByStandard, standard } from "./standard.ts";

const types = {
  int: "BIGINT",
  float: "DOUBLE",
  boolean: "BOOLEAN",
  string: "VARCHAR",
  strings: "VARCHAR[]",
  json: "VARCHAR",
  listFields: "MAP(VARCHAR, VARCHAR)",
} as const;

/** Converts JSON to an array. */
const arrayOf = (json: string) => `from_json(${json}, '["VARCHAR"]')`;

export const duckdb: Dialect = {
  ...standard,
  name: "duckdb",
  types,
  booleans: ["FALSE", "TRUE"],
  bind: (value, parameters, form = "int") => {
    const isFloat = form !== "int" && typeof value === "number";
    // Its driver binds numbers without a fraction as 64-bit integers.
    const place = parameters.push(isFloat ? String(value) : asJson(value));
    const type = isFloat ? types.float : typeof value === "number" ? types.int : types.string;
    return `CAST($${place} AS ${type})`;
  },
  substring: (text, part) => `contains(${text}, ${part})`,
  prefix: (text, part) => `starts_with(${text}, ${part})`,
  suffix: (text, part) => `ends_with(${text}, ${part})`,
  start: (text, characters) => `left(${text}, ${characters}) COLLATE "C"`,
  isIn: (value, list, type) =>
    `${value} IN (SELECT unnest(from_json(${list}, '["${types[type]}"]')))`,
  strings: {
    has: (array, list) => `list_has_any(${array}, ${arrayOf(list)})`,
    hasAll: (array, list) => `list_has_all(${array}, ${arrayOf(list)})`,
    isEmpty: (array) => `len(${array}) = 0`,
    toJson: (array) => `CAST(to_json(${array}) AS VARCHAR)`,
    fromJson: arrayOf,
  },
  toText: (int) => `CAST(${int} AS VARCHAR)`,
  toInt: (text) => `TRY_CAST(${text} AS BIGINT)`,
  toBytes: (text) => `encode(${text})`,
  setListField: (column, key, text) =>
    `map_concat(${column}, MAP {'${key}': ${text ?? "CAST(NULL AS VARCHAR)"}})`,
  listField: (column, key) => `${column}['${key}']`,
  generated: (type, expression) => `${type} GENERATED ALWAYS AS (${expression}) VIRTUAL`,
  atPath: (json, names, type) => {
    const path = jsonPath(names);
    if (path === undefined) return undefined;
    const value = `json_extract(${json}, ${path})`;
    const byType: Readonly<Record<StoredType, readonly [held: string, read: string]>> = {
      int: ["'BIGINT', 'UBIGINT'", `CAST(${value} AS BIGINT)`],
      float: ["'BIGINT', 'UBIGINT', 'DOUBLE'", `CAST(${value} AS DOUBLE)`],
      boolean: ["'BOOLEAN'", `CAST(${value} AS BOOLEAN)`],
      string: ["'VARCHAR'", `json_extract_string(${json}, ${path})`],
      strings: ["'ARRAY'", arrayOf(value)],
      json: ["'OBJECT'", value],
    };
    const [held, read] = byType[type];
    return `CASE WHEN json_type(${json}, ${path}) IN (${held}) THEN ${read} END`;
  },
  addGenerated: null,
  isKey: () => false,
  keyOf: () => ")",
  // Planning a statement takes as long as reading hundreds of rows.
  mostRows: 16_000,
  foreignKeys: {
    // It refuses to remove or change the row; it knows no other action.
    references: ({ to, column }) =>
      referring(to.map(standard.quote).join("."), standard.quote(column), "refuse"),
    areForward: false,
    areAdded: false,
  },
  catalog: {
    columns: (path) => {
      const [table, schema, database] = path.toReversed();
      const parameters: Parameter[] = [];
      const is = (column: string, name = "") =>
        `lower(${column}) = lower(${duckdb.bind(name, parameters)})`;
      const within = [
        is("table_name", table),
        schema === undefined ? "schema_name = current_schema()" : is("schema_name", schema),
        database === undefined
          ? "database_name IN (current_database(), 'temp')"
          : is("database_name", database),
      ];
      return {
        text: `SELECT column_name AS tercet_0, data_type AS tercet_1, CASE WHEN is_nullable THEN 0 ELSE 1 END AS tercet_2, NULL AS tercet_3, CASE WHEN EXISTS (SELECT 1 FROM duckdb_views() AS v WHERE v.view_oid = table_oid AND v.view_name = table_name AND v.schema_oid = c.schema_oid) THEN 1 ELSE 0 END AS tercet_4, NULL AS tercet_5, 0 AS tercet_6, NULL AS tercet_7 FROM duckdb_columns() AS c WHERE ${within.join(" AND ")} ORDER BY column_index`,
        parameters,
      };
    },
    text: (column, { family }) =>
      `${family === "text" ? column : `CAST(${column} AS VARCHAR)`} COLLATE "C"`,
    own: ownForm,
    fault: (column, type, { family }) => {
      if (type === "strings" && family === "strings")
        return `len(${column}) <> list_count(${column})`;
      if (type === "strings") {
        const isOther = `json_type(${column}) <> 'ARRAY' OR list_distinct(json_type(${column}, '$[*]')) NOT IN ([], ['VARCHAR'])`;
        return `CASE WHEN json_valid(${column}) THEN ${isOther} ELSE TRUE END`;
      }
      return type === "json" && family !== "json" ? `NOT json_valid(${column})` : undefined;
    },
    require: requireByStandard,
  },
  // No `indexed`: its indexes only support equality, and cost more than they save if rows change often.
  ...boundRows(
    `(SELECT unnest(from_json(CAST($1 AS VARCHAR), '[["VARCHAR"]]')) AS r)`,
    (kind, i) => {
      const text = `r[${i + 1}]`;
      if (kind === "strings") return arrayOf(text);
      if (kind === "listFields") return `from_json(${text}, '"${types.listFields}"')`;
      return types[kind] === types.string ? text : `CAST(${text} AS ${types[kind]})`;
    },
  ),
};
