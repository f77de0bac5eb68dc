// Which records of a database expire. They are removed by a step that follows the recipe of each update, so that their
// removal is part of its change. Nothing else looks at the clock: patches and journals have the removals.

import { timeUnits, type TimeUnit } from "../engine/execution/calendar.ts";
import { removeFirst } from "../engine/changes/change.ts";
import { Collection } from "../collection/collection.ts";
import { alternatives, describe, InputError, member, quote } from "../schema/errors.ts";
import { storageOf, type Field } from "../schema/field.ts";
import { isNumeric } from "../schema/kinds.ts";
import { membersOf, reading } from "../schema/input.ts";
import { suggestion } from "../schema/nearest.ts";
import {
  amount,
  anything,
  callable,
  count,
  oneOf,
  optional,
  readOptions,
  type OptionReaders,
} from "../schema/options.ts";
import type { Schema } from "../schema/schema.ts";
import { CollectionMember } from "./collection-member.ts";
import type { Member } from "./member.ts";
import { schemasOf } from "./relations/integrity.ts";

/** Which records of a collection expire: by their age, all but the newest, or both. */
export interface Expire {
  /** A time field, or an `int` or `float` field with times since 1970. Records with `null` do not expire. */
  readonly field?: string | undefined;
  /** How many milliseconds after that time a record expires. */
  readonly after?: number | undefined;
  /** The unit of the times in an `int` or `float` field. Default `"milliseconds"`. */
  readonly unit?: TimeUnit | undefined;
  /** How many records are kept: those that were inserted last. */
  readonly newest?: number | undefined;
}

/** The options of databases whose records expire. */
export interface ExpireOptions {
  /**
   * Which records expire, by the names of collections. Each `update` removes expired records, as part of its change, and
   * `expire` removes them at any time. Cost: an ordered index of the field, and that of removing them.
   */
  readonly expire?: Readonly<Record<string, Expire>> | undefined;
  /** The current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The readers of these options. */
export const expireOptions = {
  expire: optional((given, path) => {
    const entries = reading(path, () => Object.entries(membersOf(given, path)));
    return new Map(entries.map(([name, each]) => [name, readExpire(each, member(path, name))]));
  }),
  now: optional(callable, Date.now),
} satisfies OptionReaders<Record<keyof ExpireOptions, unknown>>;

const expireMembers = {
  field: anything,
  after: optional(amount),
  unit: optional(oneOf(...timeUnits)),
  newest: optional(count),
} satisfies OptionReaders<Record<keyof Expire, unknown>>;

type ReadExpire = Omit<Expire, "field"> & { readonly field?: unknown };

function readExpire(given: unknown, path: string): ReadExpire {
  const { field, after, unit, newest } = readOptions(given, path, expireMembers);
  if ((field === undefined) !== (after === undefined)) {
    throw new InputError(path, `needs ${field === undefined ? "field" : "after"}`);
  }
  if (field === undefined && unit !== undefined) throw new InputError(path, "needs field");
  if (field === undefined && newest === undefined) {
    throw new InputError(path, "needs field and after, or newest");
  }
  return { field, after, unit, newest };
}

/** What expires in one collection. */
interface Policy {
  readonly age: { readonly field: string; readonly before: (now: number) => unknown } | undefined;
  readonly newest: number | undefined;
}

/** What expires in a database, and the clock. */
export interface Expiry {
  readonly policies: ReadonlyMap<string, Policy>;
  /** @throws InputError if the clock does not return a number */
  readonly now: () => number;
}

/** Nothing expires. */
export const NO_EXPIRY: Expiry = { policies: new Map(), now: Date.now };

/**
 * The expiry of members. Builds the indexes of its fields.
 *
 * @throws InputError if there is no such collection, or no such field
 */
export function expiryOf(
  members: ReadonlyMap<string, Member>,
  given: ReadonlyMap<string, ReadExpire> = new Map(),
  clock: () => unknown,
): Expiry {
  const policies = new Map<string, Policy>();
  for (const [name, { field, after = 0, unit, newest }] of given) {
    const path = member("options.expire", name);
    const there = members.get(name);
    if (!CollectionMember.is(there)) {
      const names = [...members.keys()];
      const use = `use ${alternatives(names)}${suggestion(name, names)}`;
      throw new InputError(path, `is not a collection of this database; ${use}`);
    }
    requireExpirable(name, members, path);
    const { collection } = there;
    const age =
      field === undefined ? undefined : ageIn(collection.schema, field, after, unit, path);
    policies.set(name, { age, newest });
    if (age !== undefined) collection.prepare({ sort: [age.field] });
  }
  return { policies, now: () => readNow(clock(), "options.now") };
}

/** @throws InputError if a reference forbids to remove records: each update would then be refused */
function requireExpirable(name: string, members: ReadonlyMap<string, Member>, path: string): void {
  for (const [from, { places }] of schemasOf(members)) {
    for (const { name: field, field: described } of places) {
      if (described.references?.[0] !== name || described.onRemove !== "refuse") continue;
      const reason = `can't expire: the field ${quote(field)} of ${quote(from)} refers to its records and forbids to remove them; give it onRemove: "null" or "remove"`;
      throw new InputError(path, reason, { code: "conflict" });
    }
  }
}

/** @throws InputError if it is not a number */
export function readNow(given: unknown, path: string): number {
  if (typeof given === "number" && Number.isFinite(given)) return given;
  throw new InputError(path, `must be milliseconds since 1970, not ${describe(given)}`);
}

/** @throws InputError if the field has no times, or can't be searched */
function ageIn(
  { fields }: Schema,
  name: unknown,
  after: number,
  unit: TimeUnit | undefined,
  path: string,
): Policy["age"] {
  const place = `${path}.field`;
  const field = typeof name === "string" && Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (typeof name !== "string" || field === undefined) {
    const near = typeof name === "string" ? suggestion(name, Object.keys(fields)) : "";
    const reason = `there is no field ${describe(name)}${near}`;
    throw new InputError(place, reason, { code: "unknown_field" });
  }
  if (!field.searchable) throw new InputError(place, `${quote(name)} is not searchable`);
  const before = beforeIn(field, unit, path);
  return { field: name, before: (now) => before(now - after) };
}

/** Writes a time as criteria of a field compare it; `undefined` if no value is as early. */
function beforeIn(
  field: Field,
  unit: TimeUnit | undefined,
  path: string,
): (time: number) => unknown {
  if (isNumeric(field.type)) {
    const width = unit === "seconds" ? 1000 : 1;
    // Criteria compare ints with integers only.
    const isWhole = storageOf(field.type) === "int";
    const valueOf = (time: number) => (isWhole ? Math.floor(time / width) : time / width);
    return (time) => Math.min(Math.max(valueOf(time), -LARGEST), LARGEST);
  }
  if (field.type !== "time") {
    throw new InputError(`${path}.field`, `must have times, not be of type ${field.type}`);
  }
  if (unit !== undefined)
    throw new InputError(`${path}.unit`, "must be omitted: a time field has none");
  // An instant, not a period: with milliseconds.
  return (time) =>
    time < FIRST ? undefined : new Date(Math.min(Math.floor(time), LAST)).toISOString();
}

const LARGEST = Number.MAX_SAFE_INTEGER;

/** The instants that time fields can hold. */
const FIRST = Date.UTC(-1, 12, 1);
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A drafted collection, as the step that follows a recipe changes it. */
interface Drafted {
  readonly current: unknown;
  put(next: unknown): void;
}

/** Removes the expired records of drafted collections. */
export function removeExpired(
  { policies }: Expiry,
  now: number,
  draftOf: (name: string) => Drafted | undefined,
): void {
  for (const [name, { age, newest }] of policies) {
    const drafted = draftOf(name);
    const current = drafted?.current;
    if (drafted === undefined || !Collection.is(current)) continue;
    let kept = current;
    const last = age?.before(now);
    if (age !== undefined && last !== undefined) {
      kept = kept.remove([[age.field, "at_most", last]]);
    }
    const excess = newest === undefined ? 0 : kept.size - newest;
    if (excess > 0) kept = kept.change(removeFirst(kept.state, excess));
    if (kept !== current) drafted.put(kept);
  }
}
