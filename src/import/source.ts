// Accepts bytes in any form, and splits them into pieces. Pieces are pushed to a decoder, so it is the same for
// synchronous and asynchronous bytes.

import { describe, InputError } from "../schema/errors.ts";
import { unpacker, type UnpackOptions } from "./unpack.ts";

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

/** The pieces of synchronous bytes, decompressed if they are compressed. */
export function* piecesOf(source: SyncBytes, options: UnpackOptions = {}) {
  const unpacked = unpacker(options);
  for (const chunk of chunksOf(source)) yield* unpacked.push(chunk);
  yield* unpacked.end();
}

/** Like `piecesOf`, for asynchronous bytes. */
export async function* piecesOfAsync(source: Bytes, options: UnpackOptions = {}) {
  const unpacked = unpacker(options);
  for await (const chunk of streamOf(source)) yield* unpacked.push(chunk);
  yield* unpacked.end();
}

/**
 * The bytes of a source, decompressed if they are gzip or Zstandard; synchronously if they are synchronous.
 *
 * @throws InputError if they are damaged or too many, during iteration
 */
export function decompress<Source extends Bytes>(
  source: Source,
  options?: Omit<UnpackOptions, "isText">,
): Source extends SyncBytes ? Iterable<Uint8Array> : AsyncIterable<Uint8Array>;
export function decompress(source: Bytes, options?: UnpackOptions) {
  return isSync(source) ? piecesOf(source, options) : piecesOfAsync(source, options);
}

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
  else throw new InputError("source", "must be bytes, not an object without bytes");
}

/** A loop, because some browsers can't iterate over a stream. */
async function* readAll(stream: ByteStream): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield checked(value);
    }
  } finally {
    // Cancels the stream when a consumer stops early.
    await reader.cancel();
  }
}

function checked(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new InputError("source", `must yield Uint8Arrays, not ${describe(chunk)}`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
