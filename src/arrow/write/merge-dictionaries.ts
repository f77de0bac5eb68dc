// Merges the dictionaries of a field in several files: a merge of sorted values, read a few at a time. It runs twice:
// first for the codes of the values, which are needed earlier, then for their bytes.

import type { Steps } from "../../engine/algorithms/steps.ts";
import type { EncodedValues } from "../../engine/indexes/values.ts";
import { compareBytes } from "../../engine/indexes/string-values.ts";
import type { FileDictionary } from "../read/dictionary.ts";
import { requireOffset } from "./encode-values.ts";

export interface MergedDictionary {
  readonly parts: readonly FileDictionary[];
  /** How many values it has, including the placeholder of null. */
  readonly values: number;
  /** For each part, the merged codes of its values. */
  readonly maps: readonly Uint32Array[];
  /** Its bytes, made when they are written. */
  readonly encoded: () => Steps<EncodedValues>;
}

/** How many values are read at once. */
const VALUES_AT_ONCE = 1 << 12;

/**
 * @param used for each part, which of its codes are in use; `undefined`: all
 * @param name the field's name, for the error
 * @throws FileError if the strings take more than 2 GiB
 */
export function* mergeDictionaries(
  parts: readonly FileDictionary[],
  used: readonly (Uint8Array | undefined)[],
  name: string,
): Steps<MergedDictionary> {
  const maps = parts.map(({ length }) => new Uint32Array(length));
  let values = 1;
  let size = 0;
  let isAscii = true;
  for (const least of mergedValues(parts, used)) {
    const [{ bytes, start, end }] = least;
    for (const { part, code } of least) maps[part]![code] = values;
    size += end - start;
    for (let i = start; isAscii && i < end; i++) isAscii = bytes[i]! < 0x80;
    if (values++ % VALUES_AT_ONCE === 0) yield;
  }
  const isOfStrings = parts[0]?.type === "string";
  if (isOfStrings) requireOffset(size, name);
  const encoded = function* (): Steps<EncodedValues> {
    const offsets = isOfStrings ? new Int32Array(values + 1) : undefined;
    const all = new Uint8Array(isOfStrings ? size : 8 * values);
    let at = isOfStrings ? 0 : 8;
    let code = 1;
    for (const [{ bytes, start, end }] of mergedValues(parts, used)) {
      for (let i = start; i < end; i++) all[at++] = bytes[i]!;
      if (offsets !== undefined) offsets[code + 1] = at;
      if (code++ % VALUES_AT_ONCE === 0) yield;
    }
    // The placeholder of null equals the lowest value, so that the bytes are in order.
    if (!isOfStrings && values > 1) all.copyWithin(0, 8, 16);
    return { ascii: isOfStrings && isAscii, offsets, bytes: all };
  };
  return { parts, values, maps, encoded };
}

/** The distinct values in order, each with the parts that have it. The result is valid until the next one. */
function* mergedValues(
  parts: readonly FileDictionary[],
  used: readonly (Uint8Array | undefined)[],
): Generator<readonly [Cursor, ...Cursor[]]> {
  const cursors = parts.map((dictionary, part) => new Cursor(part, dictionary, used[part]));
  for (;;) {
    let least: [Cursor, ...Cursor[]] | undefined;
    for (const cursor of cursors) {
      if (cursor.isDone) continue;
      const order = least === undefined ? -1 : cursor.compare(least[0]);
      if (order < 0) least = [cursor];
      else if (order === 0) least?.push(cursor);
    }
    if (least === undefined) return;
    yield least;
    for (const cursor of least) cursor.advance();
  }
}

/** A value of a dictionary, read together with the following ones. */
class Cursor {
  readonly part: number;
  code = 0;
  bytes: Uint8Array = new Uint8Array();
  start = 0;
  end = 0;
  readonly #dictionary: FileDictionary;
  readonly #used: Uint8Array | undefined;
  readonly #isOfStrings: boolean;
  #offsets: Int32Array = new Int32Array();
  #number = 0;
  /** The codes that were read. */
  #from = 0;
  #to = 0;

  constructor(part: number, dictionary: FileDictionary, used: Uint8Array | undefined) {
    this.part = part;
    this.#dictionary = dictionary;
    this.#used = used;
    this.#isOfStrings = dictionary.type === "string";
    this.advance();
  }

  get isDone(): boolean {
    return this.code >= this.#dictionary.length;
  }

  /** Advances to the next value in use. */
  advance(): void {
    const used = this.#used;
    this.code++;
    while (used?.[this.code] === 0) this.code++;
    if (this.isDone) return;
    if (this.code >= this.#to) this.#read();
    const i = this.code - this.#from;
    if (this.#isOfStrings) {
      const base = this.#offsets[0]!;
      this.start = this.#offsets[i]! - base;
      this.end = this.#offsets[i + 1]! - base;
      return;
    }
    [this.start, this.end] = [8 * i, 8 * i + 8];
    this.#number = this.#dictionary.numberAt?.(this.code) ?? 0;
  }

  #read(): void {
    this.#from = this.code;
    this.#to = Math.min(this.#dictionary.length, this.code + VALUES_AT_ONCE);
    const { bytes, offsets } = this.#dictionary.stretch(this.#from, this.#to);
    this.bytes = bytes;
    this.#offsets = offsets ?? this.#offsets;
  }

  compare(other: Cursor): number {
    if (!this.#isOfStrings) return this.#number - other.#number;
    const { bytes, start, end } = this;
    return compareBytes(bytes, start, end, other.bytes, other.start, other.end);
  }
}
