// The first screen: what this is, and three ways to data.

import type { JSX } from "preact";
import type { Source } from "../messages.ts";
import { Picker } from "./picker.tsx";

interface Props {
  readonly onOpen: (sources: readonly Source[]) => void;
  readonly onGenerate: () => void;
  readonly onSample: () => void;
}

export function Start({ onOpen, onGenerate, onSample }: Props): JSX.Element {
  return (
    <main class="start">
      <h2>
        Search, count and chart tables of up to millions of rows, right here: your data never leave
        this machine.
      </h2>
      <ul>
        <li>
          <Picker onOpen={onOpen} />
          <p>
            CSV, NDJSON, JSON, Parquet or Arrow, gzipped or not. You can also drop files anywhere on
            this page; each becomes a table of its own.
          </p>
        </li>
        <li>
          <button type="button" onClick={onGenerate}>
            Generate
          </button>
          <p>Orders, Contacts or Files: any number up to a million, the same for everyone.</p>
        </li>
        <li>
          <button type="button" onClick={onSample}>
            Sample
          </button>
          <p>10,000 orders of a shop, to look around at once.</p>
        </li>
      </ul>
    </main>
  );
}
