// The semantics of a collection as code: every query reads every record. Selection and order are in reference-page.ts;
// loading data is in reference-data.ts.

import { stringify } from "fast-check";
import type { Collection, InputOf, Schema, SummaryOptions } from "../index.ts";
import { comparedForm, countedForm } from "./arbitraries/values.ts";
import { groupsOf, summaryOf, type Listing } from "./reference-aggregates.ts";
import { loadRecords } from "./reference-data.ts";
import { groupsAsked, type AskedGroups } from "./reference-groups.ts";
import { check, page, STRICT } from "./reference-page.ts";

/** The methods of a collection that have a reference. */
export type ReferenceCollection<S extends Schema = Schema> = Pick<
  Collection<S>,
  "schema" | "query" | "page" | "count" | "countBy" | "summary" | "groupBy"
>;

interface Asked {
  readonly criteria?: unknown;
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly sortBy?: unknown;
  readonly sortOrder?: unknown;
  readonly sort?: unknown;
}

/**
 * The semantics of a collection as code. For invalid queries, it throws a `ServiceError` with code 310 or 311. Steps of
 * the calendar are those of UTC.
 *
 * @throws InputError if a record is not valid
 */
export function referenceCollection<S extends Schema>(
  schema: S,
  records: Iterable<InputOf<S>> = [],
): ReferenceCollection<S> {
  const table = loadRecords(schema, records);
  const isOwn = schema.form !== "contract";
  const rowsOf = ({ criteria, limit, offset, sortBy, sortOrder, sort }: Asked) => {
    const parameters = [criteria, limit, offset, sortBy, sortOrder, ...(isOwn ? [sort] : [])];
    return page(table, parameters, { ...STRICT, isOwn });
  };

  // The records have the schema's stored fields in its form, as the type says, because of how the data was loaded.
  const query = (asked: Asked = {}) => rowsOf(asked).map(({ record }) => record as never);

  // Its records never change, so the number of records before the page is a position.
  const pageAfter = ({ after, ...asked }: Asked & { readonly after?: unknown } = {}) => {
    const { criteria, sortBy, sortOrder, sort, offset } = asked;
    check(offset === undefined, 310, "a page has no offset");
    const total = rowsOf({ ...asked, limit: undefined }).length;
    // A dot would separate it from the number.
    const own = encodeURIComponent(stringify([criteria, sortBy, sortOrder, sort])).replaceAll(
      ".",
      "%2E",
    );
    const [of = own, before = "0"] = (after ?? null) === null ? [] : String(after).split(".");
    check(of === own && Number(before) <= total, 310, "the cursor is one of the query");
    const records = query({ ...asked, offset: before });
    const end = Number(before) + records.length;
    return { records, next: records.length > 0 && end < total ? `${own}.${end}` : null };
  };

  const count = (criteria?: unknown) => rowsOf({ criteria }).length;

  const sortable = (name: string) => {
    const field = schema.fields[name];
    check(field !== undefined && field.type !== "json", 310, "the field is one to count by");
    return field;
  };

  /** The selected records with the values by which they are counted (V11). */
  const countedRows = (criteria: unknown) =>
    rowsOf({ criteria }).map(({ values }) => ({
      values: new Map(
        Array.from(values, ([name, value]) => {
          return [name, comparedForm(schema.fields[name] ?? {}, value)] as const;
        }),
      ),
    }));

  const countBy = (name: string, criteria?: unknown, listing: Listing = {}) => {
    const field = sortable(name);
    const groups = groupsOf(countedRows(criteria), name, field.type, listing);
    // The value has the type of the field's values in records.
    return groups.map((group) => ({ ...group, value: countedForm(schema, field, group.value) }));
  };

  const summary = (name: string, criteria?: unknown, { quantiles }: SummaryOptions = {}) =>
    summaryOf(countedRows(criteria), name, sortable(name).type, quantiles);

  const groupBy = ({ criteria, ...asked }: AskedGroups & { readonly criteria?: unknown }) =>
    groupsAsked(schema, countedRows(criteria), asked);

  // The options determine which members they have.
  const aggregates = {
    countBy: countBy as never,
    summary: summary as never,
    groupBy: groupBy as never,
  };
  return Object.freeze({ schema, query, page: pageAfter, count, ...aggregates });
}
