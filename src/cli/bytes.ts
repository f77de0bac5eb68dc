// The bytes of a file or of standard input, in pieces. They can be read more than once, because a Batch is read twice.
// The pieces are synchronous, because loading pulls records synchronously.

import { closeSync, createReadStream, fstatSync, mkdtempSync, openSync } from "node:fs";
import { readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decompress, isCompressed } from "../import/index.ts";
import { InputError } from "../index.ts";
import { closeAtEnd } from "./closing.ts";
import { systemReason, UsageError } from "./errors.ts";
import { binaryFormatIn, zstd } from "./formats.ts";
import { startProgress } from "./progress.ts";

/** Bytes that can be read from their start more than once. */
export interface ByteSource {
  /** As typed. */
  readonly path: string;
  /** Its name in errors. */
  readonly place: string;
  /**
   * The bytes from the start. A piece is valid until the next one is requested.
   *
   * @param label the label of the progress bar
   * @throws UsageError with the reason if they can't be read
   */
  chunks(label: string): Generator<Uint8Array, void>;
  readonly size: number;
  /** A copy of the bytes from one position up to another, both within the size. */
  read(from: number, to: number): Uint8Array<ArrayBuffer>;
}

/** Stands for standard input in place of a file name. */
export const STDIN = "-";

const CHUNK_BYTES = 256 * 1024;

/**
 * Opens a file, or standard input as `-`. A pipe can be read only once, so its bytes are first kept in
 * an unnamed temporary file. An empty source is refused unless `allowEmpty` is set, because a pipe is
 * empty if the command before it has failed. It stays open until `closeSources`.
 *
 * @throws UsageError if it can't be read
 */
export async function openBytes(
  place: string,
  { allowEmpty }: { readonly allowEmpty?: true | undefined } = {},
): Promise<ByteSource> {
  let file: number;
  try {
    const given = place === STDIN ? await spool(process.stdin) : await openFile(place);
    if (!allowEmpty && isEmpty(given)) {
      closeSync(given);
      throw new UsageError(`is empty; ${ALLOW_EMPTY}`);
    }
    file = isPackedBinary(given) ? await spool(unpacked(given)) : given;
  } catch (thrown) {
    throw new UsageError(
      `${nameOf(place)}: ${thrown instanceof UsageError ? thrown.message : systemReason(thrown)}`,
    );
  }
  let running: Generator<Uint8Array, void> | undefined;
  closeAtEnd(() => {
    running?.return();
    closeSync(file);
  });
  return {
    path: place,
    place: nameOf(place),
    chunks: (label) => (running = read(file, label)),
    size: fstatSync(file).size,
    read: (from, to) => stretch(file, from, to),
  };
}

async function openFile(path: string): Promise<number> {
  const file = openSync(path, "r");
  return fstatSync(file).isFile() ? file : spool(createReadStream(path, { fd: file }));
}

/**
 * A temporary file with all bytes of a stream. Only the disk limits its size: a pipe may carry as much as a file, and
 * nothing is decompressed here.
 */
async function spool(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
  const file = keeping(openNameless);
  const progress = startProgress("Receiving", { unit: "bytes" });
  try {
    for await (const chunk of stream) {
      for (let start = 0; start < chunk.length;) {
        start += keeping(() => writeSync(file, chunk, start));
      }
      progress.advance(chunk.length);
    }
    return file;
  } catch (thrown) {
    closeSync(file);
    throw thrown;
  } finally {
    progress.stop();
  }
}

/** The name of a source in errors. */
export function nameOf(place: string): string {
  return place === STDIN ? "standard input" : place;
}

/** The end of an error about a source without records. */
export const ALLOW_EMPTY = "--allow-empty accepts that";

/** How much of a file is examined to detect its content. */
const PEEKED_BYTES = 1024;

/** Whether a file, compressed or not, is empty or contains only white space. */
function isEmpty(file: number): boolean {
  if (fstatSync(file).size > PEEKED_BYTES) return false;
  try {
    const text = Buffer.concat([...decompressed([stretch(file, 0, PEEKED_BYTES)])]).toString();
    return text.trim() === "";
  } catch {
    // Decompression reports the problem later.
    return false;
  }
}

/**
 * Whether a compressed file contains a format that must be read from its end, and so can't be decompressed on the fly.
 */
function isPackedBinary(file: number): boolean {
  const head = stretch(file, 0, PEEKED_BYTES);
  if (!isCompressed(head)) return false;
  try {
    for (const start of decompressed(stretches(file))) return binaryFormatIn(start) !== undefined;
  } catch {
    // Decompression reports the problem later.
  }
  return false;
}

const MEBIBYTE = 1024 * 1024;

/** The minimum size that a file may always unpack to, and the limit as a multiple of its own size. */
const LEAST_UNPACKED = 64 * MEBIBYTE;
const MOST_FOR_EACH = 64;

/** gzip can expand a file a thousandfold, and a file from outside must not fill the disk. */
function* unpacked(file: number): Generator<Uint8Array, void> {
  const most = Math.max(LEAST_UNPACKED, MOST_FOR_EACH * fstatSync(file).size);
  try {
    yield* decompressed(stretches(file), most);
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    if (thrown.code !== "limit") throw new UsageError(thrown.reason);
    const size = `${Math.floor(most / MEBIBYTE)} MiB`;
    throw new UsageError(`unpacks to more than ${size}; decompress it first if you trust it`);
  } finally {
    closeSync(file);
  }
}

const decompressed = (pieces: Iterable<Uint8Array>, maxBytes = Infinity) =>
  decompress(pieces, { zstd, maxBytes });

/** All bytes of a file; each piece has its own memory. */
function* stretches(file: number): Generator<Uint8Array, void> {
  for (let at = 0; ; at += CHUNK_BYTES) {
    const bytes = stretch(file, at, at + CHUNK_BYTES);
    if (bytes.length > 0) yield bytes;
    if (bytes.length < CHUNK_BYTES) return;
  }
}

/** The existing bytes from one position up to another. */
function stretch(file: number, from: number, to: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(to - from);
  let length = 0;
  try {
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, from + length);
      if (read === 0) break;
      length += read;
    }
  } catch (thrown) {
    throw new UsageError(systemReason(thrown));
  }
  return bytes.subarray(0, length);
}

/** Creates a file without a name, which is gone once the process ends, however it ends. */
function openNameless(): number {
  const folder = mkdtempSync(join(tmpdir(), "tercet-"));
  try {
    return openSync(join(folder, "input"), "wx+", 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the result of `run`. Its errors say that the input is not to blame. */
function keeping<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    throw new UsageError(`can't be stored in ${tmpdir()}: ${systemReason(thrown)}`);
  }
}

function* read(file: number, label: string): Generator<Uint8Array, void> {
  const progress = startProgress(label, { total: fstatSync(file).size, unit: "bytes" });
  try {
    for (const bytes of stretches(file)) {
      progress.advance(bytes.length);
      yield bytes;
    }
  } finally {
    progress.stop();
  }
}
