// The tables that are open, ways to more of them, and a link to what is shown.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { nameOf, toLink, type View } from "../link.ts";
import { Picker } from "./picker.tsx";
import type { useTables } from "./tables.ts";
import { count, shown as textOf } from "./words.ts";

type Props = Pick<ReturnType<typeof useTables>, "all" | "shown" | "open" | "show" | "close"> & {
  readonly onGenerate: () => void;
};

export function Header({ all, shown, open, show, close, onGenerate }: Props): JSX.Element {
  return (
    <header class="top">
      <h1>tercet</h1>
      {all.length > 0 && (
        <>
          <Picker onOpen={open} />
          <button type="button" onClick={onGenerate}>
            Generate
          </button>
          <ul class="tables" aria-label="Open tables">
            {all.map((table) => {
              const title = titleOf(table.view);
              const isShown = table.key === shown?.key;
              return (
                <li key={table.key}>
                  <button
                    type="button"
                    class={isShown ? "source" : ""}
                    aria-pressed={isShown}
                    onClick={() => show(table)}
                  >
                    {title}
                  </button>
                  <button
                    type="button"
                    class="plain"
                    aria-label={`Close ${title}`}
                    onClick={() => close(table)}
                  >
                    ×
                  </button>
                </li>
              );
            })}
          </ul>
          <span class="space" />
          {shown !== undefined && <Share view={shown.view} />}
        </>
      )}
    </header>
  );
}

function Share({ view }: { readonly view: View }): JSX.Element {
  const [said, setSaid] = useState("");
  useEffect(() => setSaid(""), [view]);
  const share = () => {
    const [page = ""] = location.href.split("#");
    void navigator.clipboard.writeText(page + toLink(view)).then(
      () => setSaid("Link copied"),
      () => setSaid("Copy it from the address bar"),
    );
  };
  return (
    <button type="button" onClick={share}>
      {said === "" ? "Copy link" : said}
    </button>
  );
}

function titleOf(view: View): string {
  const { file, kind, count: wanted, seed } = view;
  if (file !== "") return textOf(nameOf(view));
  const what = { orders: "orders", contacts: "Contacts", files: "Files", "": "" }[kind];
  return `${count(wanted)} ${what}, seed ${seed}`;
}
