// What moving out of memory costs: an engine holds the Contacts in the tables of `createTables`, with the
// indexes that it has, and answers the eleven queries by `createSqlService`, beside the service in memory
// that they are compared with; and so does a store of them. Both are in one process and take turns.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createService,
  defineSchema,
  int,
  string,
  type ContactCriteria,
  type Query,
  type Service,
} from "../../src/index.ts";
import {
  compileSql,
  createSqlService,
  createTables,
  insertRows,
  type Run,
  type SqlService,
} from "../../src/sql/index.ts";
import { createStore, openStore } from "../../src/store/index.ts";
import { execute, type ClusterEngine, type Engine } from "../../test/engines/engine.ts";
import { engines, type EngineName, type Entry } from "../../test/engines/index.ts";
import { FIELD_TYPES, flatten, wireContacts } from "../contacts.ts";
import { clock, timeInTurns, turns, type Rounds } from "../measure.ts";
import { prepareAll } from "../peers/tercet-run.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import { fitOffset, queriesFor, type BenchQuery } from "../queries.ts";
import { matchesOf } from "../reference.ts";
import type { PlaceName } from "./places.ts";
import type { Calls, EngineFigures, Missing } from "../results.ts";

const BATCH = "1";
const INDEXED = [
  "contact_email",
  "send_time",
  "last_open_time",
  "send_status",
  "open_type",
] as const;

type Parameters = Readonly<globalThis.Parameters<Service["getBatchContacts"]>>;
type Asked = Pick<Service | SqlService, "getBatchContacts">;

/** Contacts that are somewhere. */
interface Held {
  readonly name: string;
  readonly load: number;
  readonly bytes: number;
  readonly inMemory?: boolean;
  readonly service: Asked;
  /** Of servers that are asked by another: a service that asks each of them, and merges their pages. */
  readonly merging?: Asked;
  readonly close: () => Promise<void>;
}

export async function engine(
  name: PlaceName,
  size: number,
  ids: readonly number[],
  rounds: Rounds,
): Promise<EngineFigures | Missing> {
  const why = name === "store" ? undefined : whyMissing(engines[name]);
  if (why !== undefined) return { cannot: why };
  const queries = queriesOf(size, ids);
  const memory = serviceOf(wireContacts(size));
  prepareAll(collectionOf(memory));
  const folder = mkdtempSync(join(tmpdir(), "tercet-bench-"));
  try {
    const place = join(folder, "contacts");
    const held = await (name === "store" ? inStore(memory, place) : inEngine(name, memory, place));
    try {
      const { service, merging } = held;
      const timings: EngineFigures["queries"][number][] = [];
      for (const query of queries) {
        const asked = query.values.map((values) => parametersOf(query, values));
        const [first] = asked;
        if (first === undefined) continue;
        const expected = JSON.stringify(memory.getBatchContacts(...first));
        for (const each of [service, merging]) {
          if (each === undefined) continue;
          const found = await each.getBatchContacts(...first);
          if (JSON.stringify(found) !== expected) return { wrong: `query ${query.id}` };
        }
        const asking = (each: Asked) => {
          const next = turns(asked);
          return () => each.getBatchContacts(...next());
        };
        const timing = await timeInTurns(
          { memory: asking(memory), engine: asking(service) },
          rounds,
        );
        const merged = merging && (await timeInTurns({ merging: asking(merging) }, rounds));
        timings.push({ label: `${query.id} ${query.label}`, ...timing, ...merged });
      }
      const { name, load, bytes, inMemory } = held;
      return { name, load, bytes, queries: timings, ...(inMemory === true && { inMemory }) };
    } finally {
      await held.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const whyMissing = ({ missing }: Entry) => missing?.();

async function inEngine(name: EngineName, memory: Service, file: string): Promise<Held> {
  const started = await startOn(name, file);
  const { dialect, run, texts } = started;
  const indexes = { contacts: INDEXED, listFields: { Email: "string" } } as const;
  if (started.createTables === undefined) {
    await execute(started, createTables({ dialect, indexes }));
  } else await started.createTables(indexes);
  const batch = memory.batches[BATCH];
  const load = await clock(() => execute(started, insertRows({ dialect, batch })));
  await started.settle?.();
  const serviceBy = (run: Run | readonly Run[]) => createSqlService({ dialect, run, texts });
  return {
    name: started.name,
    load,
    bytes: (await started.bytes?.()) ?? NaN,
    inMemory: started.inMemory ?? false,
    service: serviceBy(run),
    ...(isCluster(started) && { merging: serviceBy(started.shards.map(({ run }) => run)) }),
    close: () => started.close(),
  };
}

const isCluster = (engine: Engine | ClusterEngine): engine is ClusterEngine => "shards" in engine;

/** A store whose indexes were made before it was saved. */
async function inStore(memory: Service, folder: string): Promise<Held> {
  const made = createService({ batches: Object.values(memory.batches) });
  const load = await clock(() => createStore(folder, made).close());
  const store = openStore(folder);
  prepareAll(collectionOf(store));
  const bytes = readdirSync(folder).reduce(
    (sum, file) => sum + statSync(join(folder, file)).size,
    0,
  );
  const close = () => {
    store.close();
    return Promise.resolve();
  };
  return { name: "tercet/store", load, bytes, service: store, close };
}

/** What compiling each of the queries costs, to the SQL of PostgreSQL. */
export async function compiling(
  size: number,
  ids: readonly number[],
  rounds: Rounds,
): Promise<Calls[]> {
  const schema = defineSchema(
    Object.fromEntries(
      Array.from(FIELD_TYPES, ([name, type]) => {
        const nullable = { nullable: true } as const;
        return [name, type === "int" ? int(nullable) : string(nullable)] as const;
      }),
    ),
  );
  const found: Calls[] = [];
  for (const query of queriesOf(size, ids)) {
    const [, criteria, limit, offset, sortBy, sortOrder] = parametersOf(
      query,
      query.values[0] ?? [],
    );
    const asked = { criteria, limit, offset, sortBy, sortOrder } as Query<typeof schema>;
    const options = { dialect: "postgres", table: "contacts" } as const;
    const calls = await timeInTurns(
      { compileSql: () => compileSql(schema, asked, options) },
      rounds,
    );
    found.push({ label: `${query.id} ${query.label}`, calls });
  }
  return found;
}

/** DuckDB in a file, as it would be; the others where they are in tests. */
async function startOn(name: EngineName, file: string): Promise<Engine | ClusterEngine> {
  if (name !== "DuckDB") return await engines[name].start();
  const { start } = await import("../../test/engines/duckdb.ts");
  return await start(file);
}

function parametersOf(query: BenchQuery, values: readonly string[]): Parameters {
  const criteria = query.criteria.map(({ field, operator }, i) => [
    field,
    operator,
    values[i] ?? "",
  ]);
  return [
    BATCH,
    criteria as unknown as ContactCriteria,
    query.limit === Infinity ? null : query.limit,
    query.offset,
    query.sort?.field,
    query.sort?.order,
  ];
}

/** A function of its own, so that the contacts are garbage when it returns. */
function queriesOf(size: number, ids: readonly number[]): BenchQuery[] {
  const contacts = Array.from(wireContacts(size), flatten);
  return queriesFor(contacts)
    .filter(({ id }) => ids.includes(id))
    .map((query) => fitOffset(query, matchesOf(contacts, query, query.values[0] ?? []).length));
}
