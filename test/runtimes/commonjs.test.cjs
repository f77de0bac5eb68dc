// The installed package as CommonJS. `run.ts` has Jest run it, which can't `require` a module.

"use strict";

const { expect, test } = require("@jest/globals");
const fc = require("fast-check");
const tercet = require("tercet");
const { checkService, criteria } = require("tercet/testing");

const Person = tercet.defineSchema({ id: tercet.int({ unique: true }), name: tercet.string() });

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

test("a service keeps the laws", () => {
  expect(checkService(tercet.createService, { numRuns: 5, seed: 1 }).passed).toBe(true);
});
