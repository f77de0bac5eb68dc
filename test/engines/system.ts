// Which engines the system has installed.

import { createRequire } from "node:module";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

// Servers are often in a folder that only root's path has.
const FOLDERS = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];

/** Where a command is, if it is there. */
export function pathOf(command: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, command)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** What is said where a package that is installed apart (see run.ts) is not. */
export function missingPackage(name: string): string | undefined {
  try {
    createRequire(import.meta.url).resolve(name);
    return undefined;
  } catch {
    return `the package ${name} is not installed`;
  }
}
