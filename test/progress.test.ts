// The progress bar: what it sends to a terminal, and what remains there after an interrupted task.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { startProgress, type Progress, type ProgressOptions } from "../src/cli/progress.ts";
import { bundleCommand } from "./command.ts";

/** Sequences that change a terminal mode, which outlasts the process. */
const MODE = "\u001b[?";

afterEach(() => {
  vi.useRealTimers();
});

/** Everything sent to a terminal of 40 columns during some work. */
function sent(label: string, options: ProgressOptions, steps: readonly number[]): string[] {
  return sentBy(label, options, { isTTY: true, columns: 40 }, (progress) => {
    for (const step of steps) {
      vi.advanceTimersByTime(300);
      progress.advance(step);
    }
  });
}

/** Everything sent to a stream during `work`, including the removal of the bar. */
function sentBy(
  label: string,
  options: ProgressOptions,
  terminal: { isTTY?: true; columns?: number },
  work: (progress: Progress) => void,
): string[] {
  vi.useFakeTimers();
  const writes: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      writes.push(chunk.toString());
      done();
    },
  });
  const progress = startProgress(label, {
    ...options,
    stream: Object.assign(stream, terminal),
  });
  work(progress);
  progress.stop();
  return writes;
}

test("shows nothing for half a second, then the progress, and disappears", () => {
  expect(sent("Reading", { total: 100 }, [40])).toEqual([]);
  const writes = sent("Reading", { total: 100 }, [40, 10, 10, 10]);
  expect(writes.join("")).toMatch(/Reading 50\/100 =+-+.*Reading 60\/100 =+-+/s);
  expect(writes.at(-1)).toBe("\r\u001b[K");
});

test("shows bytes as megabytes, and no bar if the total is unknown", () => {
  const known = sent("Loading", { total: 9e6, unit: "bytes" }, [2e6, 2e6]).join("");
  expect(known).toMatch(/Loading 4 MB\/9 MB =+-+/);
  const unknown = sent("Receiving", { unit: "bytes" }, [2e6, 2e6, 3e6]).join("");
  expect(unknown).toMatch(/Receiving 4 MB.*Receiving 7 MB/s);
  expect(unknown).not.toMatch(/[=-]/);
});

test("is never wider than the terminal, and changes no mode of it", () => {
  const writes = sent("A label of some length", { total: 1_000_000 }, [1, 400_000, 500_000, 9]);
  expect(writes.join("")).toContain("A label of some length");
  expect(writes.join("")).not.toContain(MODE);
  for (const write of writes) expect(stripVTControlCharacters(write).length).toBeLessThan(41);
});

test("the bar's length is the share that is done, however narrow the terminal", () => {
  const last = (columns: number) =>
    sentBy("Reading", { total: 100 }, { isTTY: true, columns }, (progress) => {
      vi.advanceTimersByTime(600);
      progress.advance(50);
    })[0];
  expect(last(80)).toBe(`\r\u001b[KReading 50/100 ${"=".repeat(20)}${"-".repeat(20)}`);
  expect(last(26)).toBe("\r\u001b[KReading 50/100 =====-----");
  expect(last(12)).toBe("\r\u001b[KReading 50/");
});

test("is drawn at most ten times a second, however often it advances", () => {
  const writes = sentBy("Reading", { total: 1e6 }, { isTTY: true, columns: 80 }, (progress) => {
    for (let step = 0; step < 10_000; step++) {
      vi.advanceTimersByTime(1);
      progress.advance();
    }
  });
  expect(writes).toHaveLength(96 + 1);
});

test("without a terminal nothing is drawn", () => {
  const work = (progress: Progress) => {
    vi.advanceTimersByTime(10_000);
    progress.advance();
  };
  expect(sentBy("Reading", { total: 2 }, {}, work)).toEqual([]);
});

// The `script` of util-linux, if present, gives a command its own terminal.
const { error, stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
const hasTerminal = error === undefined && stdout.includes("util-linux");

test.runIf(hasTerminal)("Ctrl-C leaves the terminal as it was", async () => {
  const place = mkdtempSync(join(tmpdir(), "tercet-progress-"));
  try {
    const bundle = join(place, "tercet.mjs");
    await bundleCommand(bundle);
    const command = `yes 1,2 | "${process.execPath}" "${bundle}" query - --count`;
    const child = spawn("script", ["-qec", command, "/dev/null"]);
    let shown = "";
    child.stdout.on("data", (chunk: Buffer) => {
      const begins = !shown.includes("Receiving");
      shown += chunk.toString();
      // The terminal turns it into SIGINT.
      if (begins && shown.includes("Receiving")) child.stdin.write("\u0003");
    });
    await new Promise((resolve) => child.on("close", resolve));
    expect(shown).toContain("^C");
    expect(shown).not.toContain(MODE);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
