// Files in shared memory, which several threads open without copying.

import type { Collection } from "../../collection/collection.ts";
import type { Rows } from "../../engine/columns/rows.ts";
import { InputError } from "../../schema/errors.ts";
import type { Schema } from "../../schema/schema.ts";
import { readFrom, type ByteSource } from "../byte-source.ts";

/** How many bytes are copied at once. */
const PIECE = 1 << 26;

/** The shared memory that rows are read from. */
const memoryOf = new WeakMap<Rows, SharedArrayBuffer>();

/** The source of bytes in memory. */
export function sourceOf(buffer: ArrayBufferLike, offset: number, size: number): ByteSource {
  return { size, read: (from, to) => new Uint8Array(buffer, offset + from, to - from) };
}

/** Copies all bytes of a source into shared memory. */
export function copyShared(source: ByteSource): SharedArrayBuffer {
  if (typeof SharedArrayBuffer === "undefined") {
    throw new InputError(
      "options.shared",
      "is unavailable: this environment has no SharedArrayBuffer",
      {
        code: "unsupported",
      },
    );
  }
  const memory = new SharedArrayBuffer(source.size);
  const bytes = new Uint8Array(memory);
  for (let from = 0; from < source.size; from += PIECE) {
    bytes.set(readFrom(source, from, Math.min(source.size, from + PIECE), "file"), from);
  }
  return memory;
}

/** Records that rows are read from shared memory. */
export function noteShared(rows: Rows, memory: SharedArrayBuffer): void {
  memoryOf.set(rows, memory);
}

/**
 * The shared memory of a collection that was opened with `shared: true`. Post it to another thread and pass it to
 * `openCollection` there to open the same collection without a copy.
 *
 * @throws InputError if the collection was not opened with `shared`, or has changed since
 */
export function sharedMemoryOf<S extends Schema, Input>(
  collection: Collection<S, Input>,
): SharedArrayBuffer {
  const [base, ...others] = collection.state.snapshot.segments;
  const memory = memoryOf.get(base.rows);
  if (memory === undefined) {
    throw new InputError("collection", "must have been opened with shared: true");
  }
  if (others.length > 0 || base.dead.count > 0) {
    throw new InputError("collection", "has changed since it was opened; save it first");
  }
  return memory;
}
