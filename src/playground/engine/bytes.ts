// Reads the bytes of a file: in pieces, only its start, or all of them up to a limit.

import { InputError } from "../../index.ts";

/** Exists in workers. It reads synchronously, which loaders need. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

const PIECE_BYTES = 4_000_000;

/**
 * The bytes of a file, read while they are taken.
 *
 * @param tell gets the number of bytes taken
 */
export function* bytesOf(file: Blob, tell: (done: number) => void): Generator<Uint8Array, void> {
  const reader = new FileReaderSync();
  for (let done = 0; done < file.size; done += PIECE_BYTES) {
    tell(done);
    yield new Uint8Array(reader.readAsArrayBuffer(file.slice(done, done + PIECE_BYTES)));
  }
  tell(file.size);
}

/** The start of a file. Loading reports damage. */
export async function headOf(file: Blob): Promise<string> {
  const start = file.slice(0, HEAD);
  const reader = ((await isGzipped(file)) ? unpacked(start) : start.stream()).getReader();
  const { value } = await reader.read().catch(() => ({ value: undefined }));
  await reader.cancel().catch(() => undefined);
  return new TextDecoder().decode(value?.subarray(0, HEAD));
}

const HEAD = 65_536;

/** The most bytes of a file held as a whole: a table takes as much again, and a tab has only a few gigabytes. */
const MOST_BYTES = 2 ** 30;

/** The most bytes of text from a gzipped file, which may have a thousandth of them. */
const MOST_UNPACKED = 2 ** 31;

/** How many bytes of text are read from a file. */
export async function mostBytes(file: Blob): Promise<number> {
  return (await isGzipped(file)) ? MOST_UNPACKED : Infinity;
}

/** @throws InputError if it is too large, or damaged gzip */
export async function wholeOf(file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = (what: string) =>
    new InputError("source", `${what} more than 1 GiB, which is the limit of this format`);
  if (!(await isGzipped(file))) {
    if (file.size > MOST_BYTES) throw tooLarge("has");
    return new Uint8Array(await file.arrayBuffer());
  }
  const reader = unpacked(file).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let length = 0; ;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new InputError("source", "is damaged gzip", { cause });
    });
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    pieces.push(value);
    if ((length += value.length) <= MOST_BYTES) continue;
    await reader.cancel();
    throw tooLarge("unpacks to");
  }
}

async function isGzipped(file: Blob): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** How many bytes are decompressed at once, to at most a thousand times as many. */
const PACKED_BYTES = 16_384;

function unpacked(file: Blob): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = await file.slice(at, (at += PACKED_BYTES)).arrayBuffer();
      if (piece.byteLength > 0) controller.enqueue(new Uint8Array(piece));
      else controller.close();
    },
  });
  return packed.pipeThrough(new DecompressionStream("gzip"));
}
