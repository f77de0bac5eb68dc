// What a collection is set to: its options, and those checked.

import { readCriteriaOptions, type CriteriaOptions } from "../criteria/parse.ts";
import { alternatives, describe, InputError } from "../schema/errors.ts";
import { isCount, readMembers } from "../schema/input.ts";
import { IndexBudget } from "./index/index-budget.ts";
import type { IndexBuilding, IndexesOptions } from "./index/indexes.ts";

export interface CollectionOptions {
  /** How many criteria a query may have. Default 1,000. */
  readonly maxCriteria?: number;
  /** How many values an `in` may have. Default: as many as are given. */
  readonly maxValues?: number;
  /**
   * `"auto"`: an index is built once the scans that it would have saved have cost as much as it
   * costs to build, by the query that is next to use it. `"deferred"`: it is then built by
   * `Collection.buildDue`, so that no query takes the time. `"none"`: only what
   * `Collection.prepare` names is built, and what holds unique fields unique in updates.
   * Default `"auto"`.
   */
  readonly indexes?: IndexBuilding;
  /**
   * How many bytes the indexes may take that nobody named, together with the others that there are.
   * One that would take more is not kept. Default: any number.
   */
  readonly indexBytes?: number;
}

/** What a collection is set to. */
export interface CollectionSettings extends Required<CriteriaOptions>, IndexesOptions {}

/** @throws InputError */
export function readOptions(options: unknown): CollectionSettings {
  const { indexes, indexBytes, ...criteria } = readMembers(options, "options", [
    "maxCriteria",
    "maxValues",
    "indexes",
    "indexBytes",
  ]);
  return { ...readCriteriaOptions(criteria), ...readIndexOptions(indexes, indexBytes) };
}

/** The options that say when indexes are built, checked. */
export function readIndexOptions(
  indexes: unknown = "auto",
  indexBytes: unknown,
): Pick<CollectionSettings, "indexes" | "budget"> {
  if (indexes !== "auto" && indexes !== "deferred" && indexes !== "none") {
    throw new InputError(
      "options.indexes",
      `must be ${alternatives(["auto", "deferred", "none"])}, not ${describe(indexes)}`,
    );
  }
  if (indexBytes === undefined) return { indexes };
  if (!isCount(indexBytes)) {
    throw new InputError(
      "options.indexBytes",
      `must be a non-negative integer, not ${describe(indexBytes)}`,
    );
  }
  return { indexes, budget: new IndexBudget(indexBytes) };
}
