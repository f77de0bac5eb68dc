// Eight shards on two servers, some of which move to a third while they are queried and changed: every
// answer is complete, or an error. The same holds if a move is killed at any of its steps, until it is
// run again. Each rule that spreads records puts each of them on one shard, the same in SQL as here.

import fc from "fast-check";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createBatch,
  createService,
  type FileInput,
  type BatchInput,
  type Service,
  type ServiceChange,
} from "../../src/index.ts";
import {
  applyPatchesSql,
  createSqlService,
  createTables,
  insertRows,
  migrateTables,
  moveShard,
  type ShardBy,
  type SqlService,
} from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { validRequest } from "../../src/testing/index.ts";
import { change, execute, NOTHING, rowsOf } from "../engines/engine.ts";
import { start, type PostgresEngine } from "../engines/postgres.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";

const COUNT = 8;
const dialect = "postgres";
const indexes = { contacts: ["contact_email", ["open_type", { listField: "Email" }]] } as const;

let servers: PostgresEngine[];
let memory: Service;
let generation: number;
const reported: unknown[] = [];
beforeAll(async () => {
  servers = await Promise.all([start(), start(), start()]);
}, 60_000);
afterAll(() => Promise.all(servers.map((server) => server.close())), 60_000);

const serverAt = (place: number): PostgresEngine => {
  const server = servers[place];
  if (server === undefined) throw new Error(`there is no server ${place}`);
  return server;
};

interface Data {
  readonly files: readonly FileInput[];
  readonly batches: readonly BatchInput[];
}

const files = [...generateFiles({ count: 60, seed: 3 })];
const batches = [7, 8, 9].map((id) => generateBatch({ id, count: 200, lists: 2, seed: id }));

/** The first two have the shards; each knows the others. */
async function load(by: ShardBy, data: Data = { files, batches }): Promise<SqlService> {
  memory = createService(data);
  for (const [i, server] of servers.entries()) {
    await server.clear();
    await rowsOf(server, "DROP SCHEMA IF EXISTS fdw CASCADE");
    await rowsOf(server, "CREATE SCHEMA fdw");
    await rowsOf(server, "CREATE EXTENSION postgres_fdw SCHEMA fdw");
    for (const [other, { server: there }] of servers.entries()) {
      const options = `host '127.0.0.1', port '${there.port}', dbname 'postgres'`;
      await rowsOf(
        server,
        `CREATE SERVER s${other} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (${options})`,
      );
      await rowsOf(
        server,
        `CREATE USER MAPPING FOR CURRENT_USER SERVER s${other} OPTIONS (user '${there.user}')`,
      );
    }
    const place = [[0, 2, 4, 6], [1, 3, 5, 7], []][i] ?? [];
    const shard = { place, count: COUNT, by };
    await execute(server, createTables({ dialect, shard, indexes }));
    await execute(server, insertRows({ dialect, shard, files: memory.files }));
    for (const batch of Object.values(memory.batches)) {
      await execute(server, insertRows({ dialect, shard, batch }));
    }
  }
  generation = 0;
  await write(NOTHING, by);
  reported.length = 0;
  return createSqlService({
    dialect,
    run: servers.map(({ run }) => run),
    onInternalError: (thrown) => reported.push(thrown),
  });
}

/** The same statements for each server: it takes the rows of its shards. */
async function write(made: ServiceChange, by: ShardBy): Promise<void> {
  generation++;
  for (const server of servers) {
    await change(server, made, { shard: { count: COUNT, by }, generation });
  }
}

const update = (text: string) =>
  memory.update((draft) => {
    draft.files = draft.files
      .update([["id", "less_than", 30_000]], (file) => void (file.url = text))
      .insert([{ id: 900_000 + generation, folder_id: 1, name: text }]);
    const batch = draft.batches["8"];
    if (batch === undefined) throw new Error("there is a Batch 8");
    batch.contacts = batch.contacts.update([["send_id", "contains", "3"]], (contact) => {
      contact.open_type = "text";
    });
    batch.addList({
      id: 900 + generation,
      contacts: [{ send_id: 1, contact_id: 1, contact_email: text }],
    });
  });

const questions = [
  { id: 1, method: "searchFiles", params: ["key", null, 30, 5, "size", "DESC"] },
  { id: 2, method: "getBatchContacts", params: ["key", 7] },
  { id: 3, method: "getBatchContacts", params: ["key", 8, null, 10, 120, "contact_email", "ASC"] },
  {
    id: 4,
    method: "getBatchContacts",
    params: ["key", 9, [["open_type", "exactly", "html"]], 9, 20, "Email"],
  },
];

async function expectAlike(service: SqlService): Promise<void> {
  for (const asked of questions) {
    expect(await service.dispatch(asked)).toEqual(memory.dispatch(asked));
  }
}

const countOf = async (server: PostgresEngine, from: string) =>
  Number(Object.values((await rowsOf(server, `SELECT count(*) FROM ${from}`))[0] ?? {})[0]);

test.each(["contact", "hash", "batch"] as const)(
  "from two servers to three, under reads and changes; shards by %s",
  async (by) => {
    using _ = tuned({ fewBefore: 20 });
    const service = await load(by);
    await expectAlike(service);
    await write(update("before"), by);
    await expectAlike(service);

    let isOver = false;
    let answers = 0;
    const expected = questions.map((asked) => memory.dispatch(asked));
    const reading = Promise.all(
      [0, 1, 2].map(async (reader) => {
        for (let i = reader; !isOver; i++) {
          const asked = questions[i % questions.length];
          const answer = await service.dispatch(asked);
          if (answer.error?.code === 100) continue;
          expect(answer).toEqual(expected[i % questions.length]);
          answers++;
        }
      }),
    );
    for (const [place, from] of [
      [0, 0],
      [7, 1],
      [6, 0],
    ] as const) {
      for (const { on, text } of moveShard({ place, count: COUNT, by, from: `s${from}` })) {
        await rowsOf(serverAt(on === "to" ? 2 : from), text);
      }
      // Each state between two moves is read.
      const until = answers + questions.length;
      while (answers < until) await Promise.race([reading, setTimeout(5)]);
    }
    isOver = true;
    await reading;
    await expectAlike(service);
    const held = await Promise.all(servers.map((server) => countOf(server, "tercet_files")));
    expect(held.reduce((sum, each) => sum + each)).toBe(memory.files.size);
    expect(Math.min(...held)).toBeGreaterThan(0);
    await write(update("after"), by);
    await expectAlike(service);
    // One that has no shard left is asked in vain.
    for (const place of [0, 7, 6]) {
      for (const { on, text } of moveShard({ place, count: COUNT, by, from: "s2" })) {
        await rowsOf(serverAt(on === "to" ? 1 : 2), text);
      }
    }
    await write(update("last"), by);
    expect(await countOf(serverAt(2), "tercet_contacts")).toBe(0);
    await expectAlike(service);
  },
  120_000,
);

test("a move that was killed at any step is an error or none, and ends well when it is run again", async () => {
  const service = await load("contact");
  const steps = moveShard({ place: 2, count: COUNT, from: "s0" });
  const serverOf = (on: "from" | "to") => serverAt(on === "to" ? 2 : 0);
  for (let killed = 0; killed <= steps.length; killed++) {
    for (const { on, text } of steps.slice(0, killed)) await rowsOf(serverOf(on), text);
    const next = steps[killed];
    if (next !== undefined) {
      // In the middle of the step.
      const pool = serverOf(next.on).server.connect("postgres");
      const client = await pool.connect();
      await client.query("BEGIN");
      await client.query(next.text);
      await serverOf(next.on).server.kill("SIGKILL");
      client.release(true);
      await serverOf(next.on).server.restart();
      await pool.end();
    }
    const isBetween = killed === 2;
    const answer = await service.dispatch(questions[1]);
    if (isBetween) {
      expect(answer.error?.code).toBe(100);
      expect(String(reported.at(-1))).toBe(
        "ConsistencyError: the drivers ask shards 0, 1, 3, 4, 5, 6, 7 of 8",
      );
    } else expect(answer).toEqual(memory.dispatch(questions[1]));
    for (const { on, text } of steps) await rowsOf(serverOf(on), text);
    await expectAlike(service);
    expect(await countOf(serverAt(0), "pg_class WHERE relname = 'tercet_contacts_2'")).toBe(0);
    for (const { on, text } of moveShard({ place: 2, count: COUNT, from: "s2" })) {
      await rowsOf(serverAt(on === "to" ? 0 : 2), text);
    }
    await expectAlike(service);
  }
}, 120_000);

test("a change between the copy and the move is made in the copy, too", async () => {
  const service = await load("hash");
  const move = async (place: number) => {
    for (const { on, text } of moveShard({ place, count: COUNT, by: "hash", from: "s0" })) {
      await rowsOf(serverAt(on === "to" ? 2 : 0), text);
    }
  };
  await move(4);
  const [copy, ...others] = moveShard({ place: 2, count: COUNT, by: "hash", from: "s0" });
  await rowsOf(serverAt(2), copy?.text ?? "");
  const made = update("between");
  await write(made, "hash");
  await expectAlike(service);
  const [leave, take] = others;
  await rowsOf(serverAt(0), leave?.text ?? "");
  await expect(rowsOf(serverAt(2), take?.text ?? "")).rejects.toThrow(
    "the copy of shard 2 is of generation 1, this server of 2",
  );
  expect((await service.dispatch(questions[1])).error?.code).toBe(100);
  await change(serverAt(2), made, {
    tables: {
      files: ["tercet_moving", "tercet_files_2"],
      contacts: ["tercet_moving", "tercet_contacts_2"],
      lists: ["tercet_moving", "tercet_lists"],
      shard: ["tercet_moving", "tercet_shard"],
    },
    shard: { place: [2], count: COUNT, by: "hash" },
    generation,
  });
  for (const { on, text } of others) await rowsOf(serverAt(on === "to" ? 2 : 0), text);
  await expectAlike(service);
});

/** One large Batch, and many small ones. */
const uneven: Data = {
  files,
  batches: [
    generateBatch({ id: 1, count: 3000, lists: 3, seed: 1 }),
    ...Array.from({ length: 200 }, (_, i) =>
      generateBatch({ id: i + 2, count: 1 + (i % 3), lists: 1, seed: i }),
    ),
  ],
};

test.each(["contact", "hash", "batch"] as const)(
  "one large Batch and many small ones: random pages at any depth, between changes and moves; shards by %s",
  async (by) => {
    using _ = tuned({ fewBefore: 20 });
    const service = await load(by, uneven);
    const held = await Promise.all(
      Array.from({ length: COUNT }, (_, place) =>
        countOf(serverAt(place % 2), `tercet_contacts_${place}`),
      ),
    );
    const all = held.reduce((sum, count) => sum + count);
    // The small Batches alone make the first skewed, the large one the last.
    const [least, most] = ({ contact: [1.3, 1.4], hash: [1, 1.05], batch: [6, COUNT] } as const)[
      by
    ];
    const fullest = (Math.max(...held) * COUNT) / all;
    expect(fullest).toBeGreaterThanOrEqual(least);
    expect(fullest).toBeLessThan(most);
    const deep = fc
      .record({
        criteria: fc.constantFrom(
          null,
          [["open_type", "exactly", "html"]],
          [["contact_email", "contains", "a"]],
        ),
        limit: fc.integer({ min: 1, max: 30 }),
        offset: fc.integer({ min: 0, max: 3010 }),
        by: fc.constantFrom("", "contact_email", "send_id", "last_open_time", "Email"),
        order: fc.constantFrom("ASC", "DESC"),
      })
      .map(({ criteria, limit, offset, by: field, order }) => ({
        ...{ id: 1, method: "getBatchContacts" },
        params: ["key", 1, criteria, limit, offset, field, ...(field === "" ? [] : [order])],
      }));
    const asked = fc.oneof(deep, validRequest(uneven));
    const expectAnswers = (seed: number) =>
      fc.assert(
        fc.asyncProperty(asked, async (request) => {
          expect(await service.dispatch(request)).toEqual(memory.dispatch(request));
        }),
        { seed, ...settings(60) },
      );
    await expectAnswers(1);
    for (const [i, [place, from, to]] of (
      [
        [0, 0, 2],
        [3, 1, 2],
        [0, 2, 1],
      ] as const
    ).entries()) {
      const change = memory.update((draft) => {
        const text = `change ${i}`;
        const criteria = [["send_id", "contains", `${i}`]] as const;
        const large = draft.batches["1"];
        const small = draft.batches[`${i + 2}`];
        if (large === undefined || small === undefined) throw new Error("the Batches are there");
        large.contacts = large.contacts
          .update(criteria, (contact) => void (contact.contact_email = text))
          .remove([["send_id", "ends_with", `${i}7`]]);
        large.addList({
          id: 900 + i,
          contacts: Array.from({ length: 50 }, (_, j) => ({
            send_id: j,
            contact_id: j,
            contact_email: `${text}, ${j}`,
          })),
        });
        small.addListField(small.lists[0] ?? "", "Added", "string");
        delete draft.batches[`${i + 20}`];
        draft.batches[`${1000 + i}`] = createBatch(
          generateBatch({ id: 1000 + i, count: 20, lists: 1, seed: i }),
        );
      });
      await write(change, by);
      await expectAnswers(2 + i);
      for (const { on, text } of moveShard({ place, count: COUNT, by, from: `s${from}` })) {
        await rowsOf(serverAt(on === "to" ? to : from), text);
      }
      await expectAnswers(12 + i);
    }
    const contacts = await Promise.all(servers.map((server) => countOf(server, "tercet_contacts")));
    const expected = Object.values(memory.batches).map((batch) => batch.contacts.size);
    expect(contacts.reduce((sum, count) => sum + count)).toBe(
      expected.reduce((sum, count) => sum + count),
    );
  },
  120_000,
);

const anyInteger = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.maxSafeInteger(),
  fc.constantFrom(67_108_858, 67_108_859, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);

test.each(["contact", "hash", "batch"] as const)(
  "SQL tells the shard of each record as insertRows does; by %s",
  async (by) => {
    const server = serverAt(0);
    const drawn = fc.record({
      count: fc.integer({ min: 1, max: 40 }),
      rows: fc.array(fc.tuple(anyInteger, anyInteger.map(Math.abs)), {
        minLength: 1,
        maxLength: 60,
      }),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ count, rows }) => {
        const keys = [...new Set(rows.map((row) => row.join()))];
        const contact = { send_id: 1, contact_id: 1, list: 1 };
        const added: ServiceChange = {
          patches: keys.map((key) => {
            const [batch = "", position = ""] = key.split(",");
            const path = ["batches", batch, "contacts", Number(position)];
            return { op: "add", path, value: { ...contact, contact_email: key } };
          }),
          inversePatches: [],
        };
        const held = Array.from({ length: count }, (_, place) => place).filter((n) => n % 3 !== 1);
        await server.clear();
        await execute(server, createTables({ dialect, shard: { place: held, count, by } }));
        // The server takes the rows of its shards, and PostgreSQL refuses them in another.
        await change(server, added, { shard: { count, by }, generation: 1 });
        const found = await rowsOf(
          server,
          "SELECT tableoid::regclass::text || ' ' || contact_email FROM tercet_contacts",
        );
        const expected = held.flatMap((place) => {
          const shard = { place, count, by };
          const texts = [...applyPatchesSql(added, { dialect, shard, generation: 1 })].flatMap(
            ({ parameters }) =>
              parameters
                .map(String)
                .join()
                .match(/-?\d+,\d+(?="[^,]*,)/g) ?? [],
          );
          return texts.map((key) => `tercet_contacts_${place} ${key}`);
        });
        expect(found.map((row) => Object.values(row).join()).sort()).toEqual(expected.sort());
      }),
      settings(15),
    );
  },
  60_000,
);

test("who names another rule than that of the tables gets an error", async () => {
  await load("hash", uneven);
  const made = memory.update((draft) => {
    draft.batches["1"]?.addList({
      id: 900,
      contacts: Array.from({ length: 40 }, (_, i) => ({
        send_id: i,
        contact_id: i,
        contact_email: "",
      })),
    });
  });
  await expect(
    change(serverAt(0), made, { shard: { count: COUNT, by: "contact" }, generation: 2 }),
  ).rejects.toThrow('no partition of relation "tercet_contacts" found for row');
  const [copy] = moveShard({ place: 2, count: COUNT, by: "contact", from: "s0" });
  await expect(rowsOf(serverAt(2), copy?.text ?? "")).rejects.toThrow("violates check constraint");
});

test("servers of several shards are brought from version 2 to the present one, and move shards as before", async () => {
  const service = await load("hash");
  for (const [i, place] of [[0, 2, 4, 6], [1, 3, 5, 7], []].entries()) {
    const server = serverAt(i);
    await rowsOf(server, "ALTER TABLE tercet_shard DROP COLUMN version");
    const shard = { place, count: COUNT, by: "hash" } as const;
    await execute(server, migrateTables({ dialect, shard, indexes, from: 2 }));
    const [row] = await rowsOf(server, "SELECT version FROM tercet_shard");
    expect(Object.values(row ?? {}).map(Number)).toEqual([3]);
  }
  await expectAlike(service);
  for (const { on, text } of moveShard({ place: 2, count: COUNT, by: "hash", from: "s0" })) {
    await rowsOf(serverAt(on === "to" ? 2 : 0), text);
  }
  await write(update("after"), "hash");
  await expectAlike(service);
});
