// The library loads. It is imported in the test and not above it: a test file that can't be loaded
// has no tests that fail, and mutation testing counts those only.

import { expect, test } from "vitest";

test("the library loads", async () => {
  expect(await import("../../src/index.ts")).toHaveProperty("createService");
});
