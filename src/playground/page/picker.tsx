// The button that opens files.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Source } from "../messages.ts";

export function Picker({ onOpen }: { readonly onOpen: (sources: Source[]) => void }): JSX.Element {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class="main"
        title="A table as CSV, NDJSON, JSON, Parquet or Arrow, or a Batch as JSON, gzipped or not"
        onClick={() => picker.current?.click()}
      >
        Open a file
      </button>
      <input
        type="file"
        multiple
        hidden
        ref={picker}
        onChange={({ currentTarget }) => {
          onOpen(sourcesOf(currentTarget.files));
          // The same file may be picked again, when it has changed.
          currentTarget.value = "";
        }}
      />
    </>
  );
}

export const sourcesOf = (files: FileList | null | undefined): Source[] =>
  Array.from(files ?? [], (file) => ({ file, name: file.name }));
