import { prepared } from "../duckdb.ts";
import type { OwnPeer } from "./questions.ts";
import { BY_VOTES, COLUMNS, groupOf, RANGE, TOP, totaled } from "./sql.ts";
import type { Ticket } from "./tickets.ts";

/** Rows of a data chunk: the standard vector size, which is also the most. */
const CHUNK = 2048;

export async function byDuckdb(tickets: readonly Ticket[]): Promise<OwnPeer> {
  const { BIGINT, DuckDBDataChunk, DuckDBInstance, LIST, listValue, VARCHAR } =
    await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const columns = COLUMNS.replaceAll("INTEGER", "BIGINT").replace("tags TEXT", "tags TEXT[]");
  await connection.run(`CREATE TABLE tickets (${columns})`);
  const appender = await connection.createAppender("tickets");
  const types = [BIGINT, VARCHAR, BIGINT, BIGINT, VARCHAR, VARCHAR, LIST(VARCHAR)];
  for (let from = 0; from < tickets.length; from += CHUNK) {
    const rows = tickets.slice(from, from + CHUNK);
    const chunk = DuckDBDataChunk.create(types, rows.length);
    chunk.setColumns([
      rows.map(({ id }) => BigInt(id)),
      rows.map(({ state }) => state),
      rows.map(({ owner }) => (owner === null ? null : BigInt(owner))),
      rows.map(({ votes }) => BigInt(votes)),
      rows.map(({ note }) => note),
      rows.map(({ opened }) => opened),
      rows.map(({ tags }) => listValue(tags)),
    ]);
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  const prepare = (sql: string) => prepared(connection, sql);
  const group = await prepare(groupOf("contains(note, ?)"));
  const range = await prepare(RANGE);
  const tagged = await prepare(
    `SELECT * FROM tickets WHERE list_contains(tags, ?) ${BY_VOTES} OFFSET ?`,
  );
  const next = await prepare(
    `SELECT * FROM tickets WHERE votes < ? OR (votes = ? AND id > ?) ${BY_VOTES}`,
  );
  const top = await prepare(TOP);
  const p99 = await prepare(totaled("quantile_disc(votes, 0.99) AS p99"));
  return {
    group: ({ state, owners, votes, text }) => group(state, ...owners, votes, text),
    range: ({ from, to, offset }) => range(from, to, offset),
    tag: ({ tag, offset }) => tagged(tag, offset),
    after: ({ votes, id }) => next(votes, votes, id),
    top: async ({ state, from }) =>
      (await top(state, from)).map(({ owner, sum }) => ({
        owner: owner === null ? null : Number(owner),
        sum: Number(sum),
      })),
    p99: async ({ state, from }) => Number((await p99(state, from))[0]?.p99),
  };
}
