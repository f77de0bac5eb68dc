// Eight shards on two servers, some of which move to a third while they are queried and changed: every
// answer is complete, or an error. The same holds if a move is killed at any of its steps, until it is
// run again.

import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrateTables, moveShard, type SqlService } from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { change, execute, rowsOf } from "../engines/engine.ts";
import { tuned } from "../tuned.ts";
import { COUNT, countOf, dialect, EightShards, indexes } from "./eight-shards.ts";

const data = {
  files: [...generateFiles({ count: 60, seed: 3 })],
  batches: [7, 8, 9].map((id) => generateBatch({ id, count: 200, lists: 2, seed: id })),
};

let shards: EightShards;
beforeAll(async () => {
  shards = await EightShards.start();
}, 60_000);
afterAll(() => shards.close(), 60_000);

const update = (text: string) =>
  shards.memory.update((draft) => {
    draft.files = draft.files
      .update([["id", "less_than", 30_000]], (file) => void (file.url = text))
      .insert([{ id: 900_000 + shards.generation, folder_id: 1, name: text }]);
    const batch = draft.batches["8"];
    if (batch === undefined) throw new Error("there is a Batch 8");
    batch.contacts = batch.contacts.update([["send_id", "contains", "3"]], (contact) => {
      contact.open_type = "text";
    });
    batch.addList({
      id: 900 + shards.generation,
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
    expect(await service.dispatch(asked)).toEqual(shards.memory.dispatch(asked));
  }
}

test.each(["contact", "hash", "batch"] as const)(
  "from two servers to three, under reads and changes; shards by %s",
  async (by) => {
    using _ = tuned({ fewBefore: 20 });
    const service = await shards.load(by, data);
    await expectAlike(service);
    await shards.write(update("before"));
    await expectAlike(service);

    let isOver = false;
    let answers = 0;
    const expected = questions.map((asked) => shards.memory.dispatch(asked));
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
      await shards.move(place, from, 2);
      // Each state between two moves is read.
      const until = answers + questions.length;
      while (answers < until) await Promise.race([reading, setTimeout(5)]);
    }
    isOver = true;
    await reading;
    await expectAlike(service);
    const held = await shards.countsOf("tercet_files");
    expect(held.reduce((sum, each) => sum + each)).toBe(shards.memory.files.size);
    expect(Math.min(...held)).toBeGreaterThan(0);
    await shards.write(update("after"));
    await expectAlike(service);
    // One that has no shard left is asked in vain.
    for (const place of [0, 7, 6]) await shards.move(place, 2, 1);
    await shards.write(update("last"));
    expect(await countOf(shards.serverAt(2), "tercet_contacts")).toBe(0);
    await expectAlike(service);
  },
  120_000,
);

test("a move that was killed at any step is an error or none, and ends well when it is run again", async () => {
  const service = await shards.load("contact", data);
  const steps = moveShard({ place: 2, count: COUNT, from: "s0" });
  const serverOf = (on: "from" | "to") => shards.serverAt(on === "to" ? 2 : 0);
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
      expect(String(shards.reported.at(-1))).toBe(
        "ConsistencyError: the drivers ask shards 0, 1, 3, 4, 5, 6, 7 of 8",
      );
    } else expect(answer).toEqual(shards.memory.dispatch(questions[1]));
    for (const { on, text } of steps) await rowsOf(serverOf(on), text);
    await expectAlike(service);
    expect(await countOf(shards.serverAt(0), "pg_class WHERE relname = 'tercet_contacts_2'")).toBe(
      0,
    );
    await shards.move(2, 2, 0);
    await expectAlike(service);
  }
}, 120_000);

test("a change between the copy and the move is made in the copy, too", async () => {
  const service = await shards.load("hash", data);
  await shards.move(4, 0, 2);
  const [copy, ...others] = moveShard({ place: 2, count: COUNT, by: "hash", from: "s0" });
  await rowsOf(shards.serverAt(2), copy?.text ?? "");
  const made = update("between");
  await shards.write(made);
  await expectAlike(service);
  const [leave, take] = others;
  await rowsOf(shards.serverAt(0), leave?.text ?? "");
  await expect(rowsOf(shards.serverAt(2), take?.text ?? "")).rejects.toThrow(
    "the copy of shard 2 is of generation 1, this server of 2",
  );
  expect((await service.dispatch(questions[1])).error?.code).toBe(100);
  await change(shards.serverAt(2), made, {
    tables: {
      files: ["tercet_moving", "tercet_files_2"],
      contacts: ["tercet_moving", "tercet_contacts_2"],
      lists: ["tercet_moving", "tercet_lists"],
      shard: ["tercet_moving", "tercet_shard"],
    },
    shard: { place: [2], count: COUNT, by: "hash" },
    generation: shards.generation,
  });
  for (const { on, text } of others) await rowsOf(shards.serverAt(on === "to" ? 2 : 0), text);
  await expectAlike(service);
});

test("servers of several shards are brought from version 2 to the present one, and move shards as before", async () => {
  const service = await shards.load("hash", data);
  for (const [i, place] of [[0, 2, 4, 6], [1, 3, 5, 7], []].entries()) {
    const server = shards.serverAt(i);
    await rowsOf(server, "ALTER TABLE tercet_shard DROP COLUMN version");
    const shard = { place, count: COUNT, by: "hash" } as const;
    await execute(server, migrateTables({ dialect, shard, indexes, from: 2 }));
    const [row] = await rowsOf(server, "SELECT version FROM tercet_shard");
    expect(Object.values(row ?? {}).map(Number)).toEqual([3]);
  }
  await expectAlike(service);
  await shards.move(2, 0, 2);
  await shards.write(update("after"));
  await expectAlike(service);
});
