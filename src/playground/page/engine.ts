// The page's side of the worker: calls that are answered by promises. Of a task that is asked faster
// than it is answered, only the last call waits; those before it are given up.

import type { Call, Fault, Reply, TaskName, Tasks } from "../messages.ts";

/** Why a call has no result. */
export class Refused extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.reason);
    this.fault = fault;
  }
}

type News = Exclude<Reply, { readonly id: number }>;
type ResultOf<Name extends TaskName> = ReturnType<Tasks[Name]>;

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (refused: Refused) => void;
}

interface Next {
  readonly parameters: readonly unknown[];
  readonly start: (sent: Promise<unknown> | undefined) => void;
}

export class Engine {
  readonly #script: string;
  readonly #news: (news: News) => void;
  #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  /** For each task that is under way, what to ask next. */
  readonly #next = new Map<TaskName, Next | undefined>();
  #calls = 0;

  /** @param script the worker's program: one of a Blob runs where a page is a file, unless it is a module */
  constructor(script: string, news: (news: News) => void) {
    this.#script = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.#news = news;
    this.#worker = this.#start();
  }

  /** Gives up the data and every call, which is never answered then: a worker that loads hears of nothing else. */
  restart(): void {
    this.#worker.terminate();
    this.#worker = this.#start();
    this.#waiting.clear();
    this.#next.clear();
  }

  #start(): Worker {
    const worker = new Worker(this.#script);
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
      if ("id" in data) this.#settle(data);
      else this.#news(data);
    });
    return worker;
  }

  /** @throws Refused */
  call<Name extends TaskName>(
    task: Name,
    ...parameters: Parameters<Tasks[Name]>
  ): Promise<ResultOf<Name>> {
    return this.#send(task, parameters) as Promise<ResultOf<Name>>;
  }

  /**
   * {@link Engine.call}, unless the same is asked again before its turn comes: then `undefined`.
   *
   * @throws Refused
   */
  latest<Name extends TaskName>(
    task: Name,
    ...parameters: Parameters<Tasks[Name]>
  ): Promise<ResultOf<Name> | undefined> {
    if (!this.#next.has(task)) {
      return this.#begin(task, parameters) as Promise<ResultOf<Name>>;
    }
    this.#next.get(task)?.start(undefined);
    return new Promise<ResultOf<Name> | undefined>((resolve, reject) => {
      const start = (sent: Promise<unknown> | undefined) => {
        if (sent === undefined) resolve(undefined);
        else sent.then((result) => resolve(result as ResultOf<Name>), reject);
      };
      this.#next.set(task, { parameters, start });
    });
  }

  #begin(task: TaskName, parameters: readonly unknown[]): Promise<unknown> {
    this.#next.set(task, undefined);
    const sent = this.#send(task, parameters);
    const goOn = () => {
      const next = this.#next.get(task);
      this.#next.delete(task);
      if (next !== undefined) next.start(this.#begin(task, next.parameters));
    };
    sent.then(goOn, goOn);
    return sent;
  }

  #send(task: TaskName, parameters: readonly unknown[]): Promise<unknown> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, task, parameters } satisfies Call);
    });
  }

  #settle(reply: Extract<Reply, { readonly id: number }>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("fault" in reply) waiting?.reject(new Refused(reply.fault));
    else waiting?.resolve(reply.result as never);
  }
}
