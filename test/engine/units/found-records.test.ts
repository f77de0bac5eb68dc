// What a snapshot keeps of records found by a unique field, and when it stops keeping any.

import { expect, test } from "vitest";
import { FoundRecords } from "../../../src/collection/cache/found-records.ts";
import { tuned } from "../../tuned.ts";

const record = (id: number) => Object.freeze({ id, name: `n${id}` });

test("returns a record by its own value of the field that was asked last", () => {
  const found = new FoundRecords();
  const one = record(1);
  expect(found.get("id", 1)).toBeUndefined();
  found.keep("id", one);
  expect(found.get("id", 1)).toBe(one);
  expect(found.get("id", "1")).toBeUndefined();
  expect(found.get("name", 1)).toBeUndefined();
  found.keep("name", one);
  expect(found.get("name", "n1")).toBe(one);
  expect(found.get("id", 1)).toBeUndefined();
});

test("a field that the record does not carry is not one of its prototype's", () => {
  const found = new FoundRecords();
  found.keep("constructor", record(1));
  expect(found.get("constructor", Object)).toBeUndefined();
  expect(found.get("constructor", undefined)).toBeUndefined();
});

test("begins anew when there are many, and stops if they were not asked for again", () => {
  using _ = tuned({ mostFound: 2 });
  const found = new FoundRecords();
  for (const id of [1, 2]) {
    found.keep("id", record(id));
    found.get("id", id);
  }
  found.keep("id", record(3));
  expect([1, 2, 3].map((id) => found.get("id", id)?.id)).toEqual([undefined, undefined, 3]);
  found.keep("name", record(4));
  found.keep("id", record(5));
  expect([3, 4, 5].map((id) => found.get("id", id))).toEqual([undefined, undefined, undefined]);
  found.keep("id", record(6));
  expect(found.get("id", 6)).toBeUndefined();
});
