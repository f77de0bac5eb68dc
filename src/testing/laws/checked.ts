// The types of subjects: a service with some methods, or a function that makes one; or a function that makes
// collections, or databases.

import type { FileInput, InputOf, Schema, ServiceDraft } from "../../index.ts";
import type { ArrayBatch } from "../arbitraries/batch.ts";
import type { Operation } from "../operations.ts";
import type { RecordsByName, Schemas } from "../reference-database.ts";

/** The operations as plain calls. */
type CheckedOperations = Readonly<Partial<Record<Operation, (...parameters: never[]) => unknown>>>;

/**
 * A service to check, with at least one of these methods. Operations that it does not have are called by requests. The
 * methods return results or promises of them; the type is `unknown`, since the laws check results.
 */
export interface CheckedService extends CheckedOperations {
  readonly dispatch?: (request: never) => unknown;
  readonly dispatchJson?: (text: string) => unknown;
  update?(recipe: (draft: ServiceDraft) => unknown): unknown;
  /** Called when a law is done with a service that was made for it. */
  close?(): unknown;
  /** The laws call its `count`, `countBy`, `histogram`, `summary` and `groupBy`. */
  readonly files?: unknown;
  /** By id. The laws call the same methods of each Batch's `contacts`. */
  readonly batches?: unknown;
}

/** The data of a service: arrays, which it may read but not change. */
export interface CheckedData {
  readonly files: FileInput[];
  readonly batches: ArrayBatch[];
}

/** A service, or a function that makes one from data, which lets laws make their own data. */
export type Checked =
  | CheckedService
  | ((data: CheckedData) => CheckedService | PromiseLike<CheckedService>);

/** A collection to check. Its methods return results or promises of them, like those of a service. */
export interface CheckedCollection {
  readonly query: (...parameters: never[]) => unknown;
  readonly page?: (...parameters: never[]) => unknown;
  readonly count?: (...parameters: never[]) => unknown;
  readonly countBy?: (...parameters: never[]) => unknown;
  readonly histogram?: (...parameters: never[]) => unknown;
  readonly summary?: (...parameters: never[]) => unknown;
  readonly groupBy?: (...parameters: never[]) => unknown;
  /** Called when a law is done with it. */
  close?(): unknown;
}

/** Makes a collection of records, which it may read but not change. */
export type MakeCollection<S extends Schema = Schema> = (
  schema: S,
  records: InputOf<S>[],
) => CheckedCollection | PromiseLike<CheckedCollection>;

/**
 * A database to check. The first parameter of each method that answers a question is the name of a collection; the others
 * are those of the collection. Methods return results or promises of them.
 */
export interface CheckedDatabase {
  readonly query: (...parameters: never[]) => unknown;
  readonly page?: (...parameters: never[]) => unknown;
  readonly count?: (...parameters: never[]) => unknown;
  readonly groupBy?: (...parameters: never[]) => unknown;
  /**
   * Takes a function that is given an object of the collections, by name, and assigns changed ones to it, made by their
   * `insert`, `update` and `remove`, like `update` of tercet's database; or throws and changes nothing.
   */
  update?(...parameters: never[]): unknown;
  /** Called when a law is done with it. */
  close?(): unknown;
}

/**
 * Makes a database of schemas and records by the names of their collections. It may read the records but not change them,
 * and throws if a reference names none of them.
 */
export type MakeDatabase = (
  schemas: Schemas,
  records: RecordsByName,
) => CheckedDatabase | PromiseLike<CheckedDatabase>;

/** A service, a collection or a database to check. */
export type CheckedSubject = Omit<CheckedService, "update"> &
  Partial<CheckedCollection> &
  Pick<CheckedDatabase, "update">;

/** A function that returns records: an operation of a service, or the query of a collection. */
export type AnyOperation = Operation | "query";
