// Generators that several laws share: criteria for the records of a setting.

import * as fc from "fast-check";
import { criteria, flatCriteria } from "../arbitraries/criteria.ts";
import { query, sortableNames } from "../arbitraries/query.ts";
import type { ServiceData } from "../arbitraries/request.ts";
import type { Field, TextValue } from "../../index.ts";
import type { Circumstances } from "./law.ts";
import { poolOf, ofService, type Setting } from "./setting.ts";
import type { QueryParameters, Table } from "./table.ts";

/** The data that requests are generated from. */
export const requestDataOf = (
  setting: Setting,
  { apiKey, operations }: Circumstances,
): ServiceData => ({
  ...ofService(setting).data,
  apiKey,
  operations,
});

/** Between one and `maxLength` items. */
export const several = <Value>(each: fc.Arbitrary<Value>, maxLength = 4): fc.Arbitrary<Value[]> =>
  fc.array(each, { minLength: 1, maxLength, size: "max" });

export type AnyCriterion = readonly unknown[];

/** Valid criteria, with "OR" between some; for custom schemas also with groups and "NOT". */
export function anyCriteria(setting: Setting): fc.Arbitrary<readonly unknown[]> {
  const { schema, records } = poolOf(setting);
  return criteria(schema, { records });
}

/** Criteria that must all hold: at least one, without "OR", "NOT" and groups. */
export function group(setting: Setting): fc.Arbitrary<readonly AnyCriterion[]> {
  const { schema, records } = poolOf(setting);
  return flatCriteria(schema, { records })
    .map((list) => {
      const end = list.indexOf("OR");
      return list.slice(0, end === -1 ? undefined : end).filter((each) => each !== "OR");
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
        typeof list[0] === "string" &&
        isSingle(fieldIn(setting, list[0])) &&
        (typeof list[2] === "string" || typeof list[2] === "number"),
    )
    .map(([field, , value]) => ({ field, value }));
}

/** Whether a field has a single value, which most operators compare. */
export const isSingle = ({ type }: Field): boolean => type !== "strings";

function fieldIn(setting: Setting, name: string): Field {
  const field = poolOf(setting).schema.fields[name];
  if (field === undefined) throw new Error(`there is no field ${name}`);
  return field;
}

export function anyQuery(setting: Setting): fc.Arbitrary<QueryParameters> {
  const { schema, records } = poolOf(setting);
  return query(schema, { records });
}

/** A field to sort by, searchable or not. A field without a name would count as omitted (P5). */
export function anySortBy(setting: Setting): fc.Arbitrary<string> {
  const names = sortableNames(poolOf(setting).schema);
  return fc.constantFrom(...names.filter((name) => name !== ""));
}

/** A searchable field of that kind, or any field with single values if there is none. */
export function searchableField(
  setting: Setting,
  is: (field: Field) => boolean,
): fc.Arbitrary<string> {
  const fitting = searchableNames(setting, is);
  return fc.constantFrom(...(fitting.length > 0 ? fitting : searchableNames(setting, isSingle)));
}

/** A searchable field that may be `null`; usually one that is null in some record. */
export function nullableField(setting: Setting): fc.Arbitrary<string> {
  const isNullable = (field: Field) => field.nullable && isSingle(field);
  const any = searchableField(setting, isNullable);
  const names = searchableNames(setting, isNullable);
  const { records } = poolOf(setting);
  const withNulls = names.filter((name) =>
    records.some((record) => (record[name] ?? null) === null),
  );
  if (withNulls.length === 0) return any;
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...withNulls) },
    { weight: 1, arbitrary: any },
  );
}

function searchableNames(setting: Setting, is: (field: Field) => boolean): string[] {
  return Object.entries(poolOf(setting).schema.fields)
    .filter(([, field]) => field.searchable && is(field))
    .map(([name]) => name);
}

/** The value of a record by number, modulo the number of records. */
export function pickedValue(table: Table, field: string, pick: number): TextValue {
  const picked = table.all[pick % table.all.length];
  return picked === undefined ? null : (table.valuesOf(picked)[field] ?? null);
}
