// Arrays that count up, in memory that all of them share.

/** 0, 0, 1, 2 and so on, as long as an array refers to it. */
let shared = new WeakRef(new ArrayBuffer(0));

/**
 * Some elements of 0, 0, 1, 2 and so on, which nobody may change.
 *
 * @param from the place of the first
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

/** Whether an array counts up from 0, from an element on. */
export function isLadder(array: Uint32Array, from: number): boolean {
  for (let i = from; i < array.length; i++) if (array[i] !== i - from) return false;
  return true;
}
