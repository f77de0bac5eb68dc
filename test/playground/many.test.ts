// Many Contacts on the page, opened from disk: a long session, with each number compared with the library's result in
// Node. There are 100,000; `TERCET_RECORDS=1000000` makes them a million.

import { expect, test } from "vitest";
import { writeNdjson } from "../../src/import/index.ts";
import { generateFiles } from "../../src/synthetic/index.ts";
import { records } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import {
  brush,
  criteriaText,
  drop,
  emails,
  matching,
  textsOf,
  until,
  usePage,
  waitForText,
  writeCriteria,
} from "./opened.ts";

const COUNT = records(100_000);
const { open, openAddress, contacts } = usePage(COUNT);

test("many Contacts are loaded, filtered, sorted, brushed and shared, and files are dropped", async () => {
  const page = await open();
  await matching(page, COUNT);

  await page.click(".add button");
  await page.type(".value", "anna.s");
  const anna = ["contact_email", "contains", "anna.s"] as const;
  await matching(page, contacts().count([anna]));

  await page.click(".head > :first-child button");
  const sorted = contacts()
    .query({ criteria: [anna], sortBy: "contact_email", sortOrder: "DESC", limit: 8 })
    .map((each) => each.contact_email);
  await until(async () => expect((await emails(page)).slice(0, 8)).toEqual(sorted));

  await page.click(".criteria .add .plain");
  await matching(page, COUNT);
  await page.click("#tab-facets");
  await brush(page, "send_time", 0.3, 0.5);
  // The last move of the brush may still be on its way.
  const brushed = await until(async () => {
    const criteria = untyped(JSON.parse(await criteriaText(page)));
    const selected = contacts().count(criteria);
    expect(selected).toBeLessThan(COUNT);
    expect(await textsOf(page, ".matching:not(.stale) strong")).toEqual([
      selected.toLocaleString("en-US"),
    ]);
    return criteria;
  });
  const counts = contacts()
    .countBy("open_type", brushed)
    .map(({ count }) => count.toLocaleString("en-US"));
  await until(async () => {
    const shown = await textsOf(page, "section[aria-label=open_type] .count");
    expect(shown.toSorted()).toEqual(counts.toSorted());
  });

  const before = contacts().count(brushed);
  await writeCriteria(page, JSON.stringify([...brushed, ["open_type", "like", "html"]]));
  await waitForText(page, ".element.wrong .fault", "like");
  expect(await textsOf(page, ".matching.stale strong")).toEqual([before.toLocaleString("en-US")]);
  await writeCriteria(page, JSON.stringify(brushed));
  await matching(page, before);

  // The address follows what is asked after a while.
  await page.waitForFunction(
    () => location.href.includes("send_time") && !location.href.includes("like"),
  );
  const linked = await openAddress(await page.evaluate(() => location.href));
  await matching(linked, before);
  await linked.close();

  const files = writeNdjson(generateFiles({ count: 100, seed: 2 }));
  await drop(page, "files.ndjson", [...files].join(""));
  await waitForText(page, ".matching", "100 of 100 Files");
}, 240_000);
