// Records of one's own: questions that the contract's two methods can't ask, beside the peers that can.

import { figure, rowsOfEach, type Run } from "../figure.ts";
import { count, digits } from "../format.ts";
import { LoadedWorker, timeInRounds } from "../loaded.ts";
import {
  Asking,
  collectGarbage,
  sampleRound,
  warmUp,
  type Rounds,
  type Sampled,
} from "../measure.ts";
import { OWN_PEERS } from "../own/index.ts";
import { byLoop } from "../own/loop.ts";
import { questionNames, questions, type OwnPeer, type QuestionName } from "../own/questions.ts";
import { ticketsOf, type Ticket } from "../own/tickets.ts";
import { cell, isTiming, reasonOf, type Missing, type Outcome } from "../results.ts";

interface Own {
  readonly size: number;
  readonly questions: readonly {
    readonly label: string;
    /** How many calls there were, at most. */
    readonly calls: number;
    /** By peer. */
    readonly outcomes: Readonly<Record<string, Outcome>>;
  }[];
}

/** For how many calls the answers are compared with the loop's, unless that takes longer than so many milliseconds. */
const CHECKED = 5;
const CHECKING = 2000;

interface Loaded {
  readonly tickets: readonly Ticket[];
  readonly peer: OwnPeer;
}

let loaded: Loaded | undefined;
const asked = new Map<QuestionName, Sampled>();

const tasks = {
  async loadOwn(name: string, size: number): Promise<object> {
    const load = OWN_PEERS[name];
    if (load === undefined) throw new Error(`${name} is no peer`);
    const tickets = ticketsOf(size);
    loaded = { tickets, peer: await load(tickets) };
    return {};
  },

  /** Compares the first answers with the loop's, and warms the question up. */
  checkOwn: (name: QuestionName, rounds: Rounds) => checkQuestion(name, rounds),

  sampleOwn(name: QuestionName, rounds: Rounds, round: number): Promise<number[]> {
    const asking = asked.get(name);
    if (asking === undefined) throw new Error(`${name} is not checked`);
    collectGarbage();
    return sampleRound(asking, rounds, round);
  },
};

async function checkQuestion(name: QuestionName, rounds: Rounds): Promise<Missing | "right"> {
  if (loaded === undefined) throw new Error("no peer is loaded");
  const { tickets, peer } = loaded;
  // A question takes the calls that are its own.
  const ask = peer[name] as (call: unknown) => unknown;
  const expect = byLoop(tickets)[name] as typeof ask;
  const calls = questions[name].calls(tickets);
  const end = performance.now() + CHECKING;
  for (const call of calls.slice(0, CHECKED)) {
    const [found, expected] = [textOf(await ask(call)), textOf(expect(call))];
    if (found !== expected) return { wrong: `${found}, should be ${expected}` };
    if (performance.now() > end) break;
  }
  const asking = new Asking(ask, calls.slice(CHECKED));
  asked.set(name, asking);
  await warmUp(asking, rounds);
  return "right";
}

/** An answer as a text; of records, their ids. */
function textOf(answer: unknown): string {
  const idOf = (row: unknown): unknown => {
    const isRecord = typeof row === "object" && row !== null && "id" in row;
    return isRecord ? Number(row.id) : row;
  };
  return JSON.stringify(Array.isArray(answer) ? answer.map(idOf) : answer);
}

async function measure({ plan, say }: Run): Promise<Own> {
  const { size, rounds, limits } = plan;
  const names = Object.keys(OWN_PEERS).filter((name) => plan.peers.includes(name));
  const peers = names.map(
    (name) =>
      new LoadedWorker<typeof tasks>(name, limits, (worker, seconds) =>
        worker.call("loadOwn", [name, size], seconds),
      ),
  );
  try {
    for (const peer of peers) {
      say(`${count(size)} tickets: loading ${peer.name}`);
      await peer.load();
    }
    const found: Own["questions"][number][] = [];
    for (const name of questionNames) {
      const { label, calls } = questions[name];
      say(`${count(size)} tickets: ${label}`);
      const outcomes = await timeInRounds(
        peers,
        {
          check: (peer) => peer.call("checkOwn", [name, rounds]),
          sample: (peer, round) => peer.call("sampleOwn", [name, rounds, round]),
        },
        rounds,
      );
      found.push({ label, calls: calls(ticketsOf(size)).length, outcomes });
    }
    return { size, questions: found };
  } finally {
    for (const peer of peers) peer.close();
  }
}

const rowsOf = ({ questions }: Own) =>
  questions.flatMap(({ label, outcomes }) =>
    rowsOfEach(outcomes, [[label, ({ median }) => median]]),
  );

export const own = figure<Own>({
  name: "own",
  what: "tickets in a schema of one's own: groups with OR and NOT, a range of times, tags, a cursor, totals",
  tasks,
  measure,
  rows: rowsOf,
  sections(result) {
    const { size, questions } = result;
    const peers = Object.keys(questions[0]?.outcomes ?? {});
    const others = peers.filter((peer) => peer !== "tercet");
    const reasons = questions.flatMap(({ outcomes }) =>
      Object.entries(outcomes).flatMap(([peer, outcome]) =>
        isTiming(outcome) ? [] : [`${peer} ${reasonOf(outcome)}`],
      ),
    );
    const missing = [...new Set(reasons)].join("; ");
    return [
      {
        title: `Records of one's own: ${count(size)} tickets`,
        note: `Median time of a call, each with other values. The group: a state, and one of two owners or more than so many votes, and not a text in the note. A cursor is anywhere from the first record to the last; peers without cursors are asked for what comes after a position. Totals are those of the tickets in a state, from an id on.${missing === "" ? "" : ` Without a number: ${missing}.`}`,
        head: ["", ...peers],
        rows: questions.map(({ label, outcomes }) => [
          label,
          ...peers.map((peer) => cell(outcomes[peer])),
        ]),
      },
      {
        title: `Records of one's own: ratios over ${count(size)} tickets`,
        note: "tercet's time divided by the peer's.",
        head: ["", ...others],
        rows: rowsOf(result).map(({ name, values: { tercet = NaN, ...of } }) => [
          name,
          ...others.map((peer) => (of[peer] === undefined ? "" : digits(tercet / of[peer]))),
        ]),
      },
    ];
  },
});
