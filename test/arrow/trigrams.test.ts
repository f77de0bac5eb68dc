// The substring index in a file gives the same results as a newly built one, survives changes, and damage to it is
// detected.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FileError, openCollection, saveCollection } from "../../src/arrow/index.ts";
import { openWith } from "../../src/arrow/read/open.ts";
import { arePostingsOf } from "../../src/arrow/read/file-postings.ts";
import { addRow, createBitset } from "../../src/engine/algorithms/bitset.ts";
import { finish } from "../../src/engine/algorithms/steps.ts";
import { NO_ROWS } from "../../src/engine/indexes/postings.ts";
import { TrigramIndex } from "../../src/engine/indexes/trigram-index.ts";
import { createCollection, int, string } from "../../src/index.ts";
import { NASTY_TEXTS } from "./fixtures.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { inFile } from "./postings.ts";
import { directoryOf, sealed } from "./sealed.ts";
import { wireSchema } from "../wire-schema.ts";

const Person = wireSchema({ id: int({ unique: true }), email: string({ nullable: true }) });
const ROWS = 6000;
const people = createCollection(
  Person,
  Array.from({ length: ROWS }, (_, id) => ({
    id,
    email:
      id % 11 === 0 ? null : `${NASTY_TEXTS[id % 20] ?? ""}p${(id * 7919) % ROWS}@mail.example`,
  })),
  { indexes: "none" },
).prepare({ contains: ["email"] });
const saved = saveCollection(people);

const TEXTS = [
  "p17",
  "mail",
  "@mail.example",
  "null",
  "\u{1f600}",
  "zzz",
  "abcp1",
  "99@",
  "p5999@mail",
];

type People = typeof people;
const open = (bytes: Uint8Array, smallSection?: number): People => {
  using _ = tuned(smallSection === undefined ? {} : { smallSection });
  return openWith(bytes, { ...people.state, settings: people.state.options });
};

const emailsWith = (collection: People, text: string) =>
  collection.query({ criteria: [["email", "contains", text]] }).map(({ id }) => id);

function expectSameAnswers(a: People, b: People): void {
  for (const text of TEXTS) expect(emailsWith(a, text)).toEqual(emailsWith(b, text));
}

test("an opened collection has the index of substrings that was saved, and answers by it", () => {
  for (const small of [undefined, 0]) {
    const opened = open(saved, small);
    expect(opened.indexes()).toEqual([]);
    const plan = opened.explain({ criteria: [["email", "contains", "p17"]] });
    expect(JSON.stringify(plan)).toContain('"trigrams"');
    expectSameAnswers(opened, people);
    expect(opened.indexes().map(({ kind }) => kind)).toContain("trigram");
  }
});

test("it is left out where that is asked for, and where nobody used one", () => {
  const without = saveCollection(people, { trigrams: "none" });
  expect(without.length).toBeLessThan(saved.length - 2 ** 20);
  expect(saveCollection(open(without)).length).toBe(without.length);
  expect(saveCollection(open(saved), { trigrams: "none" }).length).toBe(without.length);
  const plan = open(without).explain({ criteria: [["email", "contains", "p17"]] });
  expect(JSON.stringify(plan)).not.toContain('"trigrams"');
  // @ts-expect-error there is no such word
  expect(() => saveCollection(people, { trigrams: "all" })).toThrow("options.trigrams");
});

test("a collection saved again has it for its present rows", () => {
  expect(Buffer.compare(saveCollection(open(saved)), saved)).toBe(0);
  const change = (collection: People) =>
    collection
      .remove([["id", "less_than", 700]])
      .update([["id", "greater_than", 5900]], (draft) => {
        draft.email = `changed${draft.id}@other.example`;
      })
      .insert([{ id: -5, email: "p17 anew" }]);
  const changed = change(open(saved));
  const again = open(saveCollection(changed));
  const plan = again.explain({ criteria: [["email", "contains", "p17"]] });
  expect(JSON.stringify(plan)).toContain('"trigrams"');
  expectSameAnswers(again, change(people));
  expect(emailsWith(again, "changed59")).toHaveLength(99);
  openCollection(saveCollection(changed), { verify: true });
});

test("whatever the values are, reading gives what was written", () => {
  const value = fc.option(
    fc.oneof(
      fc.constantFrom(...NASTY_TEXTS.slice(0, 20)),
      fc.string({ unit: fc.constantFrom("a", "b", "é", "\u{1f600}"), maxLength: 9 }),
    ),
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 200 }), (values) => {
      const { all } = finish(TrigramIndex.building(values.length, (row) => values[row] ?? null));
      const codes = Uint32Array.from(values.keys());
      expect(arePostingsOf(inFile(all), codes, all)).toBe(true);
    }),
    settings(15),
  );
});

test("the rows of a trigram are read once, and again when many others were asked for since", () => {
  const rows = 1_000_000;
  const bits = createBitset(rows);
  for (let row = 0; row < rows / 2; row++) addRow(bits, row);
  const [all, none] = [{ count: rows / 2, bits }, NO_ROWS];
  const read = inFile({ rows, bytes: 0, posting: (trigram) => (trigram < 100 ? all : none) });
  const first = read.posting(0);
  for (let trigram = 1; trigram < 60; trigram++) {
    expect(read.posting(0)).toBe(first);
    read.posting(trigram);
  }
  const second = read.posting(1);
  for (let trigram = 2; trigram < 100; trigram++) read.posting(trigram);
  expect(read.posting(1)).not.toBe(second);
  expect(read.posting(1)).toEqual(second);
  expect(read.bytes).toBeLessThan(100 * 125_000 + 2 ** 20 + 9 * 2 ** 20);
  // What has no rows takes no place.
  let others = 0;
  for (let trigram = 100; trigram < 200_000; trigram++) {
    if (read.posting(trigram) !== NO_ROWS) others++;
  }
  expect(others).toBe(0);
  expect(read.posting(99)).toBe(read.posting(99));
});

/** The file with other bytes in its postings, and checksums that fit. */
function crafted(change: (starts: Uint8Array, postings: Uint8Array) => void): Uint8Array {
  const bytes = saved.slice();
  const directory = directoryOf(bytes);
  const { trigrams, postings } = directory.columns.find(({ name }) => name === "email") ?? {};
  if (trigrams === undefined || postings === undefined) throw new Error("there are no trigrams");
  const part = (range: typeof trigrams) =>
    bytes.subarray(range.offset, range.offset + range.length);
  change(part(trigrams), part(postings));
  return sealed(bytes, directory);
}

test("one that was changed, with checksums that fit, is refused where it is used or verified", () => {
  expectSameAnswers(open(crafted(() => undefined)), people);
  const expected = new Map(TEXTS.map((text) => [text, new Set(emailsWith(people, text))]));
  const unchanged = crafted(() => undefined);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 400 }),
      fc.boolean(),
      fc.constantFrom(undefined, 0),
      (changes, inStarts, small) => {
        const bytes = crafted((starts, postings) => {
          const part = inStarts ? starts : postings;
          for (const [at, byte] of changes) part[at % part.length] = byte;
        });
        const isSame = Buffer.compare(bytes, unchanged) === 0;
        if (!isSame) expect(() => openCollection(bytes, { verify: true })).toThrow(FileError);
        const opened = open(bytes, small);
        for (const text of TEXTS) {
          try {
            // What is found has the text, whatever the index says.
            const others = emailsWith(opened, text).filter((id) => !expected.get(text)?.has(id));
            expect(others).toEqual([]);
          } catch (error) {
            if (!(error instanceof FileError)) throw error;
          }
        }
      },
    ),
    settings(20),
  );
});
