// Bytes in pieces, as files and networks give them.

/** The bytes in pieces of a size, each in the same memory, like those of a file. */
export function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array, void> {
  const memory = Buffer.alloc(size);
  for (let start = 0; start < bytes.length; start += size) {
    const piece = bytes.subarray(start, start + size);
    memory.fill(0).set(piece);
    yield memory.subarray(0, piece.length);
  }
}
