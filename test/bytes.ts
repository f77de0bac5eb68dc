// Compares bytes in one step: Vitest compares them one by one, which takes seconds for a file of a few megabytes. If
// they differ, the tester returns `undefined`, and Vitest shows how.

import { expect } from "vitest";

/** This file is run before each test file, but testers are those of the whole worker. */
const ADDED = Symbol.for("tercet: testers were added");

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

if (Reflect.get(globalThis, ADDED) !== true) {
  Reflect.set(globalThis, ADDED, true);
  expect.addEqualityTesters([
    (a, b) => (isBytes(a) && isBytes(b) && Buffer.compare(a, b) === 0 ? true : undefined),
  ]);
}
