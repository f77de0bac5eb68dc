// What a collection is set to: its options, and those checked.

import { criteriaOptions, type CriteriaOptions } from "../criteria/parse.ts";
import { count, oneOf, optional, readOptions, type OptionsOf } from "../schema/options.ts";
import { IndexBudget } from "./indexes/index-budget.ts";
import type { IndexBuilding, IndexesOptions } from "./indexes/index-names.ts";

/** The options of every collection, however it is made. */
export interface CollectionOptions {
  /** How many criteria a query may have. Default 1,000. */
  readonly maxCriteria?: number;
  /** How many values an `in` may have. Default: any number. */
  readonly maxValues?: number;
  /**
   * `"auto"`: an index is built once the scans that it would have saved have cost as much as building it,
   * by the next query that uses it; by a query with a deadline, in the time that its answer leaves. `"deferred"`: `Collection.buildDue` then builds it, so that no query
   * takes the time. `"none"`: only what `Collection.prepare` names is built, and what updates need to
   * keep unique fields unique. Default `"auto"`.
   */
  readonly indexes?: IndexBuilding;
  /**
   * How many bytes automatically built indexes may take, together with the existing ones. Those used least
   * recently are dropped to make room for others. Default: any number.
   */
  readonly indexBytes?: number;
}

/** How loaded records are stored: as objects, or as columns of values. */
export type RecordStorage = "objects" | "columns";

/** The options of `createCollection`. */
export interface CreateOptions extends CollectionOptions {
  /**
   * How the given records are stored. `"objects"`: each is made and kept, so that queries return it at once.
   * `"columns"`: their values go into columns, which take a fraction of the memory, as in `loadCollection`; a record
   * is made when it is returned. For loads that are large beside the heap. Default `"objects"`.
   */
  readonly storage?: RecordStorage;
}

/** What a collection is set to. */
export interface CollectionSettings extends Required<CriteriaOptions>, IndexesOptions {
  /** How long a query may take, in a database that limits it. */
  readonly milliseconds?: number | undefined;
  /** How loaded records are stored. Default: `"objects"`. */
  readonly storage?: RecordStorage | undefined;
}

/** How the options are read that say when indexes are built. */
export const indexOptions = {
  indexes: optional(oneOf("auto", "deferred", "none")),
  indexBytes: optional(count),
};

const { maxCriteria, maxValues } = criteriaOptions;

/** How the options of a collection are read. */
export const collectionOptions = { maxCriteria, maxValues, ...indexOptions };

/** How the option is read that says how records are stored. */
export const storageOption = { storage: optional(oneOf("objects", "columns")) };

const createOptions = { ...collectionOptions, ...storageOption };

/** @throws InputError with the path of the first option that is not valid */
export function readCreateSettings(options: unknown): CollectionSettings {
  const { storage, ...others } = readOptions(options, "options", createOptions);
  return { ...settingsOf(others), storage };
}

/** @throws InputError with the path of the first option that is not valid */
export function readSettings(options: unknown): CollectionSettings {
  return settingsOf(readOptions(options, "options", collectionOptions));
}

/** What options that were read mean. */
export function settingsOf({
  maxCriteria,
  maxValues,
  ...indexes
}: OptionsOf<typeof collectionOptions>): CollectionSettings {
  return { maxCriteria, maxValues, unknownOperator: "error", ...indexSettings(indexes) };
}

export function indexSettings({
  indexes = "auto",
  indexBytes,
}: OptionsOf<typeof indexOptions>): IndexesOptions {
  return { indexes, budget: indexBytes === undefined ? undefined : new IndexBudget(indexBytes) };
}
