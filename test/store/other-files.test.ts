// Paths that are neither a collection nor a store: the error says what they are, and what opens
// them.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCollection, defineSchema, float, int } from "../../src/index.ts";
import { openFile, openStore, saveFile } from "../../src/store/index.ts";

const folder = mkdtempSync(join(tmpdir(), "tercet-other-"));
const Row = defineSchema({ id: int({ unique: true }), price: float({ default: 1.5 }) });
const rows = createCollection(Row, [{ id: 1 }]);

test.each([
  ["id,price\n1,2\n", "text: if it is CSV, readCsv() of tercet/import reads it"],
  ["\u{feff}é;ü\n", "text: if it is CSV, readCsv() of tercet/import reads it"],
  [' [{"id":1}]', "JSON: the readers of tercet/import read it"],
  ['{"id":1}\n{"id":2}', "JSON: the readers of tercet/import read it"],
  ["PAR1\u0015\u0004", "a Parquet file: readParquet() of tercet/import reads it"],
  ["PK\u0003\u0004\u0014", "a zip archive: unpack it first"],
  ["SQLite format 3\0", "a SQLite database: query it by tercet/sql"],
  [new Uint8Array([0x1f, 0x8b, 8, 0]), "gzip: unpack it first"],
  [
    new Uint8Array([255, 255, 255, 255, 16, 0]),
    "an Arrow stream: readArrow() of tercet/import reads it",
  ],
  ["", "empty"],
])("a file that begins with %j", (content, kind) => {
  const path = join(folder, "file");
  writeFileSync(path, content);
  const reason = `does not begin like an Arrow file: it is ${kind}`;
  expect(() => openFile(path)).toThrow(expect.objectContaining({ reason, code: "damaged" }));
});

test("a folder is no file, and a file no store", () => {
  const [store, file] = [join(folder, "store"), join(folder, "rows.arrow")];
  mkdirSync(store);
  expect(() => openFile(store)).toThrow("it is a folder; use openStore() for a store");
  saveFile(file, rows);
  expect(() => openStore(file, { rows: Row })).toThrow(
    "is not the folder of a store; use openFile() for a collection in a file",
  );
});

test.each([
  ["price", "1.50", '; write 1.5 or "1.5"'],
  ["price", "+2", '; write 2 or "2"'],
  ["price", "1e999", ""],
  ["price", " ", ""],
  ["id", "024", '; write 24 or "24"'],
  ["id", "1.5", ""],
] as const)("a comparison of %s with %j says which string it takes", (field, value, remedy) => {
  const criteria = [[field, "at_least", value]] as never;
  const takes =
    field === "id"
      ? "a safe integer or its canonical decimal string"
      : "a finite number or its canonical string";
  const reason = `at_least takes ${takes}, not ${JSON.stringify(value)}${remedy}`;
  expect(() => rows.count(criteria)).toThrow(expect.objectContaining({ reason }));
});
