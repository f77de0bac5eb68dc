// The index of a field of other records: a row has the value of the record to which it refers. It is made of the index
// of the references, and one in which its codes are the rows: so a change of the other records costs as much as there
// are codes, not rows. The arrays of the rows are made only once reading parts of them has cost as much.

import { positiveOf } from "../../criteria/bounds.ts";
import { oppositeOf, type ParsedCriterion } from "../../criteria/tree.ts";
import { bisectBy } from "../algorithms/bisect.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { finish } from "../algorithms/steps.ts";
import { complement, intersect, setOfCodes, type CodeSet } from "../indexes/code-set.ts";
import { FieldIndex, type Codes, type CopiedArrays } from "../indexes/field-index.ts";
import { byCode, codesTypeFor, copyStretch, recoded } from "../indexes/memory-index.ts";
import type { Values } from "../indexes/values.ts";
import type { ReferencedField } from "./referenced-field.ts";

/** A row is put in order in the time of so many that are read. */
const SORTING = 4;

export class ComposedIndex extends FieldIndex {
  readonly values: Values;
  readonly rows: number;
  readonly hasOrder = true;
  readonly keepsOrder = false;
  readonly isInFile: boolean;
  readonly references: FieldIndex;
  /** For each code of the references, that of the value. */
  readonly ofReferences: FieldIndex;
  #starts: Uint32Array | undefined;
  #codes: Codes | undefined;
  #order: Uint32Array | undefined;
  /** How many rows were read without the arrays. */
  #read = 0;
  /** The field whose values these are. */
  #searched: ReferencedField | undefined;
  /** The rows of the code that was read last. */
  #last: { readonly code: number; readonly rows: Uint32Array } | undefined;

  constructor(references: FieldIndex, ofReferences: FieldIndex) {
    super(ofReferences.type);
    this.values = ofReferences.values;
    this.rows = references.rows;
    this.references = references;
    this.ofReferences = ofReferences;
    this.isInFile = references.isInFile;
  }

  /**
   * The index after some references have other values that it has already. The codes of the rows are handed on, since
   * copying them would take much longer: this index makes its own again if it is still used. Cost: that of the rows of
   * these references, and of copying the index of the references.
   *
   * @param moved the new code of each reference
   */
  following(moved: ReadonlyMap<number, number>): ComposedIndex {
    if (moved.size === 0) return this;
    const { references } = this;
    const next = new ComposedIndex(references, recoded(this.ofReferences, moved));
    next.#codes = this.#codes;
    this.#codes = undefined;
    next.#starts = this.#starts?.slice();
    for (const [reference, code] of moved) {
      const old = this.ofReferences.codeAt(reference);
      const rows = references.rowsOf(reference, reference + 1);
      if (next.#codes !== undefined) for (const row of rows) next.#codes[row] = code;
      if (next.#starts === undefined) continue;
      const low = Math.min(old, code);
      const added = old < code ? -rows.length : rows.length;
      for (let i = low + 1; i <= Math.max(old, code); i++) next.#starts[i]! += added;
    }
    return next;
  }

  /** Called when it has grown by an array of all rows. */
  onGrowth: (() => void) | undefined;

  /** Has texts looked for by the indexes of the other records. */
  searchIn(of: ReferencedField): void {
    this.#searched = of;
  }

  override get findsTexts(): boolean {
    return this.#searched !== undefined || super.findsTexts;
  }

  override test(
    criteria: readonly ParsedCriterion[],
    among?: CodeSet,
    deadline?: Deadline,
  ): CodeSet {
    const end = this.values.length;
    let left = among ?? [0, end];
    const others: ParsedCriterion[] = [];
    for (const criterion of criteria) {
      const { kind } = positiveOf(criterion.bounds);
      if (this.#searched === undefined || (kind !== "substring" && kind !== "suffix")) {
        others.push(criterion);
        continue;
      }
      const isOutside = criterion.bounds.kind === "complement";
      const searched = isOutside ? oppositeOf(criterion) : criterion;
      const found = this.#codesOf(this.#searched.valuesWith(searched, deadline));
      left = intersect(left, isOutside ? complement(found, end) : found, end);
    }
    return others.length === 0 ? left : super.test(others, left, deadline);
  }

  /** The codes of some values, of which it may lack some. */
  #codesOf(values: Iterable<string>): CodeSet {
    const codes: number[] = [];
    for (const value of values) {
      const code = this.firstCodeOf(value);
      if (this.values.at(code) === value) codes.push(code);
    }
    return setOfCodes(codes, this.values.length);
  }

  get isInPieces(): boolean {
    return this.#order === undefined;
  }

  get areCodesInPieces(): boolean {
    return this.#codes === undefined;
  }

  protected get arrayBytes(): number {
    const arrays = [this.#starts, this.#codes, this.#order];
    return arrays.reduce((sum, each) => sum + (each?.byteLength ?? 0), this.ofReferences.bytes);
  }

  get codes(): Codes {
    if (this.#codes !== undefined) return this.#codes;
    const { codes: ofReferences } = this.ofReferences;
    const { codes: references } = this.references;
    const codes = new (codesTypeFor(this.values.length))(this.rows);
    for (let row = 0; row < codes.length; row++) codes[row] = ofReferences[references[row]!]!;
    this.#codes = codes;
    this.onGrowth?.();
    return codes;
  }

  codeAt(row: number): number {
    return this.#codes?.[row] ?? this.ofReferences.codeAt(this.references.codeAt(row));
  }

  override codesAt(batch: Uint32Array, length: number): Uint32Array {
    this.#read += length;
    if (this.#codes !== undefined || this.#read > this.rows) {
      return codesIn(this.codes, batch, length);
    }
    const { codes } = this.ofReferences;
    const some = this.references.codesAt(batch, length);
    for (let i = 0; i < length; i++) some[i] = codes[some[i]!]!;
    return some;
  }

  get starts(): Uint32Array {
    if (this.#starts !== undefined) return this.#starts;
    const { order, starts: ofCodes } = this.ofReferences;
    const { starts: ofReferences } = this.references;
    const starts = new Uint32Array(this.values.length + 1);
    let at = 0;
    for (let code = 0; code < this.values.length; code++) {
      starts[code] = at;
      for (let i = ofCodes[code]!; i < ofCodes[code + 1]!; i++) {
        const reference = order[i]!;
        at += ofReferences[reference + 1]! - ofReferences[reference]!;
      }
    }
    starts[this.values.length] = at;
    return (this.#starts = starts);
  }

  startOf(code: number): number {
    return this.starts[code]!;
  }

  get order(): Uint32Array {
    if (this.#order !== undefined) return this.#order;
    const { order } = finish(byCode(this.codes, this.values.length, this.starts));
    this.#last = undefined;
    this.#order = order;
    this.onGrowth?.();
    return order;
  }

  override rowsOf(low: number, high: number): Uint32Array {
    if (this.#order !== undefined) return super.rowsOf(low, high);
    const rows = new Uint32Array(this.startOf(high) - this.startOf(low));
    const { references } = this;
    const { order, starts: ofCodes } = this.ofReferences;
    const inMemory = references.isInPieces ? undefined : references;
    const { order: all, starts } = inMemory ?? {};
    let at = 0;
    for (let i = ofCodes[low]!; i < ofCodes[high]!; i++) {
      const reference = order[i]!;
      if (all !== undefined && starts !== undefined) {
        // A reference has few rows, and calls would take most of the time.
        for (let j = starts[reference]!; j < starts[reference + 1]!; j++) rows[at++] = all[j]!;
        continue;
      }
      const [from, to] = [references.startOf(reference), references.startOf(reference + 1)];
      references.copyRows(from, to, rows, at);
      at += to - from;
    }
    this.#read += rows.length;
    return rows;
  }

  rowAt(position: number): number {
    if (this.#order !== undefined) return this.#order[position]!;
    const code = this.#codeOfPosition(position);
    return this.#inOrder(code)[position - this.startOf(code)]!;
  }

  copyRows(from: number, to: number, target: Uint32Array, at = 0): void {
    if (this.#order === undefined && SORTING * (this.#read + to - from) < this.rows) {
      for (let code = this.#codeOfPosition(from); from < to; code++) {
        const start = this.startOf(code);
        const end = Math.min(to, this.startOf(code + 1));
        if (from < end) copyStretch(this.#inOrder(code), from - start, end - start, target, at);
        at += Math.max(0, end - from);
        from = Math.max(from, end);
      }
    } else copyStretch(this.order, from, to, target, at);
  }

  copy(): CopiedArrays {
    return { codes: this.codes };
  }

  /** Without the rows of a code in order: it is how many of each of its references come before the row. */
  override positionOf(row: number): number {
    if (this.#order !== undefined) return super.positionOf(row);
    const code = this.codeAt(row);
    const { order, starts: ofCodes } = this.ofReferences;
    const references = this.references;
    let position = this.startOf(code);
    for (let i = ofCodes[code]!; i < ofCodes[code + 1]!; i++) {
      const start = references.startOf(order[i]!);
      const length = references.startOf(order[i]! + 1) - start;
      position += bisectBy(length, (at) => references.rowAt(start + at) < row);
    }
    return position;
  }

  /** The code whose run of rows has a position. */
  #codeOfPosition(position: number): number {
    const { starts } = this;
    return bisectBy(this.values.length, (code) => starts[code + 1]! <= position);
  }

  /** The rows of a code, ascending. */
  #inOrder(code: number): Uint32Array {
    if (this.#last?.code === code) return this.#last.rows;
    const rows = this.rowsOf(code, code + 1);
    // Of a single reference they are in order.
    if (this.ofReferences.startOf(code + 1) - this.ofReferences.startOf(code) > 1) rows.sort();
    this.#last = { code, rows };
    return rows;
  }
}

function codesIn(codes: Codes, batch: Uint32Array, length: number): Uint32Array {
  const some = new Uint32Array(length);
  for (let i = 0; i < length; i++) some[i] = codes[batch[i]!]!;
  return some;
}
