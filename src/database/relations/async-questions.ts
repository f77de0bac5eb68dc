// The questions of databases elsewhere: those of a database in memory, with promises.

import type { NumericName } from "../../collection/types.ts";
import type { CheckedCriteria } from "../../criteria/criteria.ts";
import type {
  CheckedHaving,
  GroupKeys,
  GroupOf,
  GroupQuery,
  Measures,
} from "../../engine/group-types.ts";
import type { Selected } from "../../engine/projection.ts";
import type { CheckedPageQuery, CheckedQuery, Page, Selecting } from "../../engine/query.ts";
import type { JoinedSchema, SchemasByName } from "./joined-schema.ts";

/** Questions by the name of a collection, as `Database` has them. `Options` are those of each call. */
export interface AsyncQuestions<C extends SchemasByName, Options> {
  /** @see DatabaseMethods.query */
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
    options?: Options,
  ): Promise<Selected<JoinedSchema<C, Name>, Select>[]>;

  /** @see DatabaseMethods.page */
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
    options?: Options,
  ): Promise<Page<Selected<JoinedSchema<C, Name>, Select>>>;

  /** @see DatabaseMethods.count */
  count(name: keyof C & string): Promise<number>;
  count<Name extends keyof C & string, const Criteria>(
    name: Name,
    criteria: CheckedCriteria<JoinedSchema<C, Name>, Criteria>,
    options?: Options,
  ): Promise<number>;

  /** @see DatabaseMethods.groupBy */
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
    options?: Options,
  ): Promise<readonly GroupOf<JoinedSchema<C, Name>, By, Found, Summarized>[]>;
}
