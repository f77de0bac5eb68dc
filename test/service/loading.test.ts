// The library loads. The test imports it, not the file: if a test file can't be loaded, none of its
// tests fails, and mutation testing counts only failing tests.

import { expect, test } from "vitest";

test("the library loads", async () => {
  expect(await import("../../src/index.ts")).toHaveProperty("createService");
});
