// What may be checked: a service with some methods, or a function that makes one; a function that makes
// collections.

import type { FileInput, InputOf, Schema, ServiceDraft } from "../../index.ts";
import type { ArrayBatch } from "../arbitraries/batch.ts";
import type { Operation } from "../operations.ts";

/** The operations as plain calls. */
type CheckedOperations = Readonly<Partial<Record<Operation, (...parameters: never[]) => unknown>>>;

/**
 * A service to check, with at least one of these methods. An operation that it lacks is asked by a request.
 * The methods return `unknown`, since the laws say what they must return.
 */
export interface CheckedService extends CheckedOperations {
  readonly dispatch?: (request: never) => unknown;
  readonly dispatchJson?: (text: string) => unknown;
  update?(recipe: (draft: ServiceDraft) => unknown): unknown;
  /** Called once a law has no more questions for a service that was made for it. */
  close?(): unknown;
  /** The laws ask its `countBy`, `histogram` and `count`. */
  readonly files?: unknown;
  /** By id; the laws ask the same of the `contacts` of each. */
  readonly batches?: unknown;
}

/** The data of a service: arrays, which it may read but not change. */
export interface CheckedData {
  readonly files: FileInput[];
  readonly batches: ArrayBatch[];
}

/** A service, or a function that makes one from data, which lets laws make their own data. */
export type Checked = CheckedService | ((data: CheckedData) => CheckedService);

/** A service that may answer with promises, or a function that makes one, which may return a promise too. */
export type CheckedAsync =
  | CheckedService
  | ((data: CheckedData) => CheckedService | Promise<CheckedService>);

/** A collection to check. Its methods return `unknown`, since the laws say what they must return. */
export interface CheckedCollection {
  readonly query: (...parameters: never[]) => unknown;
  readonly count?: (...parameters: never[]) => unknown;
  readonly countBy?: (...parameters: never[]) => unknown;
  readonly histogram?: (...parameters: never[]) => unknown;
  /** Called once a law has no more questions for it. */
  close?(): unknown;
}

/** Makes a collection of records, which it may read but not change. */
export type MakeCollection<S extends Schema = Schema> = (
  schema: S,
  records: InputOf<S>[],
) => CheckedCollection;

/** Makes a collection that may answer with promises; it may return a promise too. */
export type MakeCollectionAsync<S extends Schema = Schema> = (
  schema: S,
  records: InputOf<S>[],
) => CheckedCollection | Promise<CheckedCollection>;

/** A service or a collection to check. */
export type CheckedSubject = CheckedService & Partial<CheckedCollection>;

/** What returns records: an operation of a service, or the query of a collection. */
export type AnyOperation = Operation | "query";
