// The page for every reader: at any width, with larger text, with custom colors, on paper, without
// motion, and through the names that a screen reader reads.

import type { Page, SerializedAXNode } from "puppeteer-core";
import { describe, expect, test } from "vitest";
import {
  axeFindings,
  drop,
  emulate,
  matching,
  styleOf,
  until,
  usePage,
  waitForText,
  writeCriteria,
} from "./opened.ts";

const { open, openEmpty, shared } = usePage(2000);

const TABS = ["answer", "facets", "groups", "profile", "how", "envelope"] as const;

/** What each tab shows when it is there. */
const CONTENT = {
  answer: ".line",
  facets: ".values",
  groups: ".ranked",
  profile: ".profiles td",
  how: ".step",
  envelope: "pre",
};

async function show(page: Page, tab: (typeof TABS)[number]): Promise<void> {
  await page.click(`#tab-${tab}`);
  await page.waitForSelector(CONTENT[tab]);
}

const openOrders = () => open({ kind: "orders", criteria: [["state", "in", ["open", "paid"]]] });

/** What has text that its box cuts off from top to bottom. */
const cutOff = (page: Page, selector: string) =>
  page.$$eval(selector, (all) =>
    all
      .filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)
      .map(({ textContent }) => textContent),
  );

/** Among them half of 1,280, as a zoom of 200 % leaves it. */
const WIDTHS = [360, 640, 768, 1280, 2560];

/** Neither the page nor an open panel is wider than the window. */
async function expectNothingBeyond(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewport({ width, height: 900 });
    const { wide, left, right } = await page.evaluate(() => {
      const panel = document.querySelector(".popup .panel")?.getBoundingClientRect();
      const wide = document.documentElement.scrollWidth;
      return { wide, left: panel?.left ?? 0, right: panel?.right ?? 0 };
    });
    expect(wide).toBe(width);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(width);
  }
}

test.each([
  ["orders", openOrders],
  ["Contacts", () => open()],
])("%s: nothing lies beyond the edge from 360 to 2,560 pixels", async (_, opening) => {
  const page = await opening();
  for (const tab of TABS) {
    await show(page, tab);
    await expectNothingBeyond(page);
    for (const panel of await page.$$(".popup > button")) {
      await panel.click();
      await page.waitForSelector(".popup .panel");
      await expectNothingBeyond(page);
      await panel.click();
    }
  }
});

test("and no more does the first screen", async () => {
  await expectNothingBeyond(await openEmpty());
});

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
  await until(async () => {
    const [top = 0, bottom = 0, foot = 0] = await page.evaluate(() => {
      const boxOf = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
      return [boxOf(".line.active")?.top, boxOf(".line.active")?.bottom, boxOf(".foot")?.top];
    });
    expect(bottom - top).toBe(56);
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
      await styleOf(page, '.values [aria-pressed="true"] .bar:not(.whole)', "background-color"),
      await styleOf(page, '.values [aria-pressed="false"] .bar:not(.whole)', "background-color"),
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
  expect(await visible(".reading, .head select")).toEqual([]);
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
    // The name of the table, the heads of columns, the names of values, groups and columns, and the ends of a range are read, too. At once:
    // charts may still be coming.
    const pressed = await page.$$eval("button", (all) =>
      all
        .filter((each) => each.getClientRects().length > 0)
        .filter(
          (each) =>
            !each.matches(
              ".source, .head button, .values button, .handle, .ranked .name, .profile th *",
            ),
        )
        .map((each) => each.className),
    );
    expect(pressed).toEqual([]);
  }
});

test("nothing moves for a reader who wants no motion", async () => {
  const page = await openOrders();
  // As a change marks the records that it changed.
  await page.evaluate(() => document.querySelector(".body .line")?.classList.add("fresh"));
  const motion = () => styleOf(page, ".fresh > *", "animation-name");
  await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "no-preference" }]);
  expect(await motion()).toBe("fresh");
  await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
  expect(await motion()).toBe("none");
});

/** A node with its state. */
function wordsOf({ role, name = "", ...state }: SerializedAXNode): string {
  const states = [
    state.selected === true ? "selected" : "",
    state.pressed === undefined ? "" : state.pressed === true ? "pressed" : "not pressed",
    state.checked === undefined ? "" : state.checked === true ? "checked" : "not checked",
    state.expanded === true ? "expanded" : "",
    state.disabled === true ? "disabled" : "",
    state.value === undefined ? "" : `value ${state.value}`,
    state.description === undefined ? "" : `described as ${state.description}`,
  ].filter((each) => each !== "");
  return [`${role} ${name}`.trim(), ...states].join(", ");
}

/** Roles of what only holds what is read. */
const SILENT =
  /^(generic|none|paragraph|strong|code|list|listitem|ListMarker|LabelText|Legend|rowgroup|sectionheader)$/;

/** Roles that are read as one, whatever is in them. */
const WHOLE = /^(button|tab|checkbox|radio|slider|textbox|searchbox|spinbutton|combobox)$/;

/** What a screen reader reads of a part of the page, one to a line; texts beside each other are one. */
async function namesOf(page: Page, part: string): Promise<string[]> {
  const lines: string[] = [];
  let text = "";
  const endText = () => {
    if (text.trim() !== "") lines.push(`text ${text.trim()}`);
    text = "";
  };
  const read = (node: SerializedAXNode, above = "") => {
    const { role, name = "", children = [] } = node;
    if (role === "StaticText") {
      // The text of a name is read with it.
      if (!above.includes(name.trim())) text += ` ${name}`;
      return;
    }
    const isRead = !SILENT.test(role);
    if (isRead) {
      endText();
      lines.push(wordsOf(node));
    }
    if (!WHOLE.test(role)) for (const child of children) read(child, isRead ? name : above);
  };
  const root = await page.waitForSelector(part);
  if (root === null) throw new Error(`there is no ${part}`);
  const tree = await page.accessibility.snapshot({ root, interestingOnly: false });
  if (tree !== null) read(tree);
  endText();
  return lines.map((each) =>
    each
      .replaceAll(/\s+/g, " ")
      .replaceAll(/ (?=[,.:;])/g, "")
      // Times differ.
      .replaceAll(/(?:< )?[\d.,]+ (ms|%)|: [\d.,]+ times as long/g, (_, unit = "") =>
        unit === "" ? "" : `n ${unit}`,
      ),
  );
}

describe("the names that are read, and what axe finds, of", () => {
  const read = async (page: Page, part: string) => {
    const names = await namesOf(page, part);
    expect(await axeFindings(page)).toEqual([]);
    return names;
  };
  const press = (page: Page, name: string) => page.locator(`::-p-aria(${name})`).click();

  /** The page with a table of two records, and one of its tabs. */
  async function openTowns(tab: (typeof TABS)[number]): Promise<Page> {
    const page = await shared();
    await drop(page, "towns.csv", "town,size\nUlm,5\nBonn,7\n");
    await waitForText(page, ".matching", "2 of 2 records");
    await show(page, tab);
    return page;
  }

  test("the first screen", async () => {
    expect(await read(await shared(), "#app")).toMatchInlineSnapshot(`
      [
        "banner",
        "heading tercet",
        "main",
        "heading Search, count and chart tables of millions of rows. Your data never leave this machine.",
        "button Open a file, described as A table as CSV, NDJSON, JSON, Parquet or Arrow, or a Batch as JSON, gzipped or not",
        "text CSV, NDJSON, JSON, Parquet or Arrow, also compressed. You can drop files anywhere on this page; each becomes a table.",
        "button Paste",
        "text Cells copied from a spreadsheet, CSV or JSON. Ctrl+V works anywhere on this page.",
        "button Generate",
        "text Orders, Contacts or Files, up to a million. The same seed makes the same data.",
        "button Sample",
        "text 10,000 orders of a shop, to try the page.",
      ]
    `);
  });

  test("what is generated", async () => {
    const page = await shared();
    await press(page, "Generate");
    expect(await read(page, "dialog")).toMatchInlineSnapshot(`
      [
        "dialog Generated data",
        "heading Generated data",
        "group What",
        "radio Orders, checked",
        "radio Contacts of a Batch, not checked",
        "radio Files, not checked",
        "text How many",
        "combobox How many, value 100,000",
        "text Seed",
        "spinbutton Seed, value 1",
        "button Generate",
        "button Cancel",
      ]
    `);
    await press(page, "Cancel");
  });

  test("the tables, the criteria, the count and the tabs", async () => {
    const page = await openTowns("answer");
    await writeCriteria(page, '[["town","in",["Ulm"]],"OR",["size","exactly",null],7]');
    await page.waitForSelector(".element.wrong");
    expect(await read(page, "header")).toMatchInlineSnapshot(`
      [
        "banner",
        "heading tercet",
        "button Open a file, described as A table as CSV, NDJSON, JSON, Parquet or Arrow, or a Batch as JSON, gzipped or not",
        "button Generate",
        "button towns.csv, pressed",
        "button Close towns.csv",
        "button Views",
        "button Copy link",
      ]
    `);
    expect(await read(page, ".criteria")).toMatchInlineSnapshot(`
      [
        "region Criteria",
        "group Criterion 1",
        "combobox Field, value town",
        "combobox Operator, value in",
        "combobox Value, value Ulm",
        "button null, not pressed, described as null: no value",
        "button Remove this criterion",
        "text or",
        "group Criterion 3",
        "combobox Field, value size",
        "combobox Operator, value exactly",
        "combobox Value",
        "button null, pressed, described as null: no value",
        "button Remove this criterion",
        "group Criterion 4",
        "text 7",
        "button Remove this criterion",
        "alert",
        "text must be [field, operator, value], a group of criteria, "OR" or "NOT", not 7; criteria are a list of such triples",
        "searchbox Find in any column, described as In strings it ignores case and accents. It also finds numbers, and times such as 2024-03.",
        "button And",
        "button Or",
        "button Clear",
        "button As text",
      ]
    `);
    expect(await read(page, ".status")).toMatchInlineSnapshot(`
      [
        "status",
        "text 2 of 2 records in n ms",
      ]
    `);
    expect(await read(page, ".reading")).toMatchInlineSnapshot(`
      [
        "group",
        "DisclosureTriangle Read as CSV, commas",
      ]
    `);
    expect(await read(page, ".tabs")).toMatchInlineSnapshot(`
      [
        "status",
        "text 2 of 2 records in n ms",
        "tablist What is shown",
        "tab Table, selected",
        "tab Facets",
        "tab Groups",
        "tab Profile",
        "tab Plan",
        "tab Code",
        "status",
        "button Change",
        "status",
        "button Save as",
        "button Columns 2 of 2",
        "button Compute",
        "group",
        "DisclosureTriangle Read as CSV, commas",
      ]
    `);
  });

  test("the answer", async () => {
    const page = await openTowns("answer");
    await waitForText(page, ".foot", "sum");
    await page.click(".head > * > button:first-child");
    await page.waitForSelector("[aria-sort=descending]");
    expect(await read(page, ".answer")).toMatchInlineSnapshot(`
      [
        "grid Records that match",
        "row town string About town size int About size",
        "columnheader town string About town",
        "button town, described as string. Shift and a click sort by one more. Shift and an arrow key resize the column, Alt and an arrow key move it.",
        "combobox Type of town, value string",
        "button About town, described as About town: what it holds, groups by it",
        "columnheader size int About size",
        "button size, described as int. Shift and a click sort by one more. Shift and an arrow key resize the column, Alt and an arrow key move it.",
        "combobox Type of size, value int",
        "button About size, described as About size: what it holds, groups by it",
        "row Ulm 5, selected",
        "gridcell Ulm",
        "gridcell 5",
        "row Bonn 7",
        "gridcell Bonn",
        "gridcell 7",
        "row sum 12 mean 6",
        "gridcell",
        "gridcell sum 12 mean 6, described as 2 numbers, sum 12, mean 6, from 5 to 7; 0 null",
      ]
    `);
  });

  test("a record that is open, and the editor in it", async () => {
    const page = await openTowns("answer");
    await page.click("#row-1");
    expect(await read(page, ".detail")).toMatchInlineSnapshot(`
      [
        "complementary The record",
        "heading Record 2",
        "button Copy as JSON",
        "button Remove",
        "button Close",
        "DescriptionList All fields",
        "term town",
        "definition",
        "text Bonn",
        "button Edit town",
        "term size",
        "definition",
        "text 7",
        "button Edit size",
      ]
    `);
    await press(page, "Edit size");
    // What it holds is selected as it gets the focus: typing replaces it.
    await page.waitForFunction(() => {
      const input = document.activeElement;
      return input instanceof HTMLInputElement && input.selectionStart !== input.selectionEnd;
    });
    await page.keyboard.type("x");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".editor .fault");
    expect(await read(page, ".editor")).toMatchInlineSnapshot(`
      [
        "textbox New value of size, value x, described as rows[1].size: must be an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string, not "x"",
        "button null, not pressed, described as null: no value",
        "button Save",
        "alert",
        "text rows[1].size: must be an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string, not "x"",
      ]
    `);
  });

  test("the rows that are selected", async () => {
    const page = await openTowns("answer");
    await page.focus(".grid");
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.up("Shift");
    expect(await read(page, ".selection")).toMatchInlineSnapshot(`
      [
        "status",
        "text 2 rows selected",
        "button Copy as TSV",
        "button Copy as JSON",
      ]
    `);
  });

  test("the columns", async () => {
    const page = await openTowns("answer");
    await press(page, "Columns 2 of 2");
    expect(await read(page, ".panel")).toMatchInlineSnapshot(`
      [
        "group Columns",
        "checkbox Freeze the first, not checked",
        "button Reset",
        "checkbox town, checked",
        "button Move town up",
        "button Move town down",
        "checkbox size, checked",
        "button Move size up",
        "button Move size down",
      ]
    `);
  });

  test("the changes", async () => {
    const page = await openTowns("answer");
    await page.focus(".grid");
    await page.keyboard.press("Delete");
    await matching(page, 1);
    await press(page, "Change 1");
    expect(await read(page, ".tabs")).toMatchInlineSnapshot(`
      [
        "status",
        "text 1 of 1 records in n ms",
        "tablist What is shown",
        "tab Table, selected",
        "tab Facets",
        "tab Groups",
        "tab Profile",
        "tab Plan",
        "tab Code",
        "status",
        "text Done: removed 1 record; 1 fewer match",
        "button Undo",
        "button Redo, disabled",
        "button Change 1, expanded",
        "group Change",
        "region Set a field",
        "combobox Field to set, value town",
        "textbox New value of town",
        "button null, not pressed, described as null: no value",
        "button Set in the 1 that match",
        "button Remove the 1 that match",
        "text removed 1 record remove records/0",
        "status",
        "button Save as",
        "button Columns 2 of 2",
        "button Compute",
        "group",
        "DisclosureTriangle Read as CSV, commas",
      ]
    `);
    await press(page, "Undo");
    await matching(page, 2);
  });

  test("the ways to save, and what was saved", async () => {
    const page = await openTowns("answer");
    await press(page, "Save as");
    expect(await read(page, ".panel")).toMatchInlineSnapshot(`
      [
        "group Save as",
        "text 2 records, with all their fields, as",
        "button CSV",
        "button NDJSON",
        "button JSON",
        "button Arrow",
        "button Parquet",
        "text All 2, with their types, as",
        "button Saved collection",
      ]
    `);
    await press(page, "Saved collection");
    await page.waitForSelector(".panel", { hidden: true });
    expect(await read(page, ".tabs")).toContain("text Saved 2 records as towns.all.arrow");
  });

  test("the facets", async () => {
    const page = await shared();
    const lines = Array.from({ length: 40 }, (_, i) => `${i % 3},${i * i},note ${i}\n`);
    await drop(page, "facets.csv", `third,square,note\n${lines.join("")}`);
    await waitForText(page, ".matching", "40 of 40 records");
    await show(page, "facets");
    await page.click("section[aria-label=third] li button");
    await matching(page, 14);
    await waitForText(page, ".of-all", "all: up to 8");
    expect(await read(page, ".facets")).toMatchInlineSnapshot(`
      [
        "region third",
        "heading third",
        "text 0",
        "button Reset",
        "button 0 14 n %, pressed, described as 0: 14 of 40 records",
        "button 1 13 n %, not pressed, described as 1: 13 of 40 records",
        "button 2 13 n %, not pressed, described as 2: 13 of 40 records",
        "text shares of 40 records",
        "button Save third as SVG",
        "region square",
        "heading square",
        "slider square from, value 0",
        "slider square to, value 1549",
        "text selected: up to 3 bar all: up to 8",
        "button Save square as SVG",
        "region note",
        "heading note",
        "searchbox note contains",
      ]
    `);
    // A bound selects bars as a click does; those outside it look so.
    await writeCriteria(page, '[["third","greater_than",0],["square","less_than",100]]');
    await matching(page, 6);
    await waitForText(page, "section[aria-label=third] .scales", "shares of 10 records");
    const bars = await page.$$eval("section[aria-label=third] li button", (all) =>
      all.map((each) => [
        each.title,
        each.className,
        ...[...each.querySelectorAll<HTMLElement>(".bar")].map(({ style }) => style.transform),
      ]),
    );
    // Of the other criteria, and at a scale of their own.
    const of = "of 10 records that match the other criteria";
    expect(bars).toEqual([
      [`0: 4 ${of}, 14 of all`, "off", "scaleX(1)", "scaleX(1)"],
      [`1: 3 ${of}, 13 of all`, "", "scaleX(0.928571)", "scaleX(0.75)"],
      [`2: 3 ${of}, 13 of all`, "", "scaleX(0.928571)", "scaleX(0.75)"],
    ]);
    await press(page, "Selection and all on one scale");
    await waitForText(page, "section[aria-label=third] .scales", "shares of 10 records");
    await page.waitForSelector("section[aria-label=third] .of-all", { hidden: true });
    const long = await page.$eval("section[aria-label=third] .bar:not(.whole)", (bar) =>
      bar.getAttribute("style"),
    );
    expect(long).toContain("scaleX(0.285714)");
    await press(page, "Selection and all on one scale");
  });

  test("the plan", async () => {
    const page = await openTowns("how");
    await press(page, "Run it without indexes");
    await page.waitForSelector(".without [role=status]");
    expect(await read(page, ".how")).toMatchInlineSnapshot(`
      [
        "region Plan",
        "heading The plan",
        "text every record, in insertion order 2 rows, estimated 2 n ms, n % of the time planning, and a page of 50 2 rows n ms, n % of the time",
        "button Run it without indexes",
        "status",
        "text n ms without indexes, n ms with this plan.",
        "region Indexes",
        "heading Indexes",
        "group When indexes are built",
        "radio automatic, checked",
        "radio none, not checked",
        "table",
        "row",
        "columnheader field",
        "columnheader kind",
        "columnheader takes",
        "row",
        "cell town",
        "cell ordered",
        "cell 1 kB",
        "row",
        "cell size",
        "cell ordered",
        "cell 1 kB",
        "row",
        "cell 2 indexes",
        "cell 1 kB",
      ]
    `);
  });

  test("the code", async () => {
    const page = await openTowns("envelope");
    await waitForText(page, ".snippet", "query");
    expect(await read(page, ".envelope")).toMatchInlineSnapshot(`
      [
        "heading The same as",
        "group Language",
        "button TypeScript, pressed",
        "button Test, not pressed",
        "button Shell, not pressed",
        "button PostgreSQL, not pressed",
        "button DuckDB, not pressed",
        "button SQLite, not pressed",
        "button ClickHouse, not pressed",
        "button MariaDB, not pressed",
        "button Copy",
        "region As TypeScript",
        "text import { readFileSync } from "node:fs"; import { inferSchema, loadCollection, readRecords } from "tercet/import"; const bytes = readFileSync("towns.csv"); const options = { name: "towns.csv" }; const schema = inferSchema(readRecords(bytes, options)); const records = loadCollection(schema, readRecords(bytes, {...options, schema })); const found = records.query({ criteria: [], });",
      ]
    `);
  });

  test("Contacts by List, and their envelope", async () => {
    const page = await open({ count: 2, criteria: [["send_status", "exactly", "none"]] });
    await page.click(".toggle input");
    await page.waitForSelector(".lists section");
    expect(await read(page, "#shown")).toMatchInlineSnapshot(`
      [
        "tabpanel Table",
        "button Previous, disabled",
        "text none of 0 over all Lists",
        "button Next, disabled",
        "heading List 101 0 on this page",
        "heading List 102 0 on this page",
        "heading List 103 0 on this page",
      ]
    `);
    await show(page, "envelope");
    await waitForText(page, ".response", "error");
    expect(await read(page, ".envelope")).toMatchInlineSnapshot(`
      [
        "heading Request",
        "combobox A request that gets an error, value Get an error…",
        "textbox Request, value { "id": 1, "method": "getBatchContacts", "params": [ "secret", 1, [ ["send_status","exactly","none"] ], 3, 0 ] }",
        "heading Response",
        "region Response",
        "text { "id": 1, "result": { "101": [], "102": [], "103": [] }, "error": null }",
        "heading The same as",
        "group Language",
        "button TypeScript, pressed",
        "button Test, not pressed",
        "button Shell, not pressed",
        "button PostgreSQL, not pressed",
        "button DuckDB, not pressed",
        "button SQLite, not pressed",
        "button ClickHouse, not pressed",
        "button MariaDB, not pressed",
        "button Copy",
        "region As TypeScript",
        "text import { createService } from "tercet"; const service = createService({ batches: [batch] }); const found = service.getBatchContacts( 1, [["send_status","exactly","none"]], 3, 0, );",
      ]
    `);
  });

  test("a file that could not be read, and one that a link asks for", async () => {
    const page = await shared();
    await drop(page, "short.csv", "a,b\n1\n");
    await page.waitForSelector("main > .fault");
    expect(await read(page, "main")).toMatchInlineSnapshot(`
      [
        "main",
        "region Criteria",
        "text All records",
        "button Add a criterion",
        "button As text",
        "alert",
        "text short.csv: line 2: has 1 value, but there are 2 columns; if empty values were left off at its end, set the option ragged to "pad"",
        "tablist What is shown",
        "tab Table, selected",
        "tab Facets",
        "tab Groups",
        "tab Profile",
        "tab Plan",
        "tab Code",
        "group",
        "DisclosureTriangle Read as CSV, commas, expanded",
        "text Separated by",
        "combobox Separated by, value commas",
        "text encoded as",
        "combobox encoded as, value UTF-8",
        "text null is",
        "textbox null is",
        "text the first row has",
        "combobox the first row has, value the names of columns",
        "group",
        "DisclosureTriangle more",
        "tabpanel Table",
      ]
    `);
    await page.evaluate(() => (location.hash = "#file=towns.csv"));
    await waitForText(page, ".matching", "towns.csv");
    expect(await read(page, ".status")).toMatchInlineSnapshot(`
      [
        "status",
        "text This link needs towns.csv. Open it, or another file with the same columns.",
      ]
    `);
  });
});

test.each(TABS)("axe finds nothing wrong with orders: %s", async (tab) => {
  const page = await openOrders();
  for (const width of [640, 1280, 2560]) {
    await page.setViewport({ width, height: 900 });
    await show(page, tab);
    expect(await axeFindings(page)).toEqual([]);
  }
});

test("axe finds nothing wrong with groups of two columns, relations and views", async () => {
  const page = await openOrders();
  await show(page, "groups");
  await page.locator("::-p-text(and by…)").click();
  await page.waitForSelector(".pivot .ranked");
  expect(await axeFindings(page)).toEqual([]);
  for (const name of ["Views", "Save groups"]) {
    await page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
    await page.waitForSelector(".popup .panel");
    expect(await axeFindings(page)).toEqual([]);
  }
});

test("charts stand beside the table in a wide window, and a click hides them", async () => {
  const page = await openOrders();
  expect(await page.$("aside")).toBeNull();
  await page.setViewport({ width: 2560, height: 1200 });
  await page.waitForSelector("aside .values");
  const [table = 0, charts = 0] = await page.$$eval(".grid, aside", (all) =>
    all.map((each) => each.getBoundingClientRect().width),
  );
  expect(table).toBeGreaterThan(1800);
  expect(charts).toBeGreaterThan(350);
  await page.click("aside .values button");
  await page.waitForFunction(() => document.querySelector("aside .values [aria-pressed=true]"));
  await page.locator(`::-p-aria([name="Charts"][role="button"])`).click();
  await page.waitForFunction(() => document.querySelector("aside") === null);
});

test("a head is read as its field, and not together with its type", async () => {
  const page = await open({ kind: "files", count: 1, columns: [{ name: "id" }] });
  await page.waitForSelector(".head .type");
  expect(await namesOf(page, ".head")).toContainEqual(
    expect.stringMatching(/^button id, described/),
  );
});
