// MariaDB, 10.6 and later. The texts of its columns are in utf8mb4_nopad_bin: by code point, and
// without the spaces that other collations pad with.

import type { Bound, Dialect } from "../dialect.ts";
import type { Parameter } from "../statement.ts";
import { asJson, indexStatement, pointLength, quoted, rowsAsJson, standard } from "./standard.ts";

const COLLATION = "COLLATE utf8mb4_nopad_bin";
const text = `LONGTEXT CHARACTER SET utf8mb4 ${COLLATION}`;
const types = {
  int: "BIGINT",
  float: "DOUBLE",
  boolean: "BOOLEAN",
  string: text,
  json: text,
  listFields: text,
} as const;
const quote = quoted("`");

/** Of a text, an index takes the first characters alone. */
const INDEXED_CHARACTERS = 191;

export const mariadb: Dialect = {
  ...standard,
  name: "mariadb",
  quote,
  bind: (value: Bound, parameters: Parameter[]) => {
    parameters.push(asJson(value));
    return "?";
  },
  substring: (value, part) => `LOCATE(${part}, ${value}) > 0`,
  prefix: (value, part, whole) => `LEFT(${value}, ${pointLength(whole)}) = ${part}`,
  suffix: (value, part, whole) => `RIGHT(${value}, ${pointLength(whole)}) = ${part}`,
  isIn: (value, list, type) =>
    `${value} IN (SELECT v FROM JSON_TABLE(${list}, '$[*]' COLUMNS (v ${types[type]} PATH '$')) AS listed)`,
  toText: (int) => `(CAST(${int} AS CHAR CHARACTER SET utf8mb4) ${COLLATION})`,
  toInt: (value) => `CAST(${value} AS SIGNED)`,
  toBytes: (value) => `CAST(${value} AS BINARY)`,
  setListField: (column, key, text) => `JSON_SET(${column}, '$."${key}"', ${text ?? "NULL"})`,
  listField: (column, key) => `(JSON_VALUE(${column}, '$."${key}"') ${COLLATION})`,
  // `null` is lower than every value anyway, and there is no way to say so. Where it sorts for a short
  // page, it takes a text for equal to another that only has U+0000 behind it: that is the longer one.
  orderBy: (value, type, order) =>
    `${value} ${order}${type === "string" ? `, LENGTH(${value}) ${order}` : ""}`,
  // Without it only the first 1,024 bytes of a text are compared.
  query: (select) => `SET STATEMENT max_sort_length=65536 FOR ${select}`,
  declare: ({ kind, nullable }) => types[kind] + (nullable ? "" : " NOT NULL"),
  // It has no indexes on expressions.
  index: (definition) =>
    definition.columns.some(({ isExpression }) => isExpression)
      ? undefined
      : indexStatement(definition, ({ value, type }) =>
          type === "string" ? `${value}(${INDEXED_CHARACTERS})` : value,
        ),
  insert: ({ name, columns }, rows) => {
    const declared = columns.map(({ kind }, i) => `c${i} ${types[kind]} PATH '$[${i}]'`);
    const names = columns.map((column) => quote(column.name));
    return {
      text: `INSERT INTO ${name} (${names.join(", ")}) SELECT * FROM JSON_TABLE(?, '$[*]' COLUMNS (${declared.join(", ")})) AS r`,
      parameters: [rowsAsJson(rows)],
    };
  },
};
