// Sends statements to the caller's driver, and reads the rows that it returns.

import { describe, TercetError, type TercetErrorCode } from "../schema/errors.ts";
import type { TextValue } from "../schema/field.ts";
import { isFunction } from "../schema/input.ts";
import { must, type ReadOption } from "../schema/options.ts";
import type { Row, Run, Statement } from "./dialect.ts";
import { readRow, RowError } from "./records.ts";

/** A driver failed. Its `cause` is the driver's error. */
export class DriverError extends TercetError {
  protected static override readonly code = "driver";
  override readonly name = "DriverError";
  declare readonly code: TercetErrorCode;

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : describe(cause);
    super(`the driver failed: ${reason}`, { cause });
  }
}

const isRun = (value: unknown): value is Run => isFunction(value);

/** @throws InputError if it is not a function */
export const readRun: ReadOption<Run> = must("a function", isRun);

/**
 * The rows of a statement, each with as many values as there are columns.
 *
 * @throws DriverError if the driver fails; RowError if it returns anything else
 */
export async function ask(
  run: Run,
  { text, parameters }: Statement,
  columns: number,
  signal: AbortSignal,
): Promise<(readonly TextValue[])[]> {
  let rows: unknown;
  try {
    rows = await run(text, parameters, { signal });
  } catch (thrown) {
    throw new DriverError(thrown);
  }
  if (!Array.isArray(rows) || !rows.every(isRow)) {
    throw new RowError("the driver must return an array of rows, each an array or an object");
  }
  return rows.map((row) => readRow(row, columns));
}

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null;
