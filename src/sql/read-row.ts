// From rows as drivers give them to values in wire form (rule V1).

import { describe, TercetError } from "../schema/errors.ts";
import type { WireValue } from "../schema/field.ts";
import { nameOf } from "./names.ts";
import type { Row } from "./statement.ts";

/** A row that is not what the statement asks for: the driver is at fault, or the table. */
export class RowError extends TercetError {
  override readonly name = "RowError";
}

let decoder: TextDecoder | undefined;

/**
 * The values of a row in the order of the columns.
 *
 * @throws RowError where a value is missing, or is none
 */
export function readRow(row: Row, columns: number): WireValue[] {
  const values: readonly unknown[] | undefined = Array.isArray(row) ? row : undefined;
  const read: WireValue[] = [];
  for (let i = 0; i < columns; i++) {
    read.push(readValue(values === undefined ? Reflect.get(row, nameOf(i)) : values[i], i));
  }
  return read;
}

function readValue(value: unknown, place: number): WireValue {
  if (typeof value === "string" || value === null) return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value === "object") {
    // As DuckDB's driver gives bytes.
    const bytes: unknown = "bytes" in value ? value.bytes : value;
    if (bytes instanceof Uint8Array) {
      // A leading U+FEFF is a character as any other.
      decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
      return decoder.decode(bytes);
    }
  }
  throw new RowError(
    `the driver must give a string, a number, a boolean or null for ${nameOf(place)}, not ${describe(value)}`,
  );
}
