// The cost of moving out of memory: PostgreSQL has the Contacts in the tables of `createTables`, with its indexes, and
// runs the queries through `createSqlService`, alternating with the in-memory service.

import { createSqlService, createTables, insertRows } from "../../src/sql/index.ts";
import type { GetBatchContactsParameters, Service } from "../../src/index.ts";
import { execute, type Engine } from "../../test/engines/engine.ts";
import { start } from "../../test/engines/postgres.ts";
import { wireContacts } from "../contacts.ts";
import { contacts, figure, type Plan } from "../figure.ts";
import { digits, time } from "../format.ts";
import { callerOf } from "../host.ts";
import { flatContacts } from "../load.ts";
import { Asking, clock, timeInTurns } from "../measure.ts";
import { collectionOf, prepareAll, serviceOf } from "../peers/tercet.ts";
import { queriesFor, type BenchQuery, type Call } from "../queries.ts";
import type { Timing } from "../results.ts";

interface SqlResults {
  readonly size: number;
  /** With its version. */
  readonly name: string;
  /** Nanoseconds to insert the Contacts of a Batch, one statement at a time. */
  readonly load: number;
  /** Of its tables, with their indexes. */
  readonly bytes: number;
  readonly queries: readonly {
    readonly label: string;
    readonly memory: Timing;
    readonly postgres: Timing;
  }[];
}

const BATCH = "1";
const INDEXED = [
  "contact_email",
  "send_time",
  "last_open_time",
  "send_status",
  "open_type",
  "open_country",
] as const;

type Parameters = Readonly<GetBatchContactsParameters>;

const tasks = {
  async sql({ size, rounds }: Plan): Promise<SqlResults> {
    const asked = queriesFor(flatContacts(size)).filter(({ isKeyed }) => isKeyed !== true);
    const memory = serviceOf(wireContacts(size));
    prepareAll(collectionOf(memory));
    const engine = await start();
    try {
      const load = await clock(() => loadInto(engine, memory));
      const bytes = (await engine.bytes?.()) ?? NaN;
      const service = createSqlService({ dialect: engine.dialect, run: engine.run });
      const queries: SqlResults["queries"][number][] = [];
      for (const query of asked) {
        const [first, ...others] = query.calls;
        if (first === undefined) continue;
        const parameters = parametersOf(query, first);
        const expected = JSON.stringify(memory.getBatchContacts(...parameters));
        const found = JSON.stringify(await service.getBatchContacts(...parameters));
        if (found !== expected) throw new Error(`query ${query.id} has another answer`);
        const asking = (each: Pick<Service | typeof service, "getBatchContacts">) =>
          new Asking((call: Call) => each.getBatchContacts(...parametersOf(query, call)), others);
        const timings = await timeInTurns(
          { memory: asking(memory), postgres: asking(service) },
          rounds,
        );
        queries.push({ label: `${query.id} ${query.label}`, ...timings });
      }
      return { size, name: engine.name, load, bytes, queries };
    } finally {
      await engine.close();
    }
  },
};

export const sql = figure<SqlResults>({
  name: "sql",
  what: "the questions on PostgreSQL through tercet/sql, beside memory",
  isExtra: true,
  tasks,
  measure: ({ plan, say }) => {
    say("sql");
    return callerOf<typeof tasks>()("sql", [plan], 20 * plan.limits.load);
  },
  sections: ({ size, name, load, bytes, queries }) => [
    {
      title: `Questions over ${contacts(size)} in ${name}`,
      note: `Median time of \`getBatchContacts\`, no call twice: by the service in memory with all indexes, and by the service over one server on the same machine. Loading the server took ${time(load)}; a Contact takes ${digits(bytes / size)} bytes there, with indexes.`,
      head: ["query", "memory", "PostgreSQL"],
      rows: queries.map(({ label, memory, postgres }) => [
        label,
        time(memory.median),
        time(postgres.median),
      ]),
    },
  ],
});

async function loadInto(engine: Engine, memory: Service): Promise<void> {
  const { dialect } = engine;
  const indexes = { contacts: INDEXED, listFields: { Email: "string" } } as const;
  await execute(engine, createTables({ dialect, indexes }));
  await execute(engine, insertRows({ dialect, batch: memory.batches[BATCH] }));
  await engine.settle?.();
}

function parametersOf({ criteria, limit, sort }: BenchQuery, { values, offset }: Call): Parameters {
  const asked = criteria.map(({ field, operator }, i) => [field, operator, values[i] ?? ""]);
  return [
    BATCH,
    asked as unknown as Parameters[1],
    limit === Infinity ? null : limit,
    offset,
    sort?.field,
    sort?.order,
  ] as Parameters;
}
