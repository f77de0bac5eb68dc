// An index of a field of other records that follows their changes is the same as one that is made anew.

import fc from "fast-check";
import { expect, test } from "vitest";
import { finish } from "../../../src/engine/algorithms/steps.ts";
import { buildingIndex, indexOfCodes, recoded } from "../../../src/engine/indexes/memory-index.ts";
import { ComposedIndex } from "../../../src/engine/relations/composed-index.ts";
import type { FieldIndex } from "../../../src/engine/indexes/field-index.ts";
import { settings } from "../../property.ts";
import { smallest, tuned } from "../../tuned.ts";
import { inPieces } from "./built.ts";

const VALUES = [null, "", "a", "b", "\u{1f600}"];
const code = fc.nat({ max: VALUES.length - 1 });

const arraysOf = (index: FieldIndex) => ({
  codes: [...index.codes],
  order: [...index.order],
  starts: [...index.starts],
});

const moves = (rows: number) =>
  fc.array(fc.tuple(fc.nat({ max: rows - 1 }), code), { maxLength: 4 }).map((all) => new Map(all));

test("an index with other codes is that of these codes", () => {
  const cases = fc
    .array(code, { minLength: 1, maxLength: 20 })
    .chain((codes) => fc.tuple(fc.constant(codes), moves(codes.length), fc.boolean()));
  fc.assert(
    fc.property(cases, ([codes, moved, hasOrder]) => {
      const index = indexOfCodes("string", VALUES, Uint8Array.from(codes));
      const before = hasOrder ? arraysOf(index) : undefined;
      const after = codes.map((each, row) => moved.get(row) ?? each);
      const found = recoded(index, moved);
      expect(found.hasOrder).toBe(hasOrder);
      expect(arraysOf(found)).toEqual(
        arraysOf(indexOfCodes("string", VALUES, Uint8Array.from(after))),
      );
      if (before !== undefined) expect(arraysOf(index)).toEqual(before);
    }),
    settings(300),
  );
});

/** What is read of an index before the other records change. */
const READS: readonly ((index: ComposedIndex) => unknown)[] = [
  ({ codes }) => codes,
  ({ starts }) => starts,
  ({ order }) => order,
  (index) => index.rows > 0 && index.codesAt(Uint32Array.of(0), 1),
  (index) => index.rowsOf(1, 3),
  (index) => index.rows > 0 && index.rowAt(0),
];

test("an index that follows changes of other records is that of the changed records", () => {
  const cases = fc
    .record({
      references: fc.array(fc.option(fc.nat({ max: 6 })), { maxLength: 30 }),
      ofKeys: fc.array(code, { minLength: 7, maxLength: 7 }),
      isInPieces: fc.boolean(),
      isSmall: fc.boolean(),
      steps: fc.array(
        fc.record({ moved: moves(7), reads: fc.subarray([...READS]), isOldRead: fc.boolean() }),
        { minLength: 1, maxLength: 5 },
      ),
    })
    .map((each) => ({ ...each, ofKeys: [...each.ofKeys] }));
  fc.assert(
    fc.property(cases, ({ references: of, ofKeys, isInPieces, isSmall, steps }) => {
      using _ = tuned(isSmall ? smallest : {});
      const values = of.map((key) => (key === null ? null : String(key)));
      const built = finish(buildingIndex("int", of.length, (row) => values[row] ?? null));
      const references = isInPieces ? inPieces(built) : built;
      // The keys that are referred to: a code for each, after that of null.
      const codeOf = [...Array(references.values.length).keys()].map((reference) =>
        reference === 0 ? 0 : (ofKeys[Number(references.values.at(reference))] ?? 0),
      );
      let index = new ComposedIndex(
        references,
        indexOfCodes("string", VALUES, Uint8Array.from(codeOf)),
      );
      for (const { moved, reads, isOldRead } of steps) {
        for (const read of reads) read(index);
        const ofReferences = new Map(
          [...moved].filter(([reference]) => reference > 0 && reference < codeOf.length),
        );
        const old = index;
        const before = [...codeOf];
        index = index.following(ofReferences);
        for (const [reference, each] of ofReferences) codeOf[reference] = each;
        const anew = (codes: readonly number[]) =>
          arraysOf(
            new ComposedIndex(references, indexOfCodes("string", VALUES, Uint8Array.from(codes))),
          );
        if (isOldRead) expect(arraysOf(old)).toEqual(anew(before));
        expect([...index.rowsOf(1, 4)].sort((a, b) => a - b)).toEqual(
          [...references.codes.keys()].filter((row) => {
            const own = codeOf[references.codeAt(row)] ?? 0;
            return own >= 1 && own < 4;
          }),
        );
        if (reads.length % 2 === 0) expect(arraysOf(index)).toEqual(anew(codeOf));
      }
    }),
    settings(300),
  );
});
