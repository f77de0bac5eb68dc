// The family of typed errors. Everything that tercet throws on purpose is a TercetError;
// `describe` is how an error quotes a value it was given, whatever that value is.

/** The base of every error that tercet throws on purpose. */
export class TercetError extends Error {
  override readonly name: string = "TercetError";
}

/** A schema that can't be: a field that is not one, or options that contradict each other. */
export class SchemaError extends TercetError {
  override readonly name = "SchemaError";
}

/**
 * Input that is not valid: a record, a list of them, or options. `path` names the place, such as
 * `records[3].size` or `options.indexes`; `reason` says what is wrong there.
 */
export class InputError extends TercetError {
  override readonly name = "InputError";
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`${path}: ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }
}

const LONGEST_QUOTE = 60;

/** A short, safe text for any JavaScript value: reads no property of it, so it can't be tricked. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return Object.is(value, -0) ? "0" : String(value);
    case "boolean":
    case "undefined":
      return String(value);
    case "object":
      if (value === null) return "null";
      return isArray(value) ? "an array" : "an object";
    default:
      return `a ${typeof value}`;
  }
}

function isArray(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false; // a revoked proxy
  }
}

/** The text in double quotes, cut where it is long. */
export function quote(text: string): string {
  return text.length <= LONGEST_QUOTE
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, LONGEST_QUOTE))}… (${text.length} characters)`;
}

/** `a, b or c`, each quoted: the legal names at the end of a message. */
export function alternatives(names: readonly string[]): string {
  const quoted = names.map(quote);
  const last = quoted.pop() ?? "nothing";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

/** The path of a member: `a.b` for a plain name, `a["b c"]` for any other. */
export function member(path: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${quote(name)}]`;
}
