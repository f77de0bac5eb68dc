// How long a page's own thread is busy while records load, are asked for, and change: in a worker, by `tercet/worker`,
// and on that thread.

import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { figure } from "../figure.ts";
import { count, time } from "../format.ts";
import { launched } from "./page-browser.ts";

/** Times in nanoseconds. */
interface Asked {
  readonly load: number;
  readonly query: number;
  readonly slowest: number;
}

interface Busy extends Asked {
  /** How many tasks of the page's thread took more than 50 ms of processor time. */
  readonly tasks: number;
  /** The longest of them. */
  readonly longest: number;
}

interface WorkerResults {
  readonly size: number;
  readonly worker: Busy;
  readonly page: Busy;
}

/** How many pages are asked for, with a change after each. */
const ROUNDS = 100;

export const worker = figure<WorkerResults>({
  name: "worker",
  what: "how long a page's thread is busy, with a database in a worker and without one, in Chromium",
  isExtra: true,
  async measure({ plan: { size }, say }) {
    say("worker");
    return { size, worker: await measured("with", size), page: await measured("without", size) };
  },
  sections: ({ size, worker, page }) => [
    {
      title: `A page and ${count(size)} orders, with a worker and without one, in Chromium`,
      note: `The page shows the latest 50 orders and counts by state, which follow ${ROUNDS} changes, and asks for a page of 50 after each. Loading includes generating the orders.`,
      head: ["what", "in a worker", "on the page's thread"],
      rows: [
        ["loaded, and counted", time(worker.load), time(page.load)],
        ["a page of 50, median", time(worker.query), time(page.query)],
        ["the slowest", time(worker.slowest), time(page.slowest)],
        ["tasks of the page's thread above 50 ms", count(worker.tasks), count(page.tasks)],
        ["the longest", worker.tasks === 0 ? "" : time(worker.longest), time(page.longest)],
      ],
    },
  ],
});

async function measured(script: "with" | "without", size: number): Promise<Busy> {
  const files = await scripts(script);
  const server = createServer(({ url = "/" }, response) => {
    const path = url.split("?")[0] ?? "";
    const type = path.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(200, { "content-type": type }).end(files.get(path) ?? "");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const browser = await launched();
  try {
    const page = await browser.newPage();
    const address = server.address();
    await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`);
    await page.waitForFunction("typeof run === 'function'");
    // Processor time, because on a busy machine any task takes long.
    await page.tracing.start({ categories: ["toplevel"] });
    const asked = (await page.evaluate(`run(${size}, ${ROUNDS})`)) as Asked;
    const trace = new TextDecoder().decode(await page.tracing.stop());
    const tasks = tasksIn(trace).filter((milliseconds) => milliseconds > 50);
    return { ...asked, tasks: tasks.length, longest: Math.max(0, ...tasks) * 1e6 };
  } finally {
    await browser.close();
    server.close();
  }
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** How many milliseconds of processor time each task of a page's own thread took. */
function tasksIn(trace: string): number[] {
  const { traceEvents } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const own = traceEvents
    .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
    .map(threadOf);
  return traceEvents
    .filter((each) => each.name.endsWith("RunTask") && own.includes(threadOf(each)))
    .map(({ tdur = 0 }) => tdur / 1e3);
}

/** What is served, by path. */
async function scripts(script: string): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    entryPoints: {
      page: join(import.meta.dirname, `worker-${script}.ts`),
      worker: join(import.meta.dirname, "worker-thread.ts"),
    },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    outdir: "/",
  });
  const [page = "", worker = ""] = outputFiles.map(({ text }) => text);
  const body = '<pre id="latest"></pre><pre id="states"></pre><pre id="found"></pre>';
  return new Map([
    [
      "/",
      `<!doctype html><meta charset="utf-8">${body}<script type="module" src="page.js"></script>`,
    ],
    ["/page.js", page],
    ["/worker.js", worker],
  ]);
}
