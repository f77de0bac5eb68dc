// Reads the dimensions of an image from the start of its file.

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { imageSize } from "image-size";

/**
 * The dimensions are near the start, after a few thumbnails and colour profiles at most. A TIFF may
 * have them at its end; it then counts as an unreadable image.
 */
const HEAD_BYTES = 256 * 1024;

/** For anything that is not an image. */
export const NO_DIMENSIONS = { width: 0, height: 0 } as const;

type Dimensions = Readonly<Record<keyof typeof NO_DIMENSIONS, number>>;

/**
 * Width and height in pixels; both are 0 if the content is not an image in a known format, or is
 * damaged.
 *
 * @throws the system's error if the file can't be read
 */
export async function imageDimensions(path: Buffer): Promise<Dimensions> {
  // Since it was listed, the file may have been replaced by a link or a pipe: neither follow nor
  // wait.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    // image-size reads the whole underlying memory, so this must not be a slice of a pool.
    const head = new Uint8Array(Math.min(size, HEAD_BYTES));
    await file.read(head, 0, head.length, 0);
    return dimensionsOf(head);
  } finally {
    await file.close();
  }
}

function dimensionsOf(head: Uint8Array): Dimensions {
  try {
    const { width, height } = imageSize(head);
    return isPixels(width) && isPixels(height) ? { width, height } : NO_DIMENSIONS;
  } catch {
    return NO_DIMENSIONS;
  }
}

function isPixels(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
