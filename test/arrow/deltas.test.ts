// Whether each delta of a dictionary copies what came before. It runs in a process of its own, because
// counting the elements of arrays slows down spreading arrays in V8 from then on.

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
