// A page and its worker, bundled from sources and served on loopback, in a Chromium.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type BuildOptions, type Plugin } from "esbuild";
import type { Browser, Page } from "puppeteer-core";
import { expect } from "vitest";
import { openWatched, theBrowser, theFirefox } from "../playground/browser.ts";

const project = resolve(import.meta.dirname, "../..");

/** The code of a section of `src/worker/README.md`. */
function codeOf(section: string): string {
  const document = readFileSync(join(project, "src/worker/README.md"), "utf8");
  const [, after = ""] = document.split(`\n## ${section}\n`);
  const [, code = ""] = /\n```ts\n([^]*?)\n```\n/.exec(after) ?? [];
  expect(code).not.toBe("");
  return code;
}

/** The sections of the README by the modules that stand for their code: only the types are there. */
const sections = new Map([
  ["react.ts", "React"],
  ["others.ts", "Vue, Svelte and Solid"],
]);

/** Lets modules import the code of the README, as those who have copied it do. */
const readme: Plugin = {
  name: "readme",
  setup(bundler) {
    bundler.onLoad({ filter: /worker[\\/]readme[\\/]\w+\.ts$/ }, ({ path }) => ({
      contents: codeOf(sections.get(basename(path)) ?? ""),
      resolveDir: project,
      loader: "ts",
    }));
  },
};

/** A module as a script, whose path begins in `test/worker`. */
export async function bundled(path: string, options: BuildOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, path)],
    bundle: true,
    write: false,
    format: "esm",
    define: { "process.env.NODE_ENV": '"development"' },
    alias: {
      tercet: join(project, "src/index.ts"),
      "tercet/worker": join(project, "src/worker/index.ts"),
    },
    logLevel: "silent",
    ...options,
    plugins: [readme, ...(options.plugins ?? [])],
  });
  return outputFiles?.[0]?.text ?? "";
}

/** A module of Node.js, with the code of the README. */
export async function imported(path: string, given: BuildOptions = {}): Promise<unknown> {
  const cache = join(project, "node_modules/.cache/tercet");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "worker-"));
  try {
    const file = join(folder, "module.mjs");
    const options = { platform: "node", packages: "external", ...given } as const;
    writeFileSync(file, await bundled(path, options));
    return (await import(pathToFileURL(file).href)) as unknown;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Opens a page in Chromium, and in Firefox if there is one. Nothing may be complained of.
 *
 * @param files what is served, by path
 * @param use gets the page, and opens others in the same browser
 */
export async function withPage(
  files: Readonly<Record<string, string>>,
  use: (page: Page, open: () => Promise<Page>) => Promise<void>,
): Promise<void> {
  for (const browser of [theBrowser(), theFirefox()]) {
    if (browser !== undefined) await withPageIn(browser, files, use);
  }
}

async function withPageIn(
  browser: Promise<Browser>,
  files: Readonly<Record<string, string>>,
  use: (page: Page, open: () => Promise<Page>) => Promise<void>,
): Promise<void> {
  const server = createServer(({ url = "/" }, response) => {
    const text = files[url];
    const type = url.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(text === undefined ? 404 : 200, { "content-type": `${type};charset=utf-8` });
    response.end(text);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const url = `http://127.0.0.1:${port}/`;
  const { page, complaints } = await openWatched(url, browser);
  try {
    await use(page, async () => (await openWatched(url, browser)).page);
    // React proposes its tools, and notes times in Firefox; browsers ask for an icon.
    const own = new RegExp(`^request: http://127\\.0\\.0\\.1:${port}/[\\w.-]+\\.js$`);
    const isExpected = (each: string) =>
      /React DevTools|^timeStamp: |favicon|status of 404/.test(each) || own.test(each);
    expect(complaints.filter((each) => !isExpected(each))).toEqual([]);
  } finally {
    await page.close();
    server.close();
    server.closeAllConnections();
  }
}

export const html = (body: string, script: string): string =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body>${body}<script type="module">${script.replaceAll("</script", "<\\/script")}</script>`;
