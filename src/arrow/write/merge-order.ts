// The rows of a merged file: ranges of rows of other files, by default in the order of their keys.

import { bisect } from "../../engine/algorithms/bisect.ts";
import type { Steps } from "../../engine/algorithms/steps.ts";
import type { FileTable } from "../read/file.ts";
import type { LazyBytes } from "./output.ts";

/** A file to be merged. */
export interface MergedFile {
  readonly table: FileTable;
  /** The rows that are left out, ascending. */
  readonly dead: Uint32Array;
}

/** After so many ranges others have their turn. */
const RANGES_AT_ONCE = 1 << 12;

/** The rows of the merged file: ranges of rows of the others. */
export interface RowRanges {
  readonly rows: number;
  /** For each the number of its file, and its first and last row there. */
  readonly files: readonly number[];
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** The live rows of files in the order of their keys. */
export function* rowRangesOf(merged: readonly MergedFile[]): Steps<RowRanges> {
  const heads = merged.map((each) => new Head(each));
  const [files, from, to]: [number[], number[], number[]] = [[], [], []];
  for (let rows = 0; ;) {
    let first = 0;
    let least = Infinity;
    /** The least key of another file. */
    let next = Infinity;
    for (const [i, { key }] of heads.entries()) {
      if (key < least) [first, least, next] = [i, key, least];
      else next = Math.min(next, key);
    }
    const head = heads[first];
    if (least === Infinity || head === undefined) return { rows, files, from, to };
    const { row } = head;
    const end = head.endBefore(next);
    files.push(first);
    from.push(row);
    to.push(end);
    rows += end - row;
    head.advance(end);
    if (files.length % RANGES_AT_ONCE === 0) yield;
  }
}

/** The next live row of a file. */
class Head {
  row = 0;
  readonly #keys: Float64Array | undefined;
  readonly #rows: number;
  readonly #dead: Uint32Array;
  #nextDead = 0;

  constructor({ table, dead }: MergedFile) {
    this.#keys = table.keys?.all();
    this.#rows = table.rows;
    this.#dead = dead;
    this.advance(0);
  }

  get key(): number {
    return this.row < this.#rows ? (this.#keys?.[this.row] ?? this.row) : Infinity;
  }

  /** The end of the live rows with lower keys than one. */
  endBefore(key: number): number {
    const end = Math.min(this.#dead[this.#nextDead] ?? this.#rows, this.#rows);
    const isBefore = (row: number) => (this.#keys?.[row] ?? row) < key;
    if (isBefore(end - 1)) return end;
    return this.#keys === undefined ? key : bisect(this.#keys, key);
  }

  advance(row: number): void {
    this.row = row;
    while (this.#dead[this.#nextDead] === this.row) {
      this.row++;
      this.#nextDead++;
    }
  }
}

/** The keys of the rows, if they differ from the row numbers. */
export function keysOf(
  merged: readonly MergedFile[],
  { files, from, to, rows }: RowRanges,
): LazyBytes | undefined {
  const keyOf = (file: number, row: number) => merged[file]?.table.keys?.all()[row] ?? row;
  const last = files.length - 1;
  const isOwn = last < 0 || keyOf(files[last] ?? 0, (to[last] ?? 0) - 1) === rows - 1;
  if (isOwn) return undefined;
  return {
    length: 8 * rows,
    *pieces() {
      let out = new Float64Array(KEYS_AT_ONCE);
      let length = 0;
      for (let i = 0; i < files.length; i++) {
        for (let row = from[i] ?? 0; row < (to[i] ?? 0); row++) {
          out[length++] = keyOf(files[i] ?? 0, row);
          if (length < KEYS_AT_ONCE) continue;
          yield new Uint8Array(out.buffer);
          [out, length] = [new Float64Array(KEYS_AT_ONCE), 0];
        }
      }
      yield new Uint8Array(out.buffer, 0, 8 * length);
    },
  };
}

/** How many keys are a piece. */
const KEYS_AT_ONCE = 1 << 14;
