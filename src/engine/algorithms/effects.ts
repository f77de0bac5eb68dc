// Describing a query must not change how later ones run: while it is planned only to be described, nothing is charged,
// built or cached.

let areOff = false;

/** Whether planning may charge, build or cache something. */
export const hasEffects = (): boolean => !areOff;

/** Returns what `work` returns, which has no effects meanwhile. */
export function withoutEffects<Result>(work: () => Result): Result {
  const before = areOff;
  areOff = true;
  try {
    return work();
  } finally {
    areOff = before;
  }
}
