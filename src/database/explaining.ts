// How a database explains its queries, in memory and elsewhere.

import type { NumericName } from "../collection/types.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import type { CheckedHaving, GroupKeys, GroupQuery, Measures } from "../engine/group-types.ts";
import type { CheckedQuery, Selecting } from "../engine/query.ts";
import type { JoinedSchema, SchemasByName } from "./relations/joined-schema.ts";

/** What explaining a query, a count and groups returns. */
export interface Plans {
  readonly query: unknown;
  readonly count: unknown;
  readonly groups: unknown;
}

/**
 * Explanations by the name of a collection. `Options` are those of `explain`, `Rest` are the further parameters of the
 * others, and `P` is what they return.
 */
export interface Explaining<
  C extends SchemasByName,
  Options,
  P extends Plans,
  Rest extends readonly unknown[] = [],
> {
  /** {@link Collection.explain}, for questions like those of {@link DatabaseMethods.query | query}. */
  explain<
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
    options?: Options,
  ): P["query"];

  /** {@link Collection.explainCount}, for criteria like those of {@link DatabaseMethods.count | count}. */
  explainCount<Name extends keyof C & string, const Criteria = null>(
    name: Name,
    criteria?: CheckedCriteria<JoinedSchema<C, Name>, Criteria>,
    ...rest: Rest
  ): P["count"];

  /** {@link Collection.explainGroupBy}, for questions like those of {@link DatabaseMethods.groupBy | groupBy}. */
  explainGroupBy<
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
    ...rest: Rest
  ): P["groups"];
}
