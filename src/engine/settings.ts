// The options of a collection, and the settings read from them.

import { criteriaOptions, type CriteriaSettings } from "../criteria/parse.ts";
import { count, oneOf, optional, readOptions, type OptionsOf } from "../schema/options.ts";
import { observerOf, observerOptions, type Observer, type QueryReportOptions } from "./observer.ts";
import { writeError } from "./on-error.ts";
import { planning } from "./execution/planning.ts";
import { IndexBudget } from "./indexes/index-budget.ts";
import type { IndexBuilding } from "./indexes/index-names.ts";
import type { SegmentOptions } from "./versions/segment.ts";

/** The options of every collection. */
export interface CollectionOptions extends QueryReportOptions {
  /** How many criteria a query may have. Default 1,000. */
  readonly maxCriteria?: number | undefined;
  /** How many values an `in` may have. Default: any number. */
  readonly maxValues?: number | undefined;
  /**
   * `"auto"`: an index is built once the scans that it would have saved have cost as much as building it, by the next
   * query that uses it; a query with a deadline builds it in its remaining time. `"deferred"`: `Collection.buildDue`
   * builds it instead, so that no query spends time on it. `"none"`: the only indexes are those that
   * `Collection.prepare` names, and those that updates need to keep fields unique. Default `"auto"`.
   */
  readonly indexes?: IndexBuilding | undefined;
  /**
   * The maximum bytes of automatically built indexes, including the existing ones. The least recently used are dropped
   * to make room for others. Default: no maximum.
   */
  readonly indexBytes?: number | undefined;
}

/** How loaded records are stored: as objects, or as columns of values. */
export type RecordStorage = "objects" | "columns";

/** The options of `createCollection`. */
export interface CreateOptions extends CollectionOptions {
  /**
   * How the given records are stored. `"objects"`: each record is made and kept, so that queries return it immediately.
   * `"columns"`: their values go into columns, which take a fraction of the memory, as in `loadCollection`; a record is
   * made when it is returned. For data that is large compared with the heap. Default `"objects"`.
   */
  readonly storage?: RecordStorage | undefined;
}

/** The settings of a collection. */
export interface CollectionSettings extends CriteriaSettings, SegmentOptions {
  /** The name of the collection in its database. */
  readonly name?: string | undefined;
  /** To whom queries are reported. */
  readonly observer?: Observer | undefined;
  /** How long a query may take, in a database that limits it. */
  readonly milliseconds?: number | undefined;
  /** How loaded records are stored. Default: `"objects"`. */
  readonly storage?: RecordStorage | undefined;
}

/** How the options for index building are read. */
export const indexOptions = {
  indexes: optional(oneOf("auto", "deferred", "none")),
  indexBytes: optional(count),
};

const { maxCriteria, maxValues } = criteriaOptions;

/** How the options of a collection are read. */
export const collectionOptions = {
  maxCriteria,
  maxValues,
  ...indexOptions,
  ...observerOptions,
};

/** How the `storage` option is read. */
export const storageOption = { storage: optional(oneOf("objects", "columns")) };

const createOptions = { ...collectionOptions, ...storageOption };

/** @throws InputError with the path of the first option that is not valid */
export function readCreateSettings(options: unknown): CollectionSettings {
  if (options === undefined) return DEFAULTS;
  const { storage, ...others } = readOptions(options, "options", createOptions);
  return { ...settingsOf(others), storage };
}

/** Read once: that takes as long as making a collection of a few records. */
const DEFAULTS = readCreateSettings({});

/** @throws InputError with the path of the first option that is not valid */
export function readSettings(options: unknown): CollectionSettings {
  return settingsOf(readOptions(options, "options", collectionOptions));
}

/** Converts options to settings. */
export function settingsOf({
  maxCriteria,
  maxValues,
  onQuery,
  slowerThan,
  ...indexes
}: OptionsOf<typeof collectionOptions>): CollectionSettings {
  const observer = observerOf({ onQuery, slowerThan }, writeError);
  return { maxCriteria, maxValues, observer, unknownOperator: "error", ...indexSettings(indexes) };
}

export function indexSettings({
  indexes = "auto",
  indexBytes,
}: OptionsOf<typeof indexOptions>): SegmentOptions {
  const budget = indexBytes === undefined ? undefined : new IndexBudget(indexBytes);
  return { finder: planning, indexes, budget };
}
