// What only browsers have: shared workers, of which each page is a client; workers that are terminated, or never start;
// and tabs that are closed, none of which tells the other side.

import { expect, test } from "vitest";
import { bundled, html, withPage } from "./served-page.ts";

const files = async () => ({
  "/": html("", await bundled("shared/page.ts")),
  "/worker.js": await bundled("shared/worker.ts"),
  "/silent.js": await bundled("shared/silent.ts"),
  "/broken.js": "throw new Error('no data');",
});

test("two tabs share a worker; when one is closed, the worker hears of it", async () => {
  await withPage(await files(), async (page, open) => {
    await page.evaluate(`globalThis.db = shared(); globalThis.seen = [];
      db.watch("notes", { count: null }, (count) => seen.push(count))`);
    await page.waitForFunction("seen.length === 1");
    const other = await open();
    await other.evaluate(`globalThis.db = shared();
      db.update((draft) => { draft.notes = draft.notes.insert({ id: 2, text: "second" }); })`);
    await page.waitForFunction("seen.length === 2");
    expect(await page.evaluate("seen")).toEqual([1, 2]);
    await other.close();
    expect(await page.evaluate("ended")).toBe("the page has ended the connection");
    expect(await page.evaluate("db.count('notes')")).toBe(2);
  });
});

test("a worker that is terminated, or does not start, rejects what is open", async () => {
  await withPage(await files(), async (page) => {
    const ended = "the worker has ended; start a new one, and connect to it";
    expect(await page.evaluate("terminated()")).toBe(ended);
    const reasons = (await page.evaluate("brokenReasons()")) as readonly unknown[];
    expect(reasons).toHaveLength(2);
    for (const each of reasons) expect(each).toMatch(/^the worker did not start: .*no data/);
  });
});
