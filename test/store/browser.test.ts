// Stores in the private files of a browser. `npm run test:kill` kills more often.

import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { describe, expect, test } from "vitest";
import { PATIENCE, startBrowser, theBrowser } from "../playground/browser.ts";
import { modulesIn } from "./browser/documents.ts";
import { killInBrowser } from "./browser/killing.ts";
import { bundleFor, serve } from "./browser/pages.ts";
import { killTabs } from "./browser/tabs.ts";

const KILLS = Number(process.env.TERCET_KILLS ?? 10);

test("a page, a worker or a browser that is killed loses no acknowledged change", async () => {
  const after = () => Math.floor(Math.random() * 60);
  const writer = join(import.meta.dirname, "browser/writer.ts");
  const { kills, changes } = await killInBrowser(writer, KILLS, after);
  expect(kills).toBe(KILLS);
  expect(changes).toBeGreaterThan(0);
});

test("tabs that are killed lose no acknowledged change, make none twice, and the others go on", async () => {
  const after = () => Math.floor(Math.random() * 40);
  const sharer = join(import.meta.dirname, "browser/sharer.ts");
  const { seen, acknowledged } = await killTabs(sharer, KILLS, after);
  expect(acknowledged.size).toBeGreaterThan(2);
  const [first = []] = seen;
  for (const notes of seen) expect(notes).toEqual(first);
  const texts = first.map(({ tab, number }) => `${tab}: ${number}`);
  expect(new Set(texts).size).toBe(texts.length);
  for (const [tab, last] of acknowledged) {
    const numbers = first.filter((note) => note.tab === tab).map(({ number }) => number);
    expect(numbers).toEqual(Array.from(numbers, (_, i) => i));
    expect(numbers.length).toBeGreaterThan(last);
  }
});

/** What a program for a worker posts first. */
async function postedBy(program: string): Promise<unknown> {
  const { origin, server } = await serve({
    "/index.html": "<!doctype html><title>Store</title>",
    "/worker.js": await bundleFor(program),
  });
  const page = await (await theBrowser()).newPage();
  try {
    await page.goto(origin);
    return await page.evaluate(`new Promise((resolve, reject) => {
      const worker = new Worker("/worker.js", { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.onmessageerror = () => reject(new Error("not cloned"));
    })`);
  } finally {
    await page.close();
    server.close();
  }
}

describe("in a worker", () => {
  test("the program of the documents makes a store and a backup, whose bytes are whole", async () => {
    const [program = ""] = modulesIn("src/store/README.md, In browsers");
    const posted = await postedBy(`${program}
      import { checkStore } from "tercet/store";
      postMessage([db.todos.size, checkStore(at), checkStore(files.at("backups/monday"))]);`);
    const whole = { changes: 1, unfinishedBytes: 0, problems: [] };
    expect(posted).toEqual([1, whole, whole]);
  });

  test("a path of the system is refused", async () => {
    const posted = await postedBy(`
      import { isStore } from "tercet/store";
      try { isStore("main"); } catch (error) { postMessage(String(error)); }`);
    expect(posted).toMatch(
      /^InputError: directory: must be a path that openPrivateFiles\(\) gives/,
    );
  });
});

/** Runs programs in workers of tabs of an origin. */
async function withTabs(
  run: (
    open: () => Promise<Page>,
    /** Runs an expression in the worker of a tab. */
    ask: (page: Page, expression: string) => Promise<unknown>,
    origin: string,
  ) => Promise<void>,
  browser = theBrowser(),
): Promise<void> {
  const { origin, server } = await serve({
    "/index.html": "<!doctype html><title>Store</title>",
    "/worker.js": await bundleFor(`
      import { boolean, defineSchema, int, next, string } from "tercet";
      import { openSharedStore } from "tercet/store";
      const fields = { id: int({ unique: true, default: next }), text: string() };
      const Todo = defineSchema(fields);
      const Later = defineSchema({ ...fields, done: boolean({ default: false }) });
      let db;
      Object.assign(globalThis, {
        open: async (schema = Todo) => void (db = await openSharedStore("some", { todos: schema })),
        openLater: () => open(Later),
        add: (text) => db.updateAsync((draft) => { draft.todos = draft.todos.insert({ text }); }),
        texts: () => [...db.todos].map(({ text }) => text),
        update: (recipe) => db.updateAsync(recipe),
        runsOf: async (text) => {
          let runs = 0;
          await db.updateAsync((draft) => {
            if (++runs > 3) throw new Error("starved");
            draft.todos = draft.todos.insert({ text });
          });
          return runs;
        },
        busy: async () => { for (;;) await add("busy"); },
      });
      addEventListener("message", async ({ data: [expression], ports: [port] }) => {
        try {
          port.postMessage(await (0, eval)(expression));
        } catch (error) {
          port.postMessage(error.code + " " + error);
        }
      });`),
  });
  const pages: Page[] = [];
  const open = async () => {
    const page = await (await browser).newPage();
    pages.push(page);
    await page.goto(origin);
    await page.evaluate(`
      const worker = new Worker("/worker.js", { type: "module" });
      globalThis.ask = (expression) => new Promise((resolve, reject) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage([expression], [port2]);
      });`);
    return page;
  };
  const ask = (page: Page, expression: string) =>
    page.evaluate(`ask(${JSON.stringify(expression)})`);
  try {
    await run(open, ask, origin);
  } finally {
    await Promise.all(pages.filter((page) => !page.isClosed()).map((page) => page.close()));
    server.close();
  }
}

describe("a store that tabs share", () => {
  test("gives each tab its turn while another one changes it without a pause", async () => {
    await withTabs(async (open, ask) => {
      const busy = await open();
      await ask(busy, "open()");
      await ask(busy, "void busy()");
      const other = await open();
      await ask(other, "open()");
      const runs = await ask(
        other,
        "Promise.all(Array.from({ length: 20 }, (_, i) => runsOf(String(i))))",
      );
      for (const each of runs as number[]) expect(each).toBeLessThanOrEqual(2);
      const own = await ask(other, 'texts().filter((text) => text !== "busy").length');
      expect(own).toBe(20);
    });
  });

  test("goes on when a recipe throws in its turn", async () => {
    await withTabs(async (open, ask) => {
      const [first, other] = [await open(), await open()];
      await ask(first, "open()");
      await ask(other, "open()");
      const thrower = `(() => {
        let runs = 0;
        const change = (draft) => {
          if (++runs > 1) throw new Error("no more");
          draft.todos = draft.todos.insert({ text: "never" });
        };
        return Promise.allSettled([runsOf("a"), update(change)]);
      })()`;
      await ask(other, thrower);
      expect(await ask(first, 'add("b").then(texts)')).toEqual(["a", "b"]);
    });
  });

  test("fails in all tabs when it is cleared, and is a new one once they are loaded again", async () => {
    // Chromium 147 keeps others waiting for half a minute when a worker has ended that had removed files open.
    const browser = startBrowser();
    const run: Parameters<typeof withTabs>[0] = async (open, ask, origin) => {
      const [first, other] = [await open(), await open()];
      await ask(first, "open()");
      await ask(other, "open()");
      await ask(other, 'add("lost")');
      const session = await first.createCDPSession();
      await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
      const removed = /has removed the private files; load the page again/;
      expect(await ask(other, 'add("never")')).toMatch(removed);
      expect(await ask(first, 'add("never")')).toMatch(/StoreError/);
      const again = await open();
      await ask(again, "open()");
      expect(await ask(again, 'add("new").then(texts)')).toEqual(["new"]);
      expect(await ask(other, 'add("never")')).toMatch(/StoreError/);
    };
    try {
      await withTabs(run, browser);
    } finally {
      await (await browser).close();
    }
  });

  test("refuses a tab with another version of the schema, and is migrated once the others are closed", async () => {
    await withTabs(async (open, ask) => {
      const old = await open();
      await ask(old, "open()");
      await ask(old, 'add("kept")');
      const later = await open();
      expect(await ask(later, "openLater()")).toMatch(/^conflict StoreError/);
      expect(await ask(old, 'add("also").then(texts)')).toEqual(["kept", "also"]);
      await old.close();
      expect(await ask(later, "openLater().then(texts)")).toEqual(["kept", "also"]);
      const older = await open();
      expect(await ask(older, "open()")).toMatch(/^conflict StoreError/);
      expect(await ask(later, 'add("later").then(texts)')).toEqual(["kept", "also", "later"]);
    });
  });
});

describe("the to-do application of the documents", () => {
  test("keeps its list over reloads and kills, and shows it in all tabs", async () => {
    const [worker = "", page = ""] = modulesIn("src/store/README.md, In all tabs");
    const { origin, server } = await serve({
      "/index.html":
        '<!doctype html><title>To do</title><body><script type="module" src="/page.js"></script>',
      "/worker.js": await bundleFor(worker),
      "/page.js": await bundleFor(page),
    });
    const browser = await theBrowser();
    const open = async () => {
      const tab = await browser.newPage();
      await tab.goto(origin);
      await tab.waitForSelector("ul");
      return tab;
    };
    const shows = async (tab: Page, ...items: readonly string[]) => {
      const shown =
        "[...document.querySelectorAll('li')].map((item) => item.textContent + item.firstChild.checked)";
      const isShown = `(${shown}).join() === ${JSON.stringify(items.join())}`;
      // A tab in the background draws no frames.
      await tab.waitForFunction(isShown, { polling: 50, timeout: PATIENCE });
    };
    const add = async (tab: Page, text: string) => {
      await tab.type("body > input", text);
      await tab.keyboard.press("Enter");
    };
    const first = await open();
    const tabs = [first];
    try {
      await add(first, "milk");
      await shows(first, "milkfalse");
      await first.reload();
      await shows(first, "milkfalse");
      const second = await open();
      tabs.push(second);
      await shows(second, "milkfalse");
      await add(second, "bread");
      await shows(first, "milkfalse", "breadfalse");
      await first.click("li input");
      await shows(second, "milktrue", "breadfalse");
      await first.close();
      await add(second, "tea");
      await shows(second, "milktrue", "breadfalse", "teafalse");
      const third = await open();
      tabs.push(third);
      await shows(third, "milktrue", "breadfalse", "teafalse");
    } finally {
      await Promise.all(tabs.filter((tab) => !tab.isClosed()).map((tab) => tab.close()));
      server.close();
    }
  });
});
