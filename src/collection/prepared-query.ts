// A prepared query: the cost of a query before its first row is paid once.

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

/** The values of a run; none, or `{}`, if there is no parameter. */
type Given<Values> = keyof Values extends never
  ? [values?: Readonly<Record<string, never>>]
  : [values: Values];

/**
 * A query parsed and checked once, to be run with different values of its parameters, on the collection
 * that it was prepared for and on all others of its schema, such as later versions. Made by
 * `prepareQuery` of a collection; frozen. It keeps no collection in memory. `Of` is the type of the
 * collections.
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
   * What `collection.query` returns for the query with these values.
   * Cost: that of the query, without reading and checking it. If its criteria have no parameter, and the
   * page can be read from one index or directly from the rows, also without planning it, from the second
   * run on a collection whose records are in one segment.
   *
   * @returns the records of the page, each frozen and shared with the collection, in a new array
   * @throws CriteriaError or QueryError with the place of a parameter whose value is missing or not valid
   *   there; InputError if `values` has an unknown member, or the collection has another
   *   schema
   */
  run(collection: Of, ...values: Given<Values>): RecordOf<S>[];
  run(collection: unknown, values?: unknown): unknown {
    const snapshot = this.#snapshot(collection);
    const query = this.#template.fill(values);
    const page = pageOf(snapshot, query, this.#choose);
    query.deadline?.check();
    return page;
  }

  /**
   * How a run is answered; see {@link Collection.explain}.
   *
   * @param values those of the run
   * @param options `analyze`: run it, and report the rows and the time of each step
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
