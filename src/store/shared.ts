// A store that all tabs of an application have open. The worker of one tab writes: it holds a lock of the browser and the
// private files. The others have a copy of the files in memory, which follows what the writer does to its own, and read
// it as readers do. They send their changes to the writer as patches, with the number of the change that they follow; if
// the store has gone on in the meantime, the recipe runs again, and the others wait until it has. When the writer ends,
// the next in line gets the lock and opens the files.

import type { DatabaseChange } from "../database/changes.ts";
import { createDatabase, type Database, type DatabaseDraft } from "../database/database.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { expiryOf } from "../database/expiry.ts";
import type { Prepared } from "../database/transaction.ts";
import { changeOf } from "../database/changes.ts";
import type { Collections } from "../database/collections.ts";
import type { Patch } from "../engine/changes/patch.ts";
import { InputError, orUndefined } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
import { awaitLock, holdLock } from "../locks.ts";
import { isSchema, type Schema } from "../schema/schema.ts";
import { requireName } from "../database/database.ts";
import { ownDatabase, type GivenSchemas } from "./collections.ts";
import { DataFiles } from "./data-files.ts";
import { Descriptor, type Disk } from "./disk.ts";
import { closing, StoreError } from "./errors.ts";
import { extended } from "./extended.ts";
import { Folder } from "./folder.ts";
import { randomHex } from "./identity.ts";
import { readOpenOptions, type DatabaseOpenOptions } from "./options.ts";
import { LEAST_FREE } from "./pool-disk.ts";
import {
  lockedFiles,
  readFileOptions,
  requirePrivateFiles,
  type LockedFiles,
} from "./private-files.ts";
import { following } from "./reader.ts";
import { mirrored, ReplicaDisk, type FileChange } from "./replica.ts";
import { isMessage, marked, type Message, type Refusal } from "./shared-messages.ts";
import { createStoreOn, openWriter, type CollectionsOf } from "./store.ts";
import type { Writer } from "./writer.ts";

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
export async function openSharedStore<const S extends Readonly<Record<string, Schema>>>(
  name: string,
  schemas: S,
  options: SharedStoreOptions = {},
): Promise<SharedDatabase<CollectionsOf<S>>> {
  readFileOptions(name, {});
  const given = readSchemas(schemas);
  const read = readOpenOptions(options, [...given.keys()]);
  requirePrivateFiles(name);
  const tab = new Tab(name, given, read);
  try {
    const state = await tab.ready;
    const own: Shared<unknown> = {
      updateAsync: (recipe) => tab.update(recipe),
      isWriter: () => tab.isWriter,
      close: () => tab.close(),
    };
    // Its members are those of `schemas`, with the same names.
    return extended(ownDatabase(state), own) as unknown as SharedDatabase<CollectionsOf<S>>;
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

/** The folder of the store in the private files. */
const FOLDER = "/shared";

/** A change that a follower has sent. */
interface Proposal {
  accepted: number | undefined;
  /** @param number of the change; `undefined` if it was not made */
  readonly settle: (number: number | undefined) => void;
  readonly reject: (thrown: unknown) => void;
}

/** Aborts a transaction whose patches are all that was wanted. */
const PROPOSED = new Error("the change is proposed to the tab that writes");

type Follower = ReturnType<typeof following>;

class Tab {
  readonly #name: string;
  readonly #schemas: GivenSchemas;
  readonly #options: ReturnType<typeof readOpenOptions>;
  readonly #id = randomHex(8);
  readonly #channel: BroadcastChannel;
  readonly #end = new AbortController();
  /** The lock by which the writer sees whether this tab is still there. */
  readonly #here: Promise<string | null>;
  readonly ready: Promise<DatabaseState>;
  #resolve: (state: DatabaseState) => void = () => undefined;
  #reject: (thrown: unknown) => void = () => undefined;
  #state: DatabaseState | undefined;
  #closed: StoreError | undefined;

  // As the writer:
  #writer: Writer | undefined;
  #files: LockedFiles | undefined;
  #isFollowed = false;
  #changes: FileChange[] = [];
  /** The call whose proposal is waited for: no other change is made before it. */
  #turn: { readonly call: string; readonly end: () => void } | undefined;
  /** Resolves after the last turn that is given now. */
  #turns: Promise<unknown> = Promise.resolve();

  // As a follower:
  #leader: string | undefined;
  #follower: Follower | undefined;
  readonly #replica: ReplicaDisk;
  /** The number of the last message with changes of files that is in the replica. */
  #sequence = 0;
  /** The last message that asked for the files, until they are in the replica. A writer that has ended answers none. */
  #asked: string | undefined;
  /** The messages with changes that came since then. */
  #early: (Message & { readonly is: "changes" })[] = [];
  readonly #proposals = new Map<string, Proposal>();
  /** Called with the number of the last change after each step. */
  readonly #waiting = new Set<() => void>();
  /** The changes that proposals of this tab have made, by number. */
  readonly #made = new Map<number, DatabaseChange>();

  constructor(name: string, schemas: GivenSchemas, options: ReturnType<typeof readOpenOptions>) {
    this.#name = name;
    this.#schemas = schemas;
    this.#options = options;
    this.#replica = new ReplicaDisk(FOLDER, soon);
    this.ready = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#channel = new BroadcastChannel(`tercet/store ${name}`);
    this.#channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (isMessage(data)) this.#receive(data);
    };
    this.#ask();
    const { signal } = this.#end;
    this.#here = holdLock(signal);
    lockedFiles(name, LEAST_FREE, { signal }).then(
      (files) => this.#lead(files),
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  get isWriter(): boolean {
    return this.#writer !== undefined;
  }

  #send(message: Message): void {
    if (this.#closed === undefined) this.#channel.postMessage(marked(message));
  }

  #receive(message: Message): void {
    if (this.#closed !== undefined) return;
    switch (message.is) {
      case "hello":
        if (this.#writer !== undefined) this.#sendFiles(message.id);
        break;
      case "proposal":
        if (message.writer === this.#id) void this.#accept(message);
        break;
      case "pass":
        if (this.#turn?.call === message.call) this.#turn.end();
        break;
      case "writer":
        // Until its files are there, changes wait.
        this.#leader = undefined;
        // The numbers of changes that the writer before could not make are used again.
        for (const each of this.#proposals.values()) {
          if (each.accepted !== undefined && each.accepted > message.last)
            each.accepted = undefined;
        }
        this.#ask();
        break;
      case "files":
        if (message.id === this.#asked) void this.#follow(message);
        break;
      case "changes":
        if (this.#asked !== undefined) this.#early.push(message);
        else if (message.writer === this.#leader) this.#step(message);
        break;
      case "accepted": {
        const proposal = this.#proposals.get(message.id);
        if (proposal !== undefined) proposal.accepted = message.number;
        break;
      }
      case "answer":
        this.#answer(message);
    }
  }

  /** Something went wrong that leaves nothing to open. */
  #fail(thrown: unknown): void {
    if (this.#closed !== undefined) return;
    const state = this.#state;
    this.#reject(thrown);
    // `onError` receives the error.
    state?.subscribers.call(() => {
      throw thrown;
    });
    const why = thrown instanceof StoreError ? thrown : closedError(this.#name, thrown);
    // What it can't write any more is lost, which `thrown` says.
    orUndefined(() => this.#finish(why));
  }

  // The writer

  #lead(files: LockedFiles): void {
    if (this.#closed !== undefined) {
      files.files.close();
      return;
    }
    this.#files = files;
    const disk = mirrored(files.disk, FOLDER, (change) => this.#tell(change));
    try {
      const { settings, serviceOptions, migrate, expire, now } = this.#options;
      if (!new Folder(FOLDER, disk).isStore()) {
        createStoreOn(disk, FOLDER, emptyDatabase(), {}).close();
      }
      const { state, writer } = openWriter(
        disk,
        FOLDER,
        settings,
        serviceOptions,
        this.#schemas,
        migrate,
        this.#state,
      );
      state.expiry = expiryOf(state.members, expire, now);
      this.#open(state);
      this.#writer = writer;
      this.#follower = undefined;
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    // What a writer before it has sent is of no interest.
    this.#leader = undefined;
    this.#asked = undefined;
    this.#send({ is: "writer", last: this.#last() });
    this.#settleAll();
  }

  /** Takes over a state; it is changed by `updateAsync` alone. */
  #open(state: DatabaseState): void {
    this.#state = state;
    state.transactions.beforeCommit = ({ isMoved }) => {
      if (isMoved) return;
      const reason = "is shared by all tabs; use updateAsync()";
      throw new StoreError(placeOf(this.#name), reason, { code: "unsupported" });
    };
    this.#resolve(state);
  }

  /** Sends changes of files, those of a turn together. */
  #tell(change: FileChange): void {
    if (!this.#isFollowed) return;
    if (this.#changes.length === 0) queueMicrotask(() => this.#flush());
    this.#changes.push(change);
  }

  #flush(): void {
    if (this.#changes.length === 0 || this.#closed !== undefined) return;
    const changes = this.#changes;
    this.#changes = [];
    this.#send({ is: "changes", writer: this.#id, sequence: ++this.#sequence, changes });
  }

  #sendFiles(id: string): void {
    const { disk } = this.#files ?? {};
    if (disk === undefined) return;
    this.#flush();
    this.#isFollowed = true;
    const files = disk
      .list(FOLDER)
      .map((name) => disk.paths.join(FOLDER, name))
      .map((path) => [path, contentOf(disk, path)] as const);
    this.#send({ is: "files", writer: this.#id, id, sequence: this.#sequence, files });
  }

  #reply(id: string, number: number, outcome: (Message & { readonly is: "answer" })["outcome"]) {
    this.#flush();
    this.#send({ is: "answer", id, number, outcome });
  }

  async #accept(proposal: Message & { readonly is: "proposal" }): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    const { id, call, base, patches } = proposal;
    const turn = this.#turn;
    const isIts = turn?.call === call;
    if (base !== writer.last() || (turn !== undefined && !isIts)) {
      void this.#inTurn(() => this.#give(proposal));
      if (isIts) turn.end();
      return;
    }
    let number = base;
    const made = writer.changeAsync((commit) =>
      this.#requireState().applyPatches(patches, "key", (prepared) => {
        if (!prepared.isMoved) this.#send({ is: "accepted", id, number: ++number });
        commit(prepared);
      }),
    );
    turn?.end();
    try {
      await made;
      this.#reply(id, number, "made");
    } catch (thrown) {
      this.#reply(id, base, refusalOf(this.#name, thrown));
      this.#leaveLost(thrown);
    }
  }

  /** Lets a page that is loaded again make new files, if the browser has removed these. */
  #leaveLost(thrown: unknown): void {
    if (this.#files?.disk.isLost === true) this.#fail(thrown);
  }

  /** Runs what must not come between an outdated proposal and the next one of its call. */
  #inTurn<Result>(run: () => Result | PromiseLike<Result>): Promise<Result> {
    const result = this.#turns.then(run);
    this.#turns = result.catch(() => undefined);
    return result;
  }

  /** Without it, a tab that changes the data again and again would leave no time for those of others. */
  async #give({ id, call, from }: Message & { readonly is: "proposal" }): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined || this.#closed !== undefined) return;
    const gone = new AbortController();
    await new Promise<void>((resolve) => {
      const end = () => {
        if (gone.signal.aborted) return;
        this.#turn = undefined;
        gone.abort();
        resolve();
      };
      this.#turn = { call, end };
      awaitLock(from, gone.signal, end);
      // Changes in flight may still be undone.
      void writer.settled().then(() => this.#reply(id, writer.written(), "outdated"));
    });
  }

  // A follower

  #ask(): void {
    this.#asked = randomHex(8);
    this.#early = [];
    this.#send({ is: "hello", id: this.#asked });
  }

  /** Reads the files of the writer. */
  async #follow({ id, writer, sequence, files }: Message & { readonly is: "files" }) {
    let read: (readonly [path: string, bytes: Uint8Array])[];
    try {
      read = await Promise.all(
        files.map(
          async ([path, content]) => [path, new Uint8Array(await content.arrayBuffer())] as const,
        ),
      );
    } catch {
      // The content of a writer that has ended may be lost. The next one answers.
      if (id === this.#asked) this.#ask();
      return;
    }
    if (id !== this.#asked || this.#closed !== undefined) return;
    this.#asked = undefined;
    try {
      this.#replica.reset(read);
      this.#sequence = sequence;
      this.#read();
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    const isSame = this.#leader === writer;
    this.#leader = writer;
    if (isSame) this.#wake();
    else this.#settleAll();
    for (const each of this.#early.splice(0)) this.#receive(each);
  }

  #read(): void {
    if (this.#follower !== undefined) {
      this.#follower.refresh();
      return;
    }
    const { serviceOptions, migrate, expire, now } = this.#options;
    const files = new DataFiles(new Folder(FOLDER, this.#replica));
    const onChange = (number: number, change: DatabaseChange) => {
      for (const { accepted } of this.#proposals.values()) {
        if (accepted === number) this.#made.set(number, change);
      }
    };
    const follower = following(
      files,
      serviceOptions,
      this.#schemas,
      migrate,
      undefined,
      false,
      onChange,
    );
    this.#follower = follower;
    follower.state.expiry = expiryOf(follower.state.members, expire, now);
    this.#open(follower.state);
  }

  #step({ sequence, changes }: Message & { readonly is: "changes" }): void {
    if (sequence <= this.#sequence) return;
    if (sequence > this.#sequence + 1) {
      this.#ask();
      return;
    }
    this.#sequence = sequence;
    for (const each of changes) this.#replica.apply(each);
    try {
      this.#read();
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    this.#wake();
  }

  #answer({ id, number, outcome }: Message & { readonly is: "answer" }): void {
    const proposal = this.#proposals.get(id);
    if (proposal === undefined) return;
    if (outcome === "made") void this.#reached(number).then(() => proposal.settle(number));
    else if (outcome === "outdated") {
      void this.#reached(number).then(() => proposal.settle(undefined));
    } else {
      const { file, reason, code } = outcome;
      proposal.reject(new StoreError(file, reason, { code }));
    }
  }

  /** Decides about changes that were sent to a writer that has ended. */
  #settleAll(): void {
    const last = this.#last();
    for (const { accepted, settle } of this.#proposals.values()) {
      settle(accepted !== undefined && accepted <= last ? accepted : undefined);
    }
    this.#wake();
  }

  #wake(): void {
    for (const each of [...this.#waiting]) each();
  }

  #last(): number {
    return this.#writer?.last() ?? this.#follower?.last() ?? 0;
  }

  /** Resolves once a change is in the state, or the store is closed. */
  async #reached(number: number): Promise<void> {
    if (this.#last() >= number) return;
    await new Promise<void>((resolve) => {
      const check = () => {
        if (this.#closed === undefined && this.#last() < number) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
    });
  }

  #requireState(): DatabaseState {
    if (this.#closed !== undefined) throw this.#closed;
    if (this.#state !== undefined) return this.#state;
    throw new StoreError(placeOf(this.#name), "is not open yet", { code: "closed" });
  }

  async update(recipe: unknown): Promise<DatabaseChange> {
    const call = randomHex(8);
    const from = (await this.#here) ?? "";
    for (;;) {
      const state = this.#requireState();
      const writer = this.#writer;
      // Wrapped, so that the next one does not wait until it is on disk.
      if (writer !== undefined) {
        const { made } = await this.#inTurn(() => ({ made: writer.updateAsync(recipe) }));
        made.catch((thrown: unknown) => this.#leaveLost(thrown));
        return made;
      }
      const { patches, moved } = this.#proposed(state, recipe, call);
      const number = await this.#propose(patches, call, from);
      if (number === undefined) continue;
      const made = this.#made.get(number);
      this.#made.delete(number);
      return moved ?? made ?? changeOf([]);
    }
  }

  #proposed(state: DatabaseState, recipe: unknown, call: string): ReturnType<typeof proposed> {
    try {
      return proposed(state, recipe);
    } catch (thrown) {
      this.#send({ is: "pass", call });
      throw thrown;
    }
  }

  /** @returns the number of the change; `undefined` if the recipe has to run again */
  #propose(patches: readonly Patch[], call: string, from: string): Promise<number | undefined> {
    const id = randomHex(8);
    const promise = new Promise<number | undefined>((settle, reject) => {
      this.#proposals.set(id, { accepted: undefined, settle, reject });
    });
    // Without a writer, it is settled when there is one.
    if (this.#leader !== undefined) {
      const base = this.#last();
      this.#send({ is: "proposal", writer: this.#leader, id, call, from, base, patches });
    }
    return promise.finally(() => this.#proposals.delete(id));
  }

  close(): void {
    this.#finish(closedError(this.#name));
  }

  #finish(why: StoreError): void {
    if (this.#closed !== undefined) return;
    try {
      this.#writer?.close();
      this.#flush();
    } finally {
      this.#closed = why;
      this.#end.abort();
      this.#turn?.end();
      this.#files?.files.close();
      this.#channel.close();
      for (const { reject } of this.#proposals.values()) reject(why);
      this.#wake();
    }
  }
}

const placeOf = (name: string): string => `shared store ${JSON.stringify(name)}`;

const closedError = (name: string, cause?: unknown): StoreError =>
  new StoreError(placeOf(name), "is closed", { code: "closed", cause });

const emptyDatabase = (): Database => createDatabase<Collections>({});

/** Lets other work run. */
function soon(run: () => void): void {
  setTimeout(run, 0);
}

function contentOf(disk: Disk, path: string): Blob {
  return closing(new Descriptor(disk, path, "r"), (file) => {
    const bytes = new Uint8Array(file.size);
    file.readInto(0, bytes);
    return new Blob([bytes]);
  });
}

/** The patches of a recipe, which is not committed; its change, if it has no effect. */
function proposed(
  state: DatabaseState,
  recipe: unknown,
): { readonly patches: readonly Patch[]; readonly moved: DatabaseChange | undefined } {
  let patches: readonly Patch[] = [];
  const before = (prepared: Prepared) => {
    if (prepared.isMoved) return;
    patches = prepared.entry();
    throw PROPOSED;
  };
  try {
    return { patches, moved: state.update(recipe, before) };
  } catch (thrown) {
    if (thrown !== PROPOSED) throw thrown;
    return { patches, moved: undefined };
  }
}

function refusalOf(name: string, thrown: unknown): Refusal {
  if (thrown instanceof StoreError) {
    const { file, reason, code } = thrown;
    return { file, reason, code };
  }
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { file: placeOf(name), reason: `refused the change: ${reason}`, code: "conflict" };
}
