// Sets of dead rows: persistent, and known in every order of the rows.

import fc from "fast-check";
import { expect, test } from "vitest";
import { DeadRows } from "../../../src/collection/snapshot/dead-rows.ts";
import { settings } from "../../property.ts";
import { ascending } from "./ascending.ts";
import { lazily } from "../../lazily.ts";
import { fieldIndexOf } from "./built.ts";

/** More than two blocks of chunks. */
const SIZE = 70_000;
/** Rows of 7 values, none of them null. */
const index = lazily(() => fieldIndexOf("int", SIZE, (row) => String((row * 13) % 7)));

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
