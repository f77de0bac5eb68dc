// Temporarily changes thresholds of the engine, so that a few records reach code that otherwise needs many.

import { tuning } from "../src/engine/tuning.ts";

/** The smallest that work: of a hundred records some are many. */
export const smallest: Partial<typeof tuning> = {
  fewRows: 3,
  sizeRatio: 4,
  largestBatch: 16,
  smallestBatch: 4,
  fewToCopy: 2,
  mostSources: 1,
  selectedPart: 4,
  densePart: 4,
  searchedBatch: 20,
  fewValues: 3,
  rarePart: 1,
  mostShortTexts: 3,
  fewToSearch: 8,
  fewToCode: 16,
  mostRanges: 4,
  fewRanges: 2,
  fewToCompare: 1,
  firstSlots: 2,
  mostSteps: 3,
  fewNumbers: 4,
  mostNumberSteps: 2,
  combinedRows: 3,
  compoundShare: 0,
  leastCharged: 0,
  longestText: 3,
  mostMarkedBytes: 64,
  largeGroup: 1,
  mostKept: 4,
  mostJudged: 2,
  judgedPart: 16,
  mostFollowedGroups: 3,
  spareRows: 0,
  mostFollowedReferences: 1,
  fewDead: 2,
  mostRecords: 8,
  smallSection: 0,
  wholeSection: 0,
  fewToRead: 1,
  manyRows: 3,
  manyValues: 3,
  fewInData: 3,
  fewBefore: 3,
  fewCompared: 3,
};

/**
 * Those that the library comes with, for tests that say where they are; but for the size of batches, whose
 * buffers are as large as it was when the engine was loaded.
 */
export const usual: Partial<typeof tuning> = { ...tuning };
delete usual.largestBatch;
delete usual.smallestBatch;

/** Sets thresholds until what it returns is disposed of: `using _ = tuned({ fewRows: 3 })`. */
export function tuned(values: Partial<typeof tuning>): Disposable {
  const before = { ...tuning };
  Object.assign(tuning, values);
  return { [Symbol.dispose]: () => void Object.assign(tuning, before) };
}
