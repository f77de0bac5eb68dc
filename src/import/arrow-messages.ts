// Checks the framing of an Arrow file or stream before flechette reads it: flechette does not notice truncated data,
// and takes all numbers for little-endian.
// https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc

import { CONTINUATION, MAGIC, padded } from "../arrow/format.ts";
import { FlatTable } from "../arrow/read/flatbuffer.ts";
import { InputError, orUndefined } from "../schema/errors.ts";

const START = [...new TextEncoder().encode(MAGIC)];

/** The first message of a file begins at a multiple of 8. */
const FILE_START = padded(START.length);

/** The fields of a message and of a schema, by their numbers. */
const [HEADER, BODY_LENGTH, ENDIANNESS] = [2, 3, 0];
const BIG_ENDIAN = 1;

/** @throws InputError if it is neither a file nor a stream, is big-endian, or is truncated */
export function requireWhole(bytes: Uint8Array): void {
  const isFile = START.every((byte, i) => bytes[i] === byte);
  const end = bytes.length - START.length;
  if (isFile && !(end >= FILE_START && START.every((byte, i) => bytes[end + i] === byte))) {
    throw damaged("does not end like an Arrow file; it may be truncated");
  }
  let at = isFile ? FILE_START : 0;
  const schema = messageAt(bytes, at);
  if (schema?.message === undefined) throw damaged("is neither an Arrow file nor an Arrow stream");
  const { message } = schema;
  if (orUndefined(() => message.table(HEADER)?.int16(ENDIANNESS)) === BIG_ENDIAN) {
    throw new InputError("source", "is big-endian Arrow; write it little-endian to read it", {
      code: "unsupported",
    });
  }
  if (isFile) return;
  // A stream ends with an empty message, or with its last byte.
  while (at < bytes.length) {
    const { message, end } = messageAt(bytes, at) ?? { end: Infinity };
    if (end > bytes.length) throw damaged("its last message is truncated");
    if (message === undefined) return;
    at = end;
  }
}

const damaged = (reason: string) => new InputError("source", `can't be read as Arrow: ${reason}`);

/** A message and its end; the message is empty at the end of the stream. `undefined` if its start is incomplete. */
function messageAt(bytes: Uint8Array, start: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const uint32 = (at: number) => (at + 4 <= bytes.length ? view.getUint32(at, true) : NaN);
  // Programs from 2019 and earlier write only the length.
  const at = uint32(start) === CONTINUATION ? start + 4 : start;
  const length = uint32(at);
  const from = at + 4;
  if (!(from + length <= bytes.length)) return undefined;
  if (length === 0) return { message: undefined, end: from };
  const message = orUndefined(() => FlatTable.root(bytes.subarray(from, from + length), "source"));
  const body = orUndefined(() => message?.int64(BODY_LENGTH));
  return message && { message, end: from + length + Number(body ?? Infinity) };
}
