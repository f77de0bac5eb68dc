// A few rows inserted among others.

import fc from "fast-check";
import { expect, test } from "vitest";
import { spliceByKeys, spliced } from "../../../src/engine/algorithms/splice.ts";
import { settings } from "../../property.ts";

/** Keys of two parts; those of the first may go. */
const keys = fc
  .uniqueArray(fc.record({ key: fc.nat(200), isFirst: fc.boolean(), isGone: fc.boolean() }), {
    selector: ({ key }) => key,
    maxLength: 60,
  })
  .map((all) => all.sort((a, b) => a.key - b.key));

test("what stays and what comes is in the order of keys", () => {
  fc.assert(
    fc.property(keys, (all) => {
      const own = all.filter(({ isFirst }) => isFirst);
      const others = all.filter(({ isFirst }) => !isFirst);
      const gone = Uint32Array.from(own.flatMap(({ isGone }, i) => (isGone ? [i] : [])));
      const keysOf = (rows: typeof all) => rows.map(({ key }) => key);
      const splice = spliceByKeys(keysOf(own), gone, keysOf(others));
      const before = [...own];
      const left = all.filter(({ isFirst, isGone }) => !isFirst || !isGone);
      expect(splice.keys).toEqual(keysOf(left));
      expect(spliced(splice, own, others)).toEqual(left);
      expect(own).toEqual(before);
    }),
    settings(100),
  );
});

test("a key may come again where it goes", () => {
  const splice = spliceByKeys([2, 5, 9], Uint32Array.of(1), [5, 10]);
  expect(spliced(splice, ["two", "five", "nine"], ["new five", "ten"])).toEqual([
    "two",
    "new five",
    "nine",
    "ten",
  ]);
});
