// How many changed records live queries follow; after a larger change they are asked again.

import { tuning } from "../tuning.ts";
import type { Snapshot } from "../versions/snapshot.ts";

/** Asking again costs no more than checking this many changed records of a version. */
export const mostFollowed = ({ size }: Snapshot): number =>
  Math.max(tuning.mostJudged, size / tuning.judgedPart);
