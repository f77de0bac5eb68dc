// How many contacts have each value of a field, or are in each bin of a histogram: of all of them, and
// of the tenth that a range of send times selects, another tenth each time. Each peer has its best
// idiom and the indexes that help it; its answers are compared with a loop's before they are timed.

import type { FlatContact } from "../contacts.ts";
import { contacts, figureOfPeers, present } from "../figure.ts";
import { flatContacts, latestOpening, loadPeer } from "../load.ts";
import { inTurns, timeInTurns } from "../measure.ts";
import type { Answer, Counted, Range } from "../peers/counting.ts";
import { loopCounter } from "../peers/loop.ts";
import type { Missing, Timing } from "../results.ts";

/** What counting by the values of a field took: of all contacts, and of a tenth of them. */
type Counts = { readonly label: string } & Readonly<Record<"all" | "a tenth", Timing>>;

/** How many ranges take turns. */
const RANGES = 5;

export const counts = figureOfPeers("counts", {
  chapter: "uses",
  peers: ["tercet", "loop", "crossfilter2", "arquero", "better-sqlite3", "duckdb"],
  seconds: ({ limits }) => 4 * limits.load,
  async task({ size, rounds }, name): Promise<readonly Counts[] | Missing> {
    const { ranges, questions } = await questionsOf(size);
    const { peer } = await loadPeer(name, size);
    const counterOf = await peer.counting?.();
    if (counterOf === undefined) return { cannot: "it does not count" };
    const found: Counts[] = [];
    for (const { counted, answers } of questions) {
      const { label } = counted;
      const { run, answer } = await counterOf(counted);
      for (const [i, range] of [undefined, ...ranges].entries()) {
        if (asText(await answer(range)) !== answers[i]) return { wrong: label };
      }
      // Not in turns: crossfilter2 would have to change its filter each time.
      const all = await timeInTurns({ all: () => run(undefined) }, rounds);
      const tenth = await timeInTurns({ "a tenth": inTurns(run, ranges) }, rounds);
      found.push({ label, ...all, ...tenth });
    }
    return found;
  },
  /** A row for each count, of all contacts and of a tenth. */
  numbers(peers) {
    const all = present(peers).flatMap(([, counts]) => counts);
    return [...new Set(all.map(({ label }) => label))].flatMap((label) =>
      (["all", "a tenth"] as const).map(
        (part) =>
          [
            `${label}, ${part}`,
            (counts: readonly Counts[]) =>
              counts.find((each) => each.label === label)?.[part].median,
          ] as const,
      ),
    );
  },
  sections: ({ size, peers }, cells) => [
    {
      title: `Counting ${contacts(size)} by a field`,
      note: "`countBy` and `histogram`, of all contacts and of the tenth that a range of send times selects, another tenth each time. crossfilter2 updates its counts when a filter changes, so reading them without a change costs nothing; tercet caches the counts of all contacts.",
      head: ["counted", ...Object.keys(peers)],
      rows: cells,
    },
  ],
});

/** The counts, with the right answers. A separate function, so that the contacts are garbage when it returns. */
async function questionsOf(size: number) {
  const all = flatContacts(size);
  const times = Float64Array.from(all, ({ send_time }) => Number(send_time)).sort();
  const at = (share: number) => times[Math.floor(share * (size - 1))] ?? 0;
  // The first ones have no send time.
  const ranges = Array.from({ length: RANGES }, (_, i): Range => {
    const from = 0.1 + (0.8 * i) / RANGES;
    return { low: at(from), high: at(from + 0.1) };
  });
  const counterOf = loopCounter(all);
  const questions: { counted: Counted; answers: string[] }[] = [];
  for (const counted of countedIn(all)) {
    const { answer } = counterOf(counted);
    const answers = await Promise.all([undefined, ...ranges].map(answer));
    questions.push({ counted, answers: answers.map(asText) });
  }
  return { ranges, questions };
}

/** Without counts of 0. */
function asText(answer: Answer): string {
  return JSON.stringify(
    answer
      .filter(([, count]) => count > 0)
      .map(([key, count]) => [String(key), count] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function countedIn(all: readonly FlatContact[]): Counted[] {
  const opened = all.map((c) => Number(c.last_open_time)).filter((time) => time > 0);
  const from = opened.reduce((least, time) => Math.min(least, time), Infinity);
  const width = Math.ceil((latestOpening(all) - from + 1) / 60);
  return [
    { label: "send_status", field: "send_status" },
    { label: "open_country", field: "open_country" },
    { label: "open_count, bins of 1", field: "open_count", bins: { from: 0, width: 1, count: 60 } },
    { label: "last_open_time, 60 bins", field: "last_open_time", bins: { from, width, count: 60 } },
  ];
}
