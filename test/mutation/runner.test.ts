// The test runner of mutation runs, with a library of one function, as instrumented by Stryker.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const SUM = `
import { upTo } from "./up-to.ts";
export const END = () => upTo(3, stryMutAct_9fa48("6") ? 0 : (stryCov_9fa48("6"), 1));
export const START = stryMutAct_9fa48("0") ? 1 : (stryCov_9fa48("0"), 0);
export let calls = 0;
export function sum(values: readonly number[]): number {
  if (stryMutAct_9fa48("1")) {
    {}
  } else {
    stryCov_9fa48("1");
    calls++;
    let total = START;
    for (let i = 0; stryMutAct_9fa48("2") ? i <= values.length : (stryCov_9fa48("2"), i < values.length); stryMutAct_9fa48("3") ? i-- : (stryCov_9fa48("3", "5"), stryMutAct_9fa48("5") ? i : i++)) {
      if (stryMutAct_9fa48("4")) {
        {}
      } else {
        stryCov_9fa48("4");
        total += values[i] ?? 0;
      }
    }
    return total;
  }
}
`;
/** Counts nothing, as a file that holds no mutant in a run: it never ends where its step is 0. */
const UPTO = `
export function upTo(end: number, step: number): number {
  let at = 0;
  for (; at < end; at += step);
  return at;
}
`;
const TESTS = `
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { END, sum } from "../../src/sum.ts";
test("the end is reached", () => {
  expect(END()).toBe(3);
});
const seen: number[] = [];
beforeEach(() => seen.push(1));
afterEach(() => seen.pop());
const open: string[] = [];
const around = (name: string) => {
  beforeAll(() => void open.push(name));
  afterAll(() => {
    expect(open.pop()).toBe(name);
  });
};
around("file");
around("still the file");
describe.each([[[], 0], [[1, 2], 3]])("of %j", (values, expected) => {
  beforeAll(() => {
    expect(open.slice(0, 2)).toEqual(["file", "still the file"]);
  });
  afterAll(() => {
    expect(open).toEqual(["file", "still the file"]);
  });
  test("is the sum", () => {
    expect(sum(values)).toBe(expected);
  });
});
test.each([1, [2]])("%j has nothing to do with it", async (value) => {
  await Promise.resolve();
  expect(seen).toEqual([1]);
  expect(() => { (Object.freeze([]) as number[])[0] = 1; }).toThrow();
  expect([value]).toMatchObject([expect.anything()]);
});
`;
const SCRIPT = `
import { resolve } from "node:path";
import { HotTestRunner } from ${JSON.stringify(join(import.meta.dirname, "runner", "runner.ts"))};
async function run() {
  const runner = new HotTestRunner();
  await runner.init();
  const { tests, mutantCoverage } = await runner.dryRun();
  const outcomes = [];
  for (const id of ["0", "1", "2", "3", "4", "5", "6", "1"]) {
    const isStatic = id in mutantCoverage.static;
    const { status } = await runner.mutantRun({
      activeMutant: { id },
      sandboxFileName: resolve("src/sum.ts"),
      mutantActivation: isStatic ? "static" : "runtime",
      testFilter: isStatic
        ? undefined
        : tests.map((test) => test.id).filter((test) => id in mutantCoverage.perTest[test]),
    });
    outcomes.push(status);
  }
  const covered = Object.entries(mutantCoverage.perTest).map(([test, of]) => [test, Object.keys(of)]);
  process.stdout.write(JSON.stringify({ outcomes, covered, loading: Object.keys(mutantCoverage.static) }));
}
run();
`;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tercet-mutants-"));
  for (const each of ["src", "test/rules"]) mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(join(folder, "src/sum.ts"), SUM);
  writeFileSync(join(folder, "src/up-to.ts"), UPTO);
  writeFileSync(join(folder, "test/rules/sum.test.ts"), TESTS);
  writeFileSync(join(folder, "run.ts"), SCRIPT);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("each mutant meets the tests that cover it, and leaves nothing to the next", () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), "run.ts"],
    { cwd: folder, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  const { outcomes, covered, loading } = JSON.parse(stdout) as Record<string, unknown[]>;
  expect(outcomes).toEqual([
    "killed",
    "killed",
    "survived",
    "timeout",
    "killed",
    "timeout",
    "timeout",
    "killed",
  ]);
  expect(loading).toEqual(["0"]);
  expect(new Map(covered as [string, string[]][])).toEqual(
    new Map([
      ["test/rules/sum.test.ts: the end is reached", ["6"]],
      ["test/rules/sum.test.ts: of [] > is the sum", ["1", "2"]],
      ["test/rules/sum.test.ts: of [1,2] > is the sum", ["1", "2", "3", "4", "5"]],
      ["test/rules/sum.test.ts: 1 has nothing to do with it", []],
      ["test/rules/sum.test.ts: [2] has nothing to do with it", []],
    ]),
  );
});
