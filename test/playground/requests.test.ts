// The query of a file in other languages, whatever the names of the file and its fields.

import { expect, test } from "vitest";
import { asShell, asTypeScript, tableOf } from "../../src/playground/requests.ts";

const file = "-$(id)'s.csv";
const asked = { criteria: [["a'$b", "exactly", `"\``]], sort: [["$(x)", "ASC"]] } as const;
const subject = { kind: undefined, batchId: undefined, read: undefined, file };

test("no name leaves its quotes in a command", () => {
  expect(asShell(subject, asked).split(" \\\n")).toEqual([
    `tercet query './-$(id)'\\''s.csv'`,
    `  --criteria '[["a'\\''$b","exactly","\\"\`"]]'`,
    "  --sort '$(x):ASC'",
    "  --json",
  ]);
});

test.each([
  ["orders.csv.gz", "readRecords"],
  ["orders.parquet", "readParquet"],
  ["orders.arrow", "readArrow"],
])("%s is opened by %s", (name, reader) => {
  const text = asTypeScript({ ...subject, file: name }, asked);
  expect(text).toContain(`readFileSync("${name}")`);
  expect(text).toContain(`${reader}(`);
  expect(text).toContain(`sort: [["$(x)","ASC"]]`);
  expect(tableOf({ ...subject, file: name })).toBe("orders");
});
