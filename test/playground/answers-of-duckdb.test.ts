// More questions of the three trades, answered by clicks alone. The answers are those of DuckDB, which reads the same files.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { brush, criteriaText, matching, textOf, textsOf, until, writeCriteria } from "./opened.ts";
import { tables, useTables } from "./trades.ts";

const asking = useTables();

let folder: string;
let duckdb: Awaited<ReturnType<DuckDBInstance["connect"]>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tercet-questions-"));
  duckdb = await (await DuckDBInstance.create(":memory:")).connect();
  for (const [name, [content]] of Object.entries(tables)) {
    const path = join(folder, name);
    writeFileSync(path, content);
    const [table = ""] = name.split(".");
    const read = name.endsWith("csv") ? "read_csv" : "read_json";
    await duckdb.run(`CREATE TABLE ${table} AS FROM ${read}('${path}')`);
  }
});
afterAll(() => {
  duckdb.closeSync();
  rmSync(folder, { recursive: true });
});

/** The rows of an answer, with numbers as numbers. */
async function answer(sql: string) {
  const rows = (await duckdb.runAndReadAll(sql)).getRowsJson();
  return rows.map((row) =>
    row.map((each) =>
      typeof each === "string" && /^-?\d+(\.\d+)?$/.test(each) ? Number(each) : each,
    ),
  );
}

const numberIn = (text = "") => Number(text.replace(/[≈,\s]/g, ""));

describe("sales", () => {
  test("S6: orders whose discount is more than a fifth of the amount", async () => {
    const { page, press, type } = await asking("orders.ndjson");
    await press("Compute");
    await type("Name", "much");
    await type("Expression", "discount > 0.2 * amount");
    await page.waitForSelector(".computed form button[aria-disabled=false]");
    await page.keyboard.press("Enter");
    await press("Records where much is true");
    const [[expected] = []] = await answer(
      "SELECT count(*) FROM orders WHERE discount > 0.2 * amount",
    );
    expect(expected).toBeGreaterThan(100);
    await matching(page, Number(expected));
  });
});

describe("science", () => {
  test("R3: the correlation of age and score, of all and of women", async () => {
    const { page, tab, choose, criterion } = await asking("survey.csv");
    await tab("Facets");
    await choose("across axis", "age");
    await choose("up axis", "score");
    const says = async (where: string) => {
      const [[r, pairs] = []] = await answer(
        `SELECT corr(age, score), count(*) FROM survey WHERE score IS NOT NULL AND ${where}`,
      );
      await until(async () => {
        const text = await textOf(page, ".correlation");
        const [, said, of] = /r ≈ (\S+), Spearman’s ρ ≈ \S+ of (\d+) records/.exec(text) ?? [];
        expect(Number(said)).toBeCloseTo(Number(r), 3);
        expect(Number(of)).toBe(pairs);
      });
    };
    await says("true");
    await criterion("sex", "exactly", "f");
    await says("sex = 'f'");
    // Nobody has one of the numbers alone.
    await criterion("score", "exactly", null);
    await until(async () =>
      expect(await textOf(page, ".correlation")).toBe(
        "No correlation of 0 records with both numbers",
      ),
    );
  });

  test("R4: the distribution of income on a logarithmic scale", async () => {
    const { page, tab, choose, rows } = await asking("survey.csv");
    await tab("Groups");
    await choose("by", "income");
    await choose("in steps of", "log");
    const found = await rows("records by log ranges of income");
    const edges = [1, 2, 5].flatMap((factor) => [3, 4, 5].map((power) => factor * 10 ** power));
    const expected = await answer(
      `SELECT (SELECT max(edge) FROM unnest([0, ${edges.join()}]) t(edge) WHERE edge <= income) AS edge, count(*)
       FROM survey GROUP BY edge ORDER BY edge`,
    );
    const edgeOf = (name = "") => (name.startsWith("below") ? 0 : numberIn(name.split(" to ")[0]));
    expect(found.map(([name, records]) => [edgeOf(name), numberIn(records)])).toEqual(expected);
    expect(found.length).toBeGreaterThan(4);
    await page.locator(".groups tbody tr:nth-child(2) button").click();
    await matching(page, Number(expected[1]?.[1]));
  });

  test("R6: who answered 5, and nothing or more than 3", async () => {
    const { page, criterion } = await asking("survey.csv");
    await criterion("q7", "exactly", "5");
    await criterion("q9", "exactly", null);
    await criterion("q7", "exactly", "5", "Or");
    await criterion("q10", "greater_than", "3");
    const [[expected] = []] = await answer(
      "SELECT count(*) FROM survey WHERE q7 = 5 AND (q9 IS NULL OR q10 > 3)",
    );
    await matching(page, Number(expected));
  });

  test("R8: how many answers are missing, by person", async () => {
    const { page, tab, choose, press, type, rows } = await asking("survey.csv");
    await press("Compute");
    await type("Name", "missing answers");
    await type("Expression", "missing(q7:q12) + missing(*)");
    await page.waitForSelector(".computed form button[aria-disabled=false]");
    await press("Add");
    await page.waitForSelector('[aria-label="Remove missing answers"]');
    await tab("Groups");
    await choose("by", "missing answers");
    const found = await rows("records by ranges of missing answers");
    const nulls = (names: readonly string[]) =>
      names.map((name) => `CAST("${name}" IS NULL AS INT)`).join(" + ");
    const all = tables["survey.csv"][0].split("\n")[0]?.split(",") ?? [];
    const expected = await answer(
      `SELECT ${nulls(["q7", "q9", "q10", "q12"])} + ${nulls(all)} AS missing, count(*)
       FROM survey GROUP BY missing ORDER BY missing`,
    );
    expect(
      found.map(([range, records]) => [numberIn(range?.split(" to ")[0]), numberIn(records)]),
    ).toEqual(expected);
    expect(found.length).toBeGreaterThan(3);
  });

  test("R9: participants who are there twice, by e-mail in any case", async () => {
    const { page, tab, press, rows } = await asking("survey.csv");
    await page.select('select[aria-label="Type of email"]', "string, any case");
    await tab("Profile");
    await press("Duplicates of email");
    const found = await rows("records by email");
    const expected = await answer(
      "SELECT lower(email), count(*) FROM survey GROUP BY 1 HAVING count(*) > 1",
    );
    expect(found.map(([name, records]) => [name, numberIn(records)])).toEqual(expected);
    expect(expected).toHaveLength(1);
    await page.locator(".groups tbody tr:first-child button").click();
    await matching(page, Number(expected[0]?.[1]));
  });
});

describe("operations", () => {
  test("O7: the ten slowest requests that post", async () => {
    const { page, criterion } = await asking("access.ndjson");
    await criterion("method", "exactly", "POST");
    const [[posts] = []] = await answer("SELECT count(*) FROM access WHERE method = 'POST'");
    await matching(page, Number(posts));
    await page.$$eval("[role=columnheader] > button:first-child", (all) =>
      all.find((each) => each.innerText.startsWith("ms"))?.click(),
    );
    await page.waitForSelector("[role=columnheader][aria-sort=descending]");
    const slowest = await answer(
      "SELECT ms FROM access WHERE method = 'POST' ORDER BY ms DESC LIMIT 10",
    );
    await until(async () => {
      const lines = await textsOf(page, ".line:not(.head)");
      const found = lines.slice(0, 10).map((line) => line.split(/\s+/));
      for (const [i, [ms]] of slowest.entries()) expect(found[i]).toContain(`${Number(ms)}`);
      expect(found.every((cells) => cells.includes("POST"))).toBe(true);
    });
  });

  test("O10: which program leads among the refused", async () => {
    const { page, tab, choose, criterion, rows } = await asking("access.ndjson");
    await page.locator(".reading summary").click();
    await page.locator("::-p-aria([name='flatten objects'][role='checkbox'])").click();
    await page.waitForSelector('select[aria-label="Type of user.agent.name"]');
    await criterion("status", "exactly", "429");
    await tab("Groups");
    await choose("by", "user.agent.name");
    const found = await rows("records by user.agent.name");
    const expected = await answer(
      `SELECT "user".agent.name, count(*) FROM access WHERE status = 429 GROUP BY 1 ORDER BY 2 DESC, 1`,
    );
    expect(found.map(([name, records]) => [name, numberIn(records)])).toEqual(expected);
  });
});

test("the last three months of the data, typed by form and as text, or the last 7 days, chosen", async () => {
  const { page, tab, choose, criterion } = await asking("orders.ndjson");
  const since = async (interval: string) => {
    const [[count] = []] = await answer(
      `SELECT count(*) FROM orders
       WHERE ordered_at > (SELECT max(ordered_at) - INTERVAL ${interval} FROM orders)`,
    );
    return Number(count);
  };
  await criterion("ordered_at", "exactly", "last 3 months");
  await matching(page, await since("3 months"));
  // The link has what was typed, and so does the text.
  const asked = '[["ordered_at","exactly","last 3 months"]]';
  expect(JSON.parse(await criteriaText(page))).toEqual(JSON.parse(asked));
  const week = await since("7 days");
  await writeCriteria(page, '[["ordered_at","at_least","last 7 days"]]');
  await matching(page, week);
  expect(await page.$eval(".row .value", (input) => (input as HTMLInputElement).value)).toBe(
    "last 7 days",
  );
  await writeCriteria(page, "[]");
  await matching(page, tables["orders.ndjson"][1]);
  await tab("Facets");
  await choose("Latest of ordered_at", "last 7 days");
  await matching(page, week);
});

test("the requests of an hour of Adelaide, by its bar", async () => {
  const { page, tab, choose } = await asking("access.ndjson");
  await choose("Time zone", "Australia/Adelaide");
  await tab("Facets");
  const from = '::-p-aria([name="at from"][role="slider"])';
  await until(async () => {
    const text = await page.$eval(from, (slider) => slider.getAttribute("aria-valuetext"));
    expect(text).toBe("2024-09-09 15:00");
  });
  await brush(page, "at", 0.001, 0.005);
  // There it is 9:30 later than in UTC.
  const [[count] = []] = await answer(
    `SELECT count(*) FROM access WHERE "at"::TIMESTAMP + INTERVAL 570 MINUTES < TIMESTAMP '2024-09-09 16:00'`,
  );
  await matching(page, Number(count));
  expect(Number(count)).toBeGreaterThan(0);
});
