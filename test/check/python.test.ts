// Runs the laws against the service in Python, and against the same service with one mistake.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { laws } from "../../src/testing/index.ts";
import { runCommand } from "../command.ts";
import { seeds, settings } from "../property.ts";
import { named } from "../testing/caught.ts";
import { lacksPython, pythonService, startService } from "./lines.ts";
import { mistakes, type Mistake } from "./mistakes.ts";

const lawOf = named(laws);
const source = readFileSync(pythonService, "utf8");
const folder = mkdtempSync(join(tmpdir(), "tercet-python-"));
afterAll(() => rmSync(folder, { recursive: true }));

function broken({ mistake, find, replace }: Mistake): string {
  expect(source.split(find), mistake).toHaveLength(2);
  const file = join(folder, "service.py");
  writeFileSync(
    file,
    source.replace(find, () => replace),
  );
  return file;
}

describe.skipIf(lacksPython)("a service in Python (skipped without python3)", () => {
  test("keeps all laws", async () => {
    const { numRuns, seed = 20261123 } = settings(10);
    const options = ["--runs", String(numRuns), "--seed", String(seed)];
    const { code, out } = await runCommand(["check", ...options, "--", "python3", pythonService]);
    expect(code, out).toBe(0);
  });

  test.each(mistakes)("is caught where $mistake", async (mistake) => {
    const law = lawOf(mistake.law);
    const service = startService(broken(mistake));
    onTestFinished(service.end);
    for (const seed of seeds(1)) {
      const report = await law.report(service.load, { seed, shrink: false });
      expect(report.outcome, `seed ${seed}`).toBe("failed");
    }
  });

  test.each(mistakes.slice(0, 1))("fails the command where $mistake", async (mistake) => {
    const options = ["--law", mistake.law, "--seed", "1"];
    const run = ["check", ...options, "--", "python3", broken(mistake)];
    const { code, out } = await runCommand(run);
    expect(out).toContain(`failed: ${mistake.law}`);
    expect(code).toBe(1);
  });
});
