// The page in a real browser, opened as a file: what a reader does by hand, and whether what stands there
// then is what the library answers in Node.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createService, type BatchContactCollection } from "../../src/index.ts";
import { buildPage } from "../../src/playground/build.ts";
import { FIRST_VIEW, toLink, type View } from "../../src/playground/link.ts";
import { generateLazyBatch } from "../../src/synthetic/index.ts";
import { untyped } from "../rules/fixtures.ts";
import { openWatched, startBrowser, type Watched } from "./browser.ts";

declare const axe: {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

const COUNT = 20_000;
const place = mkdtempSync(join(tmpdir(), "tercet-page-"));
const file = join(place, "playground.html");
let browser: Browser;
let watched: Watched;
let contacts: BatchContactCollection;

beforeAll(async () => {
  writeFileSync(file, (await buildPage()).html);
  browser = await startBrowser();
  const batch = generateLazyBatch({ count: COUNT, seed: 1, lists: 3 });
  const [made] = Object.values(createService({ batches: [batch] }).batches);
  if (made === undefined) throw new Error("there is no Batch");
  contacts = made.contacts;
}, 120_000);

afterAll(async () => {
  await browser.close();
  rmSync(place, { recursive: true, force: true });
});

afterEach(async () => {
  await watched.page.close();
  expect(watched.complaints).toEqual([]);
});

const linkTo = (part: Partial<View>) =>
  pathToFileURL(file).href + toLink({ ...FIRST_VIEW, count: COUNT, ...part });

/** Opens the page and waits for its first answer. */
async function open(part: Partial<View> = {}): Promise<Page> {
  watched = await openWatched(browser, linkTo(part));
  await watched.page.waitForSelector(".matching");
  return watched.page;
}

const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (element) => (element as HTMLElement).innerText);

const textsOf = (page: Page, selector: string) =>
  page.$$eval(selector, (all) => all.map((element) => (element as HTMLElement).innerText));

/** Waits until the page says how many match. */
async function matching(page: Page, expected: number): Promise<void> {
  const text = expected.toLocaleString("en-US");
  await page.waitForFunction(
    (wanted) => document.querySelector(".matching:not(.stale) strong")?.textContent === wanted,
    {},
    text,
  );
}

const emails = (page: Page) => textsOf(page, ".line:not(.head) > :first-child");

const criteriaText = (page: Page) =>
  page.$eval("#criteria-text", (text) => (text as HTMLTextAreaElement).value);

async function waitForText(page: Page, selector: string, text: string): Promise<void> {
  await page.waitForFunction(
    (wanted, part) => document.querySelector(wanted)?.textContent.includes(part),
    {},
    selector,
    text,
  );
}

describe("criteria", () => {
  test("that are typed filter at once; rows and text show each other", async () => {
    const page = await open();
    await matching(page, COUNT);
    await page.click(".add button");
    await page.type(".value", "anna");
    const criteria = [["contact_email", "contains", "anna"]] as const;
    await matching(page, contacts.count(criteria));
    expect(JSON.parse(await criteriaText(page))).toEqual(criteria);
    const found = contacts.query({ criteria, limit: 5 }).map((each) => each.contact_email);
    expect((await emails(page)).slice(0, 5)).toEqual(found);

    await page.$eval("#criteria-text", (text) => {
      const area = text as HTMLTextAreaElement;
      area.value = '[["open_type","exactly","sms"],"OR",["open_count","greater_than","3"]]';
      area.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await matching(
      page,
      contacts.count([["open_type", "exactly", "sms"], "OR", ["open_count", "greater_than", "3"]]),
    );
    expect(await textsOf(page, ".or")).toEqual(["or"]);
    const values = await page.$$eval(".value", (all) =>
      all.map((input) => (input as HTMLInputElement).value),
    );
    expect(values).toEqual(["sms", "3"]);
  });

  test("that are broken have their error beside them, and the answer before them stays", async () => {
    const page = await open({ criteria: [["open_type", "exactly", "html"]] });
    const before = contacts.count([["open_type", "exactly", "html"]]);
    await matching(page, before);
    const broken = [
      ["open_type", "exactly", "html"],
      ["open_contry", "exactly", "Peru"],
    ];
    await page.$eval(
      "#criteria-text",
      (text, value) => {
        const area = text as HTMLTextAreaElement;
        area.value = value;
        area.dispatchEvent(new Event("input", { bubbles: true }));
      },
      JSON.stringify(broken),
    );
    await page.waitForSelector(".element.wrong");
    expect(await textOf(page, ".element:nth-child(2) .fault")).toContain(
      'unknown field "open_contry"; did you mean',
    );
    expect(await page.$(".element:nth-child(1) .fault")).toBeNull();
    expect(await textOf(page, ".matching.stale strong")).toBe(before.toLocaleString("en-US"));
    // Taken out, it is as it was.
    await page.click(".element:nth-child(2) .remove");
    await matching(page, before);
  });

  test("complete values from the data", async () => {
    const page = await open({ criteria: [["open_country", "exactly", ""]] });
    await page.focus(".value");
    await page.keyboard.type("Un");
    const expected = contacts
      .countBy("open_country", [["open_country", "starts_with", "Un"]], { limit: 8 })
      .map(({ value }) => value);
    await page.waitForFunction(
      (length) => document.querySelectorAll("datalist option").length === length,
      {},
      expected.length,
    );
    const offered = await page.$$eval("datalist option", (all) =>
      all.map((option) => option.value),
    );
    expect(offered).toEqual(expected);
  });
});

describe("the answer", () => {
  test("is sorted by a click on a head, in both directions, and then as before", async () => {
    const page = await open({ criteria: [["contact_email", "contains", "gmail"]] });
    const criteria = [["contact_email", "contains", "gmail"]] as const;
    for (const sort of [
      { sortBy: "contact_email", sortOrder: "DESC" },
      { sortBy: "contact_email", sortOrder: "ASC" },
      {},
    ] as const) {
      await page.click(".head > :first-child button");
      const expected = contacts.query({ criteria, ...sort, limit: 6 });
      const [first] = expected;
      await waitForText(page, ".line:not(.head)", first?.contact_email ?? "");
      expect((await emails(page)).slice(0, 6)).toEqual(expected.map((each) => each.contact_email));
    }
  });

  test("is scrolled and read by the keyboard, to its last record", async () => {
    const page = await open();
    await page.focus(".grid");
    await page.keyboard.press("End");
    const last = contacts.at(-1);
    await waitForText(page, ".line.active", last?.contact_email ?? "");
    await page.keyboard.press("Enter");
    await waitForText(page, ".detail dl", last?.contact_email ?? "");
    const names = await textsOf(page, ".detail dt");
    expect(names).toEqual(Object.keys(last ?? {}));
    await page.keyboard.press("ArrowUp");
    await waitForText(page, ".detail dl", contacts.at(-2)?.contact_email ?? "");
    await page.keyboard.press("Home");
    await waitForText(page, ".line.active", contacts.at(0)?.contact_email ?? "");
  });

  test("of a Batch is grouped by List", async () => {
    const page = await open();
    await page.click(".toggle input");
    await page.waitForSelector(".lists section");
    expect(await textsOf(page, ".lists h2")).toEqual([
      "List 101 50 on this page",
      "List 102 0 on this page",
      "List 103 0 on this page",
    ]);
  });
});

describe("facets", () => {
  test("count as the library does, and filter by a click", async () => {
    const page = await open({ tab: "facets" });
    await waitForText(page, ".values .count", ",");
    const row = await page.waitForSelector("section[aria-label=open_type] li:nth-child(2) button");
    const value = await row?.$eval(".name", (name) => name.textContent);
    await row?.click();
    const criteria = [["open_type", "in", [value ?? ""]]] as const;
    await matching(page, contacts.count(criteria));
    // The chart of the same field still shows what another choice would give; the others do not.
    const [top] = contacts.countBy("send_status", criteria, { order: "count" });
    await waitForText(
      page,
      "section[aria-label=send_status] .count",
      top?.count.toLocaleString("en-US") ?? "",
    );
    expect(await textsOf(page, "section[aria-label=open_type] .count")).toEqual(
      contacts
        .countBy("open_type", null, { order: "count" })
        .map(({ count }) => count.toLocaleString("en-US")),
    );
    await row?.click();
    await matching(page, COUNT);
  });

  test("filter by a brush, and by the arrow keys", async () => {
    const page = await open({ tab: "facets" });
    const chart = await page.waitForSelector("section[aria-label=send_time] svg");
    const box = await chart?.boundingBox();
    if (box === null || box === undefined) throw new Error("there is no chart");
    const middle = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.25, middle);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, middle, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(() => document.querySelectorAll(".row").length === 2);
    // The last move of the brush may still be on its way.
    const brushed = await vi.waitFor(async () => {
      const found = JSON.parse(await criteriaText(page)) as [
        "send_time",
        "greater_than" | "less_than",
        number,
      ][];
      const expected = contacts.count(untyped(found)).toLocaleString("en-US");
      expect(await textsOf(page, ".matching:not(.stale) strong")).toEqual([expected]);
      return found;
    }, 10_000);
    expect(brushed.map(([field, operator]) => `${field} ${operator}`)).toEqual([
      "send_time greater_than",
      "send_time less_than",
    ]);
    await page.focus('[aria-label="send_time to"]');
    const before = await criteriaText(page);
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(
      (text) => document.querySelector<HTMLTextAreaElement>("#criteria-text")?.value !== text,
      {},
      before,
    );
    const narrower = JSON.parse(await criteriaText(page)) as [
      "send_time",
      "greater_than" | "less_than",
      number,
    ][];
    expect(narrower[1]?.[2]).toBeLessThan(brushed[1]?.[2] ?? 0);
    await matching(page, contacts.count(untyped(narrower)));
    await page.click("section[aria-label=send_time] header button");
    await matching(page, COUNT);
  });
});

describe("how", () => {
  test("shows the plan with what was so, the indexes, and what is without them", async () => {
    const page = await open({ tab: "how", criteria: [["open_type", "exactly", "text"]] });
    await waitForText(page, ".tree", "one value of the index of open_type");
    expect(await textsOf(page, ".indexes tbody td:first-child")).toContain("send_time");
    await page.click(".how input[type=radio]:not(:checked)");
    await waitForText(page, ".how", "There are none");
    await waitForText(page, ".tree", "every record, in insertion order");
    await matching(page, contacts.count([["open_type", "exactly", "text"]]));
  });
});

describe("the envelope", () => {
  test("is answered, can be edited, and gets each error", async () => {
    const page = await open({ tab: "envelope" });
    await waitForText(page, ".response", '"error": null');
    const codes = await page.$$eval(".envelope select option", (all) =>
      all.map((option) => option.value).filter((value) => /\d/.test(value)),
    );
    expect(codes.toSorted()).toEqual(["100", "104", "107", "300", "308", "310", "311"]);
    for (const code of codes) {
      await page.select(".envelope select", code);
      await waitForText(page, ".response", `"code": ${code}`);
    }
    await page.select(".envelope select", "none");
    await waitForText(page, ".response", '"error": null');
    expect(await textOf(page, ".snippet")).toContain("service.getBatchContacts(");
    const languages = await page.$$(".same .switch button");
    for (const [i, start] of [
      "import {",
      "tercet contacts",
      ...Array.from({ length: 6 }, () => "SELECT "),
    ].entries()) {
      await languages[i]?.click();
      await page.waitForFunction(
        (text) => document.querySelector(".snippet")?.textContent.startsWith(text),
        {},
        start,
      );
    }
    expect(languages).toHaveLength(8);
  });
});

describe("data", () => {
  test("a link shows the same thing", async () => {
    const page = await open();
    await page.click(".add button");
    await page.type(".value", "li");
    await page.click(".head > :first-child button");
    const criteria = [["contact_email", "contains", "li"]] as const;
    await matching(page, contacts.count(criteria));
    const [first] = contacts.query({ criteria, sortBy: "contact_email", limit: 1 });
    await waitForText(page, ".line:not(.head)", first?.contact_email ?? "");
    const address = await page.evaluate(() => location.href);
    await page.close();
    watched = await openWatched(browser, address);
    await matching(watched.page, contacts.count(criteria));
    await waitForText(watched.page, ".line:not(.head)", first?.contact_email ?? "");
  });

  test("are generated anew, as Files too", async () => {
    const page = await open();
    await page.click(".source");
    await page.waitForSelector("dialog[open]");
    await page.click("dialog label:nth-of-type(2) input");
    await page.select("#count", "1000");
    await page.click("dialog .main");
    await waitForText(page, ".matching", "of 1,000 Files");
  });

  test("that are dropped are read: CSV, NDJSON, and a Batch as JSON", async () => {
    const page = await open();
    const contact = '{"send_id":1,"contact_id":2,"contact_email":"a@b.example","list":7}';
    const other = contact.replace('"send_id":1', '"send_id":2');
    for (const [name, text, matches, what] of [
      ["files.csv", "id,folder_id,name,size\n1,2,x.txt,5\n2,2,y.txt,6\n3,2,z.txt,\n", 3, "Files"],
      ["contacts.ndjson", `${contact}\n${other}\n`, 2, "Contacts"],
      ["batch.json", '{"id":5,"lists":[{"id":1,"contacts":[]}]}', 0, "Contacts"],
    ] as const) {
      await page.$eval(
        ".page",
        (element, file, content) => {
          const data = new DataTransfer();
          data.items.add(new File([content], file));
          element.dispatchEvent(
            new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
          );
        },
        name,
        text,
      );
      await waitForText(page, ".source", name);
      await waitForText(page, ".matching", `${matches} of ${matches} ${what}`);
    }
    await page.$eval(".page", (element) => {
      const data = new DataTransfer();
      data.items.add(new File(["id,folder_id,name\nx,2,a\n"], "bad.csv"));
      element.dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    });
    await waitForText(page, ".status .fault", "line 2.id: must be an integer");
  });
});

describe("for every reader", () => {
  test.each(["light", "dark"])("axe finds nothing wrong with it, %s", async (scheme) => {
    const criteria = [
      ["open_type", "in", ["html"]],
      ["last_open_time", "greater_than", 1714550000],
      "OR",
      ["open_contry", "exactly", null],
    ];
    const page = await open({ tab: "answer" });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.addScriptTag({ path: "node_modules/axe-core/axe.min.js" });
    const findings = () =>
      page.evaluate(async () => {
        const { violations } = await axe.run();
        return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
      });
    await page.click(".line:not(.head)");
    expect(await findings()).toEqual([]);
    await page.click(".toggle input");
    await page.waitForSelector(".lists table");
    expect(await findings()).toEqual([]);
    for (const tab of ["facets", "how", "envelope"]) {
      await page.click(`#tab-${tab}`);
      await page.waitForSelector(`.${tab}`);
      if (tab === "how") await page.waitForSelector(".tree");
      if (tab === "facets") await page.click(".values li:nth-child(2) button");
      expect(await findings()).toEqual([]);
    }
    await page.$eval(
      "#criteria-text",
      (text, value) => {
        const area = text as HTMLTextAreaElement;
        area.value = value;
        area.dispatchEvent(new Event("input", { bubbles: true }));
      },
      JSON.stringify(criteria),
    );
    await page.waitForSelector(".element.wrong");
    expect(await findings()).toEqual([]);
    await page.click(".source");
    await page.waitForSelector("dialog[open]");
    expect(await findings()).toEqual([]);
  });

  test("at twice the size and on a phone nothing is cut off", async () => {
    const page = await open({ tab: "facets" });
    for (const [width, height] of [
      [390, 844],
      [640, 450],
    ] as const) {
      await page.setViewport({ width, height });
      for (const tab of ["answer", "facets", "how", "envelope"]) {
        await page.click(`#tab-${tab}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide).toBeLessThanOrEqual(width);
      }
    }
  });
});
