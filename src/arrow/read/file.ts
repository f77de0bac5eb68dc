// A tercet file with its directory read, so that the sections of each column can be read. A section is checked when all
// of it is requested.

import { finish, inSteps, type Steps } from "../../engine/algorithms/steps.ts";
import { UniqueValues } from "../../engine/columns/unique-values.ts";
import { TrigramIndex } from "../../engine/indexes/trigram-index.ts";
import { tuning } from "../../engine/tuning.ts";
import { string } from "../../schema/declare.ts";
import { orUndefined } from "../../schema/errors.ts";
import {
  comparisonText,
  storageOf,
  storedValue,
  textFormOfStored,
  textTestOf,
} from "../../schema/field.ts";
import type { LastIds } from "../../engine/columns/last-ids.ts";
import type { Field, TextRules } from "../../schema/field.ts";
import type { Schema } from "../../schema/schema.ts";
import { readFrom, type ByteSource } from "../byte-source.ts";
import { ArrayDictionary } from "./array-dictionary.ts";
import { ColumnCodes } from "./codes.ts";
import { openDictionary, type FileDictionary } from "./dictionary.ts";
import type { ColumnEntry, Directory } from "../directory.ts";
import { FileError } from "../file-error.ts";
import type { ByteRange } from "../format.ts";
import { Pages } from "./pages.ts";
import { readSchema } from "../schema-json.ts";
import { openOffsets } from "./offsets.ts";
import { Section } from "./section.ts";
import { arePostingsOf, FilePostings } from "./file-postings.ts";
import type { Codes } from "../../engine/indexes/field-index.ts";

/** A column of a file. */
export interface FileColumn {
  readonly name: string;
  /** Shared by columns with equal values. */
  readonly dictionary: FileDictionary;
  /** For each row, the position of its value in the dictionary. */
  readonly codes: Section<Codes>;
  /** The same codes, which give the starts if the file has none. */
  readonly counted: ColumnCodes;
  /** The rows by code, then by row. A column that has it also has the starts. */
  readonly order: Section<Uint32Array> | undefined;
  /** The start of each code's rows in that order, whether the file has it or not. */
  readonly starts: Section<Uint32Array> | undefined;
  /** The rows of each trigram. */
  readonly postings: FilePostings | undefined;
}

export interface FileTable {
  readonly rows: number;
  /** Greater than any key ever used. */
  readonly nextKey: number;
  /** The numbers given so far, as far as they are known. */
  readonly lastIds: LastIds;
  readonly schema: Schema;
  /** One for each field, in the order of the schema. */
  readonly columns: readonly FileColumn[];
  /** Columns that belong to no field. */
  readonly hidden: readonly FileColumn[];
  /** The compared form of each field that ignores case. */
  readonly folded: ReadonlyMap<string, FileColumn>;
  /** The keys of the rows, ascending, if they differ from the row numbers. */
  readonly keys: Section<Float64Array> | undefined;
  readonly pages: Pages;
}

/** How to open a file. */
export interface TableOptions {
  /** Whether to read no section completely, so that a damaged page loses only its own rows. */
  readonly inPieces?: boolean;
  /** Whether a page is checked only when it is read first: for files that are read several times, and soon. */
  readonly isCheckedOnce?: boolean;
  /** The values allowed in columns that belong to no field. Default: any string, and null. */
  readonly hidden?: readonly string[] | undefined;
}

/** The constraints of a field on its values. */
type FieldRules = Pick<Field, "nullable" | "unique"> & TextRules;

/** @throws FileError */
export function openTable(
  source: ByteSource,
  directory: Directory,
  { inPieces = false, isCheckedOnce = false, hidden: texts }: TableOptions = {},
): FileTable {
  const { offset, length } = directory.checksums;
  const { buffer, byteOffset } = readFrom(source, offset, offset + length, "checksums");
  const checksums = new Uint32Array(buffer, byteOffset, length / 4);
  const small = inPieces ? -1 : tuning.smallSection;
  const pages = new Pages(source, offset, checksums, directory.checksum, small, isCheckedOnce);
  const schema = readSchema(directory.schema);
  const entries = new Map<string, ColumnEntry>();
  const nameOf = new Map<number, string>();
  for (const entry of directory.columns) {
    const { name, dictionary, hidden } = entry;
    if (!nameOf.has(dictionary)) nameOf.set(dictionary, name);
    if (hidden) continue;
    if (entries.has(name)) throw new FileError("directory", `has two columns ${name}`);
    entries.set(name, entry);
  }
  const dictionaries = directory.dictionaries.map((entry, number) =>
    openDictionary(nameOf.get(number) ?? String(number), pages, entry),
  );
  const open = (entry: ColumnEntry, field: FieldRules) => {
    const { arrays, name } = entry;
    const dictionary = dictionaries[entry.dictionary];
    const isOfArrays = arrays !== undefined;
    if (dictionary?.type === storageOf(field.type) && isOfArrays === (field.type === "strings")) {
      const values = isOfArrays ? new ArrayDictionary(name, pages, arrays, dictionary) : dictionary;
      return openColumn(entry, values, field, directory.rows, pages);
    }
    throw new FileError("directory", `has a column ${name} whose type does not match its field`);
  };
  const columns = schema.places.map(({ name, field }) => {
    const entry = entries.get(name);
    if (entry !== undefined) return open(entry, field);
    throw new FileError("directory", `has no column ${name}`);
  });
  const others = directory.columns
    .filter((entry) => entry.hidden)
    .map((entry) =>
      open(entry, {
        ...string({ nullable: texts === undefined }),
        oneOf: texts,
      }),
    );
  // They come last, in the order of the file's own schema: the caller's order may differ.
  const ignoring = [...schema.spellings.keys()];
  const hidden = others.slice(0, Math.max(0, others.length - ignoring.length));
  const folded = others.slice(hidden.length);
  if (folded.length < ignoring.length) {
    throw new FileError("directory", "has hidden columns that do not match the collection");
  }
  return {
    rows: directory.rows,
    nextKey: checkedNextKey(directory),
    lastIds: new Map(directory.lastIds),
    schema,
    columns,
    hidden,
    folded: new Map(ignoring.flatMap((name, i) => (folded[i] ? [[name, folded[i]]] : []))),
    keys: directory.keys && openKeys(directory.keys, directory.nextKey, pages),
    pages,
  };
}

function openColumn(
  entry: ColumnEntry,
  dictionary: FileDictionary,
  field: FieldRules,
  rows: number,
  pages: Pages,
): FileColumn {
  const { name } = entry;
  const { nullable, unique } = field;
  const isText = textTestOf(field);
  const check = () => {
    if (isText !== undefined && hasOthers(isText, dictionary)) {
      throw new FileError(`codes of ${name}`, "contain a value that the field does not accept");
    }
  };
  const starts = entry.starts && openStarts(name, entry.starts, rows, pages);
  // The check of an order also checks the starts.
  const alone = entry.order === undefined ? starts : undefined;
  const rules = { values: dictionary.length, nullable, unique, starts: alone, check };
  const counted = new ColumnCodes(name, pages, entry.codes, rules);
  const codes = counted.section;
  const postings = openPostings(entry, rows, pages);
  if (entry.order === undefined || starts === undefined) {
    return { name, dictionary, codes, counted, order: undefined, starts, postings };
  }
  const orderName = `order of ${name}`;
  const order = new Section<Uint32Array>(orderName, pages, entry.order, Uint32Array, {
    first: () => {
      codes.all();
      starts.all();
    },
    check: (all) => checkOrder(all, codes.all(), starts.all(), orderName),
  });
  return { name, dictionary, codes, counted, order, starts, postings };
}

function openStarts(name: string, range: ByteRange, rows: number, pages: Pages) {
  const section = `starts of ${name}`;
  return new Section<Uint32Array>(section, pages, range, Uint32Array, {
    check: (all) => checkStarts(all, rows, section),
  });
}

/** How many rows, or codes, are checked in a step. */
const CHECKED = 1 << 16;

function* checkStarts(all: Uint32Array, rows: number, name: string): Steps<void> {
  const codes = all.length - 1;
  let isRight = all[0] === 0 && all[codes] === rows;
  yield* inSteps(
    codes,
    (from, to) => {
      for (let code = from; code < to; code++) isRight &&= all[code]! <= all[code + 1]!;
    },
    CHECKED,
  );
  if (!isRight) throw new FileError(name, "do not match the rows");
}

function openPostings(
  { name, trigrams, postings, startBytes }: ColumnEntry,
  rows: number,
  pages: Pages,
): FilePostings | undefined {
  if (trigrams === undefined || postings === undefined) return undefined;
  const section = `trigrams of ${name}`;
  return new FilePostings(
    rows,
    openOffsets<Uint32Array>(section, pages, trigrams, Uint32Array, startBytes),
    new Section<Uint8Array>(section, pages, postings, Uint8Array),
  );
}

/** Whether a dictionary contains a value that is not in a set. */
function hasOthers(isText: (text: string) => boolean, dictionary: FileDictionary): boolean {
  for (let code = 1; code < dictionary.length; code++) {
    if (!isText(dictionary.at(code) ?? "")) return true;
  }
  return false;
}

/**
 * Checks that the rows of each code ascend. The order has as many elements as there are rows, so each row then occurs
 * once, and `starts` is correct too.
 */
function* checkOrder(
  order: Uint32Array,
  codes: Codes,
  starts: Uint32Array,
  name: string,
): Steps<void> {
  let code = 0;
  let last = -1;
  yield* inSteps(
    order.length,
    (from, to) => {
      for (let i = from; i < to; i++) {
        while (starts[code + 1]! <= i) {
          code++;
          last = -1;
        }
        const row = order[i]!;
        if (row <= last || codes[row] !== code)
          throw new FileError(name, "does not match the codes");
        last = row;
      }
    },
    CHECKED,
  );
}

function openKeys(range: ByteRange, nextKey: number, pages: Pages): Section<Float64Array> {
  return new Section<Float64Array>("keys", pages, range, Float64Array, {
    check: (all) => checkKeys(all, nextKey),
  });
}

function* checkKeys(all: Float64Array, nextKey: number): Steps<void> {
  let last = -1;
  yield* inSteps(
    all.length,
    (from, to) => {
      for (let row = from; row < to; row++) {
        const key = all[row]!;
        if (!Number.isSafeInteger(key) || key <= last || key >= nextKey) {
          throw new FileError("keys", "are not ascending integers below the next key");
        }
        last = key;
      }
    },
    CHECKED,
  );
}

function checkedNextKey({ nextKey, rows }: Directory): number {
  if (nextKey < rows) throw new FileError("directory", "has a next key that a row already has");
  return nextKey;
}

/**
 * Checks everything.
 *
 * @throws FileError
 */
export function verifyTable(table: FileTable): void {
  const { columns, hidden, folded, keys, pages } = table;
  pages.verifyChecksums();
  const all = [...columns, ...hidden, ...folded.values()];
  for (const { name, dictionary, codes, order, postings } of all) {
    dictionary.load();
    const all = codes.all();
    if (dictionary instanceof ArrayDictionary) dictionary.verifyRows(all);
    order?.all();
    if (postings === undefined) continue;
    const ofValues = TrigramIndex.building(dictionary.length, (code) => dictionary.at(code));
    if (!arePostingsOf(postings, all, finish(ofValues).all)) {
      throw new FileError(`trigrams of ${name}`, "do not match the values");
    }
  }
  keys?.all();
  verifyFolded(table);
  verifyPaths(table);
  verifyCombinations(table);
}

/** @throws FileError if a row has another value in a computed field than at its path in a json field (V16) */
function verifyPaths({ schema, columns }: FileTable): void {
  for (const { name, field, position, sources, read } of schema.computed.values()) {
    const [source] = sources;
    // No file keeps functions.
    if (field.path === undefined || source === undefined) continue;
    const [json, computed] = [columns[source.position]!, columns[position]!];
    const [from, to] = [json.codes.all(), computed.codes.all()];
    /** For each JSON, the code of the value, once checked. */
    const known = new Int32Array(json.dictionary.length).fill(-1);
    for (let row = 0; row < from.length; row++) {
      const [code, other] = [from[row]!, to[row]!];
      if (known[code] === other) continue;
      const expected = orUndefined(() => {
        const value = storedValue(schema.form, source.field, json.dictionary.at(code));
        return read(Object.fromEntries([[source.name, value]]));
      });
      const isSame =
        expected !== undefined &&
        textFormOfStored(field, expected) === computed.dictionary.at(other);
      if (!isSame) throw new FileError(`column ${name}`, "has other values than those at its path");
      known[code] = other;
    }
  }
}

/** @throws FileError if two rows have the same values of a unique combination; null equals nothing (V13) */
function verifyCombinations({ rows, schema, columns, folded }: FileTable): void {
  for (const { name, places } of schema.combinations.values()) {
    const codes = places.flatMap((place) => {
      const column = folded.get(place.name) ?? columns[place.position];
      return column === undefined ? [] : [column.codes.all()];
    });
    const seen = new UniqueValues();
    for (let row = 0; row < rows; row++) {
      const own = codes.map((all) => all[row]!);
      if (seen.add(own.includes(0) ? null : own.join()) < 0) continue;
      throw new FileError(
        `columns ${name}`,
        "contain the same values twice, but the schema makes them unique",
      );
    }
  }
}

/** @throws FileError if the folded form of a field does not match its values */
function verifyFolded({ schema, columns, folded }: FileTable): void {
  for (const { field, name, position } of schema.places) {
    const { dictionary, codes } = columns[position]!;
    const compared = folded.get(name);
    if (compared === undefined) continue;
    const [from, to] = [codes.all(), compared.codes.all()];
    /** For each value, the code of its compared form, once checked. */
    const known = new Int32Array(dictionary.length).fill(-1);
    for (let row = 0; row < from.length; row++) {
      const [code, other] = [from[row]!, to[row]!];
      if (known[code] === other) continue;
      const value = dictionary.at(code);
      if (comparisonText(field, value) !== compared.dictionary.at(other)) {
        throw new FileError(`column ${name}`, "has folded values that do not match its values");
      }
      known[code] = other;
    }
  }
}
