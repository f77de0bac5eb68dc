// Limits on how much of the input is held at once.

import { InputError } from "../schema/errors.ts";

export const MEBIBYTE = 1024 * 1024;

/** How many bytes a record may have. It is held until it is complete. */
export const LONGEST_RECORD = 16 * MEBIBYTE;

export function tooLong(path: string): InputError {
  return new InputError(path, TOO_LONG);
}

export const TOO_LONG = `is longer than the limit of ${LONGEST_RECORD / MEBIBYTE} MiB`;
