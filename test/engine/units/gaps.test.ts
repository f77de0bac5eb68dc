// Arithmetic over positions with gaps, compared with a walk over each position.

import fc from "fast-check";
import { expect, test } from "vitest";
import { bisect } from "../../../src/collection/algorithms/bisect.ts";
import {
  filledIn,
  mergeGaps,
  NO_GAPS,
  passFilled,
  withoutGaps,
  type Gaps,
} from "../../../src/collection/algorithms/gaps.ts";
import { settings } from "../../property.ts";

const ascending = (positions: Iterable<number>): Gaps =>
  Uint32Array.from(new Set(positions)).sort();

const positions = fc.nat({ max: 24 });
/** Few gaps or many: half of the positions on average. */
const someGaps = fc.subarray([...Array(24).keys()]).map(ascending);

test("gaps before a position, and filled positions of a stretch, are counted", () => {
  fc.assert(
    fc.property(someGaps, positions, positions, (gaps, from, length) => {
      const to = from + length;
      expect(bisect(gaps, from)).toBe(gaps.filter((gap) => gap < from).length);
      const inside = gaps.filter((gap) => gap >= from && gap < to).length;
      expect(filledIn(gaps, from, to)).toBe(length - inside);
    }),
    settings(300),
  );
});

test("passing filled positions ends where the next filled one is", () => {
  fc.assert(
    fc.property(someGaps, positions, positions, (gaps, from, count) => {
      let position = from;
      for (let left = count; left > 0 || gaps.includes(position); position++) {
        if (!gaps.includes(position)) left--;
      }
      expect(passFilled(gaps, from, count)).toBe(position);
    }),
    settings(300),
  );
});

test("without gaps every position is filled", () => {
  expect(NO_GAPS).toHaveLength(0);
  expect(filledIn(NO_GAPS, 3, 10)).toBe(7);
  expect(passFilled(NO_GAPS, 3, 10)).toBe(13);
});

test("gaps without some of them are the others, in an array of their own", () => {
  fc.assert(
    fc.property(someGaps, someGaps, (gaps, others) => {
      const less = gaps.filter((gap) => others.includes(gap));
      const before = Array.from(gaps);
      expect(withoutGaps(gaps, less)).toEqual(gaps.filter((gap) => !others.includes(gap)));
      expect(Array.from(gaps)).toEqual(before);
    }),
    settings(300),
  );
});

test("merged gaps are those of both, ascending, in an array of their own", () => {
  fc.assert(
    fc.property(someGaps, someGaps, (gaps, others) => {
      const more = others.filter((gap) => !gaps.includes(gap));
      const before = [Array.from(gaps), Array.from(more)];
      expect(mergeGaps(gaps, more)).toEqual(ascending([...gaps, ...more]));
      expect([Array.from(gaps), Array.from(more)]).toEqual(before);
    }),
    settings(300),
  );
});
