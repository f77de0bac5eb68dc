// The user's own tables on the page: an export of orders in each format.

import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parquetMetadataAsync, parquetRead, parquetSchema } from "hyparquet";
import * as parquetWriter from "hyparquet-writer";
import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import {
  inferSchema,
  loadCollection,
  readCsv,
  readParquet,
  readRecords,
  writeJson,
  writeNdjson,
  writeParquet,
} from "../../src/import/index.ts";
import type { Tab } from "../../src/playground/link.ts";
import { untyped } from "../rules/fixtures.ts";
import {
  axeFindings,
  brush,
  criteriaText,
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

const { openAddress, openEmpty, shared, folder } = usePage(1);

const COUNT = 3000;
const STATES = ["open", "paid", "sent", "lost"];

const csv = [
  "id,placed_at,total,items,is_gift,state,customer,note,discount",
  ...Array.from({ length: COUNT }, (_, i) => {
    const total = ((i * 7919) % 20_000) / 100;
    const note = i % 3 === 0 ? `"left, at door ${i}"` : "";
    const discount = i % 5 === 0 ? (i % 40) / 100 : "";
    const customer = `Customer ${(i * 31) % 997}`;
    return [
      ...[i, 1_700_000_000_000 + i * 3_600_000, total.toFixed(2), (i % 6) - 1, i % 4 === 0],
      ...[STATES[(i % 7) % 4], customer, note, discount],
    ].join(",");
  }),
  "",
].join("\n");

const schema = inferSchema(readCsv(csv));
const orders = loadCollection(schema, readCsv(csv, { schema }));
const records = orders.query() as unknown as Readonly<Record<string, string | number>>[];

/** A record as the table shows it: times as dates, and amounts in cents. */
const textsIn = (record: (typeof records)[number] = {}) =>
  Object.entries(record).map(([name, value]) => {
    if (name === "placed_at") return new Date(value).toISOString().slice(0, 19).replace("T", " ");
    // A discount may be null.
    const isAmount = schema.fields[name]?.type === "float" && typeof value === "number";
    return isAmount ? value.toFixed(2) : String(value);
  });

const types = Object.entries(schema.fields).map(([name, { type }]) =>
  name === "placed_at" ? "time" : type,
);

/** The types in the heads. */
const shownTypes = (page: Page) =>
  page.$$eval(".head select", (all) => all.map((select) => select.value));

/** What is said of saving. */
const SAVED = ".popup + .said";

/** The page with the orders, and one of its tabs. */
async function openOrders(tab: Tab = "answer", page?: Page): Promise<Page> {
  page ??= await shared();
  await drop(page, "orders.csv", csv);
  await waitForText(page, ".matching", "3,000 of 3,000 records");
  await page.click(`#tab-${tab}`);
  return page;
}

const inWords = (count: number) => count.toLocaleString("en-US");

test("a table has the types of its columns, and answers as the library does", async () => {
  const page = await openOrders();
  expect(await shownTypes(page)).toEqual(types);
  const firstRow = () => textsOf(page, ".line:not(.head):first-child > *");
  expect(await firstRow()).toEqual(textsIn(records[0]));

  // Operators follow from the type: the contract's, and the two of one's own schemas for numbers.
  await page.click(".add button");
  await page.select(".row select", "total");
  const operators = await textsOf(page, ".row select:nth-child(2) option");
  expect(operators).toContain("at_least");
  await page.select(".row select:nth-child(2)", "at_least");
  // As a price, it is that number.
  await page.type(".value", "150.50");
  await matching(page, orders.count(untyped([["total", "at_least", 150.5]])));
  expect(JSON.parse(await criteriaText(page))).toEqual([["total", "at_least", 150.5]]);
  expect(await page.$eval(".value", (input) => (input as HTMLInputElement).value)).toBe("150.50");

  await page.click(".head > :nth-child(3) button");
  const query = { criteria: [["total", "at_least", 150.5]], sortBy: "total", limit: 1 };
  const [highest] = orders.query(untyped(query)) as unknown as Readonly<Record<string, number>>[];
  await until(async () => expect((await firstRow())[2]).toBe(highest?.total?.toFixed(2)));
  await page.select(".row select", "state");
  await page.select(".row select:nth-child(2)", "exactly");
  await waitForText(page, ".row select:nth-child(2)", "ends_with");
  expect(await textsOf(page, ".row select:nth-child(2) option")).not.toContain("has");
  await writeCriteria(page, '[["is_gift","exactly",true],["note","exactly",null]]');
  const gifts = [
    ["is_gift", "exactly", true],
    ["note", "exactly", null],
  ];
  await matching(page, orders.count(untyped(gifts)));
  await page.click("#tab-envelope");
  await waitForText(page, ".snippet", 'readFileSync("orders.csv")');
  expect(await page.$("#request")).toBeNull();
  await page.click(".same .switch button:nth-child(3)");
  await waitForText(page, ".snippet", "tercet query orders.csv");
  await page.click(".same .switch button:nth-child(5)");
  await waitForText(page, ".snippet", 'FROM "orders"');
});

test("its columns are chosen, moved, resized and frozen, and a link keeps that", async () => {
  const page = await openOrders();
  const heads = (shown: Page) => textsOf(shown, ".head > * > button:first-child");
  await page.locator("::-p-aria(Columns 9 of 9)").click();
  for (const name of ["id", "note"]) await page.locator(`::-p-aria(${name})`).click();
  await page.locator("::-p-aria(Move total up)").click();
  await page.locator("::-p-aria(Freeze the first)").click();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  const rest = ["items", "is_gift", "state", "customer", "discount"];
  expect(await heads(page)).toEqual(["total", "placed_at", ...rest]);

  // By keys, and by the edge of a head.
  await page.focus(".head > :first-child button");
  await page.keyboard.down("Alt");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.up("Alt");
  expect(await heads(page)).toEqual(["placed_at", "total", ...rest]);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("total");
  await page.keyboard.down("Shift");
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.up("Shift");
  const widthOf = (nth: number) =>
    page.$eval(`.head > :nth-child(${nth})`, (head) => head.getBoundingClientRect().width);
  const edge = await page.$(".head > :nth-child(1) .edge").then((found) => found?.boundingBox());
  if (edge === null || edge === undefined) throw new Error("there is no edge");
  const before = await widthOf(1);
  await page.mouse.move(edge.x + 3, edge.y + 9);
  await page.mouse.down();
  await page.mouse.move(edge.x + 103, edge.y + 9, { steps: 3 });
  await page.mouse.up();
  expect(await widthOf(1)).toBe(before + 100);
  const wide = await widthOf(2);

  // What is frozen stays in sight; a cell has its raw value for whoever points at it or copies it.
  await page.evaluate(() =>
    document.addEventListener("copy", ({ clipboardData }) =>
      Object.assign(globalThis, { copied: clipboardData?.getData("text/plain") }),
    ),
  );
  await page.focus(".grid");
  // oxlint-disable-next-line typescript/no-deprecated -- a key alone does not copy without a display
  await page.keyboard.press("KeyC", { commands: ["Copy"] });
  const raw = String(records[0]?.placed_at);
  expect(await page.evaluate(() => (globalThis as unknown as { copied: string }).copied)).toBe(raw);
  expect(
    await page.$eval(".line.active > :first-child", (cell) => cell.getAttribute("title")),
  ).toBe(raw);
  await page.keyboard.press("ArrowLeft");
  for (let i = 0; i < 9; i++) await page.keyboard.press("ArrowRight");
  const [first, last] = await page.$$eval(".line.active > *", (cells) =>
    [cells[0], cells.at(-1)].map((cell) => cell?.getBoundingClientRect().left ?? -1),
  );
  expect(first).toBe(20);
  expect(last).toBeLessThan(1280);
  const active = await page.$eval(".grid", (grid) => grid.getAttribute("aria-activedescendant"));
  expect(await textOf(page, `#${active}`)).toBe("0.00");

  // The address follows after a while.
  await page.waitForFunction(() =>
    /\[\["placed_at",.*freeze=first/.test(decodeURIComponent(location.href)),
  );
  const linked = await openAddress(await page.evaluate(() => location.href));
  await drop(linked, "orders.csv", csv);
  await waitForText(linked, ".matching", "3,000 of 3,000 records");
  await until(async () => expect(await heads(linked)).toEqual(["placed_at", "total", ...rest]));
  expect(
    await linked.$eval(".head > :nth-child(2)", (head) => head.getBoundingClientRect().width),
  ).toBe(wide);
  expect(await linked.$(".grid.frozen")).not.toBeNull();
});

test("it is sorted by several fields, and sums up its numbers; facets tell shares", async () => {
  const page = await openOrders();
  const head = (name: string) =>
    `.head > :nth-child(${Object.keys(schema.fields).indexOf(name) + 1})`;
  await page.click(`${head("state")} button`);
  await page.keyboard.down("Shift");
  await page.click(`${head("total")} button`);
  await page.click(`${head("total")} button`);
  await page.keyboard.up("Shift");
  await writeCriteria(page, '[["items","at_least",2]]');
  const criteria = [["items", "at_least", 2]];
  const sort = [
    ["state", "DESC"],
    ["total", "ASC"],
  ];
  const [first] = orders.query(untyped({ criteria, sort, limit: 1 })) as unknown as typeof records;
  await until(async () =>
    expect(await textsOf(page, ".line:not(.head):first-child > *")).toEqual(textsIn(first)),
  );
  expect(await textsOf(page, ".head .arrow")).toContain("2↑");
  const { sum, mean } = orders.summary(untyped("total"), untyped(criteria));
  const inFoot = (value: number | null) =>
    (value ?? NaN).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  await until(async () =>
    expect((await textsOf(page, ".foot > *"))[2]?.split("\n")).toEqual([
      `sum ${inFoot(sum)}`,
      `mean ≈ ${inFoot(mean)}`,
    ]),
  );
  await page.waitForFunction(() => location.href.includes("sort=state+DESC&sort=total+ASC"));
  expect(await axeFindings(page)).toEqual([]);
  await page.click("#tab-facets");
  await waitForText(page, "section[aria-label=is_gift] .share", "83 %");
});

test("its facets follow from types and values, and count as the library does", async () => {
  const page = await openOrders("facets");
  await waitForText(page, ".values .count", "500");
  const kinds = await page.$$eval(".facet", (all) =>
    all.map((facet) => {
      const kind = facet.querySelector("svg") ? "range" : facet.querySelector("ul") ? "values" : "";
      return `${facet.getAttribute("aria-label")} ${kind || "search"}`;
    }),
  );
  // The running number of a record says nothing.
  expect(kinds).toEqual([
    ...["placed_at range", "total range", "items values", "is_gift values", "state values"],
    ...["discount values", "customer search", "note search"],
  ]);
  await waitForText(page, "section[aria-label=placed_at]", "2024");

  // Bars of booleans and numbers, and a brush on fractions.
  await page.click("section[aria-label=is_gift] li:nth-child(2) button");
  await matching(page, orders.count(untyped([["is_gift", "in", [true]]])));
  await brush(page, "total", 0.2, 0.5);
  const brushed = await until(async () => {
    const criteria = JSON.parse(await criteriaText(page)) as [string, string, number][];
    const expected = orders.count(untyped(criteria));
    expect(await textsOf(page, ".matching:not(.stale) strong")).toEqual([inWords(expected)]);
    expect(criteria).toHaveLength(3);
    return criteria;
  });
  expect(brushed.map(([field, operator]) => `${field} ${operator}`)).toEqual([
    ...["is_gift in", "total at_least", "total less_than"],
  ]);
  await page.type("input[aria-label='customer contains']", "er 1");
  const all = [...brushed, ["customer", "contains", "er 1"]];
  await matching(page, orders.count(untyped(all)));
  await until(async () => {
    const shown = await textsOf(page, "section[aria-label=state] .count");
    const counts = orders.countBy("state", untyped(all)).map(({ count }) => inWords(count));
    expect(shown.toSorted()).toEqual(counts.toSorted());
  });
});

test("a facet knows the choice that somebody wrote, and lists it first", async () => {
  const page = await openOrders("facets");
  await writeCriteria(page, '[["state","exactly","paid"],["discount","in",["0.35",0.2]]]');
  const typed = [
    ["state", "exactly", "paid"],
    ["discount", "in", ["0.35", 0.2]],
  ] as const;
  await matching(page, orders.count(untyped(typed)));
  const section = "section[aria-label=state]";
  const counts = orders.countBy("state", untyped([typed[1]]));
  await until(async () => {
    const shown = await textsOf(page, `${section} .name`);
    const numbers = await textsOf(page, `${section} .count`);
    const expected = counts.map(({ value, count }) => [value, inWords(count)]);
    expect(new Map(shown.map((name, i) => [name, numbers[i]]))).toEqual(
      new Map([...STATES.map((state) => [state, "0"] as const), ...(expected as [])]),
    );
  });
  expect(await textsOf(page, `${section} [aria-pressed=true] .name`)).toEqual(["paid"]);
  // Of nine discounts eight are listed, and whatever is chosen.
  await writeCriteria(page, '[["discount","exactly","7"]]');
  await waitForText(page, "section[aria-label=discount] li:first-child .name", "7");
  expect(await textsOf(page, "section[aria-label=discount] [aria-pressed=true]")).toHaveLength(1);
  await page.click(`section[aria-label=discount] header button`);
  await matching(page, COUNT);
});

test("a facet of many values shows the rest, with a search, and what is chosen stays first", async () => {
  const page = await shared();
  const cityOf = (i: number) => `City ${String.fromCharCode(65 + Math.floor(Math.sqrt(i)))}`;
  const lines = Array.from({ length: 600 }, (_, i) => `${cityOf(i)},${i % 2}`);
  await drop(page, "cities.csv", `city,half\n${lines.join("\n")}\n`);
  await waitForText(page, ".matching", "600 of 600 records");
  await page.click("#tab-facets");
  const section = "section[aria-label=city]";
  const names = () => textsOf(page, `${section} .name`);
  const counts = new Map<string, number>();
  for (const line of lines) {
    const [city = "", half] = line.split(",");
    counts.set(city, (counts.get(city) ?? 0) + (half === "1" ? 1 : 0));
  }
  await waitForText(page, `${section} [aria-expanded]`, "more");
  expect(await names()).toHaveLength(8);
  await writeCriteria(page, '[["half","exactly",1]]');
  await page.focus(`${section} [aria-expanded]`);
  await page.keyboard.press("Enter");
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a);
  await until(async () => {
    const shown = await textsOf(page, `${section} .count`);
    expect(shown).toEqual(byCount.map(([, count]) => String(count)));
  });
  const [rarest = ""] = byCount.findLast(([, count]) => count > 0) ?? [];
  await page.type(`${section} .search`, rarest.toUpperCase());
  await until(async () => expect(await names()).toEqual([rarest]));
  await page.focus(`${section} li button`);
  await page.keyboard.press("Space");
  await matching(page, counts.get(rarest) ?? 0);
  expect(await axeFindings(page)).toEqual([]);
  await page.click(`${section} [aria-expanded]`);
  await until(async () => expect(await names()).toHaveLength(9));
  expect((await names())[0]).toBe(rarest);
  // A listed value comes first when it is chosen, and keeps the focus.
  const third = `${section} li:nth-child(3)`;
  const [name] = await textsOf(page, `${third} .name`);
  await page.focus(`${third} button`);
  await page.keyboard.press("Space");
  await until(async () => expect((await names()).slice(0, 2)).toEqual([rarest, name]));
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(name);
});

test("a narrow selection has a scale of its own, and the axis says which is which", async () => {
  const page = await openOrders("facets");
  // Until all are counted, what is selected seems to be fewer.
  await until(async () =>
    expect(await textOf(page, "section[aria-label=total] .scales")).toMatch(/^up to [1-9]/),
  );
  await writeCriteria(page, '[["customer","exactly","Customer 7"]]');
  await matching(page, orders.count(untyped([["customer", "exactly", "Customer 7"]])));
  const section = "section[aria-label=placed_at]";
  await waitForText(page, `${section} .of-some`, "selected: up to 1 a week");
  expect(await textOf(page, `${section} .of-all`)).toBe("all: up to 168");
  const highest = (path: string) =>
    page.$eval(`${section} ${path}`, (bars) => (bars as SVGPathElement).getBBox().height);
  expect(await highest(".some")).toBe(await highest(".all"));
});

test("it is opened in each format, and all its values are there", async () => {
  const page = await shared();
  const json = [...writeJson(records)].join("");
  for (const [name, content] of [
    ["orders.csv.gz", gzipSync(csv)],
    ["orders.ndjson", [...writeNdjson(records)].join("")],
    ["orders.json", json],
    ["orders.json.gz", gzipSync(json)],
    ["orders.parquet", writeParquet(parquetWriter, records, { schema })],
    ["orders.parquet.gz", gzipSync(writeParquet(parquetWriter, records, { schema }))],
    ["orders.arrow", saveCollection(orders)],
    // As its first bytes say.
    ["orders", saveCollection(orders)],
  ] as const) {
    await drop(page, name, content);
    await waitForText(page, ".source", name);
    await waitForText(page, ".matching", "3,000 of 3,000 records");
    // The answer before may still be there.
    await until(async () => {
      expect(await shownTypes(page), name).toEqual(types);
      expect(await textsOf(page, ".line:not(.head):first-child > *")).toEqual(textsIn(records[0]));
    });
  }
});

test("a link to a file waits for it, and asks it the same; what is not there is said", async () => {
  const page = await openOrders();
  await writeCriteria(page, '[["total","at_least",100]]');
  await page.click(".head > :nth-child(3) button");
  await page.waitForFunction(() => /orders\.csv.*at_least.*sort/.test(location.href));
  const linked = await openAddress(await page.evaluate(() => location.href));
  await waitForText(linked, ".matching", "This link needs orders.csv");
  await drop(linked, "orders.csv", csv);
  const expected = orders.count(untyped([["total", "at_least", 100]]));
  await matching(linked, expected);
  expect(await linked.$eval("[aria-sort=descending] button", (each) => each.textContent)).toContain(
    "total",
  );
  // Another file with these fields is asked the same, and one without them something else.
  await drop(linked, "newer.csv", "total,name\n100,a\n99,b\n150.5,c\n");
  await waitForText(linked, ".matching", "2 of 3 records");
  await drop(linked, "other.csv", "name\na\nb\n");
  await waitForText(linked, ".matching", "2 of 2 records");
  expect(await criteriaText(linked)).toBe("[]");

  await linked.evaluate(
    () => (location.hash = "#file=x.csv&criteria=[[%22gone%22,%22exactly%22,1]]&sort=gone%20ASC"),
  );
  await waitForText(linked, ".matching", "This link needs x.csv");
  await drop(linked, "x.csv", "name\na\nb\n");
  await waitForText(linked, ".element.wrong .fault", 'unknown field "gone"');
  await linked.click(".remove");
  await waitForText(linked, ".matching", "2 of 2 records");
});

test("what is selected is saved in each format, and the query written as a test", async () => {
  const page = await openOrders();
  const criteria = [
    ["state", "exactly", "paid"],
    ["discount", "at_least", 0.3],
  ];
  await writeCriteria(page, JSON.stringify(criteria));
  await page.click(`.head > :nth-child(3) button`);
  const sort = [["total", "DESC"]];
  const expected = orders.query(untyped({ criteria, sort }));
  await matching(page, expected.length);
  const client = await page.createCDPSession();
  await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  const hyparquet = { parquetMetadataAsync, parquetRead, parquetSchema };
  for (const [name, format] of [
    ["CSV", "csv"],
    ["NDJSON", "ndjson"],
    ["JSON", "json"],
    ["Arrow", "arrow"],
    ["Parquet", "parquet"],
  ] as const) {
    await page.locator("::-p-aria(Save as)").click();
    await page.locator(`::-p-aria(${name})`).click();
    await waitForText(page, SAVED, `Saved ${expected.length} records as orders.selected.${format}`);
    expect(await page.$(".panel")).toBeNull();
    const bytes = await savedAt(join(folder, `orders.selected.${format}`));
    const saved =
      format === "arrow"
        ? openCollection(bytes)
        : format === "parquet"
          ? await loadCollection(schema, readParquet(hyparquet, bytes, { schema }))
          : loadCollection(
              schema,
              readRecords(bytes, { name: `orders.selected.${format}`, schema }),
            );
    expect(saved.query(), name).toEqual(expected);
  }
  await page.click("#tab-envelope");
  await page.click(".same .switch button:nth-child(2)");
  await waitForText(page, ".snippet", "expect(found).toEqual([");
  const text = await textOf(page, ".snippet");
  const [, found = ""] = /toEqual\((.*)\);\n\}\);$/s.exec(text) ?? [];
  expect(JSON.parse(found)).toEqual(expected.slice(0, 3));
  await page.click("#tab-facets");
  await waitForText(page, "section[aria-label=state] .count", String(expected.length));
  await page.locator("::-p-aria(Save state as SVG)").click();
  const picture = (await savedAt(join(folder, "state.svg"))).toString();
  expect(picture).toContain(`>paid</text>`);
});

test("several rows are selected by keys and by clicks, and copied as TSV and as JSON", async () => {
  const page = await openEmpty();
  await drop(page, "notes.csv", 'n,note\n1,\n2,"a ""b"""\n3,c\n4,d\n');
  await waitForText(page, ".matching", "4 of 4 records");
  await page.evaluate(() => {
    const writeText = (text: string) => {
      Object.assign(globalThis, { copied: text });
      return Promise.resolve();
    };
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  });
  const copied = () => page.evaluate(() => (globalThis as unknown as { copied: string }).copied);
  await page.focus(".grid");
  await page.keyboard.down("Shift");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.up("Shift");
  await waitForText(page, ".selection", "3 rows selected");
  expect(await page.$$eval("[aria-selected=true].line", (all) => all.length)).toBe(3);
  expect(await axeFindings(page)).toEqual([]);
  // It would be about one of them only.
  await page.keyboard.press("Delete");
  // oxlint-disable-next-line typescript/no-deprecated -- a key alone does not copy without a display
  await page.keyboard.press("KeyC", { commands: ["Copy"] });
  await waitForText(page, ".selection", "Copied as TSV");
  expect(await copied()).toBe('n\tnote\n1\t\n2\t"a ""b"""\n3\tc');
  await page.keyboard.press("Escape");
  expect(await page.$(".selection")).toBeNull();
  await page.keyboard.down("Shift");
  await page.click("#row-3");
  await page.keyboard.up("Shift");
  await page.locator("::-p-aria(Copy as JSON)").click();
  await waitForText(page, ".selection", "Copied as JSON");
  expect(JSON.parse(await copied())).toEqual([
    { n: 3, note: "c" },
    { n: 4, note: "d" },
  ]);
  expect(await textOf(page, ".matching strong")).toBe("4");
  await page.keyboard.press("Escape");
  expect(await page.evaluate(() => String(getSelection()))).toBe("");
});

test("by keys alone, and for every reader", async () => {
  const page = await openOrders("facets", await openEmpty());
  await page.focus('[aria-label="total from"]');
  await page.keyboard.press("ArrowRight");
  const [first] = await until(async () => {
    const criteria = JSON.parse(await criteriaText(page)) as [string, string, number][];
    expect(criteria).toHaveLength(1);
    return criteria;
  });
  await matching(page, orders.count(untyped([first])));
  await page.keyboard.press("Escape");
  await matching(page, COUNT);
  for (const tab of ["facets", "envelope", "answer"]) {
    await page.click(`#tab-${tab}`);
    await page.waitForSelector(`.${tab}`);
    expect(await axeFindings(page)).toEqual([]);
  }
  await page.focus(".grid");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await waitForText(page, ".detail dl", String(records.at(-1)?.customer));
  await page.setViewport({ width: 360, height: 740 });
  for (const tab of ["facets", "envelope", "answer"]) {
    await page.click(`#tab-${tab}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(360);
  }
  expect(await textOf(page, ".matching strong")).toBe("3,000");
});
