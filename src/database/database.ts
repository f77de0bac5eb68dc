// A database: named collections of any schema that change together.

import { Collection } from "../collection/collection.ts";
import type { NumericName } from "../collection/types.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import type { Patch } from "../engine/changes/patch.ts";
import type { ExplainOptions, QueryPlan } from "../engine/explain/explain.ts";
import type { CountQueryPlan } from "../engine/explain/explain-count.ts";
import type { GroupByPlan } from "../engine/explain/explain-group-by.ts";
import type {
  CheckedHaving,
  GroupKeys,
  GroupOf,
  GroupQuery,
  Measures,
} from "../engine/group-types.ts";
import type { Selected } from "../engine/projection.ts";
import type { CheckedPageQuery, CheckedQuery, Page, Selecting } from "../engine/query.ts";
import { DeadlineError } from "../engine/algorithms/deadline.ts";
import { buildDue, type BuildReport } from "../engine/versions/build-indexes.ts";
import { notMadeBy, InputError, member, quote, TercetError } from "../schema/errors.ts";
import { membersOf, reading } from "../schema/input.ts";
import { callable, count, optional, readOptions, type OptionReaders } from "../schema/options.ts";
import type { Schema } from "../schema/schema.ts";
import { readLiveQuery, type CheckedAsk, type LiveAnswer, type SharedAnswer } from "./ask.ts";
import type { DatabaseChange } from "./changes.ts";
import type { Collections } from "./collections.ts";
import { CollectionMember } from "./collection-member.ts";
import { DatabaseState, register, type Subscriber } from "./database-state.ts";
import { liveResult, type Live, type LiveAsked } from "./live.ts";
import type { Explaining } from "./explaining.ts";
import { expireOptions, expiryOf, type ExpireOptions } from "./expiry.ts";
import { LiveQuery } from "./live-query.ts";
import { sourceOf } from "./member.ts";
import { observerOf, observerOptions, type QueryReportOptions } from "../engine/observer.ts";
import { writeError } from "../engine/on-error.ts";
import { Integrity } from "./relations/integrity.ts";
import type { JoinedSchema } from "./relations/joined-schema.ts";
import { questions, requireCollection } from "./relations/questions.ts";
import { Relations } from "./relations/relations.ts";

/** Names that the database, its store and the service use themselves. */
const reserved = [
  "applyPatches",
  "backup",
  "batches",
  "buildDue",
  "checkpoint",
  "close",
  "count",
  "expire",
  "explain",
  "explainCount",
  "explainGroupBy",
  "files",
  "found",
  "groupBy",
  "live",
  "page",
  "query",
  "refresh",
  "subscribe",
  "update",
  "updateAsync",
  "watch",
] as const;

/** A name that no collection of a database may have, because databases have a member with that name. */
export type ReservedName = (typeof reserved)[number];

/** Collections without reserved names. */
export type Named<C> = string extends keyof C
  ? C
  : C & Readonly<Record<keyof C & ReservedName, never>>;

/** The draft that a recipe of a database changes, by replacing collections with changed ones. */
export type DatabaseDraft<C extends Collections> = PatchableDraft & {
  -readonly [Name in keyof C]: C[Name];
};

/** What every draft can do. */
export interface PatchableDraft {
  /**
   * Applies patches of the database, all of them or none, to what the recipe has made so far: to undo one change, apply
   * another and repeat the first in one update, for example.
   *
   * @throws InputError with the number of the patch whose record is missing or differs from its `before`
   */
  applyPatches(patches: Iterable<Patch>): void;
}

/** A container that changes atomically and notifies its subscribers: a database, or a service. */
export interface Changing<Draft> {
  /**
   * Changes the data atomically, then notifies the subscribers, unless the recipe changes nothing: assigning an equal
   * value in any form is not a change. Cost: that of changing the collections, and of the subscribers. Patches are
   * computed from the changed records when first read.
   *
   * @param recipe assigns changed collections to the draft: `draft.orders = draft.orders.update(…)`
   * @returns what changed
   * @throws InputError if the recipe assigns anything else, makes a collection without assigning it, or returns a
   *   promise; whatever the recipe throws
   */
  update(recipe: (draft: Draft) => unknown): DatabaseChange;

  /**
   * Applies patches, all of them or none, for example to undo a change by its `inversePatches` or to repeat it on a
   * copy. Then notifies the subscribers.
   *
   * @returns what changed
   * @throws InputError with the number of the patch whose record is missing or differs from its `before`
   */
  applyPatches(patches: Iterable<Patch>): DatabaseChange;

  /**
   * Calls a function after each change, in the order of changes. Exceptions and rejections go to `onError` of a
   * database or `onInternalError` of a service, and do not affect other subscribers.
   *
   * @returns a function that unsubscribes
   */
  subscribe(subscriber: Subscriber): () => void;

  /**
   * Builds the indexes that queries have deferred, with the option `indexes: "deferred"`. The next call continues
   * unfinished ones.
   *
   * @param options `milliseconds`: approximately how long the call may take. Default: until all are built
   * @throws InputError if an option is not valid
   */
  buildDue(options?: { readonly milliseconds?: number | undefined }): BuildReport;
}

/** How a database runs a query, counts and groups. */
export interface DatabasePlans {
  readonly query: QueryPlan;
  readonly count: CountQueryPlan;
  readonly groups: GroupByPlan;
}

/** The methods of a database. */
export interface DatabaseMethods<C extends Collections>
  extends Changing<DatabaseDraft<C>>, Explaining<C, ExplainOptions, DatabasePlans> {
  /**
   * Removes the records that have expired by the option `expire`, as `update` does too. Without it, records that have
   * expired stay until the next update. Cost: that of removing them.
   *
   * @param now the time in milliseconds since 1970. Default: that of the option `now`
   * @returns what changed
   */
  expire(now?: number): DatabaseChange;

  /**
   * {@link Collection.query} of a collection, which may also name the fields of the records to which its own refer, by a
   * path such as `customer.country`: null where the reference is. Cost: that of the same query if each record had that
   * value in a field of its own; after a change of the other collection, and that of a number for each of its records.
   *
   * @param name of the collection
   * @throws CriteriaError, QueryError; InputError if there is no such collection
   */
  query<
    Name extends keyof C & string,
    const Criteria = null,
    const SortBy = null,
    const Order = null,
    const Limit = null,
    const Offset = null,
    const Sorting = null,
    const Select = null,
  >(
    name: Name,
    query?: CheckedQuery<JoinedSchema<C, Name>, Criteria, SortBy, Order, Limit, Offset, Sorting> &
      Selecting<JoinedSchema<C, Name>, Select>,
  ): Selected<JoinedSchema<C, Name>, Select>[];

  /** {@link Collection.page}, for questions like those of {@link DatabaseMethods.query | query}. */
  page<
    Name extends keyof C & string,
    const Criteria = null,
    const SortBy = null,
    const Order = null,
    const Limit = null,
    const Sorting = null,
    const Select = null,
  >(
    name: Name,
    query?: CheckedPageQuery<JoinedSchema<C, Name>, Criteria, SortBy, Order, Limit, Sorting> &
      Selecting<JoinedSchema<C, Name>, Select>,
  ): Page<Selected<JoinedSchema<C, Name>, Select>>;

  /** {@link Collection.count}, for questions like those of {@link DatabaseMethods.query | query}. */
  count(name: keyof C & string): number;
  count<Name extends keyof C & string, const Criteria>(
    name: Name,
    criteria: CheckedCriteria<JoinedSchema<C, Name>, Criteria>,
  ): number;

  /** {@link Collection.groupBy}, for questions like those of {@link DatabaseMethods.query | query}. */
  groupBy<
    Name extends keyof C & string,
    const By extends GroupKeys<JoinedSchema<C, Name>>,
    const Found extends Measures<JoinedSchema<C, Name>> = Record<never, "count">,
    const Summarized extends NumericName<JoinedSchema<C, Name>> = never,
    const Criteria = null,
    const Having = null,
  >(
    name: Name,
    query: GroupQuery<
      JoinedSchema<C, Name>,
      By,
      Found,
      Summarized,
      CheckedCriteria<JoinedSchema<C, Name>, Criteria>,
      CheckedHaving<Found, Having>
    >,
  ): readonly GroupOf<JoinedSchema<C, Name>, By, Found, Summarized>[];

  /**
   * Calls a listener with the result of a query: immediately, and after each change that alters it. Errors that the
   * listener throws go to `onError`, and so does a DeadlineError of the query, which is then run again after the next
   * change. Cost of a change: that of the queries whose criteria select a changed record, before or after the change; most
   * kinds follow it, others are run again. Queries that require a value, a range or a part of a string in a field are
   * looked up by it; finding others takes one predicate call per changed record for each of them.
   *
   * @param name of the collection
   * @param ask a query, `{ page: query }` for a page after a cursor, `{ count: criteria }`, `{ countBy: field, criteria
   *   }`, `{ histogram: field, bins, criteria }` or `{ summary: field, criteria }`; later changes to it have no effect
   * @param listener called with the result, in new arrays
   * @returns a function that ends the live query
   * @throws CriteriaError, QueryError or InputError if the query is invalid
   */
  watch<Name extends keyof C & string, const Ask>(
    name: Name,
    ask: CheckedAsk<JoinedSchema<C, Name>, Ask>,
    listener: (answer: LiveAnswer<JoinedSchema<C, Name>, Ask>) => void,
  ): () => void;

  /**
   * A live query as a store for user interfaces: `current` is the current result, the same object until it changes, and
   * `subscribe` calls a listener with it, immediately and after each change that alters it. Cost: that of the query.
   * Changes cost nothing without subscribers, and otherwise as much as with `watch`.
   *
   * @param name of the collection
   * @param ask a query, as for `watch`; later changes to it have no effect
   * @throws CriteriaError, QueryError or InputError if the query is invalid
   */
  live<Name extends keyof C & string, const Ask>(
    name: Name,
    ask: CheckedAsk<JoinedSchema<C, Name>, Ask>,
  ): Live<SharedAnswer<JoinedSchema<C, Name>, Ask>>;
}

/** Named collections that change together; each property is the current version. */
export type Database<C extends Collections = Collections> = C & DatabaseMethods<C>;

/** A database, whatever its collections. */
export type AnyDatabase = Omit<Changing<never>, "update">;

/** The options of `createDatabase`. */
export interface DatabaseOptions extends ExpireOptions, QueryReportOptions {
  /**
   * Called with exceptions and rejections of subscribers and listeners. Its own exceptions go to `console.error`.
   * Default: `console.error`.
   */
  readonly onError?: ((thrown: unknown) => unknown) | undefined;
  readonly limits?: DatabaseLimits | undefined;
}

/** Limits the cost of queries. */
export interface DatabaseLimits {
  /**
   * The maximum time in milliseconds of a query, count, histogram or summary of a collection, or of a live query;
   * beyond it, the query throws a DeadlineError. Changes have no limit. Queries spend the time left on missing indexes,
   * unless the collections have `indexes: "deferred"`. Default: no limit.
   */
  readonly milliseconds?: number | undefined;
  /** The maximum number of criteria of a query. Default: that of each collection, `maxCriteria`. */
  readonly criteria?: number | undefined;
  /** The maximum number of values of an `in`, `has_any` or `has_all`. Default: that of each collection, `maxValues`. */
  readonly values?: number | undefined;
}

const databaseOptions = {
  onError: optional(callable, writeError),
  limits: (given, path): DatabaseLimits => readOptions(given ?? {}, path, databaseLimits),
  ...expireOptions,
  ...observerOptions,
} satisfies OptionReaders<Record<keyof DatabaseOptions, unknown>>;

const databaseLimits = {
  milliseconds: optional(count),
  criteria: optional(count),
  values: optional(count),
} satisfies OptionReaders<Record<keyof DatabaseLimits, unknown>>;

/**
 * Makes a database of collections.
 *
 * @param collections by their names, each made by `createCollection`
 * @throws InputError if a value is not a collection, or a name is reserved
 */
export function createDatabase<const C extends Collections>(
  collections: Named<C>,
  options?: DatabaseOptions,
): Database<C>;
export function createDatabase(collections: unknown, options: unknown = {}): Database {
  const { onError, limits, expire, now, ...observing } = readOptions(
    options,
    "options",
    databaseOptions,
  );
  const { milliseconds, criteria, values } = limits;
  const given = reading("collections", () => Object.entries(membersOf(collections, "collections")));
  const members = given.map(([name, collection]) => {
    const path = member("collections", requireName(name, "collections"));
    if (!Collection.is(collection)) {
      throw new InputError(path, notMadeBy("createCollection()", collection));
    }
    const { codec, snapshot, options: own } = collection.state;
    const { maxCriteria, maxValues } = own;
    const bounds = { maxCriteria: criteria ?? maxCriteria, maxValues: values ?? maxValues };
    const observer = observerOf(observing, onError) ?? own.observer;
    const settings = { ...own, ...bounds, milliseconds, observer, name };
    return collectionMember(name, Collection.of({ codec, snapshot, options: settings }));
  });
  const data = new DatabaseState("database", members, onError, milliseconds);
  data.expiry = expiryOf(data.members, expire, now);
  const database = databaseOver(
    data,
    given.map(([name]) => name),
  );
  data.integrity?.check();
  return database;
}

/** @internal A collection as a member of a database. */
export function collectionMember<S extends Schema, Input>(
  name: string,
  { state }: Collection<S, Input>,
): CollectionMember<S, Input> {
  return new CollectionMember(
    name,
    Collection.of(state),
    `collection ${quote(name)} of this database`,
  );
}

/** The maximum length of a name, which stores use in file names. */
const LONGEST_NAME = 60;

/** @internal A valid name of a collection of a database. @throws InputError */
export function requireName(name: string, path: string): string {
  const refuse = (reason: string) => new InputError(path, reason);
  if ((reserved as readonly string[]).includes(name)) {
    throw refuse(`${quote(name)} is reserved by the database; choose another name`);
  }
  if (name === "" || !name.isWellFormed() || new TextEncoder().encode(name).length > LONGEST_NAME) {
    throw refuse(`${quote(name)} can't be a name: it needs 1 to ${LONGEST_NAME} bytes of UTF-8`);
  }
  return name;
}

/** @internal The functions that change the state of a database. */
export const changing = (data: DatabaseState): Changing<never> => ({
  update: (recipe: unknown) => data.update(recipe),
  applyPatches: (patches: unknown) => data.applyPatches(patches),
  subscribe: (subscriber: unknown) => data.subscribers.subscribe(subscriber),
  buildDue: (options: unknown = {}) => {
    const snapshots = Array.from(data.collections(), ({ collection }) => collection.state.snapshot);
    return buildDue(snapshots, options);
  },
});

/** @internal The database with members of the given names. */
export function databaseOver(data: DatabaseState, names: readonly string[]): Database {
  const collection = (name: string) => collectionOf(data, name);
  data.integrity = Integrity.of(data.members);
  const relations = new Relations(data.integrity?.references ?? [], collection);
  data.relations = relations;
  const methods: DatabaseMethods<Collections> = {
    ...changing(data),
    expire: (now: unknown) => data.expire(now),
    ...questions(names, relations),
    watch: (name: unknown, ask: unknown, given: unknown) => {
      const { isResult, ...asked } = askedOf(relations, names, name, ask);
      const listener = callable(given, "listener");
      const listening = { listener, isResult, onError: undefined };
      return data.subscribers.watch(new LiveQuery(asked), listening);
    },
    live: (name: unknown, ask: unknown) =>
      liveResult(data.subscribers, askedOf(relations, names, name, ask)) as Live<never>,
  };
  const database: object = { ...methods };
  for (const name of names) {
    Object.defineProperty(database, name, {
      get: () => collectionOf(data, name),
      enumerable: true,
    });
  }
  register(database, data);
  // No literal has this type: its index signature has the collections, and its methods are beside them.
  return Object.freeze(database) as Database;
}

function collectionOf(data: DatabaseState, name: string): Collection {
  const named = data.members.get(name);
  if (CollectionMember.is(named)) return named.collection;
  throw new RangeError(`there is no collection ${name}`);
}

/** Reads a query of a collection. @throws InputError if there is no such collection, or the query is invalid */
function askedOf(
  relations: Relations,
  names: readonly string[],
  named: unknown,
  query: unknown,
): LiveAsked {
  const name = requireCollection(names, named);
  const { asked: given, criteriaOf, of, maintain } = readLiveQuery(query);
  const { asked, joined, collection } = relations.question(name, given);
  return {
    source: joined ?? sourceOf(name),
    criteria: criteriaOf(asked),
    options: collection().state.options,
    version: () => collection().state.snapshot,
    ask: () => of(collection(), asked),
    maintain: () => maintain(collection(), asked),
    isResult: (thrown) => thrown instanceof TercetError && !(thrown instanceof DeadlineError),
  };
}
