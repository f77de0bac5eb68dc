// The laws in the page: what it shows about a service that a reader pastes, and that pasted code
// reaches nothing outside its worker.

import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeFindings, drop, textOf, textsOf, until, usePage, waitForText } from "./opened.ts";

const { openEmpty, openUnwatched, shared, folder } = usePage(1);

const TIES = "ties keep insertion order in both directions";

async function openLaws(page?: Page): Promise<Page> {
  page ??= await shared();
  await page.locator("::-p-aria(Laws)").click();
  await page.waitForSelector(".laws");
  return page;
}

const write = (page: Page, code: string) =>
  page.$eval(
    "#code",
    (area, text) => {
      (area as HTMLTextAreaElement).value = text;
      area.dispatchEvent(new Event("input", { bubbles: true }));
    },
    code,
  );

async function check(page: Page, code?: string): Promise<void> {
  if (code !== undefined) await write(page, code);
  await page.locator(".laws .main").click();
}

/** What it says at the end. A check that begins takes away what the one before it said. */
const isOver = (page: Page) => page.waitForSelector(".laws [role=status] strong");

describe("the laws in the page", () => {
  test("an example breaks one, which shows its smallest case; the other keeps all", async () => {
    const page = await openLaws(await openEmpty());
    await check(page);
    await isOver(page);
    expect(await textOf(page, ".laws [role=status]")).toBe("39 of 40 laws hold, 1 fails");
    const failed = await textOf(page, ".reports .failed");
    expect(failed).toContain(`${TIES} P4`);
    expect(failed).toMatch(/Smallest case\nfiles: \[\{.*\},\{.*\}\]\n/);
    expect(failed).toMatch(/Call\nsearchFiles\(.*"(id|size|url|[a-z_]+)"/);
    expect(failed).toMatch(/Expected\n\[\{.*\nReceived\n\[\{/);
    expect(failed).toMatch(
      /To see it again\ncheckService\(make, \{ seed: 1, path: "[\d:]+", law: "ties/,
    );
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewport({ width: 360, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      360,
    );

    await page.locator("::-p-aria(Correct)").click();
    await check(page);
    await isOver(page);
    expect(await textOf(page, ".laws [role=status]")).toBe("40 of 40 laws hold");
    await page.locator("::-p-aria(Close)").click();
    await page.waitForSelector(".start");
  });

  test("is used by keys alone", async () => {
    const page = await openLaws();
    // It runs until it is cancelled.
    await write(page, withService("", ENDLESS));
    await page.focus("#code");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".laws progress");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Cancel");
    await page.keyboard.press("Enter");
    await waitForText(page, ".laws .fault", "Cancelled.");
  });

  test("check a file of code that is dropped, or opened", async () => {
    const page = await openLaws();
    const code = withService("// of a file");
    await drop(page, "dropped.js", code, ".laws textarea");
    const shown = () => page.$eval("#code", (area) => (area as HTMLTextAreaElement).value);
    await until(async () => expect(await shown()).toBe(code));
    expect(await page.$(".tables")).toBeNull();
    const path = join(folder, "opened.js");
    writeFileSync(path, `${code}\n`);
    const [chooser] = await Promise.all([
      page.waitForFileChooser(),
      page.locator("::-p-aria(Open code)").click(),
    ]);
    await chooser.accept([path]);
    await until(async () => expect(await shown()).toBe(`${code}\n`));
    await check(page);
    await isOver(page);
    expect(await textOf(page, ".laws [role=status]")).toMatch(/of 40 laws hold, \d+ fail/);
  });
});

const ENDLESS = "() => { for (;;); }";

/** A service with `searchFiles`, after some other code. */
const withService = (before: string, searchFiles = "() => []") =>
  `${before}\nexport default () => ({ searchFiles: ${searchFiles} });`;

describe("code that means harm", () => {
  let server: Server;
  let address = "";
  const asked: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.setHeader("Access-Control-Allow-Origin", "*");
      response.setHeader("Content-Type", "text/javascript");
      response.end("export default 1;");
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  test("reaches no network, no storage, no other worker", async () => {
    const page = await openLaws(await openUnwatched());
    const tried = `
      const found = [];
      for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "WebTransport", "importScripts",
        "indexedDB", "caches", "cookieStore", "navigator", "location", "BroadcastChannel", "Worker",
        "SharedWorker", "URL", "postMessage", "addEventListener", "onmessage", "setTimeout", "self", "close"]) {
        if (name in globalThis) found.push(name);
      }
      for (const way of [
        () => import("${address}/import"),
        () => import("data:text/javascript,export default 1"),
        () => eval("1"),
        () => new Function("return 1")(),
        () => (async () => {}).constructor("return 1")(),
      ]) {
        try { await way(); found.push(String(way)); } catch {}
      }
      throw new Error("found: " + found.join());`;
    await check(page, withService(tried));
    await waitForText(page, ".laws .fault", "found: ");
    expect(await textOf(page, ".laws .fault")).toMatch(/found:$/);
    await check(page, withService(`import "${address}/static";`));
    await waitForText(page, ".laws .fault", "could not be loaded");
    expect(asked).toEqual([]);
  });

  test("reaches no network by the page's policy alone", async () => {
    const page = await openUnwatched();
    const outcomes = await page.evaluate(async (url) => {
      const code = `
        const ways = {
          fetch: () => fetch("${url}/fetch"),
          xhr: () => new Promise((good, bad) => {
            const request = new XMLHttpRequest();
            request.onload = good; request.onerror = bad;
            request.open("GET", "${url}/xhr"); request.send();
          }),
          socket: () => new Promise((good, bad) => {
            const socket = new WebSocket("${url}/socket".replace("http", "ws"));
            socket.onopen = good; socket.onerror = bad;
          }),
          scripts: async () => importScripts("${url}/scripts"),
          import: () => import("${url}/import"),
        };
        (async () => {
          const done = [];
          for (const [name, way] of Object.entries(ways)) await way().then(() => done.push(name), () => {});
          postMessage(done);
        })();`;
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      return await new Promise((done) => (worker.onmessage = ({ data }) => done(data)));
    }, address);
    expect(outcomes).toEqual([]);
    expect(asked).toEqual([]);
  });

  test.each([
    ["patches what the laws are made of", `Array.prototype.every = () => true;`],
    ["patches iterators", `Object.getPrototypeOf([].values()).next = () => ({ done: true });`],
    [
      "patches generators",
      `Object.getPrototypeOf(function* () {}).prototype.next = () => ({ done: true });`,
    ],
    ["takes the port", `MessagePort.prototype.postMessage = () => {};`],
    [
      "defines what fast-check reads",
      `globalThis[Symbol.for("fast-check/GlobalParameters")] = { numRuns: 0 };`,
    ],
    [
      "listens for the port",
      `addEventListener("message", ({ ports }) => ports[0].postMessage({ isDone: true }));`,
    ],
    ["hands on a stack's functions", `Error.prepareStackTrace = (_, sites) => sites;`],
    ["has no default export that is a function", `export { default as other };`],
    [
      "throws what can't be read",
      `throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 1; } });`,
    ],
    ["throws markup", `throw new Error("<img src=x onerror=alert(1)>");`],
  ])("that %s is not loaded", async (_, code) => {
    const page = await openLaws();
    await check(page, withService(code));
    await waitForText(page, ".laws .fault", "The code could not be loaded");
    expect(await page.$(".laws img")).toBeNull();
    expect(await page.$(".reports .passed")).toBeNull();
  });

  test.each([
    [
      "pretends to have reports",
      `() => { try { postMessage({ isDone: true }); } catch {} return []; }`,
    ],
    [
      "throws what fast-check passes over",
      `() => {
      const footprint = Object.getOwnPropertySymbols(globalThis)[0] ?? "footprint";
      throw { footprint, cause: "fast-check/PreconditionFailure" };
    }`,
    ],
    ["answers with markup", `() => [{ id: "<img src=x onerror=alert(1)>" }]`],
    [
      "answers with a proxy that throws",
      `() => new Proxy([], { get() { throw new Error("no"); } })`,
    ],
    [
      "answers with methods of its own",
      `() => Object.assign([], { every: () => true, map: () => [] })`,
    ],
    ["answers with a promise", `async () => []`],
    ["answers with nothing", `() => undefined`],
    ["answers with four billion holes", `() => new Array(2 ** 32 - 1)`],
    ["throws a text of a million characters", `() => { throw new Error("x".repeat(1e6)); }`],
  ])("that %s keeps not all of the laws", async (_, searchFiles) => {
    const page = await openLaws();
    await check(page, withService("", searchFiles));
    await page.waitForSelector(".reports .failed");
    expect(await page.$(".laws img")).toBeNull();
    const texts = await textsOf(page, ".reports dd");
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(5100);
  });

  test("that never ends is ended", async () => {
    const page = await openLaws(await openEmpty());
    await page.evaluate(() => {
      const wait = setTimeout;
      Object.assign(globalThis, {
        setTimeout: (call: () => void, ms: number) => wait(call, ms > 10_000 ? 500 : ms),
      });
    });
    await check(page, withService("", ENDLESS));
    await waitForText(page, ".laws .fault", "so the check was ended");
    await check(page, "for (;;);");
    await waitForText(page, ".laws .fault", "so the check was ended");
  });
});
