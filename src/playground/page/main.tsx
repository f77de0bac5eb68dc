// The page: the tables that are open, of which one is shown, or how to come to one.

import { render, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { Generated, Source } from "../messages.ts";
import { Data, SAMPLE } from "./data.tsx";
import { keepFocus } from "./focus.ts";
import { Header } from "./header.tsx";
import { Problem } from "./controls.tsx";
import { droppedIn } from "./picker.tsx";
import { Pane } from "./pane.ts";
import { Opened } from "./question.tsx";
import { usePaste } from "./paste.ts";
import type { Other } from "./relations.tsx";
import { Start } from "./start.tsx";
import { useTables } from "./tables.ts";
import { shown as shownText } from "./words.ts";

function App(): JSX.Element {
  const tables = useTables();
  const { all, shown, beside, open } = tables;
  const [isDragged, setDragged] = useState(false);
  const [isGenerating, setGenerating] = useState(false);
  /** The tables that are loaded, by their keys. */
  const [loaded, setLoaded] = useState<ReadonlyMap<number, Other>>(new Map());
  /** Why something was not opened. */
  const [refused, setRefused] = useState("");
  const generate = () => setGenerating(true);
  usePaste(open);
  return (
    <div
      class={isDragged ? "page dragged" : "page"}
      onDragOver={(event) => {
        event.preventDefault();
        setDragged(true);
      }}
      onDragLeave={() => setDragged(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDragged(false);
        const { sources, folders } = droppedIn(event.dataTransfer);
        if (sources.length > 0) open(sources);
        setRefused(
          folders.length === 0
            ? ""
            : `${shownText(folders.join(", "))}: a folder can’t be opened; drop the files in it.`,
        );
      }}
    >
      <Header {...tables} onGenerate={generate} />
      <Problem text={refused} />
      {shown === undefined && (
        <Start onOpen={open} onGenerate={generate} onSample={() => open([SAMPLE])} />
      )}
      <div class={beside === undefined ? "panes" : "panes two"}>
        {all.map((table) => (
          <Pane.Provider key={table.key} value={table === beside ? "-2" : ""}>
            <Opened
              table={table}
              isShown={table === shown || table === beside}
              change={(part) => tables.change(table.key, part)}
              close={() => tables.close(table)}
              mark={(isChanged) => tables.mark(table.key, isChanged)}
              others={[...loaded].flatMap(([key, other]) => (key === table.key ? [] : other))}
              offer={(own) =>
                setLoaded((before) => {
                  const next = new Map(before);
                  if (own === undefined) next.delete(table.key);
                  else next.set(table.key, own);
                  return next;
                })
              }
            />
          </Pane.Provider>
        ))}
      </div>
      {isGenerating && (
        <Data
          {...generatedIn(shown?.source)}
          onLoad={(source) => open([source])}
          onClose={() => setGenerating(false)}
        />
      )}
    </div>
  );
}

/** What was generated last is proposed first. */
function generatedIn(source: Source | undefined): Exclude<Source, { readonly file: Blob }> {
  return source !== undefined && "kind" in source
    ? source
    : { kind: "orders" satisfies Generated, count: 100_000, seed: 1 };
}

export function show(): void {
  const root = document.querySelector<HTMLElement>("#app");
  if (root === null) return;
  keepFocus(root);
  render(<App />, root);
}
