// The types of a database in a worker: those of the database, with promises.

import type { ChangesOf, UpsertInput } from "../collection/types.ts";
import type { CheckedCriteria } from "../criteria/criteria.ts";
import type { CheckedAsk, SharedAnswer } from "../database/ask.ts";
import type { DatabaseChange } from "../database/changes.ts";
import type { Collections, SchemaOf, SomeCollection } from "../database/collections.ts";
import type { PatchableDraft } from "../database/database.ts";
import type { Explaining } from "../database/explaining.ts";
import type { AsyncQuestions } from "../database/relations/async-questions.ts";
import type { JoinedSchema } from "../database/relations/joined-schema.ts";
import type { Patch } from "../engine/changes/patch.ts";
import type { ExplainOptions, QueryPlan } from "../engine/explain/explain.ts";
import type { CountQueryPlan } from "../engine/explain/explain-count.ts";
import type { GroupByPlan } from "../engine/explain/explain-group-by.ts";
import type { UniqueName } from "../schema/names.ts";
import type { InputOf } from "../schema/record-types.ts";
import type { Schema } from "../schema/schema.ts";
import type { RemoteLive } from "./remote-live.ts";
import type { WorkerError } from "./worker-error.ts";

/** The collections of a database. */
export type CollectionsIn<D> = {
  readonly [
    Name in keyof D as D[Name] extends SomeCollection ? Name & string : never
  ]: D[Name] extends SomeCollection ? D[Name] : never;
};

/** The platform's AbortSignal, if it has one. */
export type CallSignal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean };

/** The options of every call. */
export interface CallOptions {
  /**
   * Aborting it rejects the promise with its reason. A call that waits in the worker is not run; one that runs goes on,
   * so a change may have been made all the same.
   */
  readonly signal?: CallSignal | undefined;
  /**
   * How long the call may take, in milliseconds, its time in the queue included; then it rejects with a DeadlineError,
   * as if it was aborted. To end a query that runs, give the database of the worker `limits.milliseconds`.
   */
  readonly milliseconds?: number | undefined;
}

/** The options of changes. */
export interface ChangeOptions extends CallOptions {
  /** Whether to return the patches of the change, which are sent. Default: `true`. */
  readonly patches?: true | undefined;
}

/** The options of changes whose patches nobody needs, such as loading many records. */
export interface BulkOptions extends CallOptions {
  readonly patches: false;
}

/** A collection of the draft of {@link RemoteDatabase.update}, which records what is done to it. */
export interface RemoteCollection<S extends Schema> {
  /** As `insert` of a collection. */
  insert(records: Iterable<InputOf<S>> | readonly InputOf<S>[] | InputOf<S>): RemoteCollection<S>;
  /** As `update` of a collection, by an object of values: a function can't be sent. */
  update<const C>(
    criteria: CheckedCriteria<S, C>,
    changes: ChangesOf<InputOf<S>>,
  ): RemoteCollection<S>;
  /** As `upsert` of a collection. */
  upsert<Merge extends boolean = false>(
    records:
      | Iterable<UpsertInput<InputOf<S>, Merge>>
      | readonly UpsertInput<InputOf<S>, Merge>[]
      | UpsertInput<InputOf<S>, Merge>,
    field: UniqueName<S> | S["unique"][number],
    options?: { readonly merge?: Merge | undefined },
  ): RemoteCollection<S>;
  /** As `remove` of a collection. */
  remove<const C>(criteria: CheckedCriteria<S, C>): RemoteCollection<S>;
}

/** How a database in a worker runs a query, counts and groups. */
export interface RemotePlans {
  readonly query: Promise<QueryPlan>;
  readonly count: Promise<CountQueryPlan>;
  readonly groups: Promise<GroupByPlan>;
}

/** The draft that a recipe of {@link RemoteDatabase.update} changes. */
export type RemoteDraft<C extends Collections> = PatchableDraft & {
  -readonly [Name in keyof C]: RemoteCollection<SchemaOf<C[Name]>>;
};

/** A method that ends a connection at the end of a `using` block, if the compiler knows these. */
type Ending = typeof Symbol extends { readonly dispose: infer Dispose extends symbol }
  ? Readonly<Record<Dispose, () => void>>
  : object;

/** A database in a worker. */
export type RemoteDatabase<C extends Collections = Collections> = RemoteMethods<C> & Ending;

/** The methods of a database in a worker. Those of `Database` say more about each. */
export interface RemoteMethods<C extends Collections>
  extends
    AsyncQuestions<C, CallOptions>,
    Explaining<C, CallOptions & ExplainOptions, RemotePlans, [options?: CallOptions]> {
  /**
   * Changes the data atomically. The recipe runs here, and records what it does to its draft; the worker then does the
   * same. So a recipe can't read the draft, nor change records by a function. Once the promise resolves, the live
   * queries of this connection have their new results, and a store has the change on its disk. Cost: that of the change
   * in the worker, of sending the records and, unless `patches` is false, of returning the patches.
   *
   * @param recipe assigns changed collections to the draft: `draft.orders = draft.orders.insert(…)`
   * @throws as a rejection: whatever `update` of the database throws
   */
  update(
    recipe: (draft: RemoteDraft<C>) => unknown,
    options?: ChangeOptions,
  ): Promise<DatabaseChange>;
  update(recipe: (draft: RemoteDraft<C>) => unknown, options: BulkOptions): Promise<undefined>;

  /** Applies patches, all of them or none, for example to undo a change by its `inversePatches`. */
  applyPatches(patches: Iterable<Patch>, options?: ChangeOptions): Promise<DatabaseChange>;
  applyPatches(patches: Iterable<Patch>, options: BulkOptions): Promise<undefined>;

  /**
   * A live query as a store for user interfaces. After each change that alters its result, the worker sends what differs;
   * until this side has received that, it collects further changes. Equal queries share their result.
   *
   * @param ask a query, as for `watch` of a database
   */
  live<Name extends keyof C & string, const Ask>(
    name: Name,
    ask: CheckedAsk<JoinedSchema<C, Name>, Ask>,
  ): RemoteLive<SharedAnswer<JoinedSchema<C, Name>, Ask>>;

  /**
   * Calls a listener with the result of a query: first once it is there, then after each change that alters it.
   *
   * @param onError called with the error of the query, or of the connection. Default: that of the connection
   * @returns a function that ends the live query
   */
  watch<Name extends keyof C & string, const Ask>(
    name: Name,
    ask: CheckedAsk<JoinedSchema<C, Name>, Ask>,
    listener: (answer: SharedAnswer<JoinedSchema<C, Name>, Ask>) => unknown,
    onError?: (error: unknown) => unknown,
  ): () => void;

  /** Resolves with the reason once the connection has ended: it was closed, or the worker has ended or failed. */
  readonly closed: Promise<WorkerError>;

  /** Ends the connection: calls that wait reject. The worker goes on; terminate it if nothing else needs it. */
  close(): void;
}
