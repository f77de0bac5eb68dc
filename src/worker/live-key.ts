// Whether two live queries are the same: those of one name and one query share their result.

import { isDate } from "../schema/errors.ts";

/** The member of what stands for a value that JSON has not. */
const TAG = "~";

/** A text that only equal values have; `undefined` if they are not plain data. */
export function keyOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, tagged);
  } catch {
    return undefined; // such as a bigint
  }
}

/** What JSON would not tell apart has a tag, which no plain value has. */
function tagged(this: unknown, name: string, value: unknown): unknown {
  // Dates are there as texts already.
  const given: unknown = Reflect.get(Object(this) as object, name);
  if (isDate(given)) return { [TAG]: Date.prototype.getTime.call(given) };
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) {
    return { [TAG]: String(value) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    if (["string", "number", "boolean", "object"].includes(typeof value)) return value;
    throw new TypeError("has no key");
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Object.hasOwn(value, TAG)) throw new TypeError("has no key");
  if (prototype === Object.prototype || prototype === null) return value;
  throw new TypeError("has no key");
}
