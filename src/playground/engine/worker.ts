// The worker: answers calls in order, and reports indexes as they are built.

import type { Call, Reply } from "../messages.ts";
import { faultOf, Session } from "./session.ts";

const post = (reply: Reply) => {
  postMessage(reply);
};

/** Answers what the page asks, from now on. */
export function serve(): void {
  const session = new Session((progress) => {
    post({ progress });
    tellIndexes();
  });

  addEventListener("message", ({ data }: MessageEvent<Call>) => void answer(data));

  async function answer({ id, task, parameters }: Call): Promise<void> {
    try {
      post({ id, result: await session.run(task, parameters) });
    } catch (thrown) {
      post({ id, fault: faultOf(thrown) });
    }
    tellIndexes();
    asked = performance.now();
    idle(0);
  }

  /** When the last question was answered. */
  let asked = 0;
  let next: ReturnType<typeof setTimeout> | undefined;

  /** Goes on with what nobody waits for, after whatever was asked meanwhile. */
  function idle(milliseconds: number): void {
    clearTimeout(next);
    next = setTimeout(() => {
      const wait = session.idle(performance.now() - asked);
      if (wait === undefined) tellIndexes();
      else idle(wait);
    }, milliseconds);
  }

  let posted = "";

  function tellIndexes(): void {
    const indexes = session.indexes();
    const text = JSON.stringify(indexes);
    if (text !== posted) post({ indexes });
    posted = text;
  }
}
