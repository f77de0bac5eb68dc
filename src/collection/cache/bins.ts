// Bins: the bucket of each row, for histograms that are requested repeatedly with the same bins, such as
// while brushing a chart. A row then costs reading one byte, instead of its code and the bucket of that.
//
// Held: for each index the bins of the last histogram, a byte for each row, or two for more than 256
// buckets, as long as the index exists. They are made at the second request, so a single one pays
// nothing.
//
// Stale: never, since an index doesn't change; other bins replace them.

import type { FieldIndex } from "../index/field-index.ts";

/** How an index was last counted. */
interface Counted {
  readonly bounds: Uint32Array;
  /** `undefined` if it was counted so only once. */
  readonly buckets: Uint8Array | Uint16Array | undefined;
}

const counted = new WeakMap<FieldIndex, Counted>();

/** The bucket of each row, if the index was counted with the same bounds before. */
export function bucketsOfRows(
  index: FieldIndex,
  bounds: Uint32Array,
): Uint8Array | Uint16Array | undefined {
  const before = counted.get(index);
  const isSame =
    before?.bounds.length === bounds.length &&
    before.bounds.every((bound, i) => bound === bounds[i]);
  if (isSame && before.buckets !== undefined) return before.buckets;
  const buckets = isSame ? bucketEach(index, bounds) : undefined;
  counted.set(index, { bounds, buckets });
  return buckets;
}

function bucketEach({ codes, values }: FieldIndex, bounds: Uint32Array): Uint8Array | Uint16Array {
  const bucketOf = bucketsOfCodes(values.length, bounds);
  const buckets =
    bounds.length > 257 ? new Uint16Array(codes.length) : new Uint8Array(codes.length);
  for (let row = 0; row < codes.length; row++) buckets[row] = bucketOf[codes[row]!]!;
  return buckets;
}

/** The bucket of each of so many codes. */
export function bucketsOfCodes(length: number, bounds: Uint32Array): Uint16Array {
  const bucketOf = new Uint16Array(length);
  for (let i = 0; i < bounds.length - 1; i++) bucketOf.fill(i, bounds[i], bounds[i + 1]);
  return bucketOf;
}
