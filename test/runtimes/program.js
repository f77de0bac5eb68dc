// A small program over each entry of the installed package. `run.ts` runs it in each runtime.

import assert from "node:assert/strict";
import console from "node:console";
import { createRequire } from "node:module";
import process from "node:process";
import { createCollection, createService, CriteriaError, defineSchema, int, string } from "tercet";
import { generateBatch, generateFiles } from "tercet/synthetic";
import { checkService } from "tercet/testing";

const Person = defineSchema({ id: int({ unique: true }), name: string() });
const people = createCollection(Person, [
  { id: 1, name: "Ada" },
  { id: 2, name: "Bo" },
]);
const { collection, inversePatches } = people.withPatches((all) =>
  all.update([["name", "exactly", "Bo"]], (draft) => {
    draft.name = "Eva";
  }),
);
const found = collection.query({ criteria: [["name", "contains", "v"]] });
assert.deepEqual(found, [{ id: 2, name: "Eva" }]);
assert.deepEqual([...collection.applyPatches(inversePatches)], [...people]);
assert.throws(() => people.query({ criteria: [["age", "exactly", 1]] }), CriteriaError);

const service = createService({
  files: generateFiles({ count: 1000, seed: 1 }),
  batches: [generateBatch({ count: 1000, seed: 1 })],
});
assert.equal(service.searchFiles(null, 10, 990).length, 10);
// The laws themselves are checked by the tests; here, that they run.
assert.ok((await checkService(createService, { numRuns: 3, seed: 1 })).passed);

const required = createRequire(import.meta.url)("tercet");
assert.equal(required.createCollection(required.Contact, []).size, 0);
// Before, `require` can't load modules, and gets the copy that is CommonJS.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  assert.equal(required.createCollection, createCollection);
}
console.log(process.versions.bun ? `bun ${process.versions.bun}` : `Node.js ${process.version}`);
