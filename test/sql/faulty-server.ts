// A PostgreSQL server on which something happens in the middle of a request: it stops responding, is
// killed, or a change is committed.

import { createService, type Service, type DatabaseChange } from "../../src/index.ts";
import {
  applyPatchesSql,
  createSqlService,
  createTables,
  insertRows,
  type Run,
  type SqlService,
} from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { execute } from "../engines/engine.ts";
import type { PostgresEngine } from "../engines/postgres.ts";

/** A whole number below another one. */
export type Pick = (below: number) => number;

interface Numbered {
  readonly generation: number;
  readonly change: DatabaseChange;
}

const dialect = "postgres";

export class FaultyServer {
  readonly memory = createService({
    files: generateFiles({ count: 60, seed: 3 }),
    batches: [generateBatch({ id: 7, count: 300, lists: 2, seed: 5 })],
  });
  readonly engine: PostgresEngine;
  readonly #pick: Pick;
  #generation = 0;
  /** Those whose commit may have failed. */
  #changes: Numbered[] = [];
  /** Why requests failed since the last point. */
  readonly reported: unknown[] = [];

  constructor(engine: PostgresEngine, pick: Pick) {
    this.engine = engine;
    this.#pick = pick;
  }

  async load(): Promise<void> {
    const { engine, memory } = this;
    await engine.clear();
    await execute(engine, createTables({ dialect }));
    await execute(engine, insertRows({ dialect, files: memory.files }));
    await execute(engine, insertRows({ dialect, batch: memory.batches["7"] }));
  }

  /**
   * @param before is called before each statement
   * @param milliseconds how long a request may take
   */
  service(before: () => Promise<void>, milliseconds: number): SqlService {
    const run: Run = async (...asked) => {
      await before();
      return await this.engine.run(...asked);
    };
    return createSqlService({
      ...{ dialect, run, limits: { milliseconds } },
      onInternalError: (thrown) => this.reported.push(thrown),
    });
  }

  /** A change of the memory, and what writes it to the server. */
  change(): () => Promise<void> {
    const change = changeOf(this.memory, this.#pick);
    const numbered = { change, generation: ++this.#generation };
    this.#changes.push(numbered);
    return () => this.#write(numbered);
  }

  async #write({ change, generation }: Numbered): Promise<void> {
    const pool = this.engine.server.connect("postgres");
    try {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        for (const { text, parameters } of applyPatchesSql(change, { dialect, generation })) {
          await client.query(text, [...parameters]);
        }
        await client.query("COMMIT");
      } finally {
        client.release(true);
      }
    } finally {
      await pool.end();
    }
  }

  /** Repeats the changes since the last time: those that were committed change nothing. */
  async repair(): Promise<void> {
    for (const each of this.#changes) await this.#write(each);
    this.#changes = [];
  }
}

/** One that shows in most pages. */
function changeOf(memory: Service, pick: Pick): DatabaseChange {
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
