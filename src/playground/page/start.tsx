// The first screen: what this is, and three ways to data.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Source } from "../messages.ts";
import { Problem } from "./controls.tsx";
import { pastedSource } from "./paste.ts";
import { Picker } from "./picker.tsx";

interface Props {
  readonly onOpen: (sources: readonly Source[]) => void;
  readonly onGenerate: () => void;
  readonly onSample: () => void;
}

export function Start({ onOpen, onGenerate, onSample }: Props): JSX.Element {
  const [problem, setProblem] = useState("");
  const paste = async () => {
    try {
      const pasted = pastedSource(await navigator.clipboard.readText());
      if (pasted === undefined) setProblem("The clipboard has no table: copy some cells first.");
      else onOpen([pasted]);
    } catch {
      setProblem("The browser does not let this page read the clipboard: press Ctrl+V instead.");
    }
  };
  return (
    <main class="start">
      <h2>
        Search, count and chart tables of millions of rows. Your data never leave this machine.
      </h2>
      <ul>
        <li>
          <Picker onOpen={onOpen} />
          <p>
            CSV, NDJSON, JSON, Parquet or Arrow, also compressed. You can drop files anywhere on
            this page; each becomes a table.
          </p>
        </li>
        <li>
          <button type="button" onClick={() => void paste()}>
            Paste
          </button>
          <p>Cells copied from a spreadsheet, CSV or JSON. Ctrl+V works anywhere on this page.</p>
          <Problem text={problem} />
        </li>
        <li>
          <button type="button" onClick={onGenerate}>
            Generate
          </button>
          <p>Orders, Contacts or Files, up to a million. The same seed makes the same data.</p>
        </li>
        <li>
          <button type="button" onClick={onSample}>
            Sample
          </button>
          <p>10,000 orders of a shop, to try the page.</p>
        </li>
      </ul>
    </main>
  );
}
