// Eight questions about a table, each answered from the head of a column, in Chromium, from disk, with a table of known
// answers. Then other features of the same pages: links, files, pictures, profiles, charts, with the keyboard.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { beforeAll, describe, expect, test } from "vitest";
import { percents } from "../../src/playground/page/words.ts";
import { axeFindings, drop, emulate, matching, savedAt, styleOf, textsOf } from "./opened.ts";
import { until, usePage } from "./opened.ts";

const { shared, folder } = usePage(0);

const COUNTRIES = ["Austria", "Brazil", "Canada", "Japan"];
const CHANNELS = ["app", "shop", "web"];

type Order = {
  readonly id: number;
  readonly placed: string;
  readonly customer: string;
  readonly country: string;
  readonly status: string;
  readonly channel: string;
  readonly amount: number;
  readonly items: number;
  readonly address: string;
};

/** Orders of two years. Some addresses are there twice, and three amounts are missing. */
const orders = Array.from({ length: 1200 }, (_, i): Order => {
  const mixed = (i * 7919) % 1009;
  return {
    id: i + 1,
    placed: new Date(Date.UTC(2023, 0, 1, mixed % 24) + Math.floor((i / 1200) * 730) * 86_400_000)
      .toISOString()
      .slice(0, 19),
    customer: `Customer ${mixed % 40}`,
    country: COUNTRIES[(i + (mixed % 2)) % 4] ?? "",
    status: mixed % 5 === 0 ? "unpaid" : "paid",
    channel: CHANNELS[mixed % 3] ?? "",
    amount: mixed % 400 === 7 ? NaN : Number((5 + (mixed * mixed) / 1000).toFixed(2)),
    items: 1 + (mixed % 17),
    address: i < 6 ? `${i % 3} Elm Street` : `${i} Oak Road`,
  };
});

const csv = [
  Object.keys(orders[0] ?? {}).join(),
  ...orders.map((order) =>
    Object.values<string | number>(order)
      .map((each) => (Number.isNaN(each) ? "" : each))
      .join(),
  ),
].join("\n");

const amounts = (some: readonly Order[]) =>
  some.map(({ amount }) => amount).filter((amount) => !Number.isNaN(amount));
const missing = orders.length - amounts(orders).length;
const revenue = (some: readonly Order[]) =>
  amounts(some).reduce((sum, amount) => sum + Math.round(amount * 100), 0) / 100;
const number = (value: number, digits = 0) =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Orders by something, and what follows from those of each. */
function by<Result>(key: (order: Order) => string, of: (some: readonly Order[]) => Result) {
  const names = [...new Set(orders.map(key))];
  return names.map((name) => [name, of(orders.filter((each) => key(each) === name))] as const);
}

let page: Page;
/** What it took to answer: an option of a list takes two, as people make them. */
let clicks = 0;

beforeAll(async () => {
  page = await shared();
  await drop(page, "orders.csv", `${csv}\n`);
  await matching(page, orders.length);
}, 120_000);

const click = async (selector: string) => {
  clicks++;
  await page.locator(selector).click();
};
const tab = (name: string) => click(`::-p-aria([name="${name}"][role="tab"])`);
const choose = async (label: string, value: string) => {
  clicks += 2;
  await page.locator(`::-p-aria([name="${label}"][role="combobox"])`).fill(value);
};

/** Asks by the menu of a column, from the table. */
async function ask(column: string, group: string, offer: string): Promise<void> {
  clicks = 0;
  await page.locator(`::-p-aria([name="Table"][role="tab"])`).click();
  await click(`::-p-aria([name="About ${column}"][role="button"])`);
  await click(`.menu:popover-open p[aria-label="${group}"] ::-p-text(${offer})`);
}

/** The rows of the table of groups, once it is about this, and what stands under them. */
async function rows(title: string, part = "tbody"): Promise<string[][]> {
  await page.waitForFunction(
    (wanted) => document.querySelector(".groups section")?.getAttribute("aria-label") === wanted,
    {},
    title,
  );
  return await page.$$eval(`.ranked ${part} tr`, (all) =>
    all.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText.trim())),
  );
}

describe("questions", () => {
  test("which ten customers bring the most revenue?", async () => {
    await ask("customer", "By value", "Sum of amount");
    const expected = by(({ customer }) => customer, revenue)
      .sort(([, a], [, b]) => b - a)
      .slice(0, 10);
    const found = await rows("sum of amount by customer");
    expect(found.slice(0, 10).map(([name, sum]) => [name, sum])).toEqual(
      expected.map(([name, sum]) => [name, number(sum, 2)]),
    );
    expect(clicks).toBe(2);
    const all = await rows("sum of amount by customer", "tfoot");
    expect(all.map(([name]) => name)).toEqual(["20 other groups", "All records"]);
    expect(all.at(-1)?.[1]).toBe(number(revenue(orders), 2));
    expect(await textsOf(page, ".groups header p")).toEqual([
      `20 of 40 groups · 1,200 records · ${missing} without amount`,
    ]);
  });

  test("what share of the orders is unpaid, by country?", async () => {
    await ask("country", "By value", "Count");
    await choose("of which", "status");
    await page.waitForSelector(".asked ::-p-aria([name='is'][role='combobox'])");
    await choose("is", '"unpaid"');
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".ranked thead th")].some((each) =>
        each.textContent.includes("status is unpaid"),
      ),
    );
    const unpaid = orders.filter(({ status }) => status === "unpaid").length;
    const shares = by(
      ({ country }) => country,
      (some) => some.filter(({ status }) => status === "unpaid").length / some.length,
    );
    const found = await rows("records by country");
    const text = percents([...shares.map(([, share]) => share), unpaid / orders.length]);
    expect(new Map(found.map((row) => [row[0], row.at(-1)]))).toEqual(
      new Map(shares.map(([name, share]) => [name, text(share)])),
    );
    expect(clicks).toBe(6);
  });

  test("how does revenue go from month to month?", async () => {
    await ask("placed", "By month", "Sum of amount");
    await choose("of which", "");
    const found = await rows("sum of amount by month of placed");
    expect(found.map(([month, sum]) => [month, sum])).toEqual(
      by(({ placed }) => placed.slice(0, 7), revenue).map(([month, sum]) => [
        month,
        number(sum, 2),
      ]),
    );
    const line = await page.waitForSelector(".lines svg");
    expect(await line?.evaluate((svg) => svg.getAttribute("aria-label"))).toMatch(
      /^sum of amount from 2023-01 to 2024-12, from [\d,.]+ to [\d,.]+$/,
    );
    expect(await textsOf(page, ".lines .ticks.below span")).toContain("2024-01");
  });

  test("on which weekdays do people order?", async () => {
    await ask("placed", "By weekday", "Count");
    const found = await rows("records by weekday of placed");
    const counts = new Map(
      by(
        ({ placed }) =>
          new Date(`${placed}Z`).toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" }),
        (some) => some.length,
      ),
    );
    expect(found.map(([day, count]) => [day, count])).toEqual(
      "Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday"
        .split(",")
        .map((day) => [day, number(counts.get(day) ?? 0)]),
    );
    expect(clicks).toBe(2);
  });

  test("which addresses are there twice?", async () => {
    await ask("address", "By value", "Duplicates");
    expect((await rows("records by address")).map((row) => row.slice(0, 2))).toEqual(
      [0, 1, 2].map((i) => [`${i} Elm Street`, "2"]),
    );
    expect((await textsOf(page, ".groups header p"))[0]).toContain(
      "1,194 with fewer than 2 records left out",
    );
    expect(clicks).toBe(2);
  });

  test("what is the 99th percentile of the amounts?", async () => {
    await ask("amount", "By status", "99th percentile");
    const sorted = amounts(orders).sort((a, b) => a - b);
    const all = await rows("99th percentile of amount by status", "tfoot");
    expect(all.at(-1)?.[1]).toBe(number(sorted[Math.ceil(0.99 * sorted.length) - 1] ?? NaN, 2));
    expect(clicks).toBe(2);
  });

  test("which channel has the highest mean amount, and which orders are that?", async () => {
    await ask("amount", "By status", "Mean");
    await choose("by", "channel");
    const means = by(
      ({ channel }) => channel,
      (some) => revenue(some) / amounts(some).length,
    ).sort(([, a], [, b]) => b - a);
    const found = await rows("mean of amount by channel");
    expect(found.map(([name]) => name)).toEqual(means.map(([name]) => name));
    const best = means[0]?.[0] ?? "";
    await click(`.ranked ::-p-aria([name="${best}"][role="button"])`);
    await matching(page, orders.filter(({ channel }) => channel === best).length);
    // Groups are of the records that match.
    await until(async () => {
      expect(await rows("mean of amount by channel")).toHaveLength(1);
      expect((await rows("mean of amount by channel", "tfoot")).map(([name]) => name)).toEqual([
        "All records that match",
      ]);
    });
    expect(await page.$$eval(".ranked [aria-pressed=true]", (all) => all.length)).toBe(1);
    await click('.groups ::-p-aria([name="Reset"][role="button"])');
    await matching(page, orders.length);
  });

  test("how many amounts are missing?", async () => {
    clicks = 0;
    await tab("Profile");
    await page.waitForFunction(
      () => document.querySelector(".profiles header p")?.textContent === "9 columns",
    );
    const found = await page.$$eval(".profile tbody tr", (all) =>
      all.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText)),
    );
    const sorted = amounts(orders).sort((a, b) => a - b);
    expect(found[6]?.slice(0, 7)).toEqual([
      ...["amount", "float", `${missing} 0.3 %`, number(new Set(sorted).size)],
      ...[0, Math.ceil(sorted.length / 2) - 1, sorted.length - 1].map((at) =>
        number(sorted[at] ?? NaN, 2),
      ),
    ]);
    expect(found[4]?.at(-2)?.replaceAll(/\s+/g, " ")).toMatch(/^paid \d\d % unpaid \d\d %$/);
    expect(clicks).toBe(1);
  });
});

test("a link and the same file show the same groups", async () => {
  await ask("placed", "By month", "Sum of amount");
  const before = await rows("sum of amount by month of placed");
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes('"month","sum"'));
  const address = page.url();
  await page.locator('::-p-aria([name="Close orders.csv"][role="button"])').click();
  await page.waitForFunction(() => location.hash === "");
  await page.evaluate((hash) => (location.hash = hash), new URL(address).hash);
  await page.waitForFunction(() => document.body.innerText.includes("This link needs"));
  await drop(page, "orders.csv", `${csv}\n`);
  expect(await rows("sum of amount by month of placed")).toEqual(before);
});

test("groups are saved as a file, and as a picture", async () => {
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await ask("country", "By value", "Sum of amount");
  await rows("sum of amount by country");
  const name = "orders.sum of amount by country";
  for (const format of ["CSV", "SVG"]) {
    await page.locator('::-p-aria([name="Save groups"][role="button"])').click();
    await page.locator(`.groups .choices ::-p-text(${format})`).click();
    const saved = await savedAt(join(folder, `${name}.${format.toLowerCase()}`));
    for (const country of COUNTRIES) expect(saved.toString()).toContain(country);
  }
  const lines = readFileSync(join(folder, `${name}.csv`), "utf8")
    .trim()
    .split(/\r?\n/);
  expect(lines[0]).toBe("country,records,sum of amount");
  expect(
    new Map(lines.slice(1).map((line) => [line.split(",")[0], Number(line.split(",")[2])])),
  ).toEqual(new Map(by(({ country }) => country, revenue)));
});

test("a step of a line selects its records", async () => {
  await ask("placed", "By month", "Count");
  await rows("records by month of placed");
  const box = await (await page.waitForSelector(".lines svg"))?.boundingBox();
  if (box === null || box === undefined) throw new Error("there is no line");
  await page.mouse.click(box.x + 1, box.y + box.height / 2);
  await matching(page, orders.filter(({ placed }) => placed.startsWith("2023-01")).length);
  await click('.groups ::-p-aria([name="Reset"][role="button"])');
  await matching(page, orders.length);
});

test("a scatter plot selects what is drawn over, and heights have one scale or a logarithmic one", async () => {
  await tab("Facets");
  await choose("across axis", "amount");
  await choose("up axis", "items");
  const plot = await page.waitForSelector(".scatter .plot svg");
  await page.waitForSelector(".scatter .points.some");
  await plot?.scrollIntoView();
  const box = await plot?.boundingBox();
  if (box === null || box === undefined) throw new Error("there is no plot");
  await page.mouse.move(box.x + 1, box.y + 1);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 3 });
  await page.mouse.up();
  await page.waitForSelector(".scatter .box");
  await page.waitForSelector(".scatter .points.all");
  const sorted = amounts(orders).sort((a, b) => a - b);
  const middle = ((sorted[0] ?? 0) + (sorted.at(-1) ?? 0)) / 2;
  // The end of the box is rounded to what can be seen.
  const expected = orders.filter(({ amount, items }) => amount < middle && items >= 9);
  const found = await until(async () => {
    const [text = ""] = await textsOf(page, ".matching:not(.stale) strong");
    expect(Number(text.replaceAll(",", ""))).toBeLessThan(orders.length);
    return Number(text.replaceAll(",", ""));
  });
  expect(Math.abs(found - expected.length)).toBeLessThanOrEqual(5);
  // By keys, too.
  const slider = await page.waitForSelector(
    '.bounds ::-p-aria([name="items from"][role="slider"])',
  );
  const low = Number(await slider?.evaluate((each) => each.getAttribute("aria-valuenow")));
  await slider?.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(
    (before) =>
      Number(document.querySelectorAll(".bounds [role=slider]")[2]?.getAttribute("aria-valuenow")) >
      before,
    {},
    low,
  );
  const drawn = () =>
    page.$eval("section[aria-label=amount] .some", (path) => path.getAttribute("d"));
  for (const name of ["Selection and all on one scale", "Log scale"]) {
    const before = await drawn();
    await click(`::-p-aria([name="${name}"][role="checkbox"])`);
    await page.waitForFunction(
      (path) =>
        document.querySelector("section[aria-label=amount] .some")?.getAttribute("d") !== path,
      {},
      before,
    );
  }
  await click('.bounds ::-p-aria([name="Reset"][role="button"])');
  await matching(page, orders.length);
});

test("by the keyboard alone, from the head of a column to a group that is selected", async () => {
  await page.locator(`::-p-aria([name="Table"][role="tab"])`).click();
  const head = await page.waitForSelector('::-p-aria([name="About country"][role="button"])');
  await head?.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".menu:popover-open dd");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await rows("records by country");
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement?.closest(".ranked") !== null)) break;
  }
  const name = await page.evaluate(() => document.activeElement?.textContent ?? "");
  await page.keyboard.press("Enter");
  await matching(page, orders.filter(({ country }) => country === name).length);
  await page.keyboard.press("Enter");
  await matching(page, orders.length);
});

test("groups, profiles, charts and the menu of a head are there for every reader", async () => {
  const beyond = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  const lies = async (part: string) => {
    // 640 pixels are 1,280 at 200 %.
    for (const width of [360, 390, 640, 1440, 2560]) {
      await page.setViewport({ width, height: 900 });
      expect([part, width, await beyond()]).toEqual([part, width, 0]);
    }
    await page.setViewport({ width: 1280, height: 900 });
  };
  const unnamed = () =>
    page.$$eval("main :is(button, input, select, [role=slider], [tabindex])", (all) =>
      all.flatMap((each) => {
        if (!each.checkVisibility()) return [];
        const labels = each instanceof HTMLInputElement || each instanceof HTMLSelectElement;
        const label = labels ? (each.labels?.[0]?.textContent ?? "") : each.textContent;
        const named = each.getAttribute("aria-label") ?? each.getAttribute("aria-labelledby");
        return (named ?? label) === "" ? [each.outerHTML] : [];
      }),
    );
  const parts = { Groups: ".ranked", Profile: ".profile td.number", Facets: ".points" };
  for (const [part, content] of Object.entries(parts)) {
    await tab(part);
    await page.waitForSelector(content);
    expect([part, await axeFindings(page), await unnamed()]).toEqual([part, [], []]);
    await lies(part);
    await page.setViewport({ width: 794, height: 1123 });
    await page.emulateMediaType("print");
    expect([part, "paper", await beyond()]).toEqual([part, "paper", 0]);
    await page.emulateMediaType();
    await page.setViewport({ width: 1280, height: 900 });
  }

  // The system's colours, and nothing moves: what only a colour told is a line.
  await emulate(page, "", { "forced-colors": "active", "prefers-reduced-motion": "reduce" });
  const paper = await styleOf(page, "body", "background-color");
  expect(await styleOf(page, ".points.some", "stroke")).not.toBe(paper);
  await ask("placed", "By month", "Sum of amount");
  await choose("of which", "status");
  await page.waitForSelector(".lines .line-of.all");
  await page.waitForSelector(".ranked .part");
  const line = (which: string) => styleOf(page, `.line-of.${which}`, "stroke-dasharray");
  expect([await line("some"), await line("all")]).toEqual(["none", expect.stringMatching(/\d/)]);
  const colours = await Promise.all(
    [".ranked .bar", ".ranked .part"].map((each) => styleOf(page, each, "background-color")),
  );
  expect(new Set([paper, ...colours]).size).toBe(3);
  await click(".ranked button.name");
  await page.waitForSelector('.ranked [aria-pressed="true"]');
  const underlined = '.ranked [aria-pressed="true"]';
  expect(await styleOf(page, underlined, "text-decoration-line")).toBe("underline");
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  await click(".ranked button.name");
  await matching(page, orders.length);

  // The menu of a head, by keys: it closes, and the focus is where it was.
  await page.locator(`::-p-aria([name="Table"][role="tab"])`).click();
  await (await page.waitForSelector('::-p-aria([name="About amount"][role="button"])'))?.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector(".menu:popover-open dd");
  expect(await styleOf(page, ".menu", "border-top-color")).not.toBe(paper);
  await emulate(page, "", {});
  expect([await axeFindings(page), await unnamed()]).toEqual([[], []]);
  await lies("the menu");
  await page.waitForSelector(".menu:popover-open");
  await page.keyboard.press("Escape");
  await page.waitForFunction(
    () => document.activeElement?.getAttribute("aria-label") === "About amount",
  );
});
