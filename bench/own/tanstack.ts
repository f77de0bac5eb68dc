import { p99In, topIn } from "./loop.ts";
import { PAGE, type OwnPeer, type TotalsCall } from "./questions.ts";
import type { Ticket } from "./tickets.ts";

export async function byTanstack(tickets: readonly Ticket[]): Promise<OwnPeer> {
  const db = await import("@tanstack/db");
  const { and, eq, gt, gte, inArray, like, lt, not, or } = db;
  const collection = db.createCollection<Ticket>(
    db.localOnlyCollectionOptions({
      getKey: ({ id }: Ticket) => String(id),
      defaultStringCollation: { stringSort: "lexical" },
      initialData: tickets,
    }),
  );
  for (const field of ["id", "state", "owner", "votes", "opened"] as const) {
    collection.createIndex((ticket) => ticket[field], {
      indexType: db.BTreeIndex,
      options: { compareOptions: { direction: "asc", nulls: "first", stringSort: "lexical" } },
    });
  }
  const totaled = ({ state, from }: TotalsCall) =>
    db.queryOnce((start) =>
      start
        .from({ contact: collection })
        .where(({ contact: ticket }) => and(eq(ticket.state, state), gte(ticket.id, from))),
    );
  return {
    group: ({ state, owners: [one, other], votes, text }) =>
      db.queryOnce((start) =>
        start
          .from({ contact: collection })
          .where(({ contact: ticket }) =>
            and(
              eq(ticket.state, state),
              or(eq(ticket.owner, one), eq(ticket.owner, other), gt(ticket.votes, votes)),
              not(like(ticket.note, `%${text}%`)),
            ),
          )
          .orderBy(({ contact: ticket }) => ticket.id, "asc")
          .limit(PAGE)
          .offset(0),
      ),
    range: ({ from, to, offset }) =>
      db.queryOnce((start) =>
        start
          .from({ contact: collection })
          .where(({ contact: ticket }) => and(gte(ticket.opened, from), lt(ticket.opened, to)))
          .orderBy(({ contact: ticket }) => ticket.opened, "desc")
          .orderBy(({ contact: ticket }) => ticket.id, "asc")
          .limit(PAGE)
          .offset(offset),
      ),
    tag: ({ tag, offset }) =>
      db.queryOnce((start) =>
        start
          .from({ contact: collection })
          .where(({ contact: ticket }) => inArray(tag, ticket.tags))
          .orderBy(({ contact: ticket }) => ticket.votes, "desc")
          .orderBy(({ contact: ticket }) => ticket.id, "asc")
          .limit(PAGE)
          .offset(offset),
      ),
    after: ({ votes, id }) =>
      db.queryOnce((start) =>
        start
          .from({ contact: collection })
          .where(({ contact: ticket }) =>
            or(lt(ticket.votes, votes), and(eq(ticket.votes, votes), gt(ticket.id, id))),
          )
          .orderBy(({ contact: ticket }) => ticket.votes, "desc")
          .orderBy(({ contact: ticket }) => ticket.id, "asc")
          .limit(PAGE)
          .offset(0),
      ),
    top: async (call) => topIn(await totaled(call)),
    p99: async (call) => p99In(await totaled(call)),
  };
}
