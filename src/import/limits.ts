// How much of the input is held at once at most.

import { InputError } from "../schema/errors.ts";

export const MEBIBYTE = 1024 * 1024;

/** How many bytes a record may have: it is held until it is all there. */
export const LONGEST_RECORD = 16 * MEBIBYTE;

export function tooLong(path: string): InputError {
  return new InputError(path, TOO_LONG);
}

export const TOO_LONG = `is longer than ${LONGEST_RECORD / MEBIBYTE} MiB, the most that is read`;
