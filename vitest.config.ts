import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Tests that start processes, servers or browsers, or that take seconds: `npm run test:all` runs them, too. */
const SYSTEM = [
  "test/check/python.test.ts",
  "test/{cli,data,demo,documents,package,progress,rpc,synthetic}.test.ts",
  "test/arrow/{deltas,trigrams}.test.ts",
  "test/database/react.test.ts",
  "test/worker/{products,frameworks,shared}.test.ts",
  "test/{differential,engines,playground}/**/*.test.ts",
  "test/engine/{agreement,heap,paths}.test.ts",
  "test/import/{columns,command}.test.ts",
  "test/sql/{collection,copy,readme,service}.test.ts",
  "test/store/{browser,command,damage,data-files,descriptors,kill,laws,others,power,repair}.test.ts",
  "test/testing/{collections,databases,laws,subjects}.test.ts",
  "test/types/{api,declarations,editor}.test.ts",
  "test/updates/model.test.ts",
  "test/check/{protocol,vectors}.test.ts",
];

/**
 * Tests that take minutes of a processor for what changes rarely: input of any size, altered files, how often generators
 * give what, the runner of mutation tests, and those that say so below. `npm run test:all` runs them, CI does not.
 */
const LONG = [
  "test/{large,arrow/fuzz,testing/arbitraries}.test.ts",
  "test/mutation/**/*.test.ts",
  // What the vectors in data/ reveal: CI compares the vectors themselves by a hash.
  "test/check/revealed.test.ts",
  // The page for every reader, hostile tables, and tours through each of its parts: a quarter of CI's processor time,
  // nearly all of it in Chromium. CI opens each format, and asks, changes and compares in page, data, changes, keyboard
  // and many.
  "test/playground/{answers,hostile,readers,table,truth,types}.test.ts",
  // Servers that fail, hang, are clustered or use TLS, and every type of column: of drivers and servers, whose versions
  // are fixed. CI compares the answers of each engine in test/differential and test/sql/{collection,copy,readme}.
  "test/sql/{check-driver,check-table,column-types,coordinator,deadlines,faults,tls,writers}.test.ts",
  "test/engines/servers.test.ts",
];

/** Tests that measure the heap: what other files leave there would be measured with it. */
const HEAP = ["test/updates/memory.test.ts"];

/** What holds of any collection, whatever its thresholds are: these run with the smallest, too. */
const PROPERTIES = [
  "test/reference.test.ts",
  "test/engine/{agreement,counting,equal-criteria,get,shared-indexes,storage,summary}.test.ts",
  "test/engine/units/rows-builder.test.ts",
  "test/updates/{batches,collection,edges,equal,reads,watch}.test.ts",
  "test/database/{database,live,maintained,watch}.test.ts",
];

/** How long what hangs is waited for: on a busy machine, what doesn't takes many times as long as alone. */
const PATIENCE = 300_000;

const common = {
  testTimeout: PATIENCE,
  hookTimeout: PATIENCE,
  setupFiles: ["test/bytes.ts", "test/still-clock.ts"],
};

/** Property tests make much garbage: with more room for new objects, a tenth of the time is saved. */
const execArgv = ["--max-semi-space-size=64"];

export default defineConfig({
  test: {
    // By default one core less: of two cores that is one test file after the other.
    maxWorkers: "100%",
    globalSetup: "test/temporary.ts",
    // Services write to the console what goes wrong inside them, by default.
    silent: "passed-only",
    // Transformed modules are kept on disk: workers, projects and runs share them.
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: join(tmpdir(), `tercet-modules-${process.getuid?.() ?? 0}`),
    },
    projects: [
      // Without isolation, modules are loaded once for all files: no test of these changes what others see.
      {
        test: {
          ...common,
          execArgv,
          name: "core",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...SYSTEM, ...LONG, ...HEAP],
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          execArgv,
          name: "system",
          include: SYSTEM,
          exclude: ["**/node_modules/**", ...LONG],
          isolate: false,
        },
      },
      { test: { ...common, execArgv, name: "long", include: LONG, isolate: false } },
      { test: { ...common, name: "heap", include: HEAP } },
      {
        test: {
          ...common,
          execArgv,
          name: "small",
          include: PROPERTIES,
          setupFiles: ["test/bytes.ts", "test/still-clock.ts", "test/smallest.ts"],
          isolate: false,
        },
      },
    ],
  },
});
