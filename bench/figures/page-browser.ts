// The page in Chromium, as the figures of it measure it: built, launched and opened, over data of its own or a file.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { FIRST_VIEW, toLink, type Tab } from "../../src/playground/link.ts";
import { timingOf } from "../measure.ts";
import type { Timing } from "../results.ts";

/** Nanoseconds. */
export interface Measured {
  /** From opening the page, or the file, to the answer or the charts. */
  readonly load: number;
  readonly step: Timing;
  readonly slowest: number;
  /** The longest time for which the page's own thread was busy. */
  readonly longest: number;
}

/** How long loading may take, in milliseconds. */
export const PATIENCE = 300_000;

/** A page with its data, and how long they took to load. */
export interface Opened {
  readonly page: Page;
  readonly load: number;
}

/** Builds the page as it is packed, and runs something with it in Chromium. */
export async function withPage<Result>(run: (at: Site) => Promise<Result>): Promise<Result> {
  const { buildPage } = await import("../../src/playground/build.ts");
  const folder = mkdtempSync(join(tmpdir(), "tercet-page-"));
  const browser = await launched();
  try {
    const file = join(folder, "tercet.html");
    writeFileSync(file, (await buildPage({ isSmall: true })).html);
    return await run({ browser, url: pathToFileURL(file).href, folder, launch: launched });
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A new Chromium. */
export async function launched(): Promise<Browser> {
  // Only figures of pages need a browser.
  const { default: chromium } = await import("@sparticuz/chromium");
  const { default: puppeteer } = await import("puppeteer-core");
  return await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? (await chromium.executablePath()),
    headless: "shell",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
    protocolTimeout: PATIENCE,
  });
}

/** The page, and where it is open. */
export interface Site {
  readonly browser: Browser;
  readonly url: string;
  /** For files. It is removed in the end. */
  readonly folder: string;
  /** Starts another browser, whose memory nothing else has used. */
  readonly launch: () => Promise<Browser>;
}

/** Opens generated contacts. */
export const contactsIn = ({ browser, url }: Site, count: number, tab: Tab): Promise<Opened> =>
  opened(browser, url + toLink({ ...FIRST_VIEW, kind: "contacts", count, tab }));

export async function opened(browser: Browser, url: string): Promise<Opened> {
  const page = await pageIn(browser);
  const start = performance.now();
  await page.goto(url, { timeout: PATIENCE });
  await page.waitForSelector(".matching, section svg", { timeout: PATIENCE });
  return { page, load: (performance.now() - start) * 1e6 };
}

export async function picked(
  browser: Browser,
  url: string,
  file: string,
  tab: Tab = "answer",
): Promise<Opened> {
  const page = await pageIn(browser);
  await page.goto(url);
  const input = await page.waitForSelector("input[type=file]");
  if (input === null) throw new Error("there is no way to open a file");
  const start = performance.now();
  await input.uploadFile(file);
  await page.waitForSelector(".matching", { timeout: PATIENCE });
  const load = (performance.now() - start) * 1e6;
  await page.click(`#tab-${tab}`);
  return { page, load };
}

export async function pageIn(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  // tsx names functions by calling this.
  await page.evaluateOnNewDocument("globalThis.__name = (named) => named");
  await page.evaluateOnNewDocument(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ type: "longtask", buffered: true });
  });
  return page;
}

export async function measured(
  { page, load }: Opened,
  times: readonly number[],
): Promise<Measured> {
  const longest = await page.evaluate(
    () => Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks) * 1e6,
  );
  await page.close();
  return { load, step: timingOf(times), slowest: Math.max(...times), longest };
}
