// Several rows of the table, which can be copied.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { FieldValue } from "../../index.ts";
import type { ShownColumn } from "../columns.ts";
import type { Asked, Row } from "../messages.ts";
import type { Engine } from "./engine.ts";
import { copied, count } from "./words.ts";

/** Rows from one position to another, which is not included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A clipboard takes no more. */
const MOST_COPIED = 10_000;

const FORMATS = { tsv: "TSV", json: "JSON" } as const;

interface Given {
  readonly engine: Engine;
  readonly asked: Asked;
  readonly columns: readonly ShownColumn[];
  readonly range: Range | undefined;
}

/** Copies the rows of a range, with the columns that are shown, and says whether it could. */
export function useCopy({ engine, asked, columns, range }: Given) {
  const [said, setSaid] = useState("");
  useEffect(() => setSaid(""), [range?.from, range?.to]);
  const copy = async (format: keyof typeof FORMATS) => {
    if (range === undefined) return;
    const { from, to } = range;
    if (to - from > MOST_COPIED) {
      setSaid(`At most ${count(MOST_COPIED)} rows can be copied; “Save as” takes more`);
      return;
    }
    try {
      const { rows } = await engine.call("rows", asked, from, to - from);
      const names = columns.map(({ field }) => field.name);
      const values = rows.map((row) =>
        columns.map(({ at, field }) => copied(row[at] ?? null, field)),
      );
      await navigator.clipboard.writeText(texts[format](names, values));
      setSaid(`Copied as ${FORMATS[format]}`);
    } catch {
      setSaid("Not copied");
    }
  };
  return { said, copy };
}

type Write = (names: readonly string[], rows: readonly Row[]) => string;

const texts: Readonly<Record<keyof typeof FORMATS, Write>> = {
  tsv: (names, rows) => [names, ...rows].map((row) => row.map(cellOf).join("\t")).join("\n"),
  json: (names, rows) =>
    JSON.stringify(
      rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]]))),
      null,
      2,
    ),
};

/** As spreadsheets paste it. */
function cellOf(value: FieldValue): string {
  const text = typeof value === "object" ? value && JSON.stringify(value) : String(value);
  if (text === null) return "";
  return /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function Selection({
  range: { from, to },
  said,
  copy,
}: ReturnType<typeof useCopy> & { readonly range: Range }): JSX.Element {
  return (
    <p class="selection">
      <span role="status">{said === "" ? `${count(to - from)} rows selected` : said}</span>
      {(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((format) => (
        <button key={format} type="button" class="plain" onClick={() => void copy(format)}>
          Copy as {FORMATS[format]}
        </button>
      ))}
    </p>
  );
}
