// The tab that writes a shared store. It sends what it does to the files to its followers, and makes the changes that
// they propose.

import type { DatabaseChange } from "../database/changes.ts";
import { createDatabase, type Database } from "../database/database.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { expiryOf } from "../database/expiry.ts";
import type { Collections } from "../database/collections.ts";
import { awaitLock } from "../locks.ts";
import { Descriptor, type Disk } from "./disk.ts";
import { closing, closingOnError, StoreError } from "./errors.ts";
import { Folder } from "./folder.ts";
import { randomHex } from "./identity.ts";
import type { LockedFiles } from "./private-files.ts";
import { mirrored, type FileChange } from "./replica.ts";
import type { Message, MessageOf, Refusal } from "./shared-messages.ts";
import { FOLDER, type Role, type Tab } from "./shared-role.ts";
import { createStoreOn, openWriter } from "./store.ts";
import type { Writer } from "./writer.ts";

export class SharedWriter implements Role {
  readonly #tab: Tab;
  readonly #files: LockedFiles;
  readonly #state: DatabaseState;
  readonly #writer: Writer;
  readonly #id = randomHex(8);
  /** Until a tab asks for the files, none needs their changes. */
  #isFollowed = false;
  #changes: FileChange[] = [];
  /** The number of the last message with changes. */
  #sequence = 0;
  /** The call whose proposal is waited for: no other change is made before it. */
  #turn: { readonly call: string; readonly end: () => void } | undefined;
  /** Resolves after the last turn that is given now. */
  #turns: Promise<unknown> = Promise.resolve();

  /**
   * Opens the store, which it makes if there is none.
   *
   * @param into the state that the tab has as a follower
   * @throws StoreError; the files are then closed
   */
  constructor(tab: Tab, files: LockedFiles, into: DatabaseState | undefined) {
    this.#tab = tab;
    this.#files = files;
    const disk = mirrored(files.disk, FOLDER, (change) => this.#tell(change));
    const { settings, serviceOptions, migrate, expire, now } = tab.options;
    const { state, writer } = closingOnError(files.files, () => {
      if (!new Folder(FOLDER, disk).isStore()) {
        createStoreOn(disk, FOLDER, emptyDatabase(), {}).close();
      }
      const { schemas } = tab;
      const opened = openWriter(disk, FOLDER, settings, serviceOptions, schemas, migrate, into);
      // Subscribers were notified of what is in the files: one may have closed the store.
      return closingOnError(opened.writer, () => {
        tab.signal.throwIfAborted();
        return opened;
      });
    });
    this.#state = state;
    this.#writer = writer;
    state.expiry = expiryOf(state.members, expire, now);
    tab.open(state);
    tab.send({ is: "writer", last: this.last() });
  }

  /** The number of the last change. */
  last(): number {
    return this.#writer.last();
  }

  receive(message: Message): void {
    if (message.is === "hello") this.#sendFiles(message.id);
    else if (message.is === "proposal" && message.writer === this.#id) void this.#accept(message);
    else if (message.is === "pass" && message.call === this.#turn?.call) this.#turn.end();
  }

  async update(recipe: unknown): Promise<DatabaseChange> {
    // Wrapped, so that the next one does not wait until it is on disk.
    const { made } = await this.#inTurn(() => ({ made: this.#writer.updateAsync(recipe) }));
    made.catch((thrown: unknown) => this.#leaveLost(thrown));
    return made;
  }

  close(): void {
    try {
      this.#writer.close();
      this.#flush();
    } finally {
      this.#turn?.end();
      this.#files.files.close();
    }
  }

  /** Sends changes of files, those of a turn together. */
  #tell(change: FileChange): void {
    if (!this.#isFollowed) return;
    if (this.#changes.length === 0) queueMicrotask(() => this.#flush());
    this.#changes.push(change);
  }

  #flush(): void {
    if (this.#changes.length === 0) return;
    const changes = this.#changes;
    this.#changes = [];
    this.#tab.send({ is: "changes", writer: this.#id, sequence: ++this.#sequence, changes });
  }

  #sendFiles(id: string): void {
    const { disk } = this.#files;
    this.#flush();
    this.#isFollowed = true;
    const files = disk
      .list(FOLDER)
      .map((name) => disk.paths.join(FOLDER, name))
      .map((path) => [path, contentOf(disk, path)] as const);
    this.#tab.send({ is: "files", writer: this.#id, id, sequence: this.#sequence, files });
  }

  #reply(id: string, number: number, outcome: MessageOf<"answer">["outcome"]): void {
    this.#flush();
    this.#tab.send({ is: "answer", id, number, outcome });
  }

  async #accept(proposal: MessageOf<"proposal">): Promise<void> {
    const { id, call, base, patches } = proposal;
    const turn = this.#turn;
    const isIts = turn?.call === call;
    if (base !== this.last() || (turn !== undefined && !isIts)) {
      void this.#inTurn(() => this.#give(proposal));
      if (isIts) turn.end();
      return;
    }
    let number = base;
    const made = this.#writer.changeAsync((commit) =>
      this.#state.applyPatches(patches, "key", (prepared) => {
        if (!prepared.isMoved) this.#tab.send({ is: "accepted", id, number: ++number });
        commit(prepared);
      }),
    );
    turn?.end();
    try {
      await made;
      this.#reply(id, number, "made");
    } catch (thrown) {
      this.#reply(id, base, this.#refusalOf(thrown));
      this.#leaveLost(thrown);
    }
  }

  /** Lets a page that is loaded again make new files, if the browser has removed these. */
  #leaveLost(thrown: unknown): void {
    if (this.#files.disk.isLost) this.#tab.fail(thrown);
  }

  /** Runs what must not come between an outdated proposal and the next one of its call. */
  #inTurn<Result>(run: () => Result | PromiseLike<Result>): Promise<Result> {
    const result = this.#turns.then(run);
    this.#turns = result.catch(() => undefined);
    return result;
  }

  /** Without it, a tab that changes the data again and again would leave no time for those of others. */
  async #give({ id, call, from }: MessageOf<"proposal">): Promise<void> {
    if (this.#tab.signal.aborted) return;
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
      const writer = this.#writer;
      void writer.settled().then(() => this.#reply(id, writer.written(), "outdated"));
    });
  }

  #refusalOf(thrown: unknown): Refusal {
    if (thrown instanceof StoreError) {
      const { file, reason, code } = thrown;
      return { file, reason, code };
    }
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return { file: this.#tab.place, reason: `refused the change: ${reason}`, code: "conflict" };
  }
}

const emptyDatabase = (): Database => createDatabase<Collections>({});

function contentOf(disk: Disk, path: string): Blob {
  return closing(new Descriptor(disk, path, "r"), (file) => {
    const bytes = new Uint8Array(file.size);
    file.readInto(0, bytes);
    return new Blob([bytes]);
  });
}
