// The error of a connection to a database in a worker.

import { TercetError, type TercetErrorCode } from "../schema/errors.ts";

/**
 * A connection that has ended, with the code `closed`; one whose other side sends what it should not, `damaged`, or is
 * of another version, `unsupported`; or too many calls at once, `limit`.
 */
export class WorkerError extends TercetError {
  protected static override readonly code = "closed";
  override readonly name = "WorkerError";
  declare readonly code: TercetErrorCode;
}

/** The reason for which a connection ends when a message can't be read. */
export const unreadable = (error: unknown): WorkerError =>
  error instanceof WorkerError
    ? error
    : new WorkerError("a message can't be read", { cause: error });
