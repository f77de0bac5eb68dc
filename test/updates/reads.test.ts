// How many values a page of a changed collection reads: few, wherever the page is. Merging by bisection rather than row
// by row achieves this; the results would be the same.

import { expect, test } from "vitest";
import { createCollection, int, string } from "../../src/index.ts";
import { schemaOf } from "../../src/schema/schema.ts";
import { wireSchema } from "../wire-schema.ts";

const SIZE = 40_000;
const CHANGED = 1000;

let reads = 0;
const plain = wireSchema({ id: int(), age: int(), name: string() });
const Person = schemaOf(plain.fields, {
  form: "wire",
  create: ([id = null, age = null, name = null]) => ({
    id,
    get age() {
      reads++;
      return age;
    },
    name,
  }),
});

const offsets = [0, 10, 1000, SIZE / 2, SIZE - CHANGED, SIZE - 10];

test.each(offsets)("a page at %d reads a few values of those that changed", (offset) => {
  const records = Array.from({ length: SIZE }, (_, id) => ({
    id,
    age: (id * 7919) % SIZE,
    name: "as it was",
  }));
  const changed = [...Array(CHANGED).keys()].map((i) => i * 37);
  const people = createCollection(Person, records)
    .prepare({ sort: ["age"], match: ["id"] })
    .update([["id", "in", changed]], (draft) => void (draft.name = "changed"));
  expect(people.explain().delta).toMatchObject({ changedRows: CHANGED, segments: 1 });

  for (const sortOrder of ["ASC", "DESC"] as const) {
    const page = () => people.query({ sortBy: "age", sortOrder, offset, limit: 10 });
    const ages = page().map(({ age }) => Number(age));
    const first = sortOrder === "ASC" ? offset : SIZE - 1 - offset;
    const step = sortOrder === "ASC" ? 1 : -1;
    expect(ages).toEqual([...Array(10).keys()].map((i) => first + step * i));
    // The second page builds the index of what changed.
    page();
    reads = 0;
    page();
    expect(reads).toBeLessThan(64);
  }
});
