// The label of a file of a pool: whether it is in use, and under which path.
//
//   bytes 0 to 7     `tercet` and the version of the format, in two digits
//         8 to 15    the number of the label, as a double
//         16         0: the file is free; 1: it is a file; 2: it is a folder
//         17         0
//         18 and 19  how many bytes the path has
//         20 to 1019 the path
//         1020       the CRC-32C of the bytes before
//
// Numbers have the lowest byte first. In every version, the first 8 bytes and the checksum are in these places.

import { crc32c } from "./checksum.ts";
import { StoreError } from "./errors.ts";
import { bytesOf, textOf } from "./text.ts";

export const LABEL_BYTES = 1024;
const PATH = 20;
const CHECKSUM = LABEL_BYTES - 4;
export const MOST_PATH_BYTES = CHECKSUM - PATH;
const FORMAT = "tercet";
const VERSION = "01";

export const FREE = 0;
export const FILE = 1;
export const FOLDER = 2;
export type Kind = typeof FREE | typeof FILE | typeof FOLDER;

export interface Label {
  readonly number: number;
  readonly kind: Kind;
  readonly path: string;
}

export const NO_LABEL: Label = { number: 0, kind: FREE, path: "" };

export function bytesOfLabel({ number, kind, path }: Label): Uint8Array {
  const bytes = new Uint8Array(LABEL_BYTES);
  const view = new DataView(bytes.buffer);
  const pathBytes = bytesOf(path);
  bytes.set(bytesOf(FORMAT + VERSION));
  view.setFloat64(8, number, true);
  view.setUint8(16, kind);
  view.setUint16(18, pathBytes.length, true);
  bytes.set(pathBytes, PATH);
  view.setUint32(CHECKSUM, crc32c(bytes, 0, 0, CHECKSUM), true);
  return bytes;
}

/** The label in some bytes; `undefined` if there is none, or an incomplete one. @throws StoreError */
export function labelIn(bytes: Uint8Array): Label | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, LABEL_BYTES);
  const start = textOf(bytes.subarray(0, 8));
  const isWhole = view.getUint32(CHECKSUM, true) === crc32c(bytes, 0, 0, CHECKSUM);
  if (!isWhole || !start.startsWith(FORMAT)) return undefined;
  const version = start.slice(FORMAT.length);
  if (version !== VERSION) {
    const reason = `were written by a newer tercet, in version ${Number(version)} of the format; this one reads version ${Number(VERSION)}. Load the newer application; nothing was changed`;
    throw new StoreError("the private files", reason, { code: "unsupported" });
  }
  const kind = view.getUint8(16);
  const path = textOf(bytes.subarray(PATH, PATH + view.getUint16(18, true)));
  return {
    number: view.getFloat64(8, true),
    kind: kind === FILE || kind === FOLDER ? kind : FREE,
    path,
  };
}
