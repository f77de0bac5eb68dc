// The tables that are open, ways to more of them, and a link to what is shown.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { nameOf, toLink, type View } from "../link.ts";
import { Picker } from "./picker.tsx";
import type { useTables } from "./tables.ts";
import { Views } from "./views.tsx";
import { count, shown as textOf } from "./words.ts";

type Props = ReturnType<typeof useTables> & { readonly onGenerate: () => void };

export function Header(props: Props): JSX.Element {
  const { all, shown, beside, open, show, close, onGenerate } = props;
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
              const isShown = table === shown || table === beside;
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
          {all.length > 1 && (
            <button
              type="button"
              class="plain"
              aria-pressed={beside !== undefined}
              onClick={() => props.setBeside(beside === undefined)}
            >
              Side by side
            </button>
          )}
          {shown !== undefined && (
            <>
              <Views
                key={shown.key}
                view={shown.view}
                onOpen={props.openView}
                onName={(title) => props.change(shown.key, { title })}
                onAgain={shown.source === undefined ? undefined : props.again}
              />
              <Share view={shown.view} />
            </>
          )}
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
  const { file, kind, copy, count: wanted, seed } = view;
  if (file !== "") return textOf(nameOf(view));
  const what = { orders: "orders", contacts: "Contacts", files: "Files", "": "" }[kind];
  return `${count(wanted)} ${what}, seed ${seed}${copy === 1 ? "" : ` (${copy})`}`;
}
