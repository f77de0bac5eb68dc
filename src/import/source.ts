// Accepts bytes in any form and pushes them through a reader. A reader is given one piece after another
// and never asks for one, so it is the same for synchronous and asynchronous bytes.

import { describe, InputError } from "../schema/errors.ts";
import type { Decoder } from "./decoder.ts";
import { Gunzip, isGzip } from "./gunzip.ts";
import { concat } from "./utf8.ts";

/** Synchronous bytes, in memory or from an iterable; a string means its UTF-8 bytes. */
export type SyncBytes = string | Uint8Array | Iterable<Uint8Array>;

/** A `ReadableStream` of bytes, of any platform. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
}

/** Bytes from anywhere: a file stream, a response body, a `Blob`, a string. */
export type Bytes = SyncBytes | AsyncIterable<Uint8Array> | ByteStream | { stream(): ByteStream };

/** The longest piece passed on. The output of a piece is held until it has been consumed. */
const PIECE_BYTES = 256 * 1024;

/** The output of a decoder for synchronous bytes, decompressed if they are gzipped. */
export function* decode<Out>(
  source: SyncBytes,
  inner: Decoder<Out>,
  onProgress: (bytes: number) => void = () => undefined,
): Generator<Out, void> {
  const decoder = unpacking(inner);
  let read = 0;
  for (const chunk of chunksOf(source)) {
    for (const piece of cut(chunk)) yield* decoder.push(piece);
    onProgress((read += chunk.length));
  }
  yield* decoder.end();
}

/** The output of a decoder for asynchronous bytes, decompressed if they are gzipped. */
export async function* decodeAsync<Out>(
  source: Bytes,
  inner: Decoder<Out>,
  onProgress: (bytes: number) => void = () => undefined,
): AsyncGenerator<Out, void> {
  const decoder = unpacking(inner);
  let read = 0;
  for await (const chunk of streamOf(source)) {
    for (const piece of cut(chunk)) yield* decoder.push(piece);
    onProgress((read += chunk.length));
  }
  yield* decoder.end();
}

/** A decoder chosen once the first bytes have arrived. */
export class DetectingDecoder<Out> implements Decoder<Out> {
  readonly #decide: (head: Uint8Array, isEnd: boolean) => Decoder<Out> | undefined;
  #head: Uint8Array = new Uint8Array(0);
  #decoder: Decoder<Out> | undefined;

  /** @param decide returns `undefined` to ask for more bytes, except at the end */
  constructor(decide: (head: Uint8Array, isEnd: boolean) => Decoder<Out> | undefined) {
    this.#decide = decide;
  }

  *push(piece: Uint8Array): Generator<Out, void> {
    if (this.#decoder !== undefined) yield* this.#decoder.push(piece);
    else {
      this.#head = concat([this.#head, piece]);
      yield* this.#tryToBegin(false);
    }
  }

  *end(): Generator<Out, void> {
    if (this.#decoder === undefined) yield* this.#tryToBegin(true);
    if (this.#decoder !== undefined) yield* this.#decoder.end();
  }

  *#tryToBegin(isEnd: boolean): Generator<Out, void> {
    this.#decoder = this.#decide(this.#head, isEnd);
    if (this.#decoder !== undefined) yield* this.#decoder.push(this.#head);
  }
}

/** Passes on its input, decompressed if the first two bytes are those of gzip. */
function unpacking<Out>(inner: Decoder<Out>): Decoder<Out> {
  return new DetectingDecoder((head, isEnd) => {
    if (head.length < 2 && !isEnd) return undefined;
    return isGzip(head) ? new Gunzip(inner) : inner;
  });
}

/** Whether the bytes are synchronous. */
export function isSync(source: Bytes): source is SyncBytes {
  return typeof source === "string" || (isObject(source) && Symbol.iterator in source);
}

function* chunksOf(source: SyncBytes): Generator<Uint8Array, void> {
  if (typeof source === "string") {
    if (!source.isWellFormed()) throw new InputError("source", "holds a lone surrogate");
    yield new TextEncoder().encode(source);
  } else if (source instanceof Uint8Array) yield source;
  else for (const chunk of source) yield checked(chunk);
}

async function* streamOf(source: Bytes): AsyncGenerator<Uint8Array, void> {
  if (isSync(source)) yield* chunksOf(source);
  else if (!isObject(source)) {
    throw new InputError("source", `must be bytes, not ${describe(source)}`);
  } else if ("getReader" in source) yield* readAll(source);
  else if (Symbol.asyncIterator in source) {
    for await (const chunk of source) yield checked(chunk);
  } else if ("stream" in source) yield* readAll(source.stream());
  else throw new InputError("source", "must be bytes, not an object without any");
}

/** A loop, because not every browser can iterate over a stream. */
async function* readAll(stream: ByteStream): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield checked(value);
    }
  } finally {
    // A consumer that stops early wants no more of it.
    await reader.cancel();
  }
}

function checked(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new InputError("source", `must give Uint8Arrays, not ${describe(chunk)}`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Plain Uint8Arrays, because `slice` of a Node.js Buffer makes no copy. */
function* cut({ buffer, byteOffset, length }: Uint8Array): Generator<Uint8Array, void> {
  for (let start = 0; start < length; start += PIECE_BYTES) {
    yield new Uint8Array(buffer, byteOffset + start, Math.min(PIECE_BYTES, length - start));
  }
}
