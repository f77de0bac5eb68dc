// The options of stores, and their validation.

import type { ExpireOptions, ServiceOptions } from "../index.ts";
import { expireOptions } from "../database/expiry.ts";
import { alternatives, describe, InputError, member } from "../schema/errors.ts";
import type { Disk } from "./disk.ts";
import { suggestion } from "../schema/nearest.ts";
import { migrationsOption, type Migrations, type MigrationsByName } from "./migrations.ts";
import {
  amount,
  anything,
  callable,
  flag,
  must,
  oneOf,
  optional,
  readOptions,
  type OptionReaders,
  type OptionsOf,
} from "../schema/options.ts";

/** The options of `createStore`. */
export interface StoreOptions {
  /**
   * When a change is acknowledged: `"sync"`, once the disk has confirmed it, so that it survives a power cut; `"os"`,
   * once the operating system has it, so that it survives the process. Default `"sync"`.
   */
  readonly durability?: "sync" | "os" | undefined;
  /**
   * A change is preceded by a checkpoint if the journal exceeds 1 MiB and also this multiple of the data's size, of
   * which at most 32 MiB count. `Infinity`: never. Default 0.5.
   */
  readonly checkpointRatio?: number | undefined;
  /**
   * Whether to lock the store. With `false`, make sure that no other process writes to it. For systems without the
   * command `flock`. Default `true`.
   */
  readonly lock?: boolean | undefined;
}

/** The options of `openStore` for a service. */
export interface OpenOptions
  extends StoreOptions, Omit<ServiceOptions, "files" | "batches" | "database" | "storage"> {
  /** Opens the store for reading, alongside its writer. Default `false`. */
  readonly readOnly?: boolean | undefined;
  /**
   * With `readOnly`: the milliseconds between automatic calls of `refresh`, which do not keep the process alive.
   * Default: none.
   */
  readonly follow?: number | undefined;
}

/** The additional option of a store of collections. */
export interface MigrateOption {
  /**
   * The migrations of collections, by name, numbered from 1: each converts the records of one schema to those of the
   * next. The number of the last one is the version of the schema, which the store records. `openStore` runs those with
   * higher numbers than the store's version, in order, each once on every record, and writes the result before anything
   * else. `createStore` and collections that are not in the store yet start with the last number. A field with a
   * default, or one that may be null, can be added without a migration.
   *
   * You may delete migrations that no store needs any more, starting with the lowest number, but keep the last one. A
   * reader runs none.
   */
  readonly migrate?: Readonly<Record<string, Migrations>> | undefined;
}

/** The options of a new store of collections. */
export interface DatabaseStoreOptions extends StoreOptions, MigrateOption {}

/** The options of a store of collections. */
export interface DatabaseOpenOptions
  extends Omit<OpenOptions, "authenticate" | "compatibility">, MigrateOption, ExpireOptions {
  /**
   * As for `createDatabase`: called with errors of subscribers and listeners, and of automatic checkpoints and
   * refreshes. Default: `onInternalError`, without it `console.error`.
   */
  readonly onError?: ((thrown: unknown) => unknown) | undefined;
}

/** The longest time that a timer accepts. */
const LONGEST = 2 ** 31 - 1;

const isInterval = (given: unknown): given is number =>
  typeof given === "number" && given >= 1 && given <= LONGEST;

export const storeOptions = {
  durability: optional(oneOf("sync", "os"), "sync"),
  checkpointRatio: optional(amount, 0.5),
  lock: optional(flag, true),
} satisfies OptionReaders<Record<keyof StoreOptions, unknown>>;

export type Settings = OptionsOf<typeof storeOptions>;

const databaseOptions = {
  onInternalError: anything,
  limits: anything,
  indexes: anything,
  indexBytes: anything,
  onQuery: anything,
  slowerThan: anything,
  ...storeOptions,
  readOnly: optional(flag, false),
  follow: optional(must("a number of milliseconds, at least 1", isInterval)),
  migrate: optional(migrationsOption),
  onError: optional(callable),
  ...expireOptions,
} satisfies OptionReaders<Record<keyof DatabaseOpenOptions, unknown>>;

/** For the store of a service, which refuses those that need schemas, with this reason. */
const openOptions = {
  authenticate: anything,
  compatibility: anything,
  ...databaseOptions,
} satisfies OptionReaders<Record<keyof (OpenOptions & DatabaseOpenOptions), unknown>>;

const createOptions = {
  ...storeOptions,
  migrate: databaseOptions.migrate,
} satisfies OptionReaders<Record<keyof DatabaseStoreOptions, unknown>>;

/** The absolute path of a file or folder of a disk. @throws InputError if it is not a path */
export function readPath(
  disk: Disk,
  given: unknown,
  name: "directory" | "folder" | "path",
): string {
  if (typeof given === "string" && given !== "") return disk.paths.resolve(given);
  throw new InputError(name, `must be a path, not ${describe(given)}`);
}

/**
 * The options of a new store.
 *
 * @param names of its collections
 * @throws InputError with the path of the first option that is not valid
 */
export function readCreateOptions(input: unknown, names: readonly string[]) {
  const { migrate, ...settings } = readOptions(input, "options", createOptions);
  return {
    settings,
    migrate: ofCollections(migrate, names, "is not a collection of this database"),
  };
}

/** @throws InputError if there are migrations for anything else */
function ofCollections(
  migrate: MigrationsByName = new Map(),
  names: readonly string[],
  reason: string,
): MigrationsByName {
  const other = [...migrate.keys()].find((name) => !names.includes(name));
  if (other === undefined) return migrate;
  const use = `use ${alternatives(names)}${suggestion(other, names)}`;
  throw new InputError(member("options.migrate", other), `${reason}; ${use}`);
}

/**
 * The options of a store, and those of its service, which the service checks.
 *
 * @param given the names of the collections whose schemas are given; `undefined` for the store of a service
 * @throws InputError with the path of the first option that is not valid
 */
export function readOpenOptions(input: unknown, given: readonly string[] | undefined) {
  const names = given ?? [];
  const read =
    given === undefined
      ? readOptions(input, "options", openOptions)
      : readOptions(input, "options", databaseOptions);
  const { durability, checkpointRatio, lock, readOnly, follow, migrate, onError, ...others } = read;
  const { expire, now, ...service } = others;
  if (follow !== undefined && !readOnly) {
    throw new InputError("options.follow", "needs readOnly: true");
  }
  if (expire !== undefined && names.length === 0) {
    throw new InputError("options.expire", "needs the schemas of collections");
  }
  const migrations = ofCollections(migrate, names, "has no schema");
  if (onError !== undefined && names.length === 0) {
    throw new InputError(
      "options.onError",
      "needs the schemas of collections; use onInternalError",
    );
  }
  const settings: Settings = { durability, checkpointRatio, lock };
  const reported = onError === undefined ? service : { ...service, onInternalError: onError };
  const serviceOptions = reported as ServiceOptions;
  return { readOnly, follow, settings, serviceOptions, migrate: migrations, expire, now };
}
