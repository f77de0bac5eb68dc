// The worker's side of a connection: runs calls one after the other, and sends what changes in live queries.

import type { AnyDatabase } from "../database/database.ts";
import { stateOf } from "../database/database-state.ts";
import type { Live } from "../database/live.ts";
import { notMadeBy, InputError } from "../schema/errors.ts";
import { isFunction } from "../schema/input.ts";
import { optional, positiveCount, readOptions, type OptionReaders } from "../schema/options.ts";
import type { Difference } from "./changed-by.ts";
import { differenceOf } from "./difference.ts";
import { errorData } from "./error-data.ts";
import { awaitLock, holdLock } from "../locks.ts";
import { marked, readRequest, type Call, type Reply } from "./messages.ts";
import { repeat } from "./operations.ts";
import { isOfNode, listen, requirePort, type WorkerPort } from "./port.ts";
import { unreadable, WorkerError } from "./worker-error.ts";

/** The options of `serve`. */
export interface ServeOptions {
  readonly limits?: ServeLimits | undefined;
}

/** Limits what one page can make a worker keep. */
export interface ServeLimits {
  /** How many calls may wait or run at a time. Default: 1,000. */
  readonly calls?: number | undefined;
  /** How many live queries there may be. Default: 1,000. */
  readonly live?: number | undefined;
}

/** A database at one end of a port. */
export interface Serving {
  /** Ends the connection: the calls of the other side reject, and its live queries end. */
  close(): void;
  /** Resolves with the reason once the connection has ended, from either side, such as with the tab of a shared worker. */
  readonly closed: Promise<WorkerError>;
}

const readLimit = optional(positiveCount, 1000);
const serveLimits = { calls: readLimit, live: readLimit };
const serveOptions = {
  limits: (given, path) => readOptions(given ?? {}, path, serveLimits),
} satisfies OptionReaders<Record<keyof ServeOptions, unknown>>;

/**
 * Serves a database to the page at the other end of a port, which calls `connect`. Calls run in their order, one for
 * each turn of the event loop, so that a page can cancel those that wait. Every message is checked; one that
 * `tercet/worker` does not send ends the connection, and those without its mark are ignored.
 *
 * @param db a database or a store of one, or a promise of it: calls wait until it is there, and reject if it rejects
 * @param port `self` in a dedicated worker, each port of a shared worker, `parentPort` in Node.js, or any MessagePort
 * @throws InputError if an argument is not valid
 */
export function serve(
  db: AnyDatabase | PromiseLike<AnyDatabase>,
  port: WorkerPort | null,
  options: ServeOptions = {},
): Serving {
  const { limits } = readOptions(options, "options", serveOptions);
  const isAwaited = typeof db === "object" && "then" in db;
  const server = new Server(
    isAwaited ? Promise.resolve(db).then(requireDatabase) : Promise.resolve(requireDatabase(db)),
    requirePort(port),
    limits,
  );
  return Object.freeze({ close: () => server.close(), closed: server.closed });
}

/** A database, with unchecked arguments. */
interface Served {
  live(name: unknown, ask: unknown): Live<unknown>;
  update(recipe: (draft: unknown) => unknown): unknown;
  updateAsync?(recipe: (draft: unknown) => unknown): Promise<unknown>;
}

const asked = [
  ...["query", "page", "count", "groupBy"],
  ...["explain", "explainCount", "explainGroupBy"],
];

function requireDatabase(given: unknown): Served {
  if (stateOf(given) === undefined || !isFunction((given as { readonly live: unknown }).live)) {
    throw new InputError("db", notMadeBy("createDatabase()", given));
  }
  return given as Served;
}

/** {@link ServeLimits} with the defaults. */
interface Limits {
  readonly calls: number;
  readonly live: number;
}

/** A live query, and the result that was sent. */
interface Watched {
  sent: unknown;
  latest: unknown;
  stop: () => void;
}

class Server {
  readonly #db: Promise<Served>;
  readonly #port: WorkerPort;
  readonly #limits: Limits;
  readonly #queue = new Map<number, Call>();
  readonly #running = new Set<number>();
  readonly #live = new Map<number, Watched>();
  /** The live queries whose result differs from the one that was sent. */
  readonly #changed = new Set<number>();
  /** How many messages with results the page has not seen. */
  #unseen = 0;
  #isTaking = false;
  /** Once the page knows how it can tell that this side is gone; before, it gets no answer. */
  #welcomed: Promise<void> | undefined;
  readonly #end = new AbortController();
  readonly #stop: () => void;
  readonly closed: Promise<WorkerError>;
  #resolveClosed: ((reason: WorkerError) => void) | undefined;

  constructor(db: Promise<Served>, port: WorkerPort, limits: Limits) {
    this.#db = db;
    this.#db.catch(() => undefined); // each call rejects with it
    this.#port = port;
    this.#limits = limits;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    this.#stop = listen(port, {
      message: (data) => this.#receive(data),
      unreadable: () => this.#fail(new WorkerError("a message can't be read", { code: "damaged" })),
      // An error elsewhere in the worker.
      failed: () => undefined,
      ended: () => this.#gone(),
    });
  }

  close(): void {
    this.#fail(new WorkerError("the worker has ended the connection"));
  }

  #gone(): void {
    this.#fail(new WorkerError("the page has ended the connection"));
  }

  #fail(error: WorkerError): void {
    if (this.#end.signal.aborted) return;
    this.#resolveClosed?.(error);
    this.#send({ is: "closed", error: errorData(error) });
    this.#stop();
    this.#end.abort();
    this.#queue.clear();
    this.#changed.clear();
    for (const { stop } of this.#live.values()) stop();
    this.#live.clear();
  }

  #send(reply: Reply): void {
    if (!this.#end.signal.aborted) this.#port.postMessage(marked(reply));
  }

  #receive(data: unknown): void {
    try {
      this.#read(data);
    } catch (error) {
      this.#fail(unreadable(error));
    }
  }

  #read(data: unknown): void {
    const request = readRequest(data);
    switch (request?.is) {
      case "hello":
        if (this.#welcomed !== undefined) {
          throw new WorkerError("a second hello", { code: "damaged" });
        }
        this.#welcomed = this.#welcome(request.lock);
        break;
      case "call":
        this.#enqueue(request);
        break;
      case "cancel": {
        const { id } = request;
        if (!this.#queue.delete(id)) this.#unwatch(id);
        break;
      }
      case "seen":
        this.#unseen = Math.max(0, this.#unseen - 1);
        this.#flush();
        break;
      case "bye":
        this.#gone();
        break;
      case undefined:
    }
  }

  async #welcome(lock: string | null): Promise<void> {
    const { signal } = this.#end;
    if (isOfNode(this.#port)) {
      this.#send({ is: "welcome", lock: null });
      return;
    }
    if (lock !== null) awaitLock(lock, signal, () => this.#gone());
    this.#send({ is: "welcome", lock: await holdLock(signal) });
  }

  #enqueue(call: Call): void {
    const { id } = call;
    if ([this.#queue, this.#running, this.#live].some((ids) => ids.has(id))) {
      throw new WorkerError(`the number ${id} of a call is in use`, { code: "damaged" });
    }
    const { calls } = this.#limits;
    if (this.#queue.size + this.#running.size >= calls) {
      const error = new WorkerError(`more than ${calls} calls wait; await some of them first`, {
        code: "limit",
      });
      this.#send({ is: "error", id, error: errorData(error) });
      return;
    }
    this.#queue.set(id, call);
    if (!this.#isTaking) void this.#take();
  }

  /** Runs the calls in the queue. Between two of them, messages that have come are received. */
  async #take(): Promise<void> {
    this.#isTaking = true;
    await this.#welcomed;
    const db = await this.#db.catch(() => undefined);
    while (this.#queue.size > 0) {
      await turn();
      const [call] = this.#queue.values();
      if (call === undefined) break;
      this.#queue.delete(call.id);
      void this.#run(db, call);
    }
    this.#isTaking = false;
  }

  async #run(db: Served | undefined, { id, method, given }: Call): Promise<void> {
    this.#running.add(id);
    try {
      // Where there is none, this throws why.
      const result = await this.#call(db ?? (await this.#db), id, method, given);
      this.#send({ is: "result", id, result });
    } catch (error) {
      this.#unwatch(id);
      this.#send({ is: "error", id, error: errorData(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  #call(db: Served, id: number, method: string, given: readonly unknown[]): unknown {
    const [first, second] = given;
    if (method === "live") return this.#watch(db, id, first, second);
    if (method === "update") return this.#update(db, first, second);
    if (!asked.includes(method))
      throw new WorkerError("there is no such method", { code: "damaged" });
    return Reflect.apply(Reflect.get(db, method) as () => unknown, db, given);
  }

  async #update(db: Served, operations: unknown, hasPatches: unknown): Promise<unknown> {
    const recipe = (draft: unknown) => repeat(draft, operations);
    const change = db.updateAsync?.(recipe) ?? db.update(recipe);
    // What it changed is sent before its result, so that a page has both at once.
    this.#flush(true);
    const { patches, inversePatches } = (await change) as Readonly<Record<string, unknown>>;
    return hasPatches === true ? { patches, inversePatches } : undefined;
  }

  #watch(db: Served, id: number, name: unknown, ask: unknown): unknown {
    const { live: most } = this.#limits;
    if (this.#live.size >= most) {
      throw new WorkerError(`there are ${most} live queries; end some of them first`, {
        code: "limit",
      });
    }
    const live = db.live(name, ask);
    const watched: Watched = { sent: undefined, latest: live.current, stop: () => undefined };
    watched.sent = watched.latest;
    this.#live.set(id, watched);
    watched.stop = live.subscribe((current) => {
      watched.latest = current;
      if (current === watched.sent) this.#changed.delete(id);
      else this.#changed.add(id);
      // Once all live queries were notified of the change.
      queueMicrotask(() => this.#flush());
    });
    this.#changed.delete(id);
    return (watched.sent = watched.latest);
  }

  #unwatch(id: number): void {
    this.#live.get(id)?.stop();
    this.#live.delete(id);
    this.#changed.delete(id);
  }

  /**
   * Sends what has changed in the results of all live queries: as one message, so that they agree. Until the page has
   * seen it, later changes are collected, so that a page which is slow gets fewer of them.
   *
   * @param isOwn whether the page itself has made the change
   */
  #flush(isOwn = false): void {
    if (this.#changed.size === 0 || (this.#unseen > 0 && !isOwn)) return;
    const results: (readonly [number, Difference])[] = [];
    for (const id of this.#changed) {
      const watched = this.#live.get(id);
      if (watched === undefined) continue;
      results.push([id, differenceOf(watched.sent, watched.latest)]);
      watched.sent = watched.latest;
    }
    this.#changed.clear();
    this.#unseen++;
    this.#send({ is: "results", results });
  }
}

/** Resolves once the messages that have come were received. A timer would take four milliseconds. */
function turn(): Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.addEventListener("message", resolve, { once: true });
    port1.start();
    port2.postMessage(0);
  }).finally(() => port1.close());
}
