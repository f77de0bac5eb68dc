// The worker of a page that changes a store until it is killed. It reports each change that is acknowledged.

import { createCollection, createDatabase, defineSchema, int, string } from "../../../src/index.ts";
import {
  createStore,
  isStore,
  openPrivateFiles,
  openStore,
  StoreError,
  type PrivateFiles,
} from "../../../src/store/index.ts";

const Note = defineSchema({ id: int({ unique: true }), text: string() });

/** The browser takes a while to release what a killed worker had. */
async function openFiles(): Promise<PrivateFiles> {
  for (;;) {
    try {
      return await openPrivateFiles("notes");
    } catch (thrown) {
      if (!(thrown instanceof StoreError) || thrown.code !== "locked") throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function work(): Promise<never> {
  const at = (await openFiles()).at("notes");
  const db = isStore(at)
    ? openStore(at, { notes: Note })
    : createStore(at, createDatabase({ notes: createCollection(Note, []) }));
  const all = [...db.notes];
  const isWhole = all.every(({ id, text }, i) => id === i && text === `${Math.floor(i / 2)}`);
  postMessage({ is: "opened", changes: all.length / 2, isWhole });
  for (let n = all.length / 2; ; n++) {
    const add = (draft: { notes: typeof db.notes }) => {
      draft.notes = draft.notes.insert([
        { id: 2 * n, text: `${n}` },
        { id: 2 * n + 1, text: `${n}` },
      ]);
    };
    if (n % 3 === 0) db.update(add);
    else await db.updateAsync(add);
    postMessage({ is: "acknowledged", changes: n + 1 });
    if (n % 40 === 39) db.checkpoint();
  }
}

work().catch((thrown: unknown) => postMessage({ is: "failed", reason: String(thrown) }));
