// How many records match, and what that took; or how far loading is.

import type { JSX } from "preact";
import type { Answer, Loaded, Progress } from "../messages.ts";
import { Problem } from "./controls.tsx";
import { bytes, count, milliseconds, shown } from "./words.ts";

interface Props {
  /** The file that a link is about, if it is not opened yet. */
  readonly wanted: string;
  readonly loaded: Loaded | undefined;
  readonly progress: Progress | undefined;
  readonly problem: string;
  readonly answer: Answer | undefined;
  readonly isStale: boolean;
}

export function Status(props: Props): JSX.Element {
  const { wanted, loaded, progress, problem, answer, isStale } = props;
  return (
    <div class="status">
      <Problem text={problem} />
      {wanted !== "" && (
        <p class="matching" role="status">
          This link asks about {shown(wanted)} but does not contain it. Open that file, or another
          with the same fields.
        </p>
      )}
      {progress !== undefined && (
        <p class="progress">
          <progress
            aria-label="Loading"
            {...(progress.total === undefined ? {} : { value: progress.done, max: progress.total })}
          />
          <span>{progressText(progress)}</span>
        </p>
      )}
      {loaded !== undefined && answer !== undefined && (
        <p class={isStale ? "matching stale" : "matching"} role="status">
          <strong>{count(answer.matching)}</strong> of {count(loaded.size)} {loaded.title}
          <span class="took"> in {milliseconds(answer.milliseconds)}</span>
        </p>
      )}
    </div>
  );
}

function progressText({ phase, done, total, unit }: Progress): string {
  const shown = unit === "bytes" ? bytes : count;
  return total === undefined ? phase : `${phase}: ${shown(done)} of ${shown(total)}`;
}
