// The table of bench/README.md: a few rows of the report, in words.

import { rowsOf } from "./behind.ts";
import { bestOther, type Section } from "./figure.ts";
import type { Results } from "./figures/index.ts";
import { digits, time } from "./format.ts";

const SIZE = 1_000_000;

/** The description of each row, by its name. */
const ROWS: Readonly<Record<string, string>> = {
  "query 12": "one Contact by its email address, `get`",
  "query 1": "the same, a query",
  "query 4": "email address contains a common text, 50 at 100, asked again",
  "query 5": "email address contains 12 characters, all",
  "query 7": "two `exactly`, one `contains`, sorted, 20 at 40",
  "query 9": "all sorted by email address, 50 at 500,000",
  "one update": "an update among queries",
  "update and lookup, in a row": "an update and a lookup, 10,000 times in a row, each",
  "many inserted at once": "10,000 Contacts inserted at once",
};

/** `undefined` if a row was not measured. */
export function summarySection(results: Results): Section | undefined {
  const measured = rowsOf(results).filter(({ size }) => size === SIZE);
  const rows = Object.entries(ROWS).flatMap(([name, what]) => {
    const row = measured.find((each) => each.name === name);
    const best = row && bestOther(row);
    if (row?.values.tercet === undefined || best === undefined) return [];
    return [[what, time(row.values.tercet), best.text, digits(best.ratio)]];
  });
  if (rows.length < Object.keys(ROWS).length) return undefined;
  return { title: "Summary", head: ["what", "tercet", "fastest peer", "ratio"], rows };
}
