// Selections: which positions of an index hold rows with some codes of other indexes, which are kept,
// and for how long.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Deadline, DeadlineError } from "../../../src/collection/algorithms/deadline.ts";
import type { RankedBits } from "../../../src/collection/algorithms/ranked-bits.ts";
import { bitsetOfCodes } from "../../../src/collection/pipeline/source.ts";
import { bitAt } from "../../../src/collection/algorithms/bitset.ts";
import type { FieldIndex } from "../../../src/collection/index/field-index.ts";
import { selectionsOf, type Selected } from "../../../src/collection/index/selections.ts";
import { IndexBudget } from "../../../src/collection/index/index-budget.ts";
import { tuning } from "../../../src/collection/tuning.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";
import { fieldIndexOf, inPieces } from "./built.ts";

/** An index of digits, of which 0 stands for null. */
const indexOf = (digits: readonly number[]) =>
  fieldIndexOf("int", digits.length, (row) => (digits[row] === 0 ? null : String(digits[row])));

const every = (step: number, rows = 1000) =>
  indexOf(Array.from({ length: rows }, (_, row) => (row * step) % 7));

const positionsIn = (index: FieldIndex, bits: RankedBits | undefined) =>
  [...index.order.keys()].filter((at) => bits?.has(at) === true);

const codes = fc
  .uniqueArray(fc.nat({ max: 7 }), { maxLength: 6 })
  .map((all) => all.sort((a, b) => a - b).slice(0, all.length - (all.length % 2)));

test("the positions are those of the rows that are in every set", () => {
  const column = (rows: number) =>
    fc.array(fc.nat({ max: 6 }), { minLength: rows, maxLength: rows });
  fc.assert(
    fc.property(
      fc
        .constantFrom(0, 1, 31, 32, 33, 600)
        .chain((rows) => fc.tuple(column(rows), column(rows), column(rows))),
      fc.tuple(codes, codes),
      ([first, second, third], sets) => {
        const index = indexOf(first);
        const selected = [indexOf(second), indexOf(third)].map((other, i) => ({
          index: other,
          set: (sets[i] ?? []).map((code) => Math.min(code, other.values.length)),
        }));
        const isIn = (row: number) =>
          selected.every(({ index, set }) => bitAt(bitsetOfCodes(index, set), row) === 1);
        const expected = [...index.order.keys()].filter((at) => isIn(index.order[at] ?? -1));
        for (const [of, among] of [
          [index, selected],
          [inPieces(index), selected.map((each) => ({ ...each, index: inPieces(each.index) }))],
        ] as const) {
          expect(positionsIn(index, selectionsOf(of).build(among, undefined))).toEqual(expected);
        }
      },
    ),
    settings(100),
  );
});

describe("a selection", () => {
  const [kind, state] = [every(3), every(5)];
  const one: Selected = [{ index: kind, set: [1, 2] }];

  test("is due when it has cost what it takes to find it", () => {
    const selections = selectionsOf(every(1));
    expect([selections.cost, selections.isDue(one), selections.due]).toEqual([8000, false, []]);
    selections.accountOf(one).spent += 4000;
    expect([selections.isDue(one), selections.due]).toEqual([false, []]);
    selections.accountOf([{ index: kind, set: [1, 2] }]).spent += 4000;
    expect([selections.isDue(one), selections.due]).toEqual([true, [one]]);
    expect([selections.known(one), selections.bytes]).toEqual([undefined, 0]);
    const bits = selections.build(one, undefined);
    expect([selections.due, selections.bytes]).toEqual([[], selections.bytesOfOne]);
    expect(selections.known([{ index: kind, set: [1, 2] }])).toBe(bits);
  });

  test("differs from one whose sets are the same in another order", () => {
    const selections = selectionsOf(every(1));
    const two: Selected = [...one, { index: state, set: [1, 2] }];
    const bits = selections.build(two, undefined);
    expect(selections.known(two.toReversed())).toBe(bits);
    for (const other of [
      one,
      two.slice(1),
      [...one, { index: every(5), set: [1, 2] }],
      [...one, { index: state, set: [1, 3] }],
      [...one, { index: state, set: [1, 2, 4, 5] }],
      // Two fields share an index.
      [...one, ...one],
      [...two, { index: state, set: [2, 3] }],
    ]) {
      expect(selections.known(other)).toBeUndefined();
      expect(selections.known([...other].reverse())).toBeUndefined();
    }
    const twice: Selected = [...one, { index: kind, set: [1, 5] }];
    selections.build([...one, ...one], undefined);
    expect(selections.known(twice)).toBeUndefined();
  });

  test("is kept with the latest eight, however many others are asked for once", () => {
    using _ = tuned({ mostSelections: 3, selectionShare: 1 });
    const selections = selectionsOf(every(1));
    const at = (code: number): Selected => [{ index: state, set: [code, code + 1] }];
    for (const code of [0, 1, 2]) selections.build(at(code), undefined);
    for (let code = 3; code < 7; code++) selections.accountOf(at(code)).spent += 9000;
    // The oldest account is gone.
    expect(selections.due).toEqual([at(6), at(5), at(4)]);
    expect([0, 1, 2, 3].map((code) => selections.known(at(code)) !== undefined)).toEqual([
      ...[true, true, true, false],
    ]);
    selections.known(at(0));
    selections.build(at(4), undefined);
    expect([0, 1, 2, 4].map((code) => selections.known(at(code)) !== undefined)).toEqual([
      ...[true, false, true, true],
    ]);
    expect(selections.bytes).toBe(3 * selections.bytesOfOne);
  });

  test("has to cost its price again if the budget has no room for it, or evicts it", () => {
    const selections = selectionsOf(every(1));
    const { spent } = Object.assign(selections.accountOf(one), { spent: 9000 });
    const tooSmall = new IndexBudget(selections.bytesOfOne - 1);
    expect(selections.build(one, undefined, tooSmall)).toBeUndefined();
    expect([spent, selections.isDue(one), selections.due]).toEqual([9000, false, []]);
    selections.accountOf(one).spent = 9000;
    expect(selections.due).toEqual([one]);
    expect(selections.build(one, undefined, new IndexBudget(selections.bytesOfOne))).toBeDefined();
    expect(selections.evictables).toHaveLength(1);
    for (const each of selections.evictables) each.evict();
    expect([selections.known(one), selections.bytes]).toEqual([undefined, 0]);
    expect([selections.isDue(one), selections.due]).toEqual([false, []]);
  });

  test("is dropped with the index of its codes", () => {
    const selections = selectionsOf(every(1));
    const other: Selected = [{ index: state, set: [1, 2] }];
    for (const each of [one, other]) selections.build(each, undefined);
    selections.dropBy(kind);
    expect([selections.known(one), selections.known(other) !== undefined]).toEqual([
      undefined,
      true,
    ]);
  });

  test("that a deadline interrupts is found bit by bit", () => {
    const selections = selectionsOf(every(1, 100_000));
    const many: Selected = [{ index: every(3, 100_000), set: [0, 7] }];
    let calls = 1;
    let bits: RankedBits | undefined;
    for (; bits === undefined && calls < 100; calls++) {
      try {
        bits = selections.build(many, new Deadline(-1));
      } catch (error) {
        expect(error).toBeInstanceOf(DeadlineError);
        expect(selections.known(many)).toBeUndefined();
      }
    }
    expect(calls).toBeGreaterThan(10);
    expect(bits?.rank(100_000)).toBe(100_000);
  });
});

test("a million rows take 8.5 bits each for all that an index keeps", () => {
  const selections = selectionsOf(every(1, 1_000_000));
  const bits = (8 * tuning.mostSelections * selections.bytesOfOne) / 1_000_000;
  expect(bits).toBeCloseTo(8.5, 1);
});
