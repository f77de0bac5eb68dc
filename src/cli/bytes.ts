// The bytes of a file or of standard input, in pieces and as often as they are wanted: a Batch is
// read twice. Whoever loads records pulls them synchronously, and so the pieces come synchronously.

import { closeSync, createReadStream, fstatSync, mkdtempSync, openSync } from "node:fs";
import { readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, createGunzip, gunzipSync } from "node:zlib";
import { binaryFormatIn } from "./formats.ts";
import { messageOf, systemReason, UsageError } from "./errors.ts";
import { startProgress } from "./progress.ts";

/** Bytes that can be read from their start more than once. */
export interface ByteSource {
  /** What errors call it. */
  readonly place: string;
  /**
   * The bytes from the start. A piece is valid until the next one is asked for.
   *
   * @param label what the progress bar says
   * @throws UsageError with the reason where they can't be read
   */
  chunks(label: string): Generator<Uint8Array, void>;
  readonly size: number;
  /** The bytes from one position up to another, both within the size, in memory of their own. */
  read(from: number, to: number): Uint8Array<ArrayBuffer>;
  readonly close: () => void;
}

/** Stands for standard input where a file is named. */
export const STDIN = "-";

const CHUNK_BYTES = 256 * 1024;

/**
 * Opens a file, or standard input as `-`. What comes through a pipe can be read only once, and is
 * first kept in a temporary file that no name leads to.
 *
 * @throws UsageError where it can't be read
 */
export async function openBytes(place: string): Promise<ByteSource> {
  const name = place === STDIN ? "standard input" : place;
  let file: number;
  try {
    const given = place === STDIN ? await spool(process.stdin) : await openFile(place);
    file = isPackedBinary(given) ? await spool(unpacked(given)) : given;
  } catch (thrown) {
    throw new UsageError(
      `${name}: ${thrown instanceof UsageError ? thrown.message : systemReason(thrown)}`,
    );
  }
  let running: Generator<Uint8Array, void> | undefined;
  const { size } = fstatSync(file);
  return {
    place: name,
    chunks: (label) => (running = read(file, label)),
    size,
    read: (from, to) => stretch(file, from, to),
    close() {
      running?.return();
      closeSync(file);
    },
  };
}

async function openFile(path: string): Promise<number> {
  const file = openSync(path, "r");
  return fstatSync(file).isFile() ? file : spool(createReadStream(path, { fd: file }));
}

/** A temporary file with all that a stream gives. */
async function spool(stream: AsyncIterable<Buffer>): Promise<number> {
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

/** How much of a gzipped file is unpacked to see what is in it. */
const PEEKED_BYTES = 1024;

/** Whether a file is gzipped, and what is in it must be read from its end: it can't be unpacked on the way. */
function isPackedBinary(file: number): boolean {
  const head = stretch(file, 0, PEEKED_BYTES);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return false;
  try {
    const start = gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
    return binaryFormatIn(start) !== undefined;
  } catch {
    // Whoever unpacks all of it says what is wrong.
    return false;
  }
}

async function* unpacked(file: number): AsyncGenerator<Buffer, void> {
  const packed = createReadStream("", { fd: file, start: 0, autoClose: false });
  try {
    for await (const chunk of packed.pipe(createGunzip())) yield chunk as Buffer;
  } catch (thrown) {
    throw new UsageError(`is damaged gzip: ${messageOf(thrown)}`);
  } finally {
    closeSync(file);
  }
}

/** As many bytes as there are from one position up to another. */
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

/** A new file without a name: it is gone when the process is, however that ends. */
function openNameless(): number {
  const folder = mkdtempSync(join(tmpdir(), "tercet-"));
  try {
    return openSync(join(folder, "input"), "wx+", 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What `run` returns; an error says that it is not the input that is to blame. */
function keeping<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    throw new UsageError(`can't be kept in ${tmpdir()}: ${systemReason(thrown)}`);
  }
}

function* read(file: number, label: string): Generator<Uint8Array, void> {
  const progress = startProgress(label, { total: fstatSync(file).size, unit: "bytes" });
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (let position = 0; ;) {
      const length = readSync(file, buffer, 0, buffer.length, position);
      if (length === 0) return;
      position += length;
      progress.advance(length);
      yield buffer.subarray(0, length);
    }
  } catch (thrown) {
    throw new UsageError(systemReason(thrown));
  } finally {
    progress.stop();
  }
}
