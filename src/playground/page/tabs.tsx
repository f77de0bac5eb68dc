// The tabs: which part of the answer is shown.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { TABS, type Tab } from "../link.ts";
import { useIds } from "./pane.ts";

const TITLES: Readonly<Record<Tab, string>> = {
  answer: "Table",
  facets: "Facets",
  groups: "Groups",
  profile: "Profile",
  how: "Plan",
  envelope: "Envelope",
};

/** Without a method to call, only the query in other languages is shown. */
const WITHOUT_METHODS = { ...TITLES, envelope: "Code" };

interface Props {
  readonly tab: Tab;
  readonly hasMethods: boolean;
  readonly onTab: (tab: Tab) => void;
}

export function Tabs({ tab, hasMethods, onTab }: Props): JSX.Element {
  const tabs = useRef<HTMLDivElement>(null);
  const id = useIds();
  const titles = hasMethods ? TITLES : WITHOUT_METHODS;
  return (
    <div role="tablist" aria-label="What is shown" ref={tabs}>
      {TABS.map((each, i) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={id(`tab-${each}`)}
          aria-selected={tab === each}
          data-title={titles[each]}
          aria-controls={id("shown")}
          tabIndex={tab === each ? 0 : -1}
          onClick={() => onTab(each)}
          onKeyDown={({ key }) => {
            const by = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
            const next = TABS[(i + by + TABS.length) % TABS.length];
            if (by === 0 || next === undefined) return;
            onTab(next);
            tabs.current?.querySelector<HTMLElement>(`#${id(`tab-${next}`)}`)?.focus();
          }}
        >
          {titles[each]}
        </button>
      ))}
    </div>
  );
}
