// The semantics of a collection as code: every query reads every record. Selection and order are in reference-page.ts;
// loading data is in reference-data.ts.

import { stringify } from "fast-check";
import type { Collection, InputOf, Schema, SummaryOptions } from "../index.ts";
import { isComputed } from "./arbitraries/computed.ts";
import { comparedForm, countedForm, storedForm } from "./arbitraries/values.ts";
import { groupsOf, summaryOf, type Listing } from "./reference-aggregates.ts";
import { loadRecords, type Row } from "./reference-data.ts";
import { groupsAsked, type AskedGroups } from "./reference-groups.ts";
import { check, page, STRICT } from "./reference-page.ts";

/** The methods of a collection that have a reference. */
export type ReferenceCollection<S extends Schema = Schema> = Pick<
  Collection<S>,
  "schema" | "query" | "page" | "count" | "countBy" | "summary" | "groupBy"
>;

/** Where a page is. */
interface PageAsked {
  readonly after?: unknown;
  readonly before?: unknown;
  readonly last?: unknown;
  readonly cursors?: unknown;
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

interface Asked {
  readonly criteria?: unknown;
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly sortBy?: unknown;
  readonly sortOrder?: unknown;
  readonly sort?: unknown;
  readonly select?: unknown;
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
  const rowOf = new Map<object, Row>(table.rows.map((row) => [row.record, row]));
  const isOwn = schema.form !== "contract";
  const rowsOf = ({ criteria, limit, offset, sortBy, sortOrder, sort }: Asked) => {
    const parameters = [criteria, limit, offset, sortBy, sortOrder, ...(isOwn ? [sort] : [])];
    return page(table, parameters, { ...STRICT, isOwn });
  };

  /** C19: the records with the selected fields, in their order. */
  const selecting = (given: unknown) => {
    if (!isGiven(given)) return (record: object) => record;
    check(Array.isArray(given) && given.length > 0, 310, "fields are selected by their names");
    const names: readonly unknown[] = given;
    const isSelectable = (name: unknown) => {
      const field =
        typeof name === "string" && Object.entries(schema.fields).find(([own]) => own === name);
      return field !== undefined && field !== false && (field[1].stored || isComputed(field[1]));
    };
    const areNames = names.every(isSelectable) && new Set(names).size === names.length;
    check(areNames, 310, "each is a field that is stored or computed, named once");
    return (record: object) => {
      const own = rowOf.get(record);
      const members = new Map<string, unknown>(Object.entries(record));
      for (const [name, field] of Object.entries(schema.fields)) {
        if (isComputed(field))
          members.set(name, storedForm(schema, field, own?.values.get(name) ?? null));
      }
      const selected = names.map((name) => [String(name), members.get(String(name))] as const);
      return Object.freeze(Object.fromEntries<unknown>(selected));
    };
  };

  // The records have the schema's stored fields in its form, as the type says, because of how the data was loaded.
  const query = ({ select, ...asked }: Asked = {}) =>
    rowsOf(asked)
      .map(({ record }) => record)
      .map(selecting(select)) as never[];

  // Its records never change, so the number of a record, from 1, is a position.
  const pageAt = ({ after, before, last, cursors, ...asked }: Asked & PageAsked = {}) => {
    const { criteria, limit, sortBy, sortOrder, sort, offset } = asked;
    check(offset === undefined, 310, "a page has no offset");
    const given = [after, before, last === true ? last : null].filter(isGiven);
    check(given.length < 2, 310, "a page has one position");
    const areFlags = [last, cursors].every((flag) => !isGiven(flag) || typeof flag === "boolean");
    check(areFlags, 310, "last and cursors are true or false");
    const whole = query({ ...asked, limit: undefined });
    const size = query({ ...asked, limit }).length;
    // A dot would separate it from the number.
    const own = encodeURIComponent(stringify([criteria, sortBy, sortOrder, sort])).replaceAll(
      ".",
      "%2E",
    );
    const isBackwards = last === true || isGiven(before);
    const cursor = before ?? after;
    const isCut = isGiven(cursor);
    check(!isCut || typeof cursor === "string", 310, "a cursor is a string");
    const [of = own, place = isBackwards ? whole.length + 1 : 0] =
      typeof cursor === "string" ? cursor.split(".") : [];
    const number = Number(place);
    check(of === own && number <= whole.length + 1, 310, "the cursor is one of the query");
    const from = isBackwards ? Math.max(0, number - 1 - size) : number;
    const to = isBackwards ? number - 1 : Math.min(whole.length, number + size);
    const records = whole.slice(from, to);
    const isThere = records.length > 0;
    // Whoever came by a cursor may go back, whether or not the records are still there.
    const hasPrevious = isBackwards ? from > 0 : isCut;
    const hasNext = isBackwards ? isCut : to < whole.length;
    return {
      records,
      previous: isThere && hasPrevious ? `${own}.${from + 1}` : null,
      next: isThere && hasNext ? `${own}.${to}` : null,
      ...(cursors === true && { cursors: records.map((_, i) => `${own}.${from + i + 1}`) }),
    };
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
  return Object.freeze({ schema, query, page: pageAt, count, ...aggregates });
}
