// Errors of a store, with the file, the position in it, and the reason.

import {
  orUndefined,
  TercetError,
  type TercetErrorCode,
  type TercetErrorOptions,
} from "../schema/errors.ts";

/**
 * A store that can't be read, written or locked. `file` is the file or folder, `offset` the byte in it if known,
 * `reason` what is wrong; `cause` is the system's error.
 */
export class StoreError extends TercetError {
  protected static override readonly code = "damaged";
  override readonly name = "StoreError";
  declare readonly code: TercetErrorCode;
  readonly file: string;
  readonly offset: number | undefined;
  readonly reason: string;

  constructor(
    file: string,
    reason: string,
    { offset, ...options }: TercetErrorOptions & { readonly offset?: number | undefined } = {},
  ) {
    super(`${file}: ${offset === undefined ? "" : `at byte ${offset}: `}${reason}`, options);
    this.file = file;
    this.offset = offset;
    this.reason = reason;
  }
}

/** Returns the result of `run`; a system error becomes a {@link StoreError}. */
export function attempt<Result>(file: string, what: string, run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof TercetError) throw thrown;
    const code = codeOf(thrown) === "ENOENT" ? "not_found" : "io";
    throw new StoreError(file, `can't be ${what}: ${reasonOf(thrown)}`, { cause: thrown, code });
  }
}

/** The StoreError that `run` throws, if any. */
export function faultIn(run: () => unknown): StoreError | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof StoreError) return thrown;
    throw thrown;
  }
}

/** Something open, which its owner closes. */
export interface Closable {
  close(): void;
}

/** Returns the result of `run`; closes the resource if it throws. */
export function closingOnError<Opened extends Closable, Result>(
  opened: Opened,
  run: (opened: Opened) => Result,
): Result {
  try {
    return run(opened);
  } catch (thrown) {
    // The first error is the one to report.
    orUndefined(() => opened.close());
    throw thrown;
  }
}

/** Returns the result of `run`, and closes the resource. */
export function closing<Opened extends Closable, Result>(
  opened: Opened,
  run: (opened: Opened) => Result,
): Result {
  const result = closingOnError(opened, run);
  opened.close();
  return result;
}

/** The system's reason, without the code, system call and path that Node.js adds. */
function reasonOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return /^[A-Z\d_]+: ([^,]+)/.exec(message)?.[1] ?? message;
}

/** The error of a second writer. @param owner the first one, if known */
export function taken(path: string, owner = ""): StoreError {
  return new StoreError(path, `another writer has the store open${owner && `: ${owner}`}`, {
    code: "locked",
  });
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
