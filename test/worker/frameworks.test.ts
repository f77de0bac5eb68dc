// The adapters of `src/worker/README.md` in a browser, with a worker: what a server has rendered is hydrated, results
// follow changes and another query, and an unmounted component shows no more of them.

import { renderToString } from "vue/server-renderer";
import type { Plugin } from "esbuild";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Page } from "puppeteer-core";
import { render } from "svelte/server";
import { compile, compileModule } from "svelte/compiler";
import { expect, test } from "vitest";
import { bundled, html, imported, withPage } from "./served-page.ts";
import { makeTasks, withDone } from "./frameworks/tasks.ts";
import type * as Vue from "./frameworks/vue.ts";

const rendered = makeTasks().query("tasks", withDone(0));

/** A page with what a server has rendered. */
const pageOf = async (root: string, script: string) => ({
  "/": html(
    `<div id="root">${root}</div><script type="application/json" id="rendered">${root === "" ? "null" : JSON.stringify(rendered)}</script>`,
    script,
  ),
  "/worker.js": await bundled("frameworks/worker.ts"),
});

const listed = (page: Page) =>
  page.$$eval("li", (items) => items.map(({ textContent }) => textContent));
const until = (page: Page, titles: readonly string[]) =>
  page.waitForFunction(
    `JSON.stringify(Array.from(document.querySelectorAll("li"), (each) => each.textContent)) === ${JSON.stringify(JSON.stringify(titles))}`,
  );

/** What every framework does. */
async function expectFollowing(page: Page): Promise<void> {
  await until(page, ["write", "test"]);
  // The result of the worker is there before the promise resolves; frameworks render it then or soon after.
  await page.evaluate("finish(1)");
  await until(page, ["test"]);
  await page.evaluate("void choose(1)");
  await until(page, ["write", "sleep"]);
  await page.evaluate("finish(2)");
  await until(page, ["write", "test", "sleep"]);
  await page.evaluate("void unmount()");
  await page.waitForFunction("document.querySelector('li') === null");
  expect(await page.evaluate("db.count('tasks')")).toBe(3);
}

test("React: the component of the README in StrictMode, with a change that is shown at once", async () => {
  await withPage(await pageOf("", await bundled("frameworks/react-page.ts")), async (page) => {
    await until(page, ["☐ write", "☐ test", "☑ sleep"]);
    await page.$eval("li", (each) => (each as HTMLElement).click());
    await until(page, ["☑ write", "☐ test", "☑ sleep"]);
    await page.evaluate("finish(2)");
    await until(page, ["☑ write", "☑ test", "☑ sleep"]);
    expect(await page.evaluate("db.count('tasks', [['done', 'exactly', 1]])")).toBe(3);
    await page.evaluate("unmount()");
    expect(await listed(page)).toEqual([]);
  });
});

test("Vue: rendered on a server, and hydrated", async () => {
  const { app } = (await imported("frameworks/vue.ts")) as typeof Vue;
  const root = await renderToString(app({ db: undefined as never, rendered }));
  expect(root).toBe("<ul><li>write</li><li>test</li></ul>");
  const define = {
    "process.env.NODE_ENV": '"production"',
    __VUE_OPTIONS_API__: "false",
    __VUE_PROD_DEVTOOLS__: "false",
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "true",
  };
  const script = await bundled("frameworks/vue-page.ts", { define });
  await withPage(await pageOf(root, script), expectFollowing);
});

/** Compiles components, as Svelte's plugins for bundlers do. */
const svelte = (generate: "client" | "server"): Plugin => ({
  name: "svelte",
  setup(bundler) {
    bundler.onLoad({ filter: /\.svelte(?:\.js)?$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const options = { generate, filename: basename(path), dev: false } as const;
      const { js } = path.endsWith(".js")
        ? compileModule(source, options)
        : compile(source, options);
      return { contents: js.code };
    });
  },
});

test("Svelte: rendered on a server, and hydrated", async () => {
  const { default: Tasks } = (await imported("frameworks/Tasks.svelte", {
    plugins: [svelte("server")],
  })) as { readonly default: Parameters<typeof render>[0] };
  const live = {
    subscribe: (set: (value: undefined) => void) => (set(undefined), () => undefined),
  };
  const props = { db: { live: () => live }, rendered, chosen: { done: 0 } };
  const { body } = render(Tasks, { props: props as never });
  expect(body.replace(/<!--.*?-->/g, "")).toBe("<ul><li>write</li><li>test</li></ul>");
  const script = await bundled("frameworks/svelte-page.ts", {
    plugins: [svelte("client")],
    conditions: ["browser", "svelte"],
  });
  await withPage(await pageOf(body, script), expectFollowing);
});

test("Solid: rendered in the browser", async () => {
  const script = await bundled("frameworks/solid-page.ts", { conditions: ["browser"] });
  await withPage(await pageOf("", script), expectFollowing);
});
