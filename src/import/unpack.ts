// Passes on bytes piece by piece, decompressed. If they are not text, the error names their format.

import { InputError } from "../schema/errors.ts";
import { gunzip, type Unpacking } from "./gunzip.ts";
import { isCompressed, isGzip, notText, SIGNATURE_BYTES } from "./signatures.ts";
import { unzstd, type Fzstd } from "./unzstd.ts";
import { concat } from "./utf8.ts";

/** The maximum length of a piece. The records of a piece are held until they have been consumed. */
const PIECE_BYTES = 256 * 1024;

/** The options of `unpack`. */
export interface UnpackOptions {
  /** Decompresses Zstandard: the package fzstd. */
  readonly zstd?: Fzstd | undefined;
  /** The maximum number of decompressed bytes. Default: no limit, for trusted files only. */
  readonly maxBytes?: number | undefined;
  /** Called with the number of source bytes read so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  /**
   * Whether to refuse bytes that are not text, with an error that names their format, such as `an Excel workbook
   * (xlsx)`.
   */
  readonly isText?: boolean | undefined;
}

/** Reads the first bytes, which determine the format. */
function startOf(
  then: (head: Uint8Array) => Unpacking,
): Unpacking & { readonly flush: () => Iterable<Uint8Array> } {
  let head: Uint8Array = new Uint8Array(0);
  let rest: Unpacking | undefined;
  const begin = () => {
    rest = then(head);
    return rest.push(head);
  };
  return {
    push(piece) {
      if (rest !== undefined) return rest.push(piece);
      head = concat([head, piece]);
      return head.length < SIGNATURE_BYTES ? [] : begin();
    },
    flush: () => (rest === undefined ? begin() : []),
    end: () => rest?.end() ?? [],
  };
}

const AS_IT_IS: Unpacking = { push: (piece) => [piece], end: () => [] };

export function unpacker({ zstd, maxBytes = Infinity, onProgress, isText = false }: UnpackOptions) {
  let read = 0;
  let passed = 0;
  let isPacked = false;
  const plain = startOf((head) => {
    const reason = isText ? notText(head) : undefined;
    if (reason !== undefined) throw new InputError("source", reason, { code: "unsupported" });
    return AS_IT_IS;
  });
  const packed = startOf((head) => {
    isPacked = isCompressed(head);
    if (!isPacked) return AS_IT_IS;
    if (isGzip(head)) return gunzip();
    if (zstd !== undefined) return unzstd(zstd);
    const reason = "is compressed with Zstandard; pass the package fzstd as the option zstd";
    throw new InputError("source", reason, { code: "unsupported" });
  });

  function* passedOn(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void> {
    for (const piece of pieces) {
      if ((passed += piece.length) > maxBytes) {
        const what = isPacked ? ", decompressed" : "";
        throw new InputError("source", `has more than ${maxBytes} bytes${what}`, { code: "limit" });
      }
      yield* plain.push(piece);
    }
  }

  return {
    /** @throws InputError if the bytes are damaged, too many, or not text */
    *push({ buffer, byteOffset, length }: Uint8Array): Generator<Uint8Array, void> {
      for (let start = 0; start < length; start += PIECE_BYTES) {
        // Plain Uint8Arrays, because `slice` of a Node.js Buffer does not copy.
        const size = Math.min(PIECE_BYTES, length - start);
        yield* passedOn(packed.push(new Uint8Array(buffer, byteOffset + start, size)));
      }
      onProgress?.((read += length));
    },

    /** @throws InputError if the bytes end too early */
    *end(): Generator<Uint8Array, void> {
      yield* passedOn(packed.flush());
      yield* passedOn(packed.end());
      yield* plain.flush();
    },
  };
}
