// Views that were saved by name: in the page's own storage, and nowhere else. Each is an address.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fromLink, nameOf, toLink, type View } from "../link.ts";
import { Problem } from "./controls.tsx";
import { Panel } from "./panel.tsx";
import { shown } from "./words.ts";

/** The name of a view, and its address. */
type Saved = readonly [name: string, link: string];

const PLACE = "tercet views";

/** What is there may be from anywhere: what is no view is left out. */
function read(): readonly Saved[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(PLACE) ?? "[]");
    if (!Array.isArray(found)) return [];
    return found.flatMap((each: unknown) => {
      const [name, link] = Array.isArray(each) ? (each as unknown[]) : [];
      return typeof name === "string" && typeof link === "string" ? [[name, link] as const] : [];
    });
  } catch {
    return [];
  }
}

/** Whether it could be written. */
function write(views: readonly Saved[]): boolean {
  try {
    localStorage.setItem(PLACE, JSON.stringify(views));
    return true;
  } catch {
    return false;
  }
}

interface Props {
  readonly view: View;
  readonly onOpen: (view: View) => void;
  readonly onName: (title: string) => void;
  /** Opens the same table once more, with the same view. */
  readonly onAgain: (() => void) | undefined;
}

export function Views(props: Props): JSX.Element {
  return (
    <Panel label="Views" name="Views">
      {(close) => <List {...props} close={close} />}
    </Panel>
  );
}

function List({ view, onOpen, onName, onAgain, close }: Props & { close: () => void }) {
  const [views, setViews] = useState(read);
  const [name, setName] = useState(view.title);
  const [problem, setProblem] = useState("");
  const put = (next: readonly Saved[]) => {
    setViews(next);
    setProblem(write(next) ? "" : "This browser keeps nothing for this page: copy the link.");
  };
  const others = (of: string) => views.filter(([each]) => each !== of);
  return (
    <div class="views">
      <form
        class="editor"
        onSubmit={(event) => {
          event.preventDefault();
          const title = name.trim();
          if (title === "") return;
          onName(title);
          put([...others(title), [title, toLink({ ...view, title })]]);
        }}
      >
        <input
          aria-label="Name of this view"
          placeholder="Name of this view"
          autocomplete="off"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <button type="submit">Save</button>
      </form>
      <Problem text={problem} />
      <ul aria-label="Saved views">
        {views.map(([each, link]) => (
          <li key={each}>
            <button
              type="button"
              class="plain"
              onClick={() => {
                close();
                onOpen(fromLink(link));
              }}
            >
              {shown(each)} <small>{shown(nameOf(fromLink(link)))}</small>
            </button>
            <button
              type="button"
              class="plain"
              aria-label={`Remove ${shown(each)}`}
              onClick={() => put(others(each))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      {onAgain !== undefined && (
        <p class="choices">
          <button
            type="button"
            onClick={() => {
              close();
              onAgain();
            }}
          >
            A second view of this table
          </button>
        </p>
      )}
    </div>
  );
}
