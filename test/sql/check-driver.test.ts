// Does checkDriver find the mistakes of a driver or its server? test/differential tests that it finds none where there
// are none.

import { expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import { checkDriver, type Row, type Run } from "../../src/sql/index.ts";
import { onEngine } from "../engines/on-engine.ts";
import { rowsOf } from "../engines/engine.ts";
import { driverOf } from "../engines/postgres.ts";
import { start as startSqlite } from "../engines/sqlite.ts";
import { serviceOn } from "./load.ts";

onEngine("DuckDB", (engine) => {
  const found = async (broken: Run) =>
    (await checkDriver(broken, engine().dialect)).map(({ check }) => check);

  /** The driver, with each value that it gives changed. */
  const reading =
    (change: (value: unknown) => unknown): Run =>
    async (...asked) =>
      (await engine().run(...asked)).map((row: Row) => Object.values(row).map(change));

  test.each<[string, (value: unknown) => unknown, string]>([
    ["takes the empty text for null", (value) => (value === "" ? null : value), "an empty text"],
    [
      "cuts spaces at the end",
      (value) => (typeof value === "string" ? value.trimEnd() : value),
      "a string that ends with spaces",
    ],
    [
      "reads latin1",
      (value) => (typeof value === "string" ? Buffer.from(value).toString("latin1") : value),
      "a string with characters outside ASCII",
    ],
    [
      "ends texts at U+0000",
      (value) => (typeof value === "string" ? value.replace(/\0.*/, "") : value),
      "a string with U+0000",
    ],
    [
      "gives integers as 32-bit",
      (value) => (typeof value === "string" ? value : Number(value) | 0),
      "the integer 9007199254740991",
    ],
    [
      "gives numbers without their fraction",
      (value) => (typeof value === "number" ? Math.trunc(value) : value),
      "the number 0.5",
    ],
    [
      "gives single-precision numbers",
      (value) => (typeof value === "number" ? Math.fround(value) : value),
      "the number 0.30000000000000004",
    ],
    ["gives undefined for NULL", (value) => value ?? undefined, "null"],
  ])("a driver that %s is found", async (_, change, check) => {
    expect(await found(reading(change))).toContain(check);
  });

  test.each<[string, (parameter: unknown) => unknown, string]>([
    [
      "sends half characters",
      (parameter) => String(parameter).replace(/[\ud800-\udfff]/g, "?"),
      "a string with characters from U+10000 on",
    ],
    [
      "sends numbers without their fraction",
      (parameter) => String(parameter).replace(/^(-?\d+)\.\d+$/, "$1"),
      "numbers compared",
    ],
    [
      "sends lists as something else",
      (parameter) => String(parameter).replace("[", "[["),
      "a list of strings",
    ],
  ])("a driver that %s is found", async (_, change, check) => {
    const broken: Run = (text, parameters, options) =>
      engine().run(text, parameters.map(change) as string[], options);
    expect(await found(broken)).toContain(check);
  });

  test("a driver that fails has all of its failures listed", async () => {
    const problems = await checkDriver(() => Promise.reject(new Error("down")), engine().dialect);
    expect(problems).toHaveLength(27);
    for (const { reason } of problems) expect(reason).toContain("down");
  });
});

test("a SQLite database in UTF-16 is found by its order", async () => {
  const engine = await startSqlite();
  await rowsOf(engine, "PRAGMA encoding = 'UTF-16le'");
  const problems = await checkDriver(engine.run, "sqlite");
  expect(problems.at(-1)).toMatchObject({
    check: "the order of strings",
    mend: "make the database anew after PRAGMA encoding = 'UTF-8'",
  });
  await engine.close();
});

onEngine("PostgreSQL", (engine) => {
  /** A database of the server, made with these options of `CREATE DATABASE`. */
  async function inDatabase<Result>(
    how: string,
    ask: (run: Run) => Promise<Result>,
  ): Promise<Result> {
    await rowsOf(engine(), `CREATE DATABASE other TEMPLATE template0 ${how}`);
    const pool = engine().server.connect("other");
    try {
      return await ask(driverOf(pool));
    } finally {
      await pool.end();
      await rowsOf(engine(), "DROP DATABASE other");
    }
  }

  test("where the server collates by ICU, nothing is wrong: each index names its order", async () => {
    const icu = "ENCODING UTF8 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'";
    const words = ["b", "B", "a", "A", "é", "z", "😀", "\uffff"].map((name, id) => ({
      ...{ id, folder_id: 1, name },
    }));
    const memory = createService({ files: words });
    const clear = () => Promise.resolve();
    await inDatabase(icu, async (run) => {
      // So it would be, were it not listed.
      const unaware = await rowsOf({ run }, "SELECT 'B' < 'a'");
      expect(unaware).toEqual([[false]]);
      expect(await checkDriver(run, "postgres")).toEqual([]);
      const service = await serviceOn(
        { dialect: "postgres", name: "", run, clear, close: clear },
        { files: words },
      );
      const sorted = [[], null, 0, "name", "ASC"] as const;
      expect(await service.searchFiles(...sorted)).toEqual(memory.searchFiles(...sorted));
    });
  });

  test("a database in LATIN1 is found by what it can't hold", async () => {
    const problems = await inDatabase("ENCODING LATIN1 LOCALE 'C'", (run) =>
      checkDriver(run, "postgres"),
    );
    const mend = "use a database of encoding UTF8, and set client_encoding to UTF8";
    expect(problems).toContainEqual({
      check: "a string with characters from U+10000 on",
      reason: expect.stringContaining("LATIN1") as unknown,
      mend,
    });
    expect(problems.map(({ check }) => check)).toContain("a string with characters outside ASCII");
  });
});

test("values that are not a driver or a dialect are refused", async () => {
  await expect(checkDriver(1 as never, "sqlite")).rejects.toThrow("run: must be a function");
  await expect(checkDriver(() => Promise.resolve([]), "x" as never)).rejects.toThrow(
    "dialect: must be",
  );
});
