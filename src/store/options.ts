// The options of a store, checked.

import { resolve } from "node:path";
import type { ServiceOptions } from "../index.ts";
import { alternatives, describe, InputError } from "../schema/errors.ts";
import { readMembers } from "../schema/input.ts";

export interface StoreOptions {
  /**
   * When a change is acknowledged: `"sync"`, when the disk says that it has it, so that it outlasts a
   * power cut; `"os"`, when the system has it, so that it outlasts the process. Default `"sync"`.
   */
  readonly durability?: "sync" | "os" | undefined;
  /**
   * A change makes a checkpoint first where the journal has more bytes than the data, times this, and
   * more than 1 MiB. `Infinity`: never. Default 0.5.
   */
  readonly checkpointRatio?: number | undefined;
  /**
   * `false` takes no lock: the caller sees to it that no other process writes to the store, or
   * destroys it. For systems that lack the command `flock`. Default `true`.
   */
  readonly lock?: boolean | undefined;
}

export interface OpenOptions extends StoreOptions, Omit<ServiceOptions, "files" | "batches"> {
  /** Opens the store to read it, beside whoever writes to it. Default `false`. */
  readonly readOnly?: boolean | undefined;
  /**
   * With `readOnly`: takes over by itself what was changed, as `refresh` does, each so
   * many milliseconds, until the store is closed. It keeps no process from ending. Default: never.
   */
  readonly follow?: number | undefined;
}

/** The options of a store, complete. */
export interface Settings {
  readonly isSynced: boolean;
  readonly checkpointRatio: number;
  readonly isLocked: boolean;
}

const STORE_NAMES = [
  "durability",
  "checkpointRatio",
  "lock",
] as const satisfies readonly (keyof StoreOptions)[];

const SERVICE_NAMES = [
  "authenticate",
  "onInternalError",
  "limits",
  "indexes",
  "indexBytes",
  "compatibility",
] as const satisfies readonly (keyof OpenOptions)[];

/** The absolute path of a file or folder. @throws InputError where it is none */
export function readPath(given: unknown, name: "directory" | "path"): string {
  if (typeof given === "string" && given !== "") return resolve(given);
  throw new InputError(name, `must be a path, not ${describe(given)}`);
}

/** @throws InputError as {@link readStoreOptions} */
export function readRepairOptions(given: unknown): Pick<Settings, "isLocked"> {
  return settingsOf(readMembers(given, "options", ["lock"]));
}

/** @throws InputError with the path of the first option that is not valid */
export function readStoreOptions(given: unknown): Settings {
  return settingsOf(readMembers(given, "options", STORE_NAMES));
}

/**
 * The options of a store, and those of its service, which checks them.
 *
 * @throws InputError as {@link readStoreOptions}
 */
export function readOpenOptions(input: unknown): {
  readonly readOnly: boolean;
  /** In milliseconds. */
  readonly follow: number | undefined;
  readonly settings: Settings;
  readonly serviceOptions: ServiceOptions;
} {
  const names = [...SERVICE_NAMES, ...STORE_NAMES, "readOnly", "follow"] as const;
  const { durability, checkpointRatio, lock, readOnly, follow, ...service } = readMembers(
    input,
    "options",
    names,
  );
  const isReader = flag(readOnly, "readOnly", false);
  return {
    readOnly: isReader,
    follow: follow === undefined ? undefined : milliseconds(follow, isReader),
    settings: settingsOf({ durability, checkpointRatio, lock }),
    serviceOptions: service as ServiceOptions,
  };
}

function settingsOf(given: Partial<Record<keyof StoreOptions, unknown>>): Settings {
  const { durability = "sync", checkpointRatio = 0.5, lock } = given;
  if (durability !== "sync" && durability !== "os") {
    throw invalid("durability", alternatives(["sync", "os"]), durability);
  }
  if (typeof checkpointRatio !== "number" || !(checkpointRatio >= 0)) {
    throw invalid("checkpointRatio", "a number that is not negative", checkpointRatio);
  }
  return { isSynced: durability === "sync", checkpointRatio, isLocked: flag(lock, "lock", true) };
}

/** The longest time that a timer takes. */
const LONGEST = 2 ** 31 - 1;

function milliseconds(given: unknown, isReader: boolean): number {
  if (!isReader) throw new InputError("options.follow", "is for readOnly: true");
  if (typeof given === "number" && given >= 1 && given <= LONGEST) return given;
  throw invalid("follow", "a number of milliseconds from 1 on", given);
}

function flag(given: unknown, name: string, otherwise: boolean): boolean {
  if (given === undefined) return otherwise;
  if (typeof given === "boolean") return given;
  throw invalid(name, "true or false", given);
}

function invalid(name: string, what: string, given: unknown): InputError {
  return new InputError(`options.${name}`, `must be ${what}, not ${describe(given)}`);
}
