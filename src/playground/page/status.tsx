// How many records match, and what that took; or how far loading is.

import type { JSX } from "preact";
import type { Answer, Loaded, Progress } from "../messages.ts";
import { Problem } from "./controls.tsx";
import { bytes, count, milliseconds } from "./words.ts";

interface Props {
  readonly loaded: Loaded | undefined;
  readonly progress: Progress | undefined;
  readonly problem: string;
  readonly answer: Answer | undefined;
  readonly isStale: boolean;
}

export function Status({ loaded, progress, problem, answer, isStale }: Props): JSX.Element {
  return (
    <div class="status">
      <Problem text={problem} />
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
          <strong>{count(answer.matching)}</strong> of {count(loaded.size)}{" "}
          {loaded.kind === "contacts" ? "Contacts" : "Files"}
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
