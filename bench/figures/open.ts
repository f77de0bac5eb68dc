// Opening what was saved: each peer saves its contacts as a file, in a process that then ends; then
// fresh processes open the file and answer their first questions, the peers in turns. The file is in
// the system's page cache, as it was just written. For tercet also: what queries of an opened file cost
// compared with objects, what durable updates cost, and imports.

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Collection, Service } from "../../src/index.ts";
import { createStore, openFile, saveFile } from "../../src/store/index.ts";
import { call as ask } from "../compare.ts";
import { wireContacts } from "../contacts.ts";
import {
  contacts,
  figure,
  peersOf,
  rowsOfEach,
  type OfEach,
  type Reasons,
  type RowNumber,
  type Run,
} from "../figure.ts";
import { bytesIn, withFolder } from "../files.ts";
import { digits, megabytes, time } from "../format.ts";
import type { FreshTasks, Opening, SourceFormat } from "../fresh.ts";
import { callerOf, orMissing } from "../host.ts";
import { flatContacts } from "../load.ts";
import {
  clock,
  collectGarbage,
  heapInUse,
  inTurns,
  once,
  timeInTurns,
  timingOf,
  type Rounds,
} from "../measure.ts";
import { FILE_PEERS } from "../peers/files.ts";
import { prepareAll, tercetRun } from "../peers/tercet-run.ts";
import { collectionOfFlat } from "../peers/tercet-flat.ts";
import { serviceOf } from "../peers/tercet.ts";
import { fittedQueries } from "../reference.ts";
import { isMissing, reasonOf, type Missing, type Timing } from "../results.ts";

/** A file that was opened by several fresh processes. */
interface Opened {
  readonly save: number;
  readonly bytes: number;
  readonly imported: Timing;
  readonly open: Timing;
  readonly lookup: Timing;
  readonly page: Timing;
  readonly resident: number;
}

/** A collection from a file, compared with one of objects. */
interface OpenedQueries {
  readonly queries: readonly {
    readonly label: string;
    readonly objects: Timing;
    readonly opened: Timing;
  }[];
  /** What it holds after every record was read. */
  readonly bytes: number;
}

/** What one thing costs, once: a time, bytes, or the bytes that a process had at most. */
type Cost = { readonly label: string } & (
  | { readonly time: number }
  | { readonly bytes: number }
  | { readonly resident: number }
);

interface OpenResults {
  readonly size: number;
  readonly peers: OfEach<Opened>;
  /** Of tercet alone. */
  readonly warm?: OpenedQueries;
  readonly costs?: readonly Cost[];
}

/** How many fresh processes open a file. */
const OPENINGS = 7;
/** The lookup of one contact, and 50 by email address from the middle on. */
const QUESTIONS = [1, 9];
/** How many updates are synced, and how many writes of the same size without tercet. */
const UPDATES = 100;

type Contacts = Service["batches"][string]["contacts"];

/** From before the import to the first answer. */
const firstLookup = ({ imported, open, lookup }: Opened) =>
  imported.median + open.median + lookup.median;

const NUMBERS: readonly RowNumber<Opened>[] = [
  ["opening and first lookup", firstLookup],
  ["first page after opening", ({ page }) => page.median],
  ["resident after opening", ({ resident }) => resident, "bytes"],
  ["saving", ({ save }) => save],
  ["file", ({ bytes }) => bytes, "bytes"],
];

const SQLITE = ["better-sqlite3", "node:sqlite"];

const reasons: Reasons = {
  "SQLite has all fields of a row in one page. tercet stores columns: for each contact it reads a page of each of 27 columns, verifies its checksum, and keeps it. V8 compiles this code while it runs for the first time.":
    { "first page after opening": SQLITE, "resident after opening": SQLITE },
  "It read all contacts and made objects of them when it opened.": {
    "first page after opening": ["lokijs"],
  },
  "Most of it is code that V8 reads and runs for the first time, while SQLite is machine code. Of 40 to 44 ms of processor time the import has 26, opening 7 and the lookup 4 to 8. Tried: a bundle of `openFile` alone, 34 to 35 in all, of which V8 reads for 10, and with shorter names 30; checking and repairing left out, 12 of 601 kB, no gain; the same with empty bodies for all functions that are not called, the least that any splitting could reach, 32; V8's code from the last run, 16 to 18, while SQLite took 12 to 17. Node.js 24 keeps such code with `module.enableCompileCache()`, which only a program should call. Nothing can be loaded later, either: a collection answers without waiting, and in Node.js 20 a module can't be loaded without.":
    { "opening and first lookup": SQLITE },
  "It compresses columns, on both cores. tercet checks records, builds an index of each field and trigrams of two, and writes them.":
    { saving: ["duckdb"] },
  "It compresses its columns and keeps no index. tercet's columns and indexes are uncompressed, to be read in place.":
    { file: ["duckdb"] },
};

/** Why a lookup takes longer in a file. */
const LOOKUPS =
  "A lookup in a file is a binary search among the bytes of all values, one in memory a step in a hash table. Both first compare what was found last with the same mark: 636 to 767 ns instead of 996 to 1,100, where objects take 477 to 514 (1,000,000 contacts). In use: the text is encoded by a loop, 542 to 647 ns instead of 588 to 672 (200,000 contacts). Tried: searching the first six bytes of each 64th value first, 986 to 1,000 ns instead of 1,100. Tried without a gain: comparing only the bytes behind those that both ends of the search share, 571 to 599 ns instead of 558 to 647.";
/** Why all records of a value take longer. */
const RECORDS =
  "The records of query 3 are made and held by its first call; later ones find each by its row. In use: a place for each row, 109 to 115 µs where objects take 62 to 64; with four places for all rows of the same lowest bits it was 167 to 172. Tried: eight such places, 125 to 128; a copy of the last answer, 136 to 143, which helps no other query.";
/** Why updates do not share a sync. */
const SYNCED =
  "An update returns once it is on disk, so none can begin while another one is synced: there is no group that could share a sync, except the changes of one `update`, which do. The rest of its time is making the change and its patches, most of it in code that V8 has run a few hundred times: 216 to 355 µs, and 126 to 159 after 4,000 updates (200,000 contacts, a busy machine). Tried without a clear gain: a journal whose bytes exist before they are written. Tried: a journal opened with `O_DSYNC`, one write in 283 to 327 µs, where a write and `fdatasync` take 251 to 274.";

const tasks = {
  /** The queries over a collection from a file and over one of objects: in one process, in turns. */
  opened: (size: number, ids: readonly number[], rounds: Rounds): Promise<OpenedQueries> =>
    withFolder(async (folder) => {
      const asked = fittedQueries(flatContacts(size), ids);
      const objects = preparedObjects(size);
      const file = join(folder, "contacts");
      saveFile(file, objects);
      const before = heapInUse();
      const collection = openFile(file);
      prepareAll(collection);
      const queries: OpenedQueries["queries"][number][] = [];
      for (const query of asked) {
        const { id, label, values } = query;
        const [own, other] = [tercetRun(objects, query), tercetRun(collection, query)];
        const [first = []] = values;
        if (JSON.stringify(await other(first)) !== JSON.stringify(await own(first))) {
          throw new Error(`query ${id} is answered wrongly from the file`);
        }
        const runs = { objects: inTurns(own, values), opened: inTurns(other, values) };
        queries.push({ label: `${id} ${label}`, ...(await timeInTurns(runs, rounds)) });
      }
      let touched = 0;
      for (const record of collection) touched += Object.keys(record).length > 0 ? 1 : 0;
      if (touched !== size) throw new Error(`${touched} contacts are in the file`);
      // What weak references lead to is held until the turn of the event loop has ended.
      await setImmediate();
      const bytes = heapInUse() - before;
      // Both must still be there when the heap is looked at.
      if (objects.size !== collection.size) throw new Error("the collections differ in size");
      return { queries, bytes };
    }),

  costs: (size: number): Promise<Cost[]> =>
    withFolder(async (folder) => [
      ...(await savingCosts(size, folder)),
      ...(await updateCosts(size, folder)),
    ]),
};

const call = callerOf<typeof tasks>();
const callFresh = callerOf<FreshTasks>("fresh");

export const open = figure("open", {
  isExtra: true,
  tasks,
  reasons,
  measure: (run) => withFolder((folder) => measureOpening(run, folder)),
  rows: ({ size, peers }) => rowsOfEach(size, peers, NUMBERS),
  sections: ({ size, peers, warm, costs }) => [
    {
      title: `Opening ${contacts(size)}`,
      note: "Fresh processes, medians; the file is in the system's page cache. First lookup: from the import of the package to the answer. Resident: the growth of the process until both queries were answered.",
      head: [
        ...["peer", "file, MB", "import", "open", "lookup", "first lookup, all in", "50 by email"],
        ...["resident, MB", "saving"],
      ],
      rows: Object.entries(peers).map(([peer, each]) =>
        isMissing(each)
          ? [peer, reasonOf(each), "", "", "", "", "", "", ""]
          : [
              peer,
              megabytes(each.bytes),
              time(each.imported.median),
              time(each.open.median),
              time(each.lookup.median),
              time(firstLookup(each)),
              time(each.page.median),
              megabytes(each.resident),
              time(each.save),
            ],
      ),
    },
    ...(warm === undefined
      ? []
      : [
          {
            title: `Queries over ${contacts(size)} from a file`,
            note: `Median time of a call, warm, compared with a collection of objects. The opened collection holds ${digits(warm.bytes / size)} bytes a contact after every record was read. ${LOOKUPS} ${RECORDS}`,
            head: ["query", "objects", "opened", "ratio"],
            rows: warm.queries.map(({ label, objects, opened }) => [
              label,
              time(objects.median),
              time(opened.median),
              digits(opened.median / objects.median),
            ]),
          },
        ]),
    ...(costs === undefined
      ? []
      : [
          {
            title: `What lasts costs, ${contacts(size)}`,
            note: SYNCED,
            head: ["what", "", "bytes a contact"],
            rows: costs.map((cost) => {
              if ("time" in cost) return [cost.label, time(cost.time), ""];
              if ("resident" in cost) return [cost.label, `${megabytes(cost.resident)} MB`, ""];
              return [cost.label, `${megabytes(cost.bytes)} MB`, digits(cost.bytes / size)];
            }),
          },
        ]),
  ],
});

async function measureOpening(run: Run, folder: string): Promise<OpenResults> {
  const { plan, progress } = run;
  const { size, queries, rounds } = plan;
  const seconds = 8 * plan.limits.load;
  progress.say("opening: the reference's answers");
  const [lookup, page] = await ask("questions", [size, QUESTIONS], seconds);
  if (lookup === undefined || page === undefined) throw new Error("there are no questions");
  const names = peersOf(plan, Object.keys(FILE_PEERS));
  const peers: Record<string, Opened | Missing> = {};
  const opened = new Map<string, { file: string; save: number; taken: Opening[] }>();
  for (const [i, name] of names.entries()) {
    progress.say(`opening: ${name} saves`);
    mkdirSync(join(folder, String(i)));
    const file = join(folder, String(i), "contacts");
    const save = await orMissing(callFresh("save", [name, file, size], seconds));
    if (typeof save === "number") opened.set(name, { file, save, taken: [] });
    else peers[name] = save;
  }
  for (let round = 0; round < (plan.quick ? 2 : OPENINGS); round++) {
    for (const [name, { file, taken }] of opened) {
      progress.say(`opening: ${name} opens`);
      const each = await orMissing(callFresh("open", [name, file, lookup, page], seconds));
      if (isMissing(each)) {
        peers[name] = each;
        opened.delete(name);
      } else taken.push(each);
    }
  }
  for (const [name, { file, save, taken }] of opened) {
    const of = (part: keyof Opening) => timingOf(taken.map((each) => each[part]));
    peers[name] = {
      save,
      bytes: bytesIn(join(file, "..")),
      imported: of("imported"),
      open: of("open"),
      lookup: of("lookup"),
      page: of("page"),
      resident: of("resident").median,
    };
  }
  if (!names.includes("tercet")) return { size, peers };
  progress.say("opening: the queries from a file");
  const warm = await call("opened", [size, queries, rounds], seconds);
  progress.say("opening: what saving costs");
  const costs = await call("costs", [size], seconds);
  for (const format of ["json", "csv"] as const) {
    progress.say(`opening: importing ${format}`);
    costs.push(
      ...(await importCosts(format, size, folder, { seconds, duckdb: names.includes("duckdb") })),
    );
  }
  return { size, peers, warm, costs };
}

async function importCosts(
  format: SourceFormat,
  size: number,
  folder: string,
  { seconds, duckdb }: { readonly seconds: number; readonly duckdb: boolean },
): Promise<Cost[]> {
  const source = join(folder, `source.${format}`);
  const store = join(folder, `store-${format}`);
  const megabytes = (await callFresh("source", [source, format, size], seconds)) / 1e6;
  const { time, resident } = await callFresh("importing", [source, format, store, size], seconds);
  const name = format.toUpperCase();
  // Times are in nanoseconds.
  const speedOf = (time: number) => `${(megabytes / (time / 1e9)).toFixed(0)} MB/s`;
  const costs: Cost[] = [
    { label: `${name} of ${megabytes.toFixed(1)} MB to a store, ${speedOf(time)}`, time },
    { label: `the most that was resident, importing ${name}`, resident },
  ];
  if (format === "csv" && duckdb) {
    const file = join(folder, "duckdb-csv");
    const theirs = await orMissing(callFresh("importingDuckdb", [source, file, size], seconds));
    if (typeof theirs === "number") {
      const ratio = `tercet's takes ${digits(time / theirs)} times as long`;
      const label = `the same CSV to a file of DuckDB with one index, ${speedOf(theirs)}; ${ratio}`;
      costs.push({ label, time: theirs });
    }
  }
  rmSync(source);
  rmSync(store, { recursive: true });
  return costs;
}

/** A function of its own, so that the contacts are garbage when it returns. */
function preparedObjects(size: number): Collection {
  const objects = collectionOfFlat(flatContacts(size));
  prepareAll(objects);
  return objects;
}

async function savingCosts(size: number, folder: string): Promise<Cost[]> {
  const all = flatContacts(size);
  let made = collectionOfFlat([]);
  const create = await once(() => void (made = collectionOfFlat(all)));
  const saved = async (name: string, collection: Parameters<typeof saveFile>[1], options = {}) => {
    const file = join(folder, name);
    const time = await once(() => saveFile(file, collection, options));
    return { file, time, bytes: statSync(file).size };
  };
  const objects = await saved("bare", made, { orders: "none" });
  prepareAll(made);
  const indexed = await saved("whole", made);
  const columns = await saved("again", openFile(indexed.file));
  return [
    { label: "createCollection of objects", time: create },
    { label: "saveFile, from objects without an index", time: objects.time },
    { label: "saveFile, from objects with the indexes of the queries", time: indexed.time },
    { label: "saveFile, from a file that was opened", time: columns.time },
    { label: "file without orders and trigrams", bytes: objects.bytes },
    { label: "file with those of the queries", bytes: indexed.bytes },
  ];
}

/** Updates of one contact each that are on disk when they return, and as many bytes written and synced. */
async function updateCosts(size: number, folder: string): Promise<Cost[]> {
  const emails = Array.from(wireContacts(UPDATES), (contact) => contact.contact_email);
  const place = join(folder, "store");
  const store = createStore(place, preparedService(size));
  const name = readdirSync(place).find((each) => each.startsWith("journal"));
  if (name === undefined) throw new Error("the store has no journal");
  const journal = join(place, name);
  const before = statSync(journal).size;
  let time = 0;
  const changing = (change: (contacts: Contacts, email: string) => Contacts) => (email: string) => {
    store.update((draft) => {
      const batch = draft.batches["1"];
      if (batch === undefined) throw new Error("there is no Batch 1");
      batch.contacts = change(batch.contacts, email);
    });
  };
  const byRecipe = changing((contacts, email) =>
    contacts.update(
      [["contact_email", "exactly", email]],
      (contact) => void (contact.last_open_time = ++time),
    ),
  );
  const byObject = changing((contacts, email) =>
    contacts.update([["contact_email", "exactly", email]], { last_open_time: ++time }),
  );
  for (const email of emails) byRecipe(email);
  const bytes = Math.round((statSync(journal).size - before) / UPDATES);
  const plain = openSync(join(folder, "plain"), "w");
  const written = Buffer.alloc(bytes, "x");
  const writeAndSync = () => {
    writeSync(plain, written);
    fsyncSync(plain);
  };
  const samples = { recipe: [] as number[], object: [] as number[], sync: [] as number[] };
  collectGarbage();
  for (const email of emails) {
    samples.recipe.push(await clock(() => byRecipe(email)));
    samples.object.push(await clock(() => byObject(email)));
    samples.sync.push(await clock(writeAndSync));
  }
  closeSync(plain);
  store.close();
  const label = `writing and syncing as many bytes, ${bytes}`;
  return [
    {
      label: "an update of one Contact in a store by a recipe, synced",
      time: timingOf(samples.recipe).median,
    },
    {
      label: "the same by an object of new values",
      time: timingOf(samples.object).median,
    },
    { label, time: timingOf(samples.sync).median },
  ];
}

function preparedService(size: number): Service {
  const service = serviceOf(wireContacts(size));
  service.batches["1"]?.contacts.prepare({ match: ["contact_email"] });
  return service;
}
