// How PostgreSQL scales: Contacts that come from a generator and are never in memory together, copied to one server,
// and to two that the service asks each; and a tenth of them, to see what each call costs more.

import { createHash } from "node:crypto";
import pg from "pg";
import { defineSchema, int, string, type GetBatchContactsParameters } from "../../src/index.ts";
import {
  createSqlCollection,
  createSqlService,
  createTables,
  insertRows,
  type CreateTablesOptions,
  type ServiceIndexes,
  type Shard,
  type Statement,
} from "../../src/sql/index.ts";
import { generateLazyBatch, type SyntheticContact } from "../../src/synthetic/index.ts";
import { change, NOTHING } from "../../test/engines/engine.ts";
import { bytesIn, driverOf, versionOf } from "../../test/engines/postgres.ts";
import { send } from "../../test/engines/postgres-copy.ts";
import { startPostgres, type PostgresServer } from "../../test/engines/postgres-server.ts";
import { contacts, figure, joined, present, type Run, type Section } from "../figure.ts";
import { count, digits, time } from "../format.ts";
import { callerOf } from "../host.ts";
import { clock, inTurns, timeInTurns, type Rounds } from "../measure.ts";
import type { Timing } from "../results.ts";
import type { Results } from "./index.ts";

/** The places, and on how many servers. */
const PLACES = { PostgreSQL: 1, "PostgreSQL shards": 2 } as const;

type Step = "rows" | "indexes" | "ranks" | "settling";

interface Loaded {
  /** Nanoseconds to generate and copy the rows, to make the indexes and the ranks, and to VACUUM. */
  readonly times: Readonly<Record<Step, number>>;
  readonly bytes: number;
  /** Email addresses from all over the Contacts. */
  readonly emails: readonly string[];
}

interface Measured {
  /** With its version. */
  readonly name: string;
  /** All servers are loaded at the same time. */
  readonly times: Loaded["times"];
  readonly bytes: number;
  readonly calls: readonly Call[];
}

interface Call {
  readonly label: string;
  readonly timing: Timing;
  /** The same for the same answer. */
  readonly digest: string;
}

interface At {
  readonly size: number;
  readonly places: Readonly<Record<string, Measured>>;
}

export interface ScaleResults extends At {
  /** The same with a tenth of the Contacts. */
  readonly before: At;
}

type Parameters = Readonly<GetBatchContactsParameters>;

const BATCH = "1";
const LOOKUPS = 64;
const INDEXES: ServiceIndexes = {
  contacts: [
    ...(["contact_email", "send_time", "last_open_time", "send_status"] as const),
    ["open_type", { listField: "Email" }],
  ],
};

const RANKS = { contacts: ["contact_email"] } as const;

/** What a server of that size would be given. */
const SETTINGS = ["shared_buffers=1GB", "maintenance_work_mem=1GB", "max_wal_size=16GB"];

/** The calls by which places are compared. */
export const CALLS = {
  lookup: "a lookup by email address",
  page: "two `exactly`, one `contains`, by last open, 20 at 40",
  middle: "50 from the middle by email address",
} as const;

export const BY_RANKS = ", by ranks";

const asked = (size: number, emails: readonly string[]): Record<string, readonly Parameters[]> => ({
  [CALLS.lookup]: emails.map((email) => [BATCH, [["contact_email", "exactly", email]]]),
  [CALLS.page]: [
    [
      BATCH,
      [
        ["send_status", "exactly", "completed"],
        ["open_type", "exactly", "html"],
        ["contact_email", "contains", "gmail"],
      ],
      ...([20, 40, "last_open_time", "DESC"] as const),
    ],
  ],
  "the first 50 by send time": [[BATCH, null, 50, 0, "send_time", "DESC"]],
  [CALLS.middle]: [[BATCH, null, 50, size / 2, "contact_email", "ASC"]],
  "100 from the middle": [[BATCH, null, 100, size / 2]],
  "those of one `open_type` by the List Field Email, 50 at a tenth": [
    [BATCH, [["open_type", "exactly", "html"]], 50, size / 10, "Email", "ASC"],
  ],
});

export const tasks = {
  /** Loads Contacts into servers, each of which is a shard. */
  async loadShards(ports: readonly number[], size: number): Promise<Loaded> {
    const pools = ports.map(poolOf);
    const clients = await Promise.all(pools.map((pool) => pool.connect()));
    const shards = ports.map((_, place): Shard => ({ place, count: ports.length }));
    const sendEach = (statementsOf: (shard: Shard) => Iterable<Statement>) =>
      Promise.all(
        clients.map(async (client, i) => {
          for (const statement of statementsOf(shards[i] ?? THE_ONLY)) {
            await send(client, statement);
          }
        }),
      );
    const made = (options: Pick<CreateTablesOptions, "only" | "indexes">) => (shard: Shard) => [
      ...createTables({ dialect: "postgres", textColumns: "virtual", shard, ...options }),
    ];
    await sendEach(made({ only: "tables" }));

    const emails: string[] = [];
    const [list] = generateLazyBatch({ count: size, lists: 1, seed: 1 }).lists;
    const each = function* (): Generator<SyntheticContact> {
      let i = 0;
      for (const contact of list?.contacts ?? []) {
        if (i++ % Math.ceil(size / LOOKUPS) === 0) emails.push(contact.contact_email);
        yield contact;
      }
    };
    const batch = { id: BATCH, lists: [{ id: 101, fields: list?.fields, contacts: each() }] };
    const rows = await clock(async () => {
      let sent: Promise<unknown> = Promise.resolve();
      for (const statement of insertRows({ dialect: "postgres", batch, copy: true })) {
        await sent;
        // The next statement is made while servers take this one.
        sent = sendEach((shard) => [partOf(statement, shard)]);
      }
      await sent;
    });

    const plain = made({ only: "indexes", indexes: INDEXES });
    const indexes = await clock(() => sendEach(plain));
    const all = made({ only: "indexes", indexes: { ...INDEXES, ranks: RANKS } });
    // Ranks come last.
    const ranks = await clock(() => sendEach((shard) => all(shard).slice(plain(shard).length)));
    const settling = await clock(() => Promise.all(clients.map((c) => c.query("VACUUM ANALYZE"))));
    for (const client of clients) client.release();
    let bytes = 0;
    for (const [i, pool] of pools.entries()) {
      const shard = shards[i] ?? THE_ONLY;
      await change({ dialect: "postgres", run: driverOf(pool) }, NOTHING, { shard, generation: 1 });
      bytes += await bytesIn(pool);
      await pool.end();
    }
    return { times: { rows, indexes, ranks, settling }, bytes, emails };
  },

  async calls(
    ports: readonly number[],
    size: number,
    emails: readonly string[],
    rounds: Rounds,
  ): Promise<{ readonly name: string; readonly calls: readonly Call[] }> {
    const pools = ports.map(poolOf);
    const runs = pools.map(driverOf);
    const services = {
      "": createSqlService({ dialect: "postgres", run: runs }),
      [BY_RANKS]: createSqlService({ dialect: "postgres", run: runs, ranks: RANKS }),
    };
    const tables = runs.map((run) => createSqlCollection({ ...CONTACTS, run }));
    const counted = async () => {
      const counts = await Promise.all(
        tables.map((table) =>
          table.count([
            ["batch", "exactly", BATCH],
            ["status", "exactly", "failed"],
          ]),
        ),
      );
      return counts.reduce((sum, each) => sum + each, 0);
    };
    const calls: Record<string, () => unknown> = { "a count by an index": counted };
    const answers: Record<string, unknown> = { "a count by an index": await counted() };
    for (const [label, parameters] of Object.entries(asked(size, emails))) {
      for (const [how, service] of Object.entries(services)) {
        // Ranks are for pages without criteria that are far from the start.
        const [[, criteria, , offset] = []] = parameters;
        if (how !== "" && (criteria !== null || offset === 0)) continue;
        const ask = (given: Parameters) => service.getBatchContacts(...given);
        calls[label + how] = inTurns(ask, parameters);
        const found: unknown[] = [];
        for (const given of parameters) found.push(await ask(given));
        answers[label + how] = found;
        if (JSON.stringify(found) !== JSON.stringify(answers[label])) {
          throw new Error(`${label}: ranks give another answer`);
        }
      }
    }
    const timings: Call[] = [];
    for (const [label, call] of Object.entries(calls)) {
      const { timing } = await timeInTurns({ timing: call }, rounds);
      const digest = createHash("sha256").update(JSON.stringify(answers[label])).digest("hex");
      timings.push({ label, timing, digest });
    }
    const [first] = pools;
    const name = first === undefined ? "" : await versionOf(first);
    await Promise.all(pools.map((pool) => pool.end()));
    return { name, calls: timings };
  },
};

const THE_ONLY: Shard = { place: 0, count: 1 };

/** What a shard has of a COPY: making rows once for all takes less time than `shard` of `insertRows`, once for each. */
function partOf({ data, ...statement }: Statement, { place, count }: Shard): Statement {
  if (data === undefined || !statement.text.startsWith('COPY "tercet_contacts"')) {
    return { ...statement, data };
  }
  const lines = data
    .split(/(?<=\n)/u)
    .filter((line) => Number(line.split("\t", 2)[1]) % count === place);
  return { ...statement, data: lines.join("") };
}

const CONTACTS = {
  schema: defineSchema({ batch: int(), status: string() }),
  dialect: "postgres",
  table: "tercet_contacts",
  columns: { batch: "batch_id", status: "send_status" },
  position: "position",
} as const;

const poolOf = (port: number) =>
  new pg.Pool({ host: "127.0.0.1", port, user: "tercet", database: "postgres" });

const call = callerOf<typeof tasks>();

export const scale = figure("scale", {
  isExtra: true,
  chapter: "uses",
  tasks,
  steps: () => 8,
  async measure(run): Promise<ScaleResults> {
    const before = await scaleAt(run.plan.size / 10, run);
    return { ...(await scaleAt(run.plan.size, run)), before };
  },
  merge: ([first, ...others]) => {
    if (first === undefined) throw new Error("there are no results");
    const befores = [first, ...others].map(({ before }) => before);
    return { ...joinedAt([first, ...others]), before: joinedAt(befores) };
  },
  sections: (results) => [sectionOf(results)],
});

/** @throws Error if they are of different sizes, or give different answers */
function joinedAt(all: readonly At[]): At {
  const size = all[0]?.size ?? 0;
  const places = joined(
    "place",
    all.map(({ size, places }) => [size, places]),
  );
  const [[, first] = [], ...others] = present(places);
  for (const [place, { calls }] of others) {
    const wrong = calls.find(({ digest }, i) => digest !== first?.calls[i]?.digest);
    if (wrong !== undefined) throw new Error(`${place} gives another answer: ${wrong.label}`);
  }
  return { size, places: Object.fromEntries(present(places)) };
}

async function scaleAt(size: number, run: Run): Promise<At> {
  const found: At[] = [];
  for (const [place, count] of Object.entries(PLACES)) {
    if (!run.plan.engines.includes(place)) continue;
    const servers: PostgresServer[] = [];
    try {
      for (let i = 0; i < count; i++) servers.push(await startPostgres({ settings: SETTINGS }));
      found.push({ size, places: { [place]: await measured(place, servers, size, run) } });
    } finally {
      await Promise.all(servers.map((server) => server.close()));
    }
  }
  return joinedAt(found);
}

async function measured(
  place: string,
  servers: readonly PostgresServer[],
  size: number,
  { plan, step }: Run,
): Promise<Measured> {
  const ports = servers.map(({ port }) => port);
  const { times, bytes, emails } = await step(`${place}: loading ${contacts(size)}`, () =>
    call("loadShards", [ports, size]),
  );
  const found = await step(`${place}: asking`, () =>
    call("calls", [ports, size, emails, plan.rounds]),
  );
  return { ...found, times, bytes };
}

/** `undefined` if it was not measured. */
export const scaleSection = ({ scale }: Results): Section | undefined => scale && sectionOf(scale);

function sectionOf({ size, places, before }: ScaleResults): Section {
  const names = Object.keys(places);
  const rowOf = (label: string, of: (at: At, measured: Measured) => number, inWords = time) => [
    label,
    ...names.flatMap((name) => {
      const [small, large] = [before, { size, places }].map((at) => {
        const measured = at.places[name];
        return measured === undefined ? NaN : of(at, measured);
      });
      return [
        inWords(small ?? NaN),
        inWords(large ?? NaN),
        digits((large ?? NaN) / (small ?? NaN)),
      ];
    }),
  ];
  const timeOf =
    (label: string) =>
    (_: At, { calls }: Measured) =>
      calls.find((each) => each.label === label)?.timing.median ?? NaN;
  const labels = new Set(
    Object.values(places).flatMap(({ calls }) => calls.map(({ label }) => label)),
  );
  return {
    title: `PostgreSQL with ${contacts(size)}`,
    note: "Medians of `getBatchContacts`, by the service over one server, and over two that it asks each; the count is that of a collection over the table, of each server. The last column of each place says how many times as much ten times the Contacts cost. Contacts come from a generator and are copied, to both shards at once. Integers have their texts in virtual columns; ranks are those of the email address and of the position.",
    head: [
      "",
      ...names.flatMap((name) => [`${name}, ${count(before.size)}`, count(size), "times"]),
    ],
    rows: [
      rowOf("copying the rows", (_, { times }) => times.rows),
      rowOf("making the indexes", (_, { times }) => times.indexes),
      rowOf("making the ranks", (_, { times }) => times.ranks),
      rowOf("`VACUUM ANALYZE`", (_, { times }) => times.settling),
      rowOf("bytes of a Contact", ({ size }, { bytes }) => bytes / size, digits),
      ...Array.from(labels, (label) => rowOf(label, timeOf(label))),
    ],
  };
}
