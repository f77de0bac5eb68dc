// Converts values before fields take them: dates to numbers, decimals with a comma.

import { LongNumber, namesIn, noteOrder, withTexts } from "../schema/exact-json.ts";
import { Unreadable } from "../schema/field.ts";
import { isMembers } from "../schema/input.ts";
import { callables } from "../schema/options.ts";
import { Malformed, type Convert, type Sink } from "./sink.ts";

/** The options of readers that convert values before the schema checks them. */
export interface ConvertOptions {
  /**
   * A function for each field to convert. It is called with each value except `null` and empty CSV cells, and returns
   * the value for the field: `{ placed: (text) => Date.parse(String(text)) }`. JSON integers beyond 2^53 are bigints,
   * and other numbers that would be rounded are strings of their digits.
   * If it throws, the record is refused with its message.
   */
  readonly convert?: Readonly<Record<string, Convert>> | undefined;
}

/** @throws InputError that names the option */
export const readConvert = ({ convert = {} }: ConvertOptions): ReadonlyMap<string, Convert> =>
  callables(convert, "options.convert");

/** Longer integers are refused without calling the conversion. */
const MOST_DIGITS = 1000;

export function converted(value: unknown, convert: Convert | undefined): unknown {
  if (convert === undefined || value === null || value === undefined) return value;
  if (value instanceof Unreadable) return value;
  const integer = value instanceof LongNumber && value.isInteger ? String(value) : undefined;
  // Reading a bigint takes more than linear time.
  if (integer !== undefined && integer.length > MOST_DIGITS) return value;
  try {
    return convert(integer === undefined ? withTexts(value) : BigInt(integer));
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
      noteOrder(record, namesIn(value));
      for (const [name, convert] of conversions) {
        if (Object.hasOwn(record, name)) record[name] = converted(record[name], convert);
      }
      sink.take(record, number, placeOf);
    },
  };
}
