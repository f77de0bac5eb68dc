// Locks of a disk that no other process can open: they only exclude each other.

import type { Lock } from "./disk.ts";
import { taken } from "./errors.ts";

export class HeldPaths {
  readonly #held = new Set<string>();

  /** As `Disk.lock`, without a file. */
  lock(path: string): Lock {
    if (this.#held.has(path)) throw taken(path);
    this.#held.add(path);
    return { isThere: () => this.#held.has(path), close: () => void this.#held.delete(path) };
  }
}
