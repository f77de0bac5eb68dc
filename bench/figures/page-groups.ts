// How long the page takes from another choice in its table of groups to the frame that shows them: a hundred tables of
// groups that were not shown before, by each column, in each measure.

import type { Page } from "puppeteer-core";
import { measured, type Measured, type Opened } from "./page-browser.ts";

const MEASURES = ["count", "sum", "mean", "minimum", "median", "p99", "maximum"];
const PARTS = ["year", "quarter", "month", "week", "day", "weekday", "hour"];
const BY = [
  "country",
  "customer",
  "state",
  "channel",
  "items",
  "discount",
  "is_gift",
  "total",
  "reference",
];

/** Every column, one of them without two equal texts, in every measure of the totals, and every step of the calendar in some: a hundred and more. */
const ASKED = [
  ...BY.flatMap((by) => MEASURES.map((measure) => ({ by, part: "value", measure }))),
  ...PARTS.flatMap((part) => MEASURES.map((measure) => ({ by: "placed_at", part, measure }))),
].map(({ by, part, measure }) => {
  const order = part === "value" ? "most" : "key";
  return JSON.stringify([by, part, measure, measure === "count" ? "" : "total", order, 1]);
});

/** For how long nobody asks anything first, in milliseconds. */
const IDLE = 3000;

/** The page shows its groups. */
export async function grouped(opened: Opened): Promise<Measured> {
  return await measured(opened, await timesOf(opened.page));
}

/** Nanoseconds of each. */
async function timesOf(page: Page): Promise<number[]> {
  // The page prepares for likely questions once nobody has asked for a moment.
  await new Promise((resolve) => setTimeout(resolve, IDLE));
  await page.waitForSelector(".ranked", { timeout: 60_000 });
  return await page.evaluate(async (asked) => {
    const times: number[] = [];
    const list = document.querySelector(".groups > section");
    if (list === null) throw new Error("there are no groups");
    for (const group of asked) {
      const parts = new URLSearchParams(location.hash.slice(1));
      parts.set("group", group);
      // The page writes its address a while after what it shows has changed.
      parts.set("show", "groups");
      const changed = new Promise<number>((resolve, reject) => {
        const start = performance.now();
        const observer = new MutationObserver(() => {
          observer.disconnect();
          requestAnimationFrame(() => resolve((performance.now() - start) * 1e6));
        });
        // It is named by its groups, once they are there.
        observer.observe(list, { attributeFilter: ["aria-label"] });
        setTimeout(() => reject(new Error(`no other groups: ${group}`)), 10_000);
      });
      location.hash = parts.toString();
      times.push(await changed);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return times;
  }, ASKED);
}
