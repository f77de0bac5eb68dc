// Reads the undamaged parts of a damaged store into an empty state.

import { salvage as salvageRows } from "../arrow/read/salvage.ts";
import { FileError, type ByteSource } from "../arrow/index.ts";
import { summaryOf } from "../arrow/read/open.ts";
import { InputError, type Patch } from "../index.ts";
import type { Data } from "../database/data.ts";
import { valuesOf, type GenerationFiles, type SurveyedFile } from "./check.ts";
import { declare } from "./collections.ts";
import { keepKeys, readLine } from "./data.ts";
import { groupOf, type DataFile, type DataFiles } from "./data-files.ts";
import { faultIn, StoreError } from "./errors.ts";
import type { Descriptor } from "./disk.ts";
import type { OpenFile } from "./files.ts";
import { readFileName, type StoreFile } from "./folder.ts";

/**
 * @param opened receives the descriptors of the files that the state then reads from
 * @returns the number of the last change that is read, how many changes of the journal are, how many readable records
 *   and other parts of changes are not, and the undamaged files of collections
 */
export function salvage(all: DataFiles, files: GenerationFiles, state: Data, opened: Descriptor[]) {
  const { data, journal, collections } = files;
  let refused = 0;
  const { end } = data;
  declare(state, data.schemas);
  for (const [values] of valuesOf(all.folder, data)) {
    const patches = values.map((value) => readLine(value).patch);
    refused += applyEach(
      state,
      patches.filter((patch) => patch !== undefined),
    );
  }
  const unnamed = data.problems.length > 0 ? unnamedFiles(all, files, state) : [];
  const read: DataFile[] = [];
  for (const each of [...collections, ...unnamed]) {
    if (each.problem !== undefined) refused += salvageCollection(all, each.file, state);
    else {
      opened.push(...all.openInto(state, [each]).descriptors);
      read.push(each);
    }
  }
  if (end !== undefined) keepKeys(state, end);
  const isWhole =
    data.problems.length === 0 && collections.every(({ problem }) => problem === undefined);
  const before = end?.number ?? journal.entries[0]?.number ?? 0;
  let number = before;
  for (const [values, entry] of valuesOf(all.folder, journal)) {
    // The first entry is not a change.
    if (entry.number === before) continue;
    if (entry.number !== number + 1) break;
    // What does not fit complete data is damaged itself, and later changes may build on it.
    if (!isWhole) refused += applyEach(state, values);
    else if (!applies(state, values)) break;
    number++;
  }
  return { number, changes: number - before, refused, files: read };
}

/**
 * The latest file of each collection of which nothing but files is left, since the data that named
 * them are damaged.
 */
function unnamedFiles(
  all: DataFiles,
  { generation, collections }: GenerationFiles,
  state: Data,
): SurveyedFile[] {
  const known = new Set(collections.map(({ file }) => readFileName(file)?.source));
  for (const { source, collection, note } of state.parts()) {
    // A Batch that is declared is there, though it may have no Contacts.
    const isDeclared = Array.isArray(note) && note.length > 0;
    if (isDeclared || collection.state.snapshot.size > 0) known.add(source);
  }
  const latest = new Map<string, StoreFile>();
  for (const file of all.folder.files()) {
    const { source, generation: from } = file;
    if (source === undefined || from > generation || known.has(source)) continue;
    if (from >= (latest.get(source)?.generation ?? 0)) latest.set(source, file);
  }
  return Array.from(latest.values(), ({ name: file }) => {
    let named: DataFile = { file, checksum: NaN };
    const unread = faultIn(() => (named = all.nameOf(file)));
    return { ...named, problem: unread ?? all.problemOf(named) };
  });
}

const TOGETHER = 1024;

/** Puts the readable rows of a collection's file into a state; returns how many are unreadable. */
function salvageCollection(all: DataFiles, file: string, state: Data): number {
  let refused = 0;
  let together: Patch[] = [];
  const apply = () => {
    refused += applyEach(state, together);
    together = [];
  };
  for (const patch of patchesIn(all, file, state)) {
    if (patch === undefined) refused++;
    else together.push(patch);
    if (together.length === TOGETHER) apply();
  }
  apply();
  return refused;
}

/** A patch for each readable row, and `undefined` for each unreadable one. */
function* patchesIn(all: DataFiles, file: string, state: Data): Generator<Patch | undefined, void> {
  const { source: name = "" } = readFileName(file) ?? {};
  let opened: OpenFile | undefined;
  try {
    opened = all.openSource(file);
    const source = readable(opened);
    const { note } = summaryOf(source);
    const { codec, path, declarations } = groupOf(state, name, file).destinationFor(name, note);
    yield* declarations;
    for (const row of salvageRows(source, codec)) {
      const [key = 0, value] = row ?? [];
      yield row && { op: "add", path: [...path, key], value };
    }
  } catch (thrown) {
    // It is missing, or its end is damaged, which has the positions of all the rest.
    if (![FileError, InputError, StoreError].some((type) => thrown instanceof type)) throw thrown;
  } finally {
    opened?.close();
  }
}

/** Treats what a disk can't read as missing: a row that needs it can't be read. */
function readable(source: ByteSource): ByteSource {
  return {
    size: source.size,
    read(from, to) {
      try {
        return source.read(from, to);
      } catch (thrown) {
        if (thrown instanceof StoreError) return new Uint8Array(0);
        throw thrown;
      }
    },
  };
}

/** Applies the patches that fit, and returns how many do not. */
function applyEach(state: Data, patches: readonly unknown[]): number {
  if (applies(state, patches)) return 0;
  return patches.filter((patch) => !applies(state, [patch])).length;
}

function applies(state: Data, patches: readonly unknown[]): boolean {
  try {
    state.applyPatches(patches);
    return true;
  } catch (thrown) {
    if (thrown instanceof InputError) return false;
    throw thrown;
  }
}
