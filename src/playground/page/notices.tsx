// What was said of a file when it was read.

import type { JSX } from "preact";
import { counted } from "./words.ts";

export function Notices({ all }: { readonly all: readonly string[] }): JSX.Element | null {
  const [first] = all;
  if (first === undefined) return null;
  return (
    <details class="notices">
      <summary>
        {all.length === 1 ? first : `${first} and ${counted(all.length - 1, "more notice")}`}
      </summary>
      <ul>
        {all.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </details>
  );
}
