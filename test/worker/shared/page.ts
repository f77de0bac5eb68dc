import { connect, WorkerError } from "../../../src/worker/index.ts";
import type { NotesDb } from "./notes.ts";

const shared = () => connect<NotesDb>(new SharedWorker("worker.js", { type: "module" }).port);

const ended = new Promise((resolve) =>
  new BroadcastChannel("ended").addEventListener("message", ({ data }) => resolve(data)),
);

/** The reasons for which what waits for a worker rejects that never starts. */
async function brokenReasons(): Promise<unknown> {
  const worker = new Worker("broken.js", { type: "module" });
  const db = connect<NotesDb>(worker, { onError: () => undefined });
  const settled = await Promise.allSettled([db.count("notes"), db.live("notes", {}).ready()]);
  return settled.map((each) =>
    each.status === "rejected" && each.reason instanceof WorkerError ? each.reason.message : each,
  );
}

/** Why a call rejects that waits for a worker which is terminated, after it has answered another. */
async function terminated(): Promise<unknown> {
  const worker = new Worker("silent.js", { type: "module" });
  const db = connect<NotesDb>(worker);
  await db.count("notes");
  // It waits for good.
  const open = db.update((draft) => {
    draft.notes = draft.notes.insert({ id: 5, text: "never" });
  });
  worker.terminate();
  return await open.catch((error: unknown) => (error as Error).message);
}

Object.assign(globalThis, { shared, ended, brokenReasons, terminated });
