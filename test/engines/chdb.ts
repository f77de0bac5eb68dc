// ClickHouse in process, through chdb, which is installed separately (see run.ts). Not in a worker
// thread, where it crashes.

import type { Parameter, Run } from "../../src/sql/index.ts";
import { rowsOf, type Engine } from "./engine.ts";
import { missingPackage } from "./system.ts";

/** Why it can't be started here, if it can't. */
export function missing(): string | undefined {
  return missingPackage("chdb");
}

export async function start(): Promise<Engine> {
  const { Session } = await import("chdb");
  const session = new Session();
  const ask = (text: string, parameters: readonly Parameter[] = []): unknown[][] => {
    // The n-th parameter has the name pn.
    const named = Object.fromEntries(parameters.map((value, i) => [`p${i + 1}`, value]));
    const answer = session.queryBind(text, named, "JSONCompact");
    return answer === "" ? [] : (JSON.parse(answer) as { data: unknown[][] }).data;
  };
  const database = "tercet";
  const clear = () => {
    ask(`DROP DATABASE IF EXISTS ${database}`);
    ask(`CREATE DATABASE ${database}`);
    ask(`USE ${database}`);
    return Promise.resolve();
  };
  await clear();
  // What is thrown becomes a rejection.
  const run: Run = async (text, parameters) => Promise.resolve(ask(text, parameters));
  return {
    name: `ClickHouse ${String(ask("SELECT version()")[0]?.[0])} (chdb)`,
    dialect: "clickhouse",
    run,
    empty: () => empty(run),
    bytes: () =>
      Promise.resolve(
        Number(ask("SELECT sum(bytes_on_disk) FROM system.parts WHERE active")[0]?.[0]),
      ),
    clear,
    close: () => {
      session.cleanup();
      return Promise.resolve();
    },
  };
}

const TABLES = ["tercet_files", "tercet_contacts", "tercet_lists"];

async function empty(run: Run): Promise<boolean> {
  const [row] = await rowsOf({ run }, `EXISTS TABLE ${TABLES.at(-1)}`);
  if (Number(Object.values(row ?? {})[0]) !== 1) return false;
  for (const table of TABLES) await rowsOf({ run }, `TRUNCATE TABLE ${table}`);
  return true;
}
