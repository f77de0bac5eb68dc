// What the share costs at which segments are merged (see src/collection/snapshot/snapshot.ts): updates in a row,
// each followed by a lookup, and the queries after them. Over Contacts without List Fields.

import { collect } from "../../src/collection/collection.ts";
import { Codec } from "../../src/collection/records/codec.ts";
import type { CollectionSettings } from "../../src/collection/settings.ts";
import { Contact, type ContactInput } from "../../src/index.ts";
import { wireContacts } from "../contacts.ts";
import { clock, collectGarbage, timeInTurns, turns, type Rounds } from "../measure.ts";
import { PAGE } from "../peers/peer.ts";
import type { Share } from "../results.ts";
import { withoutListFields } from "./first.ts";

const SHARES = [2, 4, 8, 16, 32];

export async function share(size: number, updates: number, rounds: Rounds): Promise<Share[]> {
  const records = [...withoutListFields(wireContacts(size))];
  const found: Share[] = [];
  for (const each of SHARES) {
    const settings = {
      indexes: "auto",
      maxCriteria: 1,
      maxValues: 1,
      unknownOperator: "error",
      sizeRatio: each,
    } as const satisfies CollectionSettings;
    let contacts = collect<typeof Contact, ContactInput>(new Codec(Contact), settings, (loader) =>
      loader.add(records),
    );
    contacts.prepare({ match: ["contact_email"], sort: ["last_open_time"] });
    const emailAt = (i: number) =>
      contacts.at(Math.floor((((i * (Math.sqrt(5) - 1)) / 2) % 1) * size))?.contact_email ?? "";
    const emails = Array.from({ length: updates }, (_, i) => emailAt(i));
    const lookup = (email: string) =>
      contacts.query({ criteria: [["contact_email", "exactly", email]], limit: 1 });
    collectGarbage();
    let longest = 0;
    const time = await clock(() => {
      for (const [i, email] of emails.entries()) {
        const start = performance.now();
        contacts = contacts.update([["contact_email", "exactly", email]], (draft) => {
          draft.last_open_time = String(2_000_000_000 + i);
        });
        lookup(email);
        longest = Math.max(longest, performance.now() - start);
      }
    });
    const next = turns(emails);
    const timings = await timeInTurns(
      {
        lookup: () => lookup(next()),
        page: () => contacts.query({ sortBy: "last_open_time", limit: PAGE }),
      },
      rounds,
    );
    found.push({ share: each, updates, time, longest: longest * 1e6, ...timings });
  }
  return found;
}
