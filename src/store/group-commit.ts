// Group commit: changes that are made in memory and become durable together. While one group is being synced, the next
// one is collected. Changes that can't be written are undone, along with all later ones.

import type { DatabaseState } from "../database/database-state.ts";
import type { Prepared } from "../database/transaction.ts";
import type { Disk } from "./disk.ts";
import type { ChangeLines, Journal } from "./journal.ts";

/** A change in memory that is not known to be on disk. */
interface InFlight {
  readonly lines: ChangeLines;
  readonly undo: Prepared["undo"];
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

export class GroupCommit {
  readonly #disk: Disk;
  readonly #state: DatabaseState;
  readonly #journal: () => Journal;
  /** In order. The first {@link #written} of them form an entry of the journal that is being synced. */
  #inFlight: InFlight[] = [];
  #written = 0;
  #isRunning = false;
  /** The promise of the last change in flight, or of an earlier one. */
  #last = Promise.resolve();
  /** Why nothing can be written any more. */
  #failure: unknown;

  /** @param journal returns the current one */
  constructor(disk: Disk, state: DatabaseState, journal: () => Journal) {
    this.#disk = disk;
    this.#state = state;
    this.#journal = journal;
  }

  /** The changes that are not in the journal yet. */
  get unwritten(): readonly ChangeLines[] {
    return this.#inFlight.slice(this.#written).map(({ lines }) => lines);
  }

  /** Adds a change. @returns a promise that resolves once it is on disk, and rejects if it is undone */
  add(lines: ChangeLines, undo: Prepared["undo"]): Promise<void> {
    this.#last = new Promise((resolve, reject) => {
      this.#inFlight.push({ lines, undo, resolve, reject });
    });
    // Deferred, so that further changes share the first write.
    if (!this.#isRunning) this.#disk.soon(() => this.#run());
    this.#isRunning = true;
    return this.#last;
  }

  /** Resolves when all changes that are now in flight are on disk. */
  settled(): Promise<void> {
    return this.#inFlight.length === 0 ? Promise.resolve() : this.#last;
  }

  /** Called when everything in memory is on disk. */
  settle(count = this.#inFlight.length): void {
    this.#written = 0;
    for (const { resolve } of this.#inFlight.splice(0, count)) resolve();
  }

  /**
   * Makes everything in flight durable, and then another change if there is one. Each call that returns without waiting
   * passes here, also if it found nothing to change: it may have seen changes in flight, which must not be lost then.
   *
   * @throws StoreError; the change is not written in that case
   */
  flush(...change: readonly ChangeLines[]): void {
    if (this.#inFlight.length + change.length === 0) return;
    this.#journal().append([...this.unwritten, ...change]);
    this.settle();
  }

  /**
   * Makes the changes in flight durable before the store is closed.
   * @throws StoreError; they are undone in that case
   */
  finish(): void {
    try {
      this.flush();
    } catch (thrown) {
      this.#failure = thrown;
      throw thrown;
    }
  }

  #run(): void {
    const group = [...this.#inFlight];
    this.#isRunning = group.length > 0;
    if (!this.#isRunning) return;
    const done = (thrown?: unknown) => {
      // An update or a checkpoint may have made everything durable in the meantime.
      const isInFlight = this.#inFlight[0] === group[0];
      if (isInFlight && thrown === undefined) this.settle(group.length);
      if (isInFlight && thrown !== undefined) this.#takeBack(thrown);
      // Deferred, since the write may fail again, and subscribers that are notified may retry.
      if (thrown === undefined) this.#run();
      else this.#disk.soon(() => this.#run());
    };
    if (this.#failure !== undefined) {
      done(this.#failure);
      return;
    }
    this.#written = group.length;
    void this.#journal().appendLater(
      group.map(({ lines }) => lines),
      done,
    );
  }

  /** Never during a transaction, which would build on undone changes. */
  #takeBack(thrown: unknown): void {
    const { transactions, subscribers } = this.#state;
    const all = this.#inFlight;
    this.#inFlight = [];
    this.#written = 0;
    // Subscribers are notified afterwards, so that their changes do not come between.
    subscribers.call(() => {
      for (const { undo } of all.toReversed()) transactions.run(undo, () => undefined);
    });
    for (const { reject } of all) reject(thrown);
  }
}
