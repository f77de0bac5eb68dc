// Merges tercet files into one, column by column and in pieces. Memory use is bounded, whatever their size: intermediate
// data goes to a scratch file. No records are created. The files have the same columns, and all live rows have distinct
// keys.

import type { Steps } from "../../engine/algorithms/steps.ts";
import { tuning } from "../../engine/tuning.ts";
import { greaterIds } from "../../engine/columns/last-ids.ts";
import type { UniqueConstraint } from "../../schema/unique.ts";
import { writeSavedSchema } from "../../schema/schema-json.ts";
import { writtenTypeOf, type WrittenType } from "../column-types.ts";
import { FileError } from "../file-error.ts";
import { ArrayDictionary } from "../read/array-dictionary.ts";
import type { FileDictionary } from "../read/dictionary.ts";
import type { FileColumn, FileTable } from "../read/file.ts";
import { MergedDictionary } from "./merge-dictionaries.ts";
import { MergedColumn, type Used } from "./merge-columns.ts";
import { keysOf, rowRangesOf, type MergedFile, type RowRanges } from "./merge-order.ts";
import { firstRepeated, type ComparedColumn, type RepeatedRow } from "./repeated-rows.ts";
import { MemoryScratch, ScratchSpace } from "./scratch.ts";
import type { Replacement } from "./output.ts";
import { inPieces, writeTable, type WrittenColumn, type WrittenDictionary } from "./table.ts";

/** How files are merged. */
export interface MergeOptions {
  /**
   * For intermediate data: one to three bytes for each distinct value of a file and of the new one. Default: memory.
   */
  readonly space?: ScratchSpace;
  /** Called once the dictionaries of the files are no longer read. */
  readonly afterValues?: () => void;
  /** The rows of the new file, in order. Default: all live rows in key order; they keep their keys. */
  readonly order?: RowRanges;
  /** The constraints to check, and the error to throw if a row breaks one. Default: the rows are known to keep them. */
  readonly unique?: {
    readonly constraints: readonly UniqueConstraint[];
    readonly error: (constraint: UniqueConstraint, found: RepeatedRow) => Error;
  };
}

/**
 * The bytes of one file with the live rows of others.
 * Cost: that of reading and writing them a few times; in memory 4 bytes for each row, of one column at a time.
 *
 * @param note that of the new file
 * @returns pieces, some of them empty: none takes more than some milliseconds; and then what is to be replaced in the file
 * @throws FileError if a file is damaged; what `unique.error` returns
 */
export function* mergedPieces(
  files: readonly [MergedFile, ...MergedFile[]],
  note: unknown,
  options: MergeOptions = {},
): Generator<Uint8Array, readonly Replacement[]> {
  const { space = new ScratchSpace(new MemoryScratch()), order: given, unique } = options;
  const [{ table: first }] = files;
  const order = given ?? (yield* inPieces(rowRangesOf(files)));
  const dictionaries = new Dictionaries(space);
  const columns: WrittenColumn[] = [];
  const arrays: MergedDictionary[] = [];
  /** What is compared of each field. */
  const compared = new Map<string, ComparedColumn>();
  let areValuesRead = false;
  for (const { field, nullable, isHidden, parts } of columnsOf(files)) {
    const column = new MergedColumn(files, order, parts, nullable, space);
    const as = writtenTypeOf(first.schema.places.find(({ name }) => name === field)?.field);
    const { values, ...own } = yield* inPieces(written(column, dictionaries, as));
    columns.push({ nullable, hidden: isHidden, ...own });
    if (own.arrays !== undefined) arrays.push(values);
    areValuesRead ||= own.trigrams !== undefined && !parts.every(({ postings }) => postings);
    // That of a field that ignores case comes later.
    if (field !== undefined) compared.set(field, { column, merged: values });
  }
  function* afterValues(): Steps<void> {
    for (const each of arrays) yield* each.mergedOnly();
    if (unique !== undefined) {
      for (const constraint of unique.constraints) {
        const found = yield* firstRepeated(constraint, compared);
        if (found !== undefined) throw unique.error(constraint, found);
      }
    }
    if (!areValuesRead) options.afterValues?.();
  }
  const table = {
    rows: order.rows,
    nextKey:
      given === undefined ? Math.max(...files.map(({ table }) => table.nextKey)) : order.rows,
    lastIds: files.reduce((ids, { table }) => greaterIds(ids, table.lastIds), first.lastIds),
    keys: given === undefined ? keysOf(files, order) : undefined,
    schema: writeSavedSchema(first.schema),
    note,
    dictionaries: dictionaries.all,
    columns,
    space,
  };
  return yield* writeTable(table, afterValues);
}

function* written(
  column: MergedColumn,
  dictionaries: Dictionaries,
  as: WrittenType | undefined,
): Steps<Omit<WrittenColumn, "nullable" | "hidden"> & { readonly values: MergedDictionary }> {
  const { name, parts } = column;
  const [{ order }] = parts;
  const isSearched = parts.some(({ postings }) => postings !== undefined);
  const used = yield* column.used();
  const own = parts.map(({ dictionary }) => dictionary);
  const arrays = own.flatMap((each) => (each instanceof ArrayDictionary ? each : []));
  const areArrays = arrays.length > 0;
  const { merged, number } = dictionaries.add(
    areArrays ? arrays.map(({ strings }) => strings) : own,
    areArrays ? yield* column.usedElements() : used,
    as,
  );
  const values = areArrays ? dictionaries.merge(own, used) : merged;
  const isOrdered = () => {
    const areMany = column.rows > tuning.manyRows && values.values > tuning.manyValues;
    return order !== undefined || areMany;
  };
  return {
    name,
    values,
    dictionary: number,
    codes: column.codes(values, isOrdered),
    *ordered() {
      yield;
      return isOrdered() ? column.ordered() : undefined;
    },
    arrays: areArrays ? column.arrays(values, merged) : undefined,
    trigrams: isSearched ? () => column.trigrams() : undefined,
  };
}

/** The dictionaries of the new file: one for all columns that share theirs in each file. */
class Dictionaries {
  readonly all: WrittenDictionary[] = [];
  readonly #space: ScratchSpace;
  readonly #known: {
    readonly merged: MergedDictionary;
    readonly used: Used;
    readonly as: WrittenType | undefined;
  }[] = [];

  constructor(space: ScratchSpace) {
    this.#space = space;
  }

  add(
    parts: readonly FileDictionary[],
    used: Used,
    as: WrittenType | undefined,
  ): { readonly merged: MergedDictionary; readonly number: number } {
    const same = this.#known.findIndex(
      (known) =>
        known.as === as &&
        known.merged.parts.every((part, i) => part === parts[i]) &&
        isSameUse(known.used, used),
    );
    const known = this.#known[same];
    if (known !== undefined) return { merged: known.merged, number: same };
    const merged = this.merge(parts, used);
    this.all.push({
      type: merged.type === "strings" ? "string" : merged.type,
      as,
      get values() {
        return merged.isMerged ? merged.values : undefined;
      },
      get isLarge() {
        return merged.isLarge;
      },
      *read() {
        yield;
        return merged;
      },
    });
    return { merged, number: this.#known.push({ merged, used, as }) - 1 };
  }

  /** One that is not written. */
  merge(parts: readonly FileDictionary[], used: Used): MergedDictionary {
    return new MergedDictionary(parts, used, this.#space);
  }
}

/** A column of all files. */
interface Parts {
  /** The field of which it is. */
  readonly field: string | undefined;
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
    yield { field: name, nullable, isHidden: false, parts: of(column, sameIn) };
  }
  for (const [i, column] of hidden.entries()) {
    const parts = of(column, (table) => table.hidden[i]);
    yield { field: undefined, nullable: true, isHidden: true, parts };
  }
  for (const [name, column] of folded) {
    const nullable = schema.places.find((place) => place.name === name)?.field.nullable === true;
    const parts = of(column, (table) => table.folded.get(name));
    yield { field: name, nullable, isHidden: true, parts };
  }
}

function isSameUse(a: Used, b: Used): boolean {
  return a.every((each, i) => {
    const other = b[i];
    if (each === undefined || other === undefined) return each === other;
    return each.every((word, number) => word === other[number]);
  });
}
