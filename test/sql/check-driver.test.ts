// Does checkDriver find what is wrong with a driver or its server, and nothing where all is well?

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkDriver, type Row, type Run } from "../../src/sql/index.ts";
import type { Engine } from "../engines/engine.ts";
import { enginesHere } from "./engines-here.ts";
import { driverOf } from "./load.ts";

describe.each(enginesHere)("%s", (_, start) => {
  let engine: Engine;
  let run: Run;
  beforeAll(async () => {
    engine = await start();
    run = driverOf(engine);
  });
  afterAll(() => engine.close());

  const found = async (broken: Run) =>
    (await checkDriver(broken, engine.dialect)).map(({ check }) => check);

  /** The driver, with each value that it gives changed. */
  const reading =
    (change: (value: unknown) => unknown): Run =>
    async (...asked) =>
      (await run(...asked)).map((row: Row) => Object.values(row).map(change));

  test("its driver drops a leading U+FEFF, and nothing else is wrong", async () => {
    expect(await checkDriver(run, engine.dialect)).toEqual([
      {
        check: "a text that begins with U+FEFF",
        reason: '[["\ufeffa"]] came back as [["a"]]',
        mend: 'give createSqlService and compileSql the option texts: "bytes"',
      },
    ]);
  });

  test.each<[string, (value: unknown) => unknown, string]>([
    ["takes the empty text for null", (value) => (value === "" ? null : value), "an empty text"],
    [
      "cuts spaces at the end",
      (value) => (typeof value === "string" ? value.trimEnd() : value),
      "a text that ends in spaces",
    ],
    [
      "reads latin1",
      (value) => (typeof value === "string" ? Buffer.from(value).toString("latin1") : value),
      "a text outside ASCII",
    ],
    [
      "ends texts at U+0000",
      (value) => (typeof value === "string" ? value.replace(/\0.*/, "") : value),
      "a text with U+0000",
    ],
    [
      "gives integers as 32-bit",
      (value) => (typeof value === "string" ? value : Number(value) | 0),
      "the integer 9007199254740991",
    ],
    ["gives undefined for NULL", (value) => value ?? undefined, "null"],
  ])("a driver that %s is found", async (_, change, check) => {
    expect(await found(reading(change))).toContain(check);
  });

  test.each<[string, (parameter: unknown) => unknown, string]>([
    [
      "sends half characters",
      (parameter) => String(parameter).replace(/[\ud800-\udfff]/g, "?"),
      "a text with characters from U+10000 on",
    ],
    [
      "sends lists as something else",
      (parameter) => String(parameter).replace("[", "[["),
      "a list of texts",
    ],
  ])("a driver that %s is found", async (_, change, check) => {
    const broken: Run = (text, parameters, options) =>
      run(text, parameters.map(change) as string[], options);
    expect(await found(broken)).toContain(check);
  });

  test("a driver that fails has all of its failures told", async () => {
    const problems = await checkDriver(() => Promise.reject(new Error("down")), engine.dialect);
    expect(problems).toHaveLength(18);
    for (const { reason } of problems) expect(reason).toContain("down");
  });
});

test("a SQLite database in UTF-16 is found by its order", async () => {
  const [, start] = enginesHere[0] ?? [];
  if (start === undefined) throw new Error("there is no engine");
  const engine = await start();
  const run = driverOf(engine);
  await run("PRAGMA encoding = 'UTF-16le'", [], { signal: new AbortController().signal });
  const problems = await checkDriver(run, "sqlite");
  expect(problems.at(-1)).toMatchObject({
    check: "the order of texts",
    mend: "make the database anew after PRAGMA encoding = 'UTF-8'",
  });
  await engine.close();
});

test("what is no driver or no dialect is refused", async () => {
  await expect(checkDriver(1 as never, "sqlite")).rejects.toThrow("run: must be a function");
  await expect(checkDriver(() => Promise.resolve([]), "x" as never)).rejects.toThrow(
    "dialect: must be",
  );
});
