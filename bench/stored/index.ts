import { byDuckdb } from "./duckdb.ts";
import type { StoredPeer } from "./peer.ts";
import { bySqlite } from "./sqlite.ts";
import { byTercet } from "./tercet.ts";

export const STORED_PEERS: Readonly<Record<string, StoredPeer>> = {
  tercet: byTercet,
  duckdb: byDuckdb,
  "better-sqlite3": bySqlite,
};
