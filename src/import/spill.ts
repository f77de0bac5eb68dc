// Loading more records than memory should hold, as an external sort does: runs of rows are written to a scratch file,
// and merged into one file at the end.

import type { ByteSource } from "../arrow/byte-source.ts";
import { PAGE_BYTES } from "../arrow/directory.ts";
import { openTable, type FileTable } from "../arrow/read/file.ts";
import { ownDirectory, rowsOf } from "../arrow/read/open.ts";
import { mergedPieces, type MergeOptions } from "../arrow/write/merge-files.ts";
import type { MergedFile, RowRanges } from "../arrow/write/merge-order.ts";
import type { Replacement } from "../arrow/write/output.ts";
import { piecesOf } from "../arrow/write/save.ts";
import { ScratchSpace, type Area, type Scratch } from "../arrow/write/scratch.ts";
import type { Codec } from "../engine/columns/codec.ts";
import type { ColumnRows } from "../engine/columns/column-rows.ts";
import { readSettings } from "../engine/settings.ts";
import { InputError, quote } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
import { suggestion } from "../schema/nearest.ts";
import { must, optional } from "../schema/options.ts";
import type { Schema } from "../schema/schema.ts";
import { Segment } from "../engine/versions/segment.ts";
import { lastIdsIn } from "../engine/columns/last-ids.ts";
import { Snapshot } from "../engine/versions/snapshot.ts";

/** Where a loader puts records beyond those that memory should hold. An import into a store provides it. */
export interface Spill {
  /** @internal How many bytes of columns memory holds at once. */
  readonly bytes: number;
  /** @internal The fields whose indexes of substrings are written with the file. */
  readonly index: readonly string[];
  /** @internal A new scratch, to be used by one. */
  readonly scratch: () => Scratch;
  /**
   * @internal Writes the file of the collection.
   *
   * @param open makes the rows from the file
   */
  save(
    pieces: Iterable<Uint8Array, readonly Replacement[]>,
    note: unknown,
    open: (source: ByteSource) => ColumnRows,
  ): ColumnRows;
}

const isSpill = (given: unknown): given is Spill =>
  isMembers(given) && typeof given.save === "function" && Array.isArray(given.index);

/** How the option is read that bounds the memory of a loader. */
export const spillOption = {
  spill: optional(must("from importStore or importCollection", isSpill)),
};

/** How runs are merged. */
export type RunsOptions = Pick<MergeOptions, "unique"> & {
  readonly note?: unknown;
  /** The rows of the collection. Default: all, run after run. */
  readonly order?: RowRanges;
};

/**
 * Runs of rows in scratch files: one for the values of all runs, which is removed as soon as these are merged, and one
 * for everything else.
 */
export class Runs {
  readonly #spill: Spill;
  readonly #values: ScratchSpace;
  readonly #rest: ScratchSpace;
  readonly #runs: MergedFile[] = [];
  #rows = 0;
  /** How many bytes of columns memory holds. */
  readonly bytes: number;
  /** Whether all rows go into runs, even if memory could hold them. */
  readonly isForAll: boolean;

  constructor(spill: Spill) {
    this.#spill = spill;
    this.#values = new ScratchSpace(spill.scratch());
    this.#rest = new ScratchSpace(spill.scratch());
    this.bytes = spill.bytes;
    this.isForAll = spill.index.length > 0;
  }

  /** How many runs there are. */
  get count(): number {
    return this.#runs.length;
  }

  /** Writes a run. Its rows may be discarded then. @throws InputError if a field to be indexed is not a string field */
  add(codec: Codec, rows: ColumnRows): void {
    const options = readSettings({});
    const segment = Segment.of(codec.schema, rows, undefined, options);
    for (const field of this.#spill.index) {
      requireString(codec.schema, field);
      segment.indexes.build("trigram", field);
    }
    const state = {
      codec,
      options,
      snapshot: new Snapshot([segment], rows.size, lastIdsIn(codec, rows)),
    };
    const source = this.#written((afterValues) =>
      piecesOf(state, { orders: "none", trigrams: "used", isTemporary: true, afterValues }),
    );
    this.#runs.push({ table: tableIn(source, true), dead: new Uint32Array() });
    this.#rows += rows.size;
  }

  /** Writes a run. @param pieces its file; the function is to be called once its values are complete */
  #written(pieces: (afterValues: () => void) => Iterable<Uint8Array>): ByteSource {
    let writer = this.#values.begin();
    let values: Area | undefined;
    /** Pages are read as a whole, and the last one of the values may have other bytes, too. */
    let start = 0;
    const afterValues = () => {
      values = this.#values.end(writer);
      start = values.length - (values.length % PAGE_BYTES);
      writer = this.#rest.begin();
      writer.add(values.read(start, values.length));
    };
    for (const piece of pieces(afterValues)) writer.add(piece);
    const rest = this.#rest.end(writer);
    return {
      size: start + rest.length,
      read(from, to) {
        if (from >= start || values === undefined) return rest.read(from - start, to - start);
        if (to <= start) return values.read(from, to);
        const bytes = new Uint8Array(to - from);
        bytes.set(values.read(from, start));
        bytes.set(rest.read(0, to - start), start - from);
        return bytes;
      },
    };
  }

  /**
   * All rows, in the file of the collection.
   *
   * @throws StoreError if the file can't be written; what `options.unique.error` returns
   */
  merged(codec: Codec, options: RunsOptions): ColumnRows {
    const [first, ...others] = this.#runs;
    if (first === undefined) throw new RangeError("there are no runs");
    const { note, order = this.#inOrder(), ...constraints } = options;
    const pieces = mergedPieces([first, ...others], note, {
      space: this.#rest,
      order,
      afterValues: () => this.#values.clear(),
      ...constraints,
    });
    return this.#spill.save(pieces, note, (source) => rowsOf(tableIn(source, false), codec));
  }

  #inOrder(): RowRanges {
    const sizes = this.#runs.map(({ table }) => table.rows);
    return { rows: this.#rows, files: [...sizes.keys()], from: sizes.map(() => 0), to: sizes };
  }
}

function requireString({ places }: Schema, name: string): void {
  const place = places.find((each) => each.name === name);
  if (place?.field.type === "string") return;
  const near =
    place === undefined
      ? suggestion(
          name,
          places.map((each) => each.name),
        )
      : "";
  throw new InputError("index", `${quote(name)} is not a string field${near}`);
}

const tableIn = (source: ByteSource, isMerged: boolean): FileTable =>
  openTable(source, ownDirectory(source).directory, {
    inPieces: isMerged,
    isCheckedOnce: isMerged,
  });
