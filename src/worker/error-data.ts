// Errors as data, and back: structured clone keeps neither their classes nor most of their members.

import { FileError } from "../arrow/file-error.ts";
import { CriteriaError } from "../criteria/criteria-error.ts";
import { DeadlineError } from "../engine/algorithms/deadline.ts";
import { QueryError } from "../engine/query-error.ts";
import { InputError, SchemaError, TercetError } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
import { StoreError } from "../store/errors.ts";
import { WorkerError } from "./worker-error.ts";

export interface ErrorData {
  /** Of its class, if that is one of ours. */
  readonly name: string;
  readonly message: string;
  /** Its other members, if it is one of ours. */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: ErrorData | undefined;
}

/** Errors with members of their own. */
const ours = {
  CriteriaError,
  DeadlineError,
  FileError,
  InputError,
  QueryError,
  SchemaError,
  StoreError,
  TercetError,
  WorkerError,
};
const others = { Error, RangeError, SyntaxError, TypeError };

/** Members of our errors, with the types that they may have. */
const kept = ["code", "path", "reason", "position", "parameter", "file", "offset", "section"];
const isKept = (value: unknown): boolean =>
  value === null ||
  ["string", "number"].includes(typeof value) ||
  (Array.isArray(value) && value.every((each) => typeof each === "number"));

/** How many causes are sent of one error. */
const MOST_CAUSES = 4;

export function errorData(thrown: unknown, causes = MOST_CAUSES): ErrorData {
  if (!(thrown instanceof Error)) return { name: "Error", message: String(thrown) };
  const { name, message, cause } = thrown;
  const entries = thrown instanceof TercetError ? Object.entries(thrown) : [];
  return {
    name,
    message,
    members:
      thrown instanceof TercetError
        ? Object.fromEntries(
            entries.filter(([each, value]) => kept.includes(each) && isKept(value)),
          )
        : undefined,
    cause: cause instanceof Error && causes > 0 ? errorData(cause, causes - 1) : undefined,
  };
}

export function isErrorData(given: unknown, causes = MOST_CAUSES): given is ErrorData {
  if (!isMembers(given)) return false;
  const { name, message, members, cause } = given;
  return (
    typeof name === "string" &&
    typeof message === "string" &&
    (members === undefined || isMembers(members)) &&
    (cause === undefined || (causes > 0 && isErrorData(cause, causes - 1)))
  );
}

/** An error of the same class, with the same members. */
export function errorFrom({ name, message, members, cause }: ErrorData): Error {
  const options = cause === undefined ? {} : { cause: errorFrom(cause) };
  if (members === undefined) {
    const Class = Object.hasOwn(others, name) ? others[name as keyof typeof others] : Error;
    const error = new Class(message, options);
    if (error.name !== name) Object.defineProperty(error, "name", { value: name });
    return error;
  }
  const error = new TercetError(message, options);
  const { prototype } = Object.hasOwn(ours, name) ? ours[name as keyof typeof ours] : TercetError;
  Object.setPrototypeOf(error, prototype);
  for (const [each, value] of [["name", name] as const, ...Object.entries(members)]) {
    if (each !== "name" && !(kept.includes(each) && isKept(value))) continue;
    Object.defineProperty(error, each, {
      value: Array.isArray(value) ? Object.freeze(value) : value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return error;
}
