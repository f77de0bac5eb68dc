// Converts strings of a column that its field would not accept: dates in other formats, and numbers with a decimal
// comma.

import { quote } from "../schema/errors.ts";
import { isText, type Field } from "../schema/field.ts";
import type { CsvFormat } from "./csv-format.ts";
import type { ReadDate } from "./dates.ts";
import type { Convert } from "./sink.ts";

/** Converts the strings of a column, if necessary. @param field `undefined` if there is no schema */
export type CellReader = (target: string, field: Field | undefined) => Convert | undefined;

export function cellReader({ dates, hasComma }: CsvFormat): CellReader | undefined {
  const { everywhere, ofField } = dates;
  if (everywhere === undefined && ofField.size === 0 && !hasComma) return undefined;
  return (target, field) => {
    const named = ofField.get(target);
    if (named !== undefined) return strictly(named.read, named.format);
    const type = field?.type ?? "string";
    if (type === "float" && hasComma) return fromComma;
    return everywhere === undefined || !isText(type) ? undefined : whereItIs(everywhere);
  };
}

const whereItIs =
  (read: ReadDate): Convert =>
  (value) =>
    typeof value === "string" ? (read(value) ?? value) : value;

const strictly =
  (read: ReadDate, format: string): Convert =>
  (value) => {
    const iso = read(String(value));
    if (iso !== undefined) return iso;
    throw new Error(`must be a date in the form ${format}, not ${quote(String(value))}`);
  };

const WHOLE = /^[+-]?\d+$/;
/** Points group thousands only before a comma: 192.168.100.200 is not a number. */
const WITH_COMMA = /^[+-]?(?:\d*|\d{1,3}(?:\.\d{3})+),\d+(?:[eE][+-]?\d+)?$/;
const GROUPED = /^[+-]?\d{1,3}(?:\.\d{3})+$/;

/** A number with a decimal comma, rewritten with a point; `undefined` if it is not a number. */
export const pointed = (text: string): string | undefined =>
  WITH_COMMA.test(text)
    ? text.replaceAll(".", "").replace(",", ".")
    : WHOLE.test(text)
      ? text
      : undefined;

/** Reads a number with a decimal comma. */
function fromComma(value: unknown): unknown {
  const text = String(value);
  const number = pointed(text) ?? (GROUPED.test(text) ? text.replaceAll(".", "") : undefined);
  if (number !== undefined) return number;
  throw new Error(`must be a number such as 0,50 or 1.234,5, not ${quote(text)}`);
}
