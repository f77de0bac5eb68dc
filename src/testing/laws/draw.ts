// What several laws draw: criteria for the records of a setting, in the shapes that laws combine.

import * as fc from "fast-check";
import { criteria } from "../arbitraries/criteria.ts";
import { query, sortableNames } from "../arbitraries/query.ts";
import type { ServiceData } from "../arbitraries/request.ts";
import type { Field, WireValue } from "../../index.ts";
import type { Circumstances } from "./law.ts";
import { drawnFrom, ofService, type Setting } from "./setting.ts";
import type { Asked, Table } from "./table.ts";

/** The data that requests are drawn from. */
export const askedOf = (setting: Setting, { apiKey, operations }: Circumstances): ServiceData => ({
  ...ofService(setting).data,
  apiKey,
  operations,
});

/** At least one, up to that many. */
export const several = <Value>(each: fc.Arbitrary<Value>, maxLength = 4): fc.Arbitrary<Value[]> =>
  fc.array(each, { minLength: 1, maxLength, size: "max" });

export type AnyCriterion = readonly unknown[];

/** Criteria that are valid, with "OR" between some. */
export function anyCriteria(setting: Setting): fc.Arbitrary<readonly unknown[]> {
  const { schema, records } = drawnFrom(setting);
  return criteria(schema, { records });
}

/** Criteria that must all hold: at least one, without "OR". */
export function group(setting: Setting): fc.Arbitrary<readonly AnyCriterion[]> {
  return anyCriteria(setting)
    .map((list) => {
      const end = list.indexOf("OR");
      return list.slice(0, end === -1 ? undefined : end).filter(Array.isArray);
    })
    .filter((list) => list.length > 0);
}

export function criterion(setting: Setting): fc.Arbitrary<AnyCriterion> {
  return group(setting).map(([first = []]) => first);
}

/** A field that criteria may name, and a value to compare it with. */
export function fieldAndValue(
  setting: Setting,
): fc.Arbitrary<{ readonly field: string; readonly value: string | number }> {
  return criterion(setting)
    .filter(
      (list): list is [string, string, string | number] =>
        typeof list[0] === "string" && (typeof list[2] === "string" || typeof list[2] === "number"),
    )
    .map(([field, , value]) => ({ field, value }));
}

export function anyQuery(setting: Setting): fc.Arbitrary<Asked> {
  const { schema, records } = drawnFrom(setting);
  return query(schema, { records });
}

/** A field to sort by, searchable or not; one without a name would count as omitted (P5). */
export function anySortBy(setting: Setting): fc.Arbitrary<string> {
  const names = sortableNames(drawnFrom(setting).schema);
  return fc.constantFrom(...names.filter((name) => name !== ""));
}

/** A searchable field of that kind, or any if there is none. */
export function searchableField(
  setting: Setting,
  is: (field: Field) => boolean,
): fc.Arbitrary<string> {
  const names = searchableNames(setting);
  const fitting = searchableNames(setting, is);
  return fc.constantFrom(...(fitting.length > 0 ? fitting : names));
}

/** A searchable field that may be `null`; mostly one that is in some record. */
export function nullableField(setting: Setting): fc.Arbitrary<string> {
  const any = searchableField(setting, ({ nullable }) => nullable);
  const names = searchableNames(setting, ({ nullable }) => nullable);
  const { records } = drawnFrom(setting);
  const withNulls = names.filter((name) =>
    records.some((record) => (record[name] ?? null) === null),
  );
  if (withNulls.length === 0) return any;
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...withNulls) },
    { weight: 1, arbitrary: any },
  );
}

function searchableNames(setting: Setting, is: (field: Field) => boolean = () => true): string[] {
  return Object.entries(drawnFrom(setting).schema.fields)
    .filter(([, field]) => field.searchable && is(field))
    .map(([name]) => name);
}

/** The value of the record with a number, modulo the number of records. */
export function pickedValue(table: Table, field: string, pick: number): WireValue {
  const picked = table.all[pick % table.all.length];
  return picked === undefined ? null : (table.valuesOf(picked)[field] ?? null);
}
