// The tests of a mutation run, for Stryker: those that can see a mutant. A mutant's run ends at the
// first test that fails, so the quick and exact tests come first.
//
// The selection stands here and not in Stryker's `testFiles`: with that, 9.6.1 activates a mutant of
// code that runs when a module loads only after it has run, and reports it as a survivor.

import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const tests = [
  "test/rules/",
  "test/criteria/",
  "test/service/",
  "test/engine/units/",
  "test/updates/",
  "test/hostile",
  "test/reference",
  "test/engine/",
];

const rank = ({ moduleId }: TestSpecification): number =>
  tests.findIndex((start) => moduleId.includes(start));

class QuickestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => rank(a) - rank(b)));
  }
}

export default defineConfig({
  test: {
    include: tests.map((start) => `${start}*.test.ts`),
    // The first takes a minute on mutated code and asks what `agreement` asks; the second looks at
    // memory, not at answers.
    exclude: [
      ...configDefaults.exclude,
      "test/engine/paths.test.ts",
      "test/updates/memory.test.ts",
    ],
    sequence: { sequencer: QuickestFirst },
    // Files share their modules: loading them takes longer than the tests. Each mutant has its own.
    isolate: false,
    // Code that counts what each test covers is slow; how long a mutant may take, Stryker says.
    testTimeout: 600_000,
  },
});
