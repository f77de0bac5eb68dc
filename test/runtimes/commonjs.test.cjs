// The installed package as CommonJS. `run.ts` has Jest run it, which can't `require` a module: in its environment of
// Node.js, and in that of pages, jsdom, which lacks some globals.

"use strict";

const { expect, test } = require("@jest/globals");
const fc = require("fast-check");
const tercet = require("tercet");
const { openCollection, saveCollection } = require("tercet/arrow");
const { faults } = require("tercet/faults");
const { loadCollection, readNdjson } = require("tercet/import");
const { compileSql } = require("tercet/sql");
const { createStore } = require("tercet/store");
const { generateFiles } = require("tercet/synthetic");
const { checkService, criteria } = require("tercet/testing");

const Person = tercet.defineSchema({
  id: tercet.int({ unique: true }),
  name: tercet.string({ ignoreCase: true }),
});

test("collections", () => {
  const people = tercet.createCollection(Person, [{ id: 1, name: "Ada" }]);
  const changed = people.insert({ id: 2, name: "Bo" }).update(null, (draft) => {
    draft.name += "!";
  });
  expect(changed.query({ criteria: [["name", "exactly", "Bo!"]] })).toEqual([
    { id: 2, name: "Bo!" },
  ]);
  expect(() => people.query({ criteria: [["age", "exactly", 1]] })).toThrow(tercet.CriteriaError);
  fc.assert(fc.property(criteria(Person), (drawn) => people.count(drawn) >= 0));
});

test("indexes, databases and files", () => {
  const people = loadCollection(
    Person,
    readNdjson('{"id":1,"name":"Zoë"}\n{"id":2,"name":"Bo"}', { schema: Person }),
  );
  people.prepare({ sort: ["name"], contains: ["name"] });
  const db = tercet.createDatabase({ people });
  const counts = [];
  db.watch("people", { count: [["name", "contains", "OË"]] }, (count) => counts.push(count));
  db.update((draft) => {
    draft.people = draft.people.remove([["id", "exactly", 1]]);
  });
  expect(counts).toEqual([1, 0]);
  expect([...openCollection(saveCollection(people), { schema: Person })]).toEqual([...people]);
  expect(compileSql(Person, {}, { dialect: "sqlite", table: "people" }).parameters).toEqual([]);
  expect(typeof createStore).toBe("function");
});

test("a service keeps the laws", async () => {
  const { passed } = await checkService(tercet.createService, { numRuns: 5, seed: 1 });
  expect(passed).toBe(true);
  const service = tercet.createService({ files: generateFiles({ count: 5, seed: 1 }) });
  expect(service.searchFiles()).toHaveLength(5);
  const { dispatchJson } = faults(service, { rate: 1, kinds: ["error"] });
  expect(JSON.parse(await dispatchJson('{"id":1}')).error.code).toBe(100);
});
