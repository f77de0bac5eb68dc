// What several laws draw: criteria for the records of a setting, in the shapes that laws combine.

import fc from "fast-check";
import { criteria } from "../arbitraries/criteria.ts";
import { query } from "../arbitraries/query.ts";
import { drawnFrom, type Asked, type Setting } from "./table.ts";

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

/** A field that criteria may name, and a value of it that some criterion compares with. */
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
  const names = Object.keys(drawnFrom(setting).schema.fields);
  return fc.constantFrom(...names.filter((name) => name !== ""));
}
