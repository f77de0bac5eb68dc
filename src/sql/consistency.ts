// Answers that do not belong together, and asking again where a change that is being made explains it.

import { TercetError, type TercetErrorCode } from "../schema/errors.ts";

/** The results of statements are inconsistent, because the tables changed between them at each attempt. */
export class ConsistencyError extends TercetError {
  protected static override readonly code = "conflict";
  override readonly name = "ConsistencyError";
  declare readonly code: TercetErrorCode;
}

/** How long to wait, in milliseconds, before it is asked again. */
const PAUSES = [0, 20, 200];

/** Asks again where answers do not belong together, at most three times. */
export async function patiently<Result>(signal: AbortSignal, ask: () => Promise<Result>) {
  for (const pause of PAUSES) {
    try {
      return await ask();
    } catch (thrown) {
      if (!(thrown instanceof ConsistencyError) || signal.aborted) throw thrown;
    }
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return await ask();
}
