// One writer: a lock of the disk, which holds however the writer ends.

import type { Lock } from "./disk.ts";
import type { Folder } from "./folder.ts";

/**
 * Takes the lock of a folder, or throws immediately if it is held elsewhere, in this process or another.
 *
 * @param isLocked `false`: takes no lock
 * @throws StoreError
 */
export function lock(folder: Folder, isLocked: boolean): Lock {
  return isLocked ? folder.disk.lock(folder.lockPath, () => folder.isNamed()) : NO_LOCK;
}

const NO_LOCK: Lock = { isThere: () => true, close: () => undefined };
