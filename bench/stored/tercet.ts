// tercet: a store. The import is that of the command, in a process of its own.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { defineSchema, int, string, writeSchema, type Field } from "../../src/index.ts";
import { openStore } from "../../src/store/index.ts";
import { keyOf, PAGE, type ImportCost, type StoredPeer } from "./peer.ts";
import type { StoredTable } from "./tables.ts";

/** Writes what the process took when it ends. */
const REPORT = `import { writeFileSync } from "node:fs";
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cost = { cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS * 1024 };
  writeFileSync(process.env.COST, JSON.stringify(cost));
});`;

export const byTercet: StoredPeer = {
  import(csv, table, folder) {
    const [schema, cost] = [`${folder}.schema.json`, `${folder}.cost.json`];
    writeFileSync(schema, JSON.stringify(writeSchema(schemaOf(table))));
    const report = `data:text/javascript,${encodeURIComponent(REPORT)}`;
    const command = ["bench/node_modules/.cache/cli.mjs", "import", csv, "--collection", "rows"];
    const options = ["--schema", schema, "--null", "", "--index", table.text.field, "--to", folder];
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", report, ...command, ...options],
      { env: { ...process.env, COST: cost }, encoding: "utf8" },
    );
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(readFileSync(cost, "utf8")) as ImportCost;
  },

  open(table, folder, isDeferred) {
    const store = openStore(
      folder,
      { rows: schemaOf(table) },
      { indexes: isDeferred ? "deferred" : "auto" },
    );
    const { rows } = store;
    const { key, page, text, pair, changed } = table;
    return {
      lookup: (given) => rows.query({ criteria: [[key, "exactly", keyOf(table, given)]] }),
      page: (value, offset) =>
        rows.query({
          criteria: [[page.field, "exactly", value]],
          ...{ sortBy: page.sortBy, limit: PAGE, offset },
        }),
      contains: (value) => rows.count([[text.field, "contains", value]]),
      count: (one, other) =>
        rows.count([
          [pair[0], "exactly", one],
          [pair[1], "exactly", other],
        ]),
      change(given, value) {
        store.update((draft) => {
          draft.rows = draft.rows.update([[key, "exactly", keyOf(table, given)]], (row) => {
            row[changed] = value;
          });
        });
      },
      checkpoint: () => store.checkpoint(),
      slice: () => rows.buildDue({ milliseconds: 5 }).due > 0,
      close: () => store.close(),
    };
  },
};

export function schemaOf({ fields, required, key }: StoredTable) {
  const all: Record<string, Field> = {};
  for (const [name, type] of fields) {
    const options = { nullable: !required.includes(name), unique: name === key };
    all[name] = type === "int" ? int(options) : string(options);
  }
  return defineSchema(all);
}
