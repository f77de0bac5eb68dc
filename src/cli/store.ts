// `tercet store check` and `tercet store repair`; and stores as what the other commands read.

import { relative } from "node:path";
import {
  checkStore,
  isStore,
  openStore,
  repairStore,
  type StoreProblem,
  type StoreReader,
} from "../store/index.ts";
import { messageOf, warn } from "./errors.ts";
import { send } from "./output.ts";
import { printable } from "./text.ts";

/** Tells what is wrong with a store. The exit code is 1 where something is. */
export async function check(directory: string): Promise<void> {
  const { changes, unfinishedBytes, problems } = checkStore(directory);
  await sendProblems(directory, problems);
  if (unfinishedBytes > 0) {
    await print(
      `${unfinishedBytes} bytes of a change that was not finished; opening cuts them off`,
    );
  }
  await print(`${changes} whole changes since the last checkpoint`);
  await print(problems.length === 0 ? "The store is whole." : "The store is damaged.");
  if (problems.length > 0) process.exitCode = 1;
}

/** Makes of what is left of a damaged store one that can be opened. */
export async function repair(directory: string): Promise<void> {
  const { problems, changes, refused, kept } = repairStore(directory);
  if (problems.length === 0) {
    await print("The store is whole. Nothing was done.");
    return;
  }
  await sendProblems(directory, problems);
  for (const file of kept) await print(`kept: ${relative(directory, file)}`);
  if (refused > 0) await print(`${refused} parts of changes belong to what is lost`);
  await print(`The store is whole again, with ${changes} changes of its journal.`);
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

/** Opens a store to answer from it, beside whoever writes to it; `undefined` where it is none. */
export function openIfStore(directory: string): StoreReader | undefined {
  return isStore(directory) ? openReader(directory) : undefined;
}

/** Opens a store to answer from it, beside whoever writes to it. */
export function openReader(directory: string): StoreReader {
  return openStore(directory, {
    readOnly: true,
    onInternalError: (thrown) => warn(`internal error: ${messageOf(thrown)}`),
  });
}
