// The worker of a tab that shares a store with others. It adds notes until it is told to stop or killed, and reports each
// that is acknowledged; then it posts all notes, once there are as many as asked for.

import { defineSchema, int, next, string } from "../../../src/index.ts";
import { openSharedStore } from "../../../src/store/index.ts";

const Note = defineSchema({
  id: int({ unique: true, default: next }),
  tab: string(),
  number: int(),
});

const told = { isStopped: false, reported: 0, goOn: (): void => undefined };
const isStopped = () => told.isStopped;
/** Resolves with the number of notes that there have to be. */
const asked = new Promise<number>((resolve) => {
  // Also before the store is open.
  addEventListener("message", ({ data }: MessageEvent<"reported" | "stop" | number>) => {
    if (data === "reported") told.reported++;
    else told.isStopped = true;
    if (typeof data === "number") resolve(data);
    told.goOn();
  });
});

async function work(): Promise<void> {
  const tab = new URL(location.href).searchParams.get("tab") ?? "";
  const db = await openSharedStore("shared notes", { notes: Note });
  for (let number = 0; !isStopped(); number++) {
    await db.updateAsync((draft) => {
      draft.notes = draft.notes.insert({ tab, number });
    });
    postMessage({ is: "acknowledged", tab, number });
    // One change is ahead of the reports, so that a kill comes during changes; more would fill the test's process.
    while (told.reported < number && !isStopped()) {
      await new Promise<void>((resolve) => (told.goOn = resolve));
    }
  }
  postMessage({ is: "stopped", count: db.notes.size });
  const least = await asked;
  await new Promise<void>((resolve) => {
    const check = () => {
      if (db.notes.size >= least) resolve();
    };
    db.subscribe(check);
    check();
  });
  postMessage({ is: "notes", notes: [...db.notes] });
}

work().catch((thrown: unknown) => postMessage({ is: "failed", reason: String(thrown) }));
