// What the system has installed.

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
