// The sizes that the page calculates with assume text of 16 pixels. Readers may choose larger text;
// CSS has the same sizes in rem.

const TEXT = 16;

/** By how much the reader's text is larger. */
export const scale = (): number =>
  parseFloat(getComputedStyle(document.documentElement).fontSize) / TEXT;

/** A size in pixels, as CSS has it. */
export const rem = (pixels: number): string => `${pixels / TEXT}rem`;
