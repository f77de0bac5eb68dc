// Merges tercet files into one, column by column and in pieces: only the codes of values are held for all columns at
// once, and no record is made. The files have the same columns, and no two live rows have one key.

import { bisect } from "../../engine/algorithms/bisect.ts";
import { addRow, createBitset } from "../../engine/algorithms/bitset.ts";
import type { Steps } from "../../engine/algorithms/steps.ts";
import type { Order } from "../../engine/indexes/field-index.ts";
import { codesTypeFor } from "../../engine/indexes/memory-index.ts";
import { forEachRow, type Postings } from "../../engine/indexes/postings.ts";
import { TrigramIndex } from "../../engine/indexes/trigram-index.ts";
import { tuning } from "../../engine/tuning.ts";
import type { Schema } from "../../schema/schema.ts";
import { writeSavedSchema } from "../../schema/schema-json.ts";
import { FileError } from "../file-error.ts";
import type { FileColumn, FileTable } from "../read/file.ts";
import { mergeDictionaries, type MergedDictionary } from "./merge-dictionaries.ts";
import {
  inPieces,
  writeTable,
  type LazyBytes,
  type WrittenColumn,
  type WrittenDictionary,
} from "./table.ts";
import { trigramBytes } from "./trigrams.ts";

/** A file to be merged. */
export interface MergedFile {
  readonly table: FileTable;
  /** The rows that are left out, ascending. */
  readonly dead: Uint32Array;
}

/** Whether files of such records can be merged. Files with strings fields can't. */
export function hasMergeableColumns({ places }: Schema): boolean {
  return places.every(({ field }) => field.type !== "strings");
}

/** How many rows are read at once. */
const ROWS_AT_ONCE = 1 << 14;

/**
 * The bytes of one file with the live rows of others, in the order of their keys. Cost: that of reading and writing
 * them once or a few times. Memory: a number for each of their values, and all values of one field.
 *
 * @param note the note of the new file
 * @returns pieces, some of them empty: none takes more than a few milliseconds
 * @throws FileError if a file is damaged, or the strings of a field take more than 2 GiB
 */
export function* mergedPieces(
  files: readonly [MergedFile, ...MergedFile[]],
  note: unknown,
): Generator<Uint8Array, void> {
  const [{ table: first }] = files;
  const order = yield* inPieces(stretchesOf(files));
  const merging = new Merging(files, order);
  const dictionaries: WrittenDictionary[] = [];
  const columns: WrittenColumn[] = [];
  const known: { merged: MergedDictionary; used: Used; number: number }[] = [];
  for (const { nullable, isHidden, parts } of columnsOf(files)) {
    const [{ name, order: ordered, postings, dictionary }] = parts;
    const counted = yield* inPieces(merging.count(parts, nullable));
    const own = parts.map((part) => part.dictionary);
    let same = known.find(
      ({ merged, used }) =>
        merged.parts.every((part, i) => part === own[i]) && isSameUse(used, counted.used),
    );
    if (same === undefined) {
      const merged = yield* inPieces(mergeDictionaries(own, counted.used, name));
      same = { merged, used: counted.used, number: dictionaries.length };
      known.push(same);
      const type = dictionary.type === "strings" ? "string" : dictionary.type;
      dictionaries.push({ type, values: merged.values, read: () => merged.encoded() });
    }
    const { merged, number } = same;
    const areMany = order.rows > tuning.manyRows && merged.values > tuning.manyValues;
    columns.push({
      name,
      hidden: isHidden,
      nullable,
      dictionary: number,
      codes: merging.codes(parts, merged, counted),
      ordered: ordered === undefined && !areMany ? undefined : () => merging.ordered(parts, merged),
      trigrams: postings === undefined ? undefined : () => merging.trigrams(parts),
    });
  }
  yield* writeTable({
    rows: order.rows,
    nextKey: Math.max(...files.map(({ table }) => table.nextKey)),
    keys: merging.keys(),
    schema: writeSavedSchema(first.schema),
    note,
    dictionaries,
    columns,
  });
}

/** A column of all files. */
interface Parts {
  readonly nullable: boolean;
  readonly isHidden: boolean;
  readonly parts: readonly [FileColumn, ...FileColumn[]];
}

function* columnsOf([first, ...others]: readonly [MergedFile, ...MergedFile[]]): Generator<Parts> {
  const { columns, hidden, folded, schema } = first.table;
  const of = (column: FileColumn, find: (table: FileTable) => FileColumn | undefined) => {
    const rest = others.map(({ table }) => {
      const found = find(table);
      if (found !== undefined) return found;
      throw new FileError("directory", `has no column ${column.name}, which others have`);
    });
    return [column, ...rest] as const;
  };
  // By name, since the schemas of the other files may have the fields in another order.
  for (const column of columns) {
    const { name } = column;
    const nullable = schema.places.find((place) => place.name === name)?.field.nullable === true;
    const sameIn = (table: FileTable) => table.columns.find((each) => each.name === name);
    yield { nullable, isHidden: false, parts: of(column, sameIn) };
  }
  for (const [i, column] of hidden.entries()) {
    yield { nullable: true, isHidden: true, parts: of(column, (table) => table.hidden[i]) };
  }
  for (const [name, column] of folded) {
    const nullable = schema.places.find((place) => place.name === name)?.field.nullable === true;
    yield { nullable, isHidden: true, parts: of(column, (table) => table.folded.get(name)) };
  }
}

/** For each file, which codes the live rows have; `undefined` if they have all. */
type Used = readonly (Uint8Array | undefined)[];

function isSameUse(a: Used, b: Used): boolean {
  return a.every((each, i) => {
    const other = b[i];
    if (each === undefined || other === undefined) return each === other;
    return each.every((use, code) => use === other[code]);
  });
}

/** The rows of the merged file: ranges of rows of the others. */
interface Stretches {
  readonly rows: number;
  /** For each range, the number of its file, and its first and last row there. */
  readonly files: readonly number[];
  readonly from: readonly number[];
  readonly to: readonly number[];
}

function* stretchesOf(merged: readonly MergedFile[]): Steps<Stretches> {
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
    if (files.length % ROWS_AT_ONCE === 0) yield;
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

  /** The end of the live rows whose keys are lower than a key. */
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

/** Facts about the values of a column's live rows. */
interface Counted {
  readonly nulls: number;
  /** Arrow's validity; empty if no row is null. */
  readonly validity: Uint8Array;
  readonly used: Used;
}

class Merging {
  readonly #files: readonly MergedFile[];
  readonly #order: Stretches;

  constructor(files: readonly MergedFile[], order: Stretches) {
    this.#files = files;
    this.#order = order;
  }

  /** The codes of a column's rows in the order of the new file, a few at a time, each with the number of its file. */
  *#read(
    parts: readonly FileColumn[],
  ): Generator<{ readonly file: number; readonly codes: Uint8Array | Uint16Array | Uint32Array }> {
    const { files, from, to } = this.#order;
    for (let i = 0; i < files.length; i++) {
      const file = files[i] ?? 0;
      const end = to[i] ?? 0;
      for (let row = from[i] ?? 0; row < end; row += ROWS_AT_ONCE) {
        const codes = parts[file]?.codes.slice(row, Math.min(end, row + ROWS_AT_ONCE));
        if (codes !== undefined) yield { file, codes };
      }
    }
  }

  *count(parts: readonly FileColumn[], nullable: boolean): Steps<Counted> {
    const used = parts.map(({ dictionary }, i) =>
      this.#files[i]?.dead.length === 0 ? undefined : new Uint8Array(dictionary.length),
    );
    if (!nullable && used.every((each) => each === undefined)) {
      return { nulls: 0, validity: NO_BYTES, used };
    }
    const validity = new Uint8Array((this.#order.rows + 7) >>> 3);
    let nulls = 0;
    let row = 0;
    for (const { file, codes } of this.#read(parts)) {
      const own = used[file];
      if (own !== undefined) for (let i = 0; i < codes.length; i++) own[codes[i]!] = 1;
      for (let i = 0; i < codes.length; i++, row++) {
        if (codes[i] === 0) nulls++;
        else validity[row >>> 3]! |= 1 << (row & 7);
      }
      yield;
    }
    return { nulls, validity: nulls === 0 ? NO_BYTES : validity, used };
  }

  /** The codes of a column in the new file, a few at a time. */
  *#mapped(parts: readonly FileColumn[], { maps, values }: MergedDictionary) {
    const type = codesTypeFor(values);
    let out = new type(ROWS_AT_ONCE);
    let length = 0;
    for (const { file, codes } of this.#read(parts)) {
      const map = maps[file] ?? new Uint32Array();
      if (length + codes.length > ROWS_AT_ONCE) {
        yield out.subarray(0, length);
        [out, length] = [new type(ROWS_AT_ONCE), 0];
      }
      for (let i = 0; i < codes.length; i++) {
        const code = map[codes[i]!];
        if (code === undefined) {
          throw new FileError(`codes of ${parts[0]?.name}`, "point outside the dictionary");
        }
        out[length++] = code;
      }
    }
    yield out.subarray(0, length);
  }

  codes(
    parts: readonly FileColumn[],
    merged: MergedDictionary,
    { nulls, validity }: Counted,
  ): WrittenColumn["codes"] {
    const length = this.#order.rows;
    const mapped = () => this.#mapped(parts, merged);
    const bytes: LazyBytes = {
      length: length * codesTypeFor(merged.values).BYTES_PER_ELEMENT,
      *pieces() {
        for (const { buffer, byteOffset, byteLength } of mapped()) {
          yield new Uint8Array(buffer, byteOffset, byteLength);
        }
      },
    };
    return { length, nulls, validity, bytes };
  }

  *ordered(parts: readonly FileColumn[], merged: MergedDictionary): Steps<Order> {
    const starts = new Uint32Array(merged.values + 1);
    for (const codes of this.#mapped(parts, merged)) {
      for (let i = 0; i < codes.length; i++) starts[codes[i]! + 1]!++;
      yield;
    }
    for (let code = 0; code < merged.values; code++) starts[code + 1]! += starts[code]!;
    const next = starts.slice();
    const order = new Uint32Array(this.#order.rows);
    let row = 0;
    for (const codes of this.#mapped(parts, merged)) {
      for (let i = 0; i < codes.length; i++) order[next[codes[i]!]!++] = row++;
      yield;
    }
    return { order, starts };
  }

  *trigrams(parts: readonly FileColumn[]) {
    const all: { readonly postings: Postings; readonly rowOf: Int32Array }[] = [];
    for (const [file, { postings, codes, dictionary }] of parts.entries()) {
      const size = codes.length;
      const read = (row: number) => dictionary.at(codes.at(row));
      const own = postings ?? (yield* TrigramIndex.building(size, read)).all;
      all.push({ postings: own, rowOf: this.#rowsOf(file, size) });
    }
    const { rows } = this.#order;
    const posting = (trigram: number) => {
      const bits = createBitset(rows);
      let count = 0;
      for (const { postings, rowOf } of all) {
        forEachRow(postings.posting(trigram), (row) => {
          const now = rowOf[row]!;
          if (now < 0) return;
          addRow(bits, now);
          count++;
        });
      }
      return { count, bits };
    };
    return yield* trigramBytes({ rows, bytes: 0, posting });
  }

  /** For each row of a file, its row in the new one, or −1. */
  #rowsOf(file: number, size: number): Int32Array {
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

  /** The keys of the rows, if they differ from the row numbers. */
  keys(): LazyBytes | undefined {
    const { files, from, to, rows } = this.#order;
    const keyOf = (file: number, row: number) => this.#files[file]?.table.keys?.all()[row] ?? row;
    const last = files.length - 1;
    const isOwn = last < 0 || keyOf(files[last] ?? 0, (to[last] ?? 0) - 1) === rows - 1;
    if (isOwn) return undefined;
    return {
      length: 8 * rows,
      *pieces() {
        let out = new Float64Array(ROWS_AT_ONCE);
        let length = 0;
        for (let i = 0; i < files.length; i++) {
          for (let row = from[i] ?? 0; row < (to[i] ?? 0); row++) {
            out[length++] = keyOf(files[i] ?? 0, row);
            if (length < ROWS_AT_ONCE) continue;
            yield new Uint8Array(out.buffer);
            [out, length] = [new Float64Array(ROWS_AT_ONCE), 0];
          }
        }
        yield new Uint8Array(out.buffer, 0, 8 * length);
      },
    };
  }
}

const NO_BYTES = new Uint8Array();
