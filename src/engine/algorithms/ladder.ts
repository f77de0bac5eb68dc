// Arrays that count up, in one shared block of memory.

/** 0, 0, 1, 2 and so on, for as long as an array refers to it. */
let shared = new WeakRef(new ArrayBuffer(0));

/**
 * A slice of 0, 0, 1, 2 and so on. Read-only.
 *
 * @param from the position of its first element
 */
export function ladder(from: number, length: number): Uint32Array {
  const bytes = 4 * (from + length);
  let buffer = shared.deref();
  if (buffer === undefined || buffer.byteLength < bytes) {
    buffer = new ArrayBuffer(bytes);
    const all = new Uint32Array(buffer);
    for (let i = 1; i < all.length; i++) all[i] = i - 1;
    shared = new WeakRef(buffer);
  }
  return new Uint32Array(buffer, 4 * from, length);
}

/** Whether an array counts up from 0, starting at an element. */
export function isLadder(array: Uint32Array, from: number): boolean {
  for (let i = from; i < array.length; i++) if (array[i] !== i - from) return false;
  return true;
}
