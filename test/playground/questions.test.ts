// Questions of people of three trades, answered by clicks alone on small tables of their shapes. Every answer is computed
// here by plain loops over the same records.

import type { Page } from "puppeteer-core";
import { describe, expect, test } from "vitest";
import { drop, matching, until, usePage } from "./opened.ts";

const { shared } = usePage(0);

const DAY = 86_400_000;
const MINUTE = 60_000;

/** Deterministic, and as if it were drawn. */
const mixed = (i: number) => (i * 7919) % 1009;
const oneOf = <const Value>(values: readonly [Value, ...Value[]], i: number): Value =>
  values[i % values.length] ?? values[0];

const orders = Array.from({ length: 1500 }, (_, i) => {
  const m = mixed(i + 1);
  const cents = 500 + ((m * m) % 90_000);
  return {
    id: i + 1,
    ordered_at: new Date(Date.UTC(2023, 0, 1) + i * 0.48 * DAY + m * MINUTE).toISOString(),
    customer: `Customer ${m % 90}`,
    country: oneOf(["Austria", "Brazil", "Canada", "Japan"], i + (m % 2)),
    channel: oneOf(["app", "shop", "web"], m),
    product: `Product ${m % 23}`,
    status: oneOf(["paid", "paid", "sent", "refunded", "cancelled"], m),
    amount: cents / 100,
    discount: (((m % 7) * cents) / 20 - ((((m % 7) * cents) / 20) % 1)) / 100,
    tags: ["new", "sale", "gift"].slice(0, 1 + (m % 3)),
  };
});

const requests = Array.from({ length: 2000 }, (_, i) => {
  const m = mixed(i + 1);
  return {
    at: new Date(Date.UTC(2024, 8, 9, 6) + i * 61_000 + m * 17).toISOString(),
    host: `host-${m % 5}`,
    route: oneOf(["/users", "/orders", "/login", "/static"], m),
    method: m % 3 === 0 ? "POST" : "GET",
    status: oneOf([200, 200, 404, 429, 500, 503], m),
    ms: (m * m) % 997,
    bytes: m * 1_234_567,
    client: `10.0.0.${m % 40}`,
  };
});

const people = Array.from({ length: 600 }, (_, i) => {
  const m = mixed(i + 1);
  return {
    email: i < 4 ? oneOf(["Ann@x.org", "ann@X.org"], i) : `p${i}@x.org`,
    sex: oneOf(["f", "m"], m),
    age: 18 + (m % 70),
    education: oneOf(["primary", "secondary", "university"], m),
    smoker: m % 4 === 0 ? "yes" : "no",
    score: m % 11 === 0 ? null : 50 + (m % 41) + (m % 70) / 10,
    q7: m % 6,
    q9: m % 5 === 0 ? null : m % 7,
    q10: m % 9 === 0 ? null : m % 5,
    q12: m % 13 === 0 ? null : m % 8,
    rare: i % 40 === 0 ? 1 : null,
  };
});

type Members = Readonly<Record<string, string | number | readonly string[] | null>>;

const csvOf = (records: readonly Members[]) =>
  [
    Object.keys(records[0] ?? {}).join(),
    ...records.map((record) =>
      Object.values(record)
        .map((value) => String(value ?? ""))
        .join(),
    ),
  ].join("\n");
const ndjsonOf = (records: readonly Members[]) =>
  records.map((record) => JSON.stringify(record)).join("\n");

const tables = {
  "orders.ndjson": [ndjsonOf(orders), orders.length],
  "access.ndjson": [ndjsonOf(requests), requests.length],
  "survey.csv": [csvOf(people), people.length],
} as const;

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
/** Of amounts in hundredths, so that it is exact. */
const money = (numbers: readonly number[]) =>
  sum(numbers.map((each) => Math.round(each * 100))) / 100;
const fixed = (value: number, digits = 0) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

function byKey<Record>(records: readonly Record[], keyOf: (record: Record) => string) {
  const groups = new Map<string, Record[]>();
  for (const record of records) {
    const key = keyOf(record);
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return groups;
}

/** One table, freshly opened, and what people do with it. */
async function asking(name: keyof typeof tables) {
  const page = await shared();
  const [content, size] = tables[name];
  await drop(page, name, content);
  await matching(page, size);
  return { page, ...hands(page) };
}

function hands(page: Page) {
  const tab = (name: string) => page.locator(`::-p-aria([name="${name}"][role="tab"])`).click();
  const choose = (label: string, option: string) =>
    page.locator(`::-p-aria([name="${label}"][role="combobox"])`).fill(option);
  const press = (name: string) =>
    page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
  const type = async (label: string, text: string) => {
    await page.locator(`::-p-aria([name="${label}"][role="textbox"])`).fill(text);
  };
  /** The last criterion, which is added. */
  const criterion = async (field: string, operator: string, value: string) => {
    await page.locator(".criteria .add button").click();
    for (const [i, option] of [field, operator].entries()) {
      const selects = await page.$$(".criteria .row select");
      await selects.at(i - 2)?.select(option);
    }
    const inputs = await page.$$(".criteria .row input.value");
    await inputs.at(-1)?.click();
    await page.keyboard.type(value);
  };
  /** The rows of the table of groups, once it has this title. */
  const rows = async (title: string): Promise<string[][]> => {
    await page.waitForSelector(`.groups section[aria-label="${title}"] tbody tr`);
    return await page.$$eval(".groups tbody tr", (all) =>
      all.map((row) => Array.from(row.children, (cell) => (cell as HTMLElement).innerText.trim())),
    );
  };
  return { tab, choose, press, type, criterion, rows };
}

describe("sales", () => {
  test("S1: the revenue of each month of 2024", async () => {
    const { tab, choose, criterion, rows } = await asking("orders.ndjson");
    await criterion("ordered_at", "exactly", "2024");
    await tab("Groups");
    await choose("by", "ordered_at");
    await choose("Show", "sum");
    await choose("of", "amount");
    const found = await rows("sum of amount by month of ordered_at");
    const expected = byKey(
      orders.filter(({ ordered_at: at }) => at.startsWith("2024")),
      ({ ordered_at: at }) => at.slice(0, 7),
    );
    expect(found.map(([month, amount]) => [month, amount])).toEqual(
      Array.from(expected, ([month, some]) => [
        month,
        fixed(money(some.map(({ amount }) => amount)), 2),
      ]),
    );
  });
});

describe("operations", () => {
  test("O2: errors of each hour", async () => {
    const { tab, choose, rows } = await asking("access.ndjson");
    await tab("Groups");
    await choose("by", "at");
    await choose("in steps of", "hour");
    await choose("of which", "status");
    await choose("is", JSON.stringify("500"));
    const found = await rows("records by hour of at");
    const expected = byKey(requests, ({ at }) => `${at.slice(0, 13).replace("T", " ")}:00`);
    expect(found.map(([hour, all, , errors]) => [hour, all, errors])).toEqual(
      Array.from(expected, ([hour, some]) => [
        hour,
        String(some.length),
        String(some.filter(({ status }) => status === 500).length),
      ]).slice(0, found.length),
    );
  });

  test("O9: from 14:00 to 14:15 in Berlin", async () => {
    const { page, choose, criterion } = await asking("access.ndjson");
    await choose("Time zone", "Europe/Berlin");
    await criterion("at", "between", "2024-09-09 14:00, 2024-09-09 14:14");
    const [from, end] = ["2024-09-09T12:00:00.000Z", "2024-09-09T12:15:00.000Z"];
    const expected = requests.filter(({ at }) => at >= from && at < end);
    await matching(page, expected.length);
    await until(async () => {
      const first = await page.$eval("#row-0", (row) => (row as HTMLElement).innerText);
      const { at = "" } = expected[0] ?? {};
      expect(first).toContain(at.replace("T12", " 14").replace("Z", ""));
    });
  });
});
