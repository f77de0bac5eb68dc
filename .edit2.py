p='src/import/gunzip.ts'
s=open(p).read()
a=s.index("export interface Unpacking"); i=s.index("/** Decompresses one member after")
s='''// Decompresses gzip (RFC 1952) piece by piece. Not DecompressionStream: in browsers it rejects a second member,
// which `cat a.gz b.gz` and parallel compressors write, and it is only asynchronous.

import { InputError } from "../schema/errors.ts";
import { checksumBy } from "./checksum.ts";
import { Damage, Inflate } from "./inflate.ts";

/** Decompresses consecutive pieces. */
'''+s[a:i]+'''const crc32 = checksumBy(0xedb88320);

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;

/** The bits of a header's flags. */
const [HAS_CHECK, HAS_EXTRA, HAS_NAME, HAS_COMMENT, RESERVED] = [2, 4, 8, 16, 0xe0];

const damaged = (reason: string) =>
  new InputError("source", `is damaged gzip: ${reason}`, { code: "damaged" });

/** Decompresses one member after another, and verifies their checksums. Zeros after a member end the input. */
export function gunzip(): Unpacking {
  const stream = new Inflate();
  let isWhole = false;

  /** Waits until so many bytes have come, and passes over them. */
  function* bytes(count: number): Generator<undefined, DataView> {
    while (stream.left().length < count) yield;
    const { buffer, byteOffset } = stream.left();
    stream.skip(count);
    return new DataView(buffer, byteOffset, count);
  }

  /** Passes over bytes up to a zero, however many they are. */
  function* text(): Generator<undefined, void> {
    let end = -1;
    while ((end = stream.left().indexOf(0)) === -1) {
      stream.skip(stream.left().length);
      yield;
    }
    stream.skip(end + 1);
  }

  function* header(): Generator<undefined, void> {
    const head = yield* bytes(2);
    if (head.getUint16(0) !== 0x1f8b) throw damaged("incorrect header check");
    const rest = yield* bytes(HEADER_BYTES - 2);
    if (rest.getUint8(0) !== 8) throw damaged("unknown compression method");
    const flags = rest.getUint8(1);
    if ((flags & RESERVED) !== 0) throw damaged("unknown header flags set");
    if ((flags & HAS_EXTRA) !== 0) yield* bytes((yield* bytes(2)).getUint16(0, true));
    if ((flags & HAS_NAME) !== 0) yield* text();
    if ((flags & HAS_COMMENT) !== 0) yield* text();
    if ((flags & HAS_CHECK) !== 0) yield* bytes(2);
  }

  /** Yields parts, and `undefined` where the next piece is needed. */
  function* members(): Generator<Uint8Array | undefined, void> {
    do {
      isWhole = false;
      yield* header();
      let [checksum, length] = [0, 0];
      stream.begin();
      for (;;) {
        for (const part of stream.parts()) {
          checksum = crc32(part, checksum);
          length += part.length;
          yield part;
        }
        if (stream.isEnded) break;
        yield;
      }
      const trailer = yield* bytes(TRAILER_BYTES);
      if (trailer.getUint32(0, true) !== checksum) throw damaged("incorrect data check");
      if (trailer.getUint32(4, true) !== length % 2 ** 32) throw damaged("incorrect length check");
      isWhole = true;
      while (stream.left().length === 0) yield;
    } while (stream.left()[0] !== 0);
  }

  const parts = members();
  return {
    *push(piece) {
      stream.give(piece);
      try {
        for (let next = parts.next(); next.value !== undefined; next = parts.next()) {
          yield next.value;
        }
      } catch (cause) {
        throw cause instanceof Damage ? damaged(cause.message) : cause;
      }
    },
    end() {
      if (!isWhole) throw damaged("unexpected end of data");
      return [];
    },
  };
}
'''
open(p,'w').write(s)
