// Every plan agrees with the predicate, on a fixed seed: the access paths that run are then the same
// each time, and none is missing.

import fc from "fast-check";
import { expect, test } from "vitest";
import { everyPlanAgrees, pathsThatRan } from "./every-plan.ts";

test("every plan of the queries of a fixed seed gives the predicate's answer", () => {
  fc.assert(everyPlanAgrees, { numRuns: 200, seed: 20261121 });
}, 600_000);

test("every access path that the planner has ran for them", () => {
  expect([...pathsThatRan].sort()).toEqual([
    "filter codes",
    "filter live",
    "filter predicate",
    "filter test",
    "filter trigrams",
    "filter union",
    "order digests",
    "order select",
    "order sort",
    "order source",
    "source bitmap-scan",
    "source index-lookup",
    "source index-scan",
    "source nothing",
    "source scan",
    "source selected-scan",
    "source trigrams",
    "source union",
  ]);
});
