// A progress bar on stderr for work that takes a while; nothing where stderr is no terminal.

import { SingleBar } from "cli-progress";

const PATIENCE_MS = 500;

export interface Progress {
  /** So many steps more are done. */
  advance(steps?: number): void;
  /** The work is over; the bar disappears. */
  stop(): void;
}

export interface ProgressOptions {
  /** How many steps there are, where that is known. */
  readonly total?: number;
  /** Bytes are shown as megabytes. */
  readonly unit?: "bytes";
  /** The terminal. Default: stderr, where it is one. */
  readonly stream?: NodeJS.WritableStream | undefined;
}

/** Shows nothing. */
export const silent: Progress = { advance: () => undefined, stop: () => undefined };

/** A bar that shows itself once the work has taken half a second. */
export function startProgress(
  label: string,
  { total, unit, stream = terminal() }: ProgressOptions,
): Progress {
  if (stream === undefined) return silent;

  const start = performance.now();
  let done = 0;
  let bar: SingleBar | undefined;
  return {
    advance(steps = 1) {
      done += steps;
      if (bar !== undefined) bar.update(done);
      else if (performance.now() - start > PATIENCE_MS) {
        bar = new SingleBar({
          // What does not fit is cut off, so that the bar stands last.
          format: `${label} ${total === undefined ? "{value}" : "{value}/{total} {bar}"}`,
          stream,
          clearOnComplete: true,
          // The bar is cut to the terminal's width. Switching line wrap off would do it too, but
          // whoever is interrupted would leave the terminal so.
          linewrap: true,
          gracefulExit: false,
          formatValue: (value) =>
            unit === undefined ? String(value) : `${(value / 1e6).toFixed(0)} MB`,
        });
        bar.start(total ?? 0, done);
      }
    },
    stop: () => bar?.stop(),
  };
}

function terminal(): NodeJS.WritableStream | undefined {
  return process.stderr.isTTY ? process.stderr : undefined;
}
