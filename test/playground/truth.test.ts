// The page shows nothing wrong: labels, sums and nulls; Back and Forward; pasted data, and data with the name of
// another file; errors; and the layout at any size.

import { gzipSync } from "node:zlib";
import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import {
  axeFindings,
  criteriaText,
  drop,
  dropAll,
  matching,
  textOf,
  textsOf,
  until,
  usePage,
  waitForText,
  writeCriteria,
} from "./opened.ts";

const { openEmpty, openAddress, shared } = usePage(1);

const COUNT = 300;
const PLACED = Date.UTC(2024, 0, 1, 10, 20, 30, 250);
const records = Array.from({ length: COUNT }, (_, i) => ({
  id: i * 7 + 1,
  year: 1900 + (i % 90),
  amount: (700_972_000 + i * 25) / 100,
  candidate: 1_500_000_017 + i * 17,
  created_at: 1_700_000_000 + i * i,
  placed: new Date(PLACED + i * 3_600_000).toISOString(),
  name: [null, '"null"', '""', "Ada"][i % 4],
}));
const csv = [
  Object.keys(records[0] ?? {}).join(),
  ...records.map((record) => Object.values(record).join()),
  "",
].join("\n");

const cells = (page: Page, row: number) => textsOf(page, `#row-${row} > *`);
const columnAt = (name: string) => Object.keys(records[0] ?? {}).indexOf(name) + 1;

test("labels, sums, nulls and times are right, and an empty result says so", async () => {
  const page = await shared();
  await drop(page, "orders.csv", csv);
  await matching(page, COUNT);
  expect(await cells(page, 0)).toEqual([
    ...["1", "1900", "7,009,720.00", "1,500,000,017", "2023-11-14 22:13:20"],
    ...["2024-01-01T10:20:30.250Z", "null"],
  ]);
  expect((await cells(page, 1)).slice(2)).toContain("7,009,720.25");
  // A text is no null, whatever it says.
  const last = `:nth-child(${columnAt("name")})`;
  const names = await page.$$eval(`.body .line > ${last}`, (all) =>
    all.slice(0, 4).map((cell) => [cell.textContent, cell.classList.contains("none")]),
  );
  expect(names).toEqual([
    ["null", true],
    ["“null”", false],
    ["“”", true],
    ["Ada", false],
  ]);
  await waitForText(page, ".foot", "sum");
  const sum = records.reduce((all, { amount }) => all + Math.round(amount * 100), 0) / 100;
  const amountFoot = `sum ${sum.toLocaleString("en-US", { minimumFractionDigits: 2 })}`;
  const foot = (await textsOf(page, ".foot > *")).map((text) => text.split("\n")[0]);
  expect(foot.slice(0, 3)).toEqual(["from 1", "from 1900", amountFoot]);
  expect(foot.slice(4)).toEqual(["from 2023-11-14 22:13", "from 2024-01-01T10:20", ""]);
  // A type that is chosen is what the column is.
  await page.select('select[aria-label="Type of created_at"]', "int");
  await until(async () => expect(await cells(page, 0)).toContain("1,700,000,000"));

  await writeCriteria(page, '[["name","exactly","nobody"]]');
  await matching(page, 0);
  expect(await textOf(page, ".empty")).toBe("No records match.");
  expect(await page.$$(".selection, .line.active, .foot, [aria-activedescendant]")).toEqual([]);
  await page.focus(".grid");
  for (const key of ["ArrowDown", "Delete", "Enter", "F2"] as const) await page.keyboard.press(key);
  expect(await page.$$(".selection, .detail, .editor, .status .fault")).toEqual([]);
  await page.locator("::-p-aria(Change)").click();
  await page.waitForSelector(".changes .choices button:disabled");
  await page.keyboard.press("Escape");
  expect(await axeFindings(page)).toEqual([]);
});

test("columns without a chart are named, and the charts that are left can be had", async () => {
  const page = await shared();
  const names = Array.from({ length: 14 }, (_, i) => `measure${i + 1}`);
  const rows = Array.from({ length: 60 }, (_, row) => names.map((_, i) => row * (i + 1) + 0.5));
  const lines = rows.map((row) => [...row, "same"].join());
  await drop(page, "many.csv", `${[...names, "only"].join()}\n${lines.join("\n")}\n`);
  await matching(page, 60);
  await page.click("#tab-facets");
  await waitForText(page, ".note", "2 columns left: measure13, measure14");
  await waitForText(page, ".note", "No chart for only");
  await page.locator("::-p-aria(Show more charts)").click();
  await page.waitForSelector("section[aria-label=measure14]");
  expect(await textOf(page, ".note")).not.toContain("left");
  await drop(page, "one.csv", "a,b\n1,x\n");
  await waitForText(page, ".note", "There is nothing to chart.");
});

test("Back and forward walk through what was asked, and a typed value is one step", async () => {
  const page = await openEmpty();
  await drop(page, "orders.csv", csv);
  await matching(page, COUNT);
  const settled = (part: string) =>
    page.waitForFunction((wanted) => decodeURIComponent(location.hash).includes(wanted), {}, part);
  await settled("file=orders.csv");
  await writeCriteria(page, '[["year","less_than",1910]]');
  await matching(page, records.filter(({ year }) => year < 1910).length);
  await settled("1910");
  await page.click(`.head > :nth-child(${columnAt("amount")}) button`);
  await settled("sort=amount+DESC");
  await page.locator(".add ::-p-aria(And)").click();
  await settled('["id","contains",""]');
  const steps = await page.evaluate(() => history.length);
  await page.type(".element:nth-child(2) .value", "99");
  await settled('["id","contains","99"]');
  // However fast the keys came.
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(steps + 2);
  await page.click("#tab-facets");
  await settled("show=facets");

  const back = async (part: string, unwanted: string) => {
    await page.evaluate(() => history.back());
    await settled(part);
    await page.waitForFunction((text) => !location.hash.includes(text), {}, unwanted);
  };
  await back("99", "show=facets");
  await page.waitForSelector(".grid");
  while ((await criteriaText(page)).includes('"id"')) await back("1910", "show");
  await page.waitForSelector("[aria-sort=descending]");
  await back("1910", "sort=");
  await page.waitForSelector("[aria-sort=descending]", { hidden: true });
  await back("file=orders.csv", "1910");
  await matching(page, COUNT);
  await page.evaluate(() => history.forward());
  await matching(page, records.filter(({ year }) => year < 1910).length);
  // To the first screen and back: the table is still there.
  await page.evaluate(() => history.go(-2));
  await page.waitForSelector(".start");
  await page.evaluate(() => history.forward());
  await matching(page, COUNT);
});

const paste = (page: Page, text: string) =>
  page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    const event = { clipboardData, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new ClipboardEvent("paste", event));
  }, text);

/** Whether the browser asks before the page is left. */
const isAsked = (page: Page) =>
  page.evaluate(() => {
    const event = new Event("beforeunload", { cancelable: true });
    dispatchEvent(event);
    return event.defaultPrevented;
  });

test("cells are pasted from a spreadsheet, files of one name are several tables, and pasted ones are not lost", async () => {
  const page = await openEmpty();
  await paste(page, "not a table");
  expect(await page.$(".start")).not.toBeNull();
  await paste(page, 'town\tsize\r\n"Ulm\nNeu"\t5\r\nBonn\t7\r\n');
  await waitForText(page, ".matching", "2 of 2 records");
  expect(await textsOf(page, ".head > * > button:first-child")).toEqual(["town", "size"]);
  expect(await isAsked(page)).toBe(true);
  await paste(page, '[{"a":1},{"a":2},{"a":3}]');
  await waitForText(page, ".matching", "3 of 3 records");
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void dialog.accept();
  });
  for (const name of ["pasted.tsv", "pasted.json"]) {
    await page.locator(`::-p-aria(Close ${name})`).click();
  }
  await page.waitForSelector(".start");
  expect(asked).toHaveLength(2);

  await dropAll(page, { "a.csv": "n\n1\n" });
  await waitForText(page, ".matching", "1 of 1 records");
  expect(await isAsked(page)).toBe(false);
  await dropAll(page, { "a.csv": "n\n10\n20\n" });
  await waitForText(page, ".matching", "2 of 2 records");
  expect(await textsOf(page, ".tables [aria-pressed]")).toEqual(["a.csv", "a.csv (2)"]);
  await page.waitForFunction(() => location.hash.includes("copy=2"));
  await page.click(".tables li:first-child button");
  await waitForText(page, ".matching", "1 of 1 records");
  // The same file again is that table.
  await dropAll(page, { "a.csv": "n\n30\n40\n" });
  await waitForText(page, ".matching", "2 of 2 records");
  await until(async () => expect(await cells(page, 0)).toEqual(["30"]));
  expect(await textsOf(page, ".tables [aria-pressed]")).toHaveLength(2);
  await drop(page, "wrapped.json", '{"page":1,"data":[{"a":1},{"a":2},{"a":3}]}');
  await waitForText(page, ".matching", "3 of 3 records");
  expect(await textOf(page, ".reading summary")).toBe("Read as JSON");
});

test.each([
  ["short.csv", "a,b\n1\n", "short.csv: line 2", "Separated by"],
  ["half.json", '[{"a":1},{"a":', "half.json: records[1]", "Records at"],
  ["half.ndjson", '{"a":1}\n{"a"\n', "half.ndjson: line 2", "Records at"],
  ["latin.csv", Buffer.from("n\nJosé\n", "latin1"), "latin.csv: line 2", "Separated by"],
  ["none.parquet", "PAR1 and no more", "none.parquet: ", ""],
  ["book.xlsx", Buffer.from("504b0304fffe80", "hex"), "book.xlsx: ", ""],
  ["half.csv.gz", gzipSync("a\n1\n").subarray(0, 12), "half.csv.gz: ", ""],
])("the error of %s is about it, and offers what fits", async (name, content, said, offered) => {
  const page = await shared();
  await drop(page, "before.csv", "n\n1\n");
  await matching(page, 1);
  await drop(page, name, content);
  await waitForText(page, "main > .fault", said);
  if (offered === "") expect(await page.$(".reading")).toBeNull();
  else expect(await textOf(page, ".reading[open] label")).toContain(offered);
  await page.click(".tables li:first-child button");
  await matching(page, 1);
  expect(await page.$(".fault")).toBeNull();
});

const boxOf = (page: Page, selector: string) =>
  page.$eval(selector, (each) => {
    const { top, bottom, right } = each.getBoundingClientRect();
    return { top, bottom, right };
  });

test("the table is on the first screen, takes its space, and what is said of a cell is in sight", async () => {
  const page = await openAddress((await shared()).url().split("#")[0] ?? "");
  await drop(page, "orders.csv", csv);
  await matching(page, COUNT);
  const criteria = ["id", "year", "amount", "candidate", "created_at"].map((name) => [
    ...[name, "at_least", 0],
  ]);
  for (const list of [[], criteria]) {
    await writeCriteria(page, JSON.stringify(list));
    await page.waitForFunction(
      (rows) => document.querySelectorAll(".row").length === rows,
      {},
      list.length,
    );
    for (const [width, height] of [
      [390, 844],
      [1440, 900],
      [2560, 1300],
    ] as const) {
      await page.setViewport({ width, height });
      await until(async () => {
        expect((await boxOf(page, ".body .line")).top).toBeLessThan(height / 2);
        expect((await boxOf(page, ".grid")).bottom).toBeLessThanOrEqual(height);
        const { cut, free } = await page.$eval(".grid", (grid) => {
          const all = [...grid.querySelectorAll<HTMLElement>(".line:not(.head) > *")];
          const heads = [...grid.querySelectorAll(".head > *")];
          return {
            cut: all.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length,
            free: grid.clientWidth - (heads.at(-1)?.getBoundingClientRect().right ?? 0),
          };
        });
        expect(free).toBeLessThan(width / 20);
        if (width === 2560) expect(cut).toBe(0);
      });
      const rows = await page.$$eval(".row", (all) => all.map((row) => row.clientHeight));
      for (const high of rows) expect(high).toBeLessThan(40);
    }
  }

  // In a short table too, nothing covers what the library says of a value.
  await drop(page, "three.csv", "id,name,total\n1,ada,10.5\n2,bea,20\n3,cy,3\n");
  await matching(page, 3);
  await page.focus(".grid");
  for (const key of ["End", "ArrowRight", "ArrowRight", "F2"] as const) {
    await page.keyboard.press(key);
  }
  await page.waitForSelector(".editor input:focus");
  await page.keyboard.type("abc");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".editor .fault");
  const covered = await page.$eval(".editor .fault", (alert) => {
    const range = document.createRange();
    range.selectNodeContents(alert);
    return [...range.getClientRects()].filter(({ left, top, height }) => {
      const above = document.elementFromPoint(left + 2, top + height / 2);
      return above === null || !alert.contains(above);
    }).length;
  });
  expect(covered).toBe(0);
  await page.keyboard.press("Escape");

  // On paper it is said how many rows there are.
  await page.click(".tables li:first-child button");
  await matching(page, COUNT);
  await page.emulateMediaType("print");
  expect(await textOf(page, ".note.paper")).toMatch(/^Only rows 1 to \d+ of 300 are printed/);
});
