// What each page has, whatever its framework.

import { connect } from "../../../src/worker/index.ts";
import { finish, type TasksDb, type TasksShown } from "./tasks.ts";

export const db = connect<TasksDb>(new Worker("worker.js", { type: "module" }));
export const root = document.querySelector("#root") ?? document.body;
const json = document.querySelector("#rendered")?.textContent ?? "null";
export const rendered = (JSON.parse(json) as TasksShown["rendered"] | null) ?? undefined;

/** Gives the test what it calls. */
export const expose = (members: object) =>
  Object.assign(globalThis, { db, finish: (id: number) => finish(db, id), ...members });
