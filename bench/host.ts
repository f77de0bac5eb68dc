// The outside of worker processes: starts them, calls their tasks, and ends those that take too long.

import { fork, type ChildProcess } from "node:child_process";
import type { Missing } from "./results.ts";
import type { Call, Reply, Tasks } from "./answer.ts";
import type { EngineTasks } from "./engines.ts";
import type { FreshTasks } from "./fresh.ts";
import type { WorkerTasks } from "./worker.ts";

/** What became of a call that has no result. */
export class Lost extends Error {
  readonly missing: Missing;

  constructor(missing: Missing) {
    super(JSON.stringify(missing));
    this.missing = missing;
  }
}

/** What run.js makes; each answers the tasks of its name. */
type Bundle = keyof typeof BUNDLES;

const BUNDLES = {
  worker: "bench/node_modules/.cache/worker.mjs",
  fresh: "bench/node_modules/.cache/fresh.mjs",
  engines: "test/engines/node_modules/.cache/engines.mjs",
};

export class Worker<Asked extends Tasks = WorkerTasks> {
  readonly #process: ChildProcess;

  /** @param bundle the one whose tasks are `Asked` */
  constructor(bundle: Bundle = "worker") {
    this.#process = fork(BUNDLES[bundle], {
      // gc() at hand, and a heap for 1,000,000 contacts several times over.
      execArgv: ["--expose-gc", "--max-old-space-size=16000"],
      // Some packages have a production build in them.
      env: { ...process.env, NODE_ENV: "production" },
      // Structured clones, since an unlimited query's limit is Infinity, which JSON has not.
      serialization: "advanced",
    });
  }

  /**
   * Calls a task; ends the process where that takes longer than so many seconds.
   *
   * @throws Lost
   */
  call<Name extends keyof Asked & string>(
    task: Name,
    parameters: Parameters<Asked[Name]>,
    seconds: number,
  ): Promise<Awaited<ReturnType<Asked[Name]>>> {
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
          resolve(reply.result as Awaited<ReturnType<Asked[Name]>>);
        }
      });
      child.once("exit", (code, signal) => lose({ failed: `ended: ${code ?? signal ?? "?"}` }));
      child.once("error", (error) => lose({ failed: String(error) }));
      child.send({ task, parameters } satisfies Call, (error) => {
        if (error !== null) lose({ failed: String(error) });
      });
    });
  }

  /** Whether there is no process any more. */
  get ended(): boolean {
    return this.#process.killed || this.#process.exitCode !== null;
  }

  close(): void {
    this.#process.kill("SIGKILL");
  }
}

/** One task in a process of its own. */
export function callOnce<Name extends keyof WorkerTasks>(
  task: Name,
  parameters: Parameters<WorkerTasks[Name]>,
  seconds: number,
): Promise<Awaited<ReturnType<WorkerTasks[Name]>>> {
  return callAlone("worker", task, parameters, seconds);
}

/** One task in a process that holds nothing but what the task needs. */
export function callFresh<Name extends keyof FreshTasks>(
  task: Name,
  parameters: Parameters<FreshTasks[Name]>,
  seconds: number,
): Promise<Awaited<ReturnType<FreshTasks[Name]>>> {
  return callAlone("fresh", task, parameters, seconds);
}

/** One task of an engine in a process of its own. */
export function callEngine<Name extends keyof EngineTasks>(
  task: Name,
  parameters: Parameters<EngineTasks[Name]>,
  seconds: number,
): Promise<Awaited<ReturnType<EngineTasks[Name]>>> {
  return callAlone("engines", task, parameters, seconds);
}

async function callAlone<Asked extends Tasks, Name extends keyof Asked & string>(
  bundle: Bundle,
  task: Name,
  parameters: Parameters<Asked[Name]>,
  seconds: number,
): Promise<Awaited<ReturnType<Asked[Name]>>> {
  const worker = new Worker<Asked>(bundle);
  try {
    return await worker.call(task, parameters, seconds);
  } finally {
    worker.close();
  }
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
