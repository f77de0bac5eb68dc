// The processes that measure. Each has its own heap, so that garbage collection does not depend on
// other data, and a call that hangs ends with its process. Tasks are called by message, one at a
// time: `Worker` makes the calls, `answerCalls` answers them in the process.

import { fork, type ChildProcess } from "node:child_process";
import type { Missing } from "./results.ts";

/** The tasks of a process. */
export type Tasks = Readonly<Record<string, (...parameters: never[]) => unknown>>;

interface Call {
  readonly task: string;
  readonly parameters: readonly unknown[];
}

type Reply = { readonly result: unknown } | { readonly error: string };

/** The outcome of a call without a result. */
class Lost extends Error {
  readonly missing: Missing;

  constructor(missing: Missing) {
    super(JSON.stringify(missing));
    this.missing = missing;
  }
}

/** The bundles that run.js makes. */
const BUNDLES = {
  worker: "bench/node_modules/.cache/worker.mjs",
  /** Contains only what a task needs. */
  fresh: "bench/node_modules/.cache/fresh.mjs",
};

const NO_LIMIT = 3600;

/** @template Own the tasks that its bundle answers, or some of them */
export class Worker<Own extends Tasks> {
  readonly #process: ChildProcess;

  constructor(bundle: keyof typeof BUNDLES = "worker") {
    this.#process = fork(BUNDLES[bundle], {
      // Enables gc(), and a heap that holds 1,000,000 contacts several times.
      execArgv: ["--expose-gc", "--max-old-space-size=16000"],
      // Some packages contain a production build.
      env: { ...process.env, NODE_ENV: "production" },
      // Structured clones, since an unlimited query's limit is Infinity, which JSON lacks.
      serialization: "advanced",
    });
  }

  /**
   * Calls a task; ends the process if that takes longer than so many seconds.
   *
   * @throws Lost
   */
  call<Name extends keyof Own & string>(
    task: Name,
    parameters: Parameters<Own[Name]>,
    seconds = NO_LIMIT,
  ): Promise<Awaited<ReturnType<Own[Name]>>> {
    return new Promise((resolve, reject) => {
      const child = this.#process;
      const settle = () => {
        clearTimeout(timer);
        child.removeAllListeners();
      };
      const lose = (missing: Missing) => {
        settle();
        reject(new Lost(missing));
      };
      const timer = setTimeout(() => {
        lose({ stopped: seconds });
        this.close();
      }, seconds * 1000);
      child.once("message", (message) => {
        const reply = message as Reply;
        if ("error" in reply) lose({ failed: reply.error });
        else {
          settle();
          resolve(reply.result as Awaited<ReturnType<Own[Name]>>);
        }
      });
      child.once("exit", (code, signal) => lose({ failed: `ended: ${code ?? signal ?? "?"}` }));
      child.once("error", (error) => lose({ failed: String(error) }));
      child.send({ task, parameters } satisfies Call, (error) => {
        if (error !== null) lose({ failed: String(error) });
      });
    });
  }

  /** Whether the process has ended. */
  get ended(): boolean {
    return this.#process.killed || this.#process.exitCode !== null;
  }

  close(): void {
    this.#process.kill("SIGKILL");
  }
}

/** Returns a function that calls tasks like {@link Worker.call}, each in its own process. */
export function callerOf<Own extends Tasks>(bundle: keyof typeof BUNDLES = "worker") {
  return async <Name extends keyof Own & string>(
    task: Name,
    parameters: Parameters<Own[Name]>,
    seconds?: number,
  ): Promise<Awaited<ReturnType<Own[Name]>>> => {
    const worker = new Worker<Own>(bundle);
    try {
      return await worker.call(task, parameters, seconds);
    } finally {
      worker.close();
    }
  };
}

/** The result of a call, or why there is none. */
export async function orMissing<Result>(call: Promise<Result>): Promise<Result | Missing> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Lost) return error.missing;
    throw error;
  }
}

/** Answers calls, one at a time, until the caller disconnects. */
export function answerCalls(tasks: Tasks): void {
  process.on("message", (message) => {
    const { task, parameters } = message as Call;
    const run = tasks[task] as (...given: readonly unknown[]) => unknown;
    void (async () => {
      try {
        process.send?.({ result: await run(...parameters) } satisfies Reply);
      } catch (error) {
        process.send?.({ error: String(error) } satisfies Reply);
      }
    })();
  });
  process.on("disconnect", () => process.exit());
}
