import { expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import { applyPatchesSql, createTables } from "../../src/sql/index.ts";
import { rowsOf } from "../engines/engine.ts";
import { onEngine } from "../engines/on-engine.ts";
import { differential } from "./harness.ts";

differential("chDB");

onEngine("chDB", (engine) => {
  // It has no cluster to run them on.
  test("reads the statements for a cluster", async () => {
    const cluster = { servers: "it's a `shop`" };
    const memory = createService({ files: [1, 2].map((id) => ({ id, folder_id: 1, name: "a" })) });
    const change = memory.update((draft) => {
      draft.files = draft.files
        .remove([["id", "exactly", 1]])
        .update([], (file) => void (file.size = "9"));
    });
    const { dialect } = engine();
    const statements = [
      ...createTables({ dialect, cluster }),
      ...applyPatchesSql(change, { dialect, cluster, generation: 1 }),
    ];
    const texts: string[] = [];
    for (const { text } of statements) {
      const [row] = await rowsOf(engine(), "SELECT formatQuery({p1:String})", [text]);
      texts.push(String(Object.values(row ?? {})[0]));
    }
    const everywhere = texts.filter((text) => text.includes("ON CLUSTER"));
    expect(everywhere.map((text) => /\((?:UPDATE|DELETE)\b/.exec(text)?.[0])).toEqual([
      "(DELETE",
      "(UPDATE",
    ]);
    expect(texts.filter((text) => text.includes("Distributed("))).toHaveLength(3);
  });
});
