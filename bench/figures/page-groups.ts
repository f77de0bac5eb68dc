// How long the page takes from another choice in its table of groups to the frame that shows them: a hundred tables of
// groups that were not shown before, by each column, in each measure.

import type { Page } from "puppeteer-core";

const MEASURES = ["count", "sum", "mean", "minimum", "median", "p99", "maximum"];
const PARTS = ["year", "quarter", "month", "week", "day", "weekday", "hour"];
const BY = ["country", "customer", "state", "channel", "items", "discount", "is_gift", "total"];

/** Every column in every measure of the totals, and every step of the calendar in some: a hundred and more. */
const ASKED = [
  ...BY.flatMap((by) => MEASURES.map((measure) => ({ by, part: "value", measure }))),
  ...PARTS.flatMap((part) => MEASURES.map((measure) => ({ by: "placed_at", part, measure }))),
].map(({ by, part, measure }) => {
  const order = part === "value" ? "most" : "key";
  return JSON.stringify([by, part, measure, measure === "count" ? "" : "total", order, 1]);
});

/** Nanoseconds of each. The page shows its groups. */
export async function timesOfGroups(page: Page): Promise<number[]> {
  await page.waitForSelector(".ranked", { timeout: 60_000 });
  return await page.evaluate(async (asked) => {
    const times: number[] = [];
    const shown = document.querySelector(".groups");
    if (shown === null) throw new Error("there are no groups");
    for (const group of asked) {
      const parts = new URLSearchParams(location.hash.slice(1));
      parts.set("group", group);
      const changed = new Promise<number | undefined>((resolve) => {
        const start = performance.now();
        const observer = new MutationObserver(() => {
          if (shown.querySelector(".ranked td") === null) return;
          observer.disconnect();
          requestAnimationFrame(() => resolve((performance.now() - start) * 1e6));
        });
        // The controls change at once, and the list when its groups are there.
        for (const list of shown.querySelectorAll(":scope > section")) {
          observer.observe(list, { childList: true, subtree: true, characterData: true });
        }
        setTimeout(() => resolve(undefined), 3000);
      });
      location.hash = parts.toString();
      const time = await changed;
      if (time !== undefined) times.push(time);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return times;
  }, ASKED);
}
