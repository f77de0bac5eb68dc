// Files that the commands write: beside their place first, and put there when they are whole.

import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { writeJson } from "../import/index.ts";
import type { BatchInput, ContactInput } from "../index.ts";
import { systemReason, UsageError } from "./errors.ts";

/** A file that is being written. */
export interface Target {
  readonly write: (piece: string | Uint8Array) => void;
  /** Puts it in its place. */
  readonly commit: () => void;
  /** Ends it; where it was not put in its place, it is gone. */
  readonly close: () => void;
}

/** @throws UsageError where it can't be written */
export function openTarget(path: string): Target {
  const beside = `${path}.${process.pid}.part`;
  const run = <Result>(act: () => Result): Result => {
    try {
      return act();
    } catch (thrown) {
      throw new UsageError(`${path}: ${systemReason(thrown)}`);
    }
  };
  const file = run(() => openSync(beside, "wx"));
  let isPlaced = false;
  return {
    write(piece) {
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      for (let start = 0; start < bytes.length;) start += run(() => writeSync(file, bytes, start));
    },
    commit() {
      run(() => renameSync(beside, path));
      isPlaced = true;
    },
    close() {
      closeSync(file);
      if (!isPlaced) rmSync(beside, { force: true });
    },
  };
}

const PIECE_LENGTH = 64 * 1024;

/** Writes a file of pieces; where making them fails, what stood there before stays. */
export async function replaceFile(
  path: string,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const target = openTarget(path);
  try {
    let text = "";
    for await (const piece of pieces) {
      if (typeof piece === "string") {
        text += piece;
        if (text.length < PIECE_LENGTH) continue;
      }
      target.write(text);
      text = "";
      if (typeof piece !== "string") target.write(piece);
    }
    target.write(text);
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
