// The React component of `src/database/README.md`, in a browser: it shows the answer, and each that follows.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { openWatched } from "../playground/browser.ts";

const project = resolve(import.meta.dirname, "../..");

/** Shows the component, and changes what it shows on a click. */
const shown = `
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
const root = createRoot(document.body);
const show = (text) => flushSync(() => root.render(h(Tickets, { text })));
show("s");
const vote = () => db.update((draft) => {
  draft.tickets = draft.tickets.update([["id", "exactly", 1]], { votes: 10 });
});
Object.assign(globalThis, { show, vote, unmount: () => flushSync(() => root.unmount()) });
`;

test("a component in a browser shows each answer, and gets none after it is unmounted", async () => {
  const document = readFileSync(join(project, "src/database/README.md"), "utf8");
  const [, component = ""] = /\n## In React\n[^]*?\n```ts\n([^]*?)\n```\n/.exec(document) ?? [];
  const { outputFiles } = await build({
    stdin: { contents: `${component}\n${shown}`, resolveDir: project, loader: "ts" },
    bundle: true,
    write: false,
    define: { "process.env.NODE_ENV": '"development"' },
    alias: { tercet: join(project, "src/index.ts") },
  });
  const folder = mkdtempSync(join(tmpdir(), "tercet-react-"));
  const file = join(folder, "page.html");
  const script = (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
  writeFileSync(file, `<!doctype html><body></body><script>${script}</script>`);
  const { page, complaints } = await openWatched(pathToFileURL(file).href);
  try {
    const text = async (run = "") => {
      await page.evaluate(run);
      return await page.evaluate("document.body.innerText.split('\\n')");
    };
    expect(await text()).toEqual(["Slow start: 9", "Login fails: 3"]);
    expect(await text("vote()")).toEqual(["Login fails: 10", "Slow start: 9"]);
    expect(await text('show("fails")')).toEqual(["Login fails: 10"]);
    expect(await text("unmount(), vote()")).toEqual([""]);
    // React warns of mistakes in a development build, which also proposes its tools.
    expect(complaints.filter((each) => !each.includes("React DevTools"))).toEqual([]);
  } finally {
    await page.close();
    rmSync(folder, { recursive: true });
  }
});
