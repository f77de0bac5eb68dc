// Changes made on the page: of a cell, of a record, of all matching records; undone, redone, and
// saved.

import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { openCollection } from "../../src/arrow/index.ts";
import { inferSchema, loadCollection, readCsv } from "../../src/import/index.ts";
import { untyped } from "../rules/fixtures.ts";
import {
  axeFindings,
  drop,
  matching,
  savedAt,
  textOf,
  textsOf,
  until,
  usePage,
  waitForText,
  writeCriteria,
} from "./opened.ts";

const { open, openEmpty, contacts, folder } = usePage(300);

const COUNT = 400;
const STATES = ["open", "paid", "sent"];
/** Every fourth record has equals. */
const csv = [
  "state,items,note",
  ...Array.from({ length: COUNT }, (_, i) =>
    i % 4 === 0 ? "open,7," : `${STATES[i % 3]},${i},"note ${i}"`,
  ),
  "",
].join("\n");
const schema = inferSchema(readCsv(csv));
const tickets = loadCollection(schema, readCsv(csv, { schema }));

const openTickets = async () => {
  const page = await openEmpty();
  await drop(page, "tickets.csv", csv);
  await waitForText(page, ".matching", "400 of 400 records");
  return page;
};

const cellsOf = (page: Page, position: number) => textsOf(page, `#row-${position} > *`);

const waitForCells = (page: Page, position: number, expected: readonly string[]) =>
  until(async () => expect(await cellsOf(page, position)).toEqual(expected));

/** Moves from the first cell to another, by keys. */
async function goTo(page: Page, row: number, column: number): Promise<void> {
  await page.focus(".grid");
  await page.keyboard.press("Home");
  for (let i = 0; i < row; i++) await page.keyboard.press("ArrowDown");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowLeft");
  for (let i = 0; i < column; i++) await page.keyboard.press("ArrowRight");
}

/** Writes into the editor that has the focus. */
async function write(page: Page, text: string): Promise<void> {
  await page.waitForSelector(".editor input:focus");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

async function withControl(page: Page, ...keys: ("Shift" | "z" | "y")[]): Promise<void> {
  await page.keyboard.down("Control");
  for (const key of keys) await page.keyboard.down(key);
  for (const key of keys) await page.keyboard.up(key);
  await page.keyboard.up("Control");
}

const shownCount = (page: Page, value: string) =>
  page.$$eval(
    "section[aria-label=state] li",
    (all, name) =>
      all.find((each) => each.querySelector(".name")?.textContent === name)?.querySelector(".count")
        ?.textContent,
    value,
  );

test("an editor takes what is typed as soon as it is there", async () => {
  const page = await openTickets();
  await goTo(page, 1, 2);
  const isReady = await page.evaluate(() => {
    const grid = document.querySelector(".grid");
    const there = new Promise<boolean>((resolve) => {
      new MutationObserver(() => {
        const input = document.querySelector(".editor input");
        if (input !== null) resolve(document.activeElement === input);
      }).observe(document.body, { childList: true, subtree: true });
    });
    grid?.dispatchEvent(new KeyboardEvent("keydown", { key: "F2", bubbles: true }));
    return there;
  });
  expect(isReady).toBe(true);
});

test("a time that is edited is said as it is typed, and undone while a choice has the focus", async () => {
  const page = await openEmpty();
  await drop(page, "when.csv", "id,placed\n1,2024-01-01\n2,2024-01-02\n");
  await waitForText(page, ".matching", "2 of 2 records");
  await goTo(page, 0, 1);
  await page.keyboard.press("F2");
  await write(page, "2024-02-29");
  await waitForText(page, ".said", "Done: set placed to 2024-02-29 in 1 record");
  await page.focus("[role=columnheader] select");
  await withControl(page, "z");
  await waitForText(page, ".said", "Undone: set placed to 2024-02-29 in 1 record");
});

test("a cell is edited by keys, refused with the library's reason, undone and redone", async () => {
  const page = await openTickets();
  // The third of many equal records: that one changes, no other.
  await goTo(page, 8, 1);
  expect(await cellsOf(page, 8)).toEqual(["open", "7", "null"]);
  await page.keyboard.press("F2");
  await write(page, "seven");
  await waitForText(page, "#cell-8-1 .fault", "rows[8].items: must be an integer");
  expect(await axeFindings(page)).toEqual([]);
  await page.click("#cell-8-1 .null");
  await page.focus("#cell-8-1 input");
  await page.keyboard.press("Enter");
  await waitForText(page, "#cell-8-1 .fault", "rows[8].items: must not be null");
  await page.keyboard.press("Escape");
  expect(await cellsOf(page, 8)).toEqual(["open", "7", "null"]);
  expect(await page.evaluate(() => document.activeElement?.className)).toBe("grid");
  expect(await page.$(".said + .plain")).toBeNull();

  await page.keyboard.press("F2");
  await write(page, "4711");
  await waitForCells(page, 8, ["open", "4,711", "null"]);
  expect(await textOf(page, ".said")).toBe("Done: set items to 4711 in 1 record");
  for (const equal of [0, 4, 12]) expect(await cellsOf(page, equal)).toContain("7");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("F2");
  await write(page, "a, b");
  await waitForCells(page, 8, ["open", "4,711", "a, b"]);
  await withControl(page, "z");
  await waitForCells(page, 8, ["open", "4,711", "null"]);
  await withControl(page, "z");
  await waitForCells(page, 8, ["open", "7", "null"]);
  await withControl(page, "Shift", "z");
  await withControl(page, "y");
  await waitForCells(page, 8, ["open", "4,711", "a, b"]);
  expect(await textOf(page, ".said")).toBe('Redone: set note to "a, b" in 1 record');
});

test("a changed table is closed, or loaded again, only by who says so", async () => {
  const page = await openTickets();
  const asked: string[] = [];
  let isMeant = false;
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void (isMeant ? dialog.accept() : dialog.dismiss());
  });
  const question = "This discards the changes that you made to the table. Continue?";
  await goTo(page, 1, 1);
  await page.keyboard.press("F2");
  await write(page, "4711");
  await waitForText(page, "#cell-1-1", "4,711");
  await page.click('[aria-label="Close tickets.csv"]');
  await until(() => expect(asked).toEqual([question]));
  await drop(page, "tickets.csv", csv);
  await until(() => expect(asked).toEqual([question, question]));
  expect(await textOf(page, "#cell-1-1")).toBe("4,711");

  isMeant = true;
  await drop(page, "tickets.csv", csv);
  await waitForCells(page, 1, ["paid", "1", "note 1"]);
  expect(asked).toHaveLength(3);
  // Nothing is lost now.
  await page.click('[aria-label="Close tickets.csv"]');
  await page.waitForSelector('[aria-label="Close tickets.csv"]', { hidden: true });
  expect(asked).toHaveLength(3);
});

test("records are removed and come back to their places; the count follows", async () => {
  const page = await openTickets();
  await goTo(page, 5, 0);
  await page.keyboard.press("Delete");
  await matching(page, COUNT - 1);
  await waitForText(page, ".matching", "399 of 399");
  await waitForCells(page, 5, ["open", "6", "note 6"]);
  // The last one, from the record that is open.
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.locator(".detail ::-p-aria(Remove)").click();
  await matching(page, COUNT - 2);
  await waitForText(page, ".detail dl", "note 398");
  await page.locator("::-p-aria(Undo)").click();
  await page.locator("::-p-aria(Undo)").click();
  await matching(page, COUNT);
  await page.focus(".grid");
  await page.keyboard.press("Home");
  await waitForCells(page, 5, ["sent", "5", "note 5"]);
  await page.locator("::-p-aria(Edit note)").click();
  await page.waitForSelector(".detail .editor input:focus");
  await write(page, "x");
  await waitForCells(page, 0, ["open", "7", "x"]);
});

test("all that match are set, with the patches, the facets and the saved files after it", async () => {
  const page = await openTickets();
  const criteria = [["items", "at_least", 200]];
  await writeCriteria(page, JSON.stringify(criteria));
  const many = tickets.count(untyped(criteria));
  await matching(page, many);
  await page.locator("::-p-aria(Change)").click();
  await page.waitForSelector(".changes");
  expect(await axeFindings(page)).toEqual([]);
  await page.select(".changes select", "items");
  await page.type(".changes .editor input", "few");
  await page.keyboard.press("Enter");
  await waitForText(page, ".changes .fault", "changes.items: must be an integer");
  await page.select(".changes select", "state");
  await page.type(".changes .editor input", "closed");
  await page.locator(`::-p-aria(Set in the ${many} that match)`).click();
  await waitForText(page, ".said", `Done: set state to "closed" in ${many} records`);
  const changed = tickets.withPatches((all) =>
    all.update(untyped(criteria), untyped({ state: "closed" })),
  );
  const [first] = changed.patches;
  expect((await textsOf(page, ".made code"))[0]).toBe(
    `replace records/${first?.path.join("/")} "closed"`,
  );
  expect(await textOf(page, ".made small")).toBe(`and ${many - 5} more patches`);
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.click("#tab-facets");
  await until(async () => expect(await shownCount(page, "closed")).toBe(String(many)));

  const client = await page.createCDPSession();
  await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  for (const format of ["Saved collection", "CSV"]) {
    await page.locator("::-p-aria(Save as)").click();
    await page.locator(`::-p-aria(${format})`).click();
    await page.waitForSelector(".panel", { hidden: true });
  }
  const all = await savedAt(join(folder, "tickets.all.arrow"));
  const some = await savedAt(join(folder, "tickets.selected.csv"));
  expect(openCollection(all).query()).toEqual(changed.collection.query());
  const saved = loadCollection(schema, readCsv(some, { schema }));
  expect(saved.query()).toEqual(changed.collection.query(untyped({ criteria })));

  await page.locator("::-p-aria(Undo)").click();
  await until(async () => expect(await shownCount(page, "closed")).toBeUndefined());
  await page.locator("::-p-aria(Change 0)").click();
  await page.locator(`::-p-aria(Remove the ${many} that match)`).click();
  await matching(page, 0);
  await waitForText(page, ".matching", `0 of ${COUNT - many} records`);
  await page.locator("::-p-aria(Undo)").click();
  await matching(page, many);
});

test("Contacts and Files are changed in their service, and opened again from what was saved", async () => {
  const page = await open();
  const column = (await textsOf(page, ".head > * > button:first-child")).indexOf("open_count");
  await page.focus(".grid");
  for (let i = 0; i < column; i++) await page.keyboard.press("ArrowRight");
  // The editor is wider than its column, and stays in sight.
  await page.setViewport({ width: 700, height: 900 });
  await page.keyboard.press("F2");
  await page.waitForSelector(".editor input:focus");
  await until(async () => {
    const [grid, editor] = await page.$$eval(".grid, .editor", (all) =>
      all.map((each) => each.getBoundingClientRect().right),
    );
    expect(editor).toBeLessThanOrEqual(grid ?? 0);
  });
  await page.setViewport({ width: 1280, height: 900 });
  await write(page, "99999");
  await waitForText(page, `#cell-0-${column}`, "99,999");
  await page.click("#tab-envelope");
  await waitForText(page, ".response", '"open_count": "99999"');
  const client = await page.createCDPSession();
  await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await page.locator("::-p-aria(Save as)").click();
  await page.locator("::-p-aria(Saved collection)").click();
  const file = join(folder, "contacts.all.arrow");
  const bytes = await savedAt(file);
  const [before, ...others] = contacts().query();
  const expected = [{ ...before, open_count: "99999" }, ...others];
  expect(openCollection(bytes).query()).toEqual(expected);
  await drop(page, "saved.arrow", bytes);
  await waitForText(page, ".source", "saved.arrow");
  await waitForText(page, ".matching", "300 of 300 Contacts");

  const files = "id,folder_id,name,size\n1,1,a.txt,5\n2,1,b.png,6\n";
  await drop(page, "files.csv", files);
  await waitForText(page, ".matching", "2 of 2 Files");
  await page.click("#tab-answer");
  await page.waitForSelector(".grid");
  await page.focus(".grid");
  await page.keyboard.press("F2");
  await write(page, "c.pdf");
  await waitForText(page, "#cell-0-0", "c.pdf");
  await writeCriteria(page, '[["extension","exactly",".pdf"]]');
  await matching(page, 1);
  await page.locator("::-p-aria(Undo)").click();
  await matching(page, 0);
});
