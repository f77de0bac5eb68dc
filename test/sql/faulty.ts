// Two PostgreSQL shards on which something happens in the middle of a request: one stops responding,
// is killed, or returns with an earlier state; or a change is committed, on both at once or on one
// after the other.

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createService, type Service, type ServiceChange } from "../../src/index.ts";
import {
  applyPatchesSql,
  createSqlService,
  createTables,
  insertRows,
  type Run,
  type SqlService,
  type Statement,
} from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { change as write, createClusterTables, execute, NOTHING } from "../engines/engine.ts";
import type { PostgresCluster, PostgresShard } from "../engines/postgres-cluster.ts";

/** How the service reaches the shards. */
export type Way = "two drivers" | "a coordinator";

/** A whole number below another one. */
export type Pick = (below: number) => number;

interface Numbered {
  readonly generation: number;
  readonly change: ServiceChange;
}

/** After this many changes there is a newer backup. */
const MOST_CHANGES = 20;

export class FaultyShards {
  readonly memory = createService({
    files: generateFiles({ count: 60, seed: 3 }),
    batches: [generateBatch({ id: 7, count: 300, lists: 2, seed: 5 })],
  });
  readonly #cluster: PostgresCluster;
  readonly #way: Way;
  readonly #pick: Pick;
  #generation = 1;
  /** Those after the backup. */
  #changes: Numbered[] = [];
  /** Why requests failed since the last point. */
  readonly reported: unknown[] = [];

  constructor(cluster: PostgresCluster, way: Way, pick: Pick) {
    this.#cluster = cluster;
    this.#way = way;
    this.#pick = pick;
  }

  async load(): Promise<void> {
    const { memory } = this;
    const cluster = this.#cluster;
    const given = [{ files: memory.files }, { batch: memory.batches["7"] }];
    await cluster.clear();
    if (this.#way === "a coordinator") {
      await createClusterTables(cluster);
      for (const each of given)
        await execute(cluster, insertRows({ dialect: "postgres", ...each }));
    } else {
      for (const [place, shard] of cluster.shards.entries()) {
        const part = {
          dialect: "postgres",
          shard: { place, count: cluster.shards.length },
        } as const;
        await execute(shard, createTables(part));
        for (const each of given) await execute(shard, insertRows({ ...part, ...each }));
        await write({ ...shard, dialect: "postgres" }, NOTHING, { ...part, generation: 1 });
      }
    }
    await this.backUp();
  }

  /**
   * @param before is called before each statement
   * @param milliseconds how long a request may take
   */
  service(before: () => Promise<void>, milliseconds: number): SqlService {
    const between =
      (run: Run): Run =>
      async (...asked) => {
        await before();
        return await run(...asked);
      };
    const { run, shards } = this.#cluster;
    return createSqlService({
      dialect: "postgres",
      run: this.#way === "a coordinator" ? between(run) : shards.map((each) => between(each.run)),
      limits: { milliseconds },
      onInternalError: (thrown) => this.reported.push(thrown),
    });
  }

  /** A change of the memory, and what writes it to the shards: to one after the other, in the end to all. */
  change(): () => Promise<void> {
    const change = changeOf(this.memory, this.#pick);
    const numbered = { change, generation: ++this.#generation };
    this.#changes.push(numbered);
    const pause = [0, 3, 30][this.#pick(3)] ?? 0;
    return () => this.#write(numbered, pause);
  }

  async #write({ change, generation }: Numbered, pause = 0): Promise<void> {
    const { servers, shards } = this.#cluster;
    for (const [place, shard] of shards.entries()) {
      if (place > 0 && pause > 0) await setTimeout(pause);
      if (this.#way === "a coordinator") {
        const options = { dialect: "postgres", cluster: { servers }, generation } as const;
        const own = [...applyPatchesSql(change, options)].filter((each) => each.shard === place);
        await this.#cluster.inTransaction(own);
      } else {
        const part = { place, count: shards.length };
        await inTransaction(
          shard,
          applyPatchesSql(change, { dialect: "postgres", shard: part, generation }),
        );
      }
    }
  }

  any(): PostgresShard {
    const { shards } = this.#cluster;
    const shard = shards[this.#pick(shards.length)];
    if (shard === undefined) throw new Error("there are no shards");
    return shard;
  }

  /** Brings a shard back as it was at the last backup. */
  async restore({ server }: PostgresShard): Promise<void> {
    await server.kill("SIGKILL");
    const [data, backup] = placesOf(server.folder);
    rmSync(data, { recursive: true });
    copy(backup, data);
    await server.restart();
  }

  /** Repeats what was changed since the backup, and makes a new one now and then. */
  async repair(): Promise<void> {
    for (const each of this.#changes) await this.#write(each);
    if (this.#changes.length >= MOST_CHANGES) await this.backUp();
  }

  async backUp(): Promise<void> {
    for (const { server } of this.#cluster.shards) {
      await server.kill("SIGINT");
      const [data, backup] = placesOf(server.folder);
      rmSync(backup, { recursive: true, force: true });
      copy(data, backup);
      await server.restart();
    }
    this.#changes = [];
    // There is at least one that the backup has not.
    await this.change()();
  }
}

const placesOf = (folder: string) => [join(folder, "data"), join(folder, "backup")] as const;

/** Owners and rights as well. */
const copy = (from: string, to: string) => execFileSync("cp", ["-a", from, to]);

async function inTransaction({ server }: PostgresShard, statements: Iterable<Statement>) {
  const pool = server.connect("postgres");
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    for (const { text, parameters } of statements) await client.query(text, [...parameters]);
    await client.query("COMMIT");
  } finally {
    client.release();
    await pool.end();
  }
}

/** One that shows in most pages. */
function changeOf(memory: Service, pick: Pick): ServiceChange {
  const text = String(pick(1000));
  return memory.update((draft) => {
    const found = draft.batches["7"];
    if (found === undefined) throw new Error("there is no Batch 7");
    const lists = [...found.lists];
    const [first = ""] = lists;
    switch (pick(5)) {
      case 0:
        draft.files = draft.files.update([], (file) => void (file.size = Number(text)));
        break;
      case 1:
        found.contacts = found.contacts.update(
          [["open_count", "greater_than", 0]],
          (contact) => void (contact.contact_email = text + contact.contact_email.slice(-10)),
        );
        break;
      case 2:
        if (lists.length > 4) found.removeList(lists.at(-1) ?? "");
        else found.addList({ id: Number(lists.at(-1)) + 1, contacts: contactsOf(text) });
        break;
      case 3:
        if ("Score" in found.contacts.schema.fields) found.removeListField(first, "Score");
        else found.addListField(first, "Score", "int");
        break;
      default:
        found.contacts = found.contacts
          .remove([["contact_email", "starts_with", text.slice(0, 2)]])
          .insert(contactsOf(text).map((contact) => ({ ...contact, fields: {}, list: first })));
    }
  });
}

const contactsOf = (text: string) =>
  Array.from({ length: 5 }, (_, i) => ({
    send_id: i,
    contact_id: i,
    contact_email: `${text}.${i}@example.com`,
  }));
