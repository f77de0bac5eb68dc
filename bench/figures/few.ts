// A few contacts, as in most programs that embed a library. Each measurement is a separate process, which loads them
// and ends after its first updates or queries, so V8 has not compiled the code yet. The peers alternate; they hold
// objects, like tercet.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { call as ask } from "../compare.ts";
import { FIELD_TYPES, wireContacts } from "../contacts.ts";
import type { Asked, Beginning, Openings, Updated } from "../few.ts";
import {
  contacts,
  figure,
  present,
  rowsOfEach,
  shown,
  type OfEach,
  type RowNumber,
  type Run,
} from "../figure.ts";
import { withFolder } from "../files.ts";
import { digits, time } from "../format.ts";
import type { FreshTasks } from "../fresh.ts";
import { callerOf, orMissing } from "../host.ts";
import { flatContacts, latestOpening, spreadOver } from "../load.ts";
import { timingOf } from "../measure.ts";
import { isMissing, reasonOf, type Missing, type Timing } from "../results.ts";

/** What several processes took. */
interface Few {
  readonly imported: Timing;
  readonly load: Timing;
  readonly index: Timing;
  /** Of each process the median. */
  readonly update?: Timing;
  readonly lookup?: Timing;
  /** The first calls, by the number of the query. */
  readonly queries: Readonly<Record<number, Timing>>;
  /** Of loading, indexing if it must, and these calls. */
  readonly answered: Timing;
}

interface FewResults {
  readonly size: number;
  readonly labels: Readonly<Record<number, string>>;
  readonly peers: OfEach<Few>;
}

const SIZE = 10_000;
const PEERS = ["tercet", "loop", "lokijs", "@tanstack/db", "crossfilter2"];
/** How many processes each peer has of a kind. */
const PROCESSES = 11;
/** How many contacts are changed. */
const UPDATES = 100;
/** All but the lookup by a key. */
const QUERIES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

const sumOf = ({ queries }: Few) =>
  Object.values(queries).reduce((sum, { median }) => sum + median, 0);

const NUMBERS: readonly RowNumber<Few>[] = [
  [
    "few: import, load and index",
    ({ imported, load, index }) => imported.median + load.median + index.median,
  ],
  ["few: load and first answers", ({ answered }) => answered.median],
  ["few: update", ({ update }) => update?.median],
  ["few: lookup after an update", ({ lookup }) => lookup?.median],
];

const tasks = {
  /** Writes the contacts as files. @returns those that open */
  fewFiles: (files: { readonly wire: string; readonly flat: string }, size: number): Openings => {
    writeFileSync(files.wire, JSON.stringify([...wireContacts(size)]));
    const flat = flatContacts(size);
    writeFileSync(files.flat, JSON.stringify(flat));
    const emails = spreadOver(flat, UPDATES).map(({ contact_email }) => contact_email);
    return { emails, lastOpened: latestOpening(flat) };
  },
};

const call = callerOf<typeof tasks>();
const callFresh = callerOf<FreshTasks>("fresh");

export const few = figure<FewResults>({
  name: "few",
  what: "10,000 contacts in new processes: import, load, first queries and updates",
  tasks,
  measure: (run) => withFolder((folder) => measureFew(run, folder)),
  rows: ({ peers }) => {
    const scans = Object.entries(peers).filter(([name]) => name === "tercet" || name === "loop");
    return [
      ...rowsOfEach(peers, NUMBERS),
      ...rowsOfEach(Object.fromEntries(scans), [["few: first queries", sumOf]]),
    ];
  },
  sections: ({ size, peers, labels }) => [
    {
      title: `${contacts(size)} in new processes`,
      note: `Medians of ${PROCESSES} processes. Load: from parsed JSON. Update: of one contact by its email address, then its lookup, ${UPDATES} times in a process that has the indexes of all queries. Load and first answers: without these indexes, but for those of LokiJS and crossfilter2, and with the first call of each query in the table below; without the import.`,
      head: [
        ...["peer", "import", "load", "index", "all three", "update", "lookup"],
        "load and first answers",
      ],
      rows: Object.entries(peers).map(([peer, each]) =>
        isMissing(each)
          ? [peer, reasonOf(each), "", "", "", "", "", ""]
          : [
              peer,
              time(each.imported.median),
              time(each.load.median),
              time(each.index.median),
              time(each.imported.median + each.load.median + each.index.median),
              shown(each.update?.median),
              shown(each.lookup?.median),
              time(each.answered.median),
            ],
      ),
    },
    {
      title: `The first queries of new processes, ${contacts(size)}`,
      note: "Medians of the first call, in this order. Ratio: of tercet's time to the loop's, neither with an index of its own when the process begins.",
      head: ["query", ...Object.keys(peers), "ratio"],
      rows: firstRows({ peers, labels }),
    },
  ],
});

function firstRows({ peers, labels }: Pick<FewResults, "peers" | "labels">): string[][] {
  const all = present(peers);
  const { tercet, loop } = Object.fromEntries(all);
  const rowOf = (label: string, of: (each: Few) => number | undefined) => {
    const [own, other] = [tercet && of(tercet), loop && of(loop)];
    return [
      label,
      ...Object.values(peers).map((each) => (isMissing(each) ? "" : shown(of(each)))),
      own === undefined || other === undefined ? "" : digits(own / other),
    ];
  };
  return [
    ...Object.entries(labels).map(([id, label]) =>
      rowOf(`${id} ${label}`, ({ queries }) => queries[Number(id)]?.median),
    ),
    rowOf("all", sumOf),
  ];
}

async function measureFew({ plan, say }: Run, folder: string): Promise<FewResults> {
  const files = { wire: join(folder, "wire.json"), flat: join(folder, "flat.json") };
  say("few: the reference's answers");
  const openings = await call("fewFiles", [files, SIZE]);
  const questions = await ask("questions", [SIZE, QUERIES]);
  const labels = Object.fromEntries(questions.map(({ query: { id, label } }) => [id, label]));
  const names = plan.peers.filter((name) => PEERS.includes(name));
  const taken = new Map(
    names.map((name) => [name, { updated: [] as Updated[], asked: [] as Asked[] }]),
  );
  const missing: Record<string, Missing> = {};
  const { load: seconds } = plan.limits;
  const bothOf = async (name: string) => ({
    updated: await callFresh("fewUpdated", [name, files, FIELD_TYPES, openings], seconds),
    asked: await callFresh("fewAsked", [name, files, FIELD_TYPES, questions], seconds),
  });
  for (let round = 0; round < (plan.quick ? 2 : PROCESSES); round++) {
    for (const [name, { updated, asked }] of taken) {
      say(`few: ${name}, ${round + 1}`);
      const both = await orMissing(bothOf(name));
      if (isMissing(both)) {
        missing[name] = both;
        taken.delete(name);
      } else {
        updated.push(both.updated);
        asked.push(both.asked);
      }
    }
  }
  const peers = names.map((name) => {
    const found = taken.get(name);
    return [name, found === undefined ? missing[name] : fewOf(found.updated, found.asked)] as const;
  });
  return { size: SIZE, labels, peers: Object.fromEntries(peers) as OfEach<Few> };
}

function fewOf(updated: readonly Updated[], asked: readonly Asked[]): Few {
  const of = (part: keyof Beginning) => timingOf(updated.map((each) => each[part]));
  const medians = (part: "updates" | "lookups") =>
    timingOf(updated.map((each) => timingOf(each[part]).median));
  const ids = Object.keys(asked[0]?.queries ?? {}).map(Number);
  const changes = (updated[0]?.updates.length ?? 0) > 0;
  return {
    ...{ imported: of("imported"), load: of("load"), index: of("index") },
    ...(changes ? { update: medians("updates"), lookup: medians("lookups") } : {}),
    queries: Object.fromEntries(
      ids.map((id) => [id, timingOf(asked.map(({ queries }) => queries[id] ?? NaN))]),
    ),
    answered: timingOf(
      asked.map(({ load, index, queries }) =>
        Object.values(queries).reduce((sum, each) => sum + each, load + index),
      ),
    ),
  };
}
