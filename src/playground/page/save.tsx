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
  /** The name of the table. */
  readonly name: string;
}

export function Save({ engine, asked, matching, name }: Props): JSX.Element {
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState("");
  const save = async (format: FileFormat) => {
    setSaving(true);
    setProblem("");
    try {
      const stem = name.replace(/\..*$/s, "");
      offer(
        await engine.call("save", asked, format),
        `${stem === "" ? "records" : stem}.${format}`,
      );
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
                disabled={isSaving}
                onClick={() => void save(format)}
              >
                {FORMATS[format]}
              </button>
            ))}
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
