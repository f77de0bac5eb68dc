// Records of one's own: orders of 12 fields, with numbers, booleans, texts and JSON, in a database. Each peer
// loads them in a process of its own, answers what a list view asks, changes one, keeps live queries, and
// saves them; a fresh process opens what was saved. Answers are compared with a loop's before they are timed.

import { statSync } from "node:fs";
import { join } from "node:path";
import {
  figure,
  peersOf,
  rowsOfEach,
  stepOfEach,
  unansweredOf,
  type OfEach,
  type Reasons,
  type RowNumber,
} from "../figure.ts";
import { bytesIn, withFolder } from "../files.ts";
import { count, megabytes, time } from "../format.ts";
import { callerOf } from "../host.ts";
import {
  clock,
  heapInUse,
  inTurns,
  once,
  residentInUse,
  timeInTurns,
  timingOf,
  turns,
  type Rounds,
} from "../measure.ts";
import { duckdb } from "../own/duckdb.ts";
import { loki } from "../own/loki.ts";
import { loop } from "../own/loop.ts";
import { ordersOf, PAGES, SUMMED, TEXTS, type Summed } from "../own/orders.ts";
import type { Found, OwnEntry, OwnPeer } from "../own/peer.ts";
import { sqlite } from "../own/sqlite.ts";
import { tanstack } from "../own/tanstack.ts";
import { tercet } from "../own/tercet.ts";
import { isMissing, missing, type Missing, type Timing } from "../results.ts";

const PEERS: Readonly<Record<string, OwnEntry>> = {
  tercet,
  loop,
  lokijs: loki,
  "@tanstack/db": tanstack,
  "better-sqlite3": sqlite,
  duckdb,
};

interface Own {
  readonly load: number;
  readonly memory: number;
  readonly answers: Readonly<Record<"lookup" | "page" | "search" | "summary", Timing>>;
  readonly update: Timing;
  /** Under live queries, one of which it affects. */
  readonly watched?: Timing;
  readonly save?: number;
  readonly file?: number;
  /** In a fresh process, with the first lookup. */
  readonly open?: number;
}

interface OwnResults {
  readonly size: number;
  readonly peers: OfEach<Own>;
}

const WATCHERS = 1000;
const UPDATES = 500;

const NUMBERS: readonly RowNumber<Own>[] = [
  ["own: load and index", ({ load }) => load],
  ["own: memory", ({ memory }) => memory, "bytes"],
  ["own: lookup", ({ answers }) => answers.lookup.median],
  ["own: filter, two sort fields, a page", ({ answers }) => answers.page.median],
  ["own: search in any case", ({ answers }) => answers.search.median],
  ["own: summary", ({ answers }) => answers.summary.median],
  ["own: update of one field", ({ update }) => update.median],
  [`own: the same, ${count(WATCHERS)} live queries`, ({ watched }) => watched?.median],
  ["own: save", ({ save }) => save],
  ["own: file", ({ file }) => file, "bytes"],
  ["own: open and first lookup", ({ open }) => open],
];

const reasons: Reasons = {
  "They keep the objects that they are given; tercet checks and copies each record and the objects in it. LokiJS then sorts three fields; tercet indexes six, and the trigrams of the titles.":
    { "own: load and index": ["loop", "lokijs"] },
  "It loads columns and has one index. tercet makes a frozen record of each order, indexes of six fields and trigrams of the titles.":
    { "own: load and index": ["duckdb"], "own: memory": ["duckdb"] },
  "They keep the objects that they are given, and LokiJS the positions of three fields. tercet holds indexes beside its records: orders of six fields, and the trigrams of one.":
    { "own: memory": ["loop", "lokijs"] },
  "SQLite's rows are bytes in pages; tercet's records are objects, with further objects for JSON.":
    {
      "own: memory": ["better-sqlite3"],
    },
  "It looks the key up in a Map. `get` checks the key first, then finds the row by the code of its value.":
    { "own: lookup": ["lokijs"] },
  "It was given an index of the four fields together, in the order of the page. tercet has an index for each field: it takes the rows of a quantity, looks the state and the country of each up, which is most of the time, and orders those that are left.":
    { "own: filter, two sort fields, a page": ["better-sqlite3"] },
  "It changes bytes in a page. tercet makes a new version of the record and of the collection, and finds the listeners to call, in code that V8 is still compiling: of 3,000 updates in a row, the first 500 took 98 and 111 µs each in two processes, and the last 500 29 and 86.":
    { "own: update of one field": ["better-sqlite3"] },
  "A store is columns, each with its distinct values in order, by which it opens without reading records: saving turns every text into bytes, finds the distinct ones and sorts them. The others write their records as they are.":
    { "own: save": ["loop", "lokijs", "better-sqlite3", "duckdb"] },
  "It compresses its columns and keeps one index.": { "own: file": ["duckdb"] },
  "It reads a few pages of its file. tercet also checks the file's directory and the checksums of the pages that it reads: one of each field and dictionary for a record.":
    { "own: open and first lookup": ["better-sqlite3"] },
};

const tasks = {
  async own(name: string, size: number, rounds: Rounds, limit: number): Promise<Own | Missing> {
    return await withFolder(async (folder) => {
      const path = join(folder, "orders");
      const entry = entryOf(name);
      const inUse = entry.isNative === true ? residentInUse : heapInUse;
      const before = inUse();
      const peer = await entry.create(path);
      const load = await loaded(peer, size);
      const memory = inUse() - before;
      const { ids, wrong } = await wrongAnswer(peer, await rightAnswers(size), size);
      if (wrong !== undefined) return { wrong };
      const answers = await timeInTurns(
        {
          lookup: inTurns((id) => peer.lookup(id), ids),
          page: inTurns(([state, country]) => peer.page(state, country), PAGES),
          search: inTurns((text) => peer.search(text), TEXTS),
          summary: () => peer.summary(SUMMED),
        },
        rounds,
      );
      const update = await updates(peer, ids);
      let watched: Timing | undefined;
      if (peer.watch !== undefined) {
        let told = 0;
        for (const id of ids) await peer.watch(id, () => told++);
        told = 0;
        watched = await updates(peer, ids);
        if (told !== UPDATES) return { wrong: `${told} of ${UPDATES} changes were reported` };
      }
      const save = peer.save && (await clock(() => peer.save?.()));
      return {
        load,
        memory,
        answers,
        update,
        ...(watched && { watched }),
        ...(save !== undefined && {
          save,
          file: statSync(path).isDirectory() ? bytesIn(path) : bytesIn(folder),
          open: await call("openOwn", [name, path, size], limit),
        }),
      };
    });
  },

  /** Opens what a peer has saved. */
  async openOwn(name: string, path: string, size: number): Promise<number> {
    const { open } = entryOf(name);
    const id = Math.floor(size / 2);
    let found: Found = [];
    const time = await once(async () => {
      found = (await (await open?.(path))?.lookup(id)) ?? [];
    });
    if (idsOf(found) !== String(id)) throw new Error("the order that was saved is not found");
    return time;
  },
};

const call = callerOf<typeof tasks>();

export const own = figure("own", {
  tasks,
  isExtra: true,
  chapter: "uses",
  reasons,
  steps: (plan) => peersOf(plan, Object.keys(PEERS)).length,
  async measure(run): Promise<OwnResults> {
    const { size, rounds, limits } = run.plan;
    const peers = await stepOfEach(
      run,
      "own records of",
      peersOf(run.plan, Object.keys(PEERS)),
      (name) => call("own", [name, size, rounds, limits.load], 6 * limits.load),
    );
    return { size, peers };
  },
  rows: ({ size, peers }) => rowsOfEach(size, peers, NUMBERS),
  unanswered: ({ peers }) => unansweredOf(peers, "own records"),
  sections: ({ size, peers }) => [
    {
      title: `${count(size)} orders of one's own`,
      note: "12 fields: 4 int, 2 float, 1 boolean, 4 string, 1 JSON. Loading includes indexes; memory is V8's heap with array buffers, or resident memory for native code. An update sets one field and ends when every affected listener has been called. Opening is in a fresh process that has loaded the code.",
      head: ["what", ...Object.keys(peers)],
      rows: rowsOfEach(size, peers, NUMBERS).map(({ name, unit, values }) => [
        name.slice("own: ".length),
        ...Object.entries(peers).map(([peer, each]) => {
          if (isMissing(each)) return missing(each);
          const value = values[peer];
          if (value === undefined) return "";
          return unit === "time" ? time(value) : `${megabytes(value)} MB`;
        }),
      ]),
    },
  ],
});

function entryOf(name: string): OwnEntry {
  const entry = PEERS[name];
  if (entry === undefined) throw new Error(`${name} has no orders`);
  return entry;
}

/** A separate function, so that the orders are garbage when it returns, unless the peer holds them. */
async function loaded(peer: OwnPeer, size: number): Promise<number> {
  const orders = ordersOf(size);
  return await once(() => peer.load(orders));
}

interface Right {
  readonly pages: readonly string[];
  readonly found: readonly string[];
  readonly summed: Summed;
}

const idsOf = (found: Found): string => Array.from(found, ({ id }) => String(id)).join();

/** What a loop answers. */
async function rightAnswers(size: number): Promise<Right> {
  const peer = await loop.create("");
  await peer.load(ordersOf(size));
  return {
    pages: await Promise.all(PAGES.map(async (page) => idsOf(await peer.page(...page)))),
    found: await Promise.all(TEXTS.map(async (text) => idsOf(await peer.search(text)))),
    summed: await peer.summary(SUMMED),
  };
}

/** @returns also the ids that are looked up and changed */
async function wrongAnswer(peer: OwnPeer, { pages, found, summed }: Right, size: number) {
  const step = Math.max(1, Math.floor(size / WATCHERS));
  const ids = Array.from({ length: WATCHERS }, (_, i) => (i * step) % size);
  const wrong = async () => {
    for (const id of ids.slice(0, 10)) {
      if (idsOf(await peer.lookup(id)) !== String(id)) return `order ${id}`;
    }
    for (const [i, page] of PAGES.entries()) {
      if (idsOf(await peer.page(...page)) !== pages[i]) return `the page of ${page.join(", ")}`;
    }
    for (const [i, text] of TEXTS.entries()) {
      if (idsOf(await peer.search(text)) !== found[i]) return `the search for ${text}`;
    }
    const { sum, ...others } = await peer.summary(SUMMED);
    // A sum of floats depends on their order.
    const isSame =
      Math.abs(sum / summed.sum - 1) < 1e-9 &&
      others.count === summed.count &&
      others.minimum === summed.minimum &&
      others.maximum === summed.maximum;
    return isSame ? undefined : "the summary";
  };
  return { ids, wrong: await wrong() };
}

/** Each sets the total of one order to a new value. */
async function updates(peer: OwnPeer, ids: readonly number[]): Promise<Timing> {
  const next = turns(ids);
  const samples: number[] = [];
  for (let i = 0; i < UPDATES; i++) {
    const total = 2000 + samples.length + Math.random();
    samples.push(await clock(() => peer.update(next(), total)));
  }
  return timingOf(samples);
}
