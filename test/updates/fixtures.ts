// Shared by the tests of updates: a few people, and a check that a change is refused.

import { expect } from "vitest";
import type { Versioned } from "../../src/engine/changes/delta.ts";
import { patchesOf, type Patches } from "../../src/engine/changes/patch.ts";
import { Transition } from "../../src/engine/changes/transition.ts";
import {
  Contact,
  createCollection,
  createService,
  InputError,
  int,
  string,
  type Collection,
  type CollectionOptions,
  type ContactCriteria,
  type Criteria,
  type Service,
} from "../../src/index.ts";
import { wireSchema } from "../wire-schema.ts";

export const Person = wireSchema({
  id: int({ unique: true }),
  name: string(),
  status: string({ oneOf: ["active", "left"], default: "active" }),
  age: int({ nullable: true }),
  note: string({ nullable: true, stored: false }),
});

export type People = Collection<typeof Person>;

/** The patches between two versions, found by comparing all records. */
export function comparedPatches(before: Versioned, after: Versioned): Patches {
  return patchesOf(new Transition(before, after).delta, before.codec, after.codec);
}

/** People 1 to 5, at the keys 0 to 4. */
export function makePeople(): People {
  return createCollection(Person, [
    { id: 1, name: "Ada", age: 36, note: "first" },
    { id: 2, name: "Bob", age: null },
    { id: 3, name: "Cyd", age: 20, note: "third" },
    { id: 4, name: "Dee", age: 20 },
    { id: 5, name: "Eve", age: 51, status: "left" },
  ]);
}

/** People 0 to `count` − 1: more than the predicate judges one by one. */
export function manyPeople(count: number, options?: CollectionOptions): People {
  return createCollection(
    Person,
    Array.from({ length: count }, (_, id) => ({ id, name: `p${id % 100}`, age: id % 90 })),
    options,
  );
}

/** Criteria that may name List Fields, which the type of the collection does not know. */
export const withListFields = (criteria: ContactCriteria) => criteria as Criteria<typeof Contact>;

export const idsOf = (records: Iterable<{ readonly id: string }>): number[] =>
  Array.from(records, ({ id }) => Number(id));

/** A Batch of two Lists that share one List Field, and one File. */
export function makeService(onInternalError?: (thrown: unknown) => void): Service {
  return createService({
    onInternalError,
    files: [{ id: 1, folder_id: 7, name: "a.txt", size: 10 }],
    batches: [
      {
        id: 1234,
        lists: [
          {
            id: 20,
            fields: ["Email", "First Name"],
            contacts: [
              { ...contact(1), fields: { Email: "a@x", "First Name": "Ada" } },
              { ...contact(2), fields: { Email: "b@x", "First Name": "Bob" } },
            ],
          },
          {
            id: 10,
            fields: { Email: "string", Age: "int" },
            contacts: [{ ...contact(3), fields: { Email: "c@x", Age: 30 } }],
          },
          { id: 30, contacts: [] },
        ],
      },
      { id: 5, lists: [{ id: 20, contacts: [contact(9)] }] },
    ],
  });
}

export const contact = (id: number) => ({
  send_id: id,
  contact_id: 100 + id,
  contact_email: `${id}@example.com`,
});

/** What a function throws; it fails where it throws nothing. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("it threw nothing");
}

/** Expects an InputError with exactly this path and reason. */
export function expectRefused(run: () => unknown, path: string, reason: string): void {
  const error = thrownBy(run);
  expect(error).toBeInstanceOf(InputError);
  expect(error).toMatchObject({ path, reason, message: `${path}: ${reason}` });
}
