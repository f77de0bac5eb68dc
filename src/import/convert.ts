// Converts values before fields take them: dates to numbers, decimals with a comma.

import { LongNumber } from "../schema/exact-json.ts";
import { Unreadable } from "../schema/field.ts";
import { isMembers } from "../schema/input.ts";
import { callables } from "../schema/options.ts";
import { Malformed, type Convert, type Sink } from "./sink.ts";

/** The options of readers that convert values before the schema checks them. */
export interface ConvertOptions {
  /**
   * A function for a field. It gets each value of that field, except `null` and empty cells of CSV, and returns what
   * the field takes instead: `{ placed: (text) => Date.parse(String(text)) }`. An integer in JSON that a number
   * can't hold is a bigint. A value for which the function throws is refused with its message.
   */
  readonly convert?: Readonly<Record<string, Convert>>;
}

/** @throws InputError that names the option */
export const readConvert = ({ convert = {} }: ConvertOptions): ReadonlyMap<string, Convert> =>
  callables(convert, "options.convert");

/** More are refused as an integer that no conversion has seen. */
const MOST_DIGITS = 1000;

export function converted(value: unknown, convert: Convert | undefined): unknown {
  if (convert === undefined || value === null || value === undefined) return value;
  if (value instanceof Unreadable) return value;
  const digits = LongNumber.textIn(value);
  // Reading a bigint takes more than linear time.
  if (digits !== undefined && digits.length > MOST_DIGITS) return value;
  try {
    return convert(digits === undefined ? value : BigInt(digits));
  } catch (thrown) {
    return new Unreadable(value, () => (thrown instanceof Error ? thrown.message : String(thrown)));
  }
}

/** A sink for records whose members are converted. */
export function converting(sink: Sink, options: ConvertOptions): Sink {
  const conversions = readConvert(options);
  if (conversions.size === 0) return sink;
  return {
    take(value, number, placeOf) {
      if (!isMembers(value) || value instanceof Malformed) {
        sink.take(value, number, placeOf);
        return;
      }
      const record = { ...value };
      for (const [name, convert] of conversions) {
        if (Object.hasOwn(record, name)) record[name] = converted(record[name], convert);
      }
      sink.take(record, number, placeOf);
    },
  };
}
