// The progress bar, on stderr, for long tasks of the commands and the benchmark. It changes no terminal
// modes, so an interrupted task leaves the terminal as it was.

const PATIENCE_MS = 500;
const REDRAW_MS = 100;
const BAR_WIDTH = 40;
/** Returns to the start of the line, and clears it. */
const CLEAR = "\r\u001b[K";

export interface Progress {
  /** Adds to the number of steps done. */
  advance(steps?: number): void;
  /** Sets the label of the current task. Shown at once, because the task may take long. */
  say(label: string): void;
  /** Ends the work and removes the bar. */
  stop(): void;
}

export interface ProgressOptions {
  /** How many steps there are, if known. */
  readonly total?: number;
  /** Bytes are shown as megabytes; seconds, which are estimates, as time left. Default: a count. */
  readonly unit?: "bytes" | "seconds";
  /** Without a terminal, writes each new label on its own line. Default: writes nothing. */
  readonly log?: true;
  /** Default: stderr. */
  readonly stream?: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

/** Shows nothing. */
export const silent: Progress = {
  advance: () => undefined,
  say: () => undefined,
  stop: () => undefined,
};

/** A bar that appears once the work has taken half a second. */
export function startProgress(
  label: string,
  { total, unit, log, stream = process.stderr }: ProgressOptions,
): Progress {
  if (stream.isTTY !== true) {
    return log ? { ...silent, say: (text) => stream.write(`${text}\n`) } : silent;
  }

  const start = performance.now();
  let due = start + PATIENCE_MS;
  let isShown = false;
  let done = 0;

  const draw = (now: number) => {
    due = now + REDRAW_MS;
    isShown = true;
    const shown = amount(done, total, unit, now - start);
    const text = [label, shown].filter((part) => part !== "").join(" ");
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
    say(text) {
      label = text;
      draw(performance.now());
    },
    stop() {
      if (isShown) stream.write(CLEAR);
    },
  };
}

function amount(
  done: number,
  total: number | undefined,
  unit: ProgressOptions["unit"],
  milliseconds: number,
): string {
  if (unit === "seconds") return left(done, total ?? 0, milliseconds / 1000);
  const show = (value: number) =>
    unit === "bytes" ? `${(value / 1e6).toFixed(0)} MB` : String(value);
  return total === undefined ? show(done) : `${show(done)}/${show(total)}`;
}

/** The time left: the accuracy of the estimates so far scales the rest. */
function left(done: number, total: number, elapsed: number): string {
  if (done === 0) return "";
  const seconds = (elapsed / done) * Math.max(0, total - done);
  return seconds < 90
    ? `${Math.ceil(seconds / 10) * 10} s left`
    : `${Math.round(seconds / 60)} min left`;
}

function bar(share: number, most: number): string {
  const width = Math.max(0, Math.min(BAR_WIDTH, most));
  const filled = Math.round(width * Math.min(1, share));
  return "=".repeat(filled) + "-".repeat(width - filled);
}
