// Scratch files for imports, in the folder of the store. Each is named like a file of a generation that does not exist
// yet, so that what a killed import leaves is removed like the files of an unfinished generation.

import type { ByteSource } from "../arrow/byte-source.ts";
import type { Scratch } from "../arrow/write/scratch.ts";
import { requireName } from "../database/database.ts";
import { sourceOf } from "../database/member.ts";
import type { ColumnRows } from "../engine/columns/column-rows.ts";
import { tuning } from "../engine/tuning.ts";
import type { Spill } from "../import/spill.ts";
import { must, optional, readOptions } from "../schema/options.ts";
import { toId } from "../service/lists.ts";
import type { DataFiles } from "./data-files.ts";
import { Descriptor, type FilePieces } from "./disk.ts";

/** What is written with the file of a collection. */
export interface SpillOptions {
  /**
   * The string fields whose indexes of substrings are written, which `contains` and `ends_with` use. For an email
   * address, an index takes some 27 bytes per record, and half as long again as the import. Orders of fields need no
   * option: those of fields with many values are written. Default: none.
   */
  readonly index?: readonly string[] | undefined;
}

/** Provides the option `spill` of the loaders of `tercet/import`. */
export interface Spills {
  /** For a collection. @throws InputError if it can't have this name */
  collection(name: string, options?: SpillOptions): Spill;
  /** For the Contacts of a Batch. @throws InputError if it is not an id */
  batch(id: number | string | bigint, options?: SpillOptions): Spill;
}

export class StoreSpills implements Spills {
  readonly #files: DataFiles;
  readonly #generation: number;
  readonly #scratches: DiskScratch[] = [];

  /** @param generation the one that will name the files */
  constructor(files: DataFiles, generation: number) {
    this.#files = files;
    this.#generation = generation;
  }

  collection(name: string, options?: SpillOptions): Spill {
    return this.#of(sourceOf(requireName(name, "name")), options);
  }

  batch(id: number | string | bigint, options?: SpillOptions): Spill {
    return this.#of(sourceOf("batches", toId(id, "id")), options);
  }

  #of(source: string, options: SpillOptions = {}): Spill {
    const { index = [] } = readOptions(options, "options", spillOptions);
    const files = this.#files;
    const generation = this.#generation;
    return {
      bytes: tuning.runBytes,
      index,
      scratch: () => {
        const scratch = new DiskScratch(files, source, generation);
        this.#scratches.push(scratch);
        return scratch;
      },
      save: (
        pieces: FilePieces,
        note: unknown,
        open: (from: ByteSource) => ColumnRows,
      ): ColumnRows =>
        files.saveRows(source, files.freeName(source, generation), pieces, note, open),
    };
  }

  /** Removes everything but the files of collections. */
  close(): void {
    for (const each of this.#scratches) each.clear();
  }
}

const isTexts = (given: unknown): given is readonly string[] =>
  Array.isArray(given) && given.every((each) => typeof each === "string");

const spillOptions = { index: optional(must("an array of names of fields", isTexts)) };

/** A scratch file, created when the first byte is written. */
export class DiskScratch implements Scratch {
  readonly #files: DataFiles;
  readonly #source: string;
  readonly #generation: number;
  #file: Descriptor | undefined;

  /** Its name is that of a file of a collection. */
  constructor(files: DataFiles, source: string, generation: number) {
    this.#files = files;
    this.#source = source;
    this.#generation = generation;
  }

  write(position: number, bytes: Uint8Array): void {
    this.#open().writeAt(position, bytes);
  }

  read(from: number, to: number): Uint8Array {
    return this.#open().readAt(from, to - from);
  }

  #open(): Descriptor {
    if (this.#file !== undefined) return this.#file;
    const { folder, temporary } = this.#files;
    const name = this.#files.freeName(this.#source, this.#generation, SCRATCH_PART);
    temporary.add(name);
    const path = this.#files.pathOf(name);
    folder.requireInPlace();
    return (this.#file = new Descriptor(folder.disk, path, "w+", folder.permissions(), "written"));
  }

  /** Removes the file. */
  clear(): void {
    if (this.#file === undefined) return;
    this.#file.close();
    this.#files.temporary.delete(this.#file.name);
    this.#files.folder.remove([this.#file.path]);
    this.#file = undefined;
  }
}

/** Parts from this number on are scratch files; the files of collections have lower numbers. */
const SCRATCH_PART = 1000;
