// A progress bar on stderr for work that takes a while; nothing where stderr is no terminal.

import { SingleBar } from "cli-progress";

const PATIENCE_MS = 500;

export interface Progress {
  /** One step is done. */
  advance(): void;
  /** The work is over; the bar disappears. */
  stop(): void;
}

/** A bar that shows itself once the work has taken half a second. */
export function startProgress(label: string, total: number, wanted = true): Progress {
  const silent = { advance: () => undefined, stop: () => undefined };
  if (!wanted || !process.stderr.isTTY) return silent;

  const start = performance.now();
  let done = 0;
  let bar: SingleBar | undefined;
  return {
    advance() {
      done++;
      if (bar !== undefined) bar.update(done);
      else if (performance.now() - start > PATIENCE_MS) {
        bar = new SingleBar({
          format: `${label} {bar} {value}/{total}`,
          stream: process.stderr,
          clearOnComplete: true,
          gracefulExit: false,
          linewrap: null,
        });
        bar.start(total, done);
      }
    },
    stop: () => bar?.stop(),
  };
}
