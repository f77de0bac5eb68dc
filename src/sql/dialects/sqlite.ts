// SQLite, 3.38 and later, in a database of encoding UTF-8. Functions on texts may end at U+0000;
// `instr` and those on blobs do not.

import type { Bound, Dialect } from "../dialect.ts";
import type { Parameter } from "../statement.ts";
import { asJson, byteLength, rowsAsJson, standard } from "./standard.ts";

const types = {
  int: "INTEGER",
  float: "REAL",
  boolean: "INTEGER",
  string: "TEXT",
  json: "TEXT",
  listFields: "TEXT",
} as const;
const blob = (text: string) => `CAST(${text} AS BLOB)`;

export const sqlite: Dialect = {
  ...standard,
  name: "sqlite",
  bind: (value: Bound, parameters: Parameter[]) => {
    parameters.push(asJson(value));
    return "?";
  },
  substring: (text, part) => `instr(${text}, ${part}) > 0`,
  prefix: (text, part, value) => `substr(${blob(text)}, 1, ${byteLength(value)}) = ${blob(part)}`,
  suffix: (text, part, value) => `substr(${blob(text)}, -${byteLength(value)}) = ${blob(part)}`,
  isIn: (value, list) => `${value} IN (SELECT value FROM json_each(${list}))`,
  toText: (int) => `CAST(${int} AS TEXT)`,
  toInt: (text) => `CAST(${text} AS INTEGER)`,
  toBytes: blob,
  setListField: (column, key, text) => `json_set(${column}, '$."${key}"', ${text ?? "NULL"})`,
  listField: (column, key) => `json_extract(${column}, '$."${key}"')`,
  declare: ({ kind, nullable }) => types[kind] + (nullable ? "" : " NOT NULL"),
  insert: ({ name, columns }, rows) => {
    const values = columns.map((_, i) => `json_extract(value, '$[${i}]')`);
    const names = columns.map((column) => standard.quote(column.name));
    return {
      text: `INSERT INTO ${name} (${names.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?)`,
      parameters: [rowsAsJson(rows)],
    };
  },
};
