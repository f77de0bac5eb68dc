// Strings as bytes, complete and in pieces as from files and networks.

export const encode = (text: Iterable<string>) =>
  Buffer.from(typeof text === "string" ? text : [...text].join(""));

/** Whether a text is JSON, as the engine says. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The bytes in pieces of a size, each in the same memory, like those of a file. */
export function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array, void> {
  const memory = Buffer.alloc(size);
  for (let start = 0; start < bytes.length; start += size) {
    const piece = bytes.subarray(start, start + size);
    memory.fill(0).set(piece);
    yield memory.subarray(0, piece.length);
  }
}
