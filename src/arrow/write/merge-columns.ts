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
import { AreaWriter, type Area, type ScratchSpace } from "./scratch.ts";
import type { LazyBytes, LazyCodes, LazyTrigrams, WrittenArrays, WrittenOrder } from "./table.ts";
import { mergedTrigrams, type PartPostings } from "./trigrams.ts";

/** For each file, which codes occur in live rows; `undefined` if all do. */
export type Used = readonly (Bitset | undefined)[];

/** Statistics of a column's live rows. */
export interface Counted {
  readonly nulls: number;
  /** Arrow's validity; empty if no row is null. */
  readonly validity: LazyBytes;
  readonly used: Used;
  /** For arrays: their total number of elements, and which codes these have. */
  readonly elements: number;
  readonly usedElements: Used;
}

/** How many rows are read at once. */
const ROWS_AT_ONCE = 1 << 14;

/** The maximum size in bytes of the code maps in memory. */
const MAP_BYTES = 1 << 26;

/** For how many codes and rows an order is computed in one pass: four bytes of memory each. */
export const orderLimits = { codes: 1 << 24, rows: 1 << 24 };

export class MergedColumn {
  readonly parts: readonly [FileColumn, ...FileColumn[]];
  readonly #files: readonly MergedFile[];
  readonly #order: RowRanges;
  readonly #space: ScratchSpace;

  constructor(
    files: readonly MergedFile[],
    order: RowRanges,
    parts: readonly [FileColumn, ...FileColumn[]],
    space: ScratchSpace,
  ) {
    this.parts = parts;
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

  *count(nullable: boolean): Steps<Counted> {
    const { elements, usedElements } = yield* this.#countElements();
    const used = this.parts.map(({ dictionary }, i) =>
      this.#files[i]?.dead.length === 0 ? undefined : createBitset(dictionary.length),
    );
    const counted = { used, elements, usedElements };
    if (!nullable && used.every((each) => each === undefined)) {
      return { nulls: 0, validity: NO_LAZY_BYTES, ...counted };
    }
    const area = this.#space.area((this.rows + 7) >>> 3);
    const writer = new AreaWriter(area);
    const bits = new Uint8Array(ROWS_AT_ONCE >>> 3);
    let nulls = 0;
    let row = 0;
    for (const { file, codes } of this.#codes()) {
      const own = used[file];
      if (own !== undefined) for (let i = 0; i < codes.length; i++) addRow(own, codes[i]!);
      for (let i = 0; i < codes.length;) {
        const end = Math.min(codes.length, i + ROWS_AT_ONCE - row);
        for (; i < end; i++, row++) {
          if (codes[i] === 0) nulls++;
          else bits[row >>> 3]! |= 1 << (row & 7);
        }
        if (row < ROWS_AT_ONCE) continue;
        writer.add(bits, 0, bits.length);
        bits.fill(0);
        row = 0;
      }
      yield;
    }
    writer.add(bits, 0, (row + 7) >>> 3);
    writer.flush();
    return { nulls, validity: nulls === 0 ? NO_LAZY_BYTES : lazily(area), ...counted };
  }

  *#countElements(): Steps<Pick<Counted, "elements" | "usedElements">> {
    const arrays = this.parts.map(({ dictionary }) =>
      dictionary instanceof ArrayDictionary ? dictionary : undefined,
    );
    const usedElements = arrays.map((each, i) =>
      each === undefined || this.#files[i]?.dead.length === 0
        ? undefined
        : createBitset(each.strings.length),
    );
    let elements = 0;
    if (arrays[0] === undefined) return { elements, usedElements };
    for (const { file, from, to } of this.#ranges()) {
      const own = arrays[file]?.elementsOf(from, to).elements ?? new Uint8Array();
      elements += own.length;
      const used = usedElements[file];
      if (used !== undefined) for (let i = 0; i < own.length; i++) addRow(used, own[i]!);
      yield;
    }
    requireElements(elements, this.name);
    return { elements, usedElements };
  }

  /** The codes of the rows in the new file, a few at a time, until the next ones are asked for. */
  *mapped(merged: MergedDictionary): Generator<Uint32Array> {
    const maps = new CodeMaps(merged);
    for (const { file, codes } of this.#codes()) {
      if (!recode(codes, maps.of(file))) {
        throw new FileError(`codes of ${this.name}`, "point outside the dictionary");
      }
      yield codes;
    }
  }

  codes(merged: MergedDictionary, { nulls, validity }: Counted): LazyCodes {
    const mapped = () => this.mapped(merged);
    const type = codesTypeFor(merged.values);
    const bytes = {
      length: this.rows * type.BYTES_PER_ELEMENT,
      *pieces() {
        for (const codes of mapped()) yield new Uint8Array(new type(codes).buffer);
      },
    };
    return { length: this.rows, nulls, validity, bytes };
  }

  /** The arrays of the rows. @param merged their dictionary, and that of their elements */
  arrays(merged: MergedDictionary, strings: MergedDictionary, counted: Counted): WrittenArrays {
    const { rows } = this;
    const { elements } = counted;
    const samples = () => this.#samples(merged);
    const offsets = () => this.#offsets();
    return {
      values: merged.values,
      samples: { length: 4 * merged.values, pieces: samples },
      offsets: { length: 4 * (rows + 1), pieces: offsets },
      count: elements,
      elements: {
        length: elements * codesTypeFor(strings.values).BYTES_PER_ELEMENT,
        pieces: () => this.#elements(strings),
      },
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

  *#offsets(): Generator<Uint8Array> {
    let end = 0;
    yield new Uint8Array(4);
    for (const { ends } of this.#arrays()) {
      const out = new Int32Array(ends.length - 1);
      for (let i = 0; i < out.length; i++) out[i] = end + ends[i + 1]! - ends[0]!;
      end = out.at(-1) ?? end;
      yield new Uint8Array(out.buffer);
    }
  }

  *#elements(strings: MergedDictionary): Generator<Uint8Array> {
    const type = codesTypeFor(strings.values);
    const maps = new CodeMaps(strings);
    for (const { file, elements } of this.#arrays()) {
      const map = maps.of(file);
      const out = new type(elements.length);
      for (let i = 0; i < elements.length; i++) out[i] = map[elements[i]!]!;
      yield new Uint8Array(out.buffer);
    }
  }

  /** The rows by code, and the start of each code's rows, which are known once the rows were read. */
  *ordered(merged: MergedDictionary): Steps<WrittenOrder> {
    yield;
    const starts = this.#space.area(4 * (merged.values + 1));
    return {
      order: { length: 4 * this.rows, pieces: () => this.#byCode(merged, starts) },
      starts: lazily(starts),
    };
  }

  /** One pass for each range of codes, and then one for each part of it with at most so many rows. */
  *#byCode(merged: MergedDictionary, area: Area): Generator<Uint8Array> {
    const { values } = merged;
    const starts = new AreaWriter(area);
    let before = 0;
    for (let low = 0; low < values; low += orderLimits.codes) {
      const counts = new Uint32Array(Math.min(values - low, orderLimits.codes));
      for (const codes of this.mapped(merged)) {
        for (let i = 0; i < codes.length; i++) {
          const at = codes[i]! - low;
          if (at >= 0 && at < counts.length) counts[at]!++;
        }
        yield NO_BYTES;
      }
      before = addStarts(starts, counts, before);
      for (let from = 0; from < counts.length;) {
        let to = from + 1;
        let rows = counts[from]!;
        for (; to < counts.length && rows + counts[to]! <= orderLimits.rows; to++) {
          rows += counts[to]!;
        }
        if (rows > orderLimits.rows) yield* this.#rowsOf(merged, low + from);
        else yield* this.#rowsBetween(merged, low + from, counts.subarray(from, to), rows);
        from = to;
      }
    }
    addStarts(starts, new Uint32Array(1), before);
    starts.flush();
  }

  /** The rows of a range of codes. @param counts how many rows each has; overwritten */
  *#rowsBetween(
    merged: MergedDictionary,
    low: number,
    counts: Uint32Array,
    rows: number,
  ): Generator<Uint8Array> {
    // The next place of each code.
    let next = 0;
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!;
      counts[i] = next;
      next += count;
    }
    const order = new Uint32Array(rows);
    let row = 0;
    for (const codes of this.mapped(merged)) {
      for (let i = 0; i < codes.length; i++, row++) {
        const at = codes[i]! - low;
        if (at >= 0 && at < counts.length) order[counts[at]!++] = row;
      }
      yield NO_BYTES;
    }
    yield new Uint8Array(order.buffer);
  }

  /** The rows of one code. */
  *#rowsOf(merged: MergedDictionary, code: number): Generator<Uint8Array> {
    let row = 0;
    for (const codes of this.mapped(merged)) {
      const rows = new Uint32Array(codes.length);
      let length = 0;
      for (let i = 0; i < codes.length; i++, row++) if (codes[i] === code) rows[length++] = row;
      yield new Uint8Array(rows.buffer, 0, 4 * length);
    }
  }

  /** The postings of trigrams; for files without any, they are built. */
  *trigrams(): Steps<LazyTrigrams | undefined> {
    const all: PartPostings[] = [];
    for (const [file, { postings, codes, dictionary }] of this.parts.entries()) {
      const size = codes.length;
      const read = (row: number) => dictionary.at(codes.at(row));
      const own = postings?.inOrder() ?? (yield* TrigramIndex.building(size, read)).all;
      all.push({ postings: own, rowOf: this.#newRowsOf(file, size) });
    }
    return yield* mergedTrigrams(all, this.rows, this.#space);
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

/** Maps codes in place. @returns whether the map has all of them */
function recode(codes: Uint32Array, map: Uint32Array): boolean {
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code >= map.length) return false;
    codes[i] = map[code]!;
  }
  return true;
}

/** The code maps of a merged dictionary. The most recently added stay in memory. */
class CodeMaps {
  readonly #merged: MergedDictionary;
  readonly #kept = new Map<number, Uint32Array>();
  #bytes = 0;

  constructor(merged: MergedDictionary) {
    this.#merged = merged;
  }

  of(file: number): Uint32Array {
    const known = this.#kept.get(file);
    if (known !== undefined) return known;
    const map = this.#merged.mapOf(file);
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

/** Adds the starts of codes with so many rows each. @returns the start of the next one */
function addStarts(starts: AreaWriter, counts: Uint32Array, first: number): number {
  let next = first;
  for (let from = 0; from < counts.length; from += ROWS_AT_ONCE) {
    const out = new Uint32Array(Math.min(ROWS_AT_ONCE, counts.length - from));
    for (let i = 0; i < out.length; i++) {
      out[i] = next;
      next += counts[from + i]!;
    }
    starts.add(new Uint8Array(out.buffer), 0, out.byteLength);
  }
  return next;
}

const lazily = (area: Area): LazyBytes => ({ length: area.length, pieces: () => area.pieces() });

const NO_BYTES = new Uint8Array();
const NO_LAZY_BYTES: LazyBytes = { length: 0, pieces: () => [] };
