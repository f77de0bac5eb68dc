// Views that are saved by name, and two of them side by side.

import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import {
  axeFindings,
  criteriaText,
  drop,
  dropAll,
  matching,
  textsOf,
  until,
  usePage,
  waitForText,
  writeCriteria,
} from "./opened.ts";

const { openEmpty, openAddress } = usePage(0);

const csv = `n,letter\n${Array.from({ length: 60 }, (_, i) => `${i},${"abc"[i % 3]}`).join("\n")}\n`;

const press = (page: Page, name: string) =>
  page.locator(`::-p-aria([name="${name}"][role="button"])`).click();

async function save(page: Page, name: string): Promise<void> {
  await press(page, "Views");
  await page.locator('::-p-aria([name="Name of this view"])').fill(name);
  await press(page, "Save");
  await page.waitForSelector(`::-p-aria([name="Remove ${name}"][role="button"])`);
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
}

/** Waits for the address, which follows a little later. */
const viewIs = (page: Page, name: string) =>
  until(() => {
    expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("view")).toBe(name);
  });

test("a view is saved by its name, opened, kept for the next time, and removed", async () => {
  const page = await openEmpty();
  await drop(page, "letters.csv", csv);
  await matching(page, 60);
  await writeCriteria(page, '[["letter","exactly","b"]]');
  await matching(page, 20);
  await page.click("#tab-facets");
  await save(page, "the b");
  await viewIs(page, "the b");
  await writeCriteria(page, '[["n","less_than",7]]');
  await matching(page, 7);
  await page.click("#tab-answer");
  await save(page, "seven");
  await press(page, "Views");
  await press(page, "the b letters.csv");
  await matching(page, 20);
  expect(await page.$eval("#tab-facets", (tab) => tab.getAttribute("aria-selected"))).toBe("true");

  await viewIs(page, "the b");
  // Another page of this browser has them; a file is asked for.
  const other = await openAddress(page.url());
  await waitForText(other, ".matching", "This link needs letters.csv");
  await drop(other, "letters.csv", csv);
  await matching(other, 20);
  await press(other, "Views");
  await press(other, "Remove the b");
  await press(other, "Remove seven");
  await until(async () => expect(await textsOf(other, ".views li")).toEqual([]));
  expect(await other.evaluate(() => localStorage.getItem("tercet views"))).toBe("[]");
  // What is stored may be anything.
  await other.evaluate(() => localStorage.setItem("tercet views", '[5,["a"],["b","#show=5"]]'));
  await press(other, "Views");
  await press(other, "Views");
  await until(async () => expect((await textsOf(other, ".views li")).length).toBe(1));
  await other.evaluate(() => localStorage.clear());
});

test("two views are shown side by side, of one table or of two, each with its own question", async () => {
  const page = await openEmpty();
  await page.setViewport({ width: 2000, height: 900 });
  await drop(page, "letters.csv", csv);
  await matching(page, 60);
  await writeCriteria(page, '[["letter","exactly","b"]]');
  await matching(page, 20);
  await press(page, "Views");
  await press(page, "A second view of this table");
  const counts = () => textsOf(page, ".matching:not(.stale) strong");
  await until(async () => expect(await counts()).toEqual(["20", "20"]));
  expect(await textsOf(page, ".tables .source")).toEqual(["letters.csv", "letters.csv (2)"]);
  // The second one is the new one, and the first part of the page.
  await writeCriteria(page, '[["letter","exactly","b"],["n","less_than",10]]');
  await until(async () => expect(await counts()).toEqual(["20", "3"]));
  const ids = await page.$$eval("[id]", (all) => all.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  expect(await axeFindings(page)).toEqual([]);
  const lefts = await page.$$eval(".grid", (all) =>
    all.map((each) => Math.round(each.getBoundingClientRect().left)),
  );
  expect(lefts[1]).toBeGreaterThan(900);

  // Ctrl+Z is of the one that has the focus.
  const edit = async (pane: string) => {
    await page.locator(`#cell-0-0${pane}`).click({ count: 2 });
    await page.waitForSelector(`#cell-0-0${pane} input:focus`);
    await page.keyboard.type("8");
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      (id) => document.querySelector(`[data-pane="${id}"] .said`)?.textContent.includes("Done"),
      {},
      pane,
    );
  };
  await edit("-2");
  await edit("");
  await page.focus('[data-pane="-2"] .grid');
  await page.keyboard.down("Control");
  await page.keyboard.press("z");
  await page.keyboard.up("Control");
  await waitForText(page, '[data-pane="-2"] .said', "Undone");
  await waitForText(page, '[data-pane=""] .said', "Done");

  await press(page, "Side by side");
  await until(async () => expect(await page.$$(".grid")).toHaveLength(1));
  await dropAll(page, { "other.csv": "x\n1\n" });
  await matching(page, 1);
  await press(page, "Side by side");
  await until(async () => expect(await page.$$(".grid")).toHaveLength(2));
  expect(JSON.parse(await criteriaText(page))).toEqual([]);
});
