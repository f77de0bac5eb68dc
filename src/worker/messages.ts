// The messages between a page and a worker. Each is checked before it is used: the other side may run another version,
// and a page may send messages of its own through the same port.

import { isCount, isMembers } from "../schema/input.ts";
import type { Difference } from "./changed-by.ts";
import { isErrorData, type ErrorData } from "./error-data.ts";
import { WorkerError } from "./worker-error.ts";

/** Raised when messages change: a page and a shared worker may be of different versions. */
const PROTOCOL = 1;

/** From the page. `id` is the number of a call, which is never used again. */
export type Request =
  /** The first message. @member lock held by the page */
  | { readonly is: "hello"; readonly lock: string | null }
  | Call
  /** Ends a call that is queued, or a live query. */
  | { readonly is: "cancel"; readonly id: number }
  /** The last results were received. */
  | { readonly is: "seen" }
  | { readonly is: "bye" };

export interface Call {
  readonly is: "call";
  readonly id: number;
  readonly method: string;
  readonly given: readonly unknown[];
}

/** From the worker. */
export type Reply =
  | { readonly is: "welcome"; readonly lock: string | null }
  | { readonly is: "result"; readonly id: number; readonly result: unknown }
  | { readonly is: "error"; readonly id: number; readonly error: ErrorData }
  /** What has changed in the results of live queries, by their calls. */
  | { readonly is: "results"; readonly results: readonly (readonly [number, Difference])[] }
  | { readonly is: "closed"; readonly error: ErrorData };

type Members = Readonly<Record<string, unknown>>;

const isLock = (given: unknown) => given === null || typeof given === "string";

const requests: Readonly<Record<Request["is"], (message: Members) => boolean>> = {
  hello: ({ lock }) => isLock(lock),
  call: ({ id, method, given }) =>
    isCount(id) && typeof method === "string" && Array.isArray(given),
  cancel: ({ id }) => isCount(id),
  seen: () => true,
  bye: () => true,
};

const replies: Readonly<Record<Reply["is"], (message: Members) => boolean>> = {
  welcome: ({ lock }) => isLock(lock),
  result: ({ id }) => isCount(id),
  error: ({ id, error }) => isCount(id) && isErrorData(error),
  // Differences are checked where they are applied.
  results: ({ results }) =>
    Array.isArray(results) &&
    results.every((each: unknown) => Array.isArray(each) && each.length === 2 && isCount(each[0])),
  closed: ({ error }) => isErrorData(error),
};

/** What is sent: the message, marked as ours. */
export const marked = (message: Request | Reply): object => ({ tercet: PROTOCOL, ...message });

/** @returns the message; `undefined` if it is none of ours @throws WorkerError if it is not valid */
export const readRequest = (data: unknown) => read(data, requests) as Request | undefined;
export const readReply = (data: unknown) => read(data, replies) as Reply | undefined;

function read(data: unknown, kinds: Readonly<Record<string, (message: Members) => boolean>>) {
  if (!isMembers(data) || !Object.hasOwn(data, "tercet")) return undefined;
  if (data.tercet !== PROTOCOL) {
    throw new WorkerError(
      "the page and the worker have different versions of tercet/worker; build them together, or reload the page",
      { code: "unsupported" },
    );
  }
  const { is } = data;
  if (typeof is === "string" && Object.hasOwn(kinds, is) && kinds[is]?.(data) === true) return data;
  throw new WorkerError("a message is not one of tercet/worker", { code: "damaged" });
}
