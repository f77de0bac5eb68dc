// How long the page takes in a browser, over contacts and over a table of one's own from a CSV file: from a key
// to the new rows and to their count, and from each step of a brush to all charts; the contacts compared with a
// page of the same charts on crossfilter2 in the same browser. On both pages the clock starts before the event is
// sent, and stops in the frame after its effect. And what a larger file takes to load, in time and memory.

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { generateOrders } from "../../src/playground/engine/orders.ts";
import { FIRST_VIEW, toLink, type Tab } from "../../src/playground/link.ts";
import { contacts, figure, rowsOfEach, type RowNumber, type Section } from "../figure.ts";
import { count, megabytes, time } from "../format.ts";
import { timesOfGroups } from "./page-groups.ts";
import { timingOf } from "../measure.ts";
import type { Timing } from "../results.ts";

/** Nanoseconds. */
interface Measured {
  /** From opening the page, or the file, to the answer or the charts. */
  readonly load: number;
  readonly step: Timing;
  readonly slowest: number;
  /** The longest time for which the page's own thread was busy. */
  readonly longest: number;
}

/** A table in the page. */
interface Table {
  readonly typing: Typing;
  /** From a step of a brush to all charts. */
  readonly brush: Measured;
}

interface Typing {
  /** From a key to the rows. */
  readonly rows: Measured;
  /** From a key to how many match. */
  readonly count: Measured;
}

interface PageResults {
  readonly size: number;
  /** Opening the page without data, until it can be used. */
  readonly empty: number;
  readonly contacts: Table;
  readonly orders: Table & {
    /** Into a column of which no two texts are the same. */
    readonly distinct?: Typing;
    /** From another choice in the table of groups to its groups. */
    readonly groups?: Measured;
  };
  readonly larger?: Larger;
  readonly crossfilter2: Measured;
}

/** Loading a larger CSV file of orders. */
interface Larger {
  readonly rows: number;
  readonly bytes: number;
  /** Nanoseconds from picking the file to the first answer. */
  readonly load: number;
  /** What the tab's process had at most, in bytes. Linux alone says it. */
  readonly peak?: number;
}

/** What is done to a table. */
interface Doing {
  /** The field that is typed into, letter by letter, and what: a hundred letters. */
  readonly field: string;
  readonly texts: readonly string[];
  /** The chart that is brushed, and one that follows. */
  readonly brushed: string;
  readonly follows: string;
}

const CONTACTS: Doing = {
  field: "contact_email",
  // Some are in all values, some in none.
  texts:
    "anna.smith b.jones stephanie @gmail.example o'brien xq zoe petrenko242 kim.lee ul 42@proton fang.chen12 ' sanders".split(
      " ",
    ),
  brushed: "send_time",
  follows: "open_count",
};
const ORDERS: Doing = {
  field: "customer",
  texts:
    "Ada 12345|Ben 9|77|Kaya 20177|31415|Otto 4|Greta 808|Zed|1 2|Mina 49999|Noor 1|ines 5|Liam 26535|8979|323".split(
      "|",
    ),
  brushed: "placed_at",
  follows: "total",
};

const DISTINCT: Doing = {
  ...ORDERS,
  field: "reference",
  texts:
    "1a2b3c ref-9 ff00 deadbeef xyz f-12345 0000 c0ffee 7f7f7f ref-abcdef 31415926 e9 b8 42424242 d00d f00 1 99".split(
      " ",
    ),
};

/** How many orders the larger file has for each of the others. */
const LARGER = 1.8;
/** About how many keys are typed. */
const KEYS = 100;
/** From one to the next, in milliseconds. */
const PAUSE = 200;
/** How many steps a brush has. */
const STEPS = 100;
/** How long loading may take, in milliseconds. */
const PATIENCE = 300_000;

const NUMBERS: readonly RowNumber<Measured>[] = [
  ["page: opened and loaded", ({ load }) => load],
  ["page: a step of a brush", ({ step }) => step.median],
  ["page: the slowest step", ({ slowest }) => slowest],
  ["page: busy at a stretch", ({ longest }) => longest],
];

export const page = figure<PageResults>({
  name: "page",
  what: "typing and brushing on the page, in Chromium, beside crossfilter2",
  isExtra: true,
  measure({ plan, say }) {
    say("page");
    return measurePage(plan.size);
  },
  rows: ({ contacts: { brush }, crossfilter2 }) =>
    rowsOfEach({ tercet: brush, crossfilter2 }, NUMBERS),
  sections: ({ size, empty, contacts: ofContacts, orders, larger, crossfilter2 }) => {
    const rowOf = (what: string, read: (table: Table) => number, peer?: number) => [
      what,
      time(read(ofContacts)),
      peer === undefined ? "" : time(peer),
      time(read(orders)),
    ];
    const { step, slowest, load, longest } = crossfilter2;
    return [
      {
        title: `The page over ${contacts(size)} and as many orders, in Chromium`,
        note: `From the event to the frame that draws its effect; some ${KEYS} keys, of which those count that change what is shown, and ${STEPS} steps of a brush. The page shows the rows that match first, or those found in the first 8 ms until all are there, and then how many there are. Over contacts there are six charts; crossfilter2 counts in the page's own thread, tercet in a worker. The orders, a table of one's own, come from a CSV file that is picked. The page without data can be used ${time(empty)} after it is opened.`,
        head: ["what", "tercet, contacts", "crossfilter2, contacts", "tercet, orders from CSV"],
        rows: [
          rowOf("opened and loaded", ({ brush }) => brush.load, load),
          rowOf("a key to its rows", ({ typing }) => typing.rows.step.median),
          rowOf("the slowest key", ({ typing }) => typing.rows.slowest),
          rowOf("a key to how many match", ({ typing }) => typing.count.step.median),
          rowOf("the slowest count", ({ typing }) => typing.count.slowest),
          ...ofDistinct(orders),
          ...ofGroups(orders),
          rowOf("a step of a brush", ({ brush }) => brush.step.median, step.median),
          rowOf("the slowest step", ({ brush }) => brush.slowest, slowest),
          rowOf(
            "the page's thread busy at a stretch",
            ({ typing, brush }) => Math.max(typing.rows.longest, brush.longest),
            longest,
          ),
        ],
      },
      ...(larger === undefined ? [] : [sectionOf(larger)]),
    ];
  },
});

function ofDistinct({ distinct }: PageResults["orders"]): string[][] {
  if (distinct === undefined) return [];
  const { rows, count } = distinct;
  return [
    ["a key to its rows, distinct texts", "", "", time(rows.step.median)],
    ["the slowest key, distinct texts", "", "", time(rows.slowest)],
    ["a key to how many match, distinct texts", "", "", time(count.step.median)],
    ["the slowest count, distinct texts", "", "", time(count.slowest)],
  ];
}

function ofGroups({ groups }: PageResults["orders"]): string[][] {
  if (groups === undefined) return [];
  return [
    ["other groups", "", "", time(groups.step.median)],
    ["the slowest groups", "", "", time(groups.slowest)],
  ];
}

function sectionOf({ rows, bytes, load, peak }: Larger): Section {
  return {
    title: `The page loads a CSV file of ${count(rows)} orders, in Chromium`,
    note: "From picking the file to the first answer, and the memory that the tab's process had resident at most.",
    head: ["orders", "the file", "loaded", "peak"],
    rows: [
      [
        count(rows),
        `${megabytes(bytes)} MB`,
        time(load),
        peak === undefined ? "" : `${megabytes(peak)} MB`,
      ],
    ],
  };
}

async function measurePage(size: number): Promise<PageResults> {
  // Only this figure needs a browser.
  const { default: chromium } = await import("@sparticuz/chromium");
  const { default: puppeteer } = await import("puppeteer-core");
  const { buildPage } = await import("../../src/playground/build.ts");
  const place = mkdtempSync(join(tmpdir(), "tercet-page-"));
  const executablePath = process.env.CHROMIUM ?? (await chromium.executablePath());
  const launch = () =>
    puppeteer.launch({
      executablePath,
      headless: "shell",
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
      protocolTimeout: PATIENCE,
    });
  const browser = await launch();
  try {
    const file = join(place, "tercet.html");
    writeFileSync(file, (await buildPage({ isSmall: true })).html);
    const own = pathToFileURL(file).href;
    const peer = join(place, "crossfilter.html");
    writeFileSync(peer, await crossfilterPage());
    const csv = join(place, "orders.csv");
    writeOrders(csv, size);
    const contactsIn = (tab: Tab) =>
      opened(browser, own + toLink({ ...FIRST_VIEW, kind: "contacts", count: size, tab }));
    const ordersIn = (tab: Tab) => picked(browser, own, csv, tab);
    return {
      size,
      empty: await timeOfEmpty(browser, own),
      contacts: {
        typing: await typed(await contactsIn("answer"), CONTACTS),
        brush: await brushed(await contactsIn("facets"), CONTACTS),
      },
      orders: {
        typing: await typed(await ordersIn("answer"), ORDERS),
        brush: await brushed(await ordersIn("facets"), ORDERS),
        distinct: await typed(await ordersIn("answer"), DISTINCT),
        groups: await grouped(await ordersIn("groups")),
      },
      larger: await loadedLarger(launch, own, place, Math.round(size * LARGER)),
      crossfilter2: await brushed(
        await opened(browser, `${pathToFileURL(peer).href}#${size}`),
        CONTACTS,
      ),
    };
  } finally {
    await browser.close();
    rmSync(place, { recursive: true, force: true });
  }
}

/** Orders as CSV, with a last column of distinct texts. Returns how many bytes they are. */
function writeOrders(file: string, size: number): number {
  const decoder = new TextDecoder();
  let next = 0;
  let bytes = 0;
  for (const piece of generateOrders(size, 1)) {
    const lines = decoder.decode(piece);
    const text = lines.replaceAll("\n", () => `,${referenceAt(next++)}\n`);
    bytes += Buffer.byteLength(text);
    appendFileSync(file, text);
  }
  return bytes;
}

/** A name for the first line, then a text for each order: multiplying by an odd number keeps them distinct. */
const referenceAt = (line: number): string =>
  line === 0
    ? DISTINCT.field
    : `ref-${(Math.imul(line, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0")}`;

/** In a browser of its own, whose memory nothing else has used. */
async function loadedLarger(
  launch: () => Promise<Browser>,
  url: string,
  place: string,
  rows: number,
): Promise<Larger> {
  const csv = join(place, "larger.csv");
  const bytes = writeOrders(csv, rows);
  const browser = await launch();
  try {
    const { load } = await picked(browser, url, csv, "answer");
    const peak = await peakOf(browser);
    return { rows, bytes, load, ...(peak === undefined ? {} : { peak }) };
  } finally {
    await browser.close();
  }
}

/** The bytes that a renderer of this browser had resident at most; `undefined` where the system does not say. */
async function peakOf(browser: Browser): Promise<number | undefined> {
  if (process.platform !== "linux") return undefined;
  const session = await browser.target().createCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const peaks = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]);
  return Math.max(...peaks.map((kilobytes) => Number(kilobytes) * 1024));
}

/** A page with its data, and how long they took to load. */
interface Opened {
  readonly page: Page;
  readonly load: number;
}

async function opened(browser: Browser, url: string): Promise<Opened> {
  const page = await pageIn(browser);
  const start = performance.now();
  await page.goto(url, { timeout: PATIENCE });
  await page.waitForSelector(".matching, section svg", { timeout: PATIENCE });
  return { page, load: (performance.now() - start) * 1e6 };
}

async function picked(browser: Browser, url: string, file: string, tab: string): Promise<Opened> {
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

async function timeOfEmpty(browser: Browser, url: string): Promise<number> {
  const page = await pageIn(browser);
  const start = performance.now();
  await page.goto(url);
  await page.waitForSelector(".start button");
  const taken = (performance.now() - start) * 1e6;
  await page.close();
  return taken;
}

async function pageIn(browser: Browser): Promise<Page> {
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

async function measured({ page, load }: Opened, times: readonly number[]): Promise<Measured> {
  const longest = await page.evaluate(
    () => Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks) * 1e6,
  );
  await page.close();
  return { load, step: timingOf(times), slowest: Math.max(...times), longest };
}

async function typed(opened: Opened, { field, texts }: Doing): Promise<Typing> {
  const { page } = opened;
  await page.click(".add button");
  await page.select("[aria-label=Field]", field);
  await page.select("[aria-label=Operator]", "contains");
  await page.focus(".value");
  await page.waitForSelector(".body");
  const { rows, counts } = await page.evaluate(
    async (texts, pause) => {
      const [input, body, status] = [".value", ".body", ".status"].map((selector) =>
        document.querySelector(selector),
      );
      if (!(input instanceof HTMLInputElement) || !body || !status) {
        throw new Error("there is nothing to type into");
      }
      const rows: number[] = [];
      const counts: number[] = [];
      for (const text of texts) {
        for (let length = 1; length <= text.length; length++) {
          const start = performance.now();
          // A letter may leave the rows, or how many there are, as they were.
          const observers = [[body, rows] as const, [status, counts] as const].map(
            ([shown, times]) => {
              const observer = new MutationObserver(() => {
                observer.disconnect();
                requestAnimationFrame(() => times.push((performance.now() - start) * 1e6));
              });
              observer.observe(shown, { subtree: true, childList: true, characterData: true });
              return observer;
            },
          );
          input.value = text.slice(0, length);
          input.dispatchEvent(new Event("input", { bubbles: true }));
          await new Promise((resolve) => setTimeout(resolve, pause));
          for (const observer of observers) observer.disconnect();
        }
      }
      return { rows, counts };
    },
    texts,
    PAUSE,
  );
  const all = await measured(opened, rows);
  return { rows: all, count: { ...all, step: timingOf(counts), slowest: Math.max(...counts) } };
}

async function brushed(opened: Opened, doing: Doing): Promise<Measured> {
  const { page } = opened;
  await page.waitForSelector(`section[aria-label=${doing.brushed}] svg`);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const times = await page.evaluate(
    async (steps, field, follows) => {
      const chart = document.querySelector<SVGElement>(`section[aria-label=${field}] svg`);
      const other = document.querySelector(`section[aria-label=${follows}] .some`);
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
    },
    STEPS,
    doing.brushed,
    doing.follows,
  );
  return measured(opened, times);
}

async function grouped(opened: Opened): Promise<Measured> {
  return await measured(opened, await timesOfGroups(opened.page));
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
