// The writer of a store: appends each change to the journal before the service makes it, and makes
// checkpoints.

import type { Patch } from "../index.ts";
import type { Data } from "../database/data.ts";
import { writeData } from "./data.ts";
import type { DataFile, DataFiles } from "./data-files.ts";
import { closingOnError, StoreError } from "./errors.ts";
import type { Descriptor } from "./disk.ts";
import { Journal, writeStart } from "./journal.ts";
import { CLOSED, type Generation } from "./load.ts";
import { Log } from "./log.ts";
import type { Settings } from "./options.ts";

/** Shorter journals cause no automatic checkpoint. */
const LEAST_BYTES = 2 ** 20;

export class Writer {
  readonly #files: DataFiles;
  readonly #state: Data;
  readonly #checkpointRatio: number;
  readonly #isSynced: boolean;
  readonly #unlock: () => void;
  #generation: number;
  #journal: Journal;
  /** The files of the generation's collections. */
  #named: readonly DataFile[];
  /** The descriptors of the files that the state was read from. */
  readonly #descriptors: ReadonlySet<Descriptor>;
  /** The bytes of the journal from which on a change first makes a checkpoint. */
  #limit: number;
  #isOpen = true;

  /** Continues a generation that was read, and makes the state's changes durable from now on. */
  constructor(
    files: DataFiles,
    state: Data,
    settings: Settings,
    unlock: () => void,
    { number, dataBytes, files: named, descriptors, journal, last }: Generation,
  ) {
    this.#descriptors = descriptors;
    this.#files = files;
    this.#named = named;
    this.#state = state;
    this.#checkpointRatio = settings.checkpointRatio;
    this.#unlock = unlock;
    this.#generation = number;
    this.#isSynced = settings.durability === "sync";
    this.#journal = new Journal(journal, last, this.#isSynced);
    this.#limit = this.#limitFor(dataBytes);
    state.setVeto(({ patches }) => this.#append(patches));
  }

  checkpoint(): void {
    this.#refuseClosed();
    const before = this.#journal;
    const number = this.#generation + 1;
    const { folder } = this.#files;
    let next: Generation;
    try {
      next = writeGeneration(this.#files, number, before.number, this.#state, this.#named);
      closingOnError(next.journal, () => {
        folder.announce(number);
        folder.name();
      });
    } catch (thrown) {
      folder.removeAllBut(this.#generation, this.#named);
      throw this.#files.damageOf(thrown, this.#named);
    }
    this.#generation = number;
    this.#named = next.files;
    this.#journal = new Journal(next.journal, next.last, this.#isSynced);
    this.#limit = this.#limitFor(next.dataBytes);
    before.abandon();
    // Until then a power cut could bring back the name of the previous generation.
    this.#journal.secure(() => folder.sync());
    folder.removeAllBut(number, next.files);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#journal.close();
    } finally {
      for (const each of this.#descriptors) each.close(CLOSED);
      this.#unlock();
    }
  }

  #append(patches: readonly Patch[]): void {
    this.#refuseClosed();
    if (this.#journal.bytes > this.#limit) {
      this.#limit = 2 * this.#journal.bytes;
      // The change does not depend on it. `onInternalError` of the service receives the error.
      this.#state.call(() => this.checkpoint());
    }
    this.#journal.append(patches);
  }

  #limitFor(dataBytes: number): number {
    return Math.max(LEAST_BYTES, this.#checkpointRatio * dataBytes);
  }

  #refuseClosed(): void {
    if (!this.#isOpen) throw new StoreError(this.#files.folder.path, "is closed");
  }
}

/**
 * Writes the files of a generation, except those that the previous one has already. It is in use once
 * the folder names it.
 *
 * @param number of the last change in the state
 * @param inUse the files of the previous generation
 * @throws StoreError
 */
export function writeGeneration(
  files: DataFiles,
  generation: number,
  number: number,
  state: Data,
  inUse: readonly DataFile[],
): Generation {
  const { folder } = files;
  const { disk } = folder;
  const written = files.write(generation, state, inUse);
  const logBytes = writeData(disk, folder.dataPath(generation), state, number, written);
  const named = [...written.values()];
  const dataBytes = named.reduce((sum, { bytes }) => sum + bytes, logBytes);
  const journal = new Log(disk, folder.journalPath(generation), "w+");
  return closingOnError(journal, () => {
    const first = writeStart(journal, number);
    journal.sync();
    const ends = { journal, first, last: first };
    return { number: generation, dataBytes, files: named, descriptors: new Set(), ...ends };
  });
}
