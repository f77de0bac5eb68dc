// Whether what came before is copied for each delta of a dictionary. In a process of its own: to count the
// elements of arrays makes V8 spread arrays slowly from then on.

import { expect, test } from "vitest";
import { openCollection } from "../../src/arrow/index.ts";
import { emptyDeltas } from "./foreign-file.ts";
import { counting } from "./work.ts";

test("values are put together once, however many deltas follow them", () => {
  const bytes = emptyDeltas();
  const { result, work } = counting(() => openCollection(bytes).size, true);
  expect(result).toBe(3);
  expect(work).toBeLessThan(10 * bytes.length);
});
