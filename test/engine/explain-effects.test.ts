// Describing queries has no effect: whatever is explained in between, questions build the same indexes.

import fc from "fast-check";
import { expect, test } from "vitest";
import { createCollection, defineSchema, int, string, strings } from "../../src/index.ts";
import { query } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { untyped } from "../rules/fixtures.ts";
import { smallest, tuned } from "../tuned.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  text: string(),
  kind: string({ ignoreCase: true }),
  tags: strings(),
});
const rows = Array.from({ length: 60 }, (_, id) => ({
  id,
  text: `text ${(id * 7) % 60}`,
  kind: `Kind ${id % 5}`,
  tags: [`t${id % 7}`],
}));

test("questions build the same indexes, whatever is explained in between", () => {
  const asked = query(Row, { records: rows });
  fc.assert(
    fc.property(fc.array(asked, { minLength: 1, maxLength: 6 }), (queries) => {
      using _ = tuned(smallest);
      const [explained, other] = [0, 1].map(() =>
        createCollection(Row, rows).update([["id", "exactly", 3]], { text: "changed" }),
      );
      const reports = [explained, other].map((collection, i) =>
        queries.map((each) => {
          const { criteria } = each as { criteria?: never };
          const grouped = { by: ["kind", "tags"] as const, criteria } as const;
          for (let times = 0; i === 0 && times < 20; times++) {
            collection?.explain(untyped(each));
            collection?.explainCount(criteria);
            collection?.explainGroupBy(grouped);
          }
          collection?.query(untyped(each));
          collection?.count(criteria);
          collection?.groupBy(grouped);
          // Their bytes depend on how strings collide, and so on the random seed of a table.
          return collection?.indexes().map(({ kind, field }) => [kind, field]);
        }),
      );
      expect(reports[0]).toEqual(reports[1]);
    }),
    settings(100),
  );
});
