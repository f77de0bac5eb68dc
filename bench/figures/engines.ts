// What moving out of memory costs: an engine holds the Contacts in the tables of `createTables`, with its
// indexes, and answers the eleven queries by `createSqlService`. So does a store. Each is compared with the
// service in memory, in one process and in turns.

import { join } from "node:path";
import {
  createService,
  defineSchema,
  int,
  string,
  type ContactCriteria,
  type Query,
  type GetBatchContactsParameters,
  type Service,
} from "../../src/index.ts";
import {
  compileSql,
  createSqlService,
  createTables,
  insertRows,
  type Run as Driver,
  type SqlService,
} from "../../src/sql/index.ts";
import { createStore, openStore } from "../../src/store/index.ts";
import { execute, type ClusterEngine, type Engine } from "../../test/engines/engine.ts";
import { engineNames, engines as known, type Entry } from "../../test/engines/index.ts";
import { installPackages } from "../../test/engines/install.ts";
import { FIELD_TYPES, wireContacts } from "../contacts.ts";
import { contacts, figure, joined, present, stepOfEach, type OfEach, type Run } from "../figure.ts";
import { bytesIn, withFolder } from "../files.ts";
import { digits, time } from "../format.ts";
import { callerOf } from "../host.ts";
import { flatContacts } from "../load.ts";
import { clock, inTurns, timeInTurns, type Rounds } from "../measure.ts";
import { prepareAll } from "../peers/tercet-run.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import type { BenchQuery } from "../queries.ts";
import { fittedQueries } from "../reference.ts";
import { isMissing, reasonOf, type Calls, type Missing, type Timing } from "../results.ts";

/** Where contacts may be held. */
export const PLACES: readonly string[] = ["store", ...engineNames];

/** An engine, compared with memory. */
export interface EngineFigures {
  /** With its version. */
  readonly name: string;
  /** The time to insert the contacts of a Batch, one statement at a time. */
  readonly load: number;
  /** Of its tables, with their indexes. */
  readonly bytes: number;
  /** Whether they are in memory, not in files. */
  readonly inMemory?: boolean;
  readonly queries: readonly {
    readonly label: string;
    readonly memory: Timing;
    readonly engine: Timing;
    /** Of servers behind a coordinator: the same when the service asks each server, and merges. */
    readonly merging?: Timing;
  }[];
}

interface At {
  readonly size: number;
  readonly engines: OfEach<EngineFigures>;
}

export interface EngineResults extends At {
  /** The same with fewer contacts. */
  readonly before?: At;
  readonly compiling: readonly Calls[];
}

const BATCH = "1";
const INDEXED = [
  "contact_email",
  "send_time",
  "last_open_time",
  "send_status",
  "open_type",
] as const;

type Parameters = Readonly<GetBatchContactsParameters>;
type Asked = Pick<Service | SqlService, "getBatchContacts">;

/** Contacts in one of these places. */
interface Held extends Omit<EngineFigures, "queries"> {
  readonly service: Asked;
  /** Of servers behind a coordinator: a service that asks each server, and merges their pages. */
  readonly merging?: Asked;
  readonly close: () => Promise<void> | void;
}

export const tasks = {
  async engine(
    name: string,
    size: number,
    ids: readonly number[],
    rounds: Rounds,
  ): Promise<EngineFigures | Missing> {
    const entry: Entry | undefined = (known as Readonly<Record<string, Entry>>)[name];
    const why = entry?.missing?.();
    if (why !== undefined) return { cannot: why };
    const asked = fittedQueries(flatContacts(size), ids);
    const memory = serviceOf(wireContacts(size));
    prepareAll(collectionOf(memory));
    return withFolder(async (folder) => {
      const place = join(folder, "contacts");
      const held =
        entry === undefined
          ? await inStore(memory, place)
          : await inEngine(await startOn(name, entry, place), memory);
      try {
        return await measured(held, memory, asked, rounds);
      } finally {
        await held.close();
      }
    });
  },

  /** The time to compile each query to the SQL of PostgreSQL. */
  async compiling(size: number, ids: readonly number[], rounds: Rounds): Promise<Calls[]> {
    const schema = defineSchema(
      Object.fromEntries(
        Array.from(FIELD_TYPES, ([name, type]) => {
          const nullable = { nullable: true } as const;
          return [name, type === "int" ? int(nullable) : string(nullable)] as const;
        }),
      ),
      { form: "wire" },
    );
    const found: Calls[] = [];
    for (const query of fittedQueries(flatContacts(size), ids)) {
      const { id, label, values } = query;
      const [, criteria, limit, offset, sortBy, sortOrder] = parametersOf(query, values[0] ?? []);
      const asked = { criteria, limit, offset, sortBy, sortOrder } as Query<typeof schema>;
      const options = { dialect: "postgres", table: "contacts" } as const;
      const runs = { compileSql: () => compileSql(schema, asked, options) };
      found.push({ label: `${id} ${label}`, calls: await timeInTurns(runs, rounds) });
    }
    return found;
  },
};

const call = callerOf<typeof tasks>("engines");

export const engines = figure("engines", {
  isExtra: true,
  chapter: "uses",
  tasks,
  steps: (plan) => 2 * plan.engines.length + 1,
  async measure(run): Promise<EngineResults> {
    installPackages();
    const before = await enginesAt(Math.round(run.plan.size / 10), run);
    const now = await enginesAt(run.plan.size, run);
    const compiling = await run.step("engines: compiling", () =>
      call("compiling", [Math.min(run.plan.size, 10_000), run.plan.queries, run.plan.rounds]),
    );
    return { ...now, before, compiling };
  },
  /** Runs of one size, with the engines of all; compiling is that of the first. */
  merge(all) {
    const befores = all.flatMap(({ before }) => before ?? []);
    return {
      ...mergeAt(all),
      compiling: all[0]?.compiling ?? [],
      ...(befores.length > 0 && { before: mergeAt(befores) }),
    };
  },
  sections({ size, engines, compiling }) {
    const labels = new Set(
      present(engines).flatMap(([, { queries }]) => queries.map(({ label }) => label)),
    );
    const columns = present(engines).flatMap(([name, { queries }], i) => {
      const timesOf = (by: "memory" | "engine" | "merging") =>
        new Map(queries.flatMap((query) => (query[by] ? [[query.label, query[by].median]] : [])));
      const merging = timesOf("merging");
      return [
        ...(i === 0 ? [{ head: "memory", times: timesOf("memory") }] : []),
        { head: name, times: timesOf("engine") },
        ...(merging.size === 0 ? [] : [{ head: `${name}, two drivers`, times: merging }]),
      ];
    });
    return [
      {
        title: `Queries over ${contacts(size)} in engines`,
        note: 'Median time of `getBatchContacts`, by the service over the engine. Each engine runs in turns with the service in memory, with all indexes, in a process of its own; the column "memory" is from the first of these processes. Two shards are queried by a coordinator, or each by the service, which merges their pages.',
        head: ["query", ...columns.map(({ head }) => head)],
        rows: Array.from(labels, (label) => [
          label,
          ...columns.map(({ times }) => time(times.get(label) ?? NaN)),
        ]),
      },
      {
        title: `Loading ${contacts(size)} into engines`,
        note: "One statement at a time, over one connection. Bytes include indexes, if the engine has any.",
        head: ["engine", "loading", "a contact", "bytes a contact"],
        rows: Object.entries(engines).map(([name, each]) =>
          isMissing(each)
            ? [name, reasonOf(each), "", ""]
            : [each.name, time(each.load), time(each.load / size), digits(each.bytes / size)],
        ),
      },
      {
        title: "Compiling a query to SQL",
        head: ["query", "compileSql"],
        rows: compiling.map(({ label, calls }) => [label, time(calls.compileSql?.median ?? NaN)]),
      },
    ];
  },
});

async function enginesAt(size: number, run: Run): Promise<At> {
  const { engines: names, queries, rounds, limits } = run.plan;
  const engines = await stepOfEach(run, `engines with ${contacts(size)}:`, names, (name) =>
    call("engine", [name, size, queries, rounds], 8 * limits.load),
  );
  return { size, engines };
}

const mergeAt = (all: readonly At[]): At => ({
  size: all[0]?.size ?? 0,
  engines: joined(
    "engine",
    all.map(({ size, engines }) => [size, engines]),
  ),
});

async function measured(
  { name, load, bytes, inMemory, service, merging }: Held,
  memory: Service,
  asked: readonly BenchQuery[],
  rounds: Rounds,
): Promise<EngineFigures | Missing> {
  const queries: EngineFigures["queries"][number][] = [];
  for (const query of asked) {
    const parameters = query.values.map((values) => parametersOf(query, values));
    const [first] = parameters;
    if (first === undefined) continue;
    const expected = JSON.stringify(memory.getBatchContacts(...first));
    for (const each of [service, merging]) {
      const found = each && JSON.stringify(await each.getBatchContacts(...first));
      if (each && found !== expected) return { wrong: `query ${query.id}` };
    }
    const asking = (each: Asked) =>
      inTurns((given: Parameters) => each.getBatchContacts(...given), parameters);
    const timings = {
      ...(await timeInTurns({ memory: asking(memory), engine: asking(service) }, rounds)),
      ...(merging && (await timeInTurns({ merging: asking(merging) }, rounds))),
    };
    queries.push({ label: `${query.id} ${query.label}`, ...timings });
  }
  return { name, load, bytes, queries, ...(inMemory === true && { inMemory }) };
}

async function inEngine(engine: Engine | ClusterEngine, memory: Service): Promise<Held> {
  const { name, dialect, run, texts, inMemory = false } = engine;
  const indexes = { contacts: INDEXED, listFields: { Email: "string" } } as const;
  if (engine.createTables === undefined) {
    await execute(engine, createTables({ dialect, indexes }));
  } else await engine.createTables(indexes);
  const batch = memory.batches[BATCH];
  const load = await clock(() => execute(engine, insertRows({ dialect, batch })));
  await engine.settle?.();
  const bytes = (await engine.bytes?.()) ?? NaN;
  const serviceBy = (run: Driver | readonly Driver[]) => createSqlService({ dialect, run, texts });
  return {
    ...{ name, load, bytes, inMemory },
    service: serviceBy(run),
    ...("shards" in engine && { merging: serviceBy(engine.shards.map(({ run }) => run)) }),
    close: () => engine.close(),
  };
}

/** A store whose indexes were built before it was saved. */
async function inStore(memory: Service, folder: string): Promise<Held> {
  const made = createService({ batches: Object.values(memory.batches) });
  const load = await clock(() => createStore(folder, made).close());
  const service = openStore(folder);
  prepareAll(collectionOf(service));
  const bytes = bytesIn(folder);
  return { name: "tercet/store", load, bytes, service, close: () => service.close() };
}

/** Starts DuckDB on a file, as an application would, and the others as the tests do. */
async function startOn(name: string, entry: Entry, file: string): Promise<Engine | ClusterEngine> {
  if (name !== "DuckDB") return await entry.start();
  const { start } = await import("../../test/engines/duckdb.ts");
  return await start(file);
}

function parametersOf(query: BenchQuery, values: readonly string[]): Parameters {
  const { criteria, limit, offset, sort } = query;
  const asked = criteria.map(({ field, operator }, i) => [field, operator, values[i] ?? ""]);
  return [
    BATCH,
    asked as unknown as ContactCriteria,
    limit === Infinity ? null : limit,
    offset,
    sort?.field,
    sort?.order,
  ];
}
