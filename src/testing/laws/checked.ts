// What may be checked: a service with some methods, or a function that makes one; a function that makes
// collections.

import type { FileInput, InputOf, Schema, ServiceDraft } from "../../index.ts";
import type { ArrayBatch } from "../arbitraries/batch.ts";

/**
 * A service to be checked, with at least one of its methods. An operation that it lacks is asked by a
 * request. What the methods return is `unknown`, as it is the laws that say what it must be.
 */
export interface CheckedService {
  readonly searchFiles?: (...parameters: never[]) => unknown;
  readonly getBatchContacts?: (...parameters: never[]) => unknown;
  readonly dispatch?: (request: never) => unknown;
  readonly dispatchJson?: (text: string) => unknown;
  update?(recipe: (draft: ServiceDraft) => unknown): unknown;
  /** Called once a law has no more questions to a service that was made for it. */
  close?(): unknown;
  /** Of which `countBy`, `histogram` and `count` are asked. */
  readonly files?: unknown;
  /** By id; of the `contacts` of each the same is asked. */
  readonly batches?: unknown;
}

/** What a service is made of; arrays, which it may read but not change. */
export interface CheckedData {
  readonly files: FileInput[];
  readonly batches: ArrayBatch[];
}

/** A service, or how one is made of given data: with this, laws make data of their own. */
export type Checked = CheckedService | ((data: CheckedData) => CheckedService);

/** A service that may answer by promises, or how one is made, which may be by a promise too. */
export type CheckedAsync =
  CheckedService | ((data: CheckedData) => CheckedService | Promise<CheckedService>);

export type Operation = "searchFiles" | "getBatchContacts";

export const OPERATIONS: readonly Operation[] = ["searchFiles", "getBatchContacts"];

/** A collection to be checked. What its methods return is `unknown`: the laws say what it must be. */
export interface CheckedCollection {
  readonly query: (...parameters: never[]) => unknown;
  readonly count?: (...parameters: never[]) => unknown;
  readonly countBy?: (...parameters: never[]) => unknown;
  readonly histogram?: (...parameters: never[]) => unknown;
  /** Called once a law has no more questions to it. */
  close?(): unknown;
}

/** How a collection is made of records, which it may read but not change. */
export type MakeCollection<S extends Schema = Schema> = (
  schema: S,
  records: InputOf<S>[],
) => CheckedCollection;

/** How one is made that may answer by promises; this may be by a promise too. */
export type MakeCollectionAsync<S extends Schema = Schema> = (
  schema: S,
  records: InputOf<S>[],
) => CheckedCollection | Promise<CheckedCollection>;

/** Whatever is checked. */
export type CheckedSubject = CheckedService & Partial<CheckedCollection>;

/** Whatever is asked for records: an operation of a service, or the query of a collection. */
export type AnyOperation = Operation | "query";
