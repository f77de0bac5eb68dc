// Stores in the private files of a browser. `npm run test:kill` kills more often.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { theBrowser } from "../playground/browser.ts";
import { modulesIn } from "./browser/documents.ts";
import { killInBrowser } from "./browser/killing.ts";
import { bundleFor, serve } from "./browser/pages.ts";

const KILLS = Number(process.env.TERCET_KILLS ?? 10);

test("a page, a worker or a browser that is killed loses no acknowledged change", async () => {
  const after = () => Math.floor(Math.random() * 60);
  const writer = join(import.meta.dirname, "browser/writer.ts");
  const { kills, changes } = await killInBrowser(writer, KILLS, after);
  expect(kills).toBe(KILLS);
  expect(changes).toBeGreaterThan(0);
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
