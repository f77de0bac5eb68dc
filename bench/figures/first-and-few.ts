// Few records and first questions, where a plan has to pay for itself at once: five questions over 10 to 100,000
// tickets, beside what filters the same array and SQLite in memory. All in one process and in turns.

import { figure, missingNote, rowsOfEach, tableOfRows, type OfEach } from "../figure.ts";
import { count } from "../format.ts";
import { callerOf, orMissing } from "../host.ts";
import { Asking, clock, collectGarbage, timeInTurns, timingOf, type Rounds } from "../measure.ts";
import { ticketsOf } from "../own/tickets.ts";
import { isMissing, type Missing, type Timing } from "../results.ts";
import { loop, SMALL_PEERS, type SmallPeerName } from "../small/peers.ts";
import { labels, smallCalls, smallQuestions, type SmallQuestion } from "../small/questions.ts";

const SIZES = [10, 100, 1000, 100_000];
/** How many times a peer is made anew, for its first call. */
const FIRSTS = 5;
/** How many answers are compared with the loop's. */
const CHECKED = 5;
const CALLS = 20_000;

type Timings = Readonly<Record<string, Timing>>;
type Asked = Readonly<Record<SmallQuestion, { readonly first: Timings; readonly warm: Timings }>>;

interface FirstAndFew {
  readonly peers: readonly string[];
  readonly sizes: readonly { readonly size: number; readonly asked: Asked | Missing }[];
}

const tasks = {
  async firstAndFew(size: number, names: readonly SmallPeerName[], rounds: Rounds): Promise<Asked> {
    const tickets = ticketsOf(size);
    const creates = await Promise.all(
      names.map(async (name) => [name, await SMALL_PEERS[name]()] as const),
    );
    const expected = loop(tickets);
    const asked: [SmallQuestion, Asked[SmallQuestion]][] = [];
    for (const question of smallQuestions) {
      const calls = smallCalls(CALLS, FIRSTS);
      const firsts = Object.fromEntries(names.map((name) => [name, [] as number[]]));
      for (const call of smallCalls(FIRSTS)) {
        for (const [name, create] of creates) {
          const ask = create(tickets)[question];
          collectGarbage();
          firsts[name]?.push(await clock(() => ask(call)));
        }
      }
      const runs = creates.map(([name, create]) => {
        const ask = create(tickets)[question];
        for (const call of calls.slice(0, CHECKED)) {
          const [found, right] = [textOf(ask(call)), textOf(expected[question](call))];
          if (found !== right) throw new Error(`${name} answers ${found}, not ${right}`);
        }
        return [name, new Asking(ask, calls.slice(CHECKED))] as const;
      });
      asked.push([
        question,
        {
          first: Object.fromEntries(
            Object.entries(firsts).map(([name, times]) => [name, timingOf(times)]),
          ),
          warm: await timeInTurns(Object.fromEntries(runs), rounds),
        },
      ]);
    }
    return Object.fromEntries(asked) as Asked;
  },
};

/** An answer as a text; of records, their ids. */
function textOf(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) =>
    typeof value === "object" && value !== null && "id" in value ? value.id : value,
  );
}

const rowsOf = ({ sizes }: FirstAndFew, part: "first" | "warm") =>
  smallQuestions.flatMap((question) =>
    sizes.flatMap(({ size, asked }) => {
      if (isMissing(asked)) return [];
      const timings: OfEach<Timing> = asked[question][part];
      const name = `${part === "first" ? "first " : ""}${labels[question]}, ${count(size)} tickets`;
      return rowsOfEach(timings, [[name, ({ median }) => median]]);
    }),
  );

const bySize = ({ sizes }: FirstAndFew) =>
  Object.fromEntries(sizes.map(({ size, asked }) => [count(size), asked]));

const titles = { first: "First questions", warm: "Few records and many, warm" };

const notes = {
  first: `Medians of the first call of ${FIRSTS} new peers in a process that has asked others. Loading is not included.`,
  warm: "Medians. tercet builds indexes when they pay; SQLite has an index of state and votes, of votes, and a table of tags. sift and mingo filter the array of the loop; sift's result is sorted and counted by the loop.",
};

export const firstAndFew = figure<FirstAndFew>({
  name: "first-and-few",
  what: "10 to 100,000 tickets: the first question and warm, beside a loop, sift, mingo and SQLite",
  tasks,
  async measure({ plan, say }) {
    const { rounds, limits } = plan;
    const isAsked = (name: string) =>
      name === "sift" || name === "mingo" || plan.peers.includes(name);
    const peers = (Object.keys(SMALL_PEERS) as SmallPeerName[]).filter(isAsked);
    const sizes: { size: number; asked: Asked | Missing }[] = [];
    for (const size of SIZES) {
      say(`first and few: ${count(size)} tickets`);
      const asking = callerOf<typeof tasks>()(
        "firstAndFew",
        [size, peers, rounds],
        4 * limits.load,
      );
      sizes.push({ size, asked: await orMissing(asking) });
    }
    return { peers, sizes };
  },
  rows: (result) => [...rowsOf(result, "first"), ...rowsOf(result, "warm")],
  sections: (result) =>
    (["first", "warm"] as const).map((part) => ({
      title: titles[part],
      note: [notes[part], missingNote(bySize(result))].filter(Boolean).join(" "),
      ...tableOfRows(
        rowsOf(result, part),
        Object.fromEntries(result.peers.map((name) => [name, {}])),
      ),
    })),
});
