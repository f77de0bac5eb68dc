// Opens the page for tests: built once for all files of a worker, opened from disk in their browser, and observed. Also
// helpers that read the page and interact with it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import { createService, type BatchContactCollection } from "../../src/index.ts";
import { buildPage } from "../../src/playground/build.ts";
import { FIRST_VIEW, toLink, type View } from "../../src/playground/link.ts";
import { generateLazyBatch } from "../../src/synthetic/index.ts";
import { openWatched, PATIENCE, type Watched } from "./browser.ts";

export interface Opened {
  /** What the page holds, as the library has it in Node. */
  readonly contacts: () => BatchContactCollection;
  /** A folder for files. */
  readonly folder: string;
  /** Opens the page and waits for its first answer. */
  readonly open: (part?: Partial<View>) => Promise<Page>;
  /** Opens the page with no data. */
  readonly openEmpty: () => Promise<Page>;
  /** The same, where the browser is expected to complain. */
  readonly openUnwatched: () => Promise<Page>;
  /** The page with no data, which tests share that leave only tables in it: quicker than a new one for each. */
  readonly shared: () => Promise<Page>;
  /** Opens an address in a page of its own. */
  readonly openAddress: (address: string) => Promise<Page>;
}

/** The page, built once for all files of a worker. */
let built: ReturnType<typeof buildPage> | undefined;

/** Registers what comes before and after the tests of a file. None may leave a complaint in its pages. */
export function usePage(count: number): Opened {
  const folder = mkdtempSync(join(tmpdir(), "tercet-page-"));
  const file = join(folder, "playground.html");
  let pages: Watched[] = [];
  let shared: Watched | undefined;
  let contacts: BatchContactCollection | undefined;

  beforeAll(async () => {
    built ??= buildPage();
    writeFileSync(file, (await built).html);
  });

  afterAll(async () => {
    await shared?.page.close();
    rmSync(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    const all = shared === undefined ? pages : [...pages, shared];
    const complaints = all.flatMap((each) => each.complaints.splice(0));
    for (const { page } of pages) if (!page.isClosed()) await page.close();
    pages = [];
    expect(complaints).toEqual([]);
  });

  const opened = async (address: string) => {
    const watched = await openWatched(address);
    await watched.page.waitForSelector(".matching, .start");
    return watched;
  };
  const openAddress = async (address: string) => {
    const watched = await opened(address);
    pages.push(watched);
    return watched.page;
  };
  return {
    contacts: () => (contacts ??= contactsLike(count)),
    folder,
    open: (part = {}) =>
      openAddress(
        pathToFileURL(file).href + toLink({ ...FIRST_VIEW, kind: "contacts", count, ...part }),
      ),
    openEmpty: () => openAddress(pathToFileURL(file).href),
    openUnwatched: async () => {
      const { page } = await opened(pathToFileURL(file).href);
      pages.push({ page, complaints: [] });
      return page;
    },
    shared: async () => {
      shared ??= await opened(pathToFileURL(file).href);
      const { page } = shared;
      await page.$$eval(".tables .plain", (all) => {
        for (const each of all) (each as HTMLElement).click();
      });
      await page.waitForSelector(".start");
      return page;
    },
    openAddress,
  };
}

function contactsLike(count: number): BatchContactCollection {
  const batch = generateLazyBatch({ count, seed: 1, lists: 3 });
  const [made] = Object.values(createService({ batches: [batch] }).batches);
  if (made === undefined) throw new Error("there is no Batch");
  return made.contacts;
}

export const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (element) => (element as HTMLElement).innerText);

export const textsOf = (page: Page, selector: string) =>
  page.$$eval(selector, (all) => all.map((element) => (element as HTMLElement).innerText));

export const emails = (page: Page) => textsOf(page, ".line:not(.head) > :first-child");

export const criteriaText = (page: Page) =>
  page.$eval("#criteria-text", (text) => (text as HTMLTextAreaElement).value);

/** Asks again and again until it holds, for as long as the waits of a page take at most. */
export const until = <Value>(holds: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(holds, { timeout: PATIENCE });

/** What the page has saved. Chromium holds the name by an empty file until the whole one takes its place. */
export const savedAt = (path: string): Promise<Buffer> =>
  until(() => {
    const bytes = readFileSync(path);
    expect(bytes.length).toBeGreaterThan(0);
    return bytes;
  });

/** Waits until the page says how many match. If as many did before, that says nothing of the last question. */
export async function matching(page: Page, expected: number): Promise<void> {
  const wanted = expected.toLocaleString("en-US");
  const isShown = page.waitForFunction(
    (count) => document.querySelector(".matching:not(.stale) strong")?.textContent === count,
    // The default, each frame, needs a page that is drawn; "mutation" misses changes of a text node.
    { polling: 50 },
    wanted,
  );
  await isShown.catch(async (cause: unknown) => {
    const shown = await page.evaluate(() => ({
      criteria: document.querySelector<HTMLTextAreaElement>("#criteria-text")?.value,
      status: document.querySelector(".status")?.outerHTML,
      visibility: document.visibilityState,
    }));
    throw new Error(`${wanted} are not said to match, but ${JSON.stringify(shown)}`, { cause });
  });
}

export async function waitForText(page: Page, selector: string, text: string): Promise<void> {
  await page.waitForFunction(
    (wanted, part) => document.querySelector(wanted)?.textContent.includes(part),
    {},
    selector,
    text,
  );
}

/** Writes criteria as text, all at once. */
export async function writeCriteria(page: Page, criteria: string): Promise<void> {
  await page.$eval(
    "#criteria-text",
    (text, value) => {
      const area = text as HTMLTextAreaElement;
      area.value = value;
      area.dispatchEvent(new Event("input", { bubbles: true }));
    },
    criteria,
  );
}

/** Brushes a chart from one share of its width to another. */
export async function brush(page: Page, field: string, from: number, to: number): Promise<void> {
  const chart = await page.waitForSelector(`section[aria-label=${field}] svg`);
  const box = await chart?.boundingBox();
  if (box === null || box === undefined) throw new Error("there is no chart");
  const middle = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, middle);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, middle, { steps: 5 });
  await page.mouse.up();
}

declare const axe: {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

/** What axe-core finds wrong with what the page shows, in light, and with its colours in dark. */
export async function axeFindings(page: Page): Promise<string[]> {
  const isThere = await page.evaluate(() => "axe" in globalThis);
  if (!isThere) await page.addScriptTag({ path: "node_modules/axe-core/axe.min.js" });
  const found: string[] = [];
  for (const [scheme, rules] of [
    // Buttons of 24 pixels at least, or as far apart.
    ["light", { rules: { "target-size": { enabled: true } } }],
    ["dark", { runOnly: ["color-contrast"] }],
  ] as const) {
    await page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value: scheme },
      // A colour on its way to another one is neither.
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    const findings = await page.evaluate(async (options) => {
      const { violations } = await axe.run({ ...options, resultTypes: ["violations"] });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    }, rules);
    found.push(...findings.map((each) => `${scheme}, ${each}`));
  }
  await page.emulateMediaFeatures([]);
  return found;
}

/** Lets the page appear as other media than a screen. */
export async function emulate(
  page: Page,
  media: string,
  features: Record<string, string>,
): Promise<void> {
  const session = await page.createCDPSession();
  await session.send("Emulation.setEmulatedMedia", {
    media,
    features: Object.entries(features).map(([name, value]) => ({ name, value })),
  });
}

export const styleOf = (page: Page, selector: string, property: string) =>
  page.$eval(
    selector,
    (element, name) => getComputedStyle(element).getPropertyValue(name),
    property,
  );

/** Drops a file on the page. */
export const drop = (page: Page, name: string, content: string | Uint8Array): Promise<void> =>
  dropAll(page, { [name]: content });

/** Drops files on the page, by their names. */
export async function dropAll(
  page: Page,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  const encoded = Object.entries(files).map(
    ([name, content]) => [name, Buffer.from(content).toString("base64")] as const,
  );
  await page.$eval(
    ".page",
    (element, given) => {
      const data = new DataTransfer();
      for (const [name, base64] of given) {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        // The same file again, if it has as many bytes.
        data.items.add(new File([bytes], name, { lastModified: 1 }));
      }
      element.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    },
    encoded,
  );
}
