// The names that a query uses where fields are named.

import { DEEPEST } from "../../criteria/parse.ts";
import { isMembers } from "../../schema/input.ts";

/**
 * Names that may be fields, in a query that was copied: those of its criteria, sorts, selection, keys, measures, and of
 * the field that is counted. Whatever is not valid is left to the collection.
 */
export function namedFields(query: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (name: unknown) => void (typeof name === "string" && names.add(name));
  const addEach = (list: unknown, nameOf = (each: unknown) => each) => {
    if (Array.isArray(list)) for (const each of list) add(nameOf(each));
  };
  if (!isMembers(query)) return names;
  const { criteria, count, page, sortBy, sort, select, by, groupBy, measures, summarize } = query;
  if (page !== undefined) return namedFields(page);
  addCriteria(criteria ?? count, add, DEEPEST + 1, new Set());
  add(sortBy);
  add(summarize);
  for (const name of ["countBy", "histogram", "summary"]) add(query[name]);
  addEach(sort, first);
  addEach(select);
  for (const keys of [by, groupBy]) addEach(Array.isArray(keys) ? keys : [keys], keyField);
  addEach(summarize);
  if (isMembers(measures)) addEach(Object.values(measures), second);
  return names;
}

/** The same query, copied before, with other criteria. */
export function mapCriteria(
  query: unknown,
  map: (list: readonly unknown[]) => readonly unknown[],
): unknown {
  if (!isMembers(query)) return query;
  const changed = Object.entries(query).map(([name, value]): [string, unknown] => {
    const isList = (name === "criteria" || name === "count") && Array.isArray(value);
    if (isList) return [name, map(value)];
    return [name, name === "page" ? mapCriteria(value, map) : value];
  });
  return Object.fromEntries(changed);
}

const first = (pair: unknown): unknown => (Array.isArray(pair) ? pair[0] : undefined);
const second = (measure: unknown): unknown => (Array.isArray(measure) ? measure[1] : undefined);
const keyField = (key: unknown): unknown => (isMembers(key) ? key.field : key);

/**
 * @param depth how deep groups may be nested: the copy of a query goes no deeper either
 * @param seen the lists so far: one may be in several others, or in itself
 */
function addCriteria(
  list: unknown,
  add: (name: unknown) => void,
  depth: number,
  seen: Set<unknown>,
): void {
  if (!Array.isArray(list) || depth === 0 || seen.has(list)) return;
  seen.add(list);
  for (const each of list) {
    if (!Array.isArray(each)) continue;
    if (typeof each[0] === "string" && each[0] !== "NOT") add(each[0]);
    else addCriteria(each, add, depth - 1, seen);
  }
}
