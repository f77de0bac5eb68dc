// Asking again, where a change that is being made may explain what came back.

import { ConsistencyError } from "./shard.ts";

/** How long to wait, in milliseconds, before it is asked again. */
const PAUSES = [0, 20, 200];

/** Asks again where a change that is being made may explain that answers do not belong together. */
export async function patiently<Result>(
  signal: AbortSignal,
  ask: () => Promise<Result>,
): Promise<Result> {
  for (const pause of PAUSES) {
    try {
      return await ask();
    } catch (thrown) {
      if (!(thrown instanceof ConsistencyError) || !thrown.isTransient || signal.aborted) {
        throw thrown;
      }
    }
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return await ask();
}
