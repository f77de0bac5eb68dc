// The family of typed errors. Every error that tercet throws on purpose is a TercetError. `describe` renders any value
// for a message.

import { LongNumber } from "./exact-json.ts";

/**
 * The kind of an error, for programs. Unlike messages, codes do not change between releases; a release may add one. The
 * README of `src/collection` has a table with the meaning of each and a suitable HTTP status.
 */
export type TercetErrorCode =
  | "closed"
  | "conflict"
  | "cursor"
  | "damaged"
  | "driver"
  | "duplicate"
  | "invalid"
  | "invalid_schema"
  | "io"
  | "limit"
  | "locked"
  | "missing"
  | "not_found"
  | "timeout"
  | "unknown_field"
  | "unsupported";

/** The options of tercet's errors. */
export interface TercetErrorOptions extends ErrorOptions {
  /** Default: the code of the class. */
  readonly code?: TercetErrorCode | undefined;
}

/** Makes the error to throw; the reason is the end of its sentence. */
export type Refuse = (reason: string, options?: TercetErrorOptions) => Error;

/** The base of every error that tercet throws on purpose. */
export class TercetError extends Error {
  /** The default code of the class. */
  protected static readonly code: TercetErrorCode = "invalid";

  override readonly name: string = "TercetError";
  /** The kind of error; for a `ServiceError`, its number in the contract. */
  readonly code: TercetErrorCode | number;

  constructor(message: string, options: TercetErrorOptions = {}) {
    super(message, options);
    this.code = options.code ?? new.target.code;
  }
}

/** An invalid schema: an invalid field, or options that contradict each other. */
export class SchemaError extends TercetError {
  protected static override readonly code = "invalid_schema";
  override readonly name = "SchemaError";
  declare readonly code: TercetErrorCode;
}

/**
 * Invalid input: a record, a list of records, or options. `path` is the place, such as `records[3].size` or
 * `options.indexes`; `reason` says what is wrong.
 */
export class InputError extends TercetError {
  override readonly name = "InputError";
  declare readonly code: TercetErrorCode;
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string, options?: TercetErrorOptions) {
    super(`${path}: ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }
}

const LONGEST_QUOTE = 60;
/** A bigint of more bits is not written out, which takes time that grows with the square of its length. */
const MOST_BITS = 128;

/** A short description of any value. It reads no property, so getters and proxies can't throw. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return Object.is(value, -0) ? "0" : String(value);
    case "boolean":
    case "undefined":
      return String(value);
    case "bigint":
      return BigInt.asIntN(MOST_BITS, value) === value ? `${value}n` : "a long bigint";
    case "object":
      if (value === null) return "null";
      {
        const digits = LongNumber.textIn(value);
        if (digits !== undefined) return `${shortened(digits)}, which would be rounded`;
      }
      if (isDate(value)) return "a Date";
      return isArray(value) ? "an array" : "an object";
    default:
      return `a ${typeof value}`;
  }
}

/** Whether the value is a Date, of any realm. */
export function isDate(value: unknown): value is Date {
  if (typeof value !== "object" || value === null) return false;
  try {
    // Without an exception, which takes as long as planning a lookup.
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Array.prototype || prototype === Object.prototype) return false;
    Date.prototype.getTime.call(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Says that a value was not made by a function of this package, and what the reason may be: another copy of the package
 * made it, or the module that defines it has not run yet.
 *
 * @param maker the function, such as `defineSchema()`
 */
export function notMadeBy(maker: string, value: unknown): string {
  const reason = `must be made by ${maker}, not ${describe(value)}`;
  if (value === undefined) {
    return `${reason}; if a module exports it, imports in a circle may use it before that module has run`;
  }
  return isOfOtherCopy(value)
    ? `${reason} of another copy of tercet; load the package either with import or with require`
    : reason;
}

/** Whether a value that this copy of the package did not make is a schema, a field or a collection all the same. */
function isOfOtherCopy(value: unknown): boolean {
  const vendorOf = (schema: unknown) => memberOf(memberOf(schema, "~standard"), "vendor");
  try {
    return (
      vendorOf(value) === "tercet" ||
      vendorOf(memberOf(value, "schema")) === "tercet" ||
      ["type", "nullable", "searchable", "stored"].every(
        (name) => memberOf(value, name) !== undefined,
      )
    );
  } catch {
    return false; // a getter or proxy that throws
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

function isArray(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false; // a revoked proxy
  }
}

/** A text that needs no quotes, such as digits or JSON; only its beginning if it is long. */
export const shortened = (text: string): string =>
  text.length <= LONGEST_QUOTE
    ? text
    : `${text.slice(0, LONGEST_QUOTE)}… (${text.length} characters)`;

/** The string in double quotes, shortened if it is long. */
export function quote(text: string): string {
  return text.length <= LONGEST_QUOTE
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, LONGEST_QUOTE))}… (${text.length} characters)`;
}

/** `a, b or c`, each quoted: the valid names at the end of a message. */
export function alternatives(names: readonly string[]): string {
  const quoted = names.map(quote);
  const last = quoted.pop() ?? "nothing";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

/** The path of a member: `a.b` for identifiers, `a["b c"]` for other names. */
export function member(path: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${quote(name)}]`;
}

/** Returns the result of `run`. Errors of the class are replaced by those that `refuse` makes from their messages. */
export function rethrowAs<Result>(
  run: () => Result,
  refuse: (message: string, options: ErrorOptions) => TercetError,
  type: abstract new (...given: never[]) => TercetError = TercetError,
): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof type) throw refuse(error.message, { cause: error });
    throw error;
  }
}

/** Returns the result of `run`; `undefined` if it throws. */
export function orUndefined<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
