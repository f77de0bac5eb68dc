// Sends literals through a driver and reports those that come back changed, to test encodings,
// collations, numbers, lists and `null`. It reads no table and changes nothing.

import { describe } from "../schema/errors.ts";
import type { TextValue } from "../schema/field.ts";
import { beginsWith } from "./condition.ts";
import type { DialectName, NumberForm, Parameter, Run } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { ask as askDriver, readRun } from "./driver.ts";
import { namedAll } from "./result-columns.ts";

/** A mistake of a driver or its server. */
export interface DriverProblem {
  /** The selected value, such as `a string that begins with U+FEFF`. */
  readonly check: string;
  /** The returned value. */
  readonly reason: string;
  /** How to fix it. */
  readonly mend: string;
}

/**
 * Sends literals to an engine and back. Cost: about thirty short statements in sequence.
 *
 * @param run the driver, as for `createSqlService`
 * @returns the mistakes of the driver or its server; empty if there are none
 * @throws InputError if the driver is not a function, or the dialect is unknown
 */
export async function checkDriver(run: Run, dialect: DialectName): Promise<DriverProblem[]>;
export async function checkDriver(given: unknown, name: unknown): Promise<DriverProblem[]> {
  const dialect = dialectOf(name, "dialect");
  const run = readRun(given, "run");
  const problems: DriverProblem[] = [];

  /** Why the returned value differs from the expected one. */
  async function reasonOf(
    expected: Rows,
    write: (bind: Bind) => string,
    read = (values: Rows[number]) => values,
  ) {
    const parameters: Parameter[] = [];
    const text = write((value, form) => dialect.bind(value, parameters, form));
    const columns = expected[0]?.length ?? 0;
    const { signal } = new AbortController();
    try {
      const rows = await askDriver(run, { text, parameters }, columns, signal);
      const [returned, sent] = [JSON.stringify(rows.map(read)), JSON.stringify(expected)];
      return returned === sent ? undefined : `${sent} came back as ${returned}`;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : describe(thrown);
    }
  }

  async function ask(check: string, mend: string, expected: Rows, write: (bind: Bind) => string) {
    const reason = await reasonOf(expected, write);
    if (reason !== undefined) problems.push({ check, reason, mend });
  }

  // Collated like the columns of tables, whatever the connection's collation for parameters.
  const column = (bound: string) => dialect.toText(bound);
  for (const [check, text] of TEXTS) {
    if (!dialect.hasNul && text.includes("\0")) continue;
    const reason = await reasonOf([[text]], (bind) => select([bind(text)]));
    if (reason === undefined) continue;
    // The bytes tell whether sending or reading changed it.
    const isSentWrong = await reasonOf([[text]], (bind) => select([dialect.toBytes(bind(text))]));
    const mend = isSentWrong === undefined ? READ_MEND : ENCODINGS[dialect.name];
    problems.push({ check, reason, mend });
  }
  for (const integer of INTEGERS) {
    await ask(`the integer ${integer}`, INTEGER_MEND, [[String(integer)]], (bind) =>
      select([bind(integer)]),
    );
  }
  for (const number of FLOATS) {
    const reason = await reasonOf(
      [[String(number)]],
      (bind) => select([dialect.toFloat(bind(number, "float"))]),
      // Engines format numbers differently.
      (values) => values.map((value) => (value === null ? null : String(Number(value)))),
    );
    if (reason !== undefined)
      problems.push({ check: `the number ${number}`, reason, mend: FLOAT_MEND });
  }
  await ask("numbers compared", FLOAT_MEND, [["1", "0", "1", "0"]], (bind) => {
    const forms = ["float", dialect.decimals ?? "float"] as const;
    return select(
      forms.flatMap((form) => [
        isTrue(`${bind(0.75, form)} > ${bind(0.5, form)}`),
        isTrue(`${bind(0.25, form)} > ${bind(0.5, form)}`),
      ]),
    );
  });
  await ask("null", NULL_MEND, [[null]], () => select(["NULL"]));
  await ask("a list of strings", LIST_MEND, [["1", "0"]], (bind) => {
    const isIn = (text: string) => dialect.isIn(column(bind(text)), bind(["'\\,", "b"]), "string");
    return select([isTrue(isIn("'\\,")), isTrue(isIn("',"))]);
  });
  await ask("a list of integers", LIST_MEND, [["1", "0"]], (bind) => {
    const isIn = (integer: number) => dialect.isIn(bind(integer), bind([7, -9]), "int");
    return select([isTrue(isIn(-9)), isTrue(isIn(9))]);
  });
  await ask("a list of numbers", LIST_MEND, [["1", "0"]], (bind) => {
    const isIn = (number: number) =>
      dialect.isIn(bind(number, "float"), bind([0.5, -1.75], "float"), "float");
    return select([isTrue(isIn(0.5)), isTrue(isIn(0.25))]);
  });
  await ask("parts of a string", ENCODINGS[dialect.name], [["1", "1", "1", "0"]], (bind) => {
    const part = "😀b";
    const found = [
      dialect.substring("v", bind(part), part),
      beginsWith("v", "😀a", dialect, bind),
      dialect.suffix("v", bind(part), part),
      beginsWith("v", "😀A", dialect, bind),
    ];
    // A column: if placeholders have no numbers, parameters must be in the order of the text.
    return `${select(found.map(isTrue))} FROM (SELECT ${column(bind("😀a😀b"))} AS v) AS t`;
  });
  const ordered = [null, "", "B", "a", "\uffff", "\u{10000}"];
  await ask(
    "the order of strings",
    ORDERS[dialect.name],
    ordered.map((text) => [text]),
    (bind) => {
      const texts = ordered
        .toReversed()
        .map((text) => (text === null ? "NULL" : column(bind(text))));
      const rows = texts.map((text) => `SELECT ${text} AS v`).join(" UNION ALL ");
      return `${select(["v"])} FROM (${rows}) AS t ORDER BY ${dialect.orderBy(dialect.ordered("v", "string"), "string", "ASC")}`;
    },
  );
  return problems;
}

const select = (values: readonly string[]) => `SELECT ${namedAll(values)}`;

const isTrue = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`;

type Bind = (value: Parameter, form?: NumberForm) => string;

type Rows = readonly (readonly TextValue[])[];

/** Strings, with what each one tests. */
const TEXTS: readonly (readonly [check: string, text: string])[] = [
  ["an empty text", ""],
  ["a string that ends with spaces", "a  "],
  ["a string with quotes and backslashes", "'\"`\\'\\\\n%_$1?:a{p1:String}"],
  ["a string with line breaks", "\r\n\n\t"],
  ["a string with characters outside ASCII", "é\u0301ß\u2028"],
  ["a string with characters from U+10000 on", "😀\u{10ffff}"],
  ["a string that begins with U+FEFF", "\ufeffa"],
  ["a string with U+0000", "a\0b"],
];

const INTEGERS = [0, -1, 2 ** 31, 2 ** 53 - 1, 1 - 2 ** 53];

/** With and without a fraction, with all 53 bits, and the largest and smallest. */
const FLOATS = [0.5, -1.75, 3, 0.1 + 0.2, 2 ** 53, Number.MAX_VALUE, Number.MIN_VALUE];

const READ_MEND = 'give createSqlService and compileSql the option texts: "bytes"';
const INTEGER_MEND =
  "bind numbers as 64-bit integers, and have the driver give such as strings or bigints";
const FLOAT_MEND =
  "bind numbers for floats as doubles, whether or not they have a fraction, and have the driver give all of their digits";
const NULL_MEND = "have the driver give null for NULL";
const LIST_MEND = "bind an array as an array, and the JSON of one as the text that it is";

/** How to fix strings that are changed on the way. */
const ENCODINGS: Readonly<Record<DialectName, string>> = {
  postgres: "use a database of encoding UTF8, and set client_encoding to UTF8",
  clickhouse: "give the n-th parameter the name pn, escaped as the interface asks, and read UTF-8",
  duckdb: "bind strings as VARCHAR",
  sqlite: "bind strings in UTF-8, with their length",
  mariadb: "set the character set of the connection to utf8mb4",
};

/** How to fix an order that is not by code point, or nulls that are not the lowest. */
const ORDERS: Readonly<Record<DialectName, string>> = {
  postgres: "use a database of encoding UTF8",
  clickhouse: "use ClickHouse 21.12 or later",
  duckdb: "leave default_collation as it is",
  sqlite: "make the database anew after PRAGMA encoding = 'UTF-8'",
  mariadb: "use MariaDB 10.6 or later",
};
