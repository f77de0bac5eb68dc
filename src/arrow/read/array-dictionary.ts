// The distinct arrays of a strings field. The file has the array of each row, as an Arrow list, and for each distinct
// array a row that has it. Before all of them are used, their order and the codes of their elements are checked.

import { FileError } from "../file-error.ts";
import { DecodedTexts } from "../../engine/indexes/string-values.ts";
import { codesTypeFor } from "../../engine/indexes/memory-index.ts";
import type { TextValue } from "../../schema/field.ts";
import { compareCodePoints } from "../../schema/order.ts";
import type { ArraysEntry } from "../directory.ts";
import type { DictionaryRange, FileDictionary } from "./dictionary.ts";
import type { Pages } from "./pages.ts";
import { Section } from "./section.ts";
import type { Codes } from "../../engine/indexes/field-index.ts";

const encoder = new TextEncoder();

export class ArrayDictionary implements FileDictionary {
  readonly type = "strings";
  readonly length: number;
  readonly #name: string;
  readonly #strings: FileDictionary;
  readonly #samples: Section<Uint32Array>;
  readonly #offsets: Section<Int32Array>;
  readonly #elements: Section<Codes>;
  readonly #decoded: DecodedTexts;
  #isChecked = false;

  /**
   * @param field the field's name, for errors
   * @param strings the distinct elements
   */
  constructor(field: string, pages: Pages, entry: ArraysEntry, strings: FileDictionary) {
    this.#name = `arrays of ${field}`;
    this.#strings = strings;
    const { samples, offsets, elements } = entry;
    const type = codesTypeFor(strings.length);
    this.#samples = new Section<Uint32Array>(this.#name, pages, samples, Uint32Array);
    this.#offsets = new Section<Int32Array>(this.#name, pages, offsets, Int32Array);
    this.#elements = new Section<Codes>(this.#name, pages, elements, type);
    this.length = entry.values;
    this.#decoded = new DecodedTexts(this.length);
  }

  get bytes(): number {
    const own = this.#samples.bytes + this.#offsets.bytes + this.#elements.bytes;
    return own + this.#strings.bytes;
  }

  at(code: number): TextValue {
    if (code === 0) return null;
    const known = this.#decoded.get(code);
    if (known !== undefined) return known;
    const text = this.#textOf(this.elementsAt(code));
    return this.#decoded.keep(code, text, text.length);
  }

  elementsAt(code: number): readonly string[] {
    this.use();
    const row = this.#samples.at(code);
    if (row >= this.#offsets.length - 1) throw this.#error("lead out of the rows");
    return Array.from(this.#elementsOf(row), (element) => this.#stringOf(element));
  }

  use(): void {
    const isInPieces = [this.#samples, this.#offsets, this.#elements].some(
      (section) => section.isInPieces,
    );
    if (!isInPieces) this.load();
  }

  load(): void {
    if (this.#isChecked) return;
    this.#strings.load();
    this.#checkElements();
    this.#checkOrder();
    this.#isChecked = true;
  }

  range(from: number, to: number, most: number): DictionaryRange {
    const texts: Uint8Array[] = [];
    const offsets = [0];
    for (let code = from; code < to; code++) {
      const text = encoder.encode(this.#textOf(this.elementsAt(code)));
      texts.push(text);
      const end = offsets[code - from]! + text.length;
      offsets.push(end);
      if (end > most) break;
    }
    const bytes = new Uint8Array(offsets.at(-1) ?? 0);
    texts.forEach((text, i) => bytes.set(text, offsets[i]));
    return { bytes, offsets: Int32Array.from(offsets) };
  }

  /** The distinct elements. */
  get strings(): FileDictionary {
    return this.#strings;
  }

  /** The elements of consecutive rows: where those of each row start and of the last end, and their codes. */
  elementsOf(from: number, to: number): { readonly ends: Int32Array; readonly elements: Codes } {
    const ends = this.#offsets.slice(from, to + 1);
    for (let i = 0; i < to - from; i++) {
      if (ends[i]! < 0 || ends[i]! > ends[i + 1]!) {
        throw this.#error("have an offset below the last");
      }
    }
    const end = ends[to - from]!;
    if (end > this.#elements.length) throw this.#error("have an offset that leads out of them");
    return { ends, elements: this.#elements.slice(ends[0]!, end) };
  }

  /** Checks that each row has the array of its code. */
  verifyRows(codes: Codes): void {
    const samples = this.#samples.all();
    for (let code = 1; code < samples.length; code++) {
      if (codes[samples[code]!] !== code) throw this.#error("belong to other rows");
    }
    for (let row = 0; row < codes.length; row++) {
      const code = codes[row]!;
      const elements = this.#elementsOf(row);
      const expected = code === 0 ? [] : this.#elementsOf(samples[code]!);
      if (elements.length !== expected.length || elements.some((each, i) => each !== expected[i])) {
        throw this.#error("do not match the codes");
      }
    }
  }

  #elementsOf(row: number): Codes {
    const from = this.#offsets.at(row);
    const to = this.#offsets.at(row + 1);
    if (from < 0 || from > to || to > this.#elements.length) {
      throw this.#error("have an offset that leads out of them");
    }
    return this.#elements.slice(from, to);
  }

  #stringOf(element: number): string {
    const value = element < this.#strings.length ? this.#strings.at(element) : null;
    if (value === null) throw this.#error("have an element that is not in the dictionary");
    return value;
  }

  /** A few long strings, repeated in a small file, may exceed the maximum length of a string. */
  #textOf(elements: readonly string[]): string {
    try {
      return JSON.stringify(elements);
    } catch (error) {
      throw new FileError(this.#name, "contain an array that is too long for memory", {
        cause: error,
        code: "limit",
      });
    }
  }

  #checkElements(): void {
    const [offsets, elements] = [this.#offsets.all(), this.#elements.all()];
    if (offsets[0] !== 0 || offsets.at(-1) !== elements.length) {
      throw this.#error("do not begin and end where their elements do");
    }
    for (let row = 1; row < offsets.length; row++) {
      if (offsets[row - 1]! > offsets[row]!) throw this.#error("have an offset below the last");
    }
    const { length } = this.#strings;
    if (elements.some((element) => element === 0 || element >= length)) {
      throw this.#error("have an element that is not in the dictionary");
    }
  }

  /** Compares elements, since the JSON of all arrays may be many times as long as the file. */
  #checkOrder(): void {
    const samples = this.#samples.all();
    const rows = this.#offsets.length - 1;
    if (samples.some((row, code) => code > 0 && row >= rows)) {
      throw this.#error("lead out of the rows");
    }
    const ranks = this.#ranks();
    for (let code = 2; code < samples.length; code++) {
      const [before, next] = [samples[code - 1]!, samples[code]!].map((row) =>
        this.#elementsOf(row),
      );
      if (before === undefined || next === undefined || !isLower(before, next, ranks)) {
        throw this.#error(`are not in order at ${code}`);
      }
    }
  }

  /** The position of each string in the order of their JSON, which escapes some characters. */
  #ranks(): Uint32Array {
    const texts = Array.from({ length: this.#strings.length }, (_, code) =>
      code === 0 ? "" : JSON.stringify(this.#strings.at(code)),
    );
    const ranks = new Uint32Array(texts.length);
    const order = Array.from(texts.keys()).sort((a, b) => compareCodePoints(texts[a]!, texts[b]!));
    order.forEach((code, rank) => (ranks[code] = rank));
    return ranks;
  }

  #error(reason: string): FileError {
    return new FileError(this.#name, reason);
  }
}

/**
 * Whether the JSON of an array sorts before that of another one. No JSON string is a prefix of another one, and a comma
 * sorts before the closing bracket.
 */
function isLower(a: Codes, b: Codes, ranks: Uint32Array): boolean {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [first, second] = [ranks[a[i]!]!, ranks[b[i]!]!];
    if (first !== second) return first < second;
  }
  return a.length > b.length;
}
