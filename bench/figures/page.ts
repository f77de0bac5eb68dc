// How long the page takes over contacts in a browser: from a key to the new answer, and from each step of a
// brush to all charts; compared with a page of the same charts on crossfilter2 in the same browser. On both
// pages the clock starts before the event is sent, and stops in the frame after its effect.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { FIRST_VIEW, toLink } from "../../src/playground/link.ts";
import { contacts, figure, rowsOfEach, type RowNumber } from "../figure.ts";
import { time } from "../format.ts";
import { timingOf } from "../measure.ts";
import type { Timing } from "../results.ts";

/** Brushing a histogram: from each step to all charts. */
interface Brushing {
  /** From opening the page to its charts. */
  readonly load: number;
  readonly step: Timing;
  readonly slowest: number;
  /** The longest time for which the page's own thread was busy. */
  readonly longest: number;
}

/** The page in a browser. */
interface PageResults {
  readonly size: number;
  readonly load: number;
  /** From a key to the answer. */
  readonly typing: Timing;
  readonly slowestKey: number;
  readonly longest: number;
  readonly brush: Readonly<Record<"tercet" | "crossfilter2", Brushing>>;
}

/** The text typed, letter by letter, and how many steps a brush has. */
const TYPED = "anna.smith";
const STEPS = 60;
/** How long loading may take, in milliseconds. */
const PATIENCE = 300_000;

const NUMBERS: readonly RowNumber<Brushing>[] = [
  ["page: opened and loaded", ({ load }) => load],
  ["page: a step of a brush", ({ step }) => step.median],
  ["page: the slowest step", ({ slowest }) => slowest],
  ["page: busy at a stretch", ({ longest }) => longest],
];

export const page = figure("page", {
  isExtra: true,
  chapter: "uses",
  reasons: {
    "On both pages most steps take one frame of the screen. A step of tercet takes a second frame if the worker's answer comes after the first has begun.":
      { "page: a step of a brush": ["crossfilter2"], "page: the slowest step": ["crossfilter2"] },
  },
  measure: ({ plan }) => measurePage(plan.size),
  rows: ({ size, brush }) => rowsOfEach(size, brush, NUMBERS),
  sections: ({ size, load, typing, slowestKey, longest, brush: { tercet, crossfilter2 } }) => [
    {
      title: `The page over ${contacts(size)}, in Chromium`,
      note: "From the event to the frame that draws its effect. Six charts; crossfilter2 counts in the page's own thread, tercet in a worker.",
      head: ["what", "tercet", "crossfilter2"],
      rows: [
        ["opened and loaded", time(load), time(crossfilter2.load)],
        ["a key to the answer", time(typing.median), ""],
        ["the slowest key", time(slowestKey), ""],
        ["a step of a brush", time(tercet.step.median), time(crossfilter2.step.median)],
        ["the slowest step", time(tercet.slowest), time(crossfilter2.slowest)],
        ["the page's thread busy at a stretch", time(longest), time(crossfilter2.longest)],
      ],
    },
  ],
});

async function measurePage(size: number): Promise<PageResults> {
  // Only this figure needs a browser.
  const { default: chromium } = await import("@sparticuz/chromium");
  const { default: puppeteer } = await import("puppeteer-core");
  const { buildPage } = await import("../../src/playground/build.ts");
  const place = mkdtempSync(join(tmpdir(), "tercet-page-"));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? (await chromium.executablePath()),
    headless: "shell",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
    protocolTimeout: PATIENCE,
  });
  try {
    const file = join(place, "tercet.html");
    writeFileSync(file, (await buildPage()).html);
    const own = pathToFileURL(file).href;
    const peer = join(place, "crossfilter.html");
    writeFileSync(peer, await crossfilterPage());
    const typing = await measureTyping(browser, own + linkTo(size, "answer"));
    const brush = await measureBrush(browser, own + linkTo(size, "facets"));
    const crossfilter = await measureBrush(browser, `${pathToFileURL(peer).href}#${size}`);
    return {
      size,
      load: typing.load,
      typing: timingOf(typing.times),
      slowestKey: Math.max(...typing.times),
      longest: Math.max(typing.longest, brush.longest),
      brush: { tercet: stepsOf(brush), crossfilter2: stepsOf(crossfilter) },
    };
  } finally {
    await browser.close();
    rmSync(place, { recursive: true, force: true });
  }
}

const linkTo = (count: number, tab: "answer" | "facets") =>
  toLink({ ...FIRST_VIEW, kind: "contacts", count, tab });

const stepsOf = ({ load, times, longest }: Measured) => ({
  load,
  step: timingOf(times),
  slowest: Math.max(...times),
  longest,
});

/** Nanoseconds. */
interface Measured {
  readonly load: number;
  readonly times: readonly number[];
  /** The longest time for which the page's own thread was busy, from its start. */
  readonly longest: number;
}

async function open(browser: Browser, url: string): Promise<{ page: Page; load: number }> {
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
  const start = performance.now();
  await page.goto(url, { timeout: PATIENCE });
  await page.waitForSelector(".matching", { timeout: PATIENCE });
  return { page, load: (performance.now() - start) * 1e6 };
}

const longestTask = (page: Page) =>
  page.evaluate(() => Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks) * 1e6);

async function measureTyping(browser: Browser, url: string): Promise<Measured> {
  const { page, load } = await open(browser, url);
  await page.click(".add button");
  await page.focus(".value");
  const times = await page.evaluate(async (text) => {
    const input = document.querySelector<HTMLInputElement>(".value");
    const status = document.querySelector(".status");
    if (input === null || status === null) throw new Error("there is nothing to type into");
    const found: number[] = [];
    for (let length = 1; length <= text.length; length++) {
      const start = performance.now();
      const changed = new Promise<void>((resolve) => {
        const observer = new MutationObserver(() => {
          observer.disconnect();
          requestAnimationFrame(() => resolve());
        });
        observer.observe(status, { subtree: true, childList: true, characterData: true });
      });
      input.value = text.slice(0, length);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await Promise.race([changed, new Promise((resolve) => setTimeout(resolve, 2000))]);
      found.push((performance.now() - start) * 1e6);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return found;
  }, TYPED);
  const longest = await longestTask(page);
  await page.close();
  return { load, times, longest };
}

async function measureBrush(browser: Browser, url: string): Promise<Measured> {
  const { page, load } = await open(browser, url);
  await page.waitForSelector("section[aria-label=send_time] svg");
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const times = await page.evaluate(async (steps) => {
    const chart = document.querySelector<SVGElement>("section[aria-label=send_time] svg");
    const other = document.querySelector("section[aria-label=open_count] .some");
    if (chart === null || other === null) throw new Error("there are no charts");
    chart.setPointerCapture = () => undefined;
    const { left, top, width } = chart.getBoundingClientRect();
    const send = (type: string, share: number) =>
      chart.dispatchEvent(
        new PointerEvent(type, {
          bubbles: true,
          pointerId: 1,
          clientX: left + share * width,
          clientY: top + 5,
        }),
      );
    send("pointerdown", 0.1);
    const found: number[] = [];
    for (let step = 1; step <= steps; step++) {
      const start = performance.now();
      const changed = new Promise<boolean>((resolve) => {
        const observer = new MutationObserver(() => {
          observer.disconnect();
          requestAnimationFrame(() => resolve(true));
        });
        observer.observe(other, { attributes: true });
        // A step within one bin changes nothing.
        setTimeout(() => resolve(false), 500);
      });
      send("pointermove", 0.1 + (0.85 * step) / steps);
      if (await changed) found.push((performance.now() - start) * 1e6);
    }
    send("pointerup", 0.95);
    return found;
  }, STEPS);
  const longest = await longestTask(page);
  await page.close();
  return { load, times, longest };
}

async function crossfilterPage(): Promise<string> {
  const { build } = await import("esbuild");
  const bundle = await build({
    entryPoints: ["bench/crossfilter-page.ts"],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    nodePaths: ["bench/node_modules"],
    logLevel: "warning",
  });
  const script = bundle.outputFiles[0]?.text ?? "";
  return `<!doctype html><meta charset="utf-8"><body><script>${script.replaceAll("</script", "<\\/script")}</script>`;
}
