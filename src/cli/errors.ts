// Reports errors as one line on stderr and an exit code, never a stack trace.

import { CommanderError } from "commander";
import { TercetError, ServiceError } from "../index.ts";
import { printable } from "./text.ts";

/** Invalid usage or input, which the caller can fix. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A usage error that names its source. */
export class PlacedError extends UsageError {}

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Prints one line on stderr. */
export function warn(text: string): void {
  process.stderr.write(`tercet: ${printable(text)}\n`);
}

/** @throws UsageError that names the first given option that the command would ignore */
export function refuseOptions<Options extends object>(
  options: Options,
  names: readonly (keyof Options & string)[],
  reason: string,
): void {
  const given = names.find((name) => options[name] !== undefined);
  if (given === undefined) return;
  const option = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${option}: ${reason}`);
}

/** Reports an exception and sets the exit code: 2 if the caller can fix the problem. */
export function report(thrown: unknown): void {
  if (thrown instanceof CommanderError) {
    // Help and version also end up here, and are not failures.
    if (thrown.exitCode === 0) return;
    const isBare = thrown.code === "commander.help";
    const message = isBare ? "no command given; see --help" : thrown.message;
    warn(message.replace(/^error: /, "").replaceAll("\n", " "));
    process.exitCode = EXIT_USAGE;
  } else if (thrown instanceof ServiceError && thrown.code === 100) {
    warn(thrown.data);
    process.exitCode = EXIT_FAILURE;
  } else if (thrown instanceof UsageError || thrown instanceof TercetError) {
    warn(thrown instanceof ServiceError ? thrown.data : thrown.message);
    process.exitCode = EXIT_USAGE;
  } else {
    warn(`unexpected failure: ${messageOf(thrown)}`);
    process.exitCode = EXIT_FAILURE;
  }
}

/** Says how many items were left out. */
export function warnLeftOut(count: number, one: string, more: string): void {
  warn(`left out ${count} ${count === 1 ? one : more}`);
}

/** Says how many items were left out, and sets the exit code for an incomplete result. */
export function reportIncomplete(count: number, one: string, more: string): void {
  warnLeftOut(count, one, more);
  process.exitCode = EXIT_FAILURE;
}

/** The message of an unexpected failure. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The system's reason, without the code, system call and path that Node.js adds. */
export function systemReason(thrown: unknown): string {
  const message = messageOf(thrown);
  if (message.startsWith("EISDIR:")) return "is a directory";
  return /^[A-Z\d_]+: ([^,]+)/.exec(message)?.[1] ?? message;
}
