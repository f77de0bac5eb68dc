// Where a store or a file is: a path, on the disk of the system or on another one.

import { InputError } from "../schema/errors.ts";
import type { Disk } from "./disk.ts";
import { Folder } from "./folder.ts";
import { readPath } from "./options.ts";
import { PrivatePath } from "./private-path.ts";
import { systemDisk } from "./system-disk.ts";

/** The disk that a path is on, and the path there. @throws InputError if it is not a path, or there is no such disk */
export function readPlace(
  given: unknown,
  name: "directory" | "path",
): { readonly disk: Disk; readonly path: string } {
  if (given instanceof PrivatePath) return given;
  if (systemDisk !== undefined)
    return { disk: systemDisk, path: readPath(systemDisk, given, name) };
  const use = "there are no other files here";
  throw new InputError(name, `must be a path that openPrivateFiles() gives; ${use}`);
}

/** The folder of a store. @throws InputError as {@link readPlace} */
export function folderAt(directory: unknown): Folder {
  const { disk, path } = readPlace(directory, "directory");
  return new Folder(path, disk);
}
