// Pads cells to the width of their columns, for the commands' tables and the benchmark's Markdown.

/**
 * The rows, with every cell padded to the width of its column.
 *
 * @param toRight which columns are right-aligned, like numbers. Default: none
 */
export function* align(
  rows: readonly (readonly string[])[],
  toRight: readonly boolean[] = [],
): Generator<string[], void> {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  }
  for (const row of rows) {
    yield row.map((cell, i) => {
      const space = " ".repeat((widths[i] ?? 0) - widthOf(cell));
      return toRight[i] ? space + cell : cell + space;
    });
  }
}

const narrow = /^[ -~…]*$/;
const unseen = /^\p{Default_Ignorable_Code_Point}+$/u;
/** East Asian characters and emoji take two columns; U+FE0F turns the preceding character into one. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\ufe0f/u;
const characters = new Intl.Segmenter();

/** How many terminal columns a string takes, approximately, because terminals differ. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const { segment } of characters.segment(text)) {
    if (!unseen.test(segment)) width += wide.test(segment) ? 2 : 1;
  }
  return width;
}
