// The page for every reader: at any width, with larger text, with custom colors, on paper, without
// motion, and through the names that a screen reader reads.

import type { Page, SerializedAXNode } from "puppeteer-core";
import { expect, test, vi } from "vitest";
import { drop, matching, usePage, waitForText } from "./opened.ts";

const { open, openEmpty } = usePage(2000);

const TABS = ["answer", "facets", "how", "envelope"] as const;

/** What each tab shows when it is there. */
const CONTENT = { answer: ".line", facets: ".values", how: ".step", envelope: "pre" };

async function show(page: Page, tab: (typeof TABS)[number]): Promise<void> {
  await page.click(`#tab-${tab}`);
  await page.waitForSelector(CONTENT[tab]);
}

const openOrders = () => open({ kind: "orders", criteria: [["state", "in", ["open", "paid"]]] });

/** Lets the page appear as other media than a screen. */
async function emulate(page: Page, media: string, features: Record<string, string>): Promise<void> {
  const session = await page.createCDPSession();
  await session.send("Emulation.setEmulatedMedia", {
    media,
    features: Object.entries(features).map(([name, value]) => ({ name, value })),
  });
}

const styleOf = (page: Page, selector: string, property: string) =>
  page.$eval(
    selector,
    (element, name) => getComputedStyle(element).getPropertyValue(name),
    property,
  );

/** What has text that its box cuts off from top to bottom. */
const cutOff = (page: Page, selector: string) =>
  page.$$eval(selector, (all) =>
    all
      .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)
      .map(({ textContent }) => textContent),
  );

test.each([360, 768, 1280, 2560])(
  "at a width of %i nothing lies beyond the edge",
  async (width) => {
    for (const page of [await openOrders(), await open(), await openEmpty()]) {
      await page.setViewport({ width, height: 900 });
      const isEmpty = (await page.$(".start")) !== null;
      for (const tab of isEmpty ? [] : TABS) {
        await show(page, tab);
        for (const panel of await page.$$(".popup > button")) {
          await panel.click();
          await page.waitForSelector(".popup .panel");
          const { right, left } = await page.$eval(".popup .panel", (element) => {
            const box = element.getBoundingClientRect();
            return { left: box.left, right: box.right };
          });
          expect(left).toBeGreaterThanOrEqual(0);
          expect(right).toBeLessThanOrEqual(width);
          await panel.click();
        }
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await page.close();
    }
  },
);

test("with text twice as large nothing is cut off, and the table scrolls to its last record", async () => {
  const page = await openOrders();
  const session = await page.createCDPSession();
  await session.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
  await page.reload();
  await page.waitForSelector(".line");
  expect(await styleOf(page, ":root", "font-size")).toBe("32px");
  for (const tab of TABS) {
    await show(page, tab);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280);
    expect(await cutOff(page, ".line, .line > *, .values button, .tabs button")).toEqual([]);
  }
  await show(page, "answer");
  await page.focus(".grid");
  await page.keyboard.press("End");
  const rows = Number(await page.$eval(".grid", (grid) => grid.getAttribute("aria-rowcount")));
  // The head is the first of them, and the sums are the last.
  await page.waitForSelector(`.line.active[aria-rowindex="${rows - 1}"]`);
  await vi.waitFor(async () => {
    const [top = 0, bottom = 0, foot = 0] = await page.evaluate(() => {
      const boxOf = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
      return [boxOf(".line.active")?.top, boxOf(".line.active")?.bottom, boxOf(".foot")?.top];
    });
    expect(bottom - top).toBe(64);
    expect(bottom).toBeLessThanOrEqual(foot + 1);
  });
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  const cell = await page.$eval(".at", (element) => element.getBoundingClientRect().right);
  const grid = await page.$eval(".grid", (element) => element.getBoundingClientRect().right);
  expect(cell).toBeLessThanOrEqual(grid + 1);
});

test.each(["light", "dark"])(
  "forced colours, %s: what only a colour told is a line",
  async (scheme) => {
    const page = await openOrders();
    await emulate(page, "", { "forced-colors": "active", "prefers-color-scheme": scheme });
    await show(page, "facets");
    const [paper, chosen, other] = [
      await styleOf(page, "body", "background-color"),
      await styleOf(page, '.values [aria-pressed="true"] .bar', "background-color"),
      await styleOf(page, '.values [aria-pressed="false"] .bar', "background-color"),
    ];
    expect(new Set([paper, chosen, other]).size).toBe(3);
    expect(await styleOf(page, '.values [aria-pressed="true"] .name', "text-decoration-line")).toBe(
      "underline",
    );
    const lineOf = (selected: boolean) =>
      styleOf(page, `[role="tab"][aria-selected="${selected}"]`, "border-bottom-color");
    expect(await lineOf(false)).toBe(paper);
    expect(await lineOf(true)).not.toBe(paper);
    expect(await styleOf(page, ".plot .some", "fill")).not.toBe(paper);
    await show(page, "how");
    expect(await styleOf(page, ".track span:not(.guess)", "background-color")).not.toBe(paper);
    await show(page, "answer");
    expect(await styleOf(page, ".line.active", "outline-style")).toBe("solid");
  },
);

test("on paper there is the question and its answer, in black on white, and nothing to press", async () => {
  const page = await openOrders();
  await page.setViewport({ width: 760, height: 1000 });
  await emulate(page, "print", { "prefers-color-scheme": "dark" });
  const visible = (selector: string) =>
    page.$$eval(selector, (all) =>
      all.filter((each) => each.getClientRects().length > 0).map((each) => each.className),
    );
  expect(await styleOf(page, "body", "background-color")).toBe("rgb(255, 255, 255)");
  expect(await visible(".row")).toEqual(["row"]);
  expect(await cutOff(page, ".line > *")).toEqual([]);
  const last = await page.$eval(
    ".head > :last-child",
    (each) => each.getBoundingClientRect().right,
  );
  expect(last).toBeLessThanOrEqual(760);
  // The table is as high as the rows that are there, not as all rows.
  const [rows, high] = await page.$eval(".grid", (grid) => [
    grid.querySelectorAll(".line").length,
    grid.getBoundingClientRect().height,
  ]);
  expect(high).toBeLessThan(64 * (rows ?? 0));
  for (const tab of TABS) {
    await page.$eval(`#tab-${tab}`, (button) => (button as HTMLElement).click());
    await page.waitForSelector(CONTENT[tab]);
    const pressed = await visible("button");
    // The name of the table, the heads of columns, the names of values and the ends of a range are read, too.
    const read = await visible(".source, .head button, .values button, .handle");
    expect(pressed).toEqual(read);
  }
});

test("nothing moves for a reader who wants no motion", async () => {
  const page = await openOrders();
  await show(page, "facets");
  const motion = () => styleOf(page, ".values .bar", "transition-duration");
  await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "no-preference" }]);
  expect(await motion()).toBe("0.08s");
  await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
  expect(await motion()).toBe("0s");
});

const csv = "id,state,total\n1,open,10\n2,paid,20\n3,open,30\n";

/** What a screen reader reads, one to a line. */
async function namesOf(page: Page): Promise<string[]> {
  const lines: string[] = [];
  const read = ({ role, name, children, ...state }: SerializedAXNode) => {
    const told = [
      state.selected === true ? "selected" : "",
      state.pressed === undefined ? "" : state.pressed === true ? "pressed" : "not pressed",
      state.value === undefined ? "" : `value ${state.value}`,
    ].filter((each) => each !== "");
    lines.push([`${role} ${name ?? ""}`.trim(), ...told].join(", "));
    children?.forEach(read);
  };
  const tree = await page.accessibility.snapshot();
  if (tree !== null) read(tree);
  return lines;
}

test("its parts have names, and say what is chosen", async () => {
  const page = await openEmpty();
  await drop(page, "orders.csv", csv);
  await waitForText(page, ".matching", "3 of 3 records");
  await page.click("#tab-facets");
  await page.waitForSelector("section[aria-label=state] li");
  await page.click("section[aria-label=state] li button");
  await matching(page, 2);
  // Choices have their texts as names, and the time differs.
  const names = (await namesOf(page)).filter((each) => !/^option|^StaticText.* ms$/.test(each));
  expect(names).toMatchInlineSnapshot(`
    [
      "RootWebArea tercet",
      "banner",
      "heading tercet",
      "button Open a file",
      "button Generate",
      "button orders.csv, pressed",
      "button Close orders.csv",
      "button Laws",
      "button Copy link",
      "main",
      "region Criteria",
      "combobox Field, value state",
      "combobox Operator, value in",
      "combobox Value, value open",
      "button null, not pressed",
      "button Remove this criterion",
      "button And",
      "button Or",
      "button Clear",
      "textbox Criteria as text, value [
      ["state","in",["open"]]
    ]",
      "status",
      "StaticText 2",
      "StaticText  of",
      "StaticText 3",
      "StaticText",
      "StaticText records",
      "StaticText  in",
      "StaticText Read as CSV with",
      "combobox Read as CSV with, value commas",
      "StaticText in",
      "combobox in, value UTF-8",
      "StaticText null is",
      "textbox null is",
      "tab Answer",
      "tab Facets, selected",
      "tab How",
      "tab Code",
      "status",
      "button Change",
      "button Save as",
      "region id",
      "heading id",
      "button 1 1 50 %, not pressed",
      "button 2 0 0 %, not pressed",
      "button 3 1 50 %, not pressed",
      "button Save id as SVG",
      "region state",
      "heading state",
      "StaticText open",
      "button Reset",
      "button open 2 67 %, pressed",
      "button paid 1 33 %, not pressed",
      "button Save state as SVG",
      "region total",
      "heading total",
      "button 10 1 50 %, not pressed",
      "button 20 0 0 %, not pressed",
      "button 30 1 50 %, not pressed",
      "button Save total as SVG",
    ]
  `);
});

test("a head is read as its field, and not together with its type", async () => {
  const page = await open({ kind: "files", count: 1, columns: [{ name: "id" }] });
  await page.waitForSelector(".head [data-type=int]");
  expect(await namesOf(page)).toContain("button id");
});
