// Kills what changes a store in a browser: the page, its worker, or the browser with all its processes.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import { startBrowser } from "../../playground/browser.ts";
import { bundleFor, serve } from "./pages.ts";

type Report =
  | { readonly is: "opened"; readonly changes: number; readonly isWhole: boolean }
  | { readonly is: "acknowledged"; readonly changes: number }
  | { readonly is: "failed"; readonly reason: string };

const HOW = ["page", "worker", "page", "browser"] as const;

/** What killing a page, a worker and a browser again and again has found. */
export interface Killed {
  readonly kills: number;
  /** How many changes are there in the end. */
  readonly changes: number;
}

/**
 * @param entry the program of the worker
 * @param after how many acknowledged changes the next kill follows
 * @throws Error if an acknowledged change is lost, or one is there in part
 */
export async function killInBrowser(
  entry: string,
  kills: number,
  after: () => number,
): Promise<Killed> {
  const worker = await bundleFor(`import ${JSON.stringify(entry)};`);
  const { origin, server } = await serve({
    "/index.html": "<!doctype html><title>Notes</title>",
    "/worker.js": worker,
  });
  const profile = mkdtempSync(join(tmpdir(), "tercet-profile-"));
  let browser: Browser | undefined;
  let changes = 0;
  try {
    for (let kill = 0; kill <= kills; kill++) {
      browser ??= await startBrowser(profile);
      const how = HOW[kill % HOW.length];
      const page = await browser.newPage();
      changes = await workUntil(page, origin, changes, kill < kills ? after() : 0);
      if (how === "page") await page.close();
      else if (how === "worker") await page.evaluate("worker.terminate()");
      else {
        killAll(browser);
        browser = undefined;
      }
    }
    return { kills, changes };
  } finally {
    await browser?.close();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Ends a browser with all its processes at once, as a crash of the system would. */
function killAll(browser: Browser): void {
  const pid = browser.process()?.pid;
  // It leads a group of processes.
  if (pid !== undefined) process.kill(-pid, "SIGKILL");
}

/** @returns how many changes were acknowledged at least */
async function workUntil(
  page: Page,
  origin: string,
  least: number,
  count: number,
): Promise<number> {
  return await new Promise((resolve, reject) => {
    let first: number | undefined;
    const receive = (report: Report) => {
      if (report.is === "failed") reject(new Error(report.reason));
      else if (report.is === "opened") {
        first = report.changes;
        if (!report.isWhole) reject(new Error(`of ${first} changes one is there in part`));
        if (first < least) reject(new Error(`${least} acknowledged, and ${first} are there`));
      }
      if (first !== undefined && report.is !== "failed" && report.changes >= first + count) {
        resolve(report.changes);
      }
    };
    const run = async () => {
      await page.goto(origin);
      await page.exposeFunction("report", receive);
      await page.evaluate(`
        globalThis.worker = new Worker("/worker.js", { type: "module" });
        worker.onmessage = ({ data }) => void report(data);
        worker.onerror = ({ message }) => void report({ is: "failed", reason: message });
      `);
    };
    run().catch(reject);
  });
}
