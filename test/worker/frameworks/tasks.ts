// The tasks that each framework shows.

import { createCollection, createDatabase, defineSchema, int, string } from "../../../src/index.ts";
import type { CollectionsIn, RemoteDatabase } from "../../../src/worker/index.ts";

const Task = defineSchema({ id: int({ unique: true }), title: string(), done: int() });

export const makeTasks = () =>
  createDatabase({
    tasks: createCollection(Task, [
      { id: 1, title: "write", done: 0 },
      { id: 2, title: "test", done: 0 },
      { id: 3, title: "sleep", done: 1 },
    ]),
  });
export type TasksDb = ReturnType<typeof makeTasks>;
export type RemoteTasks = RemoteDatabase<CollectionsIn<TasksDb>>;

export const withDone = (done: number) =>
  ({
    criteria: [["done", "exactly", done]],
    sort: [["id", "ASC"]],
    select: ["id", "title"],
  }) as const;

/** What a page shows of them. */
export interface TasksShown {
  readonly db: RemoteTasks;
  readonly rendered?: readonly { readonly id: number; readonly title: string }[] | undefined;
}

/** Marks a task in the worker. */
export const finish = (db: RemoteTasks, id: number) =>
  db.update((draft) => {
    draft.tasks = draft.tasks.update([["id", "exactly", id]], { done: 1 });
  });
