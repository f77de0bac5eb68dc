// A Chromium for tests: from an npm package, or the system's if `CHROMIUM` names one. We set its arguments: the
// package's suggestions disable web security, and the page could then do what it can't in a reader's browser.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import chromium from "@sparticuz/chromium";
import puppeteer, { type Browser, type Page } from "puppeteer-core";

/** How long a page is waited for at most, in milliseconds: it may load a million contacts while other tests run. */
export const PATIENCE = 120_000;

let started: Promise<Browser> | undefined;
let startedFirefox: Promise<Browser> | undefined;

/** The browser of this process, started once. It ends with its pipe, and so with the process. */
export const theBrowser = (): Promise<Browser> => (started ??= startBrowser());

/** A Firefox, if `FIREFOX` names one: no package of npm has it. */
export const theFirefox = (): Promise<Browser> | undefined => {
  const { FIREFOX: executablePath } = process.env;
  if (executablePath === undefined) return undefined;
  return (startedFirefox ??= puppeteer.launch({ browser: "firefox", executablePath }));
};

/** Starts another browser. @param userDataDir where it keeps what pages store; default: a folder of its own */
export async function startBrowser(userDataDir?: string): Promise<Browser> {
  return await puppeteer.launch({
    ...(userDataDir === undefined ? {} : { userDataDir }),
    executablePath: process.env.CHROMIUM ?? (await unpacked()),
    headless: "shell",
    pipe: true,
    // As root, which containers are, Chromium starts without its sandbox alone.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}

/** The path of Chromium, which takes seconds to unpack, so that a checkout does it once. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(
    readFileSync(resolve("node_modules/@sparticuz/chromium/package.json"), "utf8"),
  ) as { version: string };
  const folder = resolve(`node_modules/.cache/tercet/chromium-${version}`);
  if (!existsSync(folder)) {
    // Whole, or not there: another process could start what is still being written.
    const own = `${folder}-${process.pid}`;
    mkdirSync(own, { recursive: true });
    const { TMPDIR: before } = process.env;
    // It is unpacked into the folder for temporary files, which is read before anything is awaited.
    process.env.TMPDIR = own;
    const unpacking = chromium.executablePath();
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await unpacking;
    try {
      renameSync(own, folder);
    } catch {
      rmSync(own, { recursive: true });
    }
  }
  return join(folder, "chromium");
}

/** A page that takes note of what should not be: errors, warnings and requests. */
export interface Watched {
  readonly page: Page;
  readonly complaints: string[];
}

export async function openWatched(url: string, browser = theBrowser()): Promise<Watched> {
  const page = await (await browser).newPage();
  page.setDefaultTimeout(PATIENCE);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "log") complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const [asked] = request.url().split("#");
    const isItself = asked === url.split("#")[0];
    if (!isItself && !/^(blob|data):/.test(asked ?? "")) complaints.push(`request: ${asked}`);
  });
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(url);
  return { page, complaints };
}
