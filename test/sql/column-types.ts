// The column types of engines, with values of each as literals: `tame` ones, and `nasty` ones that are difficult for
// some fields or engines.

import type { DialectName } from "../../src/sql/index.ts";

export interface ColumnType {
  readonly type: string;
  readonly tame: readonly string[];
  readonly nasty: readonly string[];
  /** The fields that its tame values may be in. */
  readonly fields: string;
  /** What a string field has of the tame values. */
  readonly strings?: readonly string[];
}

const of = (
  type: string,
  fields: string,
  tame: readonly string[],
  nasty: readonly string[] = [],
  strings?: readonly string[],
): ColumnType => ({ type, fields, tame, nasty, ...(strings === undefined ? {} : { strings }) });

const TEXTS = ["''", "'a'", "'A'", "'b '", "'10'", "'9'", "'é'", "'😀'", "'\uffff'"];
const JSONS = ["'[1, 2]'", "'{\"a\": null}'", "'\"x\"'", "'1.50'"];
const UUIDS = [
  "'00000000-0000-0000-0000-000000000000'",
  "'ffffffff-FFFF-ffff-ffff-ffffffffffff'",
  "'80000000-0000-4000-8000-00000000000A'",
];
const uuids = [
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "80000000-0000-4000-8000-00000000000a",
];
const DATES = ["'0001-01-01'", "'2024-02-29'", "'9999-12-31'"];
const dates = ["0001-01-01", "2024-02-29", "9999-12-31"];
const STAMPS = ["'0001-01-01 00:00:00'", "'2024-02-29 23:59:59.5'", "'2024-02-29 23:59:59.500001'"];
const INFINITE = ["'infinity'", "'-infinity'"];
const ARRAYS = ["'{}'", "'{a,b}'", "'{A}'", "'{b,\"\",a}'"];
const FLOATS = ["'NaN'", "'Infinity'", "'-Infinity'", "5e-324", "1.7976931348623157e308", "-0.0"];

export const COLUMN_TYPES: Readonly<Partial<Record<DialectName, readonly ColumnType[]>>> = {
  postgres: [
    of("smallint", "int float string", ["-1", "0", "32767"]),
    of("integer", "int float string", ["-1", "0", "2147483647"]),
    of(
      "bigint",
      "int float string",
      ["-1", "9007199254740991"],
      ["9007199254740993", "9007199254740992", "-9223372036854775808"],
    ),
    of(
      "numeric",
      "int float string",
      ["-1", "3.0", "10", "9"],
      ["3.5", "'NaN'", "1e400", "1e-400", "12345678901234567890.123", "'Infinity'"],
    ),
    of("numeric(12, 2)", "float string", ["3", "0.10", "-12.5"], ["'NaN'"]),
    of(
      "numeric(38, 10)",
      "float string",
      ["3", "0.1"],
      ["1234567890123456.1234567890", "1234567890123456.1234567891"],
    ),
    of(
      "real",
      "float string",
      ["0.1", "2"],
      FLOATS.filter((each) => !each.includes("e")),
    ),
    of("double precision", "float string", ["0.1", "1e300"], FLOATS),
    of("boolean", "boolean string", ["TRUE", "FALSE"]),
    of("text", "string strings json", TEXTS, [], undefined),
    of("text COLLATE folding", "string strings json", TEXTS),
    of('varchar(9) COLLATE "en-x-icu"', "string strings json", TEXTS),
    of("char(4)", "string strings json", TEXTS),
    of("short", "string strings json", TEXTS),
    of("name", "string", TEXTS),
    of('"char"', "string", ["'a'", "'b'"], ["''"]),
    of("citext", "string", TEXTS),
    of("uuid", "string", UUIDS, [], uuids),
    of(
      "mood",
      "string",
      ["'sad'", "'ok'", "'Happy'", "'it''s'"],
      [],
      ["sad", "ok", "Happy", "it's"],
    ),
    of("size", "string", ["'A'", "'B'", "'a'", "'é'"], [], ["A", "B", "a", "é"]),
    of("date", "string", DATES, [...INFINITE, "'0044-03-15 BC'", "'10000-01-01'"], dates),
    of("day", "string", DATES, INFINITE, dates),
    of(
      "timestamp",
      "string",
      STAMPS,
      [...INFINITE, "'0044-03-15 BC'", "'20000-01-01'"],
      ["0001-01-01T00:00:00.000000", "2024-02-29T23:59:59.500000", "2024-02-29T23:59:59.500001"],
    ),
    of("timestamp(0)", "string", STAMPS.slice(0, 1), STAMPS, ["0001-01-01T00:00:00"]),
    of(
      "timestamptz",
      "string",
      ["'2024-02-29 23:30:00+02'", "'0001-01-01 00:00:00Z'"],
      [...INFINITE, "'0001-01-01 00:00:00+01'", "'0044-03-15 BC'"],
      ["2024-02-29T21:30:00.000000Z", "0001-01-01T00:00:00.000000Z"],
    ),
    of("timestamptz(3)", "string", ["'2024-02-29 23:30:00.125+02'"], INFINITE, [
      "2024-02-29T21:30:00.125Z",
    ]),
    of(
      "time",
      "string",
      ["'00:00'", "'23:59:59.25'", "'24:00:00'"],
      [],
      ["00:00:00.000000", "23:59:59.250000", "24:00:00.000000"],
    ),
    of("time(0)", "string", ["'00:00'", "'12:30:01'"], [], ["00:00:00", "12:30:01"]),
    of("timetz", "string", ["'12:00+01'", "'11:00+00'"]),
    of("interval", "string", ["'1 day'", "'24:00'", "'1 mon'"]),
    of("json", "string json", JSONS),
    of("jsonb", "string json", JSONS),
    of("shorter", "string strings json", TEXTS),
    of("feeling", "string", ["'sad'", "'Happy'"], [], ["sad", "Happy"]),
    of("feelings", "string", ["'sad'", "'Happy'"], [], ["sad", "Happy"]),
    of("arrival", "string", ["'2024-02-29 23:30:00.125+02'"], INFINITE, [
      "2024-02-29T21:30:00.125Z",
    ]),
    of("cents", "float string", ["3", "0.10", "-12.5"], ["'NaN'"]),
    of("whole", "int float string", ["3", "-12"]),
    // The name of another engine's type.
    of("number", "string", ["ROW(7)", "ROW(-1)"]),
    ...["text[]", "varchar(9)[]", "short[]", "shorter[]", "tags", "labels", "citext[]"].map(
      (type) => of(type, "string strings", ARRAYS, ["'{NULL}'", "'{{a},{b}}'"]),
    ),
    of("text[] COLLATE folding", "string strings", ARRAYS, ["'{NULL}'"]),
    of("char(3)[]", "string strings", ["'{}'", "'{a,b}'", "'{abc}'"]),
    of("mood[]", "string strings", ["'{}'", "'{sad,ok}'", "'{Happy}'"], ["'{NULL}'"]),
    of("feelings[]", "string strings", ["'{}'", "'{sad,ok}'", "'{Happy}'"], ["'{NULL}'"]),
    of("integer[]", "string", ["'{1,2}'", "'{10}'"]),
    of("uuid[]", "string", [`'{${uuids[0] ?? ""}}'`]),
    of("bytea", "string", ["'\\x00ff'", "'abc'"]),
    of("inet", "string", ["'10.0.0.1'", "'9.0.0.1/8'"]),
    of("money", "string", ["1.5", "-2"]),
    of("bit(3)", "string", ["B'101'", "B'011'"]),
    of("int4range", "string", ["'[1,5)'", "'empty'"]),
    of("daterange", "string", ["'[2024-01-01,2024-02-01)'"]),
    of("tsvector", "string", ["'a b'"]),
    of("point", "string", ["'(1,2)'"]),
    of("jsonpath", "string", ["'$.a'"]),
    of("oid", "string", ["7", "4000000000"]),
  ],
  duckdb: [
    of("TINYINT", "int float boolean string", ["0", "1"], ["2", "-1"]),
    of("INTEGER", "int float string", ["-1", "2147483647"]),
    of(
      "BIGINT",
      "int float string",
      ["-1", "9007199254740991"],
      ["9007199254740992", "9007199254740993", "-9223372036854775808"],
    ),
    of("UBIGINT", "int float string", ["7", "9007199254740991"], ["18446744073709551615"]),
    of("HUGEINT", "int float string", ["7", "-8"], ["170141183460469231731687303715884105727"]),
    of("DECIMAL(18, 0)", "int float string", ["7", "-8"], ["999999999999999999"]),
    of("DECIMAL(12, 2)", "float string", ["7.50", "-8"]),
    of(
      "DECIMAL(38, 10)",
      "float string",
      ["7.5"],
      ["1234567890123456.1234567890", "1234567890123456.1234567891"],
    ),
    of(
      "FLOAT",
      "float string",
      ["0.1", "2"],
      FLOATS.filter((each) => !/\de/.test(each)),
    ),
    of("DOUBLE", "float string", ["0.1", "1e300"], FLOATS),
    of("BOOLEAN", "boolean string", ["TRUE", "FALSE"]),
    of("VARCHAR", "string", TEXTS),
    of("VARCHAR COLLATE NOCASE", "string", TEXTS),
    of(
      "ENUM('sad', 'ok', 'Happy', 'it''s')",
      "string",
      ["'sad'", "'Happy'", "'it''s'"],
      [],
      ["sad", "Happy", "it's"],
    ),
    of("UUID", "string", UUIDS, [], uuids),
    of("DATE", "string", DATES, [...INFINITE, "'0044-03-15 (BC)'", "'10000-01-01'"], dates),
    of(
      "TIMESTAMP",
      "string",
      STAMPS,
      [...INFINITE, "'0044-03-15 (BC) 00:00:00'", "'10000-01-01'"],
      ["0001-01-01T00:00:00.000000", "2024-02-29T23:59:59.500000", "2024-02-29T23:59:59.500001"],
    ),
    of("TIMESTAMP_S", "string", ["'2024-02-29 23:59:59'"], INFINITE, ["2024-02-29T23:59:59"]),
    of("TIMESTAMP_MS", "string", ["'2024-02-29 23:59:59.5'"], INFINITE, [
      "2024-02-29T23:59:59.500",
    ]),
    of("TIMESTAMP_NS", "string", ["'2024-02-29 23:59:59.5'"], INFINITE, [
      "2024-02-29T23:59:59.500000000",
    ]),
    of(
      "TIMESTAMPTZ",
      "string",
      ["'2024-02-29 23:30:00+02'"],
      [...INFINITE, "'10000-01-01 00:00:00Z'"],
      ["2024-02-29T21:30:00.000000Z"],
    ),
    of(
      "TIME",
      "string",
      ["'00:00:00'", "'23:59:59.25'"],
      ["'24:00:00'"],
      ["00:00:00.000000", "23:59:59.250000"],
    ),
    of("TIMETZ", "string", ["'12:00:00+01'", "'11:00:00+00'"]),
    of("INTERVAL", "string", ["'1 day'", "'1 month'"]),
    of("JSON", "string json", JSONS),
    of("VARCHAR[]", "string", ["[]", "['a', 'b']", "[NULL]"]),
    of("INTEGER[]", "string", ["[1, 2]", "[10]"]),
    of("INTEGER[2]", "string", ["[1, 2]"]),
    of("STRUCT(a INTEGER, b VARCHAR)", "string", ["{'a': 1, 'b': 'x'}"]),
    of("MAP(VARCHAR, INTEGER)", "string", ["MAP {'a': 1}"]),
    of("BLOB", "string", ["'abc'::BLOB", "'\\xFF'::BLOB"]),
    of("BIT", "string", ["'101'", "'011'"]),
  ],
  sqlite: [
    "INTEGER",
    "INT",
    "BIGINT",
    "TINYINT",
    "REAL",
    "FLOATING POINT",
    "NUMERIC",
    "DECIMAL(12, 2)",
    "DECIMAL(9)",
    "BOOLEAN",
    "TEXT",
    "VARCHAR(9) COLLATE NOCASE",
    "STRING",
    "DATE",
    "DATETIME",
    "JSON",
    "BLOB",
    "",
    "UUID",
    "MONEY",
  ].map((type) => sqliteType(type)),
  clickhouse: [
    of("Nullable(Int8)", "int float boolean string", ["0", "1"], ["2"]),
    of(
      "Nullable(Int64)",
      "int float string",
      ["-1", "9007199254740991"],
      ["9007199254740993", "9007199254740992"],
    ),
    of("Nullable(UInt64)", "int float string", ["7"], ["18446744073709551615"]),
    of("Nullable(Decimal(18, 0))", "int float string", ["7", "-8"], ["999999999999999999"]),
    of("Nullable(Decimal(12, 2))", "float string", ["7.5", "-8"]),
    of(
      "Nullable(Decimal(38, 10))",
      "float string",
      ["7.5"],
      ["toDecimal128('1234567890123456.1234567891', 10)"],
    ),
    of("Nullable(Float32)", "float string", ["0.1", "2"], ["nan", "inf", "-inf", "-0."]),
    of("Nullable(Float64)", "float string", ["0.1", "2"], ["nan", "inf", "-inf", "-0.", "1e300"]),
    of("Nullable(Bool)", "boolean string", ["true", "false"]),
    of("Nullable(String)", "string", TEXTS),
    of("LowCardinality(Nullable(String))", "string", TEXTS),
    of("Nullable(FixedString(4))", "string", ["'a'", "'abcd'"]),
    of(
      "Nullable(Enum8('sad' = 1, 'ok' = 2, 'Happy' = 3))",
      "string",
      ["'sad'", "'Happy'"],
      [],
      ["sad", "Happy"],
    ),
    of("Nullable(UUID)", "string", UUIDS, [], uuids),
    of("Nullable(Date)", "string", ["'2024-02-29'"], ["'1970-01-01'"], ["2024-02-29"]),
    of("Nullable(Date32)", "string", ["'2024-02-29'"], ["'1900-01-01'"], ["2024-02-29"]),
    of(
      "Nullable(DateTime('Europe/Berlin'))",
      "string",
      ["'2024-02-29 12:00:00'"],
      [],
      ["2024-02-29T11:00:00Z"],
    ),
    of(
      "Nullable(DateTime64(3, 'UTC'))",
      "string",
      ["'2024-02-29 12:00:00.5'"],
      ["'1900-01-01 00:00:00'"],
      ["2024-02-29T12:00:00.500Z"],
    ),
    of("Array(String)", "string strings", ["[]", "['a', 'b']"]),
    of("Nullable(IPv4)", "string", ["'10.0.0.1'", "'9.0.0.1'"]),
  ],
  mariadb: [
    of("TINYINT", "int float string", ["-1", "0", "127"]),
    of("INT", "int float string", ["-1", "0", "2147483647"]),
    of("INT UNSIGNED", "int float string", ["1", "0", "4294967295"]),
    of("INT(5) ZEROFILL", "int float string", ["42", "7", "0"]),
    of("YEAR", "int float string", ["1901", "2024"], ["0"]),
    of(
      "BIGINT",
      "int float string",
      ["-1", "9007199254740991"],
      ["9007199254740993", "9007199254740992", "-9223372036854775808"],
    ),
    of("DECIMAL(12, 2)", "float string", ["3", "0.10", "-12.5"]),
    of("DECIMAL(9)", "int float string", ["-1", "3", "10", "9"]),
    of("DECIMAL(40, 10)", "float string", ["3.5", "-1"], ["12345678901234567890.123"]),
    of(
      "DOUBLE",
      "float string",
      ["0.1", "-1.5", "3"],
      ["5e-324", "1.7976931348623157e308", "-0.0"],
    ),
    of("FLOAT", "float string", ["0.5", "-1.5", "3"], ["0.1", "16777217"]),
    of("BOOLEAN", "int float boolean string", ["0", "1"]),
    of("LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", "string", TEXTS, JSONS),
    of("VARCHAR(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", "string", TEXTS, JSONS),
    of("VARCHAR(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "string", TEXTS, JSONS),
    of("VARCHAR(30) CHARACTER SET latin1", "string", ["''", "'a'", "'A'", "'b '", "'é'"]),
    of("CHAR(3) CHARACTER SET utf8mb4", "string", ["''", "'a'", "'A'", "'é'"]),
    of("TINYTEXT CHARACTER SET utf8mb4", "string", ["''", "'a'", "'A'", "'b '"]),
    of("ENUM('sad', 'ok', 'Happy')", "string", ["'sad'", "'Happy'", "'ok'"]),
    of("JSON", "string strings json", ["'[\"a\"]'", "'[]'", '\'["b","a"]\''], JSONS),
    of("UUID", "string", UUIDS, [], uuids),
    of("DATE", "string", DATES, ["'0000-00-00'", "'2024-00-00'", "'2024-02-00'"], dates),
    of("TIME", "string", ["'00:00:00'", "'23:59:59'"], ["'-838:59:59'", "'838:59:59'"]),
    of(
      "DATETIME(6)",
      "string",
      ["'2024-02-29 23:59:59.5'", "'1000-01-01 00:00:00'"],
      ["'2024-02-29 23:59:59.500001'"],
    ),
    of("DATETIME", "string", ["'2024-02-29 12:00:00'", "'1000-01-01 00:00:00'"]),
    of("TIMESTAMP", "string", ["'2024-02-29 12:00:00'"]),
    of("BLOB", "string", ["'a'"], ["x'ff'"]),
  ],
};

/** A column may hold any value, whatever it is declared as: what it prefers to store differs. */
function sqliteType(type: string): ColumnType {
  const tame = /INT|REAL|DEC|NUM|FLO/.test(type)
    ? ["3", "-7", "'12'"]
    : type === "BOOLEAN"
      ? ["0", "1"]
      : ["'a'", "'B'", "''"];
  const fields: Record<string, string> = {
    BOOLEAN: "boolean string",
    TEXT: "string",
    JSON: "string",
  };
  const nasty = [
    "3.0",
    "1.5",
    "'abc'",
    "'10'",
    "'10.0'",
    "'1e3'",
    "x'6162'",
    "x'ff'",
    "9e999",
    "-0.0",
    "9007199254740993",
    "'9223372036854775808'",
    "'true'",
    "'[1]'",
    "' 1'",
    "0.1",
    "1e-320",
    "'9'",
    "10",
    "9",
  ];
  const usual = /INT|NUMERIC|DECIMAL\(9\)/.test(type)
    ? "int float string"
    : /REAL|DECIMAL/.test(type)
      ? "float string"
      : "string";
  return of(type, fields[type] ?? usual, tame, nasty);
}
