// Ranks and members of a set, compared with a walk over each position.

import fc from "fast-check";
import { expect, test } from "vitest";
import { addRows, createBitset } from "../../../src/collection/algorithms/bitset.ts";
import { RankedBits } from "../../../src/collection/algorithms/ranked-bits.ts";
import { settings } from "../../property.ts";

/** Around the ends of words and of blocks. */
const sizes = fc.oneof(
  fc.nat({ max: 70 }),
  fc.constantFrom(511, 512, 513, 1024, 1025, 1536),
  fc.nat({ max: 3000 }),
);

/** None, all, every so many, any, or a few in one place. */
const sets = sizes.chain((size) =>
  fc
    .oneof(
      fc.constantFrom<(at: number) => boolean>(
        () => false,
        () => true,
      ),
      fc.integer({ min: 2, max: 700 }).map((step) => (at: number) => at % step === 1),
      fc.tuple(fc.nat({ max: size }), fc.nat({ max: 40 })).map(
        ([from, length]) =>
          (at: number) =>
            at >= from && at < from + length,
      ),
      fc.array(fc.boolean(), { minLength: size, maxLength: size }).map((all) => {
        return (at: number) => all[at] === true;
      }),
    )
    .map((isIn) => ({ size, members: [...Array(size).keys()].filter(isIn) })),
);

function ranked(size: number, members: readonly number[]): RankedBits {
  const bits = createBitset(size);
  addRows(bits, members);
  return new RankedBits(bits);
}

test("a rank counts the members before a position, and the member of a rank has that rank", () => {
  fc.assert(
    fc.property(sets, ({ size, members }) => {
      const set = ranked(size, members);
      let rank = 0;
      for (let at = 0; at <= size; at++) {
        expect(set.rank(at)).toBe(rank);
        if (at === size) break;
        expect(set.has(at)).toBe(members[rank] === at);
        if (members[rank] === at) rank++;
      }
      expect(members.map((_, k) => set.select(k))).toEqual(members);
    }),
    settings(100),
  );
});

test("the members next to a position are found on either side, within a stretch", () => {
  fc.assert(
    fc.property(sets, fc.nat(), ({ size, members }, far) => {
      const set = ranked(size, members);
      let before = -1;
      let rank = 0;
      for (let at = 0; at <= size; at++) {
        const end = at + (far % (size - at + 1));
        const next = members[rank] ?? end;
        expect([set.previous(at), set.next(at, end)]).toEqual([before, Math.min(next, end)]);
        if (members[rank] !== at) continue;
        before = at;
        rank++;
      }
    }),
    settings(100),
  );
});

test.each([0, 1, 31, 32, 33, 511, 512, 513, 5000])(
  "%d positions take the bytes foretold",
  (size) => {
    expect(ranked(size, []).bytes).toBe(RankedBits.bytesFor(size));
  },
);

test("a million positions take 1.07 bits each", () => {
  expect(RankedBits.bytesFor(1_000_000)).toBe(132_820);
});
