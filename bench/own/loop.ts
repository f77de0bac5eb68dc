// A hand-written loop over the tickets. Its results are the correct ones.

import {
  byVotes,
  PAGE,
  placeOfP99,
  TEN,
  type OwnPeer,
  type Top,
  type TotalsCall,
} from "./questions.ts";
import type { Ticket } from "./tickets.ts";

export function byLoop(tickets: readonly Ticket[]): OwnPeer {
  const totaled = ({ state, from }: TotalsCall) =>
    tickets.filter((ticket) => ticket.state === state && ticket.id >= from);
  return {
    group({ state, owners, votes, text }) {
      const page: Ticket[] = [];
      for (const ticket of tickets) {
        if (
          ticket.state === state &&
          (ticket.owner === owners[0] || ticket.owner === owners[1] || ticket.votes > votes) &&
          !ticket.note.includes(text)
        ) {
          page.push(ticket);
          if (page.length === PAGE) break;
        }
      }
      return page;
    },
    range: ({ from, to, offset }) =>
      tickets
        .filter(({ opened }) => opened >= from && opened < to)
        .sort((a, b) => (a.opened < b.opened ? 1 : a.opened > b.opened ? -1 : a.id - b.id))
        .slice(offset, offset + PAGE),
    tag: ({ tag, offset }) =>
      tickets
        .filter(({ tags }) => tags.includes(tag))
        .sort(byVotes)
        .slice(offset, offset + PAGE),
    after(position) {
      const page: Ticket[] = [];
      for (const ticket of tickets) {
        const last = page[PAGE - 1];
        if (byVotes(position, ticket) >= 0) continue;
        if (last !== undefined && byVotes(last, ticket) < 0) continue;
        const at = page.findIndex((each) => byVotes(ticket, each) < 0);
        page.splice(at === -1 ? page.length : at, 0, ticket);
        if (page.length > PAGE) page.pop();
      }
      return page;
    },
    top: (call) => topIn(totaled(call)),
    p99: (call) => p99In(totaled(call)),
  };
}

/** The ten owners with the most votes. */
export function topIn(tickets: readonly Pick<Ticket, "owner" | "votes">[]): Top[] {
  const sums = new Map<number | null, number>();
  for (const { owner, votes } of tickets) sums.set(owner, (sums.get(owner) ?? 0) + votes);
  const all = Array.from(sums, ([owner, sum]) => ({ owner, sum }));
  return all.sort((a, b) => b.sum - a.sum || (a.owner ?? -1) - (b.owner ?? -1)).slice(0, TEN);
}

/** The 99th percentile of the votes. */
export function p99In(tickets: readonly Pick<Ticket, "votes">[]): number | undefined {
  return Float64Array.from(tickets, ({ votes }) => votes).sort()[placeOfP99(tickets.length)];
}
