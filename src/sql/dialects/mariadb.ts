// MariaDB, 10.6 and later. Its string columns use utf8mb4_nopad_bin: by code point, without the padding of other
// collations.

import type {
  ColumnKind,
  Dialect,
  IndexColumn,
  NativeType,
  OwnForm,
  StoredType,
} from "../dialect.ts";
import { timeForm, uuidForm } from "../own-form.ts";
import {
  besides,
  directionOf,
  boundRows,
  jsonPath,
  pointLength,
  quoted,
  referring,
  standard,
} from "./standard.ts";

const NAME = "utf8mb4_nopad_bin";
const COLLATION = `COLLATE ${NAME}`;
/** The schema of a table: the connection's, if none is named. */
const SCHEMA = ({ length }: readonly string[]) => (length > 1 ? "?" : "DATABASE()");
const text = `LONGTEXT CHARACTER SET utf8mb4 ${COLLATION}`;
const types = {
  int: "BIGINT",
  float: "DOUBLE",
  boolean: "BOOLEAN",
  string: text,
  strings: text,
  json: text,
  listFields: text,
} as const;
const quote = quoted("`");

/** An index covers only the first characters of a string: so many, and fewer if it has several strings. */
const INDEXED_CHARACTERS = 191;
/** How many characters of strings an index may have: with numbers beside them, few enough for each storage engine. */
const MOST_INDEXED_CHARACTERS = 240;

/** An integer without zeros in front, which years and ZEROFILL columns have in their strings. */
const plainInteger = (column: string, { type }: NativeType) =>
  /zerofill|^year/i.test(type) ? `(${column} + 0)` : column;

/** Compared with a year, a number of at most two digits would stand for one: 8 for 2008. */
const comparedNumber = (column: string, { type }: NativeType) =>
  /^year/i.test(type) ? `(${column} + 0)` : column;

/** The elements of a JSON array as rows of `e`, of which only those in another one are selected. */
const among = (array: string, list: string) =>
  `JSON_TABLE(${array}, '$[*]' COLUMNS (v ${text} PATH '$')) AS e WHERE e.v IN (SELECT v FROM JSON_TABLE(${list}, '$[*]' COLUMNS (v ${text} PATH '$')) AS listed)`;

const inText = (column: string) => `(CONVERT(${column} USING utf8mb4) ${COLLATION})`;

/** Any month and day may be zero, and so may the year. */
const isDate = (text: string) =>
  /^\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])$/.test(text) && !hasNoDay(text);

/** Whether it names a day that its month lacks. */
function hasNoDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  return month > 0 && day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

/**
 * Types that are compared in their own order, by their indexes. Points in time are not among them: when clocks are set
 * back, two of them have one string.
 */
function ownForm({ type, family, precision = 0 }: NativeType): OwnForm | undefined {
  const form = { text: inText, bind: (placeholder: string) => placeholder };
  // They sort by their last parts first.
  if (family === "uuid") return { ...uuidForm, ...form, isOrdered: false };
  const dates = { ...form, isOrdered: true, lowest: "0000-00-00", cuts: [4, 7] };
  if (family === "date") return { ...dates, isCanonical: isDate };
  if (!/^datetime/i.test(type)) return undefined;
  const { isCanonical, lowest } = timeForm(precision);
  return {
    ...dates,
    lowest: `${dates.lowest} ${lowest}`,
    cuts: [4, 7, 10, 13, 16, 19],
    isCanonical: (text) =>
      isDate(text.slice(0, 10)) &&
      text[10] === " " &&
      !text.startsWith("24", 11) &&
      isCanonical(text.slice(11)),
  };
}

/** A statement can have at most 65,535 parameters; the rest is for other criteria. */
const MOST_PLACEHOLDERS = 60_000;

/** A string column made by tercet has any length. */
const indexableOf = ({ type, indexable }: Pick<IndexColumn, "type" | "indexable">) =>
  indexable ?? { characters: type === "string" ? Infinity : 0, isWhole: type !== "string" };

export const mariadb: Dialect = {
  ...standard,
  name: "mariadb",
  types,
  quote,
  quoteColumn: quote,
  // Compared with an integer or a decimal, a bare number is rounded to the type of the column when an index is used.
  bind: (value, parameters, form) => {
    const bound = standard.bind(value, parameters);
    return typeof value === "number" && form !== "int" ? `CAST(${bound} AS DOUBLE)` : bound;
  },
  decimals: "decimal",
  atPath: (json, names, type) => {
    const path = jsonPath(names);
    if (path === undefined) return undefined;
    const value = `JSON_EXTRACT(${json}, ${path})`;
    const bare = `JSON_UNQUOTE(${value})`;
    const byType: Readonly<Record<StoredType, readonly [held: string, read: string]>> = {
      int: ["'INTEGER'", `CAST(${bare} AS SIGNED)`],
      float: ["'INTEGER', 'DOUBLE'", `CAST(${bare} AS DOUBLE)`],
      boolean: ["'BOOLEAN'", `${bare} = 'true'`],
      string: ["'STRING'", bare],
      strings: ["'ARRAY'", value],
      json: ["'OBJECT'", value],
    };
    const [held, read] = byType[type];
    return `CASE WHEN JSON_TYPE(${value}) IN (${held}) THEN ${read} END`;
  },
  substring: (value, part) => `LOCATE(${part}, ${value}) > 0`,
  prefix: (value, part, whole) => `LEFT(${value}, ${pointLength(whole)}) = ${part}`,
  suffix: (value, part, whole) => `RIGHT(${value}, ${pointLength(whole)}) = ${part}`,
  isIn: (value, list, type) =>
    `${value} IN (SELECT v FROM JSON_TABLE(${list}, '$[*]' COLUMNS (v ${types[type]} PATH '$')) AS listed)`,
  // Not a subquery: within an OR, MariaDB caches its results by the column's value, and values that are equal in the
  // column's collation share a result, even though the subquery compares code points.
  isAlike: (column, texts, parameters) =>
    parameters.length + texts.length > MOST_PLACEHOLDERS
      ? true
      : `${column} IN (${texts.map((text) => standard.bind(text, parameters)).join(", ")})`,
  strings: {
    has: (array, list) => `EXISTS (SELECT 1 FROM ${among(array, list)})`,
    hasAll: (array, list, count) =>
      `(SELECT COUNT(DISTINCT e.v) FROM ${among(array, list)}) = ${count}`,
    isEmpty: (array) => `JSON_LENGTH(${array}) = 0`,
  },
  toText: (int) => `(CAST(${int} AS CHAR CHARACTER SET utf8mb4) ${COLLATION})`,
  update: (table, assignments, where, rows) =>
    `UPDATE ${table}${rows === undefined ? "" : `, ${besides(table, rows)}`} SET ${assignments} WHERE ${where}`,
  toInt: (value) => `CAST(${value} AS SIGNED)`,
  toBytes: (value) => `CAST(${value} AS BINARY)`,
  setListField: (column, key, text) => `JSON_SET(${column}, '$."${key}"', ${text ?? "NULL"})`,
  listField: (column, key) => `(JSON_VALUE(${column}, '$."${key}"') ${COLLATION})`,
  // Nulls sort below every value anyway, and MariaDB has no syntax to say so. When it sorts for a short page, it treats
  // a string as equal to one with U+0000 appended, so ties are decided by length.
  orderBy: (ordered, type, order) =>
    `${ordered} ${order}${type === "string" ? `, LENGTH(${ordered}) ${order}` : ""}`,
  // Without it, only the first 1,024 bytes of a string are compared. The sort buffer needs room for several rows with
  // the longest strings of each sort field.
  query: (select) => `SET STATEMENT max_sort_length=65536, sort_buffer_size=16777216 FOR ${select}`,
  isKey: (type) => type !== "string",
  // Expressions of generated columns are stored in the character set of the table.
  keyOf(table) {
    return `${standard.keyOf.call(this, table)} CHARACTER SET utf8mb4`;
  },
  foreignKeys: {
    // Strings of any length have no index that a foreign key could use.
    references: ({ to, column, type, onRemove }) =>
      type === "string" ? undefined : referring(to.map(quote).join("."), quote(column), onRemove),
    areForward: false,
    areAdded: true,
  },
  catalog: {
    columns: (path) => ({
      text: `SELECT column_name AS tercet_0, column_type AS tercet_1, CASE WHEN is_nullable = 'NO' THEN 1 ELSE 0 END AS tercet_2, CASE WHEN collation_name = '${NAME}' THEN 'points' WHEN collation_name LIKE 'utf8mb4%' THEN 'other' END AS tercet_3, (SELECT CASE WHEN t.table_type LIKE '%VIEW' THEN 1 ELSE 0 END FROM information_schema.tables AS t WHERE t.table_schema = c.table_schema AND t.table_name = c.table_name) AS tercet_4, NULL AS tercet_5, 0 AS tercet_6, NULL AS tercet_7 FROM information_schema.columns AS c WHERE table_name = ? AND table_schema = ${SCHEMA(path)} ORDER BY ordinal_position`,
      parameters: path.toReversed(),
    }),
    foreignKeys: ({ path: from }, { path: to }) => ({
      text: `SELECT max(k.column_name) AS tercet_0, max(k.referenced_column_name) AS tercet_1, max(r.delete_rule) AS tercet_2 FROM information_schema.key_column_usage AS k JOIN information_schema.referential_constraints AS r ON r.constraint_schema = k.constraint_schema AND r.constraint_name = k.constraint_name AND r.table_name = k.table_name WHERE k.table_name = ? AND k.table_schema = ${SCHEMA(from)} AND k.referenced_table_name = ? AND k.referenced_table_schema = ${SCHEMA(to)} GROUP BY k.constraint_name HAVING count(*) = 1`,
      parameters: [...from.toReversed(), ...to.toReversed()],
    }),
    indexNames: (path) => ({
      text: `SELECT index_name AS tercet_0 FROM information_schema.statistics WHERE table_name = ? AND table_schema = ${SCHEMA(path)}`,
      parameters: path.toReversed(),
    }),
    // Uniqueness of long strings uses a hash index, which no query uses.
    indexes: (path) => ({
      text: `SELECT index_name AS tercet_0, CASE WHEN index_type = 'HASH' THEN 3 ELSE 1 - non_unique END AS tercet_1, column_name AS tercet_2, CASE WHEN collation = 'D' THEN 1 ELSE 0 END AS tercet_3, CASE WHEN collation = 'D' THEN 0 ELSE 1 END AS tercet_4, CASE WHEN sub_part IS NULL THEN 'points' ELSE 'other' END AS tercet_5, NULL AS tercet_6 FROM information_schema.statistics WHERE table_name = ? AND table_schema = ${SCHEMA(path)} AND (index_type = 'BTREE' OR index_type = 'HASH' AND non_unique = 0) ORDER BY index_name, seq_in_index`,
      parameters: path.toReversed(),
    }),
    text: (column, { family, collation }) =>
      family === "text" && collation === "points" ? column : inText(column),
    own: ownForm,
    // A string that the character set of the column lacks can't be compared with it.
    likeness: ({ family, collation }) => (family === "text" && collation !== null ? {} : undefined),
    integer: plainInteger,
    number: comparedNumber,
    indexable: ({ type, family }) => {
      const [, length] = /^(?:var)?char\((\d+)\)/i.exec(type) ?? [];
      if (length !== undefined) return { characters: Number(length), isWhole: true };
      // TINYTEXT has at most 255 bytes.
      const characters = /^tiny/i.test(type) ? 63 : Infinity;
      return family === "text" ? { characters, isWhole: false } : { characters: 0, isWhole: true };
    },
    // No `require`, because MODIFY drops properties that it does not repeat, such as the default.
    fault: (column, type) => {
      if (type === "json") return `NOT JSON_VALID(${column})`;
      return type === "strings"
        ? `CASE WHEN NOT JSON_VALID(${column}) THEN 1 WHEN JSON_TYPE(${column}) <> 'ARRAY' THEN 1 ELSE EXISTS (SELECT 1 FROM JSON_TABLE(${column}, '$[*]' COLUMNS (tercet_0 FOR ORDINALITY)) AS e WHERE JSON_TYPE(JSON_EXTRACT(${column}, CONCAT('$[', e.tercet_0 - 1, ']'))) <> 'STRING') END`
        : undefined;
    },
  },
  // It has no indexes on expressions.
  indexed: ({ value, isExpression, sorted, ...column }, columns) => {
    if (isExpression) return undefined;
    const texts = columns.filter((each) => indexableOf(each).characters > 0).length;
    const share = Math.min(INDEXED_CHARACTERS, Math.floor(MOST_INDEXED_CHARACTERS / texts));
    const { characters, isWhole } = indexableOf(column);
    // A prefix must not be longer than the column, and a number has none.
    const isPrefix = characters > share || !isWhole;
    const length = isPrefix ? `(${Math.min(characters, share)})` : "";
    return `${value}${length}${directionOf(sorted)}`;
  },
  ...boundRows(
    (columns) => {
      const typeOf = (kind: ColumnKind) => types[kind === "boolean" ? "string" : kind];
      const declared = columns.map(({ kind }, i) => `c${i} ${typeOf(kind)} PATH '$[${i}]'`);
      return `JSON_TABLE(?, '$[*]' COLUMNS (${declared.join(", ")})) AS r`;
    },
    (kind, i) => `c${i}${kind === "boolean" ? " = 'true'" : ""}`,
  ),
};
