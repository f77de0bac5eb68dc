// Reads, or keeps, the rows with all trigrams of some strings: candidates whose values are tested next.

import type { CriteriaGroup } from "../../criteria/tree.ts";
import { addRows, createBitset, intersectInto, type Bitset } from "../algorithms/bitset.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import type { Posting } from "../indexes/postings.ts";
import { bitsetsOf, intersectLists } from "../indexes/trigram-index.ts";
import type { Segment } from "../versions/segment.ts";
import { costs } from "./costs.ts";
import { bitsetFilter } from "./filter.ts";
import { type FilterOperator, type SourceOperator } from "./operator.ts";
import { type SourcePlan, withCost } from "./plan.ts";
import { BitsetSource, ListSource } from "./source.ts";

/** The rows in all postings; the shortest posting comes first. */
export function candidatesOf(
  groups: readonly CriteriaGroup[],
  postings: readonly Posting[],
): SourcePlan {
  const shortest = postings[0]!;
  const step = { path: "trigrams", postings, groups } as const;
  const setUp = shortest.bits === undefined ? shortest.count * costs.trigramRow : 0;
  return withCost(step, shortest.count, costs.trigramRow, setUp);
}

export const trigramsOperator: SourceOperator<"trigrams"> = {
  words: "find candidates by trigrams",
  mayEmitDeadRows: true,
  open({ postings }, { deadline }) {
    const { bits } = postings[0]!;
    return bits === undefined
      ? new ListSource(intersectLists(postings, deadline))
      : new BitsetSource([bits, ...bitsetsOf(postings.slice(1))]);
  },
};

export const trigramFilter: FilterOperator<"trigrams"> = {
  words: "keep by trigrams",
  open: ({ postings }, { segment, deadline }) =>
    bitsetFilter(candidates(segment, postings, deadline)),
};

/** The rows in all postings, and perhaps a few others, as a set. */
function candidates(
  { size }: Segment,
  postings: readonly Posting[],
  deadline: Deadline | undefined,
): Bitset {
  const { bits } = postings[0]!;
  const set = bits?.slice() ?? createBitset(size);
  if (bits === undefined) addRows(set, intersectLists(postings, deadline));
  else for (const other of bitsetsOf(postings)) intersectInto(set, other);
  return set;
}
