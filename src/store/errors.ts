// What goes wrong with a store: the file, the place in it, and the reason.

import { TercetError } from "../index.ts";

/**
 * A store that can't be read, written or locked. `file` is the file or folder, `offset` the byte in it
 * where that is known, `reason` what is wrong there; `cause` is what the system said.
 */
export class StoreError extends TercetError {
  override readonly name = "StoreError";
  readonly file: string;
  readonly offset: number | undefined;
  readonly reason: string;

  constructor(
    file: string,
    reason: string,
    { offset, ...options }: ErrorOptions & { readonly offset?: number | undefined } = {},
  ) {
    super(`${file}: ${offset === undefined ? "" : `at byte ${offset}: `}${reason}`, options);
    this.file = file;
    this.offset = offset;
    this.reason = reason;
  }
}

/** What `run` returns; what the system refuses becomes a {@link StoreError}. */
export function attempt<Result>(file: string, what: string, run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof TercetError) throw thrown;
    throw new StoreError(file, `can't be ${what}: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

/** Why the system refused, without the code, call and path that Node.js puts around it. */
function reasonOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return /^[A-Z\d_]+: ([^,]+)/.exec(message)?.[1] ?? message;
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
