// Rows that a search for a text found are kept: asking again gives the same answer as asking first, on
// each of the collections that changes make, the old ones included.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCollection, defineSchema, int, string } from "../../src/index.ts";
import { settings } from "../property.ts";

const Note = defineSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  tag: string({ default: "" }),
});

const TEXTS = ["abc", "xabc", "abcabc", "ab", "", "bc", "𝒜bc", "c", null, "cab"];
const NEEDLES = ["abc", "bc", "c", "", "𝒜", "none", "cab", "ab", "x", "a"];

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
  limit: fc.constantFrom(0, 1, 3, 40, 5000, undefined),
  offset: fc.constantFrom(0, 1, 10, 200, 5000),
});
const change = fc.record({
  kind: fc.constantFrom("remove" as const, "alter" as const, "insert" as const, "compact" as const),
  of: fc.nat(8),
  id: fc.nat(150),
});

describe("a search that is asked again", () => {
  test("answers what a filter by hand does, on each collection that changes made", () => {
    const steps = fc.array(fc.oneof({ weight: 4, arbitrary: search }, change), {
      minLength: 2,
      maxLength: 30,
    });
    fc.assert(
      fc.property(steps, fc.boolean(), (all, isPrepared) => {
        const first = createCollection(Note, notes(150));
        if (isPrepared) first.prepare({ match: ["text"], contains: ["tag"] });
        const made = [first];
        let id = 1000;
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
            expect(items.query(query)).toEqual(expected);
            expect(items.query(query)).toEqual(expected);
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
      settings(200),
    );
  });

  test("answers from an old collection what a later one no longer has", () => {
    const before = createCollection(Note, notes(200));
    const after = before.remove([["text", "exactly", "abc"]]);
    const page = { criteria: [["text", "contains", "abc"]] as const, limit: 10 };
    expect(after.query(page).map(({ text }) => text)).not.toContain("abc");
    expect(before.query(page)).toEqual(
      [...before].filter(({ text }) => text?.includes("abc")).slice(0, 10),
    );
  });

  test("tests no value again: no index is charged for it", () => {
    const items = createCollection(Note, notes(5000));
    const page = { criteria: [["text", "contains", "abc"]] as const, limit: 100, offset: 900 };
    for (let i = 0; i < 1000; i++) items.query(page);
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
