// crossfilter2: one dimension for each field that is matched, one for each order, all kept. A page is
// read from the dimension of its order by `top` or `bottom` with an offset. Filters are state: a call
// clears those of the previous query, and its own if the value is the same, since otherwise the second
// call of a query would find its work done. A lookup with another value moves the filter, which is its
// strength.

import type { Dimension } from "crossfilter2";
import type { FlatContact } from "../contacts.ts";
import { USES } from "./uses.ts";
import type { Peer } from "./peer.ts";
import { descendingKey } from "./typed.ts";
import { valueOf } from "../value-of.ts";

export async function createCrossfilter(): Promise<Peer> {
  const { default: crossfilter } = await import("crossfilter2");
  let contacts: readonly FlatContact[] = [];
  const values = new Map<string, Dimension<FlatContact>>();
  const descending = new Map<string, Dimension<FlatContact>>();
  let inserted: Dimension<FlatContact> | undefined;
  /** The filtered dimensions, and which call has filtered each. */
  const filtered = new Map<Dimension<FlatContact>, string>();

  const filter = (dimension: Dimension<FlatContact>, operator: string, value: string) => {
    const state = `${operator} ${value}`;
    if (filtered.get(dimension) === state) dimension.filterAll();
    if (operator === "exactly") dimension.filterExact(value);
    else dimension.filterFunction((text) => text.includes(value));
    filtered.set(dimension, state);
  };

  return {
    load: (given) => void (contacts = given),

    prepare() {
      const all = crossfilter(contacts);
      const { unique, match, contains, sortStrings, sortInts } = USES;
      for (const field of new Set([...unique, ...match, ...contains, ...sortStrings])) {
        // Dimensions need naturally ordered values; null is not one.
        const value = (contact: FlatContact) => valueOf(contact, field) ?? "";
        values.set(field, all.dimension(value));
      }
      for (const field of sortInts) {
        const key = (contact: FlatContact, row: number) =>
          descendingKey(Number(valueOf(contact, field)), row);
        descending.set(field, all.dimension(key));
      }
      inserted = all.dimension((_, row) => row);
    },

    compile({ criteria, sort, limit }) {
      const tests = criteria.map(({ field, operator }) => ({
        dimension: values.get(field),
        operator,
      }));
      const used = new Set(tests.map(({ dimension }) => dimension));
      const keys = sort === undefined ? inserted : descending.get(sort.field);
      // Reading few rows is faster from the dimension that selects them.
      const isLookup = criteria.length === 1 && criteria[0]?.field === USES.unique[0];
      const isExact = criteria[0]?.operator === "exactly";
      const order =
        isLookup && isExact && sort === undefined
          ? tests[0]?.dimension
          : (keys ?? values.get(sort?.field ?? ""));
      if (order === undefined) return { cannot: "no dimension has this order" };
      return ({ values: given, offset }) => {
        for (const dimension of filtered.keys()) {
          if (used.has(dimension)) continue;
          dimension.filterAll();
          filtered.delete(dimension);
        }
        for (const [i, { dimension, operator }] of tests.entries()) {
          if (dimension !== undefined) filter(dimension, operator, given[i] ?? "");
        }
        return sort?.order === "DESC" ? order.top(limit, offset) : order.bottom(limit, offset);
      };
    },
  };
}
