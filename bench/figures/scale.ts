// Tables on disk of 1,000,000 and 10,000,000 rows, and of `--size` if that is more: import, open, the first and later
// answers of new processes, a change and a checkpoint, beside files of DuckDB and SQLite. What a question reads, at the
// speed of the disk's cache, is what it takes at least.

import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import {
  figure,
  rowsOfEach,
  type OfEach,
  type RowNumber,
  type Run,
  type Section,
} from "../figure.ts";
import { count, digits, exponent, megabytes, time } from "../format.ts";
import { callerOf, orMissing } from "../host.ts";
import { clock, longestTurn, residentInUse, timingOf } from "../measure.ts";
import { isMissing, reasonOf, type Missing } from "../results.ts";
import { csvOf, type Calls, type StoredFile } from "../stored/files.ts";
import { STORED_PEERS } from "../stored/index.ts";
import type { OpenTable, StoredPeer } from "../stored/peer.ts";
import { TABLES, type TableName } from "../stored/tables.ts";

/** Times are nanoseconds, processor time included; sizes are bytes. */
interface Imported {
  readonly time: number;
  readonly cpu: number;
  readonly peak: number;
  readonly disk: number;
}

/** A question asked in a new process. */
interface Answered {
  readonly open: number;
  /** The first call, without opening. */
  readonly first: number;
  /** What both have read. */
  readonly read: number | undefined;
  /** The median of further calls, each another one. */
  readonly later: number;
  /** The first answers, so that peers can be compared. */
  readonly answers: string;
}

interface Changed {
  /** The first change, and the median of further ones. */
  readonly first: number;
  readonly later: number;
  readonly checkpoint: number;
  /** The longest turn of the event loop while all questions are asked, a record is changed and it is checkpointed. */
  readonly blocked: number;
  /** What the process has in memory after that, and had at most. */
  readonly memory: number;
  readonly peak: number;
}

interface Measured {
  readonly imported: Imported;
  readonly questions: Readonly<Record<Question, Answered>>;
  readonly changed: Changed;
}

interface OfTable {
  readonly table: TableName;
  readonly size: number;
  /** Bytes of the CSV file. */
  readonly csv: number;
  readonly peers: OfEach<Measured>;
}

interface Scale {
  readonly tables: readonly OfTable[];
  /** Bytes in a second. */
  readonly bandwidth: { readonly file: number; readonly memory: number };
}

const QUESTIONS = ["lookup", "page", "contains", "count"] as const;
type Question = (typeof QUESTIONS)[number];

const LABELS: Readonly<Record<Question, string>> = {
  lookup: "lookup by a unique field",
  page: "page of 50, filtered and sorted",
  contains: "count of six characters",
  count: "count of two criteria",
};

const FOLDER = "bench/node_modules/.cache/scale";
const SIZES = { full: [1_000_000, 10_000_000], quick: [10_000, 100_000] };
/** Contacts have 27 fields; beyond this size only orders are measured. */
const MOST_CONTACTS = 10_000_000;
/** How many further calls there are, unless they take longer than so many milliseconds. */
const LATER = 50;
const PATIENCE = 5000;
/** Seconds an import, and a question, may take for each million rows. */
const LIMIT = 60;

/** A call of a question, by its number. */
function ask(table: OpenTable, calls: Calls, question: Question, i: number): unknown {
  const at = <T>(values: readonly T[]) => values[i % values.length] as T;
  switch (question) {
    case "lookup":
      return table.lookup(at(calls.lookup));
    case "page":
      // A page for each value, and then deeper ones.
      return table.page(at(calls.page), 50 * Math.floor(i / calls.page.length));
    case "contains":
      return table.contains(at(calls.contains));
    case "count":
      return table.count(...at(calls.count));
  }
}

const callsIn = (calls: Calls, question: Question) =>
  question === "page" ? LATER : Math.min(LATER, calls[question].length - 1);

const tasks = {
  scaleFile: (table: TableName, size: number): StoredFile => csvOf(table, size, FOLDER),

  async scaleImport(peer: string, table: TableName, csv: string): Promise<Imported> {
    const folder = folderOf(peer);
    rmSync(folder, { recursive: true, force: true });
    const start = performance.now();
    const cost = await peerOf(peer).import(csv, TABLES[table], folder);
    const taken = (performance.now() - start) * 1e6;
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const own = { cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS * 1024 };
    const { cpu, peak } = cost ?? own;
    return { time: taken, cpu: cpu * 1e9, peak, disk: sizeOf(folder) };
  },

  async scaleAsk(peer: string, name: TableName, calls: Calls, question: Question) {
    const folder = folderOf(peer);
    await peerOf(peer).load?.();
    const before = bytesRead();
    let table: OpenTable | undefined;
    const open = await clock(async () => {
      table = await peerOf(peer).open(TABLES[name], folder, false);
    });
    if (table === undefined) throw new Error("is not open");
    const opened = table;
    let answer: unknown;
    const first = await clock(async () => {
      answer = await ask(opened, calls, question, 0);
    });
    const after = bytesRead();
    const answers = [textOf(answer)];
    const samples: number[] = [];
    const end = performance.now() + PATIENCE;
    for (let i = 1; i <= callsIn(calls, question) && performance.now() < end; i++) {
      samples.push(
        await clock(async () => {
          answer = await ask(opened, calls, question, i);
        }),
      );
      if (i < 3) answers.push(textOf(answer));
    }
    await opened.close();
    return {
      open,
      first,
      read: before === undefined || after === undefined ? undefined : after - before,
      later: timingOf(samples).median,
      answers: answers.join("; "),
    } satisfies Answered;
  },

  async scaleChange(peer: string, name: TableName, calls: Calls): Promise<Changed> {
    await peerOf(peer).load?.();
    const table = await peerOf(peer).open(TABLES[name], folderOf(peer), true);
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const longest = longestTurn();
    for (const question of QUESTIONS) {
      for (let i = 0; i < 3; i++) {
        await turn();
        await ask(table, calls, question, i);
      }
      do await turn();
      while (table.slice?.() === true);
    }
    const samples: number[] = [];
    for (const key of calls.lookup.slice(0, 6)) {
      await turn();
      samples.push(await clock(() => table.change(key, 7)));
    }
    await turn();
    const checkpoint = await clock(() => table.checkpoint());
    const end = performance.now() + PATIENCE / 5;
    while (performance.now() < end) await turn();
    const blocked = await longest();
    const memory = residentInUse();
    await table.close();
    const [first = NaN, ...later] = samples;
    const peak = process.resourceUsage().maxRSS * 1024;
    return { first, later: timingOf(later).median, checkpoint, blocked, memory, peak };
  },

  /** Bytes in a second: a file that the system has in its cache, in pieces, and numbers in memory. */
  scaleBandwidth(path: string): Scale["bandwidth"] {
    const most = Math.min(statSync(path).size, 2 ** 30);
    const piece = Buffer.alloc(1 << 20);
    const file = openSync(path, "r");
    const read = () => {
      let at = 0;
      const start = performance.now();
      while (at < most) at += readSync(file, piece, 0, piece.length, at);
      return (at / (performance.now() - start)) * 1000;
    };
    read();
    const fromFile = read();
    closeSync(file);
    const numbers = new Float64Array(1 << 25).fill(1);
    let sum = 0;
    const start = performance.now();
    for (let i = 0; i < numbers.length; i += 8) sum += numbers[i] ?? 0;
    const memory = (numbers.byteLength / (performance.now() - start)) * 1000;
    if (sum === 0) throw new Error("numbers were not added");
    return { file: fromFile, memory };
  },
};

const call = callerOf<typeof tasks>();

function peerOf(name: string): StoredPeer {
  const peer = STORED_PEERS[name];
  if (peer === undefined) throw new Error(`${name} is no peer`);
  return peer;
}

const folderOf = (peer: string) => join(FOLDER, peer);

function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** What this process has read from files so far; `undefined` unless on Linux. */
function bytesRead(): number | undefined {
  try {
    return Number(/^rchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

/** An answer as a text; of rows, how many there are and the first value of each. */
function textOf(answer: unknown): string {
  if (!Array.isArray(answer)) return String(answer);
  const firsts = answer.map((row: unknown) =>
    typeof row === "object" && row !== null ? String(Object.values(row)[0]) : String(row),
  );
  return `${answer.length} rows: ${firsts.join(" ")}`;
}

async function measure({ plan, say }: Run): Promise<Scale> {
  const usual = plan.quick ? SIZES.quick : SIZES.full;
  const most = usual.at(-1) ?? 0;
  const sizes = plan.size > most ? [...usual, plan.size] : usual;
  const peers = Object.keys(STORED_PEERS).filter((name) => plan.peers.includes(name));
  const tables: OfTable[] = [];
  let bandwidth: Scale["bandwidth"] | undefined;
  for (const table of ["contacts", "orders"] as const) {
    for (const size of sizes) {
      if (table === "contacts" && size > MOST_CONTACTS) continue;
      const at = `${count(size)} ${table}`;
      say(`${at}: the file`);
      const file = await call("scaleFile", [table, size]);
      bandwidth ??= await call("scaleBandwidth", [file.path]);
      const found: Record<string, Measured | Missing> = {};
      for (const peer of peers) {
        say(`${at}: ${peer}`);
        found[peer] = await measurePeer(peer, table, size, file);
        rmSync(folderOf(peer), { recursive: true, force: true });
      }
      tables.push({ table, size, csv: statSync(file.path).size, peers: found });
    }
  }
  return { tables, bandwidth: bandwidth ?? { file: NaN, memory: NaN } };
}

async function measurePeer(
  peer: string,
  table: TableName,
  size: number,
  { path, calls }: StoredFile,
): Promise<Measured | Missing> {
  const seconds = Math.max(60, (LIMIT * size) / 1e6);
  const imported = await orMissing(call("scaleImport", [peer, table, path], seconds));
  if (isMissing(imported)) return imported;
  const questions: Partial<Record<Question, Answered>> = {};
  for (const question of QUESTIONS) {
    const answered = await orMissing(call("scaleAsk", [peer, table, calls, question], seconds));
    if (isMissing(answered)) return answered;
    questions[question] = answered;
  }
  const changed = await orMissing(call("scaleChange", [peer, table, calls], seconds));
  if (isMissing(changed)) return changed;
  return { imported, questions: questions as Record<Question, Answered>, changed };
}

/** What the tables show, in their order. */
const ROWS: readonly (readonly [name: string, of: (measured: Measured) => number, unit?: "MB"])[] =
  [
    ["import", ({ imported }) => imported.time],
    ["import, processor time", ({ imported }) => imported.cpu],
    ["import, peak memory", ({ imported }) => imported.peak, "MB"],
    ["on disk", ({ imported }) => imported.disk, "MB"],
    ["open", ({ questions }) => timingOf(QUESTIONS.map((each) => questions[each].open)).median],
    ...QUESTIONS.flatMap((question) => [
      [
        `${LABELS[question]}, first`,
        ({ questions }: Measured) => questions[question].first,
      ] as const,
      [
        `${LABELS[question]}, later`,
        ({ questions }: Measured) => questions[question].later,
      ] as const,
    ]),
    ["durable change, first", ({ changed }) => changed.first],
    ["durable change, later", ({ changed }) => changed.later],
    ["checkpoint after six changes", ({ changed }) => changed.checkpoint],
    ["longest block of the event loop", ({ changed }) => changed.blocked],
    ["memory after all of it", ({ changed }) => changed.memory, "MB"],
    ["peak memory of all of it", ({ changed }) => changed.peak, "MB"],
  ];

const shown = (value: number, unit?: "MB") =>
  unit === "MB" ? `${megabytes(value)} MB` : time(value);

function sectionOf({ table, size, csv, peers }: OfTable, { file }: Scale["bandwidth"]): Section {
  const names = Object.keys(peers);
  const cellOf = (peer: string, [, of, unit]: (typeof ROWS)[number]) => {
    const measured = peers[peer];
    return measured === undefined || isMissing(measured) ? "" : shown(of(measured), unit);
  };
  const { tercet } = peers;
  const readBy = (label: string) => {
    const question = QUESTIONS.find((each) => label === `${LABELS[each]}, first`);
    if (question === undefined || tercet === undefined || isMissing(tercet)) return ["", ""];
    const { read } = tercet.questions[question];
    return read === undefined ? ["", ""] : [shown(read, "MB"), time((read / file) * 1e9)];
  };
  const missing = Object.entries(peers).flatMap(([name, each]) =>
    isMissing(each) ? [`${name} ${reasonOf(each)}`] : [],
  );
  return {
    title: `${count(size)} ${table} on disk, ${megabytes(csv)} MB of CSV`,
    note: [differencesIn(peers), ...missing].join(" "),
    head: ["", ...names, "tercet reads", "which takes"],
    rows: ROWS.map((row) => [row[0], ...names.map((name) => cellOf(name, row)), ...readBy(row[0])]),
  };
}

/** Which answers differ between peers. */
function differencesIn(peers: OfEach<Measured>): string {
  const different = QUESTIONS.filter((question) => {
    const answers = Object.values(peers).flatMap((each) =>
      isMissing(each) ? [] : [each.questions[question].answers],
    );
    return new Set(answers).size > 1;
  });
  return different.length === 0
    ? "The first three answers of each question are the same for all peers."
    : `DIFFERENT answers: ${different.map((question) => LABELS[question]).join("; ")}.`;
}

function exponentsOf(table: TableName, all: readonly OfTable[]): Section {
  const names = Object.keys(all[0]?.peers ?? {});
  const sizes = all.map(({ size }) => size);
  return {
    title: `How ${table} on disk grow`,
    note: "Exponents: the slope of the logarithm over that of the size; 0 is constant, 1 is linear.",
    head: ["", ...names],
    rows: ROWS.map(([name, of]) => [
      name,
      ...names.map((peer) =>
        exponent(
          sizes,
          all.map(({ peers: { [peer]: each } }) =>
            each === undefined || isMissing(each) ? undefined : of(each),
          ),
        ),
      ),
    ]),
  };
}

export const scale = figure<Scale>({
  name: "scale",
  what: "tables on disk of 1,000,000 and 10,000,000 rows, and of --size: import, first answers, checkpoint",
  isExtra: true,
  tasks,
  measure,
  rows: ({ tables }) =>
    tables.flatMap(({ table, size, peers }) =>
      rowsOfEach(
        peers,
        ROWS.map(([name, of, unit]): RowNumber<Measured> => {
          const label = `${count(size)} ${table} on disk: ${name}`;
          return unit === "MB" ? [label, of, "bytes"] : [label, of];
        }),
      ),
    ),
  sections({ tables, bandwidth }) {
    const { file, memory } = bandwidth;
    const speed = `Files are read at ${digits(file / 1e9)} GB a second from the system's cache, memory at ${digits(memory / 1e9)}.`;
    const sections = tables.map((each) => sectionOf(each, bandwidth));
    return [
      ...sections.map((section, i) =>
        i === 0 ? { ...section, note: `${speed} ${section.note ?? ""}` } : section,
      ),
      ...(["contacts", "orders"] as const).map((table) =>
        exponentsOf(
          table,
          tables.filter((each) => each.table === table),
        ),
      ),
    ];
  },
});
