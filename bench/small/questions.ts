// Questions that a loop answers in a line, for few records and many. Of each question no two calls are alike.

import { STATES, tag } from "../own/tickets.ts";

export interface SmallCall {
  readonly state: string;
  readonly votes: number;
  readonly owner: number;
  readonly tag: string;
  readonly text: string;
}

export interface StateCount {
  readonly state: string;
  readonly count: number;
}

/** How many records a page has. */
export const PAGE = 20;

/** A peer that holds the tickets. What its queries lack, a loop over their results does. */
export interface SmallPeer {
  /** How many tickets of a state have more than so many votes. */
  readonly count: (call: SmallCall) => number;
  /** Those of the owners up to one, with the most votes first. */
  readonly page: (call: SmallCall) => readonly unknown[];
  /** The first with a text in the note. */
  readonly text: (call: SmallCall) => readonly unknown[];
  /** How many have a tag and more than so many votes. */
  readonly tag: (call: SmallCall) => number;
  /** Of those with more than so many votes, how many are in each state; by state. */
  readonly group: (call: SmallCall) => readonly StateCount[];
}

export type SmallQuestion = keyof SmallPeer;

export const labels: Readonly<Record<SmallQuestion, string>> = {
  count: "count of a state and a range",
  page: "range, by votes, 20",
  text: "contains a text, 20",
  tag: "count of a tag and a range",
  group: "count by state of a range",
};

export const smallQuestions = Object.keys(labels) as SmallQuestion[];

/** @param from the first number: calls of other numbers are others */
export function smallCalls(length: number, from = 0): SmallCall[] {
  return Array.from({ length }, (_, at) => {
    const i = from + at;
    return {
      state: STATES[i % STATES.length] ?? "",
      votes: (i * 37 + 1) % 10_000,
      owner: (i * 91) % 1000,
      tag: tag(i * 7),
      text: ` ${i % 1000}`,
    };
  });
}
