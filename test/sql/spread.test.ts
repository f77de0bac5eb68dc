// Each rule that spreads records over shards puts each of them on one shard, the same in SQL as here, and
// pages at any depth are complete, of one large Batch with many small ones beside it.

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBatch, type ServiceChange } from "../../src/index.ts";
import { applyPatchesSql, createTables, moveShard } from "../../src/sql/index.ts";
import { generateBatch, generateFiles } from "../../src/synthetic/index.ts";
import { validRequest } from "../../src/testing/index.ts";
import { change, execute, rowsOf } from "../engines/engine.ts";
import { settings } from "../property.ts";
import { tuned } from "../tuned.ts";
import { COUNT, countOf, dialect, EightShards, type Data } from "./eight-shards.ts";

let shards: EightShards;
beforeAll(async () => {
  shards = await EightShards.start();
}, 60_000);
afterAll(() => shards.close(), 60_000);

/** One large Batch, and many small ones. */
const uneven: Data = {
  files: [...generateFiles({ count: 60, seed: 3 })],
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
    const service = await shards.load(by, uneven);
    const held = await Promise.all(
      Array.from({ length: COUNT }, (_, place) =>
        countOf(shards.serverAt(place % 2), `tercet_contacts_${place}`),
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
    const expectAnswers = (seed: number, requests: number) =>
      fc.assert(
        fc.asyncProperty(asked, async (request) => {
          expect(await service.dispatch(request)).toEqual(shards.memory.dispatch(request));
        }),
        { seed, ...settings(requests) },
      );
    await expectAnswers(1, 15);
    for (const [i, [place, from, to]] of (
      [
        [0, 0, 2],
        [3, 1, 2],
        [0, 2, 1],
      ] as const
    ).entries()) {
      const change = shards.memory.update((draft) => {
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
      await shards.write(change);
      await expectAnswers(2 + i, 5);
      await shards.move(place, from, to);
      await expectAnswers(12 + i, 5);
    }
    const contacts = await shards.countsOf("tercet_contacts");
    const expected = Object.values(shards.memory.batches).map((batch) => batch.contacts.size);
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
    const server = shards.serverAt(0);
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
      settings(6),
    );
  },
  60_000,
);

test("who names another rule than that of the tables gets an error", async () => {
  await shards.load("hash", uneven);
  const made = shards.memory.update((draft) => {
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
    change(shards.serverAt(0), made, { shard: { count: COUNT, by: "contact" }, generation: 2 }),
  ).rejects.toThrow('no partition of relation "tercet_contacts" found for row');
  const [copy] = moveShard({ place: 2, count: COUNT, by: "contact", from: "s0" });
  await expect(rowsOf(shards.serverAt(2), copy?.text ?? "")).rejects.toThrow(
    "violates check constraint",
  );
});
