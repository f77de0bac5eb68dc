// The React component of `src/database/README.md`, in a browser: it shows the current result, and each later one.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { openWatched } from "../playground/browser.ts";

const project = resolve(import.meta.dirname, "../..");

/** Shows the component, and changes what it shows on a click. */
const shown = `
import { Profiler } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
const root = createRoot(document.body);
let renders = 0;
const counted = (props) => h(Profiler, { id: "tickets", onRender: () => void renders++ }, h(TicketList, props));
const show = (text) => flushSync(() => root.render(counted({ text })));
show("s");
const vote = () => db.update((draft) => {
  draft.tickets = draft.tickets.update([["id", "exactly", 1]], { votes: 10 });
});
const rendered = () => { const n = renders; renders = 0; return n; };
Object.assign(globalThis, { show, vote, rendered, unmount: () => flushSync(() => root.unmount()) });
`;

/** Lets a server render the component, and a browser hydrate it, once the tickets are as the server had them or have changed. */
const hydrated = `
import { act } from "react";
import { renderToString } from "react-dom/server";
import { hydrateRoot } from "react-dom/client";
const hydrate = async (isChanged) => {
  const rendered = liveTickets("s").current;
  document.body.innerHTML = renderToString(h(TicketList, { text: "s", rendered }));
  if (isChanged) {
    db.update((draft) => {
      draft.tickets = draft.tickets.update([["id", "exactly", 1]], { votes: 10 });
    });
  }
  const errors = [];
  const onRecoverableError = (error) => errors.push(String(error));
  const sent = JSON.parse(JSON.stringify(rendered));
  const root = await act(() =>
    hydrateRoot(document.body, h(TicketList, { text: "s", rendered: sent }), { onRecoverableError }),
  );
  const shown = document.body.innerText.split("\\n");
  await act(() => root.unmount());
  return { shown, errors };
};
Object.assign(globalThis, { hydrate, IS_REACT_ACT_ENVIRONMENT: true });
`;

test("a component in a browser renders once for each answer, and gets none after it is unmounted", () =>
  withComponent(shown, async (page) => {
    const text = async (run = "") => {
      await page.evaluate(run);
      return await page.evaluate("document.body.innerText.split('\\n')");
    };
    const expectRenderedOnce = async () => expect(await page.evaluate("rendered()")).toBe(1);
    expect(await text()).toEqual(["Slow start: 9", "Login fails: 3"]);
    await expectRenderedOnce();
    expect(await text("vote()")).toEqual(["Login fails: 10", "Slow start: 9"]);
    await expectRenderedOnce();
    expect(await text('show("fails")')).toEqual(["Login fails: 10"]);
    await expectRenderedOnce();
    expect(await text("unmount(), vote()")).toEqual([""]);
  }));

test("what a server has rendered is hydrated without an error, also if the tickets have changed since", () =>
  withComponent(hydrated, async (page) => {
    expect(await page.evaluate("hydrate(false)")).toEqual({
      shown: ["Slow start: 9", "Login fails: 3"],
      errors: [],
    });
    expect(await page.evaluate("hydrate(true)")).toEqual({
      shown: ["Login fails: 10", "Slow start: 9"],
      errors: [],
    });
  }));

/** Runs a script after the component's, in a page, of which nothing may be complained. */
async function withComponent(script: string, use: (page: Page) => Promise<void>): Promise<void> {
  const document = readFileSync(join(project, "src/database/README.md"), "utf8");
  const [, component = ""] = /\n## In React\n[^]*?\n```ts\n([^]*?)\n```\n/.exec(document) ?? [];
  const { outputFiles } = await build({
    stdin: { contents: `${component}\n${script}`, resolveDir: project, loader: "ts" },
    bundle: true,
    write: false,
    define: { "process.env.NODE_ENV": '"development"' },
    alias: { tercet: join(project, "src/index.ts") },
  });
  const folder = mkdtempSync(join(tmpdir(), "tercet-react-"));
  const file = join(folder, "page.html");
  const bundle = (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
  writeFileSync(
    file,
    `<!doctype html><meta charset="utf-8"><body></body><script>${bundle}</script>`,
  );
  const { page, complaints } = await openWatched(pathToFileURL(file).href);
  try {
    await use(page);
    // React warns of mistakes in a development build, which also proposes its tools.
    expect(complaints.filter((each) => !each.includes("React DevTools"))).toEqual([]);
  } finally {
    await page.close();
    rmSync(folder, { recursive: true });
  }
}
