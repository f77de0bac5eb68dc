// Numbers as people write them: the page, the command and the import read the same number of each text, or refuse it.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { looseNumber, readCsv, writeCsv } from "../../src/import/index.ts";
import { defineSchema, float } from "../../src/index.ts";
import { Session } from "../../src/playground/engine/session.ts";
import { runCommand } from "../command.ts";
import { ReadFile, readFilesAtOnce } from "./read-file.ts";

readFilesAtOnce();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tercet-loose-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const TEXTS = [
  ...[
    "1,234.5",
    "1.234,5",
    "1,234",
    "1.234",
    "12,34",
    "1,23,456",
    "1.234.567",
    "1,234,567",
    ",5",
    ".5",
  ],
  ...["5,", "5.", "-5", "−5", "--5", "(5)", "(-5)", "+5", "5-", "- 5", "-0", "-0,0", "0,0"],
  ...[
    "$1.50",
    "1,50 €",
    "EUR 1.000,00",
    "US$5",
    "$ -5",
    "AB12",
    "ISO 9001",
    "€",
    "%",
    "12 %",
    "12,5%",
    "12%%",
  ],
  ...[
    "1 234",
    "1\u00a0234,5",
    "1'234.5",
    "1’234,5",
    "1_000",
    "1e3",
    "1,5e3",
    "1e400",
    "-1e400",
    "6.02E23",
  ],
  ...[
    "NA",
    "n/a",
    "-",
    "NULL",
    "null",
    "NaN",
    "Infinity",
    "-Infinity",
    "∞",
    "none",
    "0x10",
    "1f",
    "٣",
    "１２",
  ],
  ...[
    "9".repeat(64),
    "9".repeat(65),
    "0".repeat(70),
    `1${"0".repeat(70)}`,
    "007",
    "1.2.3",
    "2024-01-01",
  ],
  ...[
    "true",
    "__proto__",
    "1;2",
    "1\t2",
    '"5"',
    "=1+1",
    "0.1",
    "0,1",
    "1.005",
    "4.35 %",
    "\ufeff5",
    "5\u200b",
  ],
];

const schema = defineSchema({ a: float({ nullable: true }) });
const REFUSED = "refused";

async function onPage(csv: string, decimal: "." | ",") {
  const session = new Session(() => undefined);
  const file = new ReadFile(Buffer.from(csv), "t.csv");
  const types = [["a", decimal === "," ? "float, decimal comma" : "float"]] as const;
  try {
    await session.load({ file, name: "t.csv" }, "auto", {
      types,
      text: { delimiter: ",", header: true },
    });
    return session.rows({ criteria: [], sort: [] }, 0, 1).rows[0]?.[0];
  } catch {
    return REFUSED;
  }
}

async function byCommand(csv: string, decimal: "." | ",") {
  writeFileSync(join(folder, "t.csv"), csv);
  const given = [
    "query",
    "t.csv",
    "--delimiter",
    ",",
    "--decimal",
    decimal,
    "--loose-numbers",
    "a",
  ];
  const { out, code } = await runCommand([...given, "--schema", "s.json", "--json"], {
    cwd: folder,
  });
  return code === 0 ? (JSON.parse(out) as { a: unknown }[])[0]?.a : REFUSED;
}

function byImport(csv: string, decimal: "." | ",") {
  const convert = { a: (text: unknown) => looseNumber(String(text), { decimal }) ?? null };
  return [...readCsv(csv, { schema, convert })][0]?.a;
}

test.each([".", ","] as const)("with %j before the fraction", async (decimal) => {
  writeFileSync(
    join(folder, "s.json"),
    JSON.stringify({ fields: { a: { type: "float", nullable: true } } }),
  );
  const said: unknown[] = [];
  for (const text of TEXTS) {
    const csv = [...writeCsv([{ a: text }])].join("");
    const expected = looseNumber(text, { decimal });
    const answers = [await onPage(csv, decimal), await byCommand(csv, decimal)];
    if (expected !== undefined) answers.push(byImport(csv, decimal));
    const wanted = expected === undefined ? REFUSED : expected;
    if (!answers.every((each) => Object.is(each, wanted))) said.push([text, wanted, ...answers]);
  }
  expect(said).toEqual([]);
});
