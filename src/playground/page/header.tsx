// Which data there are: opened, or generated; and a link to what is shown.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { View } from "../link.ts";
import type { Loaded, Source } from "../messages.ts";
import { Data } from "./data.tsx";
import { writeLink } from "./view.ts";
import { count } from "./words.ts";

interface Props {
  readonly view: View;
  readonly source: Source | undefined;
  readonly loaded: Loaded | undefined;
  readonly onSource: (source: Source) => void;
  readonly onProblem: (problem: string) => void;
}

export function Header({ view, source, loaded, onSource, onProblem }: Props): JSX.Element {
  const picker = useRef<HTMLInputElement>(null);
  const [isChoosing, setChoosing] = useState(false);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => setCopied(false), [view]);
  const share = () => {
    writeLink(view);
    void navigator.clipboard.writeText(location.href).then(
      () => setCopied(true),
      () => onProblem("The link could not be copied; it is this page’s address."),
    );
  };
  return (
    <>
      <header class="top">
        <h1>tercet</h1>
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
          hidden
          ref={picker}
          onChange={({ currentTarget }) => {
            openFirst(currentTarget.files, onSource);
            // The same file may be picked again, when it has changed.
            currentTarget.value = "";
          }}
        />
        <button
          type="button"
          class="source"
          title="Generate other data"
          onClick={() => setChoosing(true)}
        >
          {sourceText(source, loaded)}
        </button>
        <span class="quiet wide">Drop a file anywhere to open it. It stays on this machine.</span>
        <span class="space" />
        <button type="button" onClick={share}>
          {isCopied ? "Link copied" : "Copy link"}
        </button>
      </header>
      {isChoosing && <Data {...view} onLoad={onSource} onClose={() => setChoosing(false)} />}
    </>
  );
}

export function openFirst(
  files: FileList | null | undefined,
  onSource: (source: Source) => void,
): void {
  const [file] = files ?? [];
  if (file !== undefined) onSource({ file, name: file.name });
}

function sourceText(source: Source | undefined, loaded: Loaded | undefined): string {
  if (source === undefined) return "Generate data";
  if ("file" in source) return source.name;
  const { kind, count: wanted, seed } = source;
  const what = kind === "contacts" ? "Contacts" : "Files";
  return `${count(loaded?.size ?? wanted)} ${what}, seed ${seed}`;
}
