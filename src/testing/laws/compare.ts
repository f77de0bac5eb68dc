// How laws compare what was found, and say what differs.

import fc from "fast-check";
import type { Found } from "./table.ts";

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
  if (isSame) return;
  const [found, wanted] = [listed(actual), listed(expected)];
  if (found !== wanted) throw new Error(`${what}: expected ${wanted}, found ${found}`);
  throw new Error(`${what}: ${difference(actual, expected)}`);
}

/** The first field that differs in two lists of records that should be the same. */
export function difference(actual: FoundList, expected: FoundList): string {
  const at = actual.findIndex(({ key }, i) => key !== expected[i]?.key);
  const [found, wanted] = [actual[at], expected[at]];
  if (found === undefined || wanted === undefined) return "the records differ";
  if (found.list !== wanted.list) {
    return `${idOf(wanted)}: expected it in List ${wanted.list}, found it in ${found.list}`;
  }
  for (const name of Object.keys({ ...wanted.record, ...found.record })) {
    const [a, b] = [wanted.record[name], found.record[name]].map((value) => fc.stringify(value));
    if (a !== b) return `${idOf(wanted)}: ${name}: expected ${a}, found ${b}`;
  }
  return `${idOf(wanted)}: its fields stand in another order, or it is there another time`;
}

/** Throws unless the condition holds. */
export function expect(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new Error(message());
}

/** Records by what tells them apart: the id of a File, the send id of a Contact. */
export function listed(found: FoundList): string {
  return `[${found.map(idOf).join(", ")}]`;
}

const idOf = ({ record }: Found): string => String(record.id ?? record.send_id);
