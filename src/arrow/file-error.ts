// The error of an invalid file.

import { TercetError } from "../schema/errors.ts";

/** A file that is damaged, or not of this kind. `section` names the invalid part. */
export class FileError extends TercetError {
  override readonly name = "FileError";
  /** The part of the file, such as `footer`, `dictionary of email` or `codes of size`. */
  readonly section: string;
  readonly reason: string;

  constructor(section: string, reason: string, options?: ErrorOptions) {
    super(`${section}: ${reason}`, options);
    this.section = section;
    this.reason = reason;
  }
}
