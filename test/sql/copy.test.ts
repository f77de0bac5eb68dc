// COPY fills tables with the same rows as INSERT, with the code of src/sql/README.md.

import fc from "fast-check";
import type { PoolClient } from "pg";
import { expect, test } from "vitest";
import { createTables, insertRows, type Statement } from "../../src/sql/index.ts";
import { batch, files } from "../../src/testing/index.ts";
import { storable } from "../engines/engine.ts";
import { start } from "../engines/postgres.ts";
import { settings } from "../property.ts";
import { loadDocument } from "./document.ts";

interface Code {
  readonly send: (client: PoolClient, statement: Statement) => Promise<void>;
}

const TABLES = ["tercet_files", "tercet_contacts", "tercet_lists"];

test("COPY and INSERT leave the same rows, whatever the texts", async () => {
  const { send } = await loadDocument<Code>("From memory to PostgreSQL", []);
  const engine = await start();
  const pool = engine.server.connect("postgres");
  const client = await pool.connect();
  const rowsBy = async (statements: Iterable<Statement>) => {
    await client.query(TABLES.map((table) => `DELETE FROM ${table}`).join("; "));
    for (const each of statements) await send(client, each);
    const found = [];
    for (const table of TABLES) {
      found.push((await client.query(`SELECT * FROM ${table} ORDER BY position`)).rows);
    }
    return found;
  };
  const texts = ["\\N", "\\", "\\.", "a\tb", "a\nb", "\r\n", "\b\f\v", "", " ", "é😀", '"', "\\t"];
  const special = {
    id: 9,
    lists: [
      {
        id: 1,
        fields: ["Email", "a\tb\\\n"],
        contacts: texts.map((text, i) => ({
          ...{ send_id: i, contact_id: i, contact_email: text, open_country: text },
          fields: { Email: text, "a\tb\\\n": text },
        })),
      },
    ],
  };
  try {
    for (const each of createTables({ dialect: "postgres" })) await send(client, each);
    const drawn = fc.tuple(files({ maxLength: 12 }), batch({ maxContacts: 12 }));
    await fc.assert(
      fc.asyncProperty(drawn, async (given) => {
        const [files, own] = storable(engine, given);
        for (const batch of [own, special]) {
          const options = { dialect: "postgres", files, batch } as const;
          const inserted = await rowsBy(insertRows(options));
          expect(await rowsBy(insertRows({ ...options, copy: true }))).toEqual(inserted);
        }
      }),
      settings(10),
    );
    // The server's refusal is reported, and the connection goes on.
    const wrong = { text: "COPY tercet_files FROM STDIN", parameters: [], data: "x\n" };
    await expect(send(client, wrong)).rejects.toThrow("invalid input syntax");
    await send(client, { text: "SELECT 1", parameters: [] });
  } finally {
    client.release();
    await pool.end();
    await engine.close();
  }
});

test("only PostgreSQL has COPY", () => {
  expect(() => insertRows({ dialect: "sqlite", files: [], copy: true })).toThrow(
    "options.copy: needs PostgreSQL, not sqlite",
  );
});
