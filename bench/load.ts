// Loads contacts, and a peer with them, in the current process.

import { Contact, type ContactInput } from "../src/index.ts";
import { FIELD_TYPES, flatten, wireContacts, type FlatContact } from "./contacts.ts";
import { once } from "./measure.ts";
import { PEERS } from "./peers/index.ts";
import type { Peer } from "./peers/peer.ts";

export type LoadedPeer = Omit<Peer, "load">;

/** @returns the peer, and the nanoseconds that loading took; the input is garbage unless the peer holds it */
export async function loadPeer(
  name: string,
  size: number,
): Promise<{ readonly peer: LoadedPeer; readonly time: number }> {
  const entry = PEERS[name];
  if (entry === undefined) throw new Error(`${name} is no peer`);
  if (entry.input === "wire") {
    const peer = entry.create();
    const contacts = [...wireContacts(size)];
    return { peer, time: await once(() => peer.load(contacts, FIELD_TYPES)) };
  }
  const peer = await entry.create();
  const contacts = flatContacts(size);
  return { peer, time: await once(() => peer.load(contacts, FIELD_TYPES)) };
}

export function flatContacts(size: number): FlatContact[] {
  return Array.from(wireContacts(size), flatten);
}

/** Contacts as input of a collection that has only contacts. */
export function* withoutListFields(size: number) {
  const names = Object.keys(Contact.fields);
  for (const contact of wireContacts(size)) {
    const own = contact as unknown as Readonly<Record<string, string | null>>;
    yield Object.fromEntries(names.map((name) => [name, own[name]])) as unknown as ContactInput;
  }
}

/**
 * A number of the items, of which any part is spread over all: multiples of the golden ratio, modulo 1.
 */
export function spreadOver<T>(items: readonly T[], count: number): T[] {
  const placeOf = (i: number) => Math.floor((((i * (Math.sqrt(5) - 1)) / 2) % 1) * items.length);
  return Array.from({ length: count }, (_, i) => items[placeOf(i)] as T);
}

export function latestOpening(contacts: readonly FlatContact[]): number {
  return contacts.reduce((most, each) => Math.max(most, Number(each.last_open_time)), 0);
}
