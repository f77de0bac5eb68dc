// The bytes of a dictionary that is merged of one in a file and a few values more: what stands in the file
// is copied as it stands, a run at a time.

import type { MergedValues } from "../collection/index/merge.ts";
import type { FileDictionary } from "./dictionary.ts";
import { dictionaryBytes, MOST_BYTES, type DictionaryBytes } from "./dictionary-bytes.ts";
import { FileError } from "./file-error.ts";

/** @throws FileError where the strings take more than 2 GiB */
export function mergedBytes(
  large: FileDictionary,
  { small, from }: MergedValues,
  name: string,
): DictionaryBytes {
  large.load();
  const [first, second] = [large.copy(), dictionaryBytes(large.type, small, name)];
  const placeOf = (code: number): Place =>
    code >= 0 ? placeIn(first, code, code + 1) : placeIn(second, ~code, ~code + 1);
  let size = 0;
  const offsets = new Int32Array(from.length + 1);
  for (let code = 0; code < from.length; code++) {
    const { start, end } = placeOf(from[code]!);
    size += end - start;
    if (size > MOST_BYTES) {
      throw new FileError(`dictionary of ${name}`, "would hold more than 2 GiB of text");
    }
    offsets[code + 1] = size;
  }
  const bytes = new Uint8Array(size);
  for (let code = 0; code < from.length;) {
    let next = code + 1;
    const origin = from[code]!;
    while (origin >= 0 && next < from.length && from[next] === origin + next - code) next++;
    const { start, end } =
      origin >= 0 ? placeIn(first, origin, origin + next - code) : placeOf(origin);
    bytes.set((origin >= 0 ? first : second).bytes.subarray(start, end), offsets[code]);
    code = next;
  }
  if (first.offsets === undefined) {
    // The placeholder of null is as the least value, so that the whole is in order.
    bytes.copyWithin(0, 8, 16);
    return { ascii: false, offsets: undefined, bytes };
  }
  const isAscii = (first.ascii && second.ascii) || bytes.every((byte) => byte < 0x80);
  return { ascii: isAscii, offsets, bytes };
}

/** Where values stand in the bytes of a dictionary. */
interface Place {
  readonly start: number;
  readonly end: number;
}

function placeIn({ offsets }: DictionaryBytes, code: number, end: number): Place {
  return offsets === undefined
    ? { start: 8 * code, end: 8 * end }
    : { start: offsets[code]!, end: offsets[end]! };
}
