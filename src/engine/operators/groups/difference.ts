// Counts the groups of one part, and subtracts those of another.

import { groupsWith, type GroupOperator, type GroupPlan } from "./group-plan.ts";

export const groupsOfDifference = (whole: GroupPlan, without: GroupPlan): GroupPlan =>
  groupsWith({ path: "difference", whole, without }, whole.cost + without.cost);

export const differenceOperator: GroupOperator<"difference"> = {
  words: "subtract one count from another",
  add({ whole, without }, { add }, times) {
    add(whole, times);
    add(without, times === 1 ? -1 : 1);
  },
};
