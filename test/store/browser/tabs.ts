// Tabs that share a store, of which one after the other is killed.

import type { Page } from "puppeteer-core";
import { theBrowser } from "../../playground/browser.ts";
import { bundleFor, serve } from "./pages.ts";

interface Note {
  readonly id: number;
  readonly tab: string;
  readonly number: number;
}

type Report =
  | { readonly is: "acknowledged"; readonly tab: string; readonly number: number }
  | { readonly is: "stopped"; readonly count: number }
  | { readonly is: "notes"; readonly notes: readonly Note[] }
  | { readonly is: "failed"; readonly reason: string };

/** A tab that was not killed. */
interface Open {
  readonly page: Page;
  /** How many notes it has once it is stopped. */
  readonly count: Promise<number>;
  readonly notes: Promise<readonly Note[]>;
}

/** What is there in the end, and what has to be. */
export interface SharedNotes {
  /** The notes that each tab has which was not killed. */
  readonly seen: readonly (readonly Note[])[];
  /** The numbers of the last notes that were acknowledged, by tab. */
  readonly acknowledged: ReadonlyMap<string, number>;
}

function deferred<Result>() {
  let resolve: (result: Result) => void = () => undefined;
  let reject: (thrown: Error) => void = () => undefined;
  const promise = new Promise<Result>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  return { promise, resolve, reject };
}

/**
 * @param kills how many tabs are killed, each after changes of every other
 * @param after how many acknowledged changes the next kill follows
 */
export async function killTabs(
  entry: string,
  kills: number,
  after: () => number,
): Promise<SharedNotes> {
  const { origin, server } = await serve({
    "/index.html": "<!doctype html><title>Notes</title>",
    "/worker.js": await bundleFor(`import ${JSON.stringify(entry)};`),
  });
  const browser = await theBrowser();
  const acknowledged = new Map<string, number>();
  let wanted: { left: number; resolve: () => void } | undefined;
  /** Rejects if a tab fails that is not killed: nothing is waited for then. */
  const failed = deferred<never>();
  failed.promise.catch(() => undefined);
  const orFailed = <Result>(wait: Promise<Result>) => Promise.race([wait, failed.promise]);
  const more = (left: number) =>
    orFailed(
      new Promise<void>((resolve) => {
        wanted = { left, resolve };
      }),
    );
  const open = async (tab: string): Promise<Open> => {
    const page = await browser.newPage();
    const count = deferred<number>();
    const notes = deferred<readonly Note[]>();
    const receive = (report: Report) => {
      if (report.is === "failed") failed.reject(new Error(`Tab ${tab}: ${report.reason}`));
      else if (report.is === "stopped") count.resolve(report.count);
      else if (report.is === "notes") notes.resolve(report.notes);
      else {
        acknowledged.set(report.tab, report.number);
        if (wanted !== undefined && --wanted.left <= 0) wanted.resolve();
      }
    };
    await page.goto(origin);
    await page.exposeFunction("report", receive);
    await page.evaluate(`
      globalThis.worker = new Worker("/worker.js?tab=${tab}", { type: "module" });
      worker.onmessage = async ({ data }) => {
        await report(data);
        if (data.is === "acknowledged") worker.postMessage("reported");
      };
      worker.onerror = ({ message }) => void report({ is: "failed", reason: message });
    `);
    return { page, count: count.promise, notes: notes.promise };
  };
  const pages: Open[] = [];
  const killed: Page[] = [];
  try {
    for (let tab = 0; tab < 3; tab++) pages.push(await open(String(tab)));
    for (let kill = 0; kill < kills; kill++) {
      await more(1 + after());
      // The first is the one that writes.
      const [tab] = pages.splice(kill % 3 === 2 ? 1 : 0, 1);
      if (tab === undefined) break;
      if (kill % 2 === 0) await tab.page.close();
      else {
        await tab.page.evaluate("worker.terminate()");
        killed.push(tab.page);
      }
      pages.push(await open(String(3 + kill)));
    }
    await more(30);
    const tell = (what: unknown) =>
      Promise.all(
        pages.map(({ page }) => page.evaluate(`worker.postMessage(${JSON.stringify(what)})`)),
      );
    await tell("stop");
    const counts = await orFailed(Promise.all(pages.map(({ count }) => count)));
    // What one has acknowledged, the others see a moment later.
    await tell(Math.max(...counts));
    const seen = await orFailed(Promise.all(pages.map(({ notes }) => notes)));
    return { seen, acknowledged };
  } finally {
    await Promise.all([...killed, ...pages.map(({ page }) => page)].map((page) => page.close()));
    server.close();
  }
}
