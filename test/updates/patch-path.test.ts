// The grammar of patches: whatever is written reads back the same, in memory, in a store and in SQL.

import { expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import {
  pathToBatch,
  pathToContacts,
  pathToLists,
  targetOf,
} from "../../src/service/patch-path.ts";
import { applyPatchesSql } from "../../src/sql/index.ts";
import { untyped } from "../rules/fixtures.ts";

const targetAt = (op: "add" | "remove" | "replace", path: readonly unknown[]) =>
  targetOf({
    ...{ place: "patches[0]", op, path, by: "identity" },
    ...{ value: undefined, before: undefined, key: undefined },
  });

test("a path that is written leads where it is read to lead", () => {
  expect(targetAt("add", ["files", 3])).toEqual({ kind: "file", within: [3] });
  expect(targetAt("remove", pathToBatch("9"))).toEqual({ kind: "batch", batch: "9" });
  expect(targetAt("replace", pathToLists("9"))).toEqual({ kind: "lists", batch: "9" });
  const target = { kind: "contact", batch: "9", within: [3, "fields", "Age"] };
  expect(targetAt("replace", [...pathToContacts("9"), 3, "fields", "Age"])).toEqual(target);
});

const NOWHERE =
  "does not point to a File, to a Batch, to its Lists or to its Contacts, or to a field of these";

test.each<[path: readonly unknown[], reason: string]>([
  [[], 'must start with "files" or "batches"'],
  [["batches"], NOWHERE],
  [["batches", "x"], NOWHERE],
  [["batches", 1, "list"], NOWHERE],
  [["batches", 1, undefined], NOWHERE],
  [["batches", 1, "lists", 0], NOWHERE],
])("the path %j is refused in the same words in memory and by SQL", (path, reason) => {
  const patches = untyped([{ op: "replace", path, value: [] }]);
  const service = createService({ batches: [{ id: 1, lists: [] }] });
  const change = { patches, inversePatches: [] };
  const message = `patches[0].path: ${reason}`;
  expect(() => service.applyPatches(patches)).toThrow(message);
  expect(() => [...applyPatchesSql(change, { dialect: "sqlite" })]).toThrow(message);
});

test("Lists are replaced as a whole, and neither added nor removed", () => {
  expect(() => targetAt("add", pathToLists("9"))).toThrow("does not point to");
  expect(() => targetAt("remove", pathToLists("9"))).toThrow("does not point to");
});
