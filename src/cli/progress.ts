// The progress bar, on stderr, of commands that read a lot. It changes no terminal modes, so an interrupted command
// leaves the terminal as it was.

const PATIENCE_MS = 500;
const REDRAW_MS = 100;
const BAR_WIDTH = 40;
/** Returns to the start of the line, and clears it. */
const CLEAR = "\r\u001b[K";

export interface Progress {
  /** Adds to the number of steps done. */
  advance(steps?: number): void;
  /** Ends the work and removes the bar. */
  stop(): void;
}

export interface ProgressOptions {
  /** The total number of steps, if known. */
  readonly total?: number;
  /** Bytes are shown as megabytes. Default: a count. */
  readonly unit?: "bytes";
  /** Default: stderr. */
  readonly stream?: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

/** Shows nothing. */
const silent: Progress = { advance: () => undefined, stop: () => undefined };

/** A bar that appears once the work has taken half a second. Without a terminal, there is none. */
export function startProgress(
  label: string,
  { total, unit, stream = process.stderr }: ProgressOptions,
): Progress {
  if (stream.isTTY !== true) return silent;

  let due = performance.now() + PATIENCE_MS;
  let isShown = false;
  let done = 0;

  const draw = (now: number) => {
    due = now + REDRAW_MS;
    isShown = true;
    const text = `${label} ${amount(done, total, unit)}`;
    const width = (stream.columns ?? 80) - 1;
    const line =
      total === undefined ? text : `${text} ${bar(done / total, width - text.length - 1)}`;
    stream.write(`${CLEAR}${line.slice(0, width)}`);
  };

  return {
    advance(steps = 1) {
      done += steps;
      const now = performance.now();
      if (now >= due) draw(now);
    },
    stop() {
      if (isShown) stream.write(CLEAR);
    },
  };
}

function amount(done: number, total: number | undefined, unit: ProgressOptions["unit"]): string {
  const show = (value: number) =>
    unit === "bytes" ? `${(value / 1e6).toFixed(0)} MB` : String(value);
  return total === undefined ? show(done) : `${show(done)}/${show(total)}`;
}

function bar(share: number, most: number): string {
  const width = Math.max(0, Math.min(BAR_WIDTH, most));
  const filled = Math.round(width * Math.min(1, share));
  return "=".repeat(filled) + "-".repeat(width - filled);
}
