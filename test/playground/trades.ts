// Small tables of the shapes that people of three trades have, and what they do with them on the page.

import type { Page } from "puppeteer-core";
import { drop, matching, usePage } from "./opened.ts";

const DAY = 86_400_000;
const MINUTE = 60_000;

/** Deterministic, and as if it were drawn. */
const mixed = (i: number) => (i * 7919) % 1009;
const oneOf = <const Value>(values: readonly [Value, ...Value[]], i: number): Value =>
  values[i % values.length] ?? values[0];

export const orders = Array.from({ length: 1500 }, (_, i) => {
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

export const requests = Array.from({ length: 2000 }, (_, i) => {
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
    user: { agent: { name: oneOf(["curl", "Firefox", "Chrome", "bot"], m + (i % 3)) } },
  };
});

export const people = Array.from({ length: 600 }, (_, i) => {
  const m = mixed(i + 1);
  return {
    email: i < 4 ? oneOf(["Ann@x.org", "ann@X.org"], i) : `p${i}@x.org`,
    sex: oneOf(["f", "m"], m),
    age: 18 + (m % 70),
    education: oneOf(["primary", "secondary", "university"], m),
    smoker: m % 4 === 0 ? "yes" : "no",
    income: m % 17 === 0 ? 0 : Math.round(12_000 * 1.8 ** ((m % 101) / 20 - 2.5)),
    score: m % 11 === 0 ? null : 50 + (m % 41) + (m % 70) / 10,
    q7: m % 6,
    q9: m % 5 === 0 ? null : m % 7,
    q10: m % 9 === 0 ? null : m % 5,
    q12: m % 13 === 0 ? null : m % 8,
    rare: i % 40 === 0 ? 1 : null,
  };
});

type Members = Readonly<Record<string, string | number | object | null>>;

const csvOf = (records: readonly Members[]) =>
  [
    Object.keys(records[0] ?? {}).join(),
    ...records.map((record) =>
      Object.values(record)
        .map((value) => (typeof value === "object" ? "" : String(value)))
        .join(),
    ),
  ].join("\n");
const ndjsonOf = (records: readonly Members[]) =>
  records.map((record) => JSON.stringify(record)).join("\n");

export const tables = {
  "orders.ndjson": [ndjsonOf(orders), orders.length],
  "access.ndjson": [ndjsonOf(requests), requests.length],
  "survey.csv": [csvOf(people), people.length],
} as const;

/** Opens one table at a time, and gives what people do with it. */
export function useTables() {
  const { shared } = usePage(0);
  return async (name: keyof typeof tables) => {
    const page = await shared();
    const [content, size] = tables[name];
    await drop(page, name, content);
    await matching(page, size);
    return { page, ...hands(page) };
  };
}

function hands(page: Page) {
  const tab = (name: string) => page.locator(`::-p-aria([name="${name}"][role="tab"])`).click();
  const press = (name: string) =>
    page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
  const choose = async (label: string, option: string) => {
    // The choice appears with the second column.
    if (label === "and by") await press("and by…");
    await page.locator(`::-p-aria([name="${label}"][role="combobox"])`).fill(option);
  };
  const type = async (label: string, text: string) => {
    await page.locator(`::-p-aria([name="${label}"][role="textbox"])`).fill(text);
  };
  /** The last criterion, which is added. `null` has a button. */
  const criterion = async (
    field: string,
    operator: string,
    value: string | null,
    before: "And" | "Or" = "And",
  ) => {
    await page.locator(`.criteria .add button:nth-of-type(${before === "Or" ? 2 : 1})`).click();
    for (const [i, option] of [field, operator].entries()) {
      const selects = await page.$$(".criteria .row select");
      await selects.at(i - 2)?.select(option);
    }
    const end = async (part: string) => (await page.$$(`.criteria .row ${part}`)).at(-1);
    if (value === null) await (await end(".null"))?.click();
    else {
      await (await end("input.value"))?.click();
      await page.keyboard.type(value);
    }
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
