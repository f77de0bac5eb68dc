// Checks the reader's `searchFiles` by the laws of tercet/testing. Their code runs in this worker,
// too; `lock.ts` limits what it can reach. It can neither send a report nor change one: only this file
// knows the port for reports.

import { laws, type Checked, type LawReport } from "../../testing/index.ts";
import type { CheckCall, CheckNews } from "../messages.ts";
import { lockGlobals } from "./lock.ts";

/** Longer texts are cut, in characters: whatever the code answers with ends up in one. */
const MOST_SHOWN = 5000;

export async function check({ code, seed, numRuns }: CheckCall, port: MessagePort): Promise<void> {
  const post = port.postMessage.bind(port);
  const tell = (news: CheckNews) => post(news);
  const module = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    tell({ laws: laws.map(({ name, rules }) => ({ name, rules })) });
    lockGlobals();
    const { default: make } = (await import(module)) as { readonly default?: unknown };
    if (typeof make !== "function") throw new Error("has no default export that is a function");
    for (const law of laws) {
      tell({ report: cut(law.report(make as Extract<Checked, object>, { seed, numRuns })) });
    }
    tell({ isDone: true });
  } catch (thrown) {
    tell({ fault: cutText(reasonOf(thrown)) });
  }
}

const TEXTS = ["counterexample", "reason", "call", "expected", "received", "again"] as const;

const cut = (report: LawReport): LawReport =>
  TEXTS.reduce((before, name) => {
    const text = before[name];
    return text === undefined ? before : { ...before, [name]: cutText(text) };
  }, report);

const cutText = (text: string): string =>
  text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;

/** Reading what somebody's code throws may throw, too. */
function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "threw a value that can't be read";
  }
}
