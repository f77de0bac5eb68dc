import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    // By default one core less: of two cores that is one test file after the other.
    maxWorkers: "100%",
  },
});
