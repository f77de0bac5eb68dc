// The rows that a text search found are kept: repeating it gives the same answer, on each of a series
// of changed collections, including the old ones.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCollection, defineSchema, int, string, type Collection } from "../../src/index.ts";
import { settings } from "../property.ts";
import { tuned, usual } from "../tuned.ts";

const Note = defineSchema(
  {
    id: int({ unique: true }),
    text: string({ nullable: true }),
    tag: string({ default: "" }),
  },
  { form: "wire" },
);

const TEXTS = ["abc", "xabc", "abcabc", "ab", "", "bc", "𝒜bc", "c", null, "cab"];
const NEEDLES = ["abc", "bc", "", "𝒜", "none", "ab"];

const noteAt = (id: number) => ({
  id,
  text: TEXTS[(id * 7) % TEXTS.length] ?? null,
  tag: TEXTS[(id * 3) % TEXTS.length] ?? "",
});
const notes = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => noteAt(from + i));

const search = fc.record({
  kind: fc.constant("search" as const),
  /** Which of the collections so far. */
  of: fc.nat(8),
  field: fc.constantFrom("text" as const, "tag" as const),
  operator: fc.constantFrom("contains" as const, "ends_with" as const),
  needle: fc.constantFrom(...NEEDLES),
  limit: fc.constantFrom(0, 1, 3, 5, 8, 40, 5000, undefined),
  offset: fc.constantFrom(0, 0, 0, 1, 10, 200, 5000),
});
const change = fc.record({
  kind: fc.constantFrom(
    "remove" as const,
    "alter" as const,
    "insert" as const,
    "compact" as const,
    "others" as const,
  ),
  of: fc.nat(8),
  id: fc.nat(150),
});

describe("a search that is asked again", () => {
  test("answers what a filter by hand does, on each collection that changes made", () => {
    const steps = fc.array(fc.oneof({ weight: 8, arbitrary: search }, change), {
      minLength: 2,
      maxLength: 40,
      size: "max",
    });
    fc.assert(
      fc.property(steps, fc.boolean(), (all, isPrepared) => {
        // Without an index: with one, hardly anything is kept.
        const first = createCollection(Note, notes(150), { indexes: "deferred" });
        if (isPrepared) first.prepare({ match: ["text"], contains: ["tag"] });
        const made = [first];
        let id = 1000;
        let other = 0;
        for (const step of all) {
          const items = made[step.of % made.length] ?? first;
          if (step.kind === "search") {
            const { field, operator, needle, limit, offset } = step;
            const expected = [...items]
              .filter(({ [field]: value }) =>
                operator === "contains" ? value?.includes(needle) : value?.endsWith(needle),
              )
              .slice(offset, limit === undefined ? undefined : offset + limit);
            const query = { criteria: [[field, operator, needle]] as const, limit, offset };
            // The first time it is noted, the second time rows are kept, the third time they are handed out.
            for (let i = 0; i < 3; i++) expect(items.query(query)).toEqual(expected);
          } else if (step.kind === "others") {
            // More than are kept, none of them asked for before.
            for (let i = 0; i < 260; i++) {
              const others = {
                criteria: [["text", "contains", `b${other++}`]] as const,
                limit: 40,
              };
              expect(items.query(others)).toEqual([]);
            }
          } else if (step.kind === "remove") made.push(items.remove([["id", "exactly", step.id]]));
          else if (step.kind === "compact") made.push(items.compact());
          else if (step.kind === "insert") made.push(items.insert(notes(5, (id += 5))));
          else {
            const alter = (draft: { text: string | null }) =>
              void (draft.text = `${draft.text ?? ""}abc`);
            made.push(items.update([["id", "exactly", step.id]], alter));
          }
        }
      }),
      settings(80),
    );
  });

  test("is distinguished from others of the same letters by its operator, its text and its field", () => {
    const Row = defineSchema(
      {
        id: int({ unique: true }),
        b: string(),
        ab: string(),
        " 2 ab": string(),
        "2024": string(),
        constructor: string(),
      },
      { form: "wire" },
    );
    const fields = ["b", "ab", " 2 ab", "2024", "constructor"] as const;
    const texts = ["", "a", "ab", "b", "xa", "x", "1 x", " ", "2 ab", "2024", "𝒜", "__proto__"];
    // Of each pair of field and operator other rows have a text.
    const items = createCollection(
      Row,
      Array.from({ length: 130 }, (_, id) => {
        const at = (i: number) =>
          `${texts[(id * (i + 1)) % 12] ?? ""}${texts[(id + 5 * i) % 11] ?? ""}`;
        return { id, b: at(0), ab: at(1), " 2 ab": at(2), "2024": at(3), constructor: at(4) };
      }),
    );
    const searches = fields.flatMap((field) =>
      texts.flatMap((text) => [
        { field, operator: "contains" as const, text },
        { field, operator: "ends_with" as const, text },
      ]),
    );
    for (const order of [searches, [...searches].reverse(), searches]) {
      for (const { field, operator, text } of order) {
        const expected = [...items].filter(({ [field]: value }) =>
          operator === "contains" ? value.includes(text) : value.endsWith(text),
        );
        const query = { criteria: [[field, operator, text]] as const, limit: 200 };
        for (let i = 0; i < 2; i++) expect(items.query(query)).toEqual(expected);
      }
    }
  });

  test("answers as when it was new, whatever was forgotten since", () => {
    const items = createCollection(
      Note,
      Array.from({ length: 2000 }, (_, id) => ({ id, text: `${id * 7919}`, tag: "" })),
    );
    const all = [...items];
    // More texts than are kept; a few of them have many rows.
    const texts = Array.from({ length: 500 }, (_, i) => String(i));
    for (const limit of [2000, 3]) {
      const expected = texts.map((text) =>
        all.filter((note) => note.text?.includes(text)).slice(0, limit),
      );
      for (let round = 0; round < 2; round++) {
        texts.forEach((text, i) => {
          const query = { criteria: [["text", "contains", text]] as const, limit };
          for (let j = 0; j < 3; j++) expect(items.query(query)).toEqual(expected[i]);
        });
      }
    }
  });

  test("answers from an old collection what a later one no longer has, and the other way round", () => {
    const page = { criteria: [["text", "contains", "abc"]] as const, limit: 10 };
    const check = (items: Collection<typeof Note>) => {
      const expected = [...items].filter(({ text }) => text?.includes("abc")).slice(0, 10);
      for (let i = 0; i < 3; i++) expect(items.query(page)).toEqual(expected);
    };
    for (const order of ["before", "after"] as const) {
      const before = createCollection(Note, notes(200));
      const after = before.remove([["text", "exactly", "abc"]]);
      for (const items of order === "before" ? [before, after] : [after, before]) check(items);
    }
  });

  test("of more rows than are kept answers with all", () => {
    const items = createCollection(Note, notes(6000));
    const expected = [...items].filter(({ text }) => text?.includes("c"));
    expect(expected.length).toBeGreaterThan(4096);
    for (const limit of [4096, 4097, undefined]) {
      const query = { criteria: [["text", "contains", "c"]] as const, limit };
      for (let i = 0; i < 3; i++) {
        expect(items.query(query)).toEqual(expected.slice(0, limit));
        expect(items.query({ ...query, offset: 4090 })).toEqual(
          expected.slice(4090, limit === undefined ? undefined : 4090 + limit),
        );
      }
    }
  });

  test("is not taken for one that is sorted, or that has other criteria beside it", () => {
    const items = createCollection(Note, notes(300));
    const all = [...items];
    const one = ["text", "contains", "abc"] as const;
    const other = ["tag", "contains", "b"] as const;
    const isOne = ({ text }: { text: string | null }) => text?.includes("abc") === true;
    const isOther = ({ tag }: { tag: string }) => tag.includes("b");
    const limit = 20;
    for (let i = 0; i < 3; i++) {
      expect(items.query({ criteria: [one], limit })).toEqual(all.filter(isOne).slice(0, limit));
      expect(items.query({ criteria: [one], limit, sortBy: "id" })).toEqual(
        all.filter(isOne).reverse().slice(0, limit),
      );
      expect(items.query({ criteria: [one, other], limit })).toEqual(
        all.filter((note) => isOne(note) && isOther(note)).slice(0, limit),
      );
      expect(items.query({ criteria: [one, "OR", other], limit })).toEqual(
        all.filter((note) => isOne(note) || isOther(note)).slice(0, limit),
      );
    }
  });

  test("tests no value again: no index is charged for it", () => {
    using _ = tuned(usual);
    const items = createCollection(Note, notes(5000));
    const page = { criteria: [["text", "contains", "abc"]] as const, limit: 100, offset: 900 };
    const all = { criteria: [["text", "contains", "none"]] as const, limit: 100 };
    for (let i = 0; i < 1000; i++) for (const query of [page, all]) items.query(query);
    expect(items.indexes()).toEqual([]);
    // Other texts are tested for, and come to what an index costs.
    for (let i = 0; i < 1000; i++) {
      items.query({ criteria: [["text", "contains", `abc${i}`]], limit: 100 });
    }
    expect(items.indexes()).not.toEqual([]);
  });

  test("gives an array of its own each time", () => {
    const items = createCollection(Note, notes(200));
    const page = { criteria: [["text", "contains", "abc"]] as const, limit: 10 };
    const expected = [...items.query(page)];
    items.query(page).length = 0;
    expect(items.query(page)).toEqual(expected);
  });
});
