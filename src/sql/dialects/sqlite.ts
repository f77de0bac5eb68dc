// SQLite, 3.38 and later, in a database of encoding UTF-8. Functions on texts may end at U+0000;
// `instr` and those on blobs do not.

import type { Dialect } from "../dialect.ts";
import { byteLength, directionOf, boundRows, standard } from "./standard.ts";

const types = {
  int: "INTEGER",
  float: "REAL",
  boolean: "INTEGER",
  string: "TEXT",
  json: "TEXT",
  listFields: "TEXT",
} as const;
/** A table, and the database that it is in. */
const asked = ({ length }: readonly string[]) => Array.from({ length }, () => "?").join(", ");

const blob = (text: string) => `CAST(${text} AS BLOB)`;

export const sqlite: Dialect = {
  ...standard,
  name: "sqlite",
  types,
  decimals: undefined,
  toFloat: (number) => `CAST(${number} AS REAL)`,
  substring: (text, part) => `instr(${text}, ${part}) > 0`,
  prefix: (text, part, value) => `substr(${blob(text)}, 1, ${byteLength(value)}) = ${blob(part)}`,
  suffix: (text, part, value) => `substr(${blob(text)}, -${byteLength(value)}) = ${blob(part)}`,
  isIn: (value, list) => `${value} IN (SELECT value FROM json_each(${list}))`,
  toText: (int) => `CAST(${int} AS TEXT)`,
  toInt: (text) => `CAST(${text} AS INTEGER)`,
  toBytes: blob,
  setListField: (column, key, text) => `json_set(${column}, '$."${key}"', ${text ?? "NULL"})`,
  listField: (column, key) => `json_extract(${column}, '$."${key}"')`,
  indexed: ({ value, type, isExpression, sorted, isCompared }) => {
    const collation = type === "string" && isCompared !== undefined ? " COLLATE BINARY" : "";
    return `${isExpression ? `(${value})` : value}${collation}${directionOf(sorted)}`;
  },
  catalog: {
    // The catalog has no collations.
    columns: (path) => ({
      text: `SELECT name AS tercet_0, type AS tercet_1, "notnull" OR pk > 0 AS tercet_2, NULL AS tercet_3, (SELECT max(l.type = 'view') FROM pragma_table_list(?) AS l${path.length > 1 ? " WHERE l.schema = ?" : ""}) AS tercet_4 FROM pragma_table_xinfo(${asked(path)}) ORDER BY cid`,
      parameters: [...path.toReversed(), ...path.toReversed()],
    }),
    // A key of one integer is that of the table itself, which is in no list of indexes.
    indexes: (path) => {
      const table = path.toReversed();
      const own = `SELECT name, pk, type FROM pragma_table_xinfo(${asked(path)}) WHERE pk`;
      return {
        text: `SELECT l.name AS tercet_0, l."unique" AS tercet_1, m.name AS tercet_2, m."desc" AS tercet_3, 1 - m."desc" AS tercet_4, CASE WHEN m.coll = 'BINARY' THEN 'points' ELSE 'other' END AS tercet_5 FROM pragma_index_list(${asked(path)}) AS l, pragma_index_xinfo(l.name${path.length > 1 ? ", ?" : ""}) AS m WHERE m.key AND NOT l.partial UNION ALL SELECT '', 1, max(name), 0, 1, 'points' FROM (${own}) HAVING count(*) = 1 AND upper(max(type)) = 'INTEGER'`,
        parameters: [...table, ...table.slice(1), ...table],
      };
    },
    text: (column, { family }) =>
      `${family === "text" || family === "other" ? column : `CAST(${column} AS TEXT)`} COLLATE BINARY`,
  },
  ...boundRows(
    "json_each(?)",
    (kind, i) => `json_extract(value, '$[${i}]')${kind === "boolean" ? " = 'true'" : ""}`,
  ),
  // Its planner would read all rows anew for each row of the table.
  rows: undefined,
};
