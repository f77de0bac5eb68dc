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

/** The files that are dropped, and the names of folders, whose files can't be opened with them. */
export function droppedIn(data: DataTransfer | null): { sources: Source[]; folders: string[] } {
  // Of a file that is made by a program, there is no entry.
  const folders = Array.from(data?.items ?? [], (item) => item.webkitGetAsEntry())
    .filter((entry) => entry?.isDirectory === true)
    .map((entry) => entry?.name ?? "");
  const files = sourcesOf(data?.files);
  return { folders, sources: files.filter((each) => !folders.includes(nameIn(each))) };
}

const nameIn = (source: Source): string => ("file" in source ? source.name : "");
