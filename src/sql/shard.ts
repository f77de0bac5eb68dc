// What a database says of itself: its place among the shards, how many there are, and the generation that
// every change raises. Each answer carries it from the snapshot that its rows are of, so that a part of an
// answer is never taken for the whole.

import { TercetError } from "../schema/errors.ts";
import {
  anything,
  integerFrom,
  oneOf,
  optional,
  positiveCount,
  readOptions,
  type ReadOption,
} from "../schema/options.ts";

/** Which part of the records a database has. */
export interface Shard {
  /** Its place among the shards, from 0 on: that of its driver in `run`. */
  readonly place: number;
  /** How many shards there are. */
  readonly count: number;
  /** What a shard has as a whole: each Contact by its position, or a Batch. Default `"contact"`. */
  readonly by?: ShardBy | undefined;
}

export type ShardBy = "contact" | "batch";

/** The answers to a statement do not belong together, or a shard is not where it was. */
export class ConsistencyError extends TercetError {
  override readonly name = "ConsistencyError";
  /** Whether a change that is being made explains it. The service has then asked several times. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** A shard that was read, and what belongs to it. */
export interface Part extends Omit<Shard, "by"> {
  /**
   * Whether it has a record, or a Batch itself.
   *
   * @param batch `undefined` for a File
   * @param position of a record; `undefined` for the Lists of the Batch
   */
  holds(batch: string | undefined, position: number | undefined): boolean;
}

const partOf = (place: number, count: number, by: ShardBy): Part => ({
  place,
  count,
  holds: (batch, position) => {
    const isWhole = batch !== undefined && by === "batch";
    const number = isWhole ? Number(batch) : (position ?? place);
    return ((number % count) + count) % count === place;
  },
});

/** Where there are no shards: all that there is. */
export const THE_ONLY = partOf(0, 1, "contact");

export const readBy: ReadOption<ShardBy> = optional(oneOf("contact", "batch"), "contact");

/** @throws InputError with the path of the first member that is not valid */
export const readShard: ReadOption<Part> = (input, path) => {
  const given = readOptions(input, path, { place: anything, count: positiveCount, by: readBy });
  const { count, by } = given;
  return partOf(integerFrom(0, count - 1)(given.place, `${path}.place`), count, by);
};

/** The columns of the table, in the order in which answers carry them. */
export const SHARD_COLUMNS = ["place", "shards", "generation"] as const;
