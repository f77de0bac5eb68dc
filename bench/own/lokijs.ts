import { p99In, topIn } from "./loop.ts";
import { PAGE, type OwnPeer, type TotalsCall } from "./questions.ts";
import type { Ticket } from "./tickets.ts";

export async function byLoki(tickets: readonly Ticket[]): Promise<OwnPeer> {
  const { default: Loki } = await import("lokijs");
  const documents = new Loki("own.db", {}).addCollection<Ticket>("tickets", {
    unique: ["id"],
    indices: ["id", "state", "owner", "votes", "opened"],
    adaptiveBinaryIndices: false,
    disableMeta: true,
  });
  documents.insert(tickets.map((ticket) => ({ ...ticket })));
  documents.ensureAllIndexes();
  const totaled = ({ state, from }: TotalsCall) =>
    documents
      .chain()
      .find({ state })
      .find({ id: { $gte: from } })
      .data();
  return {
    group: ({ state, owners: [one, other], votes, text }) =>
      documents
        .chain()
        // The most selective first: only the first condition can use an index.
        .find({ $or: [{ owner: one }, { owner: other }, { votes: { $gt: votes } }] })
        .find({ state })
        .find({ note: { $not: { $contains: text } } })
        .simplesort("id", { desc: false })
        .limit(PAGE)
        .data(),
    range: ({ from, to, offset }) =>
      documents
        .chain()
        // Its range includes both ends, and reads the index once.
        .find({ opened: { $between: [from, to] } })
        .where(({ opened }) => opened < to)
        .compoundsort([
          ["opened", true],
          ["id", false],
        ])
        .offset(offset)
        .limit(PAGE)
        .data(),
    tag: ({ tag, offset }) =>
      documents
        .chain()
        .find({ tags: { $contains: tag } })
        .compoundsort([
          ["votes", true],
          ["id", false],
        ])
        .offset(offset)
        .limit(PAGE)
        .data(),
    after: ({ votes, id }) =>
      documents
        .chain()
        .find({ votes: { $lte: votes } })
        .where((ticket) => ticket.votes < votes || ticket.id > id)
        .compoundsort([
          ["votes", true],
          ["id", false],
        ])
        .limit(PAGE)
        .data(),
    top: (call) => topIn(totaled(call)),
    p99: (call) => p99In(totaled(call)),
  };
}
