// Saves the records that match as a file.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { stemOf } from "../link.ts";
import type { Asked, Changed, FileFormat } from "../messages.ts";
import { Problem } from "./controls.tsx";
import type { Engine } from "./engine.ts";
import { Panel } from "./panel.tsx";
import { count, counted, shown } from "./words.ts";

export const FORMATS: Readonly<Record<FileFormat, string>> = {
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
  /** The last change of the data: what was saved before it is not what there is. */
  readonly changed: Changed | undefined;
}

export function Save({ engine, asked, matching, size, name, changed }: Props): JSX.Element {
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState("");
  const [said, setSaid] = useState("");
  useEffect(() => setSaid(""), [asked, changed]);
  const save = async (
    records: number,
    ending: string,
    make: () => Promise<Blob>,
    close: () => void,
  ) => {
    if (isSaving) return;
    setSaving(true);
    setProblem("");
    try {
      const file = `${stemOf(name)}.${ending}`;
      offer(await make(), file);
      setSaid(`Saved ${counted(records, "record")} as ${shown(file)}`);
      close();
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
    setSaving(false);
  };
  return (
    <>
      <span role="status" class="said">
        {said}
      </span>
      <Panel label={isSaving ? "Saving…" : "Save as"} name="Save as">
        {(close) => (
          <>
            <p>{counted(matching, "record")}, with all their fields, as</p>
            <p class="choices">
              {(Object.keys(FORMATS) as FileFormat[]).map((format) => (
                <button
                  key={format}
                  type="button"
                  aria-disabled={isSaving}
                  onClick={() =>
                    void save(
                      matching,
                      // Not the name of the file that they are from.
                      matching < size ? `selected.${format}` : format,
                      () => engine.call("save", asked, format),
                      close,
                    )
                  }
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
                onClick={() => void save(size, "all.arrow", () => engine.call("saveAll"), close)}
              >
                Saved collection
              </button>
            </p>
            <Problem text={problem} />
          </>
        )}
      </Panel>
    </>
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
