// How laws compare records, and describe differences.

import * as fc from "fast-check";
import type { Members } from "./members.ts";

/** A record of a result. */
export interface Found {
  /** Equal for the same record in different results, different for two records in one result. */
  readonly key: string;
  readonly list: string;
  readonly record: Members;
}

export type FoundList = readonly Found[];

/** The records in both lists. */
export function inBoth(a: FoundList, b: FoundList): FoundList {
  const keys = keysOf(b);
  return a.filter(({ key }) => keys.has(key));
}

/** The records in either list, in the order of all. */
export function inEither(all: FoundList, a: FoundList, b: FoundList): FoundList {
  const keys = keysOf([...a, ...b]);
  return all.filter(({ key }) => keys.has(key));
}

/** All records but the selected ones. */
export function complement(all: FoundList, selected: FoundList): FoundList {
  const keys = keysOf(selected);
  return all.filter(({ key }) => !keys.has(key));
}

export function keysOf(found: FoundList): Set<string> {
  return new Set(found.map(({ key }) => key));
}

/** Throws unless both contain the same records in the same order. */
export function expectSame(what: string, actual: FoundList, expected: FoundList): void {
  const differs = difference(actual, expected);
  if (differs === undefined) return;
  const [found, wanted] = [listed(actual), listed(expected)];
  const text = found === wanted ? differs : `expected ${wanted}, found ${found}`;
  throw new Error(`${what}: ${text}`);
}

/** The first difference between two lists of records; `undefined` if they are equal. */
export function difference(actual: FoundList, expected: FoundList): string | undefined {
  const longest = Math.max(actual.length, expected.length);
  for (let i = 0; i < longest; i++) {
    const [found, wanted] = [actual[i], expected[i]];
    if (found?.key !== wanted?.key) return differenceOf(found, wanted);
  }
  return undefined;
}

function differenceOf(found: Found | undefined, wanted: Found | undefined): string {
  if (wanted === undefined || found === undefined) {
    return `there are ${wanted === undefined ? "more" : "fewer"} records`;
  }
  const record = `record ${idOf(wanted)}`;
  if (found.list !== wanted.list) {
    return `${record}: expected it in List ${wanted.list}, found it in ${found.list}`;
  }
  for (const name of Object.keys({ ...wanted.record, ...found.record })) {
    const [a, b] = [wanted, found].map(({ record: of }) =>
      Object.hasOwn(of, name) ? fc.stringify(of[name]) : "no such field",
    );
    if (a !== b) return `${record}: ${name}: expected ${a}, found ${b}`;
  }
  return `${record}: its fields stand in another order, or it is there another time`;
}

/** Throws if two adjacent records of one List are in the wrong order. */
export function expectNeighbours(
  what: string,
  list: FoundList,
  isLegal: (a: Found, b: Found) => boolean,
): void {
  for (const [i, b] of list.entries()) {
    const a = list[i - 1];
    if (a?.list !== b.list) continue;
    expect(isLegal(a, b), () => `${what}: ${listed([a, b])} of ${listed(list)}`);
  }
}

/** Throws unless the condition holds. */
export function expect(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new Error(message());
}

/**
 * Lists records by their identity: the id of a File, the send id of a Contact, otherwise the JSON.
 */
export function listed(found: FoundList): string {
  return `[${found.map(idOf).join(", ")}]`;
}

function idOf({ record }: Found): string {
  const id = record.id ?? record.send_id;
  return typeof id === "string" || typeof id === "number" ? String(id) : fc.stringify(record);
}
