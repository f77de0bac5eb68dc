// Where the bytes of a file come from: memory, or whatever can read a stretch of it.

/** Bytes that are read in stretches. What was read must not change afterwards. */
export interface ByteSource {
  /** How many bytes there are. */
  readonly size: number;
  /** The bytes from one position up to another; both lie within the size, and may be far apart. */
  read(from: number, to: number): Uint8Array;
}
