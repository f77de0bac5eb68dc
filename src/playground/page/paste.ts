// A table that is pasted: the cells of a spreadsheet, CSV, or JSON; or files.

import { useEffect } from "preact/hooks";
import type { Source } from "../messages.ts";
import { sourcesOf } from "./picker.tsx";

/** What is typed there is pasted there. */
const TYPED = "input, textarea, select, [contenteditable]";

/** A table has more than one line, or more than one cell; anything else is pasted by mistake. */
const isTable = (text: string): boolean => /[\t\n]|^\s*[[{]/.test(text.trim());

/** The text as a file; `undefined` if it is no table. */
export function pastedSource(text: string): Source | undefined {
  if (!isTable(text)) return undefined;
  const [head = ""] = text.split("\n", 1);
  const ending = /^\s*[[{]/.test(text) ? "json" : head.includes("\t") ? "tsv" : "csv";
  const name = `pasted.${ending}`;
  return { file: new File([text], name), name, isPasted: true };
}

/** Opens what is pasted anywhere but into a field. */
export function usePaste(open: (sources: readonly Source[]) => void): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const { target, clipboardData } = event;
      if (target instanceof Element && target.closest(TYPED) !== null) return;
      const files = sourcesOf(clipboardData?.files);
      const pasted = pastedSource(clipboardData?.getData("text/plain") ?? "");
      // A spreadsheet also has a picture of its cells.
      const sources = pasted === undefined ? files : [pasted];
      if (sources.length === 0) return;
      event.preventDefault();
      open(sources);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, [open]);
}
