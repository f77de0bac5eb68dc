// Merges the files of a collection in the background, as changes merge segments in memory: in slices of a few
// milliseconds, between which other work runs. The merged file is written alongside the others, replaces them in
// memory, and is named by the next checkpoint. Until then a crash leaves the others in use.

import { ownDirectory } from "../arrow/read/open.ts";
import { openTable } from "../arrow/read/file.ts";
import { mergedPieces } from "../arrow/write/merge-files.ts";
import type { MergedFile } from "../arrow/write/merge-order.ts";
import { ScratchSpace } from "../arrow/write/scratch.ts";
import type { DatabaseState } from "../database/database-state.ts";
import type { MemberCollection } from "../database/member.ts";
import { ChangeLog } from "../engine/changes/transition.ts";
import type { DeadRows } from "../engine/versions/dead-rows.ts";
import type { Segment } from "../engine/versions/segment.ts";
import { hasManyDead, isToBeMerged } from "../engine/versions/snapshot.ts";
import type { DataFiles } from "./data-files.ts";
import type { DataFile } from "./named-files.ts";
import { Descriptor, writing } from "./disk.ts";
import type { OpenFile } from "./files.ts";
import { readFileName } from "./folder.ts";
import { DiskScratch } from "./spills.ts";
import { rowsInFile } from "./row-numbers.ts";

/** How long a slice takes, in milliseconds. */
const SLICE = 5;

/** Segments of a collection that are to be merged. */
interface Run {
  readonly source: string;
  /** In order, with the rows of each that were dead when they were read. */
  readonly segments: readonly (readonly [Segment, DeadRows])[];
}

/**
 * Adjacent segments that a change would have merged if they were not kept apart; `undefined` if there are none.
 *
 * @param named the files of the current generation: others may be gone
 */
export function nextRun(
  files: DataFiles,
  state: DatabaseState,
  named: readonly DataFile[],
): Run | undefined {
  const there = new Set(named.map(({ file }) => file));
  for (const { source, collection } of state.collections()) {
    const { segments } = collection.state.snapshot;
    const isFiled = (segment: Segment) =>
      segment.isApart && there.has(files.fileOf(segment, source)?.file ?? "");
    // The empty base of a collection that started without records may come before them.
    const start = segments.findIndex(isFiled);
    const end = segments.findIndex((segment, i) => i > start && !isFiled(segment));
    const apart = start < 0 ? [] : segments.slice(start, end < 0 ? undefined : end);
    const run = (from: number, to: number): Run => ({
      source,
      segments: apart.slice(from, to).map((segment) => [segment, segment.dead]),
    });
    const [base] = apart;
    if (base !== undefined && hasManyDead(base)) return run(0, apart.length);
    for (let to = apart.length; to > 1; to--) {
      let from = to - 1;
      let live = apart[from]?.live ?? 0;
      for (; from > 0; from--) {
        const before = apart[from - 1];
        if (before === undefined || !isToBeMerged(before, live)) break;
        live += before.live;
      }
      if (to - from > 1) return run(from, to);
    }
  }
  return undefined;
}

/** A merge in progress. */
export interface Merge {
  readonly file: string;
  /** Ends it, and removes what it has written. */
  readonly abandon: () => void;
}

/**
 * Merges a run of segments.
 *
 * @param done called when the merged segment is in place, or with the error that prevented it
 */
export function merging(
  files: DataFiles,
  state: DatabaseState,
  run: Run,
  done: (thrown?: unknown) => void,
): Merge {
  const { folder } = files;
  const { source } = run;
  const parts = run.segments.map(([segment, dead]) => ({
    dead,
    known: files.fileOf(segment, source) ?? unknownFile(source),
  }));
  // It counts as written when the last of them was.
  const { generation = 0, part = 0 } = readFileName(parts.at(-1)?.known.file ?? "") ?? {};
  const file = files.freeName(source, generation, part + 1);
  const path = files.pathOf(file);
  const scratch = new DiskScratch(files, source, generation);
  const opened: OpenFile[] = [];
  let written: Descriptor | undefined;
  let isOver = false;
  files.pending.add(file);

  function end(isKept: boolean): void {
    isOver = true;
    written?.close();
    for (const each of opened) each.close();
    scratch.clear();
    if (isKept) return;
    files.pending.delete(file);
    folder.remove([path]);
  }

  function openAll(): MergedFile[] {
    return parts.map(({ dead, known }) => {
      const bytes = files.openNamed(known);
      opened.push(bytes);
      const { directory } = ownDirectory(bytes);
      const table = openTable(bytes, directory, { inPieces: true, isCheckedOnce: true });
      return { table, dead: rowsInFile(dead, known.left) };
    });
  }

  function* writeAll([first, ...others]: readonly MergedFile[]): Generator<undefined> {
    if (first === undefined) return;
    folder.requireInPlace();
    written = new Descriptor(folder.disk, path, "w+", folder.permissions(), "written");
    const { note } = collectionIn(state, source) ?? {};
    const space = new ScratchSpace(scratch);
    yield* writing(written, mergedPieces([first, ...others], note, { space }));
  }

  /** The first slice. The files are opened immediately, before a checkpoint can remove them. */
  function begin(): () => void {
    try {
      const steps = writeAll(openAll());
      return () => slice(steps);
    } catch (thrown) {
      return () => fail(thrown);
    }
  }

  function slice(steps: Generator<undefined>): void {
    if (isOver) return;
    if (placeOf(state, run) === undefined) {
      end(false);
      done();
      return;
    }
    try {
      const until = performance.now() + SLICE;
      do {
        if (steps.next().done === true) {
          void (written?.syncLater() ?? Promise.resolve()).then(place, fail);
          return;
        }
      } while (performance.now() < until);
      folder.disk.soon(() => slice(steps), true);
    } catch (thrown) {
      fail(thrown);
    }
  }
  folder.disk.soon(begin(), true);

  function fail(thrown: unknown): void {
    if (isOver) return;
    end(false);
    done(thrown);
  }

  function place(): void {
    if (isOver) return;
    try {
      end(replaced(files, state, run, file));
    } catch (thrown) {
      fail(thrown);
      return;
    }
    done();
  }

  return { file, abandon: () => isOver || end(false) };
}

/** The position of a run's segments; `undefined` if they are no longer there, in sequence. */
function placeOf(state: DatabaseState, { source, segments }: Run) {
  const there = collectionIn(state, source);
  const [first] = segments.map(([segment]) => segment);
  if (there === undefined || first === undefined) return undefined;
  const all = there.collection.state.snapshot.segments;
  const from = all.findIndex(({ rows }) => rows === first.rows);
  const now = from === -1 ? [] : all.slice(from, from + segments.length);
  // If an earlier version of the collection has come back, it may have rows that the merged file does not.
  const isThere = segments.every(
    ([{ rows }, before], i) => now[i]?.rows === rows && now[i].dead.includes(before),
  );
  return isThere ? { there, first, from, now } : undefined;
}

/** Puts a merged file into the place of segments. @returns whether they were still there */
function replaced(files: DataFiles, state: DatabaseState, run: Run, file: string): boolean {
  const place = placeOf(state, run);
  if (place === undefined) return false;
  const { there, first, from, now } = place;
  const { segments } = run;
  const { collection } = there;
  const { snapshot } = collection.state;
  const merged = files.openMerged(file, there, state).inPlaceOf(first);
  /** Rows that have died in the meantime. */
  const dead = segments.flatMap(([segment, before], i) =>
    Array.from(now[i]?.dead.difference(before) ?? [], (row) => merged.rowOf(segment.keyOf(row))),
  );
  const segment = merged.without(dead.sort((a, b) => a - b));
  segment.keepApart();
  const after = snapshot.merged(from, from + segments.length, segment);
  const log = new ChangeLog();
  log.add({ by: "compact", before: snapshot, after, edit: undefined });
  // Nobody waits for it, so nothing in flight has to be durable.
  const make = () => [there.to({ ...collection.state, snapshot: after }, log)];
  state.transactions.run(make, () => undefined);
  snapshot.cache.advance(snapshot, after, () => []);
  return true;
}

function unknownFile(source: string): never {
  throw new RangeError(`a segment of ${source} has no file`);
}

function collectionIn(state: DatabaseState, source: string): MemberCollection | undefined {
  return [...state.collections()].find((each) => each.source === source);
}
