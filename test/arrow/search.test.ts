// Finding a string in the dictionary of a file by its bytes gives the same code as binary search.

import fc from "fast-check";
import { expect, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { openWith } from "../../src/arrow/read/open.ts";
import { finish } from "../../src/engine/algorithms/steps.ts";
import { createCollection, string } from "../../src/index.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { NASTY_TEXTS } from "./fixtures.ts";
import { wireSchema } from "../wire-schema.ts";
import { buildingIndex } from "../../src/engine/indexes/memory-index.ts";

const Row = wireSchema({ text: string({ nullable: true }) });
const text = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS),
  fc.string({ unit: fc.constantFrom("a", "b", "é", "\uffff", "\u{1f600}"), maxLength: 5 }),
  // Longer than what is encoded without an array of its own.
  fc.constantFrom("x".repeat(400), "x".repeat(401), `${"x".repeat(400)}é`),
);

test("a text is found by its bytes, and so is the place of one that is not there", () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(text), { maxLength: 60 }),
      fc.array(text, { minLength: 1, maxLength: 10 }),
      fc.constantFrom(undefined, 0, -1),
      fc.nat({ max: 60 }),
      fc.constantFrom(0, 4096),
      (texts, others, small, from, fewToSearch) => {
        const rows = createCollection(
          Row,
          texts.map((each) => ({ text: each })),
        );
        const { codec, options } = rows.state;
        using _ = tuned({ ...(small === undefined ? {} : { smallSection: small }), fewToSearch });
        const opened = openWith(saveCollection(rows), { codec, settings: options });
        const columns = opened.state.snapshot.segments[0].rows;
        const inFile = columns.indexOf("text");
        if (inFile === undefined) throw new Error("there are no columns");
        const read = (row: number) => texts[row] ?? null;
        const inMemory = finish(buildingIndex("string", texts.length, read));
        const start = Math.min(1 + from, inMemory.values.length);
        // Twice: those that were found are remembered.
        for (const each of [...texts, ...others, ...texts, ...others]) {
          expect(inFile.codeOf(each)).toBe(inMemory.codeOf(each));
          if (each === null) continue;
          expect(inFile.firstCodeOf(each, start)).toBe(inMemory.firstCodeOf(each, start));
        }
      },
    ),
    settings(200),
  );
});

test("a text is not mistaken for the last one that was found with the same first and last characters", () => {
  using _ = tuned({ fewToSearch: 0 });
  // The bytes of the first are the characters of the second.
  const texts = ["", "aa", "aaaaaaaa", "aaabaaaa", "aaaaaaaé", "aaaaaaaÃ©"];
  const rows = createCollection(
    Row,
    texts.map((each) => ({ text: each })),
  );
  const opened = openCollection(saveCollection(rows), { schema: Row });
  const find = (each: string) =>
    opened.query({ criteria: [["text", "exactly", each]] }).map(({ text }) => text);
  for (const each of [...texts, ...texts.toReversed()]) {
    expect(find(each)).toEqual([each]);
    expect(find(`${each}b`)).toEqual([]);
  }
});
