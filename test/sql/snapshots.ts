// A change between the statements of a request: the tests of each engine check that no result mixes two states.

import { expect } from "vitest";
import { createService, type Service, type ServiceDraft } from "../../src/index.ts";
import type { Run, SqlService } from "../../src/sql/index.ts";
import { change, rowsOf, type ClusterEngine, type Engine } from "../engines/engine.ts";
import { serviceOn } from "./load.ts";

const contacts = (from: number, fields: Readonly<Record<string, string>>) =>
  Array.from({ length: 10 }, (_, i) => ({
    ...{ send_id: from + i, contact_id: from + i, contact_email: `${from + i}@example.com` },
    fields,
  }));

interface Watched {
  readonly memory: Service;
  readonly service: SqlService;
  /** Makes a change in memory and in the engine. */
  readonly update: (recipe: (draft: ServiceDraft) => void) => Promise<void>;
  /** How many statements were sent, and what comes before the next one of them. */
  readonly sent: { count: number; before: (place: number) => Promise<void> };
  readonly reported: unknown[];
}

async function watched(engine: Engine | ClusterEngine): Promise<Watched> {
  const data = {
    batches: [
      { id: 7, lists: [{ id: 1, fields: ["Email"], contacts: contacts(0, { Email: "5" }) }] },
    ],
  };
  const memory = createService(data);
  const sent = { count: 0, before: () => Promise.resolve() } as Watched["sent"];
  const run: Run = async (...asked) => {
    await sent.before(sent.count++);
    return await engine.run(...asked);
  };
  const reported: unknown[] = [];
  const onInternalError = (thrown: unknown) => reported.push(thrown);
  const service = await serviceOn(engine, data, { run, onInternalError });
  const cluster = "shards" in engine ? { servers: engine.servers } : undefined;
  const update = (recipe: (draft: ServiceDraft) => void) =>
    change(engine, memory.update(recipe), { cluster });
  return { memory, service, update, sent, reported };
}

/** Fails where an answer has some of the Contacts, or where a lookup is more than one statement. */
export async function expectWholeAnswers(engine: Engine | ClusterEngine): Promise<void> {
  const { memory, service, update, sent, reported } = await watched(engine);
  const asked = async (...page: [] | [unknown]) => {
    sent.count = 0;
    const answer = await service.getBatchContacts(7, ...(page as []));
    expect(answer).toEqual(memory.getBatchContacts(7, ...(page as [])));
    return { found: Object.values(answer).flat().length, statements: sent.count };
  };

  sent.before = async (place) => {
    if (place !== 1) return;
    await update(({ batches }) => {
      batches["7"]?.addList({ id: 2, fields: ["Email"], contacts: contacts(10, { Email: "6" }) });
    });
  };
  expect(await asked()).toEqual({ found: 20, statements: 4 });
  sent.before = () => Promise.resolve();
  expect(await asked()).toEqual({ found: 20, statements: 1 });
  expect(await asked([["Email", "exactly", "6"]])).toEqual({ found: 10, statements: 1 });

  // What is known of the Lists refuses what came later, and takes what is gone.
  await update(({ batches }) => {
    batches["7"]?.addListField("1", "Score", "int");
    batches["7"]?.removeListField("2", "Email");
  });
  expect(await asked([["Score", "greater_than", 5]])).toEqual({ found: 0, statements: 2 });
  expect(await asked([["Email", "exactly", "6"]])).toEqual({ found: 0, statements: 1 });
  await update(({ batches }) => batches["7"]?.removeList("2"));
  expect(await asked()).toEqual({ found: 10, statements: 3 });
  await update(({ batches }) => void Reflect.deleteProperty(batches, "7"));
  await expect(service.getBatchContacts(7)).rejects.toMatchObject({ code: 308 });
  expect(reported).toEqual([]);
}

/** Fails where a request is asked for ever whose Lists are others each time, or answered all the same. */
export async function expectBoundedTries(engine: Engine | ClusterEngine): Promise<void> {
  const { service, sent, reported } = await watched(engine);
  const [table, values] = ["tercet_contacts", "batch_id = 7"];
  // Contacts of a List that the Batch has not, as a writer without a transaction may leave them.
  const isClickhouse = engine.dialect === "clickhouse";
  const updates = isClickhouse
    ? `ALTER TABLE ${table} UPDATE list_id = 5 WHERE ${values}`
    : `UPDATE ${table} SET list_id = 5 WHERE ${values}`;
  await rowsOf(engine, updates);
  const data = "the service failed unexpectedly";
  await expect(service.getBatchContacts(7)).rejects.toMatchObject({ code: 100, data });
  expect(reported.map(String)).toEqual([
    "ConsistencyError: the Lists of Batch 7 do not match the Lists of its Contacts",
  ]);
  expect(sent.count).toBe(8);
}
