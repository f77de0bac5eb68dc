// What an attacker may send to break out of a value: every quote, escape, comment, placeholder and
// delimiter of the engines, in values, and in the names of fields, columns, tables and List Fields.
// The tests of each engine call `expectUnharmed`.

import { expect } from "vitest";
import {
  createCollection,
  createService,
  int,
  string,
  type BatchInput,
  type OperatorName,
} from "../../src/index.ts";
import { operators } from "../../src/criteria/operators.ts";
import { compileSql, createTable, insertRecords } from "../../src/sql/index.ts";
import { dialectOf } from "../../src/sql/dialects/index.ts";
import { execute, rowsOf, type Engine } from "../engines/engine.ts";
import { serviceOn } from "./load.ts";
import { wireSchema } from "../wire-schema.ts";

/** Without U+0000 and spaces at the end, which not all engines take in names. */
export const naughtyNames: readonly string[] = [
  ...["'", "''", "'''", '"', '""', "`", "``", "\\", "\\\\", "\\'", '\\"', "\\`", "'\\", "\\\\'"],
  ...[
    "a'b",
    'a"b',
    "a`b",
    "a\\b",
    "[",
    "]",
    "[a]",
    "{",
    "}",
    "(",
    ")",
    ",",
    ";",
    ".",
    "a.b",
    "=",
    "|",
  ],
  ...[
    "' OR 1 = 1 --",
    '" OR 1 = 1 --',
    "` OR 1 = 1 --",
    "\\' OR 1 = 1 --",
    "' OR '1'='1",
    "') OR 1=1 --",
  ],
  ...["'; DROP TABLE records; --", '"; DROP TABLE records; --', "`; DROP TABLE records; --"],
  ...["--", "-- x", "#", "# x", "/*", "*/", "/* x */", "/*! x */", "/*+ x */", "//"],
  ...[
    "$$",
    "$a$",
    "$a$x$a$",
    "$1",
    "$2::text",
    "?",
    "??",
    "?1",
    ":a",
    "::text",
    "@a",
    "@@version",
    "%s",
    "%",
  ],
  ...[
    "{p1:String}",
    "{p2:Int64}",
    "{x}",
    "${x}",
    "<%= x %>",
    "%(x)s",
    "%27",
    "%2527",
    "%u0027",
    "&#39;",
  ],
  ...["E'\\''", "U&'\\0027'", "N'x'", "x'27'", "X'27", "0x27", "q'[x]'", "_utf8'x'", "CHAR(39)"],
  ...[
    "\n",
    "\r\n",
    "a\nb",
    "\t",
    "\b",
    "\u001a",
    "\u007f",
    "\u0085",
    "\u2028",
    "\u2019",
    "\uff07",
    "\u02bc",
  ],
  ...[
    "NULL",
    "null",
    "true",
    "position",
    "rowid",
    "oid",
    "select",
    "from",
    "c0",
    "tercet_0",
    "value",
    "v",
  ],
  ...['$."a"', "$[0]", "$**.a", "a' -> 'b", "#>>", "key", "__proto__", "constructor"],
];

export const naughtyValues: readonly string[] = [
  ...naughtyNames,
  ...[
    "",
    " ",
    "a ",
    "\0",
    "'\0",
    "\0'",
    "\\\0",
    "a\0' OR 1 = 1 --",
    "\ufeff'",
    "😀'",
    "\ud7ff",
    "\u{10ffff}",
  ],
];

/** All that take a text. */
const OPERATORS = operators.filter(({ fields }) => fields === "any").map(({ name }) => name);

/** Fails where a naughty text is more to the engine than a text, or a table is harmed. */
export async function expectUnharmed(engine: Engine): Promise<void> {
  const storable = (text: string) => engine.refusesNul !== true || !text.includes("\0");
  // A cluster is asked what one of its servers is.
  if (engine.createTables !== undefined) return;
  await expectValuesUnharmed(engine, naughtyValues.filter(storable));
  await expectColumnsUnharmed(engine);
  await expectListFieldsUnharmed(engine, naughtyValues.filter(storable));
}

const Text = wireSchema({ id: int(), text: string({ nullable: true }) });

async function expectValuesUnharmed(engine: Engine, stored: readonly string[]): Promise<void> {
  const records = [...stored, null].map((text, id) => ({ id, text }));
  const table = { dialect: engine.dialect, table: "records" } as const;
  await engine.clear();
  await execute(engine, createTable(Text, table));
  await execute(engine, insertRecords(Text, records, table));
  const collection = createCollection(Text, records);
  const ask = async (criteria: (readonly ["text", OperatorName, string | string[]])[]) => {
    const statement = compileSql(
      Text,
      { criteria: criteria as unknown as null },
      { ...table, texts: "bytes" },
    );
    const rows = await rowsOf(engine, statement.text, statement.parameters);
    const expected = collection.query({ criteria: criteria as unknown as null });
    expect(rows.map(statement.toRecord), JSON.stringify(criteria)).toEqual(expected);
  };
  // Two operators for each value, in turn: the differential properties ask such texts of all operators.
  for (const [i, value] of naughtyValues.entries()) {
    const some = [0, 1].map((next) => OPERATORS[(2 * i + next) % OPERATORS.length] ?? "exactly");
    await Promise.all([
      ...some.map((operator) => ask([["text", operator, value]])),
      ask([["text", "in", [value, `${value}'`, "a"]]]),
    ]);
  }
  await ask([["text", "in", [...naughtyValues]]]);
  await ask([]);
}

/** As the names of a field's column, and of tables. */
async function expectColumnsUnharmed(engine: Engine): Promise<void> {
  await engine.clear();
  // Engines fold case, and some take no name twice that ends alike.
  for (const [i, name] of naughtyNames.entries()) {
    const table = { name: `${name}${i}`, columns: { id: `${name}x`, text: `y${name}y` } };
    const options = { dialect: engine.dialect, table } as const;
    await execute(engine, createTable(Text, { ...options, indexes: ["text"] }));
    await execute(engine, insertRecords(Text, [{ id: 1, text: name }], options));
    const statement = compileSql(
      Text,
      { criteria: [["text", "exactly", name]], sortBy: "text" },
      { ...options, texts: "bytes" },
    );
    const rows = await rowsOf(engine, statement.text, statement.parameters);
    expect(rows.map(statement.toRecord), name).toEqual([{ id: "1", text: name }]);
    await rowsOf(engine, `DROP TABLE ${dialectOf(engine.dialect, "dialect").quote(table.name)}`);
  }
}

/** As the names of List Fields, and their values. */
async function expectListFieldsUnharmed(engine: Engine, values: readonly string[]): Promise<void> {
  const names = [...naughtyValues, "Email", "\ud800"];
  const batch: BatchInput = {
    id: 7,
    lists: [
      {
        id: 1,
        fields: names,
        contacts: values.map((value, i) => ({
          send_id: i,
          contact_id: i,
          contact_email: value,
          fields: Object.fromEntries(
            names.map((name, j) => [name, values[(i + j) % values.length]]),
          ),
        })),
      },
    ],
  };
  const data = { files: [], batches: [batch as never] };
  const service = await serviceOn(engine, data);
  const memory = createService(data);
  for (const [i, name] of names.entries()) {
    for (const value of [values[i % values.length] ?? "", name.toWellFormed()]) {
      const asked = [7, [[name, "exactly", value]], 5, 0, name, "ASC"] as const;
      const found = await service.getBatchContacts(...(asked as never as [number]));
      expect(found, JSON.stringify(asked)).toEqual(
        memory.getBatchContacts(...(asked as never as [number])),
      );
    }
  }
  expect(await service.getBatchContacts(7)).toEqual(memory.getBatchContacts(7));
}
