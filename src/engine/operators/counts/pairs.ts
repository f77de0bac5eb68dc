// Counts the rows with some codes of two indexes by a table of all pairs of codes, which is cached. It is made if the
// codes of all rows have to be read anyway; otherwise once counts have cost about as much as making it, but never while
// a deadline runs.

import { PairCounts } from "../../cache/pair-counts.ts";
import { tuning } from "../../tuning.ts";
import type { Segment } from "../../versions/segment.ts";
import { costs } from "../costs.ts";
import type { CodeLeaf } from "./code-tree.ts";
import { deadIn } from "./codes.ts";
import { countWith, type CodePair, type CountOperator, type CountPlan } from "./count-plan.ts";

/** The pair of two leaves, if a table of their indexes is small compared with the rows. */
export function pairOf(a: CodeLeaf, b: CodeLeaf): CodePair | undefined {
  const [one, other] = a.field < b.field ? [a, b] : [b, a];
  return PairCounts.isSmall(one.index, other.index) ? { one, other } : undefined;
}

/** The count by a table, if it is made or due. @param read how many rows another way of counting reads */
export function countOfPairs(
  { cache, dead, options: { indexes = "auto" } }: Segment,
  pair: CodePair,
  read: number,
  isUrgent: boolean,
): CountPlan | undefined {
  const { one, other } = pair;
  // Dead rows have to be subtracted one by one.
  if (dead.count > read) return undefined;
  const table = cache.get(PairCounts, one.index, other.field, "");
  const spent = table?.isWith(other.index) === true ? table.read : 0;
  const isMade = table?.isWith(other.index) === true && table.isMade;
  const readsAll = read >= one.index.rows;
  const isAllowed = readsAll ? indexes !== "none" : indexes === "auto" && !isUrgent;
  const isDue = readsAll || spent >= one.index.rows * tuning.pairShare;
  if (!isMade && !(isDue && isAllowed)) return undefined;
  const making = isMade ? 0 : one.index.rows;
  return countWith({ path: "pairs", pair }, making + dead.count * costs.codeTest);
}

export const pairsOperator: CountOperator<"pairs"> = {
  words: "count by a table of pairs",
  count({ pair: { one, other } }, { segment: { cache, dead }, deadline }) {
    let table = tableFor(cache, { one, other });
    if (!table.isMade) {
      table = table.made(one.index, other.index, deadline);
      cache.put(table, one.index, other.field, "");
    }
    return table.count(one.set, other.set) - deadIn({ path: "all", parts: [one, other] }, dead);
  },
};

/** Notes that rows were read for lack of a table. */
export function chargePair({ cache }: Segment, pair: CodePair, rows: number): void {
  tableFor(cache, pair).read += rows;
}

/** The table, perhaps yet to be made. */
function tableFor(cache: Segment["cache"], { one, other }: CodePair): PairCounts {
  const found = cache.get(PairCounts, one.index, other.field, "");
  if (found?.isWith(other.index) === true) return found;
  const table = new PairCounts(other.index);
  cache.put(table, one.index, other.field, "");
  return table;
}
