/** A reader that bytes are pushed through. A piece is valid only while it is being read. */
export interface Decoder<Out> {
  push(piece: Uint8Array): Iterable<Out>;
  /** After the last piece. */
  end(): Iterable<Out>;
}
