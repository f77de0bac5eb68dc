// Migrations of a collection: numbered steps from the records of one schema to those of the next. A store records
// the number of the last one that has run, so that each runs once.

import { describe, InputError, member, orUndefined, shortened } from "../schema/errors.ts";
import { isFunction, isMembers, membersOf, reading } from "../schema/input.ts";
import type { AnyFunction } from "../schema/input.ts";
import type { ReadOption } from "../schema/options.ts";

/**
 * A step from the records of one schema to those of the next: a function from an old record to a new one, or `rename`,
 * an object with the new names of fields by their old ones, and `drop`, the fields to delete with their values.
 */
export type Migration =
  | ((record: never) => unknown)
  | {
      readonly rename?: Readonly<Record<string, string>> | undefined;
      readonly drop?: readonly string[] | undefined;
    };

/** The migrations of a collection by number; a single one is number 1. */
export type Migrations = Migration | Readonly<Record<number, Migration>>;

/** The renamed and dropped fields of a step. */
export interface FieldStep {
  /** New names by old ones. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly dropped: ReadonlySet<string>;
}

export interface NumberedMigration {
  readonly number: number;
  /** Names it in errors. */
  readonly path: string;
  readonly step: AnyFunction | FieldStep;
}

/** By collection name, each in numerical order, without gaps. */
export type MigrationsByName = ReadonlyMap<string, readonly NumberedMigration[]>;

/** The version after some migrations: the last number, or 0. */
export const latestOf = (migrations: readonly NumberedMigration[]): number =>
  migrations.at(-1)?.number ?? 0;

/** Reads the option `migrate`. */
export const migrationsOption: ReadOption<MigrationsByName> = (given, path) => {
  const entries = reading(path, () => Object.entries(membersOf(given, path)));
  return new Map(entries.map(([name, each]) => [name, readAll(each, member(path, name))]));
};

/** The schema of a collection as JSON, and its version if there were migrations. */
export interface SavedSchema {
  readonly json: unknown;
  readonly version: number | undefined;
}

/** The schemas of all collections except those of the service, by name. */
export type SavedSchemas = ReadonlyMap<string, SavedSchema>;

const STEPS = ["rename", "drop"];

/** The highest number of a migration. */
const MOST = 999_999;

function readAll(given: unknown, path: string): readonly NumberedMigration[] {
  if (isFunction(given)) return [{ number: 1, path, step: given }];
  const entries = reading(path, () => Object.entries(membersOf(given, path)));
  if (entries.some(([name]) => STEPS.includes(name))) {
    return [{ number: 1, path, step: readStep(given, path) }];
  }
  const all = entries.map(([key, each]) => {
    const number = Number(key);
    if (String(number) !== key || !Number.isInteger(number) || number < 1 || number > MOST) {
      const use = "use numbers from 1, or one migration: a function, { rename } or { drop }";
      throw new InputError(member(path, key), `must be the number of a migration; ${use}`);
    }
    const place = `${path}[${number}]`;
    return { number, path: place, step: isFunction(each) ? each : readStep(each, place) };
  });
  all.sort((a, b) => a.number - b.number);
  const [first] = all;
  if (first === undefined) throw new InputError(path, "must have a migration");
  for (const [i, { number }] of all.entries()) {
    if (number === first.number + i) continue;
    throw new InputError(
      path,
      `has no migration ${first.number + i}, but ${number}; number them without gaps`,
    );
  }
  return all;
}

function readStep(given: unknown, path: string): FieldStep {
  if (!isMembers(given)) {
    throw new InputError(
      path,
      `must be a function, { rename } or { drop }, not ${describe(given)}`,
    );
  }
  const members = reading(path, () => Object.entries(given));
  for (const [name] of members) {
    if (STEPS.includes(name)) continue;
    throw new InputError(member(path, name), 'is unknown; use "rename" or "drop"');
  }
  const { rename = {}, drop = [] } = Object.fromEntries(members);
  const renamed = new Map<string, string>();
  const names = reading(path, () => Object.entries(membersOf(rename, `${path}.rename`)));
  for (const [from, to] of names) {
    const place = member(`${path}.rename`, from);
    if (typeof to !== "string" || to === "") {
      throw new InputError(place, `must be the new name of the field, not ${describe(to)}`);
    }
    if ([...renamed.values()].includes(to)) {
      throw new InputError(place, `"${to}" is also the new name of another field`);
    }
    renamed.set(from, to);
  }
  if (!Array.isArray(drop)) {
    throw new InputError(`${path}.drop`, `must be a list of fields, not ${describe(drop)}`);
  }
  const dropped = new Set<string>();
  for (const [i, name] of (drop as unknown[]).entries()) {
    const place = `${path}.drop[${i}]`;
    if (typeof name !== "string") {
      throw new InputError(place, `must be the name of a field, not ${describe(name)}`);
    }
    if (renamed.has(name))
      throw new InputError(place, `"${name}" is renamed by the same migration`);
    dropped.add(name);
  }
  if (renamed.size + dropped.size === 0) throw new InputError(path, "must rename or drop a field");
  return { renamed, dropped };
}

/**
 * The names of fields after a step, with the original name of each.
 *
 * @throws InputError if it names a field that does not exist, or gives two fields the same name
 */
export function fieldsAfter(
  before: ReadonlyMap<string, string>,
  { path, step }: { readonly path: string; readonly step: FieldStep },
): ReadonlyMap<string, string> {
  for (const name of [...step.renamed.keys(), ...step.dropped]) {
    if (before.has(name)) continue;
    const remedy =
      "if the store was made with the new schema, give its migrations to createStore() too";
    throw new InputError(path, `the records of the store have no field "${name}"; ${remedy}`);
  }
  const after = new Map<string, string>();
  for (const [name, first] of before) {
    if (step.dropped.has(name)) continue;
    const next = step.renamed.get(name) ?? name;
    if (after.has(next)) throw new InputError(path, `two fields would be named "${next}"`);
    after.set(next, first);
  }
  return after;
}

/**
 * A record after some steps.
 *
 * @param place of the record, for errors
 * @throws InputError if a function throws, with what it has thrown as the cause
 */
export function migrated(
  record: unknown,
  place: string,
  steps: readonly NumberedMigration[],
): unknown {
  let current = record;
  for (const { path, step } of steps) {
    if (isFunction(step)) current = resultOf(step, current, path, place);
    else if (isMembers(current)) current = withNames(current, step);
  }
  return current;
}

function resultOf(step: AnyFunction, record: unknown, path: string, place: string): unknown {
  try {
    return step(record);
  } catch (cause) {
    const shown = shortened(orUndefined(() => JSON.stringify(record)) ?? describe(record));
    const message = orUndefined(() => String(cause)) ?? describe(cause);
    throw new InputError(path, `threw on ${place}, ${shown}: ${message}`, { cause });
  }
}

function withNames(record: Readonly<Record<string, unknown>>, { renamed, dropped }: FieldStep) {
  const kept = Object.entries(record).filter(([name]) => !dropped.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [renamed.get(name) ?? name, value]));
}
