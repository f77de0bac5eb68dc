// Takes the screenshots for README.md and the page's document: `npm run pictures`. A million orders are opened from a
// file, as a user would. The numbers in the screenshots are from the machine that ran this.

import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "puppeteer-core";
import { buildPage } from "../../src/playground/build.ts";
import { generateOrders } from "../../src/playground/engine/orders.ts";
import { FIRST_VIEW, toLink, type View } from "../../src/playground/link.ts";
import { openWatched, theBrowser } from "./browser.ts";

const COUNT = 1_000_000;

interface Picture {
  readonly view: Partial<View>;
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
  /** What is done to the page before, until it shows what it is to show. */
  readonly ready: (page: Page) => Promise<unknown>;
}

const pictures: Readonly<Record<string, Picture>> = {
  facets: {
    view: {
      tab: "facets",
      criteria: [
        ["state", "in", ["paid", "sent"]],
        ["country", "in", ["Austria", "Germany", "Japan"]],
      ],
    },
    width: 1280,
    height: 840,
    scheme: "light",
    ready: (page) => page.waitForSelector(".facet .of-some"),
  },
  answer: {
    view: {
      criteria: [
        ["country", "exactly", "Japan"],
        ["total", "at_least", 500],
      ],
      sort: [["total", "DESC"]],
    },
    width: 1440,
    height: 810,
    scheme: "dark",
    ready: async (page) => {
      await page.click("#row-0");
      await page.waitForFunction(() => document.querySelector(".foot")?.textContent !== "");
    },
  },
};

const folder = mkdtempSync(join(tmpdir(), "tercet-pictures-"));
const [file, orders] = [join(folder, "playground.html"), join(folder, "orders.csv")];
try {
  writeFileSync(file, (await buildPage()).html);
  writeFileSync(orders, Buffer.concat([...generateOrders(COUNT, 1)]));
  const { page } = await openWatched(pathToFileURL(file).href);
  const [chooser] = await Promise.all([
    page.waitForFileChooser(),
    page.locator("::-p-aria(Open a file)").click(),
  ]);
  await chooser.accept([orders]);
  await page.waitForSelector(".took");
  for (const [name, picture] of Object.entries(pictures)) {
    const path = resolve(import.meta.dirname, `../../src/playground/${name}.webp`);
    await take(page, picture, path);
    console.log(`${name}.webp: ${statSync(path).size} bytes`);
  }
} finally {
  await (await theBrowser()).close();
  rmSync(folder, { recursive: true });
}

async function take(page: Page, picture: Picture, path: string): Promise<void> {
  const { view, width, height, scheme, ready } = picture;
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  const link = toLink({ ...FIRST_VIEW, file: "orders.csv", ...view });
  await page.evaluate((to) => (location.hash = to), link);
  await ready(page);
  // Charts come one after the other, and sums last.
  await new Promise((done) => setTimeout(done, 3000));
  await page.screenshot({ type: "webp", quality: 60, path });
}
