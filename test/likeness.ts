// Tests of messages compare errors without their codes, which are tested in test/error-codes.test.ts.

import { expect } from "vitest";
import type { TercetError } from "../src/index.ts";

/** Matches an error of the same class and message, whatever its code. */
export function like({ name, message }: TercetError): unknown {
  return expect.objectContaining({ name, message });
}
