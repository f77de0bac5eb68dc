// A check of the reader's code. Each has its own worker, which ends when the check is done, cancelled,
// or too slow.

import { useEffect, useRef, useState } from "preact/hooks";
import type { LawReport } from "../../testing/index.ts";
import type { CheckCall, CheckNews } from "../messages.ts";
import { SCRIPT } from "./asking.ts";

/** A law, with its report once it was checked. */
export type LawLine = Pick<LawReport, "name" | "rules"> & { readonly report?: LawReport };

export interface Check {
  readonly laws: readonly LawLine[];
  readonly isRunning: boolean;
  /** Why it ended before its end, if it did. */
  readonly problem: string;
}

const NONE: Check = { laws: [], isRunning: false, problem: "" };

/** How long a law may take, in milliseconds. A failed one is also made smaller. */
const timeFor = ({ numRuns }: CheckCall): number => 15_000 + 150 * numRuns;

export function useCheck() {
  const [state, setState] = useState(NONE);
  const running = useRef<() => void>(undefined);
  const end = (problem: string) => {
    running.current?.();
    running.current = undefined;
    setState((before) => ({ ...before, isRunning: false, problem }));
  };
  useEffect(() => () => running.current?.(), []);

  const start = (call: CheckCall) => {
    running.current?.();
    const worker = new Worker(SCRIPT);
    // Only what comes through this port is a report; the code can send other messages, which nobody reads.
    const { port1, port2 } = new MessageChannel();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      clearTimeout(timer);
      const limit = timeFor(call);
      const isTooSlow = () => end(`No answer for ${limit / 1000} s, so the check was ended.`);
      timer = setTimeout(isTooSlow, limit);
    };
    port1.onmessage = ({ data }: MessageEvent<CheckNews>) => {
      wait();
      if ("laws" in data) setState((before) => ({ ...before, laws: data.laws }));
      else if ("report" in data) setState((before) => withReport(before, data.report));
      else end("fault" in data ? `The code could not be loaded: ${data.fault}` : "");
    };
    // Errors of the checked code are not errors of the page.
    worker.addEventListener("error", (event) => event.preventDefault());
    running.current = () => {
      clearTimeout(timer);
      port1.close();
      worker.terminate();
    };
    setState({ ...NONE, isRunning: true });
    wait();
    worker.postMessage(call, [port2]);
  };
  return { state, start, cancel: () => end("Cancelled.") };
}

/** With the report at its law; those that failed come first. A law that needs more than `searchFiles` was not asked, and is not shown. */
function withReport({ laws, ...more }: Check, report: LawReport): Check {
  const isAsked = report.outcome !== "not applicable";
  const reported = laws.flatMap((law) =>
    law.name !== report.name ? [law] : isAsked ? [{ ...law, report }] : [],
  );
  const isFailed = (law: LawLine) => law.report?.outcome === "failed";
  return {
    ...more,
    laws: [...reported.filter(isFailed), ...reported.filter((law) => !isFailed(law))],
  };
}
