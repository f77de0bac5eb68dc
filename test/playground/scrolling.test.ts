// Long tables: a wheel moves them by pixels, whatever their length, and the scroll bar to a share of them.

import fc from "fast-check";
import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { compression } from "../../src/playground/page/scrolling.ts";
import { settings } from "../property.ts";
import { drop, matching, until, usePage } from "./opened.ts";

const { openEmpty } = usePage(0);

test("every scroll position is a place, in the same order, and both ends are not compressed", () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8_000_000 }),
      fc.integer({ min: 0, max: 1e10 }),
      share,
      share,
      (most, more, one, other) => {
        const end = most + more;
        const { placeAt, scrollAt } = compression(most, end);
        expect([placeAt(0), placeAt(most)]).toEqual([0, end]);
        const [low, high] = [Math.min(one, other) * most, Math.max(one, other) * most];
        expect(placeAt(low)).toBeLessThanOrEqual(placeAt(high));
        expect(Math.abs(scrollAt(placeAt(low)) - low)).toBeLessThan(0.01);
        const near = one * Math.min(100_000, most / 4);
        expect(Math.abs(placeAt(near) - near)).toBeLessThan(0.01);
        expect(Math.abs(end - placeAt(most - near) - near)).toBeLessThan(0.01);
      },
    ),
    settings(500),
  );
});

const COUNT = 420_000;

/** The first value that is in sight, below the heads, and how far from there its row begins, in pixels. */
const firstInSight = (page: Page) =>
  page.evaluate(() => {
    const top = document.querySelector(".line.head")?.getBoundingClientRect().bottom ?? 0;
    const rows = [...document.querySelectorAll(".body .line")];
    const first = rows.find((row) => row.getBoundingClientRect().bottom > top + 0.5);
    const value = Number(first?.textContent);
    return { value, above: top - (first?.getBoundingClientRect().top ?? 0) };
  });

/** Where the first row in sight is in the table, in pixels. */
const placeOf = async (page: Page) => {
  const { value, above } = await firstInSight(page);
  return value * 28 + above;
};

/** Moves the wheel, and waits for the table to have moved. */
async function wheel(page: Page, by: number): Promise<void> {
  const before = await placeOf(page);
  await page.mouse.wheel({ deltaY: by });
  await until(async () => expect(Math.round((await placeOf(page)) - before)).toBe(by));
}

test("a wheel moves a long table by pixels; the scroll bar, by shares; keys, by rows", async () => {
  const page = await openEmpty();
  const lines = Array.from({ length: COUNT }, (_, i) => i).join("\n");
  await drop(page, "long.csv", `n\n${lines}\n`);
  await matching(page, COUNT);
  await page.mouse.move(400, 500);
  for (const by of [100, 100, 53, -120]) await wheel(page, by);
  expect(await placeOf(page)).toBe(133);

  // The middle.
  const dragTo = (share: number) =>
    page.$eval(
      ".grid",
      (grid, to) => {
        grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * to;
      },
      share,
    );
  await dragTo(0.5);
  await until(async () => {
    const { value } = await firstInSight(page);
    expect(Math.abs(value - COUNT / 2)).toBeLessThan(20);
  });
  for (const by of [100, 1000, -300, 100]) await wheel(page, by);
  await dragTo(1);
  const last = () => page.$$eval(".body .line", (all) => all.at(-1)?.textContent);
  await until(async () => expect(await last()).toBe(String(COUNT - 1)));
  for (const by of [-100, -1000, 40]) await wheel(page, by);

  await page.focus(".grid");
  await page.keyboard.press("End");
  const active = () => page.$eval(".line.active", (line) => line.textContent);
  await until(async () => expect(await active()).toBe(String(COUNT - 1)));
  await page.keyboard.press("Home");
  await until(async () => expect(await placeOf(page)).toBe(0));
});

test("the first records are there at once, while the rest is read", async () => {
  const page = await openEmpty();
  const lines = Array.from({ length: 300_000 }, (_, i) => `${i},name ${i},"<b>${i}"`).join("\n");
  const shown = page.waitForSelector(".preview tbody tr");
  await drop(page, "long.csv", `n,name,note\n${lines}\n`);
  const table = await shown;
  const [first, all] = (await table?.evaluate((row) => [
    [...row.children].map((cell) => cell.textContent),
    row.parentElement?.children.length,
  ])) ?? [[], 0];
  expect([first, all]).toEqual([["0", "name 0", "<b>0"], 30]);
  await matching(page, 300_000);
  expect(await page.$(".preview")).toBeNull();
});
