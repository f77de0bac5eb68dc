// A merged column of several files. Its sections are computed while they are written, a few rows at a time.

import { addRow, createBitset, type Bitset } from "../../engine/algorithms/bitset.ts";
import type { Steps } from "../../engine/algorithms/steps.ts";
import { codesTypeFor } from "../../engine/indexes/memory-index.ts";
import { TrigramIndex } from "../../engine/indexes/trigram-index.ts";
import type { TextValue } from "../../schema/field.ts";
import { FileError } from "../file-error.ts";
import { ArrayDictionary } from "../read/array-dictionary.ts";
import type { FileColumn } from "../read/file.ts";
import { requireElements } from "./coded-arrays.ts";
import type { MergedDictionary } from "./merge-dictionaries.ts";
import type { MergedFile, RowRanges } from "./merge-order.ts";
import { MergedRows } from "./merge-rows.ts";
import type { ScratchSpace } from "./scratch.ts";
import {
  inPieces,
  type LazyCodes,
  type LazyTrigrams,
  type WrittenArrays,
  type WrittenOrder,
} from "./table.ts";
import { mergedTrigrams, type PartPostings } from "./trigrams.ts";
import { Validity } from "./validity.ts";

/** For each file, which codes occur in live rows; `undefined` if all do. */
export type Used = readonly (Bitset | undefined)[];

/** How many rows are read at once. */
const ROWS_AT_ONCE = 1 << 14;

/** The maximum size in bytes of the code maps in memory. */
const MAP_BYTES = 1 << 26;

export class MergedColumn {
  readonly parts: readonly [FileColumn, ...FileColumn[]];
  readonly nullable: boolean;
  readonly #files: readonly MergedFile[];
  readonly #order: RowRanges;
  readonly #space: ScratchSpace;
  /** Once the codes are being written. */
  #byCode: MergedRows | undefined;

  constructor(
    files: readonly MergedFile[],
    order: RowRanges,
    parts: readonly [FileColumn, ...FileColumn[]],
    nullable: boolean,
    space: ScratchSpace,
  ) {
    this.parts = parts;
    this.nullable = nullable;
    this.#files = files;
    this.#order = order;
    this.#space = space;
  }

  get name(): string {
    return this.parts[0].name;
  }

  get rows(): number {
    return this.#order.rows;
  }

  /** RowRanges of the rows in the order of the new file, a few at a time. */
  *#ranges(): Generator<{ readonly file: number; readonly from: number; readonly to: number }> {
    const { files, from, to } = this.#order;
    for (let i = 0; i < files.length; i++) {
      const file = files[i] ?? 0;
      const end = to[i] ?? 0;
      for (let row = from[i] ?? 0; row < end; row += ROWS_AT_ONCE) {
        yield { file, from: row, to: Math.min(end, row + ROWS_AT_ONCE) };
      }
    }
  }

  /**
   * The codes of the rows, a few at a time, until the next ones are asked for. They are of 32 bits whatever they have in
   * files: loops over arrays of one type are several times as fast as over any.
   */
  *#codes(): Generator<{ readonly file: number; readonly codes: Uint32Array }> {
    const all = new Uint32Array(ROWS_AT_ONCE);
    let length = 0;
    let last = 0;
    for (const { file, from, to } of this.#ranges()) {
      if (length > 0 && (file !== last || length + to - from > ROWS_AT_ONCE)) {
        yield { file: last, codes: all.subarray(0, length) };
        length = 0;
      }
      const codes = this.parts[file]?.codes.slice(from, to) ?? NO_BYTES;
      all.set(codes, length);
      length += codes.length;
      last = file;
    }
    if (length > 0) yield { file: last, codes: all.subarray(0, length) };
  }

  /** Which codes occur in live rows. */
  *used(): Steps<Used> {
    const used = this.parts.map(({ dictionary }, i) =>
      this.#files[i]?.dead.length === 0 ? undefined : createBitset(dictionary.length),
    );
    if (used.every((each) => each === undefined)) return used;
    for (const { file, from, to } of this.#ranges()) {
      const own = used[file];
      if (own === undefined) continue;
      const { dictionary, codes } = this.parts[file]!;
      const all = codes.slice(from, to);
      for (let i = 0; i < all.length; i++) {
        if (all[i]! < dictionary.length) addRow(own, all[i]!);
      }
      yield;
    }
    return used;
  }

  /** For arrays: which codes of elements occur in live rows. */
  *usedElements(): Steps<Used> {
    const arrays = this.parts.map(({ dictionary }) =>
      dictionary instanceof ArrayDictionary ? dictionary : undefined,
    );
    const used = arrays.map((each, i) =>
      each === undefined || this.#files[i]?.dead.length === 0
        ? undefined
        : createBitset(each.strings.length),
    );
    if (used.every((each) => each === undefined)) return used;
    for (const { file, from, to } of this.#ranges()) {
      const own = used[file];
      if (own === undefined) continue;
      const { elements } = arrays[file]!.elementsOf(from, to);
      for (let i = 0; i < elements.length; i++) addRow(own, elements[i]!);
      yield;
    }
    return used;
  }

  /**
   * The codes of the rows in the new file, a few at a time.
   *
   * @param areKept whether they are used after the next ones were asked for
   */
  *mapped(merged: MergedDictionary, areKept = false): Generator<Uint32Array> {
    const maps = new CodeMaps(merged);
    let all = new Uint32Array(ROWS_AT_ONCE);
    for (const { file, codes } of this.#codes()) {
      const map = yield* withoutCodes(maps.of(file));
      if (areKept) all = new Uint32Array(codes.length);
      const own = all.subarray(0, codes.length);
      if (!recode(codes, map, own)) {
        throw new FileError(`codes of ${this.name}`, "point outside the dictionary");
      }
      yield own;
    }
  }

  /** How many rows are null. */
  *nulls(merged: MergedDictionary): Steps<number> {
    if (!this.nullable) return 0;
    let nulls = 0;
    for (const codes of this.mapped(merged)) {
      for (let i = 0; i < codes.length; i++) if (codes[i] === 0) nulls++;
      yield;
    }
    return nulls;
  }

  /** @param isOrdered whether their order is to be written afterwards */
  codes(merged: MergedDictionary, isOrdered: () => boolean): LazyCodes {
    const validity = new Validity();
    const areArrays = merged.type === "strings";
    const mayHaveNulls = this.nullable && this.rows > 0;
    const own = mayHaveNulls && !areArrays ? validity : undefined;
    return {
      length: this.rows,
      get nulls() {
        return validity.nulls;
      },
      validity: mayHaveNulls
        ? {
            length: undefined,
            isLater: true,
            // The codes of arrays come later still.
            pieces: () => (areArrays ? this.#validity(merged, validity) : validity.pieces()),
          }
        : NO_BYTES,
      bytes: { length: undefined, pieces: () => this.#written(merged, isOrdered, own) },
    };
  }

  *#written(
    merged: MergedDictionary,
    isOrdered: () => boolean,
    validity: Validity | undefined,
  ): Generator<Uint8Array> {
    const { values } = merged;
    const type = codesTypeFor(values);
    const mapped = () => this.mapped(merged);
    const isWide = type === Uint32Array;
    const byCode = isOrdered()
      ? new MergedRows(`codes of ${this.name}`, this.rows, values, mapped, this.#space)
      : undefined;
    this.#byCode = byCode;
    for (const codes of this.mapped(merged, isWide)) {
      validity?.add(codes);
      byCode?.count(codes);
      const { buffer, byteOffset, byteLength } = isWide ? codes : new type(codes);
      yield new Uint8Array(buffer, byteOffset, byteLength);
    }
    if (byCode !== undefined) yield* byCode.counted();
  }

  *#validity(merged: MergedDictionary, validity: Validity): Generator<Uint8Array> {
    for (const codes of this.mapped(merged)) {
      validity.add(codes);
      yield NO_BYTES;
    }
    yield* validity.pieces();
  }

  /** The arrays of the rows. @param merged their dictionary; @param strings that of their elements */
  arrays(merged: MergedDictionary, strings: MergedDictionary): WrittenArrays {
    let count = 0;
    const add = (more: number) => (count = requireElements(count + more, this.name));
    return {
      get values() {
        return merged.values;
      },
      get count() {
        return count;
      },
      samples: { length: undefined, pieces: () => this.#samples(merged) },
      offsets: { length: 4 * (this.rows + 1), pieces: () => this.#offsets(add) },
      elements: { length: undefined, pieces: () => this.#elements(strings) },
    };
  }

  /** For each array a row that has it. */
  *#samples(merged: MergedDictionary): Generator<Uint8Array> {
    const samples = new Uint32Array(merged.values);
    let row = 0;
    for (const codes of this.mapped(merged)) {
      for (let i = 0; i < codes.length; i++) samples[codes[i]!] = row++;
      yield NO_BYTES;
    }
    yield new Uint8Array(samples.buffer);
  }

  *#arrays() {
    for (const { file, from, to } of this.#ranges()) {
      const dictionary = this.parts[file]?.dictionary;
      if (dictionary instanceof ArrayDictionary) yield { file, ...dictionary.elementsOf(from, to) };
    }
  }

  /** @param add adds to the number of elements, and returns it */
  *#offsets(add: (count: number) => number): Generator<Uint8Array> {
    let end = 0;
    yield new Uint8Array(4);
    for (const { ends } of this.#arrays()) {
      const out = new Int32Array(ends.length - 1);
      for (let i = 0; i < out.length; i++) out[i] = end + ends[i + 1]! - ends[0]!;
      end = add(ends[ends.length - 1]! - ends[0]!);
      yield new Uint8Array(out.buffer);
    }
  }

  *#elements(strings: MergedDictionary): Generator<Uint8Array> {
    const type = codesTypeFor(strings.values);
    const maps = new CodeMaps(strings);
    for (const { file, elements } of this.#arrays()) {
      const map = yield* inPieces(maps.of(file));
      const out = new type(elements.length);
      for (let i = 0; i < elements.length; i++) out[i] = map[elements[i]!]!;
      yield new Uint8Array(out.buffer);
    }
  }

  /** Is written after the codes. */
  ordered(): WrittenOrder {
    return {
      order: { length: undefined, pieces: () => this.#byCode?.order() ?? [] },
      starts: { length: undefined, pieces: () => this.#byCode?.starts() ?? [] },
    };
  }

  /** The postings of trigrams; for files without any, they are built. */
  *trigrams(): Steps<LazyTrigrams> {
    const all: PartPostings[] = [];
    for (const [file, { postings, codes, dictionary }] of this.parts.entries()) {
      const size = codes.length;
      const read = (row: number) => dictionary.at(codes.at(row));
      const own = postings?.inOrder() ?? (yield* TrigramIndex.building(size, read)).all;
      all.push({ postings: own, rowOf: this.#newRowsOf(file, size) });
    }
    return mergedTrigrams(all, this.rows);
  }

  /** For each row of a file its row in the new one, or −1. */
  #newRowsOf(file: number, size: number): Int32Array {
    const rowOf = new Int32Array(size).fill(-1);
    const { files, from, to } = this.#order;
    let row = 0;
    for (let i = 0; i < files.length; i++) {
      const [start, end] = [from[i] ?? 0, to[i] ?? 0];
      if (files[i] === file) for (let own = start; own < end; own++) rowOf[own] = row + own - start;
      row += end - start;
    }
    return rowOf;
  }

  /** The value of a row of the new file. */
  valueOf(row: number): TextValue {
    const { files, from, to } = this.#order;
    let before = row;
    for (let i = 0; i < files.length; i++) {
      const length = (to[i] ?? 0) - (from[i] ?? 0);
      const part = this.parts[files[i] ?? 0];
      if (before < length)
        return part?.dictionary.at(part.codes.at((from[i] ?? 0) + before)) ?? null;
      before -= length;
    }
    return null;
  }
}

/**
 * Maps codes. That all of them are in the map is checked at the end: a comparison for each would take as long as
 * everything else.
 *
 * @returns whether they are
 */
function recode(codes: Uint32Array, map: Uint32Array, into: Uint32Array): boolean {
  const last = map.length - 1;
  const { length } = codes;
  /** Negative as soon as a code is, or is higher than the last. */
  let signs = last;
  for (let i = 0; i < length; i++) {
    const code = codes[i]! | 0;
    signs |= code | (last - code);
    into[i] = map[code]!;
  }
  return signs >= 0;
}

/** The code maps of a merged dictionary. The most recently added stay in memory. */
class CodeMaps {
  readonly #merged: MergedDictionary;
  readonly #kept = new Map<number, Uint32Array>();
  #bytes = 0;

  constructor(merged: MergedDictionary) {
    this.#merged = merged;
  }

  *of(file: number): Steps<Uint32Array> {
    const known = this.#kept.get(file);
    if (known !== undefined) return known;
    const map = yield* this.#merged.mapOf(file);
    this.#bytes += map.byteLength;
    for (const [oldest, { byteLength }] of this.#kept) {
      if (this.#bytes <= MAP_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= byteLength;
    }
    this.#kept.set(file, map);
    return map;
  }
}

/** Steps as empty lists of codes. */
function* withoutCodes<Result>(steps: Steps<Result>): Generator<Uint32Array, Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield NO_CODES;
  }
}

const NO_BYTES = new Uint8Array();
const NO_CODES = new Uint32Array();
