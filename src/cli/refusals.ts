// Where invalid records go, so that the others can be read.

import { writeNdjson } from "../import/index.ts";
import { reportIncomplete, warnLeftOut } from "./errors.ts";
import type { Skip } from "./sources.ts";
import { openTarget, type Target, type TargetOptions } from "./target.ts";

/** Collects invalid records, unless they end the command. */
export interface Refusals {
  readonly skip: Skip;
  readonly count: number;
  /**
   * Keeps the written file, and reports how many records it has. It is a failure if all are there.
   *
   * @param taken how many records were valid
   */
  readonly commit: (taken: number) => void;
  readonly close: () => void;
}

/** @param path the file to write them to, if any */
export function openRefusals(
  path: string | undefined,
  options: Omit<TargetOptions, "content">,
): Refusals {
  const target =
    path === undefined ? undefined : openTarget(path, { ...options, content: "ndjson" });
  let count = 0;
  const skip =
    (to: Target): NonNullable<Skip> =>
    (source) =>
    (each) => {
      count++;
      for (const line of writeNdjson([{ source, ...each }])) to.write(line);
    };
  return {
    skip: target && skip(target),
    get count() {
      return count;
    },
    commit(taken) {
      target?.commit();
      if (count === 0) return;
      const reportLeftOut = taken > 0 ? warnLeftOut : reportIncomplete;
      reportLeftOut(count, "record that is not valid", "records that are not valid");
    },
    close: () => target?.close(),
  };
}
