// Takes the pictures of the page that its document and README.md show: `npm run pictures`. A million orders are
// opened as a file, as somebody does who has one. The numbers in the pictures are those of the machine that ran this.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { crc32, deflateSync } from "node:zlib";
import type { Page } from "puppeteer-core";
import { buildPage } from "../../src/playground/build.ts";
import { generateOrders } from "../../src/playground/engine/orders.ts";
import { FIRST_VIEW, toLink, type View } from "../../src/playground/link.ts";
import { openWatched, theBrowser } from "./browser.ts";

const COUNT = 1_000_000;

interface Picture {
  readonly view: Partial<View>;
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
  /** What is done to the page before, until it shows what it is to show. */
  readonly ready: (page: Page) => Promise<unknown>;
}

const pictures: Readonly<Record<string, Picture>> = {
  facets: {
    view: {
      tab: "facets",
      criteria: [
        ["state", "in", ["paid", "sent"]],
        ["country", "in", ["Austria", "Germany", "Japan"]],
      ],
    },
    width: 1280,
    height: 840,
    scheme: "light",
    ready: (page) => page.waitForSelector(".facet .of-some"),
  },
  answer: {
    view: {
      criteria: [
        ["country", "exactly", "Japan"],
        ["total", "at_least", 500],
      ],
      sort: [["total", "DESC"]],
    },
    width: 1440,
    height: 810,
    scheme: "dark",
    ready: async (page) => {
      await page.click("#row-0");
      await page.waitForFunction(() => document.querySelector(".foot")?.textContent !== "");
    },
  },
};

const folder = mkdtempSync(join(tmpdir(), "tercet-pictures-"));
const [file, orders] = [join(folder, "playground.html"), join(folder, "orders.csv")];
try {
  writeFileSync(file, (await buildPage()).html);
  writeFileSync(orders, Buffer.concat([...generateOrders(COUNT, 1)]));
  const { page } = await openWatched(pathToFileURL(file).href);
  const [chooser] = await Promise.all([
    page.waitForFileChooser(),
    page.locator("::-p-aria(Open a file)").click(),
  ]);
  await chooser.accept([orders]);
  await page.waitForSelector(".took", { timeout: 120_000 });
  for (const [name, picture] of Object.entries(pictures)) {
    const png = await take(page, picture);
    writeFileSync(resolve(import.meta.dirname, `../../src/playground/${name}.png`), png);
    console.log(`${name}.png: ${png.length} bytes`);
  }
} finally {
  await (await theBrowser()).close();
  rmSync(folder, { recursive: true });
}

async function take(page: Page, { view, width, height, scheme, ready }: Picture): Promise<Buffer> {
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  const link = toLink({ ...FIRST_VIEW, file: "orders.csv", ...view });
  await page.evaluate((to) => (location.hash = to), link);
  await ready(page);
  // Charts come one after the other, and sums last.
  await new Promise((done) => setTimeout(done, 3000));
  const rgba = await pixelsOf(page, await page.screenshot({ encoding: "base64" }));
  return withFewColors(rgba, width, height);
}

/** Red, green, blue and opacity of each pixel. */
async function pixelsOf(page: Page, png: string): Promise<Buffer> {
  const base64 = await page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    if (context === null) throw new Error("there is no canvas");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (const byte of data) text += String.fromCharCode(byte);
    return btoa(text);
  }, png);
  return Buffer.from(base64, "base64");
}

const MOST_COLORS = 16;

/** The least difference of two colors of a palette: what smooths the edges of letters has many that are closer. */
const CLOSE = 30;

/** A PNG of 16 colors is a third as large as one of all, and looks the same: the page has few. */
function withFewColors(rgba: Buffer, width: number, height: number): Buffer {
  const counts = new Map<number, number>();
  const colorAt = (pixel: number) => rgba.readUInt32BE(pixel * 4) >>> 8;
  for (let pixel = 0; pixel < width * height; pixel++) {
    const color = colorAt(pixel);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const palette: number[] = [];
  for (const [color] of [...counts].toSorted(([, a], [, b]) => b - a)) {
    if (palette.length === MOST_COLORS) break;
    if (palette.every((each) => distance(each, color) > CLOSE)) palette.push(color);
  }
  const nearest = new Map(
    [...counts.keys()].map((color) => {
      const distances = palette.map((each) => distance(each, color));
      return [color, distances.indexOf(Math.min(...distances))];
    }),
  );
  const rows = Buffer.alloc(height * (1 + width / 2));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * (1 + width / 2) + 1 + (x >> 1);
      const color = nearest.get(colorAt(y * width + x)) ?? 0;
      rows.writeUInt8(rows.readUInt8(at) | (x % 2 === 0 ? color << 4 : color), at);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Four bits a pixel, by a palette.
  head.set([4, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from(palette.flatMap(channelsOf))),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const channelsOf = (color: number) => [color >> 16, (color >> 8) & 255, color & 255] as const;

function distance(a: number, b: number): number {
  const others = channelsOf(b);
  return Math.hypot(...channelsOf(a).map((value, i) => value - (others[i] ?? 0)));
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
