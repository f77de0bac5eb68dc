// How laws compare what was found, and say what differs.

import type { Found } from "./subject.ts";

export type FoundList = readonly Found[];

/** Those of the one that the other has too. */
export function inBoth(a: FoundList, b: FoundList): FoundList {
  const keys = keysOf(b);
  return a.filter(({ key }) => keys.has(key));
}

export function keysOf(found: FoundList): Set<string> {
  return new Set(found.map(({ key }) => key));
}

/** Throws unless both are the same records in the same order. */
export function expectSame(what: string, actual: FoundList, expected: FoundList): void {
  const isSame =
    actual.length === expected.length && actual.every(({ key }, i) => key === expected[i]?.key);
  if (!isSame) {
    throw new Error(`${what}: expected ${listed(expected)}, found ${listed(actual)}`);
  }
}

/** Throws unless the condition holds. */
export function expect(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new Error(message());
}

/** Records by what tells them apart: the id of a File, the send id of a Contact. */
export function listed(found: FoundList): string {
  return `[${found.map(({ record }) => String(record.id ?? record.send_id)).join(", ")}]`;
}
