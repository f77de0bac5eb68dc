// Every plan of any query agrees with the predicate.

import fc from "fast-check";
import { test } from "vitest";
import { settings } from "../property.ts";
import { everyPlanAgrees } from "./every-plan.ts";

test("every plan of a query gives the predicate's answer, in order", () => {
  fc.assert(everyPlanAgrees, settings(120));
}, 600_000);
