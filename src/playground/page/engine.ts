// The page's side of the worker: calls that return promises. If a task is requested faster than it is
// answered, only its last call waits; earlier ones are abandoned.

import type { Call, Fault, Reply, TaskName, Tasks } from "../messages.ts";

/** Why a call has no result. */
export class Refused extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.reason);
    this.fault = fault;
  }
}

let script: string | undefined;

/** The page’s own program, for the worker. It is a Blob, which runs where a page is a file, and a module does not. */
function programOfPage(): string {
  const text = document.querySelector<HTMLScriptElement>("#program")?.text ?? "";
  return (script ??= URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
}

type News = Exclude<Reply, { readonly id: number }>;
type ResultOf<Name extends TaskName> = ReturnType<Tasks[Name]>;

type ReplyTo<Name extends TaskName> =
  | { readonly result: ResultOf<Name> }
  | { readonly fault: Fault };

export class Engine {
  readonly #news: (news: News) => void;
  #worker: Worker | undefined;
  /** What takes the reply to each call. */
  readonly #waiting = new Map<number, (reply: MessageEvent) => void>();
  /** For each task the call that is running, which the next one waits for, and the newest one. */
  readonly #running = new Map<TaskName, Promise<unknown>>();
  readonly #newest = new Map<TaskName, number>();
  #calls = 0;
  #turns = 0;

  constructor(news: (news: News) => void) {
    this.#news = news;
  }

  /** Gives up the data and every call, which is never answered then: a worker that loads hears of nothing else. */
  stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#waiting.clear();
    this.#running.clear();
  }

  #start(): Worker {
    const worker = new Worker(programOfPage());
    worker.addEventListener("message", (event: MessageEvent<Reply>) => {
      const { data } = event;
      if ("id" in data) {
        const settle = this.#waiting.get(data.id);
        this.#waiting.delete(data.id);
        settle?.(event);
      } else this.#news(data);
    });
    return worker;
  }

  /** @throws Refused */
  call<Name extends TaskName>(
    task: Name,
    ...parameters: Parameters<Tasks[Name]>
  ): Promise<ResultOf<Name>> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ data }: MessageEvent<ReplyTo<Name>>) => {
        if ("fault" in data) reject(new Refused(data.fault));
        else resolve(data.result);
      });
      this.#worker ??= this.#start();
      this.#worker.postMessage({ id, task, parameters } satisfies Call);
    });
  }

  /**
   * {@link Engine.call}, unless the same is asked again before its turn comes: then `undefined`.
   *
   * @throws Refused
   */
  async latest<Name extends TaskName>(
    task: Name,
    ...parameters: Parameters<Tasks[Name]>
  ): Promise<ResultOf<Name> | undefined> {
    const turn = ++this.#turns;
    this.#newest.set(task, turn);
    const running = this.#running.get(task);
    // At once, if nothing is waited for: the worker answers while the page is rendered.
    if (running !== undefined) await running;
    if (this.#newest.get(task) !== turn) return undefined;
    const sent = this.call(task, ...parameters);
    const ended = sent.then(
      () => this.#running.delete(task),
      () => this.#running.delete(task),
    );
    this.#running.set(task, ended);
    return await sent;
  }
}
