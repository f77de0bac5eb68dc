// Inconsistent results, and retrying while a concurrent change may explain them.

import { TercetError, type TercetErrorCode } from "../schema/errors.ts";

/** The results of several statements are inconsistent, because the tables changed between them at each attempt. */
export class ConsistencyError extends TercetError {
  protected static override readonly code = "conflict";
  override readonly name = "ConsistencyError";
  declare readonly code: TercetErrorCode;
}

/** How many milliseconds to wait before each retry. */
const PAUSES = [0, 20, 200];

/** Retries up to three times while results are inconsistent. */
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
