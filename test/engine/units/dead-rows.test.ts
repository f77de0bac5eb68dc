// Sets of dead rows: persistent, and known in every order of the rows.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { addRow, createBitset } from "../../../src/collection/algorithms/bitset.ts";
import { RankedBits } from "../../../src/collection/algorithms/ranked-bits.ts";
import { NO_GAPS } from "../../../src/collection/algorithms/gaps.ts";
import { DeadRows } from "../../../src/collection/snapshot/dead-rows.ts";
import { settings } from "../../property.ts";
import { ascending } from "./ascending.ts";
import { lazily } from "../../lazily.ts";
import { fieldIndexOf } from "./built.ts";

/** More than two blocks of chunks. */
const SIZE = 70_000;
/** Rows of 7 values, none of them null. */
const index = lazily(() => fieldIndexOf("int", SIZE, (row) => String((row * 13) % 7)));

/** Every third position in its order. */
const third = lazily(() => {
  const bits = createBitset(SIZE);
  for (let at = 1; at < SIZE; at += 3) addRow(bits, at);
  return new RankedBits(bits);
});

/** Rows in several steps, no row twice: some steps of few rows, some of many. */
const rows = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: SIZE - 1 }));
const someSteps = fc
  .array(fc.oneof(fc.array(rows, { maxLength: 5 }), fc.array(rows, { maxLength: 150 })), {
    maxLength: 5,
  })
  .map((steps) => {
    const seen = new Set<number>();
    return steps.map((step) =>
      step.filter((row) => {
        const isNew = !seen.has(row);
        seen.add(row);
        return isNew;
      }),
    );
  });

test("a set has the rows of all steps, and the sets before it stay as they were", () => {
  fc.assert(
    fc.property(someSteps, fc.boolean(), (steps, askEarly) => {
      const sets = [DeadRows.NONE];
      for (const step of steps) {
        const last = sets.at(-1) ?? DeadRows.NONE;
        // What is known of an order is carried over to the next set.
        if (askEarly) last.gaps(index());
        if (askEarly) last.gaps(index(), third());
        sets.push(last.with(Uint32Array.from(step)));
      }
      for (const [i, dead] of sets.entries()) {
        const expected = ascending(steps.slice(0, i).flat());
        expect(dead.count).toBe(expected.length);
        expect(Array.from(dead.difference(DeadRows.NONE))).toEqual(expected);
        expect(
          Array.from({ length: SIZE + 100 }, (_, row) => row).filter((row) => dead.has(row)),
        ).toEqual(expected);
        expect(Array.from(dead.gaps(undefined))).toEqual(expected);
        const places = expected.map((row) => index().order.indexOf(row));
        expect(Array.from(dead.gaps(index()))).toEqual(places.sort((a, b) => a - b));
        const ranks = places.filter((place) => place % 3 === 1).map((place) => (place - 1) / 3);
        expect(Array.from(dead.gaps(index(), third()))).toEqual(ranks);
      }
    }),
    settings(60),
  );
});

test("what one set has and another has not", () => {
  fc.assert(
    fc.property(fc.array(rows), fc.array(rows), (some, others) => {
      const of = (given: number[]) => DeadRows.NONE.with(Uint32Array.from(new Set(given)));
      const [a, b] = [of(some), of(others)];
      expect(Array.from(a.difference(b))).toEqual(
        ascending(some.filter((row) => !others.includes(row))),
      );
      const both = a.with(b.difference(a));
      expect(Array.from(both.difference(a))).toEqual(
        ascending(others.filter((row) => !some.includes(row))),
      );
      expect(Array.from(a.difference(both))).toEqual([]);
    }),
    settings(200),
  );
});

describe("what it takes", () => {
  const setOf = (...given: number[]) => DeadRows.NONE.with(Uint32Array.from(given));
  const first = (count: number) => Array.from({ length: count }, (_, i) => 3 * i);

  test("to know where rows stand is to look up those that are new since the last set that asked", () => {
    const order = fieldIndexOf("int", 1000, (row) => String(row % 7));
    const positionOf = vi.spyOn(order, "positionOf");
    const lookedUp = (dead: DeadRows) => {
      positionOf.mockClear();
      dead.gaps(order);
      return positionOf.mock.calls.length;
    };
    const dead = setOf(...first(100));
    expect([lookedUp(dead), lookedUp(dead)]).toEqual([100, 0]);
    expect(dead.gaps(order)).toBe(dead.gaps(order));
    const more = dead.with(Uint32Array.of(1, 2, 4));
    expect([lookedUp(more), lookedUp(dead)]).toEqual([3, 3]);
    // A set of another segment has nothing to do with it.
    expect(lookedUp(setOf(5, 7))).toBe(2);
    expect([lookedUp(DeadRows.NONE), DeadRows.NONE.gaps(order)]).toEqual([0, NO_GAPS]);
    expect(DeadRows.NONE.gaps(order)).toBe(NO_GAPS);
  });

  test("counting live rows looks at each of a few, at the gaps of more, and at neither for all", () => {
    const order = fieldIndexOf("int", 1000, (row) => String(row % 7));
    const dead = setOf(...first(100));
    const isLive = (row: number) => row >= 300 || row % 3 !== 0;
    // Their positions are known.
    dead.gaps(order);
    for (const { from, to, rows, gaps } of [
      { from: 0, to: 1000, rows: 0, gaps: 0 },
      { from: 0, to: 64, rows: 64, gaps: 0 },
      { from: 500, to: 510, rows: 10, gaps: 0 },
      { from: 0, to: 65, rows: 0, gaps: 1 },
      { from: 300, to: 900, rows: 0, gaps: 1 },
      { from: 300, to: 700, rows: 0, gaps: 1 },
      { from: 7, to: 7, rows: 0, gaps: 0 },
    ]) {
      const has = vi.spyOn(dead, "has");
      const asked = vi.spyOn(dead, "gaps");
      const live = Array.from(order.order.subarray(from, to)).filter(isLive).length;
      expect(dead.liveIn(order, from, to)).toBe(live);
      expect([has.mock.calls.length, asked.mock.calls.length]).toEqual([rows, gaps]);
      has.mockRestore();
      asked.mockRestore();
    }
    const none = setOf();
    const asked = vi.spyOn(none, "gaps");
    expect([none.liveIn(order, 100, 600), asked.mock.calls.length]).toEqual([500, 0]);
  });

  test("positions are found when looking at each row has taken longer than finding them", () => {
    const order = fieldIndexOf("int", 1000, (row) => String(row % 7));
    const isAsked = (dead: DeadRows) => {
      const asked = vi.spyOn(dead, "gaps");
      const live = Array.from(order.order.subarray(0, 300)).filter((row) => !dead.has(row));
      expect(dead.liveIn(order, 0, 300)).toBe(live.length);
      const calls = asked.mock.calls.length;
      asked.mockRestore();
      return calls > 0;
    };
    // A hundred positions take as long as eight hundred rows.
    const dead = setOf(...first(100));
    expect([isAsked(dead), isAsked(dead), isAsked(dead)]).toEqual([false, false, true]);
    // One position takes as long as eight rows.
    expect(isAsked(dead.with(Uint32Array.of(1)))).toBe(true);
    // The positions of a set are known to a set that was made before it.
    expect(isAsked(dead)).toBe(true);
  });
});
