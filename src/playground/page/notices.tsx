// What was said of the columns of a file when it was read.

import type { JSX } from "preact";

/** Up to so many are shown; the others are counted. */
const MOST_SHOWN = 5;

export function Notices({ all }: { readonly all: readonly string[] }): JSX.Element | null {
  if (all.length === 0) return null;
  const left = all.length - MOST_SHOWN;
  return (
    <p class="text" role="status">
      Column {all.slice(0, MOST_SHOWN).join("; column ")}
      {left > 0 && `; and ${left} more`}
    </p>
  );
}
