// A prepared query: what a query costs before it looks at the first row is paid once.

import { InputError } from "../schema/errors.ts";
import { readOptions } from "../schema/options.ts";
import type { RecordOf, Schema } from "../schema/schema.ts";
import { KeptPlans } from "./cache/plans.ts";
import { pageOf } from "./execute/page.ts";
import { explain, explainOptions, type QueryPlan } from "./explain/explain.ts";
import { planningOnce, type Choose } from "./plan/planner.ts";
import type { QueryTemplate } from "./plan/template.ts";
import type { Snapshot } from "./snapshot/snapshot.ts";

/** What gives the snapshot of a collection of the schema; `undefined` for anything else. */
export type SnapshotOf = (collection: unknown) => Snapshot | undefined;

/** The values of a run; none, or `{}`, where there is no parameter. */
type Given<Values> = keyof Values extends never
  ? [values?: Readonly<Record<string, never>>]
  : [values: Values];

/**
 * A query that was parsed and checked once, to be run with different values of its parameters, on
 * the collection that it was prepared for and on all others of its schema: those that changes make.
 * Made by {@link Collection.prepareQuery}; frozen. It keeps no collection in memory. `Of` is the type of
 * the collections.
 */
export class PreparedQuery<S extends Schema, Values, Of> {
  readonly #template: QueryTemplate;
  readonly #snapshotOf: SnapshotOf;
  readonly #choose: Choose | undefined;

  /** @internal */
  constructor(template: QueryTemplate, snapshotOf: SnapshotOf) {
    this.#template = template;
    this.#snapshotOf = snapshotOf;
    this.#choose = template.isSelectingSame ? planningOnce(new KeptPlans()) : undefined;
    Object.freeze(this);
  }

  /**
   * What `collection.query` answers to the query with the values in it.
   * Cost: that of the query, less that of reading and checking it. Where its criteria have no
   * parameter, and the page is read off one index or off the rows as they stand, also less that of
   * planning it, from the second run on a collection on whose records are in one segment.
   *
   * @returns the records of the page, each frozen and shared with the collection, in a new array
   * @throws CriteriaError or QueryError with the place of a parameter that has no value there, or none
   *   that is valid; InputError where `values` has a member that is no parameter, or the collection is
   *   of another schema
   */
  run(collection: Of, ...values: Given<Values>): RecordOf<S>[];
  run(collection: unknown, values?: unknown): unknown {
    const snapshot = this.#snapshot(collection);
    const query = this.#template.fill(values);
    return pageOf(snapshot, query, this.#choose);
  }

  /**
   * How a run is answered; see {@link Collection.explain}.
   *
   * @param values those of the run
   * @param options `analyze`: run it and say how many rows each step had, and how long it took
   * @throws what {@link PreparedQuery.run} does
   */
  explain(collection: Of, values: Values, options: { readonly analyze?: boolean } = {}): QueryPlan {
    const { analyze } = readOptions(options, "options", explainOptions);
    return explain(this.#snapshot(collection), this.#template.fill(values), analyze);
  }

  #snapshot(collection: unknown): Snapshot {
    const snapshot = this.#snapshotOf(collection);
    if (snapshot !== undefined) return snapshot;
    throw new InputError(
      "collection",
      "must be a collection of the schema that the query was prepared for",
    );
  }
}
