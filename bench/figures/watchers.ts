// What live queries cost an update: one Contact opens, and the listeners of all answers that this alters
// are called before the update counts as done. Either each live query watches a Contact of its own, so that
// one listener is called, or each watches a page of those that opened last, so that all are. The calls are
// counted; a wrong count ends the measurement.

import { contacts, figure, peersOf, stepOfEach, type OfEach } from "../figure.ts";
import { count, time } from "../format.ts";
import { callerOf } from "../host.ts";
import { flatContacts, latestOpening, loadPeer } from "../load.ts";
import { clock, once, timingOf, turns } from "../measure.ts";
import { PAGE } from "../peers/peer.ts";
import { isMissing, reasonOf, type Missing, type Timing } from "../results.ts";

const TOLD = { contact: "a Contact of its own, one is told", page: "a page, all are told" };
type Kind = keyof typeof TOLD;

/** An update under a number of live queries. */
interface Watchers {
  readonly watchers: number;
  /** Of starting the live queries that were added. */
  readonly begin: number;
  /** Of one contact, until every affected listener has been called. */
  readonly update: Timing;
}

interface WatcherResults {
  readonly size: number;
  readonly kinds: Readonly<Record<Kind, OfEach<readonly Watchers[]>>>;
}

const PEERS = ["tercet", "@tanstack/db"];
/** How many live queries. Changing 10,000 pages each time measures nothing new. */
const COUNTS = { contact: [0, 100, 1000, 10_000], page: [0, 100, 1000] };
const MOST_CONTACTS = 100_000;

const tasks = {
  async watchers(
    name: string,
    kind: Kind,
    size: number,
    updates: number,
  ): Promise<Watchers[] | Missing> {
    const all = flatContacts(size);
    let opened = latestOpening(all);
    const step = Math.max(1, Math.floor(size / Math.max(...COUNTS[kind])));
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
    for (const count of COUNTS[kind]) {
      const begin = await once(async () => {
        for (; watched < count; watched++) {
          if (kind === "contact") await watching.watchContact(emails[watched] ?? "", tell);
          else await watching.watchPage(1 + (watched % PAGE), tell);
        }
      });
      const samples: number[] = [];
      for (let i = 0; i < updates; i++) {
        // One of those watched, so that each update has a listener to call.
        const email = kind === "contact" ? (emails[i % Math.max(count, 1)] ?? "") : next();
        told = 0;
        samples.push(await clock(() => watching.open(email, ++opened)));
        const expected = kind === "contact" ? Math.min(count, 1) : count;
        if (told !== expected) throw new Error(`wrong: ${told} are told, not ${expected}`);
      }
      found.push({ watchers: count, begin, update: timingOf(samples) });
    }
    return found;
  },
};

const call = callerOf<typeof tasks>();

export const watchers = figure("watchers", {
  tasks,
  steps: (plan) => 2 * peersOf(plan, PEERS).length,
  async measure(run): Promise<WatcherResults> {
    const { plan } = run;
    const size = Math.min(plan.size, MOST_CONTACTS);
    const updates = plan.quick ? 20 : 200;
    const of = (kind: Kind) =>
      stepOfEach(run, "watchers of", peersOf(plan, PEERS), (name) =>
        call("watchers", [name, kind, size, updates], 4 * plan.limits.load),
      );
    return { size, kinds: { contact: await of("contact"), page: await of("page") } };
  },
  sections: ({ size, kinds }) => [
    {
      title: `Updates under live queries, ${contacts(size)}`,
      note: "Median time of one update, until every affected listener has been called. Beginning: the time to start the live queries that the row above lacks.",
      head: ["peer", "each watches", "live queries", "one update", "beginning"],
      rows: (["contact", "page"] as const).flatMap((kind) =>
        Object.entries(kinds[kind]).flatMap(([peer, found]) =>
          isMissing(found)
            ? [[peer, TOLD[kind], reasonOf(found)]]
            : found.map(({ watchers, begin, update }) => [
                peer,
                TOLD[kind],
                count(watchers),
                time(update.median),
                watchers === 0 ? "" : time(begin),
              ]),
        ),
      ),
    },
  ],
});
