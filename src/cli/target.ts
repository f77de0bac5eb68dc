// Where a command's output goes. A file is written beside its place first, and put there when it is whole.
// What is there already is replaced only with `--force`, and what the command reads is never written over.

import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
} from "node:fs";
import { realpathSync, renameSync, rmSync, statSync, writeSync, type BigIntStats } from "node:fs";
import { dirname, resolve } from "node:path";
import { writeJson } from "../import/index.ts";
import type { BatchInput, ContactInput } from "../index.ts";
import { isStore } from "../store/index.ts";
import { STDIN } from "./bytes.ts";
import { systemReason, UsageError } from "./errors.ts";
import { inPieces } from "./output.ts";

export interface TargetOptions {
  /** Whether a file that is there may be replaced. */
  readonly force?: true | undefined;
  /** What the command reads, as it was named. */
  readonly sources?: readonly string[];
}

/** A file that is being written. */
export interface Target {
  readonly write: (piece: string | Uint8Array) => void;
  /** Puts it in its place. */
  readonly commit: () => void;
  /** Ends it. Unless it was put in its place, nothing is left of it. */
  readonly close: () => void;
}

/**
 * Checks that a command may write a file; the file is created with the first piece. A command asks before
 * it reads, which may take long. A device or a pipe is written as it stands.
 *
 * @throws UsageError where the file may not be written, or can't be
 */
export function openTarget(path: string, { force, sources = [] }: TargetOptions): Target {
  const run = <Result>(act: () => Result): Result => {
    try {
      return act();
    } catch (thrown) {
      throw new UsageError(`${path}: ${systemReason(thrown)}`);
    }
  };
  const refuseExisting = () => {
    if (force || lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    throw new UsageError(`${path}: exists already; --force replaces it`);
  };

  const there = run(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
  if (there?.isDirectory()) throw new UsageError(`${path}: is a directory`);
  const isReplaced = there === undefined || there.isFile();
  // A link stays, and leads to what is new.
  const place = there?.isFile() ? realpathSync(path) : path;
  if (isReplaced) {
    refuseSource(path, path, sources);
    refuseExisting();
    if (isStore(dirname(place))) throw new UsageError(`${path}: is in the folder of a store`);
    run(() => accessSync(dirname(place), constants.W_OK));
  }

  const beside = isReplaced ? `${place}.${process.pid}.part` : path;
  let file: number | undefined;
  let isLeft = false;
  const open = () => {
    // Whoever could not read the file that is replaced can't read the new one either.
    const mode = Number(there?.mode ?? 0o666n) & 0o777;
    const opened = run(() => openSync(beside, isReplaced ? "wx" : "w", mode));
    isLeft = isReplaced;
    return opened;
  };
  const end = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  return {
    write(piece) {
      const opened = (file ??= open());
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      for (let start = 0; start < bytes.length;) {
        start += run(() => writeSync(opened, bytes, start));
      }
    },
    commit() {
      const opened = (file ??= open());
      if (isReplaced) run(() => fsyncSync(opened));
      end();
      if (!isReplaced) return;
      refuseExisting();
      run(() => renameSync(beside, place));
      isLeft = false;
    },
    close() {
      end();
      if (isLeft) rmSync(beside, { force: true });
    },
  };
}

/** @throws UsageError where standard output is a file that the command reads */
export function refuseStdout(sources: readonly string[]): void {
  if (fstatSync(STDOUT).isFile()) refuseSource("standard output", STDOUT, sources);
}

const STDOUT = 1;

function refuseSource(name: string, target: string | number, sources: readonly string[]): void {
  const identity = identityOf(target);
  if (!sources.some((source) => identityOf(source === STDIN ? 0 : source) === identity)) return;
  throw new UsageError(`${name}: is a source of this command, and is never written over`);
}

/** The same for all names of one file: links are followed. */
export function identityOf(file: string | number): string {
  let stats: BigIntStats;
  try {
    stats =
      typeof file === "number"
        ? fstatSync(file, { bigint: true })
        : statSync(file, { bigint: true });
  } catch {
    return resolve(String(file));
  }
  return `${stats.dev}:${stats.ino}`;
}

/** Writes a file of pieces, puts it in its place, and ends it; where making them fails, it only ends it. */
export function writeTarget(target: Target, pieces: Iterable<string | Uint8Array>): void {
  try {
    for (const piece of inPieces(pieces)) target.write(piece);
    target.commit();
  } finally {
    target.close();
  }
}

/** The JSON of a Batch, as all commands read it. */
export function* batchText(
  { id, lists }: BatchInput,
  counted: (contacts: Iterable<ContactInput>) => Iterable<ContactInput>,
): Generator<string, void> {
  yield `{"id":${JSON.stringify(String(id))},"lists":[`;
  let before = "";
  for (const { id: list, fields = [], contacts } of lists) {
    yield `${before}{"id":${JSON.stringify(String(list))},"fields":${JSON.stringify(fields)},"contacts":`;
    yield* writeJson(counted(contacts));
    yield "}";
    before = ",\n";
  }
  yield "]}\n";
}
