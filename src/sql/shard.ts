// What a database says about itself: its place among the shards, how many there are, and its
// generation, which every change increments. Each answer carries it, read in the same snapshot as the
// rows, so that a partial answer is never mistaken for a complete one.

import { InputError, TercetError, type TercetErrorCode } from "../schema/errors.ts";
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
  /** Its place among the shards, from 0 on. In PostgreSQL, a server may have several shards: the places of them all. */
  readonly place: number | readonly number[];
  /** How many shards there are. */
  readonly count: number;
  /** Which of them has a record. Default `"contact"`. */
  readonly by?: ShardBy | undefined;
}

/**
 * Which shard has a record: each Contact by its position; by a hash of its Batch and position; or a Batch as a whole,
 * by its id. Files are spread by their positions.
 */
export type ShardBy = "contact" | "hash" | "batch";

/** The numbers of {@link hashOf}: two primes, by which each is the remainder, and two factors. */
export const HASH = {
  primes: [67_108_859, 67_108_837],
  factors: [41_475_583, 27_797_389],
} as const;

/**
 * A number that spreads the Contacts of many small Batches as evenly as those of a large one, whichever positions are
 * in use. SQL computes it as well: no step exceeds 2^53. By one modulus alone, each Batch would have the sequence of
 * every other one, shifted.
 */
function hashOf(batch: number, position: number): number {
  const { primes, factors } = HASH;
  const mixed = ((batch % primes[0]) * factors[0] + (position % primes[0])) % primes[0];
  return Math.abs((mixed * factors[1]) % primes[1]);
}

/** The answers to a statement do not belong together, or a shard is not where it was. */
export class ConsistencyError extends TercetError {
  protected static override readonly code = "conflict";
  override readonly name = "ConsistencyError";
  declare readonly code: TercetErrorCode;
  /** Whether a change that is being made explains it. The service has then asked several times. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient: boolean) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** A shard that was read, and what belongs to it. */
export interface Part {
  /** Its place; `undefined` where it may be several. */
  readonly place: number | undefined;
  /** Those of a server that may have several; `undefined` where the server knows them. */
  readonly places: readonly number[] | undefined;
  readonly count: number;
  readonly by: ShardBy;
  /**
   * Whether it has a record, or a Batch itself.
   *
   * @param batch `undefined` for a File
   * @param position of a record; `undefined` for the Lists of the Batch
   */
  holds(batch: string | undefined, position: number | undefined): boolean;
}

function partOf(given: Shard["place"] | undefined, count: number, by: ShardBy): Part {
  const place = typeof given === "number" ? given : undefined;
  const places = typeof given === "object" ? given : undefined;
  const held = given === undefined ? undefined : new Set(places ?? [given]);
  return {
    ...{ place, places, count, by },
    holds: (batch, position) => {
      if (held === undefined) return true;
      let number = position;
      if (batch !== undefined) {
        if (by === "batch") number = Number(batch);
        else if (by === "hash" && position !== undefined) number = hashOf(Number(batch), position);
        // A server of several shards has the Lists of all Batches.
        if (position === undefined && place === undefined) return true;
      }
      return number === undefined || held.has(((number % count) + count) % count);
    },
  };
}

/** Where there are no shards: all that there is. */
export const THE_ONLY = partOf(0, 1, "contact");

export const readBy: ReadOption<ShardBy> = optional(oneOf("contact", "hash", "batch"), "contact");

const shardOptions = { place: anything, count: positiveCount, by: readBy };

/** @throws InputError with the path of the first member that is not valid */
export const readShard: ReadOption<Part> = (input, path) => {
  const { place: given, count, by } = readOptions(input, path, shardOptions);
  const read = (place: unknown, at: string) => integerFrom(0, count - 1)(place, at);
  if (!Array.isArray(given)) return partOf(read(given, `${path}.place`), count, by);
  const places = given.map((place, i) => read(place, `${path}.place[${i}]`));
  if (new Set(places).size < places.length) {
    throw new InputError(`${path}.place`, "has a place twice");
  }
  return partOf(places, count, by);
};

/** The same, or without a place: the shards that the server has, as its own table tells. */
export const readShards: ReadOption<Part> = (input, path) => {
  const { place, count, by } = readOptions(input, path, shardOptions);
  return place === undefined ? partOf(undefined, count, by) : readShard(input, path);
};

/** The columns of the table, in the order in which answers carry them. */
export const SHARD_COLUMNS = ["place", "shards", "generation"] as const;

/** One more, which no answer carries: the version of the tables of the database. */
export const VERSION_COLUMN = "version";
