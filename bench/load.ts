// Loads a peer, in the process that this runs in.

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
