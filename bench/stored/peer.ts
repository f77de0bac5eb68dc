// What keeps a table on disk, and answers from there.

import type { StoredTable } from "./tables.ts";

type Awaitable<T> = T | Promise<T>;

/** A peer, with its best idiom and its indexes. */
export interface StoredPeer {
  /** Loads the package, so that opening a table takes no more than that. */
  readonly load?: () => Promise<unknown>;
  /**
   * Imports a CSV file into a new folder, with the indexes that the questions need.
   *
   * @returns what it took, if it ran in a process of its own
   */
  readonly import: (
    csv: string,
    table: StoredTable,
    folder: string,
  ) => Awaitable<ImportCost | undefined>;
  /** @param isDeferred whether a call leaves the building of indexes to {@link OpenTable.slice} */
  readonly open: (table: StoredTable, folder: string, isDeferred: boolean) => Awaitable<OpenTable>;
}

/** What an import in a process of its own took: seconds of processor time, and the most memory in bytes. */
export interface ImportCost {
  readonly cpu: number;
  readonly peak: number;
}

/** A table that is open. */
export interface OpenTable {
  /** The rows with this key, whole. */
  readonly lookup: (key: string) => Awaitable<readonly unknown[]>;
  /** So many rows with a value from an offset on, whole, the largest first. */
  readonly page: (value: string, offset: number) => Awaitable<readonly unknown[]>;
  /** How many rows have six characters in their text. */
  readonly contains: (text: string) => Awaitable<number>;
  /** How many rows have both values. */
  readonly count: (one: string, other: string) => Awaitable<number>;
  /** Changes the row with this key, durably. */
  readonly change: (key: string, value: number) => Awaitable<void>;
  /** Moves the changes into the data. */
  readonly checkpoint: () => Awaitable<void>;
  /** What is left to do in the background, a slice at a time. @returns whether there is more */
  readonly slice?: () => boolean;
  readonly close: () => Awaitable<void>;
}

/** How many rows a page has. */
export const PAGE = 50;

/** A key as the field's type has it. */
export const keyOf = ({ fields, key }: StoredTable, text: string): string | number =>
  fields.get(key) === "int" ? Number(text) : text;
