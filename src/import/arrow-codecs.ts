// Decompresses the columns of Arrow files for flechette, whose codecs are global.

import { InputError } from "../schema/errors.ts";
import { decodeFrame } from "./lz4.ts";
import type { Compressors } from "./parquet-file.ts";

/** LZ4 frames and Zstandard, by their numbers in the format. */
export type ArrowCodecType = 0 | 1;

/** Functions that compress bytes, and decompress them to a known length. */
export interface ArrowCodec {
  encode(bytes: Uint8Array): Uint8Array;
  decode(bytes: Uint8Array, length: number): Uint8Array;
}

/** The codecs of flechette. */
export interface ArrowCodecs {
  getCompressionCodec(type: ArrowCodecType): ArrowCodec | null;
  setCompressionCodec(type: ArrowCodecType, codec: ArrowCodec | null): void;
}

export interface DecompressionOptions {
  readonly compressors: Compressors;
  /** The maximum number of decompressed bytes. */
  readonly maxBytes: number;
}

const NAMES = ["LZ4_FRAME", "ZSTD"] as const;

/** Runs a function while flechette has our codecs, and then restores the previous ones. */
export function withCodecs<Result>(
  flechette: ArrowCodecs,
  { compressors, maxBytes }: DecompressionOptions,
  run: () => Result,
): Result {
  const ours: Compressors = { LZ4_FRAME: decodeFrame, ...compressors };
  const types = [0, 1] as const;
  const before = types.map((type) => flechette.getCompressionCodec(type));
  let left = maxBytes;
  for (const type of types) {
    const name = NAMES[type];
    const earlier = before[type] ?? undefined;
    const decompress =
      ours[name] ??
      (earlier && ((bytes: Uint8Array, length: number) => earlier.decode(bytes, length)));
    flechette.setCompressionCodec(type, {
      encode: (bytes) => bytes,
      decode(bytes, length) {
        if (decompress === undefined) {
          const reason = `is compressed with ${name}; add a function for it to options.compressors`;
          throw new InputError("source", reason, { code: "unsupported" });
        }
        left -= length;
        if (!(length >= 0 && left >= 0)) {
          throw new InputError(
            "source",
            `has more than options.maxBytes ${maxBytes}, decompressed`,
          );
        }
        return decompress(bytes, length);
      },
    });
  }
  try {
    return run();
  } finally {
    for (const type of types) flechette.setCompressionCodec(type, before[type] ?? null);
  }
}
