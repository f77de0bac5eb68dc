// Saves the records that match as a file.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Asked, FileFormat } from "../messages.ts";
import { Problem } from "./controls.tsx";
import type { Engine } from "./engine.ts";
import { Panel } from "./panel.tsx";
import { count } from "./words.ts";

const FORMATS: Readonly<Record<FileFormat, string>> = {
  csv: "CSV",
  ndjson: "NDJSON",
  json: "JSON",
  arrow: "Arrow",
  parquet: "Parquet",
};

interface Props {
  readonly engine: Engine;
  readonly asked: Asked;
  readonly matching: number;
  /** How many records there are. */
  readonly size: number;
  /** The name of the table. */
  readonly name: string;
}

export function Save({ engine, asked, matching, size, name }: Props): JSX.Element {
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState("");
  const save = async (ending: string, make: () => Promise<Blob>) => {
    if (isSaving) return;
    setSaving(true);
    setProblem("");
    try {
      const stem = name.replace(/\..*$/s, "");
      offer(await make(), `${stem === "" ? "records" : stem}.${ending}`);
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
    setSaving(false);
  };
  return (
    <Panel label={isSaving ? "Saving…" : "Save as"} name="Save as">
      {() => (
        <>
          <p>{count(matching)} records, with all their fields, as</p>
          <p class="choices">
            {(Object.keys(FORMATS) as FileFormat[]).map((format) => (
              <button
                key={format}
                type="button"
                aria-disabled={isSaving}
                onClick={() => void save(format, () => engine.call("save", asked, format))}
              >
                {FORMATS[format]}
              </button>
            ))}
          </p>
          <p>All {count(size)}, with their types, as</p>
          <p class="choices">
            <button
              type="button"
              aria-disabled={isSaving}
              onClick={() => void save("all.arrow", () => engine.call("saveAll"))}
            >
              Saved collection
            </button>
          </p>
          <Problem text={problem} />
        </>
      )}
    </Panel>
  );
}

/** Hands a file to the browser, which saves it. */
export function offer(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads it after this call.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
