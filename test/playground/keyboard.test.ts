// The page with only the keyboard: everything is reachable without a mouse, and the focus never
// returns to the start.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { criteriaText, matching, savedAt, textOf, usePage, waitForText } from "./opened.ts";

const COUNT = 2000;
const { open, openEmpty, folder, contacts } = usePage(COUNT);

/** What has the focus, in words. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return "nothing";
    return element.getAttribute("aria-label") ?? element.textContent;
  });

/** Presses Tab until something has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const seen: string[] = [];
  while ((await focused(page)) !== name) {
    await page.keyboard.press("Tab");
    seen.push(await focused(page));
    if (seen.length > 60) throw new Error(`${name} is not among ${seen.join(", ")}`);
  }
}

async function press(page: Page, ...keys: Parameters<Page["keyboard"]["press"]>[0][]) {
  for (const key of keys) await page.keyboard.press(key);
}

/** Waits until the text of the criteria has a word. */
const waitForCriteria = (page: Page, word: string) =>
  page.waitForFunction(
    (part) =>
      document.querySelector<HTMLTextAreaElement>("#criteria-text")?.value.includes(part) === true,
    {},
    word,
  );

const criteriaOf = async (page: Page) =>
  JSON.parse(await criteriaText(page)) as (readonly [string, string, number])[];

test("criteria are added, changed and taken away, and the focus stays among them", async () => {
  const page = await open();
  await tabTo(page, "Add a criterion");
  await press(page, "Enter");
  expect(await focused(page)).toBe("Value");
  await page.keyboard.type("anna");
  await matching(page, contacts().count([["contact_email", "contains", "anna"]]));
  await tabTo(page, "Or");
  await press(page, "Enter");
  await page.keyboard.type("bob");
  const both = [
    ["contact_email", "contains", "anna"],
    "OR",
    ["contact_email", "contains", "bob"],
  ] as const;
  await matching(page, contacts().count(both));
  expect(JSON.parse(await criteriaText(page))).toEqual(both);
  await tabTo(page, "Remove this criterion");
  await press(page, "Enter");
  await matching(page, contacts().count([both[0]]));
  expect(await focused(page)).not.toBe("nothing");
  await tabTo(page, "Clear");
  await press(page, "Enter");
  await matching(page, COUNT);
  expect(await focused(page)).toBe("Add a criterion");
});

test("the table is sorted and read, and a record closed again", async () => {
  const page = await open();
  await tabTo(page, "Table");
  await tabTo(page, "open_count");
  await press(page, "Enter");
  const [first, second] = contacts().query({ sortBy: "open_count", sortOrder: "DESC", limit: 2 });
  await waitForText(page, ".line:not(.head)", first?.contact_email ?? "");
  await page.keyboard.down("Shift");
  await tabTo(page, "Records that match");
  await page.keyboard.up("Shift");
  await press(page, "ArrowDown", "Enter");
  await waitForText(page, ".detail dl", second?.contact_email ?? "");
  await tabTo(page, "Close");
  await press(page, "Enter");
  expect(await page.$(".detail")).toBeNull();
  expect(await focused(page)).toBe("Records that match");
});

test("facets are chosen by bars and by the ends of a range, and reset", async () => {
  const page = await open();
  await tabTo(page, "Table");
  await press(page, "ArrowRight");
  await waitForText(page, ".values .count", ",");
  expect(await focused(page)).toBe("Facets");
  await tabTo(page, "send_time from");
  await press(page, "ArrowRight");
  await waitForCriteria(page, "greater_than");
  const [first] = await criteriaOf(page);
  await matching(page, contacts().count([["send_time", "greater_than", first?.[2] ?? NaN]]));
  await tabTo(page, "send_time to");
  // As near to the other end as it goes.
  await press(page, "Home");
  await waitForCriteria(page, "less_than");
  const [from, to] = await criteriaOf(page);
  const range = [
    ["send_time", "greater_than", from?.[2] ?? NaN],
    ["send_time", "less_than", to?.[2] ?? NaN],
  ] as const;
  expect(range[1][2]).toBeGreaterThan(range[0][2]);
  await matching(page, contacts().count(range));
  await page.keyboard.down("Shift");
  await tabTo(page, "Reset");
  await page.keyboard.up("Shift");
  await press(page, "Enter");
  await matching(page, COUNT);
  expect(await focused(page)).toBe("send_time from");
});

test("indexes are switched off and on, and other data are chosen", async () => {
  const page = await open({ tab: "how" });
  await page.waitForSelector(".indexes");
  await tabTo(page, "Run it without indexes");
  await press(page, "Tab", "ArrowRight");
  await waitForText(page, ".how", "No indexes");
  await waitForText(page, ".how .tree", "every record");
  await press(page, "ArrowLeft");
  await page.waitForSelector(".indexes tfoot");
  await page.keyboard.down("Shift");
  await tabTo(page, "Generate");
  await page.keyboard.up("Shift");
  await press(page, "Enter");
  await page.waitForSelector("dialog[open]");
  await press(page, "Escape");
  await page.waitForFunction(() => document.querySelector("dialog") === null);
  expect(await focused(page)).toBe("Generate");
  await press(page, "Enter");
  await page.waitForSelector("dialog[open]");
  await tabTo(page, "Generate");
  await press(page, "Enter");
  await page.waitForFunction(() => document.querySelector("dialog") === null);
  await matching(page, COUNT);
  expect(await focused(page)).toBe("Generate");
});

test("an error is asked for, and the request read in each language", async () => {
  const page = await open({ tab: "envelope" });
  await waitForText(page, ".response", '"error": null');
  await tabTo(page, "A request that gets an error");
  await page.keyboard.type("311");
  await waitForText(page, ".response", '"code": 311');
  await tabTo(page, "DuckDB");
  await press(page, "Enter");
  await waitForText(page, ".snippet", "SELECT");
  expect(await textOf(page, ".same [aria-pressed=true]")).toBe("DuckDB");
});

test("a file is opened, grouped by two columns, and saved, and what has the focus is seen", async () => {
  const page = await openEmpty();
  const client = await page.createCDPSession();
  await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  const file = join(folder, "towns.csv");
  writeFileSync(file, "town,state,size\nUlm,BW,5\nBonn,NW,7\nKöln,NW,9\n");
  /** Neither lost nor without an outline, a shadow or a line of its own. */
  const isSeen = () =>
    page.evaluate(() => {
      const { activeElement: at } = document;
      if (at === null || at === document.body) return false;
      const { outlineStyle, boxShadow } = getComputedStyle(at);
      return outlineStyle !== "none" || boxShadow !== "none";
    });
  await tabTo(page, "Open a file");
  expect(await isSeen()).toBe(true);
  const choosing = page.waitForFileChooser();
  // Chromium intercepts what opens files before the key comes.
  await page.evaluate(() => undefined);
  await press(page, "Enter");
  await (await choosing).accept([file]);
  await matching(page, 3);
  await tabTo(page, "Table");
  await press(page, "ArrowRight", "ArrowRight");
  await page.waitForSelector(".ranked");
  expect(await focused(page)).toBe("Groups");
  await tabTo(page, "and by…");
  expect(await isSeen()).toBe(true);
  await press(page, "Enter");
  await page.waitForSelector(".pivot");
  // The choice takes the place of the button.
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("SELECT");
  expect(await isSeen()).toBe(true);
  await tabTo(page, "NW");
  expect(await isSeen()).toBe(true);
  await press(page, "Enter");
  await matching(page, 2);
  expect(await focused(page)).toBe("NW");
  await page.keyboard.down("Shift");
  await tabTo(page, "Save as");
  await page.keyboard.up("Shift");
  await press(page, "Enter");
  await page.waitForSelector(".popup .panel");
  await tabTo(page, "CSV");
  await press(page, "Enter");
  const saved = await savedAt(join(folder, "towns.selected.csv"));
  expect(saved.toString()).toBe("town,state,size\nBonn,NW,7\nKöln,NW,9\n");
  expect(await focused(page)).toBe("Save as");
});
