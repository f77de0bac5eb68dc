// The error of an invalid file.

import { TercetError, type TercetErrorCode, type TercetErrorOptions } from "../schema/errors.ts";

/** A file is damaged, or not of this kind. `section` names the invalid part. */
export class FileError extends TercetError {
  protected static override readonly code = "damaged";
  override readonly name = "FileError";
  declare readonly code: TercetErrorCode;
  /** The part of the file, such as `footer`, `dictionary of email` or `codes of size`. */
  readonly section: string;
  readonly reason: string;

  constructor(section: string, reason: string, options?: TercetErrorOptions) {
    super(`${section}: ${reason}`, options);
    this.section = section;
    this.reason = reason;
  }
}
