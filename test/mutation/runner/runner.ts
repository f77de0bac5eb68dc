// Stryker's test runner for this project. The process that runs mutants loads the code once and keeps it, so a mutant
// costs only the tests that cover it, and code that has run for thousands of mutants is optimized. A test is ended when
// it does a hundred times the work that it does without a mutant. Work is counted, so a busy machine makes no
// difference.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestRunner,
  type TestRunnerCapabilities,
} from "@stryker-mutator/api/test-runner";
import fc from "fast-check";
import { FOLDERS, isLeftOut } from "../folders.ts";
import { Modules, type Purpose } from "./modules.ts";
import { close, collect, runTest, suitesAround, type Test } from "./suite.ts";
import { active, countFor, fuel, NO_MUTANT, startCounting } from "./switches.ts";
import { vi } from "./vitest.ts";
import { HangError, within } from "./watchdog.ts";

/** Where the process of the dry run leaves what it found for those that run mutants. */
const FOUND = "tests-found.json";

/** A test, by its place in its file, and what it takes without a mutant. */
interface Found {
  readonly id: string;
  readonly file: string;
  readonly index: number;
  readonly milliseconds: number;
  readonly work: number;
  readonly workOfFile: number;
  /** How many mutants it covers: the fewer, the more it is about those. */
  readonly covers: number;
}

/**
 * Milliseconds for which a mutant is looked for, as the dry run took them. It survives if it survives
 * the tests that cover it and fit in: the quickest that are most about it, and at least one. Tests that
 * write files or ask servers are slow: in two seconds, `src/store` and `src/sql` met few of theirs.
 */
const ENOUGH = 8000;

/**
 * What a test may take: as many times what it takes, as many times what its file takes, for what its
 * tests share is made by the first of them; and what is not worth a thought.
 */
const FACTOR = 100;
const FILE_FACTOR = 10;
const LITTLE = 1_000_000;
const MOST = 2 ** 31 - 1;

/** A test that waits as long waits forever; one that computes as long, and as many times what it takes, hangs. */
const LONGEST_WAIT = 20_000;
const LONGEST_RUN = 5_000;
const RUN_FACTOR = 20;
const { setTimeout, clearTimeout } = globalThis;

/** One mutant of so many is run; the others are given back as not to be judged. */
const SAMPLE = Number(process.env.TERCET_SAMPLE ?? 1);

type Outcome = "passed" | "endless" | "waiting" | "hanging" | { readonly failure: string };

/** Modules of the library and, until `end`, the tests that have been asked for. */
class Environment {
  readonly library: Modules;
  readonly purpose: Purpose;
  readonly #files = new Map<string, readonly Test[]>();

  constructor(purpose: Purpose) {
    this.purpose = purpose;
    this.library = new Modules(purpose);
  }

  testsOf(file: string): readonly Test[] {
    let tests = this.#files.get(file);
    if (tests === undefined) {
      const modules = new Modules(this.purpose, this.library);
      tests = collect(file, () => modules.load(resolve(file)));
      this.#files.set(file, tests);
    }
    return tests;
  }

  async run(
    { file, index }: Pick<Found, "file" | "index">,
    milliseconds = LONGEST_WAIT,
  ): Promise<Outcome> {
    let timer;
    try {
      const test = this.testsOf(file)[index];
      // A mutant can make cases of `each` fewer.
      if (test === undefined) return "passed";
      const waiting = new Promise<Outcome>((settle) => {
        timer = setTimeout(() => settle("waiting"), LONGEST_WAIT);
      });
      const call = (run: () => unknown) =>
        within(Math.ceil(LONGEST_RUN + RUN_FACTOR * milliseconds), run);
      const running = runTest(test, call).then((): Outcome => "passed");
      const outcome = await Promise.race([running, waiting]);
      return fuel[0] < 0 ? "endless" : outcome;
    } catch (error) {
      if (error instanceof HangError) return "hanging";
      return fuel[0] < 0 ? "endless" : { failure: String(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  async end(): Promise<void> {
    try {
      for (const tests of this.#files.values()) await close(tests);
    } finally {
      this.#files.clear();
      vi.restoreAllMocks();
    }
  }
}

export class HotTestRunner implements TestRunner {
  #mutated = "";
  #warm = this.#anew();
  /** Those first that are likely to notice a mutant, for what they take. */
  #found: readonly Found[] | undefined;

  init(): Promise<void> {
    // The first counterexample is enough.
    fc.configureGlobal({ endOnFailure: true });
    return Promise.resolve();
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  /** Counts what each test covers, and then runs them as mutants will, to see what they take. */
  async dryRun(): Promise<DryRunResult> {
    startCounting();
    const counting = new Environment("counting");
    const tests: { test: Test; index: number; milliseconds: number }[] = [];
    for (const file of testFiles()) {
      for (const [index, test] of counting.testsOf(file).entries()) {
        if (isLeftOut(test.id)) continue;
        const { outcome, milliseconds } = await this.#timed(counting, test.file, index);
        if (outcome !== "passed") return failed(test, outcome);
        tests.push({ test, index, milliseconds });
      }
    }
    await counting.end();
    countFor(undefined);
    tests.sort((a, b) => a.milliseconds - b.milliseconds);

    const found: Omit<Found, "workOfFile" | "covers">[] = [];
    const workOfFiles = new Map<string, number>();
    for (const { test, index } of tests) {
      const { outcome, milliseconds, work } = await this.#timed(this.#warm, test.file, index);
      if (outcome !== "passed") return failed(test, outcome);
      found.push({ id: test.id, file: test.file, index, milliseconds, work });
      workOfFiles.set(test.file, (workOfFiles.get(test.file) ?? 0) + work);
    }
    await this.#warm.end();
    const covered = new Map(tests.map(({ test }) => [test.id, coverageOf(test)]));
    const listed = found.map((test) => ({
      ...test,
      workOfFile: workOfFiles.get(test.file) ?? 0,
      covers: Object.keys(covered.get(test.id) ?? {}).length,
    }));
    const rank = ({ milliseconds, covers }: Found) => milliseconds * covers;
    writeFileSync(FOUND, JSON.stringify(listed.sort((a, b) => rank(a) - rank(b))));

    return {
      status: DryRunStatus.Complete,
      tests: found.map(({ id, file, milliseconds }) => ({
        id,
        name: id,
        fileName: resolve(file),
        timeSpentMs: milliseconds,
        status: TestStatus.Success,
      })),
      mutantCoverage: {
        static: Object.fromEntries(counting.library.loading),
        perTest: Object.fromEntries(found.map(({ id }) => [id, covered.get(id) ?? {}])),
      },
    };
  }

  mutantRun({
    activeMutant,
    mutantActivation,
    sandboxFileName,
    testFilter,
  }: MutantRunOptions): Promise<MutantRunResult> {
    if (Number(activeMutant.id) % SAMPLE !== 0) {
      const errorMessage = "is not in the sample";
      return Promise.resolve({ status: MutantRunStatus.Error, errorMessage });
    }
    this.#found ??= JSON.parse(readFileSync(FOUND, "utf8")) as Found[];
    const filter = testFilter && new Set(testFilter);
    const tests = this.#found.filter(({ id }) => filter?.has(id) ?? true);
    const file = resolve(sandboxFileName);
    if (file !== this.#mutated) {
      this.#mutated = file;
      this.#warm = this.#anew();
    }
    if (mutantActivation === "runtime") {
      return this.#run(this.#warm, tests, Number(activeMutant.id));
    }
    // Which tests see what runs while the library loads, nobody knows: the quickest see most.
    tests.sort((a, b) => a.milliseconds - b.milliseconds);
    return this.#run(this.#anew(), tests, Number(activeMutant.id));
  }

  async #run(
    environment: Environment,
    tests: readonly Found[],
    mutant: number,
  ): Promise<MutantRunResult> {
    let count = 0;
    let spent = 0;
    for (const test of tests) {
      if (count > 0 && spent + test.milliseconds > ENOUGH) continue;
      spent += test.milliseconds;
      count++;
      active[0] = mutant;
      const outcome = await attempt(environment, test);
      if (outcome === "passed") continue;
      await this.#end(environment);
      const isWarm = environment === this.#warm;
      // What waits may still go on, and what was ended was not done. Or something is left of a mutant
      // before.
      const isCut = outcome === "waiting" || outcome === "hanging";
      if (isCut || !(await this.#passes(test))) {
        this.#warm = this.#anew();
        if (!(await this.#passes(test))) throw new Error(`${test.id} fails without a mutant`);
        if (isWarm && !isCut) return this.#run(this.#warm, tests, mutant);
      }
      if (isCut || outcome === "endless") {
        return { status: MutantRunStatus.Timeout, reason: `${test.id} is ${outcome}` };
      }
      return {
        status: MutantRunStatus.Killed,
        killedBy: [test.id],
        failureMessage: outcome.failure,
        nrOfTests: count,
      };
    }
    await this.#end(environment);
    return { status: MutantRunStatus.Survived, nrOfTests: count };
  }

  /** Nothing has run in it yet. */
  #anew(): Environment {
    return new Environment({ mutated: this.#mutated });
  }

  /** Whether the test passes without a mutant. */
  async #passes(test: Found): Promise<boolean> {
    const outcome = await attempt(this.#warm, test);
    await this.#end(this.#warm);
    return outcome === "passed";
  }

  async #end(environment: Environment): Promise<void> {
    active[0] = NO_MUTANT;
    fuel[0] = MOST;
    await environment.end();
  }

  async #timed(environment: Environment, file: string, index: number) {
    fuel[0] = MOST;
    const before = process.cpuUsage();
    const outcome = await environment.run({ file, index });
    const { user, system } = process.cpuUsage(before);
    return { outcome, milliseconds: (user + system) / 1000, work: MOST - fuel[0] };
  }
}

/** Runs a test with as much work as it may take. */
function attempt(environment: Environment, test: Found): Promise<Outcome> {
  const { work, workOfFile, milliseconds } = test;
  fuel[0] = Math.min(MOST, LITTLE + FACTOR * work + FILE_FACTOR * workOfFile);
  return environment.run(test, milliseconds);
}

function testFiles(): string[] {
  const { tests } = FOLDERS[process.env.TERCET_MUTATED ?? ""] ?? { tests: /./ };
  return readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && tests.test(name))
    .map((name) => `test/${name}`)
    .filter((file) => !isLeftOut(file))
    .sort();
}

/** What the test covers, with what its suites cover. */
function coverageOf({ covered, suite }: Test): Record<string, number> {
  const all = [...suitesAround(suite).map((each) => each.covered), covered];
  return Object.fromEntries(all.flatMap((each) => [...each]));
}

function failed(test: Test, outcome: Outcome): DryRunResult {
  return { status: DryRunStatus.Error, errorMessage: `${test.id}: ${JSON.stringify(outcome)}` };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "hot", HotTestRunner)];
