// How long the page takes to load a file: one of 300 MB, beside `tercet import` of it, and one of 5,000 columns.

import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Browser } from "puppeteer-core";
import { generateOrders } from "../../src/playground/engine/orders.ts";
import { pageIn, picked, type Site } from "./page-browser.ts";
import { IN_DISTINCT } from "./page-keys.ts";

/** Loading a large CSV file of orders. */
export interface Larger {
  readonly rows: number;
  readonly bytes: number;
  /** Nanoseconds from picking the file to the first rows. */
  readonly load: number;
  /** What the tab's process had at most, in bytes. Linux alone says it. */
  readonly peak?: number;
  /** Nanoseconds that `tercet import` takes for it. */
  readonly imported: number;
}

/** Loading a table of many columns. */
export interface Wide {
  readonly columns: number;
  readonly rows: number;
  readonly bytes: number;
  readonly load: number;
}

/** Orders as CSV, with a last column of distinct texts. Returns how many bytes they are. */
export function writeOrders(file: string, size: number): number {
  const decoder = new TextDecoder();
  let next = 0;
  let bytes = 0;
  for (const piece of generateOrders(size, 1)) {
    const lines = decoder.decode(piece);
    const text = lines.replaceAll("\n", () => `,${referenceAt(next++)}\n`);
    bytes += Buffer.byteLength(text);
    appendFileSync(file, text);
  }
  return bytes;
}

/** A name for the first line, then a text for each order: multiplying by an odd number keeps them distinct. */
const referenceAt = (line: number): string =>
  line === 0
    ? IN_DISTINCT.field
    : `ref-${(Math.imul(line, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0")}`;

/** In a browser of its own, whose memory nothing else has used. */
export async function loadedLarger({ launch, url, folder }: Site, rows: number): Promise<Larger> {
  const csv = join(folder, "larger.csv");
  const bytes = writeOrders(csv, rows);
  const browser = await launch();
  let load: number;
  let peak: number | undefined;
  try {
    ({ load } = await picked(browser, url, csv));
    peak = await peakOf(browser);
  } finally {
    await browser.close();
  }
  const imported = await timeOfImport(csv, folder);
  return { rows, bytes, load, imported, ...(peak === undefined ? {} : { peak }) };
}

/** The command is bundled as it is packed. */
async function timeOfImport(csv: string, folder: string): Promise<number> {
  const { build } = await import("esbuild");
  const cli = join(folder, "cli.mjs");
  await build({
    entryPoints: ["src/cli/main.ts"],
    outfile: cli,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  const store = join(folder, "larger.store");
  const start = performance.now();
  const { status, stderr } = spawnSync(
    process.execPath,
    [cli, "import", csv, "--collection", "orders", "--to", store],
    { encoding: "utf8" },
  );
  const taken = (performance.now() - start) * 1e6;
  rmSync(store, { recursive: true, force: true });
  if (status !== 0) throw new Error(`tercet import: ${stderr}`);
  return taken;
}

export async function loadedWide(
  { browser, url, folder }: Site,
  columns: number,
  rows: number,
): Promise<Wide> {
  const csv = join(folder, "wide.csv");
  const bytes = writeWide(csv, columns, rows);
  const { load, page } = await picked(browser, url, csv);
  await page.close();
  return { columns, rows, bytes, load };
}

/** Texts, integers and fractions by turns. Returns how many bytes they are. */
function writeWide(file: string, columns: number, rows: number): number {
  const lineOf = (value: (column: number) => unknown) =>
    `${Array.from({ length: columns }, (_, column) => value(column)).join(",")}\n`;
  const valueAt = (row: number) => (column: number) => {
    const number = (row * 31 + column) % 1000;
    return [`text ${number % 40}`, number, number / 10][column % 3];
  };
  const lines = Array.from({ length: rows }, (_, row) => lineOf(valueAt(row)));
  const text = [lineOf((column) => `column_${column}`), ...lines].join("");
  writeFileSync(file, text);
  return text.length;
}

/** The bytes that a renderer of this browser had resident at most; `undefined` where the system does not say. */
async function peakOf(browser: Browser): Promise<number | undefined> {
  if (process.platform !== "linux") return undefined;
  const session = await browser.target().createCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const peaks = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]);
  return Math.max(...peaks.map((kilobytes) => Number(kilobytes) * 1024));
}

export async function timeOfEmpty(browser: Browser, url: string): Promise<number> {
  const page = await pageIn(browser);
  const start = performance.now();
  await page.goto(url);
  await page.waitForSelector(".start button");
  const taken = (performance.now() - start) * 1e6;
  await page.close();
  return taken;
}
