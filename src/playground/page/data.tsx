// Which data are generated, for whoever has none at hand.

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Generated, Source } from "../messages.ts";
import { Select, Switch } from "./controls.tsx";
import { count as inWords } from "./words.ts";

const COUNTS = [1_000, 10_000, 100_000, 1_000_000];

/** What is there at a click. */
export const SAMPLE = { kind: "orders", count: 10_000, seed: 1 } as const satisfies Source;

interface Props {
  readonly kind: Generated;
  readonly count: number;
  readonly seed: number;
  readonly onLoad: (source: Source) => void;
  readonly onClose: () => void;
}

export function Data({ onLoad, onClose, ...shown }: Props): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [kind, setKind] = useState(shown.kind);
  const [count, setCount] = useState(shown.count);
  const [seed, setSeed] = useState(shown.seed);
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
        <Switch
          name="kind"
          legend={<legend>What</legend>}
          options={{ orders: "Orders", contacts: "Contacts of a Batch", files: "Files" }}
          value={kind}
          onChange={setKind}
        />
        <label>
          How many
          <Select
            id="count"
            value={count}
            options={counts.map((each) => [each, inWords(each)])}
            onChange={(to) => setCount(Number(to))}
          />
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
