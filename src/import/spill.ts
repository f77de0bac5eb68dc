// Loading more records than memory should hold, as an external sort does: runs of rows are written to a scratch file,
// and merged into one file at the end.

import type { ByteSource } from "../arrow/byte-source.ts";
import { openTable, type FileTable } from "../arrow/read/file.ts";
import { ownDirectory, rowsOf } from "../arrow/read/open.ts";
import { mergedPieces, type MergeOptions } from "../arrow/write/merge-files.ts";
import type { MergedFile, RowRanges } from "../arrow/write/merge-order.ts";
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
import { Snapshot } from "../engine/versions/snapshot.ts";

/** Where a loader puts records beyond those that memory should hold. An import into a store provides it. */
export interface Spill {
  /** @internal How many bytes of columns memory holds at once. */
  readonly bytes: number;
  /** @internal The fields whose indexes of substrings are written with the file. */
  readonly index: readonly string[];
  /** @internal The bytes of a scratch, which nobody else writes. */
  readonly scratch: Scratch;
  /**
   * @internal Writes the file of the collection.
   *
   * @param open makes the rows from the file
   */
  save(
    pieces: Iterable<Uint8Array>,
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

/** Runs of rows in a scratch file. */
export class Runs {
  readonly #spill: Spill;
  readonly #space: ScratchSpace;
  readonly #runs: MergedFile[] = [];
  #rows = 0;
  /** How many bytes of columns memory holds. */
  readonly bytes: number;
  /** Whether all rows go into runs, even if memory could hold them. */
  readonly isForAll: boolean;

  constructor(spill: Spill) {
    this.#spill = spill;
    this.#space = new ScratchSpace(spill.scratch);
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
    const state = { codec, options, snapshot: new Snapshot([segment], rows.size) };
    const area = this.#space.append(piecesOf(state, { orders: "none", trigrams: "used" }));
    this.#runs.push({ table: tableIn(sourceOf(area), true), dead: new Uint32Array() });
    this.#rows += rows.size;
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
      space: this.#space,
      order,
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

const tableIn = (source: ByteSource, inPieces: boolean): FileTable =>
  openTable(source, ownDirectory(source).directory, { inPieces });

const sourceOf = (area: Area): ByteSource => ({
  size: area.length,
  read: (from, to) => area.read(from, to),
});
