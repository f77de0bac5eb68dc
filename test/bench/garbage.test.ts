// How much of a stretch of time V8 spent on garbage collection.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { GarbagePauses, coveredBy } from "../../bench/garbage.ts";

test("what others cover of a stretch", () => {
  const whole = { start: 10, end: 20 };
  expect(coveredBy(whole, [])).toBe(0);
  expect(
    coveredBy(whole, [
      { start: 1, end: 10 },
      { start: 5, end: 12 },
      { start: 13, end: 14 },
      { start: 19, end: 30 },
      { start: 20, end: 25 },
    ]),
  ).toBe(4);
  expect(coveredBy(whole, [{ start: 0, end: 100 }])).toBe(10);
});

test("a collection is noted with its time", async () => {
  setFlagsFromString("--expose-gc");
  const pauses = new GarbagePauses();
  const start = performance.now();
  runInNewContext("gc()");
  const whole = { start, end: performance.now() };
  const covered = coveredBy(whole, await pauses.finish());
  expect(covered).toBeGreaterThan(0);
  expect(covered).toBeLessThanOrEqual(whole.end - whole.start);
});
