// Live queries: results that are reported whenever a change alters them. A query is run again only if its criteria
// select a changed record, before or after the change, so unaffected queries cost little. Queries that require a
// value in a field, such as a unique id, are found by that value; the predicates of the others are called.

import { tuning } from "../engine/tuning.ts";
import { predicateOf, testsOfRecords } from "../criteria/compile.ts";
import { CriteriaError, DEEPEST, readCriteria } from "../criteria/parse.ts";
import { isNested, type CriteriaPart, type ParsedCriteria } from "../criteria/tree.ts";
import type { TextValue } from "../schema/field.ts";
import { isMembers, reading, type AnyFunction } from "../schema/input.ts";
import { isEqualJson } from "../schema/json.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import type { Schema } from "../schema/schema.ts";
import type { DatabaseChange } from "./changes.ts";
import type { Replaced } from "./member.ts";

/** A function that is called after changes. */
export interface Subscription {
  /** Its position in the order of calls. */
  readonly order: number;
  /** Cleared when it ends. */
  notify: ((change: DatabaseChange) => unknown) | undefined;
}

/** All live queries of a database, by collection. */
export class LiveQueries {
  readonly #bySource = new Map<string, Watched>();

  /** @returns a function that ends it */
  add(query: LiveQuery, subscription: Subscription): () => void {
    let watched = this.#bySource.get(query.source);
    if (watched === undefined) this.#bySource.set(query.source, (watched = new Watched()));
    watched.add(query, subscription);
    return () => {
      const isLast = watched.delete(query) === 0;
      // Unsubscribing twice must not end queries that have started since.
      if (isLast && this.#bySource.get(query.source) === watched) {
        this.#bySource.delete(query.source);
      }
    };
  }

  /** The listeners to notify of a change, in order. @param all the listeners of every change */
  affectedBy(
    replaced: readonly Replaced[],
    all: ReadonlySet<Subscription>,
  ): readonly Subscription[] {
    // Changes that were not recorded must be found by comparing.
    const isChange = all.size > 0 && replaced.some(({ isMoved }) => !isMoved);
    const notified = new Set(isChange ? all : []);
    for (const each of replaced) {
      for (const affected of this.#bySource.get(each.source)?.affectedBy(each) ?? []) {
        notified.add(affected);
      }
    }
    return [...notified].sort((a, b) => a.order - b.order);
  }
}

/** The live queries of one collection. */
class Watched {
  readonly #queries = new Map<LiveQuery, Subscription>();
  /** The queries whose last run failed: any change runs them again. */
  readonly #outdated = new Set<LiveQuery>();
  /** Created by the first change. */
  #finder: QueryFinder | undefined;

  add(query: LiveQuery, subscription: Subscription): void {
    this.#queries.set(query, subscription);
    query.noteIn(this.#outdated);
    this.#finder?.add(query);
  }

  /** @returns how many are left */
  delete(query: LiveQuery): number {
    this.#queries.delete(query);
    this.#outdated.delete(query);
    this.#finder?.delete(query);
    return this.#queries.size;
  }

  *affectedBy({ before, after, delta }: Replaced): Generator<Subscription, void> {
    if (delta?.length === 0) return;
    if (
      before === undefined ||
      after === undefined ||
      delta === undefined ||
      delta.length > tuning.mostJudged
    ) {
      yield* this.#queries.values();
      return;
    }
    if (this.#finder?.schema !== after.schema) {
      this.#finder = new QueryFinder(after.schema, this.#queries.keys());
    }
    const affected = new Set(this.#outdated);
    for (const { before: old, after: now } of delta) {
      if (old !== undefined)
        this.#finder.find(before.state.codec.flat(old.rows, old.row), affected);
      if (now !== undefined) this.#finder.find(after.state.codec.flat(now.rows, now.row), affected);
    }
    for (const query of affected) {
      const subscription = this.#queries.get(query);
      if (subscription !== undefined) yield subscription;
    }
  }
}

type Selects = (record: AnyRecord) => boolean;
type Selecting = Map<LiveQuery, Selects>;

/** The queries that require a value in a field, by value. */
interface RequiringField {
  readonly read: (record: AnyRecord) => TextValue;
  readonly byValue: Map<TextValue, Selecting>;
}

/** Finds the queries that select a record. */
class QueryFinder {
  readonly schema: Schema;
  readonly #byField = new Map<string, RequiringField>();
  /** The queries that require no particular value. */
  readonly #others: Selecting = new Map();
  /** The required values of each query. */
  readonly #required = new Map<LiveQuery, readonly RequiredValue[] | undefined>();

  constructor(schema: Schema, queries: Iterable<LiveQuery>) {
    this.schema = schema;
    for (const query of queries) this.add(query);
  }

  add(query: LiveQuery): void {
    const criteria = criteriaOf(this.schema, query);
    const selects =
      criteria === undefined ? () => true : predicateOf(criteria, testsOfRecords(this.schema));
    const required = criteria && requiredValues(criteria);
    this.#required.set(query, required);
    if (required === undefined) this.#others.set(query, selects);
    for (const [field, value] of required ?? []) {
      let requiring = this.#byField.get(field);
      if (requiring === undefined) {
        requiring = { read: this.schema.readerOf(field), byValue: new Map() };
        this.#byField.set(field, requiring);
      }
      const selecting = requiring.byValue.get(value);
      if (selecting === undefined) requiring.byValue.set(value, new Map([[query, selects]]));
      else selecting.set(query, selects);
    }
  }

  delete(query: LiveQuery): void {
    for (const [field, value] of this.#required.get(query) ?? []) {
      const byValue = this.#byField.get(field)?.byValue;
      const selecting = byValue?.get(value);
      if (selecting?.delete(query) === true && selecting.size === 0) byValue?.delete(value);
      if (byValue?.size === 0) this.#byField.delete(field);
    }
    this.#others.delete(query);
    this.#required.delete(query);
  }

  /** Adds the queries that select a record to the affected ones. */
  find(record: AnyRecord, affected: Set<LiveQuery>): void {
    const add = (selects: Selects, query: LiveQuery) => {
      if (!affected.has(query) && selects(record)) affected.add(query);
    };
    for (const { read, byValue } of this.#byField.values()) byValue.get(read(record))?.forEach(add);
    this.#others.forEach(add);
  }
}

/** The criteria of a query; `undefined` if they can't be compiled, which running the query will report. */
function criteriaOf(schema: Schema, { criteria, options }: LiveQuery): ParsedCriteria | undefined {
  try {
    return readCriteria(schema, criteria, options);
  } catch (error) {
    if (error instanceof CriteriaError) return undefined;
    throw error;
  }
}

type RequiredValue = readonly [field: string, value: TextValue];

/** Field values, one of which every selected record has; `undefined` if there are none. */
function requiredValues({ groups }: ParsedCriteria): readonly RequiredValue[] | undefined {
  const required: RequiredValue[] = [];
  for (const group of groups) {
    const found = firstDefined(group, requiredOf);
    if (found === undefined) return undefined;
    required.push(...found);
  }
  return required;
}

function requiredOf(part: CriteriaPart): readonly RequiredValue[] | undefined {
  if (isNested(part)) return requiredValues(part);
  const { bounds, field } = part;
  if (bounds.kind !== "values" || !bounds.inside) return undefined;
  return bounds.values.map((value) => [field, value] as const);
}

function firstDefined<Element, Result>(
  elements: readonly Element[],
  of: (element: Element) => Result | undefined,
): Result | undefined {
  for (const element of elements) {
    const result = of(element);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** The nesting of a query, its criteria, groups, triples and lists of values. */
const DEPTH = 5 + DEEPEST;

/** A copy of a query, so that later changes by the caller have no effect. */
export function copyOfAsked<Value>(value: Value, place: string): Value {
  return reading(place, () => copyOf(value, DEPTH, new Map())) as Value;
}

/**
 * @param copies the arrays copied so far: each is copied once, however many groups share it, even if it contains itself
 */
function copyOf(value: unknown, depth: number, copies: Map<unknown, unknown[]>): unknown {
  if (depth === 0) return value;
  const copy = (each: unknown) => copyOf(each, depth - 1, copies);
  if (Array.isArray(value)) return copies.get(value) ?? copyOfArray(value, copy, copies);
  // Groups contain no objects, so objects from the caller are not copied.
  if (!isMembers(value) || depth <= DEEPEST) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copy(each)]));
}

/** A very long array costs its caller nothing, so an array without elements is not copied to its end. */
function copyOfArray(
  array: readonly unknown[],
  copy: (each: unknown) => unknown,
  all: Map<unknown, unknown[]>,
): unknown[] {
  const copies: unknown[] = [];
  all.set(array, copies);
  const { length } = array;
  for (let i = 0; i < length; i++) {
    copies.push(copy(array[i]));
    if (i > MOST_PARAMETERS && !(i in array)) break;
  }
  return copies;
}

/** Beyond this, a missing element can only be part of an invalid list. */
const MOST_PARAMETERS = 100;

/** A live query and its listener. */
export interface Asked {
  /** The collection's name in its member. */
  readonly source: string;
  /** Criteria that select every record on which the result depends. */
  readonly criteria: unknown;
  readonly options: Parameters<typeof readCriteria>[2];
  readonly ask: () => unknown;
  readonly listener: AnyFunction;
  /** Called with an error of `ask`. Default: that of all subscribers. */
  readonly onError: AnyFunction | undefined;
  /** Whether an error of `ask` is a result: the same until the data change. A time limit, for example, is not. */
  readonly isResult: (thrown: unknown) => boolean;
}

/** The last result, and the listener to call when it changes. */
export class LiveQuery {
  readonly source: string;
  readonly criteria: unknown;
  readonly options: Asked["options"];
  readonly #asked: Asked;
  /** The last reported result. */
  #last: unknown;
  /** The error that was reported to its listeners since; `undefined` if there was none. */
  #error: string | undefined;
  #outdated: Set<LiveQuery> | undefined;

  /** @param first the result that was reported first */
  constructor(asked: Asked, first: unknown) {
    this.source = asked.source;
    this.criteria = asked.criteria;
    this.options = asked.options;
    this.#asked = asked;
    this.#last = kept(first);
  }

  /** Keeps itself in the set from a run that fails until one that succeeds. */
  noteIn(outdated: Set<LiveQuery>): void {
    this.#outdated = outdated;
  }

  /** Runs the query again, and reports the result if it is new, or the error. */
  again(): unknown {
    const { ask, listener } = this.#asked;
    let answer: unknown;
    try {
      answer = ask();
    } catch (error) {
      this.#outdated?.add(this);
      return this.#report(error);
    }
    this.#outdated?.delete(this);
    if (this.#error === undefined && isEqualJson(answer, this.#last)) return undefined;
    this.#last = kept(answer);
    this.#error = undefined;
    return listener(answer);
  }

  /** Reports an error: each time, unless it is a result. */
  #report(error: unknown): unknown {
    const { onError, isResult } = this.#asked;
    const message = String(error);
    const isLasting = isResult(error);
    if (isLasting && message === this.#error) return undefined;
    // A listener without an `onError` of its own does not miss the result that a late run did not replace.
    if (isLasting || onError !== undefined) this.#error = message;
    if (onError === undefined) throw error;
    return onError(error);
  }
}

/** A copy of the result, so that listeners can change its arrays and objects without an effect. */
function kept(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || Object.isFrozen(answer)) return answer;
  if (Array.isArray(answer)) return answer.map(kept);
  return Object.fromEntries(Object.entries(answer).map(([name, each]) => [name, kept(each)]));
}
