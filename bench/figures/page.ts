// How long the page takes in a browser, over contacts and over a table of one's own from a CSV file: from a key
// to the new rows and to their count, from each step of a brush to all charts, and to other groups; the contacts
// compared with a page of the same charts on crossfilter2 in the same browser. On both pages the clock starts before
// the event is sent, and stops in the frame after its effect. And what files take to load, in time and memory.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Tab } from "../../src/playground/link.ts";
import { contacts, figure, rowsOfEach, type RowNumber, type Section } from "../figure.ts";
import { count, digits, megabytes, time } from "../format.ts";
import { brushed, crossfilterPage, OF_CONTACTS, OF_ORDERS, STEPS } from "./page-brush.ts";
import { contactsIn, opened, picked, withPage, type Measured } from "./page-browser.ts";
import { loadedLarger, loadedWide, timeOfEmpty, writeOrders } from "./page-files.ts";
import type { Larger, Wide } from "./page-files.ts";
import { grouped } from "./page-groups.ts";
import { IN_CONTACTS, IN_DISTINCT, IN_ORDERS, typed, type Typing } from "./page-keys.ts";

/** A table in the page. */
interface Table {
  readonly typing: Typing;
  /** From a step of a brush to all charts. */
  readonly brush: Measured;
}

interface PageResults {
  readonly size: number;
  /** Opening the page without data, until it can be used. */
  readonly empty: number;
  readonly contacts: Table;
  readonly orders: Table & {
    /** Into a column of which no two texts are the same. */
    readonly distinct: Typing;
    /** From another choice in the table of groups to its groups. */
    readonly groups: Measured;
  };
  readonly larger: Larger;
  readonly wide: Wide;
  readonly crossfilter2: Measured;
}

/** How many orders the larger file has for each of the others: of a million, that is 300 MB. */
const LARGER = 3.6;
/** How many columns and rows the wide file has. */
const WIDE = [5000, 200] as const;
/** About how many keys are typed. */
const KEYS = 100;

const NUMBERS: readonly RowNumber<Measured>[] = [
  ["page: opened and loaded", ({ load }) => load],
  ["page: a step of a brush", ({ step }) => step.median],
  ["page: the slowest step", ({ slowest }) => slowest],
  ["page: busy at a stretch", ({ longest }) => longest],
];

export const page = figure<PageResults>({
  name: "page",
  what: "typing, brushing, groups and loading on the page, in Chromium, beside crossfilter2",
  isExtra: true,
  measure({ plan, say }) {
    say("page");
    return measurePage(plan.size);
  },
  rows: ({ contacts: { brush }, crossfilter2 }) =>
    rowsOfEach({ tercet: brush, crossfilter2 }, NUMBERS),
  sections: ({ size, empty, contacts: ofContacts, orders, larger, wide, crossfilter2 }) => {
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
      filesOf(larger, wide),
    ];
  },
});

function ofDistinct({ distinct }: PageResults["orders"]): string[][] {
  const { rows, count } = distinct;
  return [
    ["a key to its rows, distinct texts", "", "", time(rows.step.median)],
    ["the slowest key, distinct texts", "", "", time(rows.slowest)],
    ["a key to how many match, distinct texts", "", "", time(count.step.median)],
    ["the slowest count, distinct texts", "", "", time(count.slowest)],
  ];
}

function ofGroups({ groups }: PageResults["orders"]): string[][] {
  return [
    ["other groups", "", "", time(groups.step.median)],
    ["the slowest groups", "", "", time(groups.slowest)],
  ];
}

function filesOf({ rows, bytes, load, peak, imported }: Larger, wide: Wide): Section {
  return {
    title: "The page loads a large CSV file, and a wide one, in Chromium",
    note: "From picking the file to the first rows, and the memory that the tab's process had resident at most. `tercet import` makes a store of the same file.",
    head: ["the file", "size", "loaded", "tercet import", "ratio", "peak"],
    rows: [
      [
        `${count(rows)} orders`,
        `${megabytes(bytes)} MB`,
        time(load),
        time(imported),
        digits(load / imported),
        peak === undefined ? "" : `${megabytes(peak)} MB`,
      ],
      [
        `${count(wide.columns)} columns of ${count(wide.rows)} rows`,
        `${megabytes(wide.bytes)} MB`,
        time(wide.load),
        "",
        "",
        "",
      ],
    ],
  };
}

function measurePage(size: number): Promise<PageResults> {
  return withPage(async (site) => {
    const { browser, url, folder } = site;
    const peer = join(folder, "crossfilter.html");
    writeFileSync(peer, await crossfilterPage());
    const csv = join(folder, "orders.csv");
    writeOrders(csv, size);
    const ordersIn = (tab: Tab) => picked(browser, url, csv, tab);
    return {
      size,
      empty: await timeOfEmpty(browser, url),
      contacts: {
        typing: await typed(await contactsIn(site, size, "answer"), IN_CONTACTS),
        brush: await brushed(await contactsIn(site, size, "facets"), OF_CONTACTS),
      },
      orders: {
        typing: await typed(await ordersIn("answer"), IN_ORDERS),
        brush: await brushed(await ordersIn("facets"), OF_ORDERS),
        distinct: await typed(await ordersIn("answer"), IN_DISTINCT),
        groups: await grouped(await ordersIn("groups")),
      },
      larger: await loadedLarger(site, Math.round(size * LARGER)),
      wide: await loadedWide(site, ...WIDE),
      crossfilter2: await brushed(
        await opened(browser, `${pathToFileURL(peer).href}#${size}`),
        OF_CONTACTS,
      ),
    };
  });
}
