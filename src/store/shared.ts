// A store that all tabs of an application have open. The worker of one tab writes: it holds a lock of the browser and the
// private files. The others have a copy of the files in memory, which follows what the writer does to its own, and read
// it as readers do. They send their changes to the writer as patches, with the number of the change that they follow; if
// the store has gone on in the meantime, the recipe runs again, and the others wait until it has. When the writer ends,
// the next in line gets the lock and opens the files.

import type { DatabaseChange } from "../database/changes.ts";
import { requireName, type Database, type DatabaseDraft } from "../database/database.ts";
import type { DatabaseState } from "../database/database-state.ts";
import type { Collections } from "../database/collections.ts";
import { InputError, orUndefined } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
import { holdLock } from "../locks.ts";
import { isSchema, type Schema } from "../schema/schema.ts";
import { ownDatabase, type GivenSchemas } from "./collections.ts";
import { StoreError } from "./errors.ts";
import { extended } from "./extended.ts";
import { randomHex } from "./identity.ts";
import { readOpenOptions, type DatabaseOpenOptions } from "./options.ts";
import { LEAST_FREE } from "./pool-disk.ts";
import {
  lockedFiles,
  readFileOptions,
  requirePrivateFiles,
  type LockedFiles,
} from "./private-files.ts";
import { SharedFollower } from "./shared-follower.ts";
import { isMessage, marked, type Message } from "./shared-messages.ts";
import type { Role, Tab } from "./shared-role.ts";
import { SharedWriter } from "./shared-writer.ts";
import type { CollectionsOf } from "./store.ts";

/** The options of {@link openSharedStore}. */
export interface SharedStoreOptions extends Omit<
  DatabaseOpenOptions,
  "lock" | "readOnly" | "follow" | "onError"
> {
  /** As for `openStore`: those of this tab's subscribers and listeners, and of its checkpoints while it writes. */
  readonly onError?: DatabaseOpenOptions["onError"];
}

/** What a shared store has beside its collections. */
export interface Shared<Draft> {
  /**
   * Changes the data, whichever tab writes. The recipe may run again if another tab has changed the data in the
   * meantime, so it must depend on the draft alone.
   *
   * @param recipe as for `update`; it must not return a promise
   * @returns what changed, once it is on disk
   * @throws as a rejection: StoreError if the change can't be written, or the store is closed; whatever `update` throws
   */
  updateAsync(recipe: (draft: Draft) => unknown): Promise<DatabaseChange>;

  /** Whether this worker is the one that writes. */
  isWriter(): boolean;

  /** Closes the store here. If it was the writer, another tab goes on. Queries still work on data in memory. */
  close(): void;
}

/** A database that all tabs have open. Its `update` throws: use `updateAsync`. */
export type SharedDatabase<C extends Collections = Collections> = Database<C> &
  Shared<DatabaseDraft<C>>;

/**
 * Opens a store of collections that all tabs of an origin share. One writes, the others follow it; if it ends, another
 * one takes over. The first call makes the store. Call it in a dedicated worker of each tab.
 *
 * @param name of the store's private files
 * @param schemas the schemas of the collections by name
 * @throws as a rejection: StoreError if there are no private files, the store is damaged or newer, or the tab that writes
 *   has it open with other schemas; InputError if an argument is not valid
 */
export function openSharedStore<const S extends Readonly<Record<string, Schema>>>(
  name: string,
  schemas: S,
  options?: SharedStoreOptions,
): Promise<SharedDatabase<CollectionsOf<S>>>;
export async function openSharedStore(
  name: string,
  schemas: unknown,
  options: unknown = {},
): Promise<SharedDatabase> {
  readFileOptions(name, {});
  const given = readSchemas(schemas);
  const read = readOpenOptions(options, [...given.keys()]);
  requirePrivateFiles(name);
  const tab = new OpenTab(name, given, read);
  try {
    const state = await tab.ready;
    const own: Shared<never> = {
      updateAsync: (recipe) => tab.update(recipe, state),
      isWriter: () => tab.isWriter,
      close: () => tab.close(),
    };
    return extended(ownDatabase(state), own);
  } catch (thrown) {
    tab.close();
    throw thrown;
  }
}

function readSchemas(given: unknown): GivenSchemas {
  const entries = isMembers(given) ? Object.entries(given) : [];
  if (entries.length === 0) throw new InputError("schemas", "must have the schemas of collections");
  return new Map(
    entries.map(([name, schema]) => {
      if (!isSchema(schema)) throw new InputError(`schemas.${name}`, "must be a schema");
      return [requireName(name, "schemas"), schema];
    }),
  );
}

/** A tab that has the store open: a follower until it gets the lock, then the writer. */
class OpenTab implements Tab {
  readonly place: string;
  readonly schemas: GivenSchemas;
  readonly options: ReturnType<typeof readOpenOptions>;
  readonly ready: Promise<DatabaseState>;
  #resolve: (state: DatabaseState) => void = () => undefined;
  #reject: (thrown: unknown) => void = () => undefined;
  readonly #end = new AbortController();
  readonly signal = this.#end.signal;
  readonly #channel: BroadcastChannel;
  /** The lock by which the writer sees whether this tab is still there. */
  readonly #here = holdLock(this.signal);
  #state: DatabaseState | undefined;
  #role: Role;

  constructor(name: string, schemas: GivenSchemas, options: ReturnType<typeof readOpenOptions>) {
    this.place = `shared store ${JSON.stringify(name)}`;
    this.schemas = schemas;
    this.options = options;
    this.ready = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#channel = new BroadcastChannel(`tercet/store ${name}`);
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isMessage(data)) this.#role.receive(data);
    };
    const follower = new SharedFollower(this);
    this.#role = follower;
    lockedFiles(name, LEAST_FREE, { signal: this.signal })
      .then((files) => this.#lead(files, follower))
      .catch((thrown: unknown) => this.fail(thrown));
  }

  get isWriter(): boolean {
    return this.#role instanceof SharedWriter;
  }

  send(message: Message): void {
    if (!this.signal.aborted) this.#channel.postMessage(marked(message));
  }

  open(state: DatabaseState): void {
    this.#state = state;
    state.transactions.beforeCommit = ({ isMoved }) => {
      if (isMoved) return;
      const reason = "is shared by all tabs; use updateAsync()";
      throw new StoreError(this.place, reason, { code: "unsupported" });
    };
    this.#resolve(state);
  }

  async update(recipe: unknown, state: DatabaseState): Promise<DatabaseChange> {
    const call = { id: randomHex(8), from: (await this.#here) ?? "" };
    for (;;) {
      this.signal.throwIfAborted();
      const change = await this.#role.update(recipe, call, state);
      if (change !== undefined) return change;
    }
  }

  fail(thrown: unknown): void {
    if (this.signal.aborted) return;
    this.#reject(thrown);
    // `onError` receives the error.
    this.#state?.subscribers.call(() => {
      throw thrown;
    });
    const why = thrown instanceof StoreError ? thrown : this.#closedError(thrown);
    // What it can't write any more is lost, which `thrown` says.
    orUndefined(() => this.#finish(why));
  }

  close(): void {
    this.#finish(this.#closedError());
  }

  #lead(files: LockedFiles, follower: SharedFollower): void {
    if (this.signal.aborted) {
      files.files.close();
      return;
    }
    const writer = new SharedWriter(this, files, this.#state);
    this.#role = writer;
    follower.end(writer.last());
  }

  #closedError(cause?: unknown): StoreError {
    return new StoreError(this.place, "is closed", { code: "closed", cause });
  }

  #finish(why: StoreError): void {
    if (this.signal.aborted) return;
    try {
      this.#role.close(why);
    } finally {
      this.#end.abort(why);
      this.#channel.close();
    }
  }
}
