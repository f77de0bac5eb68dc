// How long the page takes from each kind of click to its last effect, over a million orders from a CSV file:
// `npm run bench:clicks`, or fewer with `-- 100000`. A click is over when nothing of the page changes any more. Beside the
// elapsed time stands the processor time of the page and its worker, which other programs of a busy machine do not add to.
// Sums below the table do not count: they follow on purpose once nobody has clicked for a while.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Browser, Page } from "puppeteer-core";
import { count, time } from "./format.ts";
import { picked, withPage } from "./figures/page-browser.ts";
import { writeOrders } from "./figures/page-files.ts";

const size = Number(process.argv[2] ?? 1_000_000);

/** Nothing changes for so long once a click is over, in milliseconds. */
const QUIET = 400;

/** Nanoseconds. */
interface Click {
  readonly elapsed: number;
  readonly processor: number;
}

/** What is clicked, by its code in the page. */
type Act = (page: Page, click: (act: string) => Promise<void>) => Promise<void>;

const press = (selector: string, i = 0) =>
  `document.querySelectorAll(${JSON.stringify(selector)})[${i}].click()`;

const write = (selector: string, text: string, type: "input" | "change") =>
  `{ const at = document.querySelector(${JSON.stringify(selector)}); at.value = ${JSON.stringify(text)}; at.dispatchEvent(new Event("${type}", { bubbles: true })) }`;

const tab = (name: string) => press(`#tab-${name}`);

/** The choice of a label in the sentence of the groups. */
const choose = (label: string, value: string) =>
  `{ const at = [...document.querySelectorAll(".asked label")].find((each) => each.firstChild.textContent === "${label}").querySelector("select"); at.value = "${value}"; at.dispatchEvent(new Event("change", { bubbles: true })) }`;

const COLUMNS = [
  "country",
  "customer",
  "channel",
  "items",
  "discount",
  "is_gift",
  "reference",
  "state",
];
const MEASURES = ["sum", "mean", "median", "p95", "distinct", "maximum", "deviation"];

/** The kinds of clicks, each on the tab where they are. */
const KINDS: Readonly<Record<string, Act>> = {
  brush: async (page, click) => {
    await page.evaluate(tab("facets"));
    const at = (type: string, share: number) =>
      `{ const svg = document.querySelector("section[aria-label=placed_at] svg"); svg.setPointerCapture = () => {}; const { left, top, width } = svg.getBoundingClientRect(); svg.dispatchEvent(new PointerEvent("${type}", { bubbles: true, pointerId: 1, clientX: left + ${share} * width, clientY: top + 5 })) }`;
    await page.waitForSelector("section[aria-label=placed_at] svg");
    await page.evaluate(at("pointerdown", 0.1));
    for (let i = 1; i <= 30; i++) await click(at("pointermove", 0.1 + i * 0.028));
    await page.evaluate(at("pointerup", 0.94));
  },
  filter: async (page, click) => {
    await page.waitForSelector(".values button");
    const bars = (await page.$$(".values li button")).length;
    for (let i = 0; i < 30; i++) await click(press(".values li button", (i * 7) % bars));
  },
  clear: async (_, click) => {
    await click(
      `[...document.querySelectorAll("button")].find((each) => each.textContent === "Clear").click()`,
    );
  },
  sort: async (page, click) => {
    await page.evaluate(tab("answer"));
    const heads = (await page.$$(".head > * > button:first-child")).length;
    for (let i = 0; i < 2 * heads; i++)
      await click(press(".head > * > button:first-child", i >> 1));
  },
  find: async (_, click) => {
    for (const text of ["Ada 12", "gift", "Japan", "2024-03", "ref-9f", "xyz"]) {
      for (let i = 1; i <= text.length; i++) {
        await click(write(".criteria input[type=search]", text.slice(0, i), "input"));
      }
    }
    await click(write(".criteria input[type=search]", "", "input"));
  },
  group: async (page, click) => {
    await page.evaluate(tab("groups"));
    await page.waitForSelector(".ranked");
    for (const by of COLUMNS) await click(choose("by", by));
    for (const measure of MEASURES) await click(choose("Show", measure));
    for (const by of COLUMNS) await click(choose("by", by));
    await click(choose("by", "placed_at"));
  },
  profile: async (page, click) => {
    for (const [i, country] of ["Japan", "Norway", "Spain", "Italy", "India"].entries()) {
      await page.evaluate(tab("answer"));
      const list = [["country", i % 2 === 0 ? "exactly" : "not", country]];
      await click(write("#criteria-text", JSON.stringify(list), "input"));
      await click(tab("profile"));
    }
  },
  tab: async (_, click) => {
    for (let i = 0; i < 3; i++) {
      for (const name of ["answer", "facets", "groups", "profile", "how", "envelope"])
        await click(tab(name));
    }
  },
};

await withPage(async ({ browser, url, folder }) => {
  const csv = join(folder, "orders.csv");
  writeOrders(csv, size);
  const { page, load } = await picked(browser, url, csv);
  const used = processorTime(await renderers(browser));
  console.log(`${count(size)} orders: loaded in ${time(load)}, ${time(used)} of processors`);
  const ids = await renderers(browser);
  await settled(page, "");
  for (const [kind, act] of Object.entries(KINDS)) {
    const clicks: Click[] = [];
    await act(page, async (code) => {
      const before = processorTime(ids);
      const elapsed = await settled(page, code);
      clicks.push({ elapsed: elapsed * 1e6, processor: processorTime(ids) - before });
    });
    const elapsed = clicks.map((each) => each.elapsed);
    const processor = clicks.map((each) => each.processor);
    console.log(
      `${kind}: ${clicks.length} clicks, median ${time(share(elapsed, 0.5))}, p95 ${time(share(elapsed, 0.95))}; of processors ${time(share(processor, 0.5))}, p95 ${time(share(processor, 0.95))}`,
    );
  }
});

function share(times: readonly number[], of: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * of) - 1] ?? NaN;
}

/** Milliseconds from a click to its last effect. */
async function settled(page: Page, code: string): Promise<number> {
  const elapsed: unknown = await page.evaluate(`(async () => {
    const start = performance.now();
    let last = start;
    const isEffect = ({ target }) => (target instanceof Text ? target.parentElement : target)?.closest(".foot") == null;
    const observer = new MutationObserver((all) => {
      if (all.some(isEffect)) last = performance.now();
    });
    const what = { subtree: true, childList: true, characterData: true, attributes: true };
    observer.observe(document.body, what);
    ${code};
    while (performance.now() - last < ${QUIET}) await new Promise((go) => setTimeout(go, 20));
    observer.disconnect();
    return last - start;
  })()`);
  return Number(elapsed);
}

async function renderers(browser: Browser): Promise<number[]> {
  const session = await browser.target().createCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
}

/** Nanoseconds that the threads of processes ran; 0 where the system does not say. */
function processorTime(ids: readonly number[]): number {
  if (process.platform !== "linux") return 0;
  return ids
    .flatMap((id) => readdirSync(`/proc/${id}/task`).map((task) => `/proc/${id}/task/${task}`))
    .map((task) => Number(readFileSync(`${task}/schedstat`, "utf8").split(" ")[0]))
    .reduce((sum, each) => sum + each, 0);
}
