// The index of a field, read from a file. While queries need little of a large section, only that is read; afterwards
// all of it.

import { currentDeadline } from "../../engine/algorithms/deadline.ts";
import { Resumable } from "../../engine/algorithms/resumable.ts";
import {
  FieldIndex,
  type Codes,
  type CopiedArrays,
  type Order,
} from "../../engine/indexes/field-index.ts";
import { byCode, copyStretch } from "../../engine/indexes/memory-index.ts";
import type { FileDictionary } from "./dictionary.ts";
import { FileError } from "../file-error.ts";
import type { FileColumn } from "./file.ts";

export class FileIndex extends FieldIndex {
  readonly isInFile = true;
  readonly rows: number;
  readonly #column: FileColumn;
  /** Built if the file has no order. */
  #madeOrder: Uint32Array | undefined;
  readonly #ordering = new Resumable<Order>();

  constructor(column: FileColumn) {
    super(column.dictionary.type);
    this.#column = column;
    this.rows = column.codes.length;
  }

  get values(): FileDictionary {
    return this.#column.dictionary;
  }

  get codes(): Codes {
    this.#column.dictionary.use();
    return this.#column.codes.all();
  }

  get order(): Uint32Array {
    this.#column.dictionary.use();
    return this.#column.order?.all() ?? this.#order;
  }

  get starts(): Uint32Array {
    this.#use();
    return this.#column.starts?.all() ?? this.#starts;
  }

  protected get arrayBytes(): number {
    const { dictionary, codes, order, starts } = this.#column;
    const made = (this.#madeOrder?.byteLength ?? 0) + this.#column.counted.startsBytes;
    return dictionary.bytes + codes.bytes + (order?.bytes ?? 0) + (starts?.bytes ?? 0) + made;
  }

  get hasOrder(): boolean {
    return this.#column.order !== undefined || this.#madeOrder !== undefined;
  }

  get isInPieces(): boolean {
    return this.#column.order?.isInPieces === true;
  }

  codeAt(row: number): number {
    const { codes, dictionary, name } = this.#column;
    const code = codes.at(row);
    if (code < dictionary.length) return code;
    throw new FileError(`codes of ${name}`, "point outside the dictionary");
  }

  get areCodesInPieces(): boolean {
    return this.#column.codes.isInPieces;
  }

  override codesAt(batch: Uint32Array, length: number): Uint32Array {
    const { codes, dictionary, name } = this.#column;
    const some = new Uint32Array(length);
    codes.pick(batch.subarray(0, length), some);
    let isRight = true;
    for (const code of some) isRight &&= code < dictionary.length;
    if (isRight) return some;
    throw new FileError(`codes of ${name}`, "point outside the dictionary");
  }

  startOf(code: number): number {
    const { starts, name } = this.#column;
    this.#use();
    const start = starts?.at(code) ?? this.#starts[code]!;
    if (start <= this.rows) return start;
    throw new FileError(`starts of ${name}`, "do not match the rows");
  }

  override startsOf(low: number, high: number): Uint32Array {
    const { starts, name } = this.#column;
    if (starts === undefined) return super.startsOf(low, high);
    this.#use();
    const some = starts.slice(low, high + 1);
    let isRight = some[high - low]! <= this.rows;
    for (let i = 0; i < high - low; i++) isRight &&= some[i]! <= some[i + 1]!;
    if (isRight) return some;
    throw new FileError(`starts of ${name}`, "do not match the rows");
  }

  rowAt(position: number): number {
    if (!this.isInPieces) return this.order[position]!;
    const row = new Uint32Array(1);
    this.copyRows(position, position + 1, row);
    return row[0]!;
  }

  copyRows(from: number, to: number, target: Uint32Array, at = 0): void {
    const { order, name } = this.#column;
    // Data in memory has been checked.
    if (order?.isInPieces !== true) {
      copyStretch(this.order, from, to, target, at);
      return;
    }
    this.#use();
    const rows = order.slice(from, to);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      if (row >= this.rows) throw new FileError(`order of ${name}`, "points outside the rows");
      target[at + i] = row;
    }
  }

  /** The content of the file never changes. */
  get keepsOrder(): boolean {
    return this.#column.order !== undefined;
  }

  copy(): CopiedArrays {
    const { codes, order, starts } = this.#column;
    const isThere = order !== undefined && starts !== undefined;
    const ordered = isThere ? () => ({ order: order.copy(), starts: starts.copy() }) : undefined;
    return { codes: codes.copy(), ordered };
  }

  /** Checks everything that is small or in memory. */
  #use(): void {
    const { dictionary, order } = this.#column;
    dictionary.use();
    // Loading the order verifies the starts.
    if (order?.isInPieces === false) order.all();
  }

  get #starts(): Uint32Array {
    return this.#column.counted.starts;
  }

  get #order(): Uint32Array {
    return (this.#madeOrder ??= this.#makeOrder());
  }

  #makeOrder(): Uint32Array {
    const [codes, starts] = [this.codes, this.#starts];
    const begin = () => byCode(codes, this.#column.dictionary.length, starts);
    return this.#ordering.finish(begin, currentDeadline()).order;
  }
}
