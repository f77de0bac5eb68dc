// The peers over tickets, by name.

import { byDuckdb } from "./duckdb.ts";
import { byLoki } from "./lokijs.ts";
import { byLoop } from "./loop.ts";
import type { OwnPeer } from "./questions.ts";
import { bySqlite } from "./sqlite.ts";
import { byTanstack } from "./tanstack.ts";
import { byTercet } from "./tercet.ts";
import type { Ticket } from "./tickets.ts";

export const OWN_PEERS: Readonly<
  Record<string, (tickets: readonly Ticket[]) => OwnPeer | Promise<OwnPeer>>
> = {
  tercet: byTercet,
  loop: byLoop,
  lokijs: byLoki,
  "@tanstack/db": byTanstack,
  "better-sqlite3": bySqlite,
  duckdb: byDuckdb,
};
