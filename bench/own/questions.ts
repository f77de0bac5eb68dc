// What is asked of tickets: what the contract's two methods can't ask. Of each question no two calls are alike.

import { DAYS, OWNERS, STATES, TAGS, tag, timeAfter, type Ticket } from "./tickets.ts";

/** (one owner, another, or many votes) and a state, and a text not in the note. */
export interface GroupCall {
  readonly state: string;
  readonly owners: readonly [number, number];
  readonly votes: number;
  readonly text: string;
}

/** From a time on, up to another one. */
export interface RangeCall {
  readonly from: string;
  readonly to: string;
  readonly offset: number;
}

export interface TagCall {
  readonly tag: string;
  readonly offset: number;
}

/** The position of a ticket in the order of votes, the most first; of equal votes, by id. */
export type Position = Pick<Ticket, "votes" | "id">;

/** The tickets in a state, from an id on. */
export interface TotalsCall {
  readonly state: string;
  readonly from: number;
}

export interface Top {
  readonly owner: number | null;
  readonly sum: number;
}

type Awaitable<T> = T | Promise<T>;

type Ask<Call, Result> = (call: Call) => Awaitable<Result>;

/** Whole records. */
type Rows = readonly unknown[];

/** A peer that holds the tickets, with its best idiom and its indexes. What its queries lack, a loop over its records does. */
export interface OwnPeer {
  /** The first by id. */
  readonly group: Ask<GroupCall, Rows>;
  /** Those opened last, the latest first. */
  readonly range: Ask<RangeCall, Rows>;
  /** Those with a tag, with the most votes first. */
  readonly tag: Ask<TagCall, Rows>;
  /** Those after a position, with the most votes first. */
  readonly after: Ask<Position, Rows>;
  /** The ten owners with the largest sums of votes; of equal ones, the lowest. */
  readonly top: Ask<TotalsCall, readonly Top[]>;
  /** The smallest number of votes that at least 99 of 100 tickets do not exceed. */
  readonly p99: Ask<TotalsCall, number | null | undefined>;
}

export type QuestionName = keyof OwnPeer;

/** How many records a page has. */
export const PAGE = 50;
/** How many owners a top list has. */
export const TEN = 10;
/** How many calls of each question there are at most. */
export const CALLS = 20_000;

interface Question<Name extends QuestionName> {
  readonly label: string;
  readonly calls: (tickets: readonly Ticket[]) => Parameters<OwnPeer[Name]>[0][];
}

export const questions: { readonly [Name in QuestionName]: Question<Name> } = {
  group: {
    label: "AND of (OR of three) and NOT, 50 by id",
    calls: () =>
      callsOf((i) => ({
        state: stateAt(i),
        owners: [(i * 37) % OWNERS, (i * 91 + 13) % OWNERS],
        votes: 9_900 + (i % 97),
        text: ` ${i % 1000}`,
      })),
  },
  range: {
    label: "a month or two of ISO times, the latest 50 at 50",
    calls: () =>
      callsOf((i) => {
        const from = (i * 7) % ((DAYS - 60) * 24);
        return { from: timeAfter(from), to: timeAfter(from + 24 * (30 + (i % 31))), offset: PAGE };
      }),
  },
  tag: {
    label: "has a tag, by votes, 50 at some depth",
    calls: () => callsOf((i) => ({ tag: tag(i * 7), offset: 5 * Math.floor(i / TAGS) })),
  },
  after: {
    label: "all by votes, 50 after a cursor",
    calls: (tickets) => positionsIn(tickets, CALLS),
  },
  top: { label: "top 10 owners by sum of votes, two criteria", calls: totalsCalls },
  p99: { label: "99th percentile of votes, two criteria", calls: totalsCalls },
};

export const questionNames = Object.keys(questions) as QuestionName[];

function callsOf<Call>(at: (i: number) => Call): Call[] {
  return Array.from({ length: CALLS }, (_, i) => at(i));
}

const stateAt = (i: number): string => STATES[i % STATES.length] ?? "";

function totalsCalls({ length }: readonly Ticket[]): TotalsCall[] {
  return callsOf((i) => ({ state: stateAt(i), from: Math.floor((i * length) / (2 * CALLS)) }));
}

/** Up to so many positions at equal distances, from the first ticket to the last, in an order that jumps. */
function positionsIn(tickets: readonly Ticket[], count: number): Position[] {
  const step = stepOf(tickets, count);
  const positions = tickets.toSorted(byVotes).filter((_, i) => i % step === step - 1);
  return positions.map((_, i) => positions[(i * 7919) % positions.length] as Position);
}

/** How far positions are from each other. */
export const stepOf = ({ length }: readonly Ticket[], count: number): number =>
  Math.ceil(length / count);

/** The most votes first, then by id. */
export const byVotes = (a: Position, b: Position): number => b.votes - a.votes || a.id - b.id;

/** The position of a quantile among so many numbers in order, counted from 0. */
export const placeOfP99 = (count: number): number => Math.ceil((99 * count) / 100) - 1;
