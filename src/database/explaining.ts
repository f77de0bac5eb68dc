// How a database explains its queries, in memory and elsewhere.

import type { CheckedQuery, Selecting } from "../engine/query.ts";
import type { JoinedSchema, SchemasByName } from "./relations/joined-schema.ts";

/** Explanations by the name of a collection. `Options` are those of each call, `Plan` is what it returns. */
export interface Explaining<C extends SchemasByName, Options, Plan> {
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
  ): Plan;
}
