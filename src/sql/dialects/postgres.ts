// PostgreSQL, 12 and later. Collation "C" is code point order in a database with encoding UTF8.

import type { Dialect, NumberForm, Parameter, StoredType } from "../dialect.ts";
import { pathOf } from "../names.ts";
import { ownForm } from "./postgres-types.ts";
import {
  asLines,
  DEFERRED,
  directionOf,
  boundRows,
  inLine,
  literal,
  nullsOf,
  pointLength,
  referring,
  requireByStandard,
  standard,
} from "./standard.ts";

const types = {
  int: "bigint",
  float: "double precision",
  boolean: "boolean",
  string: 'text COLLATE "C"',
  strings: "text[]",
  json: "text",
  listFields: "jsonb",
} as const;

const numbers = { int: "bigint", float: "double precision", decimal: "numeric" } as const;

function typeOf(value: Parameter, form: NumberForm): string {
  if (typeof value === "object") return `${typeOf(value[0] ?? "", form)}[]`;
  return typeof value === "number" ? numbers[form] : "text";
}

/**
 * The type of a column, without the domains around it: a domain may be of another domain. A column of a view may have
 * nulls even if its domain has none.
 */
const BASE = `(WITH RECURSIVE typed(oid, typmod, isrequired) AS (SELECT a.atttypid, a.atttypmod, a.attnotnull UNION ALL SELECT d.typbasetype, d.typtypmod, typed.isrequired OR d.typnotnull AND c.relkind NOT IN ('v', 'm') FROM typed JOIN pg_type AS d ON d.oid = typed.oid AND d.typtype = 'd') SELECT t.*, typed.typmod, typed.isrequired FROM typed JOIN pg_type AS t ON t.oid = typed.oid AND t.typtype <> 'd')`;

/**
 * The name of a type. Those that PostgreSQL does not come with are qualified: they may have the names of others, and
 * need not be on the search path.
 */
const TYPE_NAME = `CASE WHEN n.nspname = 'pg_catalog' THEN format_type(t.oid, t.typmod) ELSE concat(quote_ident(n.nspname), '.', quote_ident(coalesce(e.typname, t.typname)), CASE WHEN e.oid IS NOT NULL THEN '[]' END) END`;

/** Arrays of strings or of labels. A domain is of the category of its base type. */
const FAMILY = "CASE WHEN e.typcategory IN ('S', 'E') THEN 'strings' END";

/** Whether the string form of a column can be indexed: it must not depend on session settings. */
const IS_TEXT_IMMUTABLE = `(SELECT CASE WHEN p.provolatile = 'i' THEN 1 ELSE 0 END FROM pg_type AS y LEFT JOIN pg_cast AS x ON x.castsource = y.oid AND x.casttarget = 'text'::regtype AND x.castfunc <> 0 JOIN pg_proc AS p ON p.oid = coalesce(x.castfunc, y.typoutput) WHERE y.oid = t.oid)`;

/** Deterministic collations other than code point order are `equality`. */
const collationOf = (oid: string) =>
  `(SELECT CASE WHEN o.collname IN ('C', 'POSIX', 'ucs_basic', 'pg_c_utf8') THEN 'points' WHEN o.collname = 'default' AND d.datcollate IN ('C', 'POSIX') AND coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') = 'c' THEN 'points' WHEN coalesce(o.collisdeterministic, TRUE) THEN 'equality' ELSE 'other' END FROM pg_collation AS o, pg_database AS d WHERE o.oid = ${oid} AND d.datname = current_database())`;

/** The quoted name of one server's table. */
const partOf = (path: readonly string[], server: number) =>
  pathOf({ path }, server).map(standard.quote).join(".");

/** Without its own statistics, a coordinator fetches and sorts all rows before it applies the limit. */
const ESTIMATED = "use_remote_estimate 'true'";

function servedBy(server: string, remote: readonly string[]): string {
  const [table = "", schema] = remote.toReversed();
  const options = [
    ...(schema === undefined ? [] : [`schema_name ${literal(schema)}`]),
    `table_name ${literal(table)}`,
    ESTIMATED,
  ];
  return `SERVER ${standard.quote(server)} OPTIONS (${options.join(", ")})`;
}

/** The pattern for strings that end with a part. The explicit escape character works with all server settings. */
const patternOf = (part: string) =>
  `'%' || replace(replace(replace(${part}, '!', '!!'), '%', '!%'), '_', '!_')`;

/** Shorter strings have no trigram: PostgreSQL would read the whole index. */
const hasTrigram = (text: string) => pointLength(text) > 2;

/** Converts JSON to an array, with its elements in order. */
const arrayOf = (json: string) =>
  `CASE WHEN ${json} IS NOT NULL THEN ARRAY(SELECT jsonb_array_elements_text(CAST(${json} AS jsonb))) END`;

const arrays = {
  // In the form that GIN indexes on arrays support.
  has: (array: string, list: string) => `${array} && ${list}`,
  hasAll: (array: string, list: string) => `${array} @> ${list}`,
  isEmpty: (array: string) => `cardinality(${array}) = 0`,
  toJson: (array: string) => `CAST(to_json(${array}) AS text)`,
  fromJson: arrayOf,
};

export const postgres: Dialect = {
  ...standard,
  name: "postgres",
  types,
  hasNul: false,
  // A cast is not sent to foreign servers; a column is.
  hasTextColumns: true,
  virtual: {
    isVirtual: true,
    generated: (type, expression) => `${type} GENERATED ALWAYS AS (${expression}) VIRTUAL`,
  },
  booleans: ["FALSE", "TRUE"],
  decimals: "decimal",
  bind: (value, parameters, form = "int") => `$${parameters.push(value)}::${typeOf(value, form)}`,
  substring: (text, part) => `strpos(${text}, ${part}) > 0`,
  prefix: (text, part) => `starts_with(${text}, ${part})`,
  suffix: (text, part) => `right(${text}, length(${part})) = ${part}`,
  // LIKE finds candidates by trigrams; the predicate then checks them.
  substrings: {
    extension: "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    using: (text) => `USING gin ((${text}) gin_trgm_ops)`,
    substring: (text, part, value) => {
      const found = postgres.substring(text, part, value);
      return hasTrigram(value)
        ? `(${found} AND ${text} LIKE ${patternOf(part)} || '%' ESCAPE '!')`
        : found;
    },
    suffix: (text, part, value) => {
      const found = postgres.suffix(text, part, value);
      return hasTrigram(value)
        ? `(${found} AND ${text} LIKE ${patternOf(part)} ESCAPE '!')`
        : found;
    },
  },
  isIn: (value, list) => `${value} = ANY(${list})`,
  strings: arrays,
  toText: (int) => `CAST(${int} AS text)`,
  toInt: (text) => `CASE WHEN ${text} ~ '^-?[0-9]{1,16}$' THEN CAST(${text} AS bigint) END`,
  toBytes: (text) => `convert_to(${text}, 'UTF8')`,
  setListField: (column, key, text) =>
    `(${column} || jsonb_build_object('${key}', ${text ?? "CAST(NULL AS text)"}))`,
  listField: (column, key) => `(${column} ->> '${key}')`,
  toFloat: (number) => `CAST(${number} AS double precision)`,
  ordered: (value, type) =>
    type === "string" && !value.endsWith(' COLLATE "C"') ? `${value} COLLATE "C"` : value,
  indexed: ({ value, type, isExpression, sorted, isCompared, isByPoint }) => {
    if (isCompared) return isExpression ? `(${value})` : value;
    const collated = isByPoint ? value : postgres.ordered(value, type);
    const nulls = nullsOf(sorted?.order ?? "ASC", sorted?.isNotNull);
    return `${isExpression ? `(${collated})` : collated}${directionOf(sorted)}${nulls}`;
  },
  // Of type json, which has no numbers for places in arrays, and takes any escapes.
  atPath: (json, names, type) => {
    const value = `(CAST(${json} AS json)${names.map((name) => ` -> ${literal(name)}`).join("")})`;
    const text = `(${value} #>> '{}')`;
    const byType: Readonly<Record<StoredType, readonly [held: string, read: string]>> = {
      int: ["number", `CAST(CAST(${text} AS numeric) AS bigint)`],
      float: ["number", `CAST(${text} AS double precision)`],
      boolean: ["boolean", `CAST(${text} AS boolean)`],
      string: ["string", text],
      strings: ["", ""],
      json: ["", ""],
    };
    const [held, read] = byType[type];
    // It has no function for arrays, and no subqueries in generated columns.
    return held === "" ? undefined : `CASE json_typeof(${value}) WHEN '${held}' THEN ${read} END`;
  },
  spread: (declared, { name, path, remote, servers, by }) => [
    `CREATE TABLE ${name} (${declared}) PARTITION BY HASH (${by.map(standard.quote).join(", ")})`,
    ...servers.map((server, i) => {
      const within = `PARTITION OF ${name} FOR VALUES WITH (MODULUS ${servers.length}, REMAINDER ${i})`;
      return `CREATE FOREIGN TABLE ${partOf(path, i)} ${within} ${servedBy(server, remote)}`;
    }),
  ],
  foreignKeys: {
    references: ({ to, column, onRemove }) =>
      referring(to.map(standard.quote).join("."), standard.quote(column), onRemove) + DEFERRED,
    areForward: false,
    areAdded: true,
  },
  catalog: {
    // The collation "default" is that of the database; C orders by code point.
    columns: (_path, name) => ({
      text: `SELECT a.attname AS tercet_0, ${TYPE_NAME} AS tercet_1, CASE WHEN t.isrequired THEN 1 ELSE 0 END AS tercet_2, ${collationOf("a.attcollation")} AS tercet_3, CASE WHEN c.relkind IN ('v', 'm', 'f') THEN 1 ELSE 0 END AS tercet_4, (SELECT json_agg(l.enumlabel ORDER BY l.enumsortorder)::text FROM pg_enum AS l WHERE l.enumtypid = t.oid) AS tercet_5, ${IS_TEXT_IMMUTABLE} AS tercet_6, ${FAMILY} AS tercet_7 FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid CROSS JOIN LATERAL ${BASE} AS t JOIN pg_namespace AS n ON n.oid = t.typnamespace LEFT JOIN pg_type AS e ON e.oid = t.typelem AND t.typcategory = 'A' WHERE a.attrelid = to_regclass($1::text) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
      parameters: [name],
    }),
    indexes: (_path, name) => ({
      text: `SELECT i.indexrelid::regclass::text AS tercet_0, CASE WHEN i.indisunique THEN CASE WHEN to_jsonb(i) ->> 'indnullsnotdistinct' = 'true' THEN 2 ELSE 1 END ELSE 0 END AS tercet_1, a.attname AS tercet_2, i.indoption[k] & 1 AS tercet_3, (i.indoption[k] >> 1) & 1 AS tercet_4, ${collationOf("i.indcollation[k]")} AS tercet_5, CASE WHEN i.indkey[k] = 0 THEN pg_get_indexdef(i.indexrelid, k + 1, FALSE) END AS tercet_6 FROM pg_index AS i CROSS JOIN generate_series(0, i.indnkeyatts - 1) AS k JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_am AS m ON m.oid = c.relam AND m.amname = 'btree' LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k] AND i.indkey[k] <> 0 WHERE i.indrelid = to_regclass($1::text) AND i.indisvalid AND i.indpred IS NULL ORDER BY i.indexrelid, k`,
      parameters: [name],
    }),
    foreignKeys: (from, to) => ({
      text: "SELECT a.attname AS tercet_0, b.attname AS tercet_1, CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END AS tercet_2 FROM pg_constraint AS k JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1] JOIN pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1] WHERE k.contype = 'f' AND cardinality(k.conkey) = 1 AND k.conrelid = to_regclass($1::text) AND k.confrelid = to_regclass($2::text)",
      parameters: [from.name, to.name],
    }),
    indexNames: (_path, name) => ({
      text: "SELECT relname AS tercet_0 FROM pg_class WHERE relnamespace = (SELECT c.relnamespace FROM pg_class AS c WHERE c.oid = to_regclass($1::text))",
      parameters: [name],
    }),
    // The string form of a padded string has no padding.
    text: (column, { type, family, collation }) => {
      if (family === "text" && /^(?:text|character varying)/.test(type)) {
        return collation === "other" ? `${column} COLLATE "C"` : column;
      }
      return `CAST(${column} AS text) COLLATE "C"`;
    },
    own: ownForm,
    strings: (column, { type, collation }) => {
      const [, element] = /^(text|character varying)(?:\(\d+\))?\[\]$/.exec(type) ?? [];
      const folded = collation === "other" ? ' COLLATE "C"' : "";
      if (element === undefined || folded !== "") {
        return { ...arrays, value: `CAST(${column} AS text[])${folded}` };
      }
      // Arrays are compared only with arrays of their own type, by whose indexes they are found.
      const own = (list: string) => (element === "text" ? list : `CAST(${list} AS ${element}[])`);
      const has = (array: string, list: string) => arrays.has(array, own(list));
      const hasAll = (array: string, list: string) => arrays.hasAll(array, own(list));
      return { ...arrays, value: column, has, hasAll };
    },
    // The index of a citext or padded column only serves comparisons with a value of the column's own type.
    likeness: ({ type, family }) => {
      const own = family === "citext" ? type : type.startsWith("character(") ? "bpchar" : undefined;
      if (family !== "text" && family !== "citext") return undefined;
      if (own === undefined) return {};
      return {
        bind: (placeholder) => `CAST(${placeholder} AS ${own})`,
        bindList: (placeholder) => `CAST(${placeholder} AS ${own}[])`,
      };
    },
    wholeText: (column, { scale }) =>
      scale === 0
        ? postgres.toText(column)
        : `CAST(CASE WHEN ${column} = trunc(${column}) THEN trunc(${column}) ELSE ${column} END AS text)`,
    // A decimal outside the range of doubles can't be cast.
    fault: (column, type, { type: json, family, precision }) => {
      if (type === "strings" && family === "strings") {
        return `array_ndims(${column}) > 1 OR array_position(${column}, NULL) IS NOT NULL`;
      }
      if (type === "strings" && family === "json") {
        const hasOther = `EXISTS (SELECT 1 FROM ${json}_array_elements(${column}) AS e WHERE ${json}_typeof(e.value) <> 'string')`;
        return `CASE WHEN ${json}_typeof(${column}) = 'array' THEN ${hasOther} ELSE ${column} IS NOT NULL END`;
      }
      if (family !== "decimal" || precision !== undefined) return undefined;
      if (type === "int") return `${column} <> trunc(${column})`;
      return type === "float" ? `${column} <> 0 AND abs(${column}) < 5e-324` : undefined;
    },
    isIndexable: ({ isTextImmutable }) => isTextImmutable,
    require: requireByStandard,
  },
  copy: ({ name, columns }, rows) => ({
    text: `COPY ${name} (${columns.map((column) => standard.quote(column.name)).join(", ")}) FROM STDIN`,
    parameters: [],
    data: asLines(rows, (cell) => inLine(typeof cell === "string" ? cell : JSON.stringify(cell))),
  }),
  ...boundRows("jsonb_array_elements($1::jsonb) AS r", (kind, i) => {
    const text = `(r ->> ${i})`;
    if (kind === "strings") return arrayOf(text);
    return kind === "string" ? text : `${text}::${types[kind]}`;
  }),
};
