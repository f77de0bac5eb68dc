// What moving out of memory costs: an engine holds the Contacts in the tables of `createTables`, with the
// indexes that it has, and answers the eleven queries by `createSqlService`, beside the service in memory
// that they are compared with. Both are in one process and take turns.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  defineSchema,
  int,
  string,
  type ContactCriteria,
  type Query,
  type Service,
} from "../../src/index.ts";
import { compileSql, createSqlService, createTables, insertRows } from "../../src/sql/index.ts";
import { execute, type Engine } from "../../test/engines/engine.ts";
import { engines, type EngineName, type Entry } from "../../test/engines/index.ts";
import { FIELD_TYPES, flatten, wireContacts } from "../contacts.ts";
import { clock, timeInTurns, turns, type Rounds } from "../measure.ts";
import { prepareAll } from "../peers/tercet-run.ts";
import { collectionOf, serviceOf } from "../peers/tercet.ts";
import { fitOffset, queriesFor, type BenchQuery } from "../queries.ts";
import { matchesOf } from "../reference.ts";
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

/** @param name an engine of test/engines */
export async function engine(
  name: EngineName,
  size: number,
  ids: readonly number[],
  rounds: Rounds,
): Promise<EngineFigures | Missing> {
  const entry: Entry = engines[name];
  const why = entry.missing?.();
  if (why !== undefined) return { cannot: why };
  const queries = queriesOf(size, ids);
  const memory = serviceOf(wireContacts(size));
  prepareAll(collectionOf(memory));
  const batch = memory.batches[BATCH];
  const folder = mkdtempSync(join(tmpdir(), "tercet-bench-"));
  const started = await startOn(name, join(folder, "contacts"));
  try {
    const { dialect, run, texts } = started;
    const indexes = { contacts: INDEXED, listFields: { Email: "string" } } as const;
    if (started.createTables === undefined) {
      await execute(started, createTables({ dialect, indexes }));
    } else await started.createTables(indexes);
    const load = await clock(() => execute(started, insertRows({ dialect, batch })));
    await started.settle?.();
    const service = createSqlService({ dialect, run, texts });
    const timings: EngineFigures["queries"][number][] = [];
    for (const query of queries) {
      const asked = query.values.map((values) => parametersOf(query, values));
      const [first] = asked;
      if (first === undefined) continue;
      const expected = memory.getBatchContacts(...first);
      const found = await service.getBatchContacts(...first);
      if (JSON.stringify(found) !== JSON.stringify(expected)) {
        return { wrong: `query ${query.id}` };
      }
      const [own, others] = [turns(asked), turns(asked)];
      const timing = await timeInTurns(
        {
          memory: () => memory.getBatchContacts(...own()),
          engine: () => service.getBatchContacts(...others()),
        },
        rounds,
      );
      timings.push({ label: `${query.id} ${query.label}`, ...timing });
    }
    return { name: started.name, load, bytes: (await started.bytes?.()) ?? NaN, queries: timings };
  } finally {
    await started.close();
    rmSync(folder, { recursive: true, force: true });
  }
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
async function startOn(name: EngineName, file: string): Promise<Engine> {
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
