// At any point of a request, the server stops responding or is killed, or a change is committed: the result reflects
// one state, or it is an error. `npm run test:sql` tries many more points.

import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { start, type PostgresEngine } from "../engines/postgres.ts";
import { faults, settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { FaultyServer, type Pick } from "./faulty-server.ts";

const HOURS = 12 * 3_600_000;

let engine: PostgresEngine;
beforeAll(async () => {
  engine = await start();
});
afterAll(() => engine.close(), 60_000);

/** The generator "mulberry32". */
function picker(seed: number): Pick {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const KINDS = ["stop", "kill", "commit"] as const;
type Kind = (typeof KINDS)[number];

/** What happens at a point: what the request waits for, and what comes after it. */
interface Fault {
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

function faultOf(kind: Kind, faulty: FaultyServer, pick: Pick): Fault {
  const { server } = faulty.engine;
  switch (kind) {
    case "stop": {
      // Shorter and longer than the request may take.
      const pause = pick(2) === 0 ? pick(50) : 700;
      let over = Promise.resolve();
      const begin = () => {
        server.freeze();
        over = setTimeout(pause).then(() => server.thaw());
        return Promise.resolve();
      };
      return { begin, end: () => over };
    }
    case "kill": {
      const begin = () => server.kill("SIGKILL");
      return { begin, end: () => server.restart() };
    }
    case "commit": {
      let writing = Promise.resolve();
      const begin = async () => {
        writing = faulty.change()();
        // The request goes on at once, or when the change is there; or in between.
        if (pick(3) > 0) await Promise.race([writing, setTimeout(pick(2) * 10)]);
        else await writing;
      };
      return { begin, end: () => writing };
    }
  }
}

const FIELDS = ["", "contact_email", "open_count", "open_country", "send_id"];

function requestOf(pick: Pick): unknown {
  const order = pick(2) === 0 ? "ASC" : "DESC";
  const [limit, offset] = [1 + pick(40), pick(320)];
  switch (pick(4)) {
    case 0:
      return { id: 1, method: "searchFiles", params: ["key", null, limit, offset % 60, "size"] };
    case 1:
      return { id: 1, method: "getBatchContacts", params: ["key", 7] };
    default: {
      const by = FIELDS[pick(FIELDS.length)];
      const criteria = pick(3) === 0 ? [["open_count", "greater_than", 0]] : null;
      return {
        id: 1,
        method: "getBatchContacts",
        params: ["key", 7, criteria, limit, offset, by, order],
      };
    }
  }
}

interface Count {
  points: number;
  before: number;
  after: number;
  errors: number;
}

test(
  "an answer reflects one state, or it is an error",
  async () => {
    using _ = tuned({ fewBefore: 8 });
    const seed = settings(1).seed ?? Date.now() % 2 ** 30;
    const pick = picker(seed);
    const faulty = new FaultyServer(engine, pick);
    const { memory } = faulty;
    await faulty.load();
    const counts = Object.fromEntries(
      KINDS.map((kind): [Kind, Count] => [kind, { points: 0, before: 0, after: 0, errors: 0 }]),
    ) as Record<Kind, Count>;
    const answerOf = (request: unknown) => JSON.stringify(memory.dispatch(request));
    const isError = (answer: { error: unknown }) =>
      (answer.error as { code?: unknown } | null)?.code === 100;

    /** Asks until there is an answer: connections that broke are found out one by one. */
    async function expectAnswer(request: unknown, where: string): Promise<void> {
      const service = faulty.service(() => Promise.resolve(), 5000);
      for (let attempt = 1; ; attempt++) {
        const answer = await service.dispatch(request);
        if (isError(answer as never) && attempt < 25) {
          await setTimeout(20);
          continue;
        }
        const reasons = faulty.reported.splice(0).map(String).slice(-3).join("; ");
        expect(JSON.stringify(answer), `${where}, afterwards: ${reasons}`).toBe(answerOf(request));
        return;
      }
    }

    for (let point = 0; point < faults(6); point++) {
      const kind = KINDS[point % KINDS.length] ?? "commit";
      const request = requestOf(pick);
      const before = answerOf(request);
      let statements = 0;
      let happens = Infinity;
      let isHappening: Promise<unknown> | undefined;
      const isAwaited = pick(2) === 0;
      const fault = faultOf(kind, faulty, pick);
      const reached = async () => {
        if (statements++ !== happens) return;
        isHappening = fault.begin();
        if (isAwaited) await isHappening;
      };
      const service = faulty.service(reached, kind === "stop" ? 500 : 5000);
      // How many statements the request takes; half of them have the Lists by then.
      await service.dispatch(request);
      const asking =
        pick(2) === 0 ? service : faulty.service(reached, kind === "stop" ? 500 : 5000);
      happens = pick(statements + 1);
      statements = 0;
      const answer = await asking.dispatch(request);
      // A point behind the last statement: of what comes after the request.
      isHappening ??= fault.begin();
      await isHappening;
      const where = `TERCET_SEED=${seed}, point ${point}, ${kind} at statement ${happens}: ${JSON.stringify(request)}`;
      const after = answerOf(request);
      const text = JSON.stringify(answer);
      const count = counts[kind];
      count.points++;
      if (isError(answer as never)) count.errors++;
      else if (text === before) count.before++;
      else if (text === after) count.after++;
      else expect(text, where).toBe(after);
      await fault.end();
      await expectRepaired(faulty);
      await expectAnswer(request, where);
      if (point % 50 === 49) console.log(`${point + 1} points, no third`);
    }
    console.log(JSON.stringify(counts));
  },
  HOURS,
);

/** Changes reach the server; connections that broke are found out one by one. */
async function expectRepaired(faulty: FaultyServer): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await faulty.repair();
      return;
    } catch (thrown) {
      if (attempt === 25) throw thrown;
      await setTimeout(20);
    }
  }
}
