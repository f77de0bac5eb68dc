// How the rows of two segments become one segment.

import fc from "fast-check";
import { expect, test } from "vitest";
import { interleave, pick } from "../../../src/collection/algorithms/interleave.ts";
import { settings } from "../../property.ts";

/** Rows of two parts by their keys, each alive or dead. */
const rows = fc
  .uniqueArray(fc.record({ key: fc.nat(), isFirst: fc.boolean(), isDead: fc.boolean() }), {
    selector: ({ key }) => key,
    maxLength: 300,
    size: "max",
  })
  .map((all) => all.sort((a, b) => a.key - b.key));

/** Also all rows of one part behind all of the other, as inserted rows are, with and without dead ones. */
const appended = fc
  .record({ all: rows, first: fc.nat(300), isAlive: fc.boolean() })
  .map(({ all, first, isAlive }) =>
    all.map((row, i) => ({ ...row, isFirst: i < first, isDead: row.isDead && !isAlive })),
  );

test("the live rows of two parts are in the order of their keys", () => {
  fc.assert(
    fc.property(fc.oneof(rows, appended), (all) => {
      const [first, second] = [true, false].map((side) =>
        all.filter((row) => row.isFirst === side),
      );
      const parts = [first ?? [], second ?? []] as const;
      const [a, b] = parts.map((part) => ({
        size: part.length,
        live: part.filter(({ isDead }) => !isDead).length,
        dead: { has: (row: number) => part[row]?.isDead === true },
        keyOf: (row: number) => part[row]?.key ?? NaN,
      }));
      if (a === undefined || b === undefined) throw new Error("there are two parts");
      const origins = interleave(a, b);
      expect(pick(origins, parts[0], parts[1])).toEqual(all.filter(({ isDead }) => !isDead));
    }),
    settings(200),
  );
});
