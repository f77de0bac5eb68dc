// What different ratios for merging segments cost (`sizeRatio` in src/collection/tuning.ts): updates in a row,
// each followed by a lookup, and the queries after them. Over Contacts without List Fields.

import { collect } from "../../src/collection/collection.ts";
import { Codec } from "../../src/collection/records/codec.ts";
import type { CollectionSettings } from "../../src/collection/settings.ts";
import { tuning } from "../../src/collection/tuning.ts";
import { Contact, type ContactInput } from "../../src/index.ts";
import { contacts, figure } from "../figure.ts";
import { count, time } from "../format.ts";
import { spreadOver, withoutListFields } from "../load.ts";
import { clock, collectGarbage, inTurns, timeInTurns } from "../measure.ts";
import { PAGE } from "../peers/peer.ts";
import type { Timing } from "../results.ts";

interface Shares {
  readonly size: number;
  readonly shares: readonly {
    readonly share: number;
    /** In a row, each followed by a lookup. */
    readonly updates: number;
    readonly time: number;
    /** Of one update with its lookup. */
    readonly longest: number;
    /** Afterwards. */
    readonly lookup: Timing;
    readonly page: Timing;
  }[];
}

const SHARES = [2, 4, 8, 16, 32];

export const share = figure("share", {
  isExtra: true,
  chapter: "uses",
  async task({ size, many: updates, rounds }): Promise<Shares> {
    const records = [...withoutListFields(size)];
    const emails = spreadOver(records, updates).map((each) => each.contact_email);
    const found: Shares["shares"][number][] = [];
    for (const share of SHARES) {
      tuning.sizeRatio = share;
      const settings = {
        indexes: "auto",
        maxCriteria: 1,
        maxValues: 1,
        unknownOperator: "error",
      } as const satisfies CollectionSettings;
      let collection = collect<typeof Contact, ContactInput>(
        new Codec(Contact),
        settings,
        (loader) => loader.add(records),
      );
      collection.prepare({ match: ["contact_email"], sort: ["last_open_time"] });
      const lookup = (email: string) =>
        collection.query({ criteria: [["contact_email", "exactly", email]], limit: 1 });
      collectGarbage();
      let longest = 0;
      const time = await clock(() => {
        for (const [i, email] of emails.entries()) {
          const start = performance.now();
          collection = collection.update([["contact_email", "exactly", email]], (draft) => {
            draft.last_open_time = 2_000_000_000 + i;
          });
          lookup(email);
          longest = Math.max(longest, performance.now() - start);
        }
      });
      const runs = {
        lookup: inTurns(lookup, emails),
        page: () => collection.query({ sortBy: "last_open_time", limit: PAGE }),
      };
      const timings = await timeInTurns(runs, rounds);
      found.push({ share, updates, time, longest: longest * 1e6, ...timings });
    }
    return { size, shares: found };
  },
  sections: ({ size, shares }) => [
    {
      title: `When to merge segments, ${contacts(size)}`,
      note: `${count(shares[0]?.updates ?? 0)} updates in a row, each followed by a lookup, and the queries afterwards. A segment is merged when it has at least one row for every \`share\` rows of the one before it.`,
      head: ["share", "in all", "longest", "lookup", "page"],
      rows: shares.map((each) => [
        String(each.share),
        time(each.time),
        time(each.longest),
        time(each.lookup.median),
        time(each.page.median),
      ]),
    },
  ],
});
