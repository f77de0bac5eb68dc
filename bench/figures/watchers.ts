// What live queries cost an update: one Contact opens, and everybody who watches an answer that this
// alters is told before the update counts as done. Either each watches a Contact of its own, so that one
// is told, or each watches a page of those that opened last, so that all are. Who is told is counted; a
// wrong count ends the measurement.

import { flatContacts, loadPeer } from "../load.ts";
import { clock, once, timingOf, turns } from "../measure.ts";
import { PAGE } from "../peers/peer.ts";
import type { Missing, WatchedKind, Watchers } from "../results.ts";

const COUNTS = [0, 100, 1000];

export async function watchers(
  name: string,
  kind: WatchedKind,
  size: number,
  updates: number,
): Promise<Watchers[] | Missing> {
  const all = flatContacts(size);
  let opened = all.reduce((most, each) => Math.max(most, Number(each.last_open_time)), 0);
  const step = Math.floor(size / 1000);
  const emails = all.filter((_, i) => i % step === 0).map((each) => each.contact_email);
  all.length = 0;
  const { peer } = await loadPeer(name, size);
  await peer.prepare?.();
  const watching = await peer.watching?.();
  if (watching === undefined) return { cannot: "it has no live queries" };

  let told = 0;
  const tell = () => {
    told++;
  };
  const next = turns(emails);
  let watched = 0;
  const found: Watchers[] = [];
  for (const count of COUNTS) {
    const begin = await once(async () => {
      for (; watched < count; watched++) {
        if (kind === "contact") await watching.watchContact(emails[watched] ?? "", tell);
        else await watching.watchPage(1 + (watched % PAGE), tell);
      }
    });
    const samples: number[] = [];
    for (let i = 0; i < updates; i++) {
      // Of those watched, that each update has somebody to tell.
      const email = kind === "contact" ? (emails[i % Math.max(count, 1)] ?? "") : next();
      told = 0;
      samples.push(await clock(() => watching.open(email, ++opened)));
      const expected = kind === "contact" ? Math.min(count, 1) : count;
      if (told !== expected) throw new Error(`wrong: ${told} are told, not ${expected}`);
    }
    found.push({ watchers: count, begin, update: timingOf(samples) });
  }
  return found;
}
