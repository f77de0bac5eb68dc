// The page's side of a connection: calls that return promises, and copies of the results of live queries.

import type { AnyDatabase } from "../database/database.ts";
import { DeadlineError } from "../engine/algorithms/deadline.ts";
import { writeError } from "../engine/on-error.ts";
import { InputError } from "../schema/errors.ts";
import {
  amount,
  callable,
  must,
  optional,
  positiveCount,
  readOptions,
  type OptionReaders,
} from "../schema/options.ts";
import { errorFrom } from "./error-data.ts";
import { awaitLock, holdLock } from "../locks.ts";
import { keyOf } from "./live-key.ts";
import { marked, readReply, type Reply, type Request } from "./messages.ts";
import { recorded } from "./recorder.ts";
import { isOfNode, listen, requirePort, type WorkerPort } from "./port.ts";
import { LiveState, type RemoteLive } from "./remote-live.ts";
import type { CallOptions, CollectionsIn, RemoteDatabase } from "./types.ts";
import { unreadable, WorkerError } from "./worker-error.ts";

/** The options of `connect`. */
export interface ConnectOptions {
  /**
   * Called with errors of live queries whose listeners have no `onError` of their own, and with exceptions of listeners.
   * Default: `console.error`.
   */
  readonly onError?: ((thrown: unknown) => unknown) | undefined;
  /**
   * How many milliseconds a live query goes on without listeners: a component that is rendered again finds its result.
   * Default: 1,000.
   */
  readonly linger?: number | undefined;
  /** How long a call may take at most, in milliseconds. Default: any time. */
  readonly milliseconds?: number | undefined;
  /** How many calls may wait for the worker; further ones reject. Default: 1,000. */
  readonly calls?: number | undefined;
}

const connectOptions = {
  onError: optional(callable, writeError),
  linger: optional(amount, 1000),
  milliseconds: optional(amount),
  calls: optional(positiveCount, 1000),
} satisfies OptionReaders<Record<keyof ConnectOptions, unknown>>;

const isSignal = (given: unknown): given is AbortSignal => given instanceof AbortSignal;
const callOptions = {
  signal: optional(must("an AbortSignal", isSignal)),
  milliseconds: optional(amount),
} satisfies OptionReaders<CallOptions>;
const explainOptions = { ...callOptions, analyze: (given: unknown) => given };
const updateOptions = { ...callOptions, patches: (given: unknown) => given ?? true };

/**
 * Connects to a database that a worker serves: `connect<typeof db>(new Worker(…))`, where `db` is the database of the
 * worker, of which only the type is imported. Its questions, changes and live queries are those of the database, and
 * return promises. Errors are of the classes that the database throws.
 *
 * @param port a `Worker`, the `port` of a `SharedWorker`, or any MessagePort; of a browser, or of Node.js
 * @throws InputError if an argument is not valid
 */
export function connect<D extends AnyDatabase>(
  port: WorkerPort,
  options?: ConnectOptions,
): RemoteDatabase<CollectionsIn<D>>;
export function connect(port: unknown, options: unknown = {}): object {
  const { onError, linger, ...calling } = readOptions(options, "options", connectOptions);
  const client = new Client(requirePort(port), calling);
  const shared = new Map<string, RemoteLive<unknown>>();

  const live = (name: unknown, ask: unknown = {}): RemoteLive<unknown> => {
    const key = keyOf([name, ask]);
    const known = key === undefined ? undefined : shared.get(key);
    if (known !== undefined) return known;
    const open = (state: LiveState) => client.open([name, ask], state);
    const forget = () => {
      if (key !== undefined && shared.get(key) === store) shared.delete(key);
    };
    const { store } = new LiveState(open, onError, linger, forget);
    if (key !== undefined) shared.set(key, store);
    return store;
  };
  const ask =
    (method: string) =>
    (name: unknown, query?: unknown, given: unknown = {}) =>
      client.call(
        method,
        () => [name, query],
        () => readOptions(given, "options", callOptions),
      );
  const change = (operations: () => readonly unknown[], given: unknown) =>
    client.call(
      "update",
      ({ patches }: { readonly patches?: unknown }) => [operations(), patches],
      () => readOptions(given, "options", updateOptions),
    );
  const database = {
    query: ask("query"),
    page: ask("page"),
    count: ask("count"),
    groupBy: ask("groupBy"),
    explain: (name: unknown, query?: unknown, given: unknown = {}) =>
      client.call(
        "explain",
        ({ analyze }: { readonly analyze?: unknown }) => [name, query ?? {}, { analyze }],
        () => readOptions(given, "options", explainOptions),
      ),
    explainCount: ask("explainCount"),
    explainGroupBy: ask("explainGroupBy"),
    update: (recipe: unknown, given: unknown = {}) =>
      change(() => recorded(callable(recipe, "recipe")), given),
    applyPatches: (patches: unknown, given: unknown = {}) =>
      change(() => recorded((draft) => patch(draft, patches)), given),
    live,
    watch: (name: unknown, asked: unknown, listener: never, onError?: never) =>
      live(name, asked).subscribe(listener, onError),
    closed: client.closed,
    close: () => client.close(),
    [disposing]: () => client.close(),
  };
  return Object.freeze(database);
}

const patch = (draft: unknown, patches: unknown) => {
  (draft as { applyPatches(patches: unknown): void }).applyPatches(patches);
};

/** Where there is no such symbol yet, compilers of `using` use this one. */
const symbols: Partial<Pick<SymbolConstructor, "dispose">> = Symbol;
const disposing: symbol = symbols.dispose ?? Symbol.for("Symbol.dispose");

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

class Client {
  readonly #port: WorkerPort;
  readonly #most: number;
  readonly #milliseconds: number | undefined;
  readonly #waiting = new Map<number, Waiting>();
  readonly #live = new Map<number, LiveState>();
  readonly #stop: () => void;
  readonly #end = new AbortController();
  readonly closed: Promise<WorkerError>;
  #resolveClosed: ((reason: WorkerError) => void) | undefined;
  #ended: WorkerError | undefined;
  #isWelcome = false;
  #ids = 0;

  constructor(
    port: WorkerPort,
    { calls, milliseconds }: { readonly calls: number; readonly milliseconds: number | undefined },
  ) {
    this.#port = port;
    this.#most = calls;
    this.#milliseconds = milliseconds;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    this.#stop = listen(port, {
      message: (data) => this.#receive(data),
      unreadable: () => this.#fail(new WorkerError("a message can't be read", { code: "damaged" })),
      failed: (message) => {
        // Later, the worker goes on.
        if (!this.#isWelcome) this.#fail(new WorkerError(`the worker did not start: ${message}`));
      },
      ended: (reason) => this.#fail(new WorkerError(`the worker ${reason}${ANEW}`)),
    });
    void this.#hello();
  }

  async #hello(): Promise<void> {
    // A dedicated worker ends with its page.
    const isOwned = isOfNode(this.#port) || "terminate" in this.#port;
    this.#post({ is: "hello", lock: isOwned ? null : await holdLock(this.#end.signal) });
  }

  /** @throws InputError if the worker can't get it */
  #post(request: Request): void {
    if (this.#ended !== undefined) return;
    try {
      this.#port.postMessage(marked(request));
    } catch (error) {
      const what = request.is === "call" ? request.method : request.is;
      throw new InputError(what, "has a value that can't be sent to a worker", { cause: error });
    }
  }

  #receive(data: unknown): void {
    try {
      this.#read(data);
    } catch (error) {
      this.#fail(unreadable(error));
    }
  }

  #read(data: unknown): void {
    const reply = readReply(data);
    switch (reply?.is) {
      case "welcome":
        this.#isWelcome = true;
        if (reply.lock !== null) {
          const gone = () => this.#fail(new WorkerError(`the worker has ended${ANEW}`));
          awaitLock(reply.lock, this.#end.signal, gone);
        }
        break;
      case "result":
        this.#waiting.get(reply.id)?.resolve(reply.result);
        this.#live.get(reply.id)?.take(reply.result)();
        break;
      case "error": {
        const error = errorFrom(reply.error);
        this.#waiting.get(reply.id)?.reject(error);
        const live = this.#live.get(reply.id);
        this.#live.delete(reply.id);
        live?.fail(error)();
        break;
      }
      case "results": {
        this.#post({ is: "seen" });
        this.#show(reply);
        break;
      }
      case "closed": {
        const error = errorFrom(reply.error);
        this.#fail(error instanceof WorkerError ? error : new WorkerError(error.message));
        break;
      }
      case undefined:
    }
  }

  /** Listeners hear of the results once all of them are there, so that they agree. */
  #show({ results }: Extract<Reply, { readonly is: "results" }>): void {
    const notify = results.map(([id, difference]) => this.#live.get(id)?.change(difference));
    for (const each of notify) each?.();
  }

  #fail(reason: WorkerError): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#stop();
    this.#end.abort();
    for (const { reject } of [...this.#waiting.values()]) reject(reason);
    const notify = Array.from(this.#live.values(), (live) => live.fail(reason));
    this.#live.clear();
    this.#resolveClosed?.(reason);
    for (const each of notify) each();
  }

  close(): void {
    this.#post({ is: "bye" });
    this.#fail(new WorkerError("the connection was closed"));
  }

  /** @param given returns the arguments, for the options @param read reads the options */
  call<Options extends CallOptions>(
    method: string,
    given: (options: Options) => readonly unknown[],
    read: () => Options,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) throw this.#ended;
      const options = read();
      const { signal, milliseconds = this.#milliseconds } = options;
      signal?.throwIfAborted();
      if (this.#waiting.size >= this.#most) {
        const reason = `more than ${this.#most} calls wait for the worker; await some of them first`;
        throw new WorkerError(reason, { code: "limit" });
      }
      const id = ++this.#ids;
      this.#post({ is: "call", id, method, given: given(options) });
      const cancel = (reason: Error) => {
        this.#post({ is: "cancel", id });
        waiting.reject(reason);
      };
      const late = () =>
        cancel(new DeadlineError(`${method}: the worker took more than ${milliseconds} ms`));
      const timer = milliseconds === undefined ? undefined : setTimeout(late, milliseconds);
      const abort = () => cancel(signal?.reason as Error);
      signal?.addEventListener("abort", abort);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        this.#waiting.delete(id);
      };
      const waiting: Waiting = {
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      this.#waiting.set(id, waiting);
    });
  }

  /** Starts a live query. @returns a function that ends it */
  open(given: readonly unknown[], live: LiveState): () => void {
    const id = ++this.#ids;
    try {
      if (this.#ended !== undefined) throw this.#ended;
      this.#post({ is: "call", id, method: "live", given });
      this.#live.set(id, live);
    } catch (error) {
      live.fail(error);
    }
    return () => {
      if (this.#live.delete(id)) this.#post({ is: "cancel", id });
    };
  }
}

const ANEW = "; start a new one, and connect to it";
