// The way to answer searches for strings by an index of trigrams: the candidates, of which a few are tested for an
// estimate, and the tests that they have yet to pass.
//
// Both are found while planning, because statistics cannot replace them: the index has the number of rows of each
// trigram, but of a text whose trigrams are all common, the least of these numbers may be thousands of times that of the
// rows with all of them. Such an estimate chooses to read a sort index to its end. Measured with 300,000 records and a
// page of 20, sorted by another field: for texts of 20 characters, 8 to 13 ms if the intersection is left to the
// operator, and .15 ms if it is made here; if 2,000 candidates are all false, 3.7 ms without testing a few, and 1.0 to
// 1.4 ms with it.

import { lowestRow } from "../algorithms/bitset.ts";
import { requiredText } from "../../criteria/bounds.ts";
import { type ParsedCriterion } from "../../criteria/tree.ts";
import { costs } from "../operators/costs.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { candidatesOf } from "../operators/trigrams.ts";
import { searchFilter, testFilter } from "../operators/test-values.ts";
import { type FilterPlan, type Paging } from "../operators/plan.ts";
import { UNLIMITED } from "../query.ts";
import type { Segment } from "../versions/segment.ts";
import { type Posting } from "../indexes/postings.ts";
import { intersection, joinPostings, type TrigramIndex } from "../indexes/trigram-index.ts";
import { type Access, testPlan } from "./access.ts";

/** The assumed share of rows with all trigrams of a string that contain the string. */
const TRUE_CANDIDATES = 0.95;

export function substringAccess(
  segment: Segment,
  ordered: FieldIndex,
  criteria: readonly ParsedCriterion[],
  trigrams: TrigramIndex,
  page: Paging,
  most: number,
): Access {
  const all = joinPostings(
    criteria.map((criterion) => trigrams.postings(requiredText(criterion.bounds))),
  );
  // Any plan of a page in an order, or of all rows, needs the candidates. Where other criteria leave few rows, testing
  // these may take less time; and a page in insertion order is full before all candidates are found.
  const finding = all.length * segment.size * costs.bitsetRow;
  const isNeeded = page.sort !== undefined || page.limit === UNLIMITED;
  const postings =
    isNeeded && finding <= most * costs.valueTest ? [intersection(all, page.deadline)] : all;
  const { count, bits } = postings[0]!;
  const share =
    page.sort === undefined || page.limit === UNLIMITED || ordered.areCodesInPieces
      ? TRUE_CANDIDATES
      : shareOfCandidates(segment, ordered, criteria, postings[0]!);
  const narrowing: FilterPlan = {
    step: { path: "trigrams", postings, groups: [criteria] },
    unbuiltIndexes: [],
    selectivity: count / Math.max(1, segment.size),
    setUp:
      (bits === undefined ? count * costs.trigramRow : 0) +
      postings.length * segment.size * costs.bitsetRow,
    perRow: costs.codeTest,
    randomAccessCost: costs.scatteredBit,
  };
  const searched = ordered.findsTexts ? ordered : undefined;
  const verifying = criteria.map((criterion, i) =>
    testPlan(criterion, i === 0 ? share : TRUE_CANDIDATES, undefined, searched),
  );
  const source = () => candidatesOf([criteria], postings);
  return { groups: [criteria], filters: [narrowing, ...verifying], source, verifying };
}

/** How many candidates are tested before a plan is chosen. Up to as many are tested faster than rows are read in order. */
const TESTED_CANDIDATES = 64;

/** The share of candidates that satisfies some criteria, judging by a few. */
function shareOfCandidates(
  segment: Segment,
  ordered: FieldIndex,
  criteria: readonly ParsedCriterion[],
  candidates: Posting,
): number {
  const { count } = candidates;
  if (count <= TESTED_CANDIDATES) return TRUE_CANDIDATES;
  const some = spread(candidates, TESTED_CANDIDATES);
  const kept = criteria.reduce((length, criterion) => {
    const filter = ordered.findsTexts
      ? searchFilter(ordered, criterion)
      : testFilter(segment.schema, segment.rows, criterion);
    return filter.keep(some, length);
  }, some.length);
  // Even if none is, one in twice as many may be.
  return Math.min(TRUE_CANDIDATES, (kept + 0.5) / some.length);
}

/** Some rows of a posting, from all over it. */
function spread({ count, bits, rows }: Posting, some: number): Uint32Array {
  if (bits === undefined) {
    const all = rows;
    return Uint32Array.from({ length: some }, (_, i) => all[Math.floor((i * count) / some)]!);
  }
  const found: number[] = [];
  const step = Math.max(1, Math.floor(bits.length / some));
  for (let first = 0; first < step && found.length < some; first++) {
    for (let word = first; word < bits.length && found.length < some; word += step) {
      if (bits[word] !== 0) found.push(lowestRow(word, bits[word]!));
    }
  }
  return Uint32Array.from(found).sort();
}
