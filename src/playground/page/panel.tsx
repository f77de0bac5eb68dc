// A button, and what it shows below itself until it is pressed again, or Escape is.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

interface Props {
  readonly label: string;
  /** What it is called for readers that do not see it. */
  readonly name: string;
  /** Drawn while it is open. */
  readonly children: () => ComponentChildren;
}

export function Panel({ label, name, children }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <div
      class="popup"
      onKeyDown={({ key }) => {
        if (key === "Escape") setOpen(false);
      }}
    >
      <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
      </button>
      {isOpen && (
        <div class="panel" role="group" aria-label={name}>
          {children()}
        </div>
      )}
    </div>
  );
}
