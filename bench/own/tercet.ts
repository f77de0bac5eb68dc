import {
  createCollection,
  defineSchema,
  int,
  string,
  strings,
  type Page,
} from "../../src/index.ts";
import { CALLS, PAGE, stepOf, TEN, type OwnPeer, type TotalsCall } from "./questions.ts";
import type { Ticket } from "./tickets.ts";

export const TicketSchema = defineSchema({
  id: int({ unique: true }),
  state: string(),
  owner: int({ nullable: true }),
  votes: int(),
  note: string(),
  opened: string(),
  tags: strings(),
});

export function byTercet(tickets: readonly Ticket[]): OwnPeer {
  const collection = createCollection(TicketSchema, tickets);
  collection.prepare({
    match: ["id", "state", "owner", "votes", "opened", "tags"],
    contains: ["note"],
  });
  const cursors = new Map<number, string>();
  const step = stepOf(tickets, CALLS);
  for (let after: string | null = null; ;) {
    const { records, next }: Page<Ticket> = collection.page({
      sortBy: "votes",
      limit: step,
      after,
    });
    after = next;
    if (after === null) break;
    cursors.set(records.at(-1)?.id ?? -1, after);
  }
  const totaled = ({ state, from }: TotalsCall) =>
    [
      ["state", "exactly", state],
      ["id", "at_least", from],
    ] as const;
  return {
    group: ({ state, owners: [one, other], votes, text }) =>
      collection.query({
        criteria: [
          ["state", "exactly", state],
          [
            ["owner", "exactly", one],
            "OR",
            ["owner", "exactly", other],
            "OR",
            ["votes", "greater_than", votes],
          ],
          "NOT",
          ["note", "contains", text],
        ],
        sortBy: "id",
        sortOrder: "ASC",
        limit: PAGE,
      }),
    range: ({ from, to, offset }) =>
      collection.query({
        criteria: [
          ["opened", "at_least", from],
          ["opened", "less_than", to],
        ],
        sortBy: "opened",
        offset,
        limit: PAGE,
      }),
    tag: ({ tag, offset }) =>
      collection.query({
        criteria: [["tags", "has", tag]],
        sortBy: "votes",
        offset,
        limit: PAGE,
      }),
    after: ({ id }) =>
      collection.page({ sortBy: "votes", limit: PAGE, after: cursors.get(id) }).records,
    top: (call) =>
      collection
        .countBy("owner", totaled(call), { summarize: "votes", order: "sum", limit: TEN })
        .map(({ value, sum }) => ({ owner: value, sum })),
    p99: (call) => collection.summary("votes", totaled(call), { quantiles: [0.99] }).quantiles[0],
  };
}
