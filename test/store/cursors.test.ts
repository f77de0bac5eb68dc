// Pages by cursor (P10) in stores: keys are saved in the journal and the files, so a cursor is valid after a restart.

import { expect, test } from "vitest";
import { createCollection, createDatabase, defineSchema, int, string } from "../../src/index.ts";
import { createStore, openStore, repairStore } from "../../src/store/index.ts";
import { newFolder } from "./fixtures.ts";

const Ticket = defineSchema({ id: int({ unique: true }), state: string() });
const unlocked = { lock: false, durability: "os" } as const;

/** With more records than a file of one page has, and a few states, so that their keys decide. */
const tickets = Array.from({ length: 1500 }, (_, id) => ({ id, state: `${id % 3}` }));

test("a walk goes on after restarts, checkpoints, changes and repairs", () => {
  const folder = newFolder();
  const made = createDatabase({ tickets: createCollection(Ticket, tickets) });
  createStore(folder, made, unlocked).close();
  const expected = made.tickets.query({ sortBy: "state" }).map(({ id }) => id);
  const walked: number[] = [];
  let next: string | null = null;
  let page = 0;
  do {
    const store = openStore(folder, { tickets: Ticket }, unlocked);
    const { records, ...after } = store.tickets.page({ sortBy: "state", limit: 150, after: next });
    walked.push(...records.map(({ id }) => id));
    next = after.next;
    const gone = records.map(({ id }) => id).filter((id) => id % 2 === 0);
    store.update((draft) => {
      draft.tickets = draft.tickets
        .remove([["id", "in", gone]])
        .insert({ id: 2000 + page, state: "9" });
    });
    // Without a checkpoint the journal has the changes.
    if (page % 3 > 0) store.checkpoint();
    store.close();
    if (page % 4 === 3) repairStore(folder);
    page++;
  } while (next !== null);
  expect(walked).toEqual(expected);
});
