// Which data are generated, for whoever has none at hand.

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Kind, Source } from "../messages.ts";
import { count as inWords } from "./words.ts";

const COUNTS = [1_000, 10_000, 100_000, 1_000_000];

export function Data({
  kind: first,
  count: firstCount,
  seed: firstSeed,
  onLoad,
  onClose,
}: {
  readonly kind: Kind;
  readonly count: number;
  readonly seed: number;
  readonly onLoad: (source: Source) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [kind, setKind] = useState(first);
  const [count, setCount] = useState(firstCount);
  const [seed, setSeed] = useState(firstSeed);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const counts = COUNTS.includes(count) ? COUNTS : [...COUNTS, count].sort((a, b) => a - b);
  return (
    <dialog ref={dialog} aria-labelledby="data-title" onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          dialog.current?.close();
          onLoad({ kind, count, seed });
        }}
      >
        <h2 id="data-title">Generated data</h2>
        <fieldset class="switch">
          <legend>What</legend>
          {(["contacts", "files"] as const).map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="kind"
                checked={kind === each}
                onChange={() => setKind(each)}
              />
              {each === "contacts" ? "Contacts of a Batch" : "Files"}
            </label>
          ))}
        </fieldset>
        <label>
          How many
          <select
            id="count"
            value={count}
            onChange={(event) => setCount(Number(event.currentTarget.value))}
          >
            {counts.map((each) => (
              <option key={each} value={each}>
                {inWords(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Seed
          <input
            type="number"
            min={0}
            max={2 ** 31 - 1}
            step={1}
            value={seed}
            onInput={(event) => setSeed(Math.trunc(Number(event.currentTarget.value)) || 0)}
          />
        </label>
        <p class="buttons">
          <button type="submit" class="main">
            Generate
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  );
}
