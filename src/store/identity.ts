// What ties the files of a store together. A store has a random identity, and each generation another random number:
// both are in store.json and in the first entry of each log. So no log of another store is taken for its own, and none
// of a copy that was changed separately. Data name the files of collections, with their checksums.

import { isCount, isMembers } from "../schema/input.ts";
import { orUndefined } from "../schema/errors.ts";
import { StoreError } from "./errors.ts";
import type { Entry, Log } from "./log.ts";

/** Distinguishes a generation of a store from all others. */
export interface Identity {
  readonly generation: number;
  /** The random identity of the store, in hexadecimal digits: a backup has another one. */
  readonly store: string;
  /** A random number of the generation, in hexadecimal digits: copies of files may go on separately. */
  readonly nonce: string;
}

const STORE_BYTES = 16;
const NONCE_BYTES = 8;

/** The identity of a generation. @param store default: that of a new store */
export function identityFor(generation: number, store = randomHex(STORE_BYTES)): Identity {
  return { generation, store, nonce: randomHex(NONCE_BYTES) };
}

export const randomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** Whether two identities are of the same generation of the same store. */
export function isSame(a: Identity, b: Identity): boolean {
  return a.generation === b.generation && a.store === b.store && a.nonce === b.nonce;
}

/** The identity in a value of JSON; `undefined` if it has none. */
export function identityIn(value: unknown): Identity | undefined {
  const { generation, store, nonce } = isMembers(value) ? value : {};
  const isValid = isCount(generation) && isHex(store, STORE_BYTES) && isHex(nonce, NONCE_BYTES);
  return isValid ? { generation, store, nonce } : undefined;
}

const isHex = (value: unknown, bytes: number): value is string =>
  typeof value === "string" && value.length === 2 * bytes && /^[\da-f]+$/.test(value);

/** The line of the first entry of a log. @param more other members */
export function headLine(head: Identity, more: object = {}): string {
  return JSON.stringify({ head, ...more });
}

/** The first entry of a log, with its lines. */
export interface Head {
  readonly entry: Entry;
  readonly line: Readonly<Record<string, unknown>>;
  /** The other lines of the entry. */
  readonly rest: readonly unknown[];
  /** `undefined` if it has none. */
  readonly identity: Identity | undefined;
}

/** The head of a log; `undefined` if it is damaged. */
export function readHead(log: Log): Head | undefined {
  const entry = log.entryAt(0);
  if (entry === undefined) return undefined;
  const [first, ...rest] = orUndefined(() => [...log.values(entry)]) ?? [];
  const line = isMembers(first) ? first : {};
  return { entry, line, rest, identity: identityIn(line.head) };
}

/**
 * The head of a log of a generation.
 *
 * @throws StoreError if it is damaged, or belongs to another generation or another store
 */
export function requireHead(log: Log, expected: Identity): Head {
  const head = readHead(log);
  if (head === undefined) throw new StoreError(log.path, "is damaged", { offset: 0 });
  const problem = foreign(log.path, head.identity, expected);
  if (problem !== undefined) throw problem;
  return head;
}

/** The error of a file that does not belong to a generation, if it does not. */
export function foreign(
  path: string,
  found: Identity | undefined,
  expected: Identity,
): StoreError | undefined {
  if (found !== undefined && isSame(found, expected)) return undefined;
  const what = found?.store === expected.store ? "generation of the store" : "store";
  return new StoreError(path, `belongs to another ${what}`);
}
