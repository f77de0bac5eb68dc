// `tercet store check`, `repair` and `backup`, and stores as sources of the other commands.

import { relative } from "node:path";
import {
  checkStore,
  isStore,
  openStore,
  repairStore,
  schemasOf,
  StoreError,
  type StoreProblem,
  type StoreReader,
} from "../store/index.ts";
import { messageOf, UsageError, warn } from "./errors.ts";
import { send } from "./output.ts";
import { forShell, printable } from "./text.ts";

/** Reports damage to a store. If there is any, the exit code is 1. */
export async function check(directory: string): Promise<void> {
  const { changes, unfinishedBytes, problems } = checkStore(directory);
  await sendProblems(directory, problems);
  if (unfinishedBytes > 0) {
    await print(`${unfinishedBytes} bytes of an unfinished change; opening removes them`);
  }
  await print(`${changes} complete changes since the last checkpoint`);
  await print(problems.length === 0 ? "The store is intact." : "The store is damaged.");
  if (problems.length > 0) process.exitCode = 1;
}

/** Salvages a damaged store. */
export async function repair(directory: string): Promise<void> {
  const { problems, changes, refused, collections, kept } = repairStore(directory);
  if (problems.length === 0) {
    await print("The store is intact; nothing to do.");
    return;
  }
  await sendProblems(directory, problems);
  for (const file of kept) await print(`kept: ${relative(directory, file)}`);
  for (const { name, mayBeLost, removedMayBeBack, mayBeOutdated } of collections) {
    const effects = [
      ...(mayBeLost ? ["records may be missing"] : []),
      ...(removedMayBeBack ? ["removed records may be back"] : []),
      ...(mayBeOutdated ? ["records may have earlier values"] : []),
    ];
    await print(`${name}: ${effects.join(", ")}`);
  }
  if (refused > 0) await print(`${refused} parts of changes belong to lost data`);
  await print(`The store is repaired, with ${changes} changes from its journal.`);
}

/** Copies a store into a new folder. */
export async function backup(directory: string, folder: string): Promise<void> {
  // Whatever it holds: a database without schemas has the collections of the store.
  const store = openStore(directory, {}, { readOnly: true });
  try {
    const { change } = await store.backup(folder);
    await print(`The store is copied, as of change ${change}.`);
  } finally {
    store.close();
  }
}

async function sendProblems(directory: string, problems: readonly StoreProblem[]): Promise<void> {
  for (const { file, offset, reason } of problems) {
    const place = offset === undefined ? "" : ` at byte ${offset}:`;
    await print(`${relative(directory, file)}:${place} ${reason}`);
  }
}

async function print(line: string): Promise<void> {
  await send(process.stdout, `${printable(line)}\n`);
}

/** Opens a store for reading, alongside any writer; `undefined` if it is not a store. */
export function openIfStore(directory: string): StoreReader | undefined {
  return isStore(directory) ? openReader(directory) : undefined;
}

/** Opens a store for reading, alongside any writer. @throws UsageError if it only has collections */
export function openReader(directory: string): StoreReader {
  try {
    return openStore(directory, {
      readOnly: true,
      onInternalError: (thrown) => warn(`internal error: ${messageOf(thrown)}`),
    });
  } catch (thrown) {
    if (thrown instanceof StoreError && thrown.code === "conflict") refuseCollections(directory);
    throw thrown;
  }
}

/** @throws UsageError if a store has collections, with the way to read them */
export function refuseCollections(place: string): void {
  const names = Object.keys(schemasOf(place));
  if (names.length === 0) return;
  const [first = ""] = names;
  const command = `tercet query ${forShell(`${place}/${first}`)}`;
  const shown = names.slice(0, 20).join(", ");
  throw new UsageError(`${place}: has no Batches; for its collections (${shown}) use ${command}`);
}
