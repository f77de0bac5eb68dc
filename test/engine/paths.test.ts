// Every plan agrees with the predicate, on a fixed seed: the access paths that run are then the same
// each time, and none is missing.

import fc from "fast-check";
import { expect, test } from "vitest";
import { accessPaths, filterPaths, orderPaths } from "../../src/collection/plan/paths.ts";
import { everyPlanAgrees, pathsThatRan } from "./every-plan.ts";

test("every plan of the queries of a fixed seed gives the predicate's answer", () => {
  fc.assert(everyPlanAgrees, { numRuns: 600, seed: 20261121 });
}, 600_000);

test("every access path ran for them", () => {
  const all = Object.entries({ source: accessPaths, filter: filterPaths, order: orderPaths });
  const paths = all.flatMap(([kind, rows]) => Object.keys(rows).map((path) => `${kind} ${path}`));
  expect([...pathsThatRan].sort()).toEqual(paths.sort());
});
