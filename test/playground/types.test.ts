// How a table is read: types chosen in column headers, times, CSV in any dialect, and strings that
// ignore case.

import * as parquetWriter from "hyparquet-writer";
import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { writeArrow, writeNdjson, writeParquet } from "../../src/import/index.ts";
import { fromLink, toLink } from "../../src/playground/link.ts";
import {
  axeFindings,
  brush,
  criteriaText,
  drop,
  matching,
  textOf,
  textsOf,
  until,
  usePage,
  waitForText,
  writeCriteria,
} from "./opened.ts";

const { openEmpty, openAddress, shared } = usePage(1);

const DAY = 86_400_000;
const START = Date.UTC(2024, 0, 1);
/** Two orders a day, in the morning and at the last moment of the day. */
const orders = Array.from({ length: 400 }, (_, i) => ({
  id: `A${i}`,
  placed: new Date(START + Math.floor(i / 2) * DAY + (i % 2 === 0 ? DAY / 3 : DAY - 1))
    .toISOString()
    .slice(0, 23),
  day: i % 10 === 0 ? null : new Date(START + Math.floor(i / 2) * DAY).toISOString().slice(0, 10),
  customer: ["Anna Ågren", "anna berg", "Bo"][i % 3] ?? "",
  size: i % 7,
}));
const csvOf = (rows: readonly Readonly<Record<string, string | number | null>>[]) =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((cells) => `${cells.map((cell) => cell ?? "").join(",")}\n`)
    .join("");

const selectFor = (name: string) => `select[aria-label="Type of ${name}"]`;
const typeOf = (page: Page, name: string) =>
  page.$eval(selectFor(name), (select) => (select as HTMLSelectElement).value);
const inLink = async (page: Page) => fromLink(await page.evaluate(() => location.hash));

/** From 5 March up to and with 20 April. */
const spring = orders.filter(({ placed }) => placed >= "2024-03-05" && placed < "2024-04-21");

async function typeCriterion(page: Page, field: string, operator: string, value: string) {
  await page.locator(".add button:not(.plain)").click();
  const row = `.element:nth-of-type(${await page.$$eval(".element", (all) => all.length)}) `;
  await page.select(`${row}select[aria-label=Field]`, field);
  await page.select(`${row}select[aria-label=Operator]`, operator);
  await page.type(`${row}.value`, value);
}

test("columns of ISO texts are times: typed, brushed, shown, edited and saved as they were", async () => {
  const page = await openEmpty();
  await drop(page, "orders.csv", csvOf(orders));
  await matching(page, 400);
  expect(await typeOf(page, "placed")).toBe("time");
  expect(await typeOf(page, "day")).toBe("time");
  expect(await typeOf(page, "id")).toBe("string");
  expect((await textsOf(page, ".line:not(.head) > :nth-child(2)")).slice(0, 2)).toEqual(
    orders.slice(0, 2).map(({ placed }) => placed),
  );
  await typeCriterion(page, "placed", "at_least", "2024-03-05");
  await typeCriterion(page, "placed", "at_most", "2024-04-20");
  await matching(page, spring.length);
  // What is typed stays as it was typed, by form and as text.
  expect(
    await page.$$eval(".row .value", (all) => all.map((each) => (each as HTMLInputElement).value)),
  ).toEqual(["2024-03-05", "2024-04-20"]);
  expect(JSON.parse(await criteriaText(page))).toEqual([
    ["placed", "at_least", "2024-03-05"],
    ["placed", "at_most", "2024-04-20"],
  ]);
  // A link shows the same.
  const asked: unknown = JSON.parse(await criteriaText(page));
  await until(async () => expect((await inLink(page)).criteria).toEqual(asked));
  const linked = await openAddress(await page.evaluate(() => location.href));
  await drop(linked, "orders.csv", csvOf(orders));
  await matching(linked, spring.length);
  expect(
    await linked.$$eval(".row .value", (all) =>
      all.map((each) => (each as HTMLInputElement).value),
    ),
  ).toEqual(["2024-03-05", "2024-04-20"]);
  // As text, too.
  await writeCriteria(page, '[["day","at_least","2024-07-01"],["day","in",["2024-07-01"]]]');
  await matching(page, orders.filter(({ day }) => day === "2024-07-01").length);
  await writeCriteria(page, "[]");
  await matching(page, 400);

  await page.click("#tab-facets");
  await brush(page, "placed", 0.3, 0.5);
  const [lower, upper] = JSON.parse(await criteriaText(page)) as [string, string, number][];
  await matching(
    page,
    orders.filter(({ placed }) => {
      const time = Date.parse(`${placed}Z`);
      return time >= (lower?.[2] ?? 0) && time < (upper?.[2] ?? 0);
    }).length,
  );
  expect(await axeFindings(page)).toEqual([]);
  // null is a mark of its own.
  await writeCriteria(page, "[]");
  const mark = 'section[aria-label=day] button[aria-label="40 null in day"]';
  await page.locator(mark).click();
  await matching(page, 40);
  expect(JSON.parse(await criteriaText(page))).toEqual([["day", "in", [null]]]);
  await page.locator(`${mark}[aria-pressed=true]`).click();
  await matching(page, 400);

  await page.click("#tab-answer");
  // Not by the mouse: rows that are drawn again between two clicks get one each, and a second try hits the editor.
  await page.focus(".grid");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await until(async () => {
    await page.$eval(".line:not(.head) > :nth-child(3)", (cell) =>
      cell.dispatchEvent(new MouseEvent("dblclick", { bubbles: true })),
    );
    expect(await page.$(".grid .editor input:focus")).not.toBeNull();
  });
  await page.keyboard.type("2024-12-24");
  await page.keyboard.press("Enter");
  await waitForText(page, ".line:not(.head) > :nth-child(3)", "2024-12-24");
  const saved = await page.evaluate(async () => {
    const made = new Promise<Blob>((done) => {
      URL.createObjectURL = (blob: Blob) => (done(blob), "blob:none");
      HTMLAnchorElement.prototype.click = () => undefined;
    });
    [...document.querySelectorAll("button")].find((each) => each.innerText === "Save as")?.click();
    await new Promise((done) => setTimeout(done, 100));
    [...document.querySelectorAll("button")].find((each) => each.innerText === "CSV")?.click();
    return await (await made).text();
  });
  expect(saved).toBe(
    csvOf(orders.map((each, i) => (i === 0 ? { ...each, day: "2024-12-24" } : each))),
  );
});

test("a column whose later texts are others is text, until somebody says that it is a time", async () => {
  const rows = Array.from({ length: 1500 }, (_, i) => ({
    id: `A${i}`,
    when: i === 1400 ? "2024-05-01 10:00:00+02:00" : "2024-05-01",
  }));
  const page = await shared();
  await drop(page, "late.csv", csvOf(rows));
  await matching(page, 1500);
  expect(await typeOf(page, "when")).toBe("string");
  await page.select(selectFor("when"), "time");
  await page.waitForFunction(
    (select) => document.querySelector<HTMLSelectElement>(select)?.value === "time",
    {},
    selectFor("when"),
  );
  await writeCriteria(page, `[["when","exactly",${Date.UTC(2024, 4, 1, 8)}]]`);
  await matching(page, 1);
});

test("a type is changed by a click, stands in the link, and one that is refused changes nothing", async () => {
  const page = await shared();
  await drop(page, "orders.csv", csvOf(orders));
  await matching(page, 400);
  await writeCriteria(page, '[["size","greater_than",3]]');
  const expected = orders.filter(({ size }) => size > 3).length;
  await matching(page, expected);
  await page.select(selectFor("customer"), "float");
  await waitForText(page, "main > .fault", "line 2.customer: must be a number such as 1,234.50");
  await matching(page, expected);
  expect(await typeOf(page, "customer")).toBe("string");
  await page.waitForFunction(() => !location.hash.includes("types="));
  await page.select(selectFor("size"), "string");
  await waitForText(page, ".fault", "greater_than takes a string");
  await page.select(selectFor("size"), "int");
  await matching(page, expected);
  expect(await page.$("main > .fault")).toBeNull();
  // The link still has the type that was refused until the page has drawn the next one.
  await until(async () => expect((await inLink(page)).readAs.types).toEqual([["size", "int"]]));
});

test("text in any case is a type, in the link and in all code", async () => {
  const page = await shared();
  await drop(page, "orders.csv", csvOf(orders));
  await matching(page, 400);
  await writeCriteria(page, '[["customer","contains","anna å"]]');
  await matching(page, 0);
  await page.select(selectFor("customer"), "string, any case");
  await matching(page, orders.filter(({ customer }) => customer === "Anna Ågren").length);
  await page.click("#tab-envelope");
  await waitForText(page, ".snippet", '"customer":{"type":"string","ignoreCase":true}');
  await waitForText(
    page,
    ".snippet",
    '"placed": (value: unknown) => Date.parse(String(value) + "Z")',
  );
  const press = (name: string) =>
    page.$$eval(
      ".same button",
      (all, wanted) => all.find((each) => (each as HTMLElement).innerText === wanted)?.click(),
      name,
    );
  await press("Shell");
  await waitForText(page, ".snippet", "tercet query orders.all.arrow");
  await press("PostgreSQL");
  await waitForText(page, ".snippet", 'strpos("customer_folded"');
});

test.each([
  ["ndjson", [...writeNdjson(orders)].join("")],
  ["parquet", writeParquet(parquetWriter, orders)],
  ["arrow", writeArrow(orders)],
])("times and types of %s", async (ending, content) => {
  const page = await shared();
  await drop(page, `orders.${ending}`, content);
  await matching(page, 400);
  expect(await typeOf(page, "day")).toBe("time");
  await writeCriteria(
    page,
    '[["placed","at_least","2024-03-05"],["placed","at_most","2024-04-20"]]',
  );
  await matching(page, spring.length);
  await page.select(selectFor("customer"), "string, any case");
  await writeCriteria(page, '[["customer","starts_with","ANNA"]]');
  await matching(page, orders.filter(({ customer }) => /^anna/i.test(customer)).length);
});

test("CSV with semicolons, decimal commas and in Windows-1252: what was assumed is said, and can be changed", async () => {
  const text = 'name;price;note\nJosé;"0,50";a\nBo;1.234,5;NA\n';
  const page = await shared();
  await drop(page, "preise.csv", Buffer.from(text, "latin1"));
  await waitForText(page, "main > .fault", "is not UTF-8");
  expect(await textsOf(page, "[role=tab]")).toContain("Code");
  await page.select(".reading label:nth-child(2) select", "windows-1252");
  await matching(page, 2);
  expect(await page.$("main > .fault")).toBeNull();
  expect(await page.$$eval(".reading select", (all) => all.map((each) => each.value))).toEqual([
    ";",
    "windows-1252",
    "true",
    ".",
  ]);
  await page.select(selectFor("price"), "float, decimal comma");
  await writeCriteria(page, '[["price","greater_than",1000]]');
  await matching(page, 1);
  expect(await textOf(page, ".line:not(.head) > :first-child")).toBe("Bo");
  await writeCriteria(page, '[["note","exactly",null]]');
  await matching(page, 0);
  await page.click(".reading summary");
  await page.type(".reading input", "NA");
  await page.keyboard.press("Enter");
  await matching(page, 1);
  await page.waitForFunction(() => location.hash.includes("nullText"));
  expect((await inLink(page)).readAs).toEqual({
    types: [["price", "float, decimal comma"]],
    text: { encoding: "windows-1252", nullText: "NA" },
  });
  expect(await axeFindings(page)).toEqual([]);
});

test("values of “in” are typed with spaces, and in quotes with commas; what was chosen stays whole", async () => {
  const rows = ["Paris, TX", "Paris", "Germany", "France", 'a "b"'].flatMap((place) =>
    Array.from({ length: 3 }, (_, i) => ({ place: `"${place.replaceAll('"', '""')}"`, i })),
  );
  const page = await shared();
  await drop(page, "places.csv", csvOf(rows));
  await matching(page, 15);
  await typeCriterion(page, "place", "in", "Germany, France");
  await matching(page, 6);
  await writeCriteria(page, '[["place","in",["Paris, TX"]]]');
  await matching(page, 3);
  await page.focus(".row .value");
  await page.keyboard.press("End");
  await page.keyboard.type("x");
  await page.keyboard.press("Backspace");
  await matching(page, 3);
  expect(JSON.parse(await criteriaText(page))).toEqual([["place", "in", ["Paris, TX"]]]);
});

test("no link makes a type of what is none", () => {
  const view = fromLink(
    `#file=a.csv&types=${encodeURIComponent('[["a","time"],["b","blob"],5,["a","int"],[null,"int"]]')}`,
  );
  expect(view.readAs.types).toEqual([["a", "int"]]);
  expect(fromLink(toLink(view))).toEqual(view);
});
