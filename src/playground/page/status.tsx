// How many records match, and what that took; or how far loading is.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Loaded, Progress } from "../messages.ts";
import type { Answer } from "./asking.ts";
import { bytes, count, milliseconds, shown } from "./words.ts";

interface Props {
  /** The file that a link is about, if it is not opened yet. */
  readonly wanted: string;
  readonly loaded: Loaded | undefined;
  readonly progress: Progress | undefined;
  readonly onCancel: () => void;
  readonly answer: Answer | undefined;
  readonly isStale: boolean;
}

export function Status(props: Props): JSX.Element {
  const { wanted, loaded, progress, onCancel, answer, isStale } = props;
  return (
    <div class="status">
      {wanted !== "" && (
        <p class="matching" role="status">
          This link needs {shown(wanted)}. Open it, or another file with the same columns.
        </p>
      )}
      {progress !== undefined && <Loading progress={progress} onCancel={onCancel} />}
      {loaded !== undefined && answer !== undefined && (
        <p class={isStale ? "matching stale" : "matching"} role="status">
          <strong>{count(answer.matching)}</strong>
          {answer.isPartial && " so far"} of {count(loaded.size)} {loaded.title}
          <span class="took"> in {milliseconds(answer.milliseconds)}</span>
        </p>
      )}
    </div>
  );
}

/** Before this many milliseconds and this share of the work, nobody knows how long it takes. */
const SOON = 700;
const LITTLE = 0.03;

function Loading({
  progress,
  onCancel,
}: {
  readonly progress: Progress;
  readonly onCancel: () => void;
}): JSX.Element {
  const { share = 0 } = progress;
  const load = useRef({ start: performance.now(), share });
  // Something else is loaded instead.
  if (share < load.current.share) load.current.start = performance.now();
  load.current.share = share;
  const took = performance.now() - load.current.start;
  const isKnown = took > SOON && share > LITTLE;
  return (
    <p class="progress">
      <progress aria-label="Loading" {...(share === 0 ? {} : { value: share })} />
      <span>{progressText(progress)}</span>
      {isKnown && (
        <span class="left">about {Math.ceil((took * (1 / share - 1)) / 1000)} s left</span>
      )}
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </p>
  );
}

function progressText({ phase, done, total, unit }: Progress): string {
  const shown = unit === "bytes" ? bytes : count;
  return total === undefined ? phase : `${phase}: ${shown(done)} of ${shown(total)}`;
}
